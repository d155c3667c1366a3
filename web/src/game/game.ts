// A match on the screen: joins the renderer, the controls and the panels over
// one match of the SDK. Input makes orders and never changes the state; the
// panels only show it.

import {
  type Handle,
  History,
  type Match,
  type MatchResult,
  mostCentral,
  type Order,
  ownHandles,
  type Team,
} from "@fogkeep/client";
import type { EndWays } from "../hud/end";
import { Hud, isOther } from "../hud/hud";
import { Selection } from "../input/selection";
import { DISTANCE_OVERVIEW } from "../render/camera";
import { Renderer } from "../render/renderer";
import { t } from "../text/text";
import { closeDialogs } from "../ui/dialog";
import { h } from "../ui/dom";
import type { Addition, MakeAddition } from "./addition";
import type { Look } from "./cameracontrol";
import { ConnectionStatus } from "./connectionstatus";
import { focusField, type GameContext, type Said } from "./context";
import { Controls } from "./controls";
import { FrameLoop } from "./frameloop";
import { resourceFor } from "./gather";
import { Notifications } from "./notifications";
import { listenToPage } from "./page";
import { Panels } from "./panels";
import type { SettingsStore } from "./settings";
import { Sound } from "./sound";

export type { Harder, MissionEnd } from "../hud/end";
export type { Look } from "./cameracontrol";

export interface GameOptions extends EndWays {
  match: Match;
  root: HTMLElement;
  settings: SettingsStore;
  /** Opens the menu of settings and leaving. */
  menu(game: Game): void;
  /** Opens the dialog of a report, of a line of chat or of any player; absent: this page reports no players. */
  report?: (said: readonly Said[], of?: Said) => void;
  /** Shows a spectator the match from earlier. */
  rewind?: () => Promise<void>;
  /** A spectator chose the view of another team, or of all. */
  eyes(team: Team): void;
  /** Of a replay: the replacement for the spectator's panels, the speed, alerts and the summary. */
  addition?: MakeAddition;
  /** Where to look first, instead of at the own base. */
  look?: Look;
}

/** How much farther the first look is on an upright page. */
const UPRIGHT = 1.35;

export class Game {
  readonly renderer: Renderer;
  readonly selection: Selection;
  private readonly context: GameContext;
  private readonly controls: Controls;
  private readonly panels: Panels;
  private readonly notifications: Notifications;
  private readonly connection: ConnectionStatus;
  private readonly history: History;
  private readonly loop: FrameLoop;
  private readonly addition: Addition | null;
  private readonly abort = new AbortController();
  private readonly offs: (() => void)[] = [];
  private resized = false;
  private bytesPerS = 0;

  constructor(private readonly options: GameOptions) {
    const { match, root, settings } = options;
    const { state } = match;
    state.keepsEnd = !options.addition;
    const canvas = h("canvas", { class: "world", tabIndex: 0, "aria-label": t("hud.field") });
    const box = h("div", { class: "box", hidden: true });
    root.append(canvas, box);
    const { quality } = settings.value;
    this.renderer = new Renderer(canvas, state, { quality: quality === "auto" ? undefined : quality });
    this.selection = new Selection(state);
    const hud = new Hud(state, (owner) => this.renderer.colors.hexOf(owner));
    const { renderer, selection } = this;
    this.context = { match, settings, canvas, renderer, selection, hud, sound: new Sound(), said: [] };
    this.controls = new Controls(
      this.context,
      {
        box,
        placeOnMinimap: (x, y) => this.panels.minimap.placeAt(x, y),
        openMenu: () => options.menu(this),
        toggleFigures: () => void this.panels.toggleFigures().catch(() => undefined),
        goToLastAlert: () => this.notifications.goToLastAlert(),
        chooseView: (key) => this.panels.chooseView(key),
        focusPanel: (step) => this.panels.focusNext(step, this.addition?.panels ?? []),
        taken: (e) => this.addition?.keyDown(e) ?? false,
      },
      this.abort.signal,
    );
    this.panels = new Panels(
      this.context,
      this.controls,
      options.addition ? null : options.eyes,
      options.rewind,
      () => this.notifications.goToLastAlert(),
    );
    root.append(hud.element);
    hud.menuButton.onclick = () => options.menu(this);
    this.history = new History(state);
    const { minimap } = this.panels;
    this.addition =
      options.addition?.({ context: this.context, minimap, camera: this.controls.camera, root }) ?? null;
    this.controls.also = this.addition?.draw ?? null;
    const report = options.report && ((of: Said) => options.report?.(this.context.said, of));
    this.notifications = new Notifications(this.context, minimap, this.panels.arrows, !this.addition, report);
    this.connection = new ConnectionStatus(match, hud, canvas, options.leave);
    this.loop = new FrameLoop(
      this.context,
      this.controls,
      this.panels,
      (dtMs) => {
        if (this.resized) this.resize();
        this.addition?.frame(dtMs);
      },
      (now) => this.update(now),
    );
    this.listen();
    this.resize();
    this.lookFirst();
    this.loop.start();
    focusField(this.context);
  }

  /** Opens the dialog of a report; absent: there is no other person to report. */
  get report(): (() => void) | undefined {
    const { report, match } = this.options;
    const others = match.info.players.some((p) => isOther(match.info, p));
    return report && others ? () => report(this.context.said) : undefined;
  }

  /** Frames drawn. */
  get frames(): number {
    return this.loop.frames;
  }

  /** Where the camera is set to look. */
  get look(): Look {
    return this.controls.camera.look;
  }

  get canvasElement(): HTMLCanvasElement {
    return this.context.canvas;
  }

  /** Sends an order as the controls do. */
  send(order: Order): void {
    this.controls.orders.send(order);
  }

  dispose(): void {
    this.loop.stop();
    this.abort.abort();
    for (const off of this.offs) off();
    this.addition?.dispose();
    this.controls.dispose();
    this.panels.dispose();
    this.notifications.dispose();
    this.selection.dispose();
    this.connection.dispose();
    this.context.sound.dispose();
    this.renderer.dispose();
    this.options.root.replaceChildren();
  }

  /** Looks at the own base when the match starts; a spectator at the middle of the action. */
  private lookFirst(): void {
    const { match, look } = this.options;
    const { state, info } = match;
    const { camera } = this.renderer;
    if (look) {
      camera.distance = look.distance;
      camera.jump(look.x, look.z);
      return;
    }
    if (info.spectator) camera.distance = DISTANCE_OVERVIEW;
    else if (innerWidth < innerHeight) camera.distance *= UPRIGHT;
    const start = info.map.starts[info.players[info.slot]?.start ?? -1];
    camera.jump(start ? start.x + 0.5 : info.map.width / 2, start ? start.y + 1.5 : info.map.height / 2);
    if (start) return;
    // No start is known: look where the first own entities are, a spectator where the teams are nearest.
    const off = match.events.on("frame", () => {
      const c = info.spectator ? mostCentral(state) : this.selection.center(ownHandles(state));
      if (!c) return;
      off();
      camera.jump(c.x, c.z + 1.5);
    });
    this.offs.push(off);
  }

  private listen(): void {
    const { match, settings } = this.options;
    this.offs.push(
      settings.on(() => this.applySettings()),
      match.events.on("end", (r) => this.end(r)),
      match.events.on("frame", () => this.history.frame()),
      match.state.events.on("trained", (e) => this.gather(e.source)),
      match.state.events.on("reset", () => this.renderer.snap()),
    );
    listenToPage(
      this.context,
      {
        resized: () => {
          this.resized = true;
        },
        shown: () => {
          this.loop.resume();
          this.renderer.snap();
          match.state.fire.skip();
        },
      },
      this.abort.signal,
    );
  }

  /** A refusal is not shown: the player gave no order. */
  private gather(unit: Handle): void {
    const { match, settings } = this.options;
    if (this.addition || match.info.spectator || !settings.value.gather) return;
    const target = resourceFor(match.state, unit);
    if (target !== 0) match.order({ do: "harvest", units: [unit], target });
  }

  private end(result: MatchResult): void {
    if (this.addition) return; // it goes on: back, or to other eyes
    const { match } = this.options;
    const won = result.winners.includes(match.info.team);
    this.context.sound.alert(won ? "won" : "lost");
    this.panels.arrows.clear();
    this.controls.targeting.set(null);
    closeDialogs(); // the menu offers what is over
    const { hud } = this.context;
    void import("./summary").then(
      ({ showSummary }) =>
        this.abort.signal.aborted ||
        showSummary(this.context, result, this.history, { ...this.options, report: this.report }),
      () => hud.setBanner(t("end.overLine")),
    );
  }

  private update(nowMs: number): void {
    this.connection.update(nowMs);
    this.addition?.update();
    const { camera } = this.renderer;
    this.options.match.setCamera({ x: camera.x, y: camera.z }, camera.height * 0.7);
  }

  private applySettings(): void {
    const s = this.options.settings.value;
    this.renderer.colors.choose(s.relations);
    this.renderer.effects.reducedMotion = s.reducedMotion;
    this.renderer.abilities.reducedMotion = s.reducedMotion;
    this.renderer.numbers.shown = s.damage;
    this.context.sound.setVolumes(s.volumes);
    this.context.sound.mute(s.muteHidden && document.hidden);
    if (s.bytesPerS !== this.bytesPerS) {
      this.bytesPerS = s.bytesPerS;
      this.options.match.limit(s.bytesPerS);
    }
    document.documentElement.style.setProperty("--hud-scale", this.panels.scale.toFixed(3));
  }

  private resize(): void {
    this.resized = false;
    this.applySettings();
    this.renderer.resize(innerWidth, innerHeight);
  }
}
