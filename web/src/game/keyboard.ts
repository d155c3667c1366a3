// The keyboard in a match: the commands of the card, actions by their keys,
// control groups and saved views.

import type { MatchInfo } from "@fogkeep/client";
import type { CommandCard } from "../hud/card";
import { type Action, actionOf } from "../input/hotkeys";
import { layout } from "../input/layout";
import { rejectText } from "../text/names";
import { t } from "../text/text";
import type { CameraControl } from "./cameracontrol";
import type { CommandRunner } from "./commands";
import { focusField, type GameContext } from "./context";
import type { Mouse } from "./mouse";
import type { Pings } from "./pings";
import { stepSpeed, togglePause } from "./speed";
import type { Targeting } from "./targeting";
import { openPoll } from "./votes";

/** These work for as long as their keys are held. */
const HELD: ReadonlySet<Action> = new Set(["panUp", "panDown", "panLeft", "panRight", "zoomIn", "zoomOut"]);
const BUTTON_KEYS = new Set(["Enter", "NumpadEnter", "Space", "Tab"]);
const TWICE_MS = 400;

/** The parts that keys work on. */
export interface KeyTargets {
  readonly card: CommandCard;
  readonly commands: CommandRunner;
  readonly targeting: Targeting;
  readonly mouse: Mouse;
  readonly camera: CameraControl;
  readonly pings: Pings;
  /** Selects a control group; the second time in a row it goes there. */
  recall(group: number): void;
  selectIdleWorker(): void;
  selectArmy(): void;
}

/** The actions of keys outside the battlefield. */
export interface PageActions {
  openMenu(): void;
  toggleFigures(): void;
  goToLastAlert(): void;
  /** Another view for a spectator, by the number of its key. */
  chooseView(key: number): void;
  /** Moves the focus to the next panel, or to the one before. */
  focusPanel(step: 1 | -1): void;
  /** Whether a key was taken by an addition to the match. */
  taken(e: KeyboardEvent): boolean;
}

/** Whether a line of chat goes to all: with Shift, and where no other person is in the team to read it. */
export function speaksToAll(info: Pick<MatchInfo, "players" | "slot" | "team">, shift: boolean): boolean {
  return (
    shift ||
    !info.players.some((p) => p.team === info.team && p.slot !== info.slot && !p.bot && p.state !== "left")
  );
}

export class Keyboard {
  /** A key was pressed: this player has a keyboard, and perhaps no mouse. */
  used = false;
  private lastClickMs = -1e9;
  private readonly held = new Set<string>();

  constructor(
    private readonly context: GameContext,
    private readonly targets: KeyTargets,
    private readonly page: PageActions,
    signal: AbortSignal,
  ) {
    void layout.ask();
    window.addEventListener("keydown", (e) => this.keyDown(e), { signal });
    window.addEventListener("keyup", (e) => this.held.delete(e.code), { signal });
    // The page does not see a key released while another window has the focus.
    window.addEventListener("blur", () => this.held.clear(), { signal });
  }

  /** Ctrl is held: a right click fires at the ground. */
  get forces(): boolean {
    return this.held.has("ControlLeft") || this.held.has("ControlRight");
  }

  /** Whether a key of the action is down. */
  readonly isHeld = (action: Action): boolean => {
    for (const code of this.context.settings.bindings[action]) if (this.held.has(code)) return true;
    return false;
  };

  private keyDown(e: KeyboardEvent): void {
    const el = e.target as HTMLElement | null;
    if (el && (el.tagName === "INPUT" || el.tagName === "TEXTAREA" || el.tagName === "SELECT")) return;
    if (document.querySelector("dialog[open]")) return;
    layout.learn(e);
    this.used = true;
    if (el?.matches("button:focus-visible")) {
      // A button that has the focus by keyboard keeps the keys that buttons use.
      if (BUTTON_KEYS.has(e.code)) return;
      if (e.code === "Escape") {
        e.preventDefault();
        focusField(this.context);
        if (!this.targets.targeting.mode) return; // a command that waits is cancelled as well
      }
    }
    if (this.page.taken(e)) {
      e.preventDefault();
      return;
    }
    if (e.code.startsWith("Digit")) {
      e.preventDefault();
      this.digit(e, Number(e.code.slice(5)));
      return;
    }
    if (/^F[1-4]$/.test(e.code)) {
      e.preventDefault();
      const n = Number(e.code.slice(1)) - 1;
      if (e.ctrlKey) this.targets.camera.save(n);
      else this.targets.camera.restore(n);
      return;
    }
    if (e.key === "Control") this.held.add(e.code);
    if ((e.ctrlKey || e.metaKey) && e.code !== "ControlLeft") return;
    const action = actionOf(this.context.settings.bindings, e.code);
    const lasts = action !== null && HELD.has(action);
    if (!lasts && !e.repeat) {
      const command = this.targets.card.byCode(e.code);
      if (command) {
        e.preventDefault();
        this.targets.commands.run(command, e.shiftKey);
        return;
      }
    }
    if (!action) return;
    this.held.add(e.code);
    e.preventDefault();
    if (!lasts && !e.repeat) this.act(action, e.shiftKey);
  }

  private act(action: Action, shift: boolean): void {
    const { selection } = this.context;
    const { card, targeting, mouse, camera, pings } = this.targets;
    switch (action) {
      case "cancel":
        if (targeting.mode) targeting.set(null);
        else if (card.menuOpen) card.menuOpen = false;
        else selection.clear();
        return;
      case "subgroup":
        selection.cycle(shift ? -1 : 1);
        return;
      case "lastAlert":
        this.page.goToLastAlert();
        return;
      case "toSelection":
        camera.goTo(selection.handles);
        return;
      case "nextBase":
        camera.goToNextBase();
        return;
      case "army":
        this.targets.selectArmy();
        return;
      case "idleWorker":
        this.targets.selectIdleWorker();
        return;
      case "clickHere": {
        const now = performance.now();
        const double = now - this.lastClickMs < TWICE_MS;
        this.lastClickMs = double ? -1e9 : now;
        mouse.clickHere(shift, double);
        return;
      }
      case "orderHere":
        mouse.rightClickHere(shift);
        return;
      case "nextPanel":
        this.page.focusPanel(shift ? -1 : 1);
        return;
      case "pingMode":
        pings.ask();
        return;
      case "chat":
        this.chat(speaksToAll(this.context.match.info, shift));
        return;
      case "menu":
        this.page.openMenu();
        return;
      case "pause":
        if (!this.context.match.info.spectator) togglePause(this.context.match);
        return;
      case "faster":
      case "slower":
        if (!this.context.match.info.spectator) stepSpeed(this.context.match, action === "faster" ? 1 : -1);
        return;
      case "voteYes":
      case "voteNo": {
        const poll = openPoll(this.context.match);
        if (poll) this.context.match.vote(poll.kind, action === "voteYes", poll.slot);
        return;
      }
      case "debug":
        this.page.toggleFigures();
        return;
    }
  }

  private chat(all: boolean): void {
    const { match, hud } = this.context;
    if (match.info.spectator) return; // the server takes no chat from spectators
    hud.openChat(all, (line) => {
      void match.say(line, all).answer.then((a) => {
        if (!a.ok) hud.alert(t("chat.notSent", { reason: rejectText(a.code) }), "info", () => undefined);
      });
    });
  }

  /** Control groups of a player; views of a spectator. */
  private digit(e: KeyboardEvent, n: number): void {
    const { match, selection } = this.context;
    if (match.info.spectator) {
      this.page.chooseView(n);
      return;
    }
    if (e.ctrlKey || e.altKey || e.metaKey) {
      selection.assign(n);
      return;
    }
    if (e.shiftKey) {
      selection.join(n);
      return;
    }
    this.targets.recall(n);
  }
}
