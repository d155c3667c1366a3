// A match on the screen: joins the stage, the input and the HUD over one SDK
// match. Input makes orders and never changes the state; the HUD only shows.

import type { Handle } from "../base/ids";
import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { CommandCard } from "../hud/card";
import { Hud } from "../hud/hud";
import { Minimap } from "../hud/minimap";
import { SelectionPanel } from "../hud/panel";
import type { Command } from "../input/commands";
import { type Action, actionOf, type Bindings, bindingsOf } from "../input/hotkeys";
import { aimed, footprint, isHostile, type Mode, smart, type Target } from "../input/intent";
import { ghostAt, pickAt, pickBox } from "../input/pick";
import { type Box, PointerInput } from "../input/pointer";
import { boxPick, Selection } from "../input/selection";
import type { Ground } from "../render/ground";
import { ACCENT, DANGER, GOOD } from "../render/palette";
import type { Quality } from "../render/quality";
import { type GroundMarks, ink, MARK, type Signs } from "../render/sprites";
import { Stage, type StageView } from "../render/stage";
import type { Match, Order } from "../sdk/index";
import { wordsFor } from "../sdk/order";
import type { Caught } from "../state/match";
import { typeOf } from "../state/rules";
import { h } from "../ui/dom";
import { Alerts } from "./alerts";
import { PathLines } from "./paths";
import type { SettingsStore } from "./settings";
import { Sound } from "./sound";

const EDGE_PX = 6;
const HUD_PERIOD_MS = 100;
const GROUP_TWICE_MS = 400;
const HIDDEN_PACE_MS = 30_000;
const WHITE = ink("#ffffff");
const OK_INK = ink(GOOD);
const BAD_INK = ink(DANGER);
const ACCENT_INK = ink(ACCENT);

export interface GameOptions {
  match: Match;
  root: HTMLElement;
  settings: SettingsStore;
  /** Opens the menu of settings and leaving. */
  menu(game: Game): void;
  /** The player is done with the match. */
  leave(): void;
}

export class Game {
  readonly stage: Stage;
  readonly selection: Selection;
  readonly hud: Hud;
  frames = 0;
  private readonly canvas = h("canvas", { class: "world", tabIndex: 0, "aria-label": "Battlefield" });
  private readonly boxElement = h("div", { class: "box", hidden: true });
  private readonly card: CommandCard;
  private readonly panel: SelectionPanel;
  private readonly minimap: Minimap;
  private readonly pointer: PointerInput;
  private readonly alerts = new Alerts();
  private readonly sound = new Sound();
  private readonly paths: PathLines;
  private bindings: Bindings;
  /** One object for all frames: a battle makes no garbage. */
  private readonly view: { -readonly [K in keyof StageView]: StageView[K] };
  private mode: Mode | null = null;
  private modeId = "";
  private hoverHandle: Handle = 0;
  private readonly held = new Set<string>();
  private raf = 0;
  private lastMs = 0;
  private lastHudMs = 0;
  private lastGroup = { n: -1, ms: -1e9 };
  private hiddenAt = 0;
  private readonly abort = new AbortController();
  private readonly offs: (() => void)[] = [];
  private readonly savedViews: ({ x: number; z: number; distance: number } | null)[] = [
    null,
    null,
    null,
    null,
  ];
  private nextBase = 0;
  private idleAt = 0;
  private fpsAt = 0;
  private fpsFrames = 0;
  private fps = 0;
  private settledAt = performance.now();
  private settledFrames = 0;
  private calm = 0;

  constructor(private readonly options: GameOptions) {
    const { match, root, settings } = options;
    const { state } = match;
    this.bindings = bindingsOf(settings.value.preset, settings.value.own);
    root.append(this.canvas, this.boxElement);
    const q = settings.value.quality;
    this.stage = new Stage(this.canvas, state, { quality: q === "auto" ? undefined : (q as Quality) });
    this.selection = new Selection(state);
    this.view = {
      selected: this.selection.handles,
      hover: 0,
      bars: settings.value.bars,
      extra: (marks, signs, ground) => this.extra(marks, signs, ground),
    };
    this.paths = new PathLines(match, this.selection);
    const colorOf = (owner: number) => this.stage.hexOf(owner);
    this.hud = new Hud(state, colorOf);
    this.card = new CommandCard(
      state,
      this.selection,
      () => ({ bindings: this.bindings, grid: settings.value.preset === "grid" }),
      () => colorOf(state.info.slot),
      (c, shift) => this.runCommand(c, shift),
    );
    this.panel = new SelectionPanel(state, this.selection, colorOf, {
      pick: (handles) => this.selection.set(handles),
      unqueue: (structure, place) => this.send({ do: "cancel", units: [structure], what: place }),
      group: (n) => this.recall(n),
    });
    this.minimap = new Minimap(state, this.stage, {
      look: (x, z) => this.stage.eye.go(x, z),
      order: (x, z, queued) => this.orderAt({ at: wu(x, z), handle: 0 }, queued, false),
      aim: (x, z, queued) => {
        if (!this.mode) return false;
        this.aimAt({ at: wu(x, z), handle: 0 }, queued);
        return true;
      },
    });
    this.hud.bottom.append(this.minimap.element, this.panel.element, this.card.element);
    root.append(this.hud.element);
    this.pointer = new PointerInput(this.canvas, {
      hover: (x, y) => this.hover(x, y),
      click: (x, y, keys) => this.click(x, y, keys),
      boxing: (box) => this.showBox(box),
      box: (box, keys) => this.box(box, keys),
      order: (x, y, keys) => this.rightClick(x, y, keys),
      drag: (dx, dy) => this.drag(dx, dy),
      zoom: (n, x, y) => this.stage.eye.zoom(n, this.ndcX(x), this.ndcY(y)),
    });
    this.hud.menuButton.onclick = () => options.menu(this);
    this.listen();
    this.applySettings();
    this.resize();
    this.firstLook();
    this.lastMs = performance.now();
    this.loop();
    this.canvas.focus({ preventScroll: true });
  }

  /** A place at the start of a match: the own base, or the map's middle. */
  private firstLook(): void {
    const { info } = this.options.match.state;
    const start = info.map.starts[info.players[info.slot]?.start ?? -1];
    this.stage.eye.jump(
      start ? start.x + 0.5 : info.map.width / 2,
      start ? start.y + 1.5 : info.map.height / 2,
    );
    let looked = start !== undefined;
    // Where the rules tell no start, the first own thing is it.
    this.offs.push(
      this.options.match.events.on("frame", () => {
        if (looked || info.spectator) return;
        const c = this.selection.center(this.ownHandles());
        if (!c) return;
        looked = true;
        this.stage.eye.jump(c.x, c.z + 1.5);
      }),
    );
  }

  get canvasElement(): HTMLCanvasElement {
    return this.canvas;
  }

  applySettings(): void {
    const s = this.options.settings.value;
    this.bindings = bindingsOf(s.preset, s.own);
    this.stage.colors(s.relations);
    this.stage.effects.reducedMotion = s.reducedMotion;
    this.sound.volume = s.sound;
    document.documentElement.style.setProperty("--hud-scale", String(s.scale));
    document.documentElement.classList.toggle("calm", s.reducedMotion);
  }

  dispose(): void {
    cancelAnimationFrame(this.raf);
    this.abort.abort();
    for (const off of this.offs) off();
    this.pointer.dispose();
    this.selection.dispose();
    this.paths.dispose();
    this.sound.dispose();
    this.stage.dispose();
    this.options.root.replaceChildren();
  }

  /** Gives an order as the HUD does; the answer shows at the cursor when it is a refusal. */
  send(order: Order, at?: { x: number; y: number }): void {
    if (order.units.length === 0 && order.do !== "surrender") return;
    const sent = this.options.match.order(order);
    this.paths.given(sent.seq, order);
    void sent.answer.then((a) => {
      if (a.ok) return;
      const p = at ?? this.pointer.at ?? { x: innerWidth / 2, y: innerHeight / 2 };
      this.hud.wordsAt(p.x, p.y - 14, a.text);
      this.sound.tick();
    });
  }

  private readonly loop = (): void => {
    this.raf = requestAnimationFrame(this.loop);
    const now = performance.now();
    const dt = Math.min(100, now - this.lastMs);
    this.lastMs = now;
    const { match, settings } = this.options;
    if (!match.clock.ready) return;
    this.moveCamera(dt);
    // Without news the world goes on for a second, then stands still.
    const tick = Math.min(match.clock.drawTick(now), match.state.tick + 1000 / match.info.tickMs);
    this.view.hover = this.hoverHandle;
    this.view.bars = this.actionHeld("bars") ? "all" : settings.value.bars;
    this.stage.draw(tick, dt, this.view);
    this.frames++;
    this.fpsFrames++;
    this.minimap.draw(now);
    if (now - this.lastHudMs > HUD_PERIOD_MS) {
      this.lastHudMs = now;
      this.updateHud(now);
    }
  };

  private updateHud(now: number): void {
    const { match } = this.options;
    if (this.pointer.at) this.hover(this.pointer.at.x, this.pointer.at.y);
    this.hud.update();
    this.panel.update();
    this.card.update(this.modeId);
    const silent = now - match.lastFrameMs;
    this.hud.connection(match.status === "resuming" ? 0 : silent > 2500 ? 1 : silent > 1400 ? 2 : 3);
    this.settle(now);
    const { eye } = this.stage;
    match.look({ x: eye.x, y: eye.z }, eye.height * 0.7);
    if (now - this.fpsAt > 1000) {
      this.fps = (this.fpsFrames * 1000) / (now - this.fpsAt);
      this.fpsAt = now;
      this.fpsFrames = 0;
    }
    if (this.hud.figuresShown) this.hud.setFigures(this.figures());
  }

  /** Frames that come too late for three seconds cost sharpness; a calm half minute gives it back. */
  private settle(now: number): void {
    if (now - this.settledAt < 3000 || document.hidden) return;
    const fps = ((this.frames - this.settledFrames) * 1000) / (now - this.settledAt);
    this.settledAt = now;
    this.settledFrames = this.frames;
    if (fps < 24) {
      this.calm = 0;
      this.stage.sharpen(-1);
    } else if (fps > 50 && ++this.calm >= 10) {
      this.calm = 0;
      this.stage.sharpen(1);
    }
  }

  private figures(): string {
    const { match } = this.options;
    const t = this.stage.timings;
    const kinds = Object.entries(match.traffic.byKind)
      .sort((a, b) => b[1] - a[1])
      .map(([k, v]) => `${k} ${v}`)
      .join("  ");
    return [
      `fps ${this.fps.toFixed(0)}   draws ${this.stage.draws}   quality ${this.stage.quality}`,
      `script ms: sample ${t.sample.toFixed(1)}  fog ${t.fog.toFixed(1)}  fill ${t.fill.toFixed(1)}  draw ${t.draw.toFixed(1)}`,
      `tick ${match.state.tick}   things ${match.state.world.count}   ghosts ${match.state.ghosts.size}`,
      `delay ${match.clock.delayMs.toFixed(0)} ms   jitter ${match.clock.jitterMs.toFixed(0)} ms   unanswered ${match.unanswered}`,
      `in ${match.traffic.inPerSecond} B/s, ${match.traffic.inBytes} B   out ${match.traffic.outBytes} B`,
      `by part: ${kinds}`,
      `fog uploads ${this.stage.fog.uploads}   seen ${match.state.mask.visibleCount}   known ${match.state.mask.exploredCount}`,
    ].join("\n");
  }

  private listen(): void {
    const { match } = this.options;
    const o = { signal: this.abort.signal };
    window.addEventListener("resize", () => this.resize(), o);
    window.addEventListener("keydown", (e) => this.keyDown(e), o);
    window.addEventListener("keyup", (e) => this.held.delete(e.code), o);
    window.addEventListener("blur", () => this.held.clear(), o);
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
      match.events.on("status", (s) => this.status(s.now, s.reason, s.retryInMs)),
      match.events.on("end", (r) => {
        this.sound.tones(!r.winners.includes(match.info.team));
        const seconds = Math.floor((match.state.tick * match.info.tickMs) / 1000);
        this.hud.end(r, seconds, this.options.leave, () => undefined);
      }),
      events.on("attacked", (e) => this.attacked(e.x / 1024, e.y / 1024, e.target)),
      events.on("trained", (e) => this.news("trained", `${this.typeTitle(e.what)} is ready`, e)),
      events.on("built", (e) => this.news("built", `${this.typeTitle(e.what)} is finished`, e)),
      events.on("fire", (e) => {
        const p = this.stage.place(e.slot);
        this.heard(p.x, p.z, false);
      }),
      events.on("leave", (e) => {
        if (e.why !== "dead") return;
        const p = this.stage.place(e.slot);
        this.heard(p.x, p.z, true);
      }),
      events.on("chat", (c) => {
        const p = match.info.players[c.slot];
        this.hud.say(p?.name ?? "Someone", this.stage.hexOf(c.slot), c.text, c.all);
      }),
      events.on("ping", (p) => {
        const color = p.kind === "danger" ? DANGER : ACCENT;
        this.minimap.ping(p.x / 1024, p.y / 1024, color);
        const name = match.info.players[p.slot]?.name ?? "An ally";
        this.tell(
          `ping-${p.slot}`,
          `${name} points at the map`,
          p.kind === "danger",
          p.x / 1024,
          p.y / 1024,
          true,
        );
      }),
      events.on("cancelled", (c) => {
        const code = match.info.rules.codes[c.code] ?? "";
        const slot = match.state.world.slot(c.unit);
        if (slot < 0 || !this.selection.handles.has(c.unit)) return;
        const s = { x: 0, y: 0, r: 0 };
        const row = this.rowOf(slot);
        if (row >= 0 && this.stage.toScreen(row, s)) this.hud.wordsAt(s.x, s.y - s.r, wordsFor(code));
      }),
      events.on("player", (p) => {
        const words = {
          away: "lost the connection",
          defeated: "is out of the match",
          left: "left the match",
          playing: "is back",
        };
        // In the first seconds everyone arrives, and in the end everyone goes.
        if (match.state.result) return;
        if (p.state === "playing" && match.state.tick * match.info.tickMs < 10_000) return;
        if (p.slot !== match.info.slot)
          this.hud.alert(`${p.name} ${words[p.state]}`, "info", () => undefined);
      }),
      events.on("reset", () => this.stage.snap()),
    );
  }

  private status(now: string, reason?: string, retryInMs?: number): void {
    if (now === "live" || now === "ended") {
      this.hud.setBanner(null);
      return;
    }
    if (now === "closed") {
      this.hud.setBanner(`${reason ?? "The match was closed."}`);
      this.hud.alert("Back to the lobby", "info", this.options.leave);
      return;
    }
    // A blink of the network is nobody's business: say it after a second.
    setTimeout(() => {
      if (this.options.match.status !== "resuming") return;
      const wait = retryInMs && retryInMs > 900 ? `, trying again in ${Math.round(retryInMs / 1000)} s` : "";
      const held = this.options.match.unanswered;
      const orders = held > 0 ? `. ${held} order${held > 1 ? "s" : ""} will be sent then` : "";
      this.hud.setBanner(`Connection lost${wait}${orders}.`);
    }, 1000);
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
    this.stage.snap();
  }

  private resize(): void {
    this.stage.resize(innerWidth, innerHeight);
  }

  // Mouse over the world.

  private hover(x: number, y: number): void {
    const slot = pickAt(this.stage, this.options.match.state, x, y);
    if (slot >= 0) this.hoverHandle = this.options.match.state.world.ids[slot];
    else {
      const p = this.ground(x, y);
      this.hoverHandle = p ? ghostAt(this.options.match.state, p.x, p.z) : 0;
    }
    this.canvas.style.cursor = this.mode ? "crosshair" : slot >= 0 ? "pointer" : "default";
  }

  private click(
    x: number,
    y: number,
    keys: { shift: boolean; ctrl: boolean; double: boolean; touch: boolean },
  ): void {
    const { state } = this.options.match;
    if (this.mode) {
      const target = this.target(x, y);
      if (target) this.aimAt(target, keys.shift);
      return;
    }
    const slot = pickAt(this.stage, state, x, y, keys.touch ? 10 : 3);
    if (slot < 0) {
      if (keys.touch && this.selection.own().length > 0) this.rightClick(x, y, { shift: false, ctrl: false });
      else if (!keys.shift) this.selection.clear();
      return;
    }
    const id = state.world.ids[slot];
    if ((keys.double || keys.ctrl) && state.relation(slot) === "own") {
      const same = pickBox(this.stage, { x0: 0, y0: 0, x1: innerWidth, y1: innerHeight })
        .filter((s) => state.world.type[s] === state.world.type[slot] && state.relation(s) === "own")
        .map((s) => state.world.ids[s]);
      if (keys.shift) this.selection.add(same);
      else this.selection.set(same);
    } else if (keys.shift) this.selection.toggle(id);
    else this.selection.set([id]);
    this.card.menuOpen = false;
  }

  private showBox(box: Box | null): void {
    this.boxElement.hidden = box === null || this.mode !== null;
    if (!box) return;
    const s = this.boxElement.style;
    s.left = `${box.x0}px`;
    s.top = `${box.y0}px`;
    s.width = `${box.x1 - box.x0}px`;
    s.height = `${box.y1 - box.y0}px`;
  }

  private box(box: Box, keys: { shift: boolean }): void {
    if (this.mode) return;
    const { state } = this.options.match;
    const picked = boxPick(state, pickBox(this.stage, box));
    if (keys.shift) this.selection.add(picked);
    else if (picked.length > 0) this.selection.set(picked);
    else this.selection.clear();
    this.card.menuOpen = false;
  }

  private rightClick(x: number, y: number, keys: { shift: boolean; ctrl: boolean }): void {
    if (this.mode) {
      this.setMode(null);
      return;
    }
    const target = this.target(x, y);
    if (target) this.orderAt(target, keys.shift, keys.ctrl);
  }

  private orderAt(target: Target, queued: boolean, force: boolean): void {
    const units = this.selection.own();
    if (units.length === 0) return;
    const orders = smart(this.options.match.state, units, target, queued, force);
    this.give(orders, target);
  }

  private aimAt(target: Target, queued: boolean): void {
    const mode = this.mode;
    if (!mode) return;
    const { match } = this.options;
    if (mode.kind === "ping") {
      match.ping("look", target.at);
      this.setMode(null);
      return;
    }
    let aim = target;
    if (mode.kind === "build") {
      aim = { at: footprint(match.state, typeOf(match.info.rules, mode.what), target.at).center, handle: 0 };
    }
    const units =
      mode.kind === "ability" || mode.kind === "build" ? this.activeUnits() : this.selection.own();
    this.give(aimed(match.state, mode, units, aim, queued), aim);
    if (!queued) {
      if (mode.kind === "build") this.card.menuOpen = false;
      this.setMode(null);
    }
  }

  private give(orders: readonly Order[], target: Target): void {
    if (orders.length === 0) return;
    for (const o of orders) this.send(o);
    this.stage.effects.orderRing(target.at.x / 1024, target.at.y / 1024, isHostile(orders));
    this.sound.tick();
  }

  private target(x: number, y: number): Target | null {
    const { state } = this.options.match;
    const slot = pickAt(this.stage, state, x, y);
    if (slot >= 0) {
      return { at: { x: state.world.posX(slot), y: state.world.posY(slot) }, handle: state.world.ids[slot] };
    }
    const p = this.ground(x, y);
    if (!p) return null;
    const ghost = ghostAt(state, p.x, p.z);
    const g = ghost ? state.ghosts.get(ghost) : undefined;
    if (g) return { at: { x: g.x, y: g.y }, handle: ghost, ghost: true };
    return { at: wu(p.x, p.z), handle: 0 };
  }

  private ground(x: number, y: number): { x: number; z: number } | null {
    const out = { x: 0, z: 0 };
    return this.stage.eye.groundAt(this.ndcX(x), this.ndcY(y), out) ? out : null;
  }

  private drag(dx: number, dy: number): void {
    const k = 1 / this.stage.pxPerTile(this.stage.eye.height);
    this.stage.eye.pan(-dx * k, -dy * k * 1.3);
  }

  // Keys.

  private keyDown(e: KeyboardEvent): void {
    const el = e.target as HTMLElement | null;
    if (el && (el.tagName === "INPUT" || el.tagName === "TEXTAREA" || el.tagName === "SELECT")) return;
    if (document.querySelector("dialog[open]")) return;
    if (e.code.startsWith("Digit") && this.groupKey(e, Number(e.code.slice(5)))) return;
    if (/^F[1-4]$/.test(e.code)) {
      this.viewKey(e, Number(e.code.slice(1)) - 1);
      return;
    }
    if ((e.ctrlKey || e.metaKey) && e.code !== "ControlLeft") return;
    const action = actionOf(this.bindings, e.code);
    const pans = action?.startsWith("pan");
    if (!pans && !e.repeat) {
      const command = this.card.byCode(e.code);
      if (command) {
        e.preventDefault();
        this.runCommand(command, e.shiftKey);
        return;
      }
    }
    if (!action) return;
    this.held.add(e.code);
    e.preventDefault();
    if (!pans && !e.repeat) this.act(action, e.shiftKey);
  }

  private act(action: Action, shift: boolean): void {
    const { match } = this.options;
    switch (action) {
      case "cancel":
        if (this.mode) this.setMode(null);
        else if (this.card.menuOpen) this.card.menuOpen = false;
        else this.selection.clear();
        return;
      case "subgroup":
        this.selection.cycle(shift ? -1 : 1);
        return;
      case "lastAlert": {
        const a = this.alerts.walk();
        if (a) this.stage.eye.go(a.x, a.z);
        return;
      }
      case "toSelection":
        this.goTo(this.selection.handles);
        return;
      case "nextBase": {
        const bases = this.ownHandles((t) => t.class === "structure" && t.trains.length > 0);
        if (bases.length > 0) this.goTo([bases[this.nextBase++ % bases.length]]);
        return;
      }
      case "army":
        this.selection.set(this.ownHandles((t) => t.class === "unit" && !t.worker && t.weapons.length > 0));
        return;
      case "idleWorker": {
        const idle = this.ownHandles((t) => t.worker).filter((u) => {
          const doing = match.state.own.units.get(u)?.doing ?? OrderKind.UNSPECIFIED;
          return doing === OrderKind.UNSPECIFIED || doing === OrderKind.STOP;
        });
        if (idle.length === 0) return;
        const next = idle[this.idleAt++ % idle.length];
        this.selection.set([next]);
        this.goTo([next]);
        return;
      }
      case "pingMode":
        this.setMode({ kind: "ping" }, "ping");
        return;
      case "chat":
        this.hud.openChat(shift, (line) => match.say(line, shift));
        return;
      case "menu":
        this.options.menu(this);
        return;
      case "debug":
        this.hud.setFigures(this.hud.figuresShown ? null : "");
        return;
    }
  }

  private groupKey(e: KeyboardEvent, n: number): boolean {
    e.preventDefault();
    const now = performance.now();
    if (e.ctrlKey || e.altKey || e.metaKey) {
      this.selection.assign(n);
      return true;
    }
    if (e.shiftKey) {
      this.selection.join(n);
      return true;
    }
    if (this.lastGroup.n === n && now - this.lastGroup.ms < GROUP_TWICE_MS)
      this.goTo(this.selection.groups[n]);
    else this.recall(n);
    this.lastGroup = { n, ms: now };
    return true;
  }

  private recall(n: number): void {
    if (this.selection.recall(n)) this.card.menuOpen = false;
  }

  private viewKey(e: KeyboardEvent, n: number): void {
    e.preventDefault();
    const { eye } = this.stage;
    if (e.ctrlKey) {
      this.savedViews[n] = { x: eye.x, z: eye.z, distance: eye.distance };
      return;
    }
    const v = this.savedViews[n];
    if (!v) return;
    eye.distance = v.distance;
    eye.go(v.x, v.z);
  }

  private runCommand(c: Command, shift: boolean): void {
    if (c.why) {
      const p = this.pointer.at ?? { x: innerWidth / 2, y: innerHeight / 2 };
      this.hud.wordsAt(p.x, p.y - 14, c.why);
      return;
    }
    const units = this.activeUnits();
    switch (c.effect.kind) {
      case "mode":
        this.setMode(c.effect.mode, c.id);
        return;
      case "menu":
        this.card.menuOpen = c.effect.open;
        return;
      case "now":
        this.send({ do: c.effect.do, units: this.selection.own() });
        return;
      case "ability":
        this.send({ do: c.effect.on ? "ability" : "stopAbility", units, what: c.effect.what });
        return;
      case "train":
        for (let k = 0; k < (shift ? 5 : 1); k++) {
          this.send({ do: "train", units: [this.shortestQueue(units)], what: c.effect.what });
        }
        return;
      case "unqueue": {
        const busy = units.find(
          (u) => (this.options.match.state.own.production.get(u)?.types.length ?? 0) > 0,
        );
        const n = busy ? (this.options.match.state.own.production.get(busy)?.types.length ?? 0) : 0;
        if (busy) this.send({ do: "cancel", units: [busy], what: n - 1 });
        return;
      }
    }
  }

  private shortestQueue(units: readonly Handle[]): Handle {
    const { production } = this.options.match.state.own;
    let best = units[0];
    for (const u of units) {
      if ((production.get(u)?.types.length ?? 0) < (production.get(best)?.types.length ?? 0)) best = u;
    }
    return best;
  }

  private setMode(mode: Mode | null, id = ""): void {
    this.mode = mode;
    this.modeId = mode ? id : "";
    const words: Record<Mode["kind"], string> = {
      attackMove: "Click where to attack, or whom",
      move: "Click where to go",
      patrol: "Click where to patrol to",
      follow: "Click whom to follow",
      harvest: "Click what to harvest",
      rally: "Click where new units go",
      ping: "Click where to point",
      ability: "Click where to use it",
      build: "Click where to build",
    };
    this.hud.setMode(mode ? `${words[mode.kind]}  (Esc to leave, Shift to go on)` : null);
    this.card.update(this.modeId);
  }

  // Camera.

  private moveCamera(dt: number): void {
    const s = this.options.settings.value;
    let dx = 0;
    let dz = 0;
    if (this.actionHeld("panLeft")) dx--;
    if (this.actionHeld("panRight")) dx++;
    if (this.actionHeld("panUp")) dz--;
    if (this.actionHeld("panDown")) dz++;
    const p = this.pointer.at;
    const held = document.fullscreenElement !== null || document.pointerLockElement !== null;
    const edges = s.edgeScroll === "always" || (s.edgeScroll === "fullscreen" && held);
    if (edges && p) {
      if (p.x < EDGE_PX) dx--;
      if (p.x > innerWidth - EDGE_PX) dx++;
      if (p.y < EDGE_PX) dz--;
      if (p.y > innerHeight - EDGE_PX) dz++;
    }
    if (dx === 0 && dz === 0) return;
    const step = (s.panSpeed * (this.stage.eye.height / 26) * dt) / 1000 / Math.hypot(dx, dz);
    this.stage.eye.pan(dx * step, dz * step);
  }

  private actionHeld(action: Action): boolean {
    for (const code of this.bindings[action]) if (this.held.has(code)) return true;
    return false;
  }

  private goTo(handles: Iterable<Handle>): void {
    const c = this.selection.center(handles);
    if (c) this.stage.eye.go(c.x, c.z);
  }

  // What lies on the ground beside the units.

  private extra(marks: GroundMarks, signs: Signs, ground: Ground): void {
    this.paths.draw(signs, marks, ground, this.stage);
    const mode = this.mode;
    if (mode?.kind !== "build" || !this.pointer.at) return;
    const p = this.ground(this.pointer.at.x, this.pointer.at.y);
    if (!p) return;
    const { match } = this.options;
    const f = footprint(match.state, typeOf(match.info.rules, mode.what), wu(p.x, p.z));
    for (const t of f.tiles) {
      const x = t.x + 0.5;
      const z = t.y + 0.5;
      marks.push(MARK.square, x, ground.floor(x, z) + 0.05, z, 0.45, 0.07, t.ok ? OK_INK : BAD_INK, 0.6);
    }
    const cx = f.center.x / 1024;
    const cz = f.center.y / 1024;
    marks.push(
      MARK.dashed,
      cx,
      ground.floor(cx, cz) + 0.05,
      cz,
      f.tiles.length ** 0.5 * 0.75,
      0.06,
      f.ok ? WHITE : ACCENT_INK,
      0.7,
    );
  }

  // News.

  private attacked(x: number, z: number, target: Handle): void {
    const { state } = this.options.match;
    const slot = state.world.slot(target);
    const structure = slot >= 0 && typeOf(state.info.rules, state.world.type[slot]).class === "structure";
    const allied = slot >= 0 && state.relation(slot) === "ally";
    const whose = allied ? "Your ally's" : "Your";
    this.tell(
      "attacked",
      structure ? `${whose} base is under attack` : `${whose} units are under attack`,
      true,
      x,
      z,
    );
  }

  /** Of one's own only: what others finish is seen, and not announced. */
  private news(kind: string, sentence: string, e: Caught): void {
    const { state } = this.options.match;
    const slot = state.world.slot(e.target || e.source);
    if (slot < 0 || state.relation(slot) !== "own") return;
    this.tell(kind, sentence, false, e.x / 1024, e.y / 1024);
  }

  private tell(kind: string, sentence: string, danger: boolean, x: number, z: number, always = false): void {
    const onScreen = !always && this.onScreen(x, z);
    const a = this.alerts.offer(kind, sentence, danger, x, z, performance.now(), onScreen);
    if (!a) return;
    this.hud.alert(sentence, danger ? "danger" : "info", () => this.stage.eye.go(x, z));
    if (danger) this.minimap.ping(x, z, DANGER);
    this.sound.tones(danger);
  }

  private heard(x: number, z: number, big: boolean): void {
    const { eye } = this.stage;
    const reach = eye.height * 0.9;
    const far = Math.hypot(x - eye.focusX, z - eye.focusZ) / reach;
    if (far < 1) this.sound.burst((x - eye.focusX) / (reach * 0.6), far, big);
  }

  private onScreen(x: number, z: number): boolean {
    const { eye } = this.stage;
    return Math.abs(x - eye.focusX) < eye.height * 0.5 && Math.abs(z - eye.focusZ) < eye.height * 0.36;
  }

  private typeTitle(id: number): string {
    return typeOf(this.options.match.info.rules, id).title;
  }

  private activeUnits(): Handle[] {
    return this.selection.active()?.handles ?? [];
  }

  private ownHandles(filter?: (t: ReturnType<typeof typeOf>) => boolean): Handle[] {
    const { state } = this.options.match;
    const out: Handle[] = [];
    for (let s = 0; s < state.world.high; s++) {
      if (state.world.ids[s] === 0 || state.relation(s) !== "own") continue;
      if (!filter || filter(typeOf(state.info.rules, state.world.type[s]))) out.push(state.world.ids[s]);
    }
    return out;
  }

  private rowOf(slot: number): number {
    for (let row = 0; row < this.stage.drawn; row++) if (this.stage.poses.slot[row] === slot) return row;
    return -1;
  }

  private ndcX(x: number): number {
    return (x / Math.max(1, innerWidth)) * 2 - 1;
  }
  private ndcY(y: number): number {
    return 1 - (y / Math.max(1, innerHeight)) * 2;
  }
}

function wu(x: number, z: number): { x: number; y: number } {
  return { x: Math.round(x * 1024), y: Math.round(z * 1024) };
}
