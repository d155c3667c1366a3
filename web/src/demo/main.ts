// The demo: a match against bots in a page without a server. The match service runs in a worker (worker.ts); the match
// is shown as one of a server's.

import "../ui/theme.css";
import "../app/app.css";
import type { Match } from "@fogkeep/client";
import { loadingScreen } from "../app/loading";
import type { Screen } from "../app/navigation";
import { matchPart } from "../app/parts";
import type { Game } from "../game/game";
import { SettingsStore } from "../game/settings";
import { t, useLanguage } from "../text/text";
import { closeDialogs } from "../ui/dialog";
import { fill } from "../ui/dom";
import { type Choice, Local } from "./api";
import { startScreen } from "./start";

/** The address of the match's socket. Nothing is asked there: the connection is a port of the worker. */
const HERE = "ws://in.this.page/ws";

class Demo {
  match: Match | null = null;
  game: Game | null = null;
  private shown: Screen | null = null;
  private readonly maps: ReturnType<Local["maps"]>;

  constructor(
    private readonly root: HTMLElement,
    private readonly settings: SettingsStore,
    private readonly local: Local,
  ) {
    root.className = "screen";
    this.maps = local.maps();
    this.maps.catch(() => undefined); // the first screen says why, to a person who begins a match
  }

  title(): void {
    const { local, maps } = this;
    this.show(startScreen({ local, maps, play: (choice) => this.play(choice) }));
  }

  async play(choice: Choice): Promise<void> {
    const { connect, Game, matchMenu } = await matchPart();
    const ticket = await this.local.start(choice);
    closeDialogs();
    const loading = loadingScreen();
    this.show(loading);
    try {
      const match = await connect({
        url: HERE,
        ticket,
        socket: this.local.socket,
        fetchMap: this.local.fetchMap,
        progress: (what) => loading.say(t(`loading.${what}`)),
      });
      this.match = match;
      this.shown?.close?.();
      this.shown = null;
      fill(this.root);
      const leave = () => this.leave();
      this.game = new Game({
        match,
        root: this.root,
        settings: this.settings,
        menu: (game) => matchMenu(this.settings, game, match, leave),
        leave,
        again: async () => {
          this.leave();
          await this.play(choice);
        },
        eyes: () => undefined,
      });
      this.root.classList.add("playing");
    } catch (err) {
      this.leave();
      throw err;
    }
  }

  private leave(): void {
    this.match?.leave();
    this.match = null;
    this.game?.dispose();
    this.game = null;
    this.root.classList.remove("playing");
    this.title();
  }

  private show(screen: Screen): void {
    this.shown?.close?.();
    this.shown = screen;
    fill(this.root, screen.element);
  }
}

const root = document.getElementById("app");
if (!root) throw new Error("demo.html has no #app");
const settings = new SettingsStore();
document.documentElement.lang = await useLanguage([settings.value.language, ...navigator.languages]);
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const local = new Local(worker);
worker.onerror = (e) => local.fail(e.message);
const demo = new Demo(root, settings, local);
// For the browser tests. They only read it.
Object.defineProperty(window, "fogkeep", { value: demo });
demo.title();
