import "../ui/theme.css";
import "../hud/hud.css";
import "../hud/field.css";
import "../hud/end.css";
import "./app.css";
import { useLanguage } from "../text/text";
import { App } from "./app";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
// Before the first text is made.
document.documentElement.lang = await useLanguage(navigator.languages);
const app = new App(root);
// For the browser tests. They only read it.
Object.defineProperty(window, "fogkeep", { value: app });
void app.start();
