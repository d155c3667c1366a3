// One match on the page without a server: the game as players have it, over a
// state that a scene puts together. Time goes by the scene's own frames, so the
// same scene gives the same picture on each machine.
//
//	scene ──► state, events ──► Game ──► canvas, minimap, panels ──► Picture, outline

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  CLIFF,
  connect,
  FLAG,
  type GameMap,
  type Handle,
  type Match,
  MatchState,
  WATER,
} from "@fogkeep/client";
import { ServerFrameSchema, type TypeInfoSchema, type WelcomeSchema } from "@fogkeep/client/wire";
import { options } from "preact";
import { DataTexture } from "three";
import vectors from "../../proto/testdata/vectors/battle.json";
import { encodeMap } from "../sdk/src/state/map";
import { Game } from "../src/game/game";
import { type Settings, SettingsStore } from "../src/game/settings";
import type { Mode } from "../src/input/intent";
import type { Quality } from "../src/render/quality";
import { outline, Picture } from "./picture";

export const WU = 1024;
const FRAME_MS = 16;
/** Of a longer time each frame takes longer; not so long that the game draws more coarsely. */
const LONG_MS = 1000;
const LONG_FRAME_MS = 40;
const HEARD_FRAMES = 100;
/** The tick at which a scene begins. */
const TICK = 1000;
/** Page time at which each scene begins. */
const BEGIN_MS = 100_000;
/** The map's sides, in tiles. */
export const MAP_WIDTH = 48;
export const MAP_HEIGHT = 36;

/** The page's time while a stage is looked at: frames and timers come only as its scene lets time pass. */
class Time {
  now = BEGIN_MS;
  frames: FrameRequestCallback[] = [];
  readonly timers = new Map<number, { at: number; every: number; run: () => void }>();

  set(run: unknown, ms = 0, every = 0): number {
    this.timers.set(++numbers, { at: this.now + ms, every, run: run as () => void });
    return numbers;
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [n, due] = [...this.timers].reduce((a, b) => (b[1].at < a[1].at ? b : a), [0, NEVER]);
      if (due.at > until) break;
      this.now = Math.max(this.now, due.at);
      if (due.every > 0) due.at = this.now + due.every;
      else this.timers.delete(n);
      due.run();
    }
    this.now = until;
  }

  /** Calls what asked for the next frame. */
  frame(): void {
    const asked = this.frames;
    this.frames = [];
    for (const f of asked) f(this.now);
  }

  /** Goes on later; timers wait as long as before. */
  jump(at: number): void {
    const shift = at - this.now;
    if (shift < 0) throw new Error("scenes go forward in time");
    this.now = at;
    for (const t of this.timers.values()) t.at += shift;
  }
}
const NEVER = { at: Number.POSITIVE_INFINITY, every: 0, run: () => {} };
let numbers = 0;
/** Of the stage that is looked at. */
let time = new Time();
/** The time that really passes, for measuring. */
export const realNow = performance.now.bind(performance);
performance.now = () => time.now;
Date.now = () => 1_700_000_000_000 + time.now;
Math.random = () => 0.5;
// A pointer that a scene made has no device to capture.
Element.prototype.setPointerCapture = () => {};
// Panels show their values at once.
options.debounceRendering = (draw) => draw();
Object.assign(window, {
  requestAnimationFrame: (f: FrameRequestCallback) => time.frames.push(f),
  cancelAnimationFrame: () => {
    time.frames = [];
  },
  setTimeout: (run: () => void, ms?: number) => time.set(run, ms),
  setInterval: (run: () => void, ms = 1) => time.set(run, ms, ms),
  clearTimeout: (n: number) => time.timers.delete(n),
  clearInterval: (n: number) => time.timers.delete(n),
});

/** A plain with a plateau, a pond, a wood, and each kind of ground in a strip at the lower edge. */
function makeMap(): GameMap {
  const n = MAP_WIDTH * MAP_HEIGHT;
  const terrain = new Uint8Array(n);
  const levels = new Uint8Array(n);
  const pass = new Uint8Array(n).fill(11);
  const fill = (
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    f: (t: number, x: number, y: number) => void,
  ) => {
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) f(y * MAP_WIDTH + x, x, y);
  };
  fill(34, 4, 44, 12, (t, x, y) => {
    levels[t] = 2;
    if (x === 34 || x === 43 || y === 4 || y === 11) {
      terrain[t] = CLIFF;
      pass[t] = 8;
    }
  });
  fill(36, 16, 44, 22, (t) => {
    terrain[t] = WATER;
    pass[t] = 14;
  });
  fill(2, 24, 8, 30, (t) => {
    pass[t] = 8;
  });
  for (let kind = 0; kind < 7; kind++) fill(4 + 5 * kind, 31, 9 + 5 * kind, 35, (t) => (terrain[t] = kind));
  return {
    name: "Stage",
    width: MAP_WIDTH,
    height: MAP_HEIGHT,
    occlusion: 0,
    levels,
    terrain,
    pass,
    starts: [],
    resources: [],
    // Across the pond, in matches whose rules have them.
    features: [
      { x: 36, y: 17, type: "bridge", link: 0 },
      { x: 40, y: 17, type: "drawbridge", link: 0 },
    ],
  };
}

/** The server's messages to a player of the shipped rules, as the protocol's vectors have it. */
export const { $typeName: _, ...WELCOME } = fromBinary(
  ServerFrameSchema,
  Uint8Array.from(atob(vectors.streams[0].messages[1].server ?? ""), (c) => c.charCodeAt(0)),
).welcome!;

/** The server's end of the socket. */
class Wire {
  binaryType = "";
  readyState = 1;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  send(): void {}
  close(): void {}
  tell(f: MessageInitShape<typeof ServerFrameSchema>): void {
    const bytes = toBinary(ServerFrameSchema, create(ServerFrameSchema, f));
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  }
  drop(): void {
    this.readyState = 3;
    this.onclose?.({ code: 1006, reason: "" });
  }
}

/** Pixels of the field for one of the page: few, since it is drawn without a graphics card. */
const FIELD_RATIO = 0.5;
let devicePixels = FIELD_RATIO;
Object.defineProperty(window, "devicePixelRatio", { get: () => devicePixels });

const PLAIN: Partial<Settings> = {
  coach: false,
  volumes: { master: 0, effects: 0, interface: 0, units: 0, alerts: 0, music: 0 },
  bars: "hurt",
  relations: false,
  reducedMotion: false,
  damage: false,
};

export interface StageOptions {
  quality?: Quality;
  /** Fields of the welcome that differ. */
  welcome?: MessageInitShape<typeof WelcomeSchema>;
  /** Types beside those of the shipped rules. */
  types?: MessageInitShape<typeof TypeInfoSchema>[];
}

export class Stage {
  readonly root = document.createElement("div");
  readonly wire = new Wire();
  private readonly time = new Time();
  private settings!: SettingsStore;
  match!: Match;
  game!: Game;
  /** The orders, pings, lines and requests of the scene's player, in order. */
  readonly sent: string[] = [];
  private next = 1;

  static async open({ quality = "low", welcome, types = [] }: StageOptions): Promise<Stage> {
    const stage = new Stage();
    time = stage.time;
    stage.root.id = "app";
    document.body.replaceChildren(stage.root);
    localStorage["fogkeep.settings"] = JSON.stringify({ ...PLAIN, quality });
    const joined = connect({
      url: "ws://stage/ws",
      ticket: "0",
      socket: () => stage.wire,
      fetchMap: async () => encodeMap(makeMap()),
    });
    stage.wire.onopen?.(undefined as never);
    const players = [0, 1, 0, 1].map((team, k) => ({
      name: ["Ada", "Bo", "Cy", "Di"][k],
      team,
      color: k,
      start: k,
    }));
    stage.wire.tell({
      welcome: {
        ...WELCOME,
        tickRate: 20,
        slot: 0,
        team: 0,
        players,
        mode: "skirmish",
        types: [...WELCOME.types, ...types],
        ...welcome,
      },
    });
    const match = await joined;
    stage.match = match;
    stage.wire.tell({ tick: TICK });
    time.pass(1); // what came while the map was read is applied
    // The frame that is drawn is of the tick that the state is at.
    Object.defineProperty(match, "drawTick", { get: () => match.state.world.tick });
    for (const act of ["order", "ping", "say", "setSpeed"] as const) {
      const call = match[act].bind(match) as (...args: unknown[]) => never;
      match[act] = (...args: unknown[]) => {
        stage.sent.push(`${act} ${JSON.stringify(args)}`);
        return call(...args);
      };
    }
    stage.settings = new SettingsStore();
    stage.game = new Game({
      match,
      root: stage.root,
      settings: stage.settings,
      menu: () => {},
      leave: () => {},
      eyes: () => {},
      look: { x: 20, z: 16, distance: 12 },
    });
    await import("../src/render/flights"); // the game has asked for it before
    return stage;
  }

  close(): void {
    const { webgl } = this.game.renderer;
    this.game.dispose();
    webgl.forceContextLoss();
    this.root.remove();
  }

  /** Clears the scene before, and begins the next at a time of its own. */
  reset(atMs: number, settings: Partial<Settings> = {}, fine = false): void {
    const { game, wire } = this;
    time = this.time;
    if (!this.root.isConnected) document.body.replaceChildren(this.root);
    // Temporary texts of panels go. The connection hears the server meanwhile.
    for (let k = 0; k < 40; k++) {
      wire.tell({ span: 1 });
      time.pass(1000);
    }
    this.settings.change({ ...PLAIN, ...settings });
    time.jump(atMs);
    wire.tell({ tick: TICK });
    time.pass(1);
    game.selection.set([]);
    for (const g of game.selection.groups) g.clear();
    for (const line of this.root.querySelectorAll(".chat-line")) line.remove();
    this.renderer.canvas.focus(); // the entry of chat closes
    this.state.own.resources = [400, 100];
    this.state.own.population = 0;
    this.state.own.populationMax = 20;
    this.state.mask.forget();
    game.renderer.effects["seed"] = 0;
    const { gait } = Object(game.renderer.entities) as { gait: Record<string, Float32Array> };
    for (const column of Object.values(gait)) column.fill(0);
    const controls = game["controls"];
    const { camera } = controls;
    controls["paths"]["pending"].clear();
    camera.views.value = camera.views.value.map(() => null);
    game["loop"].resume();
    this.renderer.resolution = 1;
    devicePixels = fine ? 1 : FIELD_RATIO;
    this.renderer.resize(innerWidth, innerHeight);
    this.next = 1;
    this.sent.length = 0;
    game["controls"].card.menuOpen = false;
    this.mode(null);
    this.point(-1, -1);
  }

  get state() {
    return this.match.state;
  }
  get renderer() {
    return this.game.renderer;
  }
  get now(): number {
    return time.now;
  }

  typeId(name: string): number {
    return this.state.info.rules.types.findIndex((t) => t.name === name);
  }

  /** Puts an entity on the map, at tiles. `facing` is in 256ths of a turn. Returns its handle. */
  put(name: string, owner: number, x: number, z: number, facing = 0): Handle {
    const handle = this.next++;
    const row = { handle, type: this.typeId(name), owner, x: x * WU, y: z * WU, vx: 0, vy: 0, facing };
    const slot = this.state.world.enter(row, time.now - 1000);
    this.state.events.emit("enter", { slot });
    return handle;
  }

  slot(handle: Handle): number {
    return this.state.world.slot(handle);
  }

  /** It goes out of sight, or is destroyed. */
  leave(handle: Handle, why: "fog" | "dead"): void {
    const slot = this.slot(handle);
    this.state.world.leave(handle);
    this.state.events.emit("leave", { id: handle, slot, why });
  }

  /** Lets it walk, in tiles a second. */
  walk(handle: Handle, vx: number, vz: number): void {
    const { world } = this.state;
    const s = this.slot(handle);
    const wu = (WU * 64) / 20;
    world.motion(s, world.posX(s), world.posY(s), vx * wu, vz * wu, 0);
  }

  /** A structure as it was last seen. */
  ghost(name: string, owner: number, x: number, z: number, tick = 900, amount = 0): Handle {
    const id = 5000 + this.next++;
    const ghost = {
      id,
      type: this.typeId(name),
      owner,
      x: x * WU,
      y: z * WU,
      facing: 0,
      hp: 100,
      amount,
      tick,
    };
    this.state.ghosts.set(id, ghost);
    return id;
  }

  /** Marks an entity as being built, so far (0 to 1). */
  building(handle: Handle, share: number): void {
    const s = this.slot(handle);
    this.state.world.flags[s] |= FLAG.building;
    this.state.world.amount[s] = Math.round(share * 255);
  }

  /** Shows a unit at repairs. */
  mends(handle: Handle): void {
    this.state.world.flags[this.slot(handle)] |= FLAG.repairing;
  }

  /** Opens a gate, raises a bridge, fills a pickup, turns a switch on. */
  change(handle: Handle): void {
    this.state.world.amount[this.slot(handle)] = 1;
  }

  /** Leaves an entity this share of its health. */
  hurt(handle: Handle, share: number): void {
    const { world } = this.state;
    const s = this.slot(handle);
    world.health[s] = Math.round(world.hpMax[s] * (1 - share));
  }

  /** Makes a circle of the ground visible, or only explored, at once. */
  light(x: number, z: number, r: number, how: "visible" | "explored" = "visible"): void {
    const { mask } = this.state;
    for (let j = 0; j < mask.height; j++)
      for (let i = 0; i < mask.width; i++) {
        if ((i + 0.5 - x) ** 2 + (j + 0.5 - z) ** 2 > r * r) continue;
        if (how === "visible") mask.setVisible(j * mask.width + i, true);
        else mask.setExplored(j * mask.width + i, true);
      }
    this.renderer.snap();
  }

  /** The server's state of the player's own unit or structure. */
  own(handle: Handle) {
    return this.state.own["unit"](handle);
  }
  queue(handle: Handle) {
    return this.state.own["queue"](handle);
  }

  /** A shot of an entity's first weapon at a target, or at the nearest enemy. */
  shoot(handle: Handle, target: Handle = 0): void {
    const { world, info, events } = this.state;
    const slot = this.slot(handle);
    world.shotMs[slot] = time.now;
    const weapon = info.rules.types[world.type[slot]].weapons[0];
    events.emit("shot", { slot, id: handle, index: 0, weapon, target, x: Number.NaN, y: Number.NaN });
  }

  /** Something that happened at a place. */
  happen(
    kind: "hit" | "blast" | "built" | "trained" | "attacked" | "ability" | "heard",
    x: number,
    z: number,
    more = {},
  ): void {
    this.state.events.emit(kind, { x: x * WU, y: z * WU, what: 0, source: 0, target: 0, ...more });
  }

  /** An ability or an effect of the rules, by its name, begins or ends on an entity. */
  turn(handle: Handle, name: string, on: boolean, source: Handle = 0): void {
    const { events, info } = this.state;
    const slot = this.slot(handle);
    const ability = info.rules.abilities.findIndex((a) => a.name === name);
    const { kind } = info.rules.abilities[ability] ?? {};
    if (kind) events.emit(on ? "abilityStart" : "abilityStop", { id: handle, slot, ability, kind });
    else {
      const effect = info.rules.effects.findIndex((e) => e.name === name);
      events.emit(on ? "effectStart" : "effectStop", { id: handle, slot, effect, source });
    }
  }

  /** Where the camera looks, and from how far; at once. */
  look(x: number, z: number, distance: number): void {
    this.renderer.camera.distance = distance;
    this.renderer.camera.jump(x, z);
  }

  picture(of: HTMLCanvasElement = this.renderer.canvas): Picture {
    return new Picture(this, of);
  }

  /** The present text of a part of the page. */
  text(selector: string): string {
    const el = this.root.querySelector(selector);
    return el ? outline(el) : "";
  }

  hidden(selector: string): boolean {
    const el = this.root.querySelector<HTMLElement>(selector);
    return el?.hidden !== false;
  }

  cloak(handle: Handle, on = true): void {
    const { flags } = this.state.world;
    if (on) flags[this.slot(handle)] |= FLAG.cloaked;
    else flags[this.slot(handle)] &= ~FLAG.cloaked;
  }

  weapon(name: string): number {
    return this.state.info.rules.weapons.findIndex((w) => w.name === name);
  }

  ability(name: string): number {
    return this.state.info.rules.abilities.findIndex((a) => a.name === name);
  }

  /** A command waits for a click. */
  mode(mode: Mode | null): void {
    this.game["controls"].targeting.set(mode, mode?.kind ?? "");
  }

  /** Shows the tooltip of a button. */
  hover(selector: string): void {
    const button = this.root.querySelector(selector);
    button?.dispatchEvent(new PointerEvent("pointerenter", { pointerType: "mouse" }));
  }

  /** Shows a second state on the field and the minimap, with ground that is tinted where it sees. */
  beside(x: number, z: number): void {
    const state = new MatchState(this.state.info);
    const row = { handle: 1, type: this.typeId("soldier"), owner: 1, x: x * WU, y: z * WU };
    state.world.tick = TICK;
    state.world.enter({ ...row, vx: 0, vy: 0, facing: 0 }, time.now - 1000);
    const { mask } = this.state;
    const bytes = new Uint8Array(mask.width * mask.height * 4);
    const canvas = document.createElement("canvas");
    canvas.width = mask.width;
    canvas.height = mask.height;
    const ctx = canvas.getContext("2d")!;
    ctx.fillStyle = "rgba(40,90,255,.6)";
    ctx.fillRect(0, 0, Math.floor(x), mask.height);
    for (let t = 0; t < mask.width * mask.height; t++)
      if (t % mask.width < x) bytes.set([40, 90, 255, 160], 4 * t);
    const tint = new DataTexture(bytes, mask.width, mask.height);
    tint.needsUpdate = true;
    this.renderer.showBeside({ state, mask, tint, only: () => true });
    const { minimap } = this.game["panels"];
    minimap.tint = canvas;
    minimap.also = (list) => list(x, z, this.state.info.rules.types[row.type], 1);
  }

  alone(): void {
    this.renderer.showBeside(null);
    const { minimap } = this.game["panels"];
    minimap.tint = minimap.also = null;
  }

  key(code: string, more: KeyboardEventInit = {}): void {
    this.renderer.canvas.dispatchEvent(
      new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true, ...more }),
    );
    this.renderer.canvas.dispatchEvent(
      new KeyboardEvent("keyup", { code, bubbles: true, cancelable: true, ...more }),
    );
  }

  /** Moves the mouse to a place of the ground, in tiles. */
  point(x: number, z: number): void {
    const at = { x: 0, y: 0 };
    this.renderer.groundToPage(x, z, at);
    this.renderer.canvas.dispatchEvent(
      new PointerEvent("pointermove", { clientX: at.x, clientY: at.y, pointerType: "mouse", bubbles: true }),
    );
  }

  /** Where a place of the ground is on the page. */
  pageOf(x: number, z: number): { x: number; y: number } {
    const at = { x: 0, y: 0 };
    this.renderer.groundToPage(x, z, at);
    return at;
  }

  /** The pointer goes down, over some points of the page, and up. */
  drag(on: Element, points: readonly { x: number; y: number }[], more: PointerEventInit = {}): void {
    const fire = (kind: string, { x, y }: { x: number; y: number }) => {
      const o = {
        clientX: x,
        clientY: y,
        pointerId: 1,
        pointerType: "mouse",
        bubbles: true,
        cancelable: true,
        ...more,
      };
      on.dispatchEvent(new PointerEvent(kind, o));
    };
    fire("pointerdown", points[0]);
    for (const p of points.slice(1)) fire("pointermove", p);
    fire("pointerup", points[points.length - 1]);
  }

  /** A click on the ground or an entity there. */
  click(x: number, z: number, more: PointerEventInit = {}): void {
    this.drag(this.renderer.canvas, [this.pageOf(x, z)], more);
  }

  /** A click on a button of the page. */
  press(selector: string, more: MouseEventInit = {}, kind = "click"): void {
    const button = this.root.querySelector(selector);
    if (!button) throw new Error(`no ${selector}`);
    button.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, ...more }));
  }

  /** The handles that are selected. */
  get selected(): string {
    return [...this.game.selection.handles].sort((a, b) => a - b).join(" ");
  }

  /** Lets time pass, frame by frame, and draws the last. */
  run(ms: number): void {
    const { webgl } = this.renderer;
    const render = webgl.render;
    const frames = Math.max(1, Math.round(ms / (ms > LONG_MS ? LONG_FRAME_MS : FRAME_MS)));
    for (let k = 0; k < frames; k++) {
      webgl.render = k === frames - 1 ? render : () => {};
      // The server says something now and then: silence would count as a loss.
      if ((k + 1) % HEARD_FRAMES === 0) this.wire.tell({ span: 1 });
      time.pass(ms / frames);
      time.frame();
    }
    webgl.render = render;
  }
}
