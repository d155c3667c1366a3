// The demo: a match against bots in a page without a server. The match service runs in a worker (worker.ts); the match
// is shown as one of a server's.

import "../ui/theme.css";
import "../app/app.css";
import "./demo.css";
import { type ConnectOptions, FogkeepError, type Match, type Replay, type Tick } from "@fogkeep/client";
import { h, render } from "preact";
import type { InspectHook } from "../admin/inspect/page";
import { loadingScreen } from "../app/loading";
import type { Screen } from "../app/navigation";
import { matchPart, menuPart, replayPart } from "../app/parts";
import type { Game } from "../game/game";
import { SettingsStore } from "../game/settings";
import { t, useLanguage, useTexts } from "../text/text";
import { closeDialogs } from "../ui/dialog";
import { fill } from "../ui/dom";
import { type Choice, Local, type Way } from "./api";
import { Notices } from "./notices";
import { startScreen } from "./start";

/** The addresses of the sockets. The page asks nothing there: a connection is a port of the worker. */
const HERE: Record<Way, string> = { connect: "ws://in.this.page/ws", watch: "ws://in.this.page/ws/replay" };

/** So often a replay is asked for: a player sees the end of a match before its journal has it. */
const ATTEMPTS = 20;
const ATTEMPT_MS = 250;

async function onceOver<T>(open: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open();
    } catch (err) {
      const runs = err instanceof FogkeepError && err.code === "match_runs";
      if (!runs || attempt === ATTEMPTS) throw err;
      await new Promise((r) => setTimeout(r, ATTEMPT_MS));
    }
  }
}

class Demo {
  match: Match | null = null;
  game: Game | null = null;
  replay: Replay | null = null;
  /** Of the inspector. */
  readonly hook: InspectHook = {};
  /** The match stands still once its person has left it. */
  private left: Promise<unknown> = Promise.resolve();
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
    this.show(
      startScreen({
        local,
        maps,
        saves: () => this.left.then(() => local.saves()),
        play: (choice) => this.play(choice),
        resume: async () => this.join(await local.resume()),
        watch: (id) => this.watch(id),
        inspect: (id) => this.inspect(id),
      }),
    );
  }

  async play(choice: Choice): Promise<void> {
    const ticket = await this.local.start(choice);
    closeDialogs();
    await this.join(ticket, choice);
  }

  /** Shows the match that runs. `choice` is of a match that was just started. */
  private async join(ticket: string, choice?: Choice): Promise<void> {
    const [{ connect, Game }, { matchMenu }] = await Promise.all([matchPart(), menuPart()]);
    await this.enter(async (progress) => {
      const match = await connect({ ...this.way("connect", ticket), progress });
      this.match = match;
      return () =>
        new Game({
          match,
          root: this.root,
          settings: this.settings,
          menu: (game) =>
            matchMenu(this.settings, game, match, this.leave, () => void this.inspect(match.info.matchId)),
          leave: this.leave,
          again:
            choice &&
            (async () => {
              this.leave();
              await this.play(choice);
            }),
          replay: (tick) => this.watch(match.info.matchId, tick),
          eyes: () => undefined,
        });
    });
  }

  /** Stops the match, and shows who sees what in it and why. */
  private async inspect(id: string): Promise<void> {
    const { inspectScreen } = await import("./inspect");
    this.end();
    await this.left;
    this.show(inspectScreen(this.local, id, this.hook, this.leave));
  }

  /** Shows a match again, with all eyes. */
  private async watch(id: string, tick?: Tick): Promise<void> {
    const parts = [replayPart(), matchPart(), menuPart()] as const;
    const [{ Viewer, openReplay }, { Game }, { matchMenu }] = await Promise.all(parts);
    this.end();
    await this.enter(async (progress) => {
      const open = () => openReplay({ ...this.way("watch", id), progress, tick });
      const replay = await onceOver(open);
      this.replay = replay;
      this.match = replay.match;
      return () =>
        new Game({
          match: replay.match,
          root: this.root,
          settings: this.settings,
          menu: (game) => matchMenu(this.settings, game, replay.match, this.leave),
          leave: this.leave,
          eyes: () => undefined,
          addition: (parts) =>
            new Viewer(parts, {
              replay,
              link: null,
              sharing: null,
              key: () => undefined,
              address: () => "",
              leave: this.leave,
            }),
        });
    });
  }

  private way(way: Way, ticket: string) {
    const { fetchMap } = this.local;
    return { url: HERE[way], ticket, socket: this.local.socket(way), fetchMap };
  }

  /** Connects, and shows the match. */
  private async enter(
    join: (progress: NonNullable<ConnectOptions["progress"]>) => Promise<() => Game>,
  ): Promise<void> {
    const loading = loadingScreen();
    this.show(loading);
    try {
      const game = await join((what, players) => loading.say(t(`loading.${what}`), players));
      this.shown?.close?.();
      this.shown = null;
      fill(this.root);
      this.game = game();
      this.root.classList.add("playing");
    } catch (err) {
      this.leave();
      throw err;
    }
  }

  private end(): void {
    if (this.match && !this.replay) this.left = this.local.leave().catch(() => undefined);
    this.replay?.leave();
    this.replay = null;
    this.match?.leave();
    this.match = null;
    this.game?.dispose();
    this.game = null;
    this.root.classList.remove("playing");
  }

  private readonly leave = (): void => {
    this.end();
    this.title();
  };

  private show(screen: Screen): void {
    this.shown?.close?.();
    this.shown = screen;
    fill(this.root, screen.element);
  }
}

const root = document.getElementById("app");
if (!root) throw new Error("demo.html has no #app");
const settings = new SettingsStore();
await useTexts("demo", "replay");
document.documentElement.lang = await useLanguage([settings.value.language, ...navigator.languages]);
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const local = new Local(worker);
worker.onerror = (e) => local.fail(e.message || "error");
const demo = new Demo(root, settings, local);
// For the browser tests. They only read it.
Object.defineProperty(window, "fogkeep", { value: demo });
const notices = document.createElement("div");
document.body.append(notices);
render(h(Notices, { local }), notices);
demo.title();
