import "../ui/theme.css";
import "../hud/hud.css";
import "../hud/field.css";
import "../hud/end.css";
import "./app.css";
import { App } from "./app";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
const app = new App(root);
// For the browser tests. They only read it.
Object.defineProperty(window, "fogkeep", { value: app });
void app.start();
