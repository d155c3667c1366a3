// A match on the screen: joins the renderer, the input and the HUD over one SDK
// match. Input makes orders and never changes the state; the HUD only shows.

import type { Team } from "../base/ids";
import { EdgeArrows } from "../hud/arrows";
import { CommandCard } from "../hud/card";
import { endDialog } from "../hud/end";
import { Figures } from "../hud/figures";
import { Hud } from "../hud/hud";
import { Minimap } from "../hud/minimap";
import { SelectionPanel } from "../hud/panel";
import { nextPane } from "../hud/panes";
import { HoverTip } from "../hud/tip";
import { WatchBar } from "../hud/watch";
import { type Bindings, bindingsOf } from "../input/hotkeys";
import { Selection } from "../input/selection";
import { DISTANCE_MAX } from "../render/camera";
import type { Quality } from "../render/quality";
import { type DrawOptions, Renderer } from "../render/renderer";
import type { Match, MatchResult, Order } from "../sdk/index";
import { History } from "../state/history";
import { h } from "../ui/dom";
import { Connection } from "./connection";
import { Hands } from "./hands";
import { Keys } from "./keys";
import { News } from "./news";
import { foremost, ownHandles, type Parts, wu } from "./parts";
import { PathLines } from "./paths";
import { Pings } from "./pings";
import type { SettingsStore } from "./settings";
import { Sound } from "./sound";

const HUD_PERIOD_MS = 100;
const HIDDEN_PACE_MS = 30_000;

export interface GameOptions {
  match: Match;
  root: HTMLElement;
  settings: SettingsStore;
  /** Opens the menu of settings and leaving. */
  menu(game: Game): void;
  /** The player is done with the match. */
  leave(): void;
  /** A spectator wants to see with other eyes. */
  eyes(team: Team): void;
  /** Where to look first, instead of at the own base. */
  look?: Look;
}

/** A place to look at, in tiles, and from how far. */
export interface Look {
  x: number;
  z: number;
  distance: number;
}

export class Game {
  readonly renderer: Renderer;
  readonly selection: Selection;
  readonly hud: Hud;
  frames = 0;
  private readonly canvas = h("canvas", { class: "world", tabIndex: 0, "aria-label": "Battlefield" });
  private readonly boxElement = h("div", { class: "box", hidden: true });
  private readonly crosshair = h("div", { class: "crosshair", hidden: true, "aria-hidden": "true" });
  private readonly tip: HoverTip;
  private readonly card: CommandCard;
  private readonly panel: SelectionPanel;
  private readonly minimap: Minimap;
  private readonly hands: Hands;
  private readonly keys: Keys;
  private readonly news: News;
  private readonly sound = new Sound();
  private readonly connection: Connection;
  private readonly figures: Figures;
  private readonly history: History;
  private readonly arrows: EdgeArrows;
  /** Of a spectator. */
  private readonly watch: WatchBar | null;
  private readonly paths: PathLines;
  private readonly pings: Pings;
  private bindings: Bindings;
  /** One object for all frames. */
  private readonly view: { -readonly [K in keyof DrawOptions]: DrawOptions[K] };
  private raf = 0;
  private lastMs = 0;
  private lastHudMs = 0;
  private hiddenAt = 0;
  private readonly abort = new AbortController();
  private readonly offs: (() => void)[] = [];
  private fpsAt = 0;
  private fpsFrames = 0;
  private fps = 0;
  private settledAt = performance.now();
  private settledFrames = 0;
  private calm = 0;
  private resized = false;
  /** How high the panels at the bottom are, page pixels. */
  private bottomPx = 0;

  constructor(private readonly options: GameOptions) {
    const { match, root, settings } = options;
    const { state } = match;
    state.keepsEnd = true;
    this.bindings = bindingsOf(settings.value.preset, settings.value.own);
    root.append(this.canvas, this.boxElement);
    const q = settings.value.quality;
    this.renderer = new Renderer(this.canvas, state, { quality: q === "auto" ? undefined : (q as Quality) });
    this.selection = new Selection(state);
    this.view = {
      selected: this.selection.handles,
      hover: 0,
      bars: settings.value.bars,
      extra: (marks, signs, ground) => {
        this.paths.draw(signs, marks, ground, this.renderer);
        this.hands.preview(marks, ground);
      },
    };
    this.paths = new PathLines(match, this.selection);
    const colorOf = (owner: number) => this.renderer.hexOf(owner);
    this.hud = new Hud(state, colorOf);
    this.card = new CommandCard(
      state,
      this.selection,
      () => ({ bindings: this.bindings, grid: settings.value.preset === "grid" }),
      () => colorOf(state.info.slot),
      (c, shift) => this.hands.runCommand(c, shift),
      (c) => this.hands.takeBack(c),
    );
    this.pings = new Pings(match, this.hud.overlay, {
      pointer: () => this.hands.pointer.at,
      world: (x, y) => {
        const p = this.minimap.placeAt(x, y) ?? this.hands.groundAt(x, y);
        return p && wu(p.x, p.z);
      },
      refused: (x, y, words) => this.hud.wordsAt(x, y, words),
      back: () => this.canvas.focus({ preventScroll: true }),
    });
    const parts: Parts = {
      match,
      settings,
      renderer: this.renderer,
      selection: this.selection,
      hud: this.hud,
      card: this.card,
      sound: this.sound,
      paths: this.paths,
      pings: this.pings,
      bindings: () => this.bindings,
      alerts: () => this.news.alerts,
    };
    this.hands = new Hands(parts, this.canvas, this.boxElement);
    const opens = {
      menu: () => options.menu(this),
      figures: () => this.figures.toggle(),
      panels: (step: 1 | -1) =>
        nextPane(
          [
            this.canvas,
            this.card.element,
            this.panel.element,
            this.minimap.element,
            ...this.hud.panes,
            ...(this.watch ? [this.watch.element] : []),
          ],
          document.activeElement,
          step,
        )?.focus(),
      field: () => this.canvas.focus({ preventScroll: true }),
      eyes: (key: number) => {
        const team = this.watch?.teamOf(key);
        if (team !== undefined && team !== state.info.team) options.eyes(team);
      },
    };
    this.keys = new Keys(parts, this.hands, opens, this.abort.signal);
    this.panel = new SelectionPanel(state, this.selection, colorOf, {
      pick: (handles) => this.selection.set(handles),
      unqueue: (structure, place) => this.send({ do: "cancel", units: [structure], what: place }),
      group: (n) => this.hands.recall(n),
    });
    this.minimap = new Minimap(state, this.renderer, {
      look: (x, z) => this.renderer.camera.go(x, z),
      order: (x, z, queued) => this.hands.orderAt({ at: wu(x, z), handle: 0 }, queued, false),
      aim: (x, z, e) => {
        if (!this.hands.mode) return false;
        this.hands.aimAt({ at: wu(x, z), handle: 0 }, e.shiftKey, { x: e.clientX, y: e.clientY });
        return true;
      },
      point: (x, y) => this.pings.look(x, y),
      pingMode: state.info.spectator ? undefined : () => this.hands.setMode({ kind: "ping" }, "ping"),
    });
    this.hud.bottom.append(this.minimap.element, this.panel.element);
    if (!state.info.spectator) this.hud.bottom.append(this.card.element);
    this.tip = new HoverTip(state);
    this.hud.overlay.append(this.crosshair, this.tip.element);
    root.append(this.hud.element);
    this.history = new History(state);
    this.arrows = new EdgeArrows(this.hud.overlay);
    this.news = new News(parts, this.minimap, this.arrows);
    this.watch = state.info.spectator ? new WatchBar(state.info, colorOf, options.eyes) : null;
    if (this.watch) this.hud.add(this.watch.element);
    this.figures = new Figures(match.traffic, () => this.figureLines());
    this.hud.add(this.figures.element);
    this.connection = new Connection(match, this.hud, this.canvas, options.leave);
    this.hud.menuButton.onclick = () => options.menu(this);
    this.listen();
    this.resize();
    this.firstLook();
    this.lastMs = performance.now();
    this.loop();
    this.canvas.focus({ preventScroll: true });
  }

  /** A place at the start of a match: the own base, or the map's middle. */
  private firstLook(): void {
    const { info } = this.options.match.state;
    const { look } = this.options;
    if (look) {
      this.renderer.camera.distance = look.distance;
      this.renderer.camera.jump(look.x, look.z);
      return;
    }
    if (info.spectator) this.renderer.camera.distance = DISTANCE_MAX * 0.7;
    const start = info.map.starts[info.players[info.slot]?.start ?? -1];
    this.renderer.camera.jump(
      start ? start.x + 0.5 : info.map.width / 2,
      start ? start.y + 1.5 : info.map.height / 2,
    );
    let looked = start !== undefined;
    // Where the rules tell no start, the first own thing is it; who looks on begins where the sides are nearest.
    this.offs.push(
      this.options.match.events.on("frame", () => {
        if (looked) return;
        const { state } = this.options.match;
        const c = info.spectator ? foremost(state) : this.selection.center(ownHandles(state));
        if (!c) return;
        looked = true;
        this.renderer.camera.jump(c.x, c.z + 1.5);
      }),
    );
  }

  /** Where the camera is told to look. */
  get look(): Look {
    const { x, z, distance } = this.renderer.camera;
    return { x, z, distance };
  }

  get canvasElement(): HTMLCanvasElement {
    return this.canvas;
  }

  applySettings(): void {
    const s = this.options.settings.value;
    this.bindings = bindingsOf(s.preset, s.own);
    this.renderer.colors(s.relations);
    this.renderer.effects.reducedMotion = s.reducedMotion;
    this.sound.volume = s.sound;
    document.documentElement.style.setProperty("--hud-scale", this.hudScale.toFixed(3));
    document.documentElement.classList.toggle("calm", s.reducedMotion);
  }

  dispose(): void {
    cancelAnimationFrame(this.raf);
    this.abort.abort();
    for (const off of this.offs) off();
    this.hands.dispose();
    this.news.dispose();
    this.selection.dispose();
    this.paths.dispose();
    this.pings.dispose();
    this.connection.dispose();
    this.sound.dispose();
    this.renderer.dispose();
    this.options.root.replaceChildren();
  }

  /** Gives an order as the hands do. */
  send(order: Order): void {
    this.hands.send(order);
  }

  private pointArrows(now: number): void {
    const scale = this.hudScale;
    const { camera } = this.renderer;
    this.arrows.update(now, {
      width: innerWidth,
      height: innerHeight,
      toPage: (x, z, out) => this.renderer.groundToPage(x, z, out),
      focusX: camera.focusX,
      focusZ: camera.focusZ,
      // What the panels take.
      inset: { top: 84 * scale, bottom: this.bottomPx, side: 34 },
    });
  }

  private readonly loop = (): void => {
    this.raf = requestAnimationFrame(this.loop);
    const now = performance.now();
    const dt = Math.min(100, now - this.lastMs);
    this.lastMs = now;
    const { match } = this.options;
    // A spectator who waits for the first frame looks at the dark map.
    if (match.clock.ready || match.waitingMs > 0) this.drawField(now, dt);
    if (now - this.lastHudMs > HUD_PERIOD_MS) {
      this.lastHudMs = now;
      this.updateHud(now);
    }
  };

  private drawField(now: number, dt: number): void {
    const { match, settings } = this.options;
    // Both clear the canvas: what follows draws it again within the same frame.
    if (this.resized) this.resize();
    this.settle(now);
    this.keys.moveCamera(dt);
    // Without news the world goes on for a second, then stands still.
    const tick = match.clock.ready
      ? Math.min(
          match.clock.drawTick(now),
          match.state.tick + 1000 / match.info.tickMs,
          match.state.endTick ?? Number.POSITIVE_INFINITY,
        )
      : 0;
    this.view.hover = this.hands.hoverHandle;
    this.view.bars = this.keys.actionHeld("bars") ? "all" : settings.value.bars;
    this.renderer.draw(tick, dt, this.view);
    if (this.arrows.any) this.pointArrows(now);
    this.frames++;
    this.fpsFrames++;
    this.minimap.draw(now);
  }

  private updateHud(now: number): void {
    const { match } = this.options;
    const { pointer } = this.hands;
    // Who plays by keys alone acts in the middle of the page.
    const byKeys = pointer.at === null && this.keys.used;
    this.crosshair.hidden = !byKeys;
    const at = pointer.at ?? (byKeys ? this.hands.aim : null);
    if (at) this.hands.hover(at.x, at.y);
    this.tip.update(this.hands.hoverHandle, at);
    this.hud.update();
    this.panel.update();
    this.card.update(this.hands.modeId);
    this.bottomPx = this.hud.bottom.getBoundingClientRect().height + 16;
    this.connection.update(now);
    this.watch?.update(match.waitingMs);
    const { camera } = this.renderer;
    match.look({ x: camera.x, y: camera.z }, camera.height * 0.7);
    if (now - this.fpsAt > 1000) {
      this.fps = (this.fpsFrames * 1000) / (now - this.fpsAt);
      this.fpsAt = now;
      this.fpsFrames = 0;
    }
    this.figures.update(now);
  }

  /** Frames that come too late for three seconds cost resolution; a calm half minute gives it back. */
  private settle(now: number): void {
    if (now - this.settledAt < 3000 || document.hidden) return;
    const fps = ((this.frames - this.settledFrames) * 1000) / (now - this.settledAt);
    this.settledAt = now;
    this.settledFrames = this.frames;
    if (fps < 24) {
      this.calm = 0;
      this.renderer.changeResolution(-1);
    } else if (fps > 50 && ++this.calm >= 10) {
      this.calm = 0;
      this.renderer.changeResolution(1);
    }
  }

  /** What the panel of figures says above its table. */
  private figureLines(): string {
    const { match } = this.options;
    const t = this.renderer.timings;
    return [
      `fps ${this.fps.toFixed(0)}   draws ${this.renderer.draws}   quality ${this.renderer.quality}`,
      `script ms: sample ${t.sample.toFixed(1)}  fog ${t.fog.toFixed(1)}  fill ${t.fill.toFixed(1)}  draw ${t.draw.toFixed(1)}`,
      `tick ${match.state.tick}   things ${match.state.world.count}   ghosts ${match.state.ghosts.size}   fog uploads ${this.renderer.fog.uploads}`,
      `delay ${match.clock.delayMs.toFixed(0)} ms   jitter ${match.clock.jitterMs.toFixed(0)} ms   unanswered ${match.unanswered}   resyncs ${match.resyncs}`,
    ].join("\n");
  }

  private listen(): void {
    const { match } = this.options;
    const o = { signal: this.abort.signal };
    // A button that was clicked leaves the keys to the field; one that was gone to by key keeps them.
    this.hud.element.addEventListener(
      "click",
      (e) => {
        if (e.detail > 0 && (e.target as Element).closest("button"))
          this.canvas.focus({ preventScroll: true });
      },
      o,
    );
    window.addEventListener(
      "resize",
      () => {
        this.resized = true;
      },
      o,
    );
    window.addEventListener("pointerdown", () => this.sound.wake(), o);
    window.addEventListener("online", () => match.link.hurry(), o);
    document.addEventListener("visibilitychange", () => this.visibility(), o);
    window.addEventListener(
      "beforeunload",
      (e) => {
        if (match.status === "live" && !match.info.spectator) e.preventDefault();
      },
      o,
    );
    const { events } = match.state;
    this.offs.push(
      this.options.settings.on(() => this.applySettings()),
      match.events.on("end", (r) => {
        this.sound.tones(!r.winners.includes(match.info.team));
        this.arrows.clear();
        this.hands.setMode(null);
        this.summary(r);
      }),
      match.events.on("frame", () => this.history.frame()),
      events.on("reset", () => this.renderer.snap()),
    );
  }

  /** The last screen; who looks at the field comes back to it by the banner. */
  private summary(result: MatchResult): void {
    const { state, info } = this.options.match;
    const dialog = endDialog(info, {
      result,
      seconds: Math.floor(((state.endTick ?? state.tick) * info.tickMs) / 1000),
      history: this.history,
      colorOf: (owner) => this.renderer.hexOf(owner),
      leave: this.options.leave,
      stay: () => {
        this.hud.setBanner("The match is over.", {
          words: "Show the summary",
          run: () => this.summary(result),
        });
        this.canvas.focus({ preventScroll: true });
      },
    });
    this.hud.setBanner(null);
    this.hud.add(dialog);
    dialog.showModal();
  }

  private visibility(): void {
    const { match } = this.options;
    if (document.hidden) {
      this.hiddenAt = performance.now();
      setTimeout(() => {
        if (document.hidden) match.pace(1);
      }, HIDDEN_PACE_MS);
      return;
    }
    if (performance.now() - this.hiddenAt > HIDDEN_PACE_MS) match.pace(0);
    match.link.hurry();
    match.clock.reset();
    this.lastMs = performance.now();
    this.renderer.snap();
  }

  /** The player's size of the panels, smaller on a page that they would fill. */
  private get hudScale(): number {
    return this.options.settings.value.scale * Math.max(0.7, Math.min(1, innerWidth / 1000));
  }

  private resize(): void {
    this.resized = false;
    this.applySettings();
    this.renderer.resize(innerWidth, innerHeight);
  }
}
