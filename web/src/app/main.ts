import "../ui/theme.css";
import "./app.css";
import { SettingsStore } from "../game/settings";
import { useLanguage } from "../text/text";
import { App } from "./app";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
// Before the first text is made.
const settings = new SettingsStore();
document.documentElement.lang = await useLanguage([settings.value.language, ...navigator.languages]);
const app = new App(root, settings);
// For the browser tests. They only read it.
Object.defineProperty(window, "fogkeep", { value: app });
void app.start();
