// The page's field without a page and a GPU: the frame loop, the order sender, the
// lines, the entities and the effects of the game, sixty frames a second. What a
// frame would give to the graphics card can be asked.

import { type Handle, type Match, type Order, type Pos, type Sent, typeOf } from "@fogkeep/client";
import type { GameContext } from "../src/game/context";
import type { Controls } from "../src/game/controls";
import { FrameLoop } from "../src/game/frameloop";
import { OrderSender } from "../src/game/orders";
import type { Panels } from "../src/game/panels";
import { PathLines } from "../src/game/paths";
import { commandsFor } from "../src/input/commands";
import { PRESETS } from "../src/input/hotkeys";
import { Selection } from "../src/input/selection";
import type { Effects } from "../src/render/effects";
import type { EntityLayer } from "../src/render/entities";
import type { HeightField } from "../src/render/heightfield";
import { type DrawOptions, Layers } from "../src/render/layers";
import { QUALITY } from "../src/render/quality";
import type { Renderer } from "../src/render/renderer";
import type { Billboards, Decals } from "../src/render/sprites";

const FRAME_MS = 1000 / 60;
/** Pixels a tile is wide. */
const TILE_PX = 40;

/** Gives scripts what the frame loop asks of a browser. */
export function asBrowser(): void {
  Object.assign(globalThis, {
    // As a screen does it: at even times, and a frame that comes late takes the next of them.
    requestAnimationFrame: (frame: (ms: number) => void) => {
      const left = FRAME_MS - (performance.now() % FRAME_MS);
      return setTimeout(() => frame(performance.now()), left > FRAME_MS / 4 ? left : left + FRAME_MS);
    },
    cancelAnimationFrame: (id: NodeJS.Timeout) => clearTimeout(id),
    document: { hidden: false },
  });
}

/** A line of the last frame: from where to where. */
export interface Line {
  readonly x: number;
  readonly z: number;
  readonly toX: number;
  readonly toZ: number;
}

export class Field {
  readonly entities: EntityLayer;
  readonly effects: Effects;
  readonly selection: Selection;
  /** The tick that was drawn last. */
  tick = 0;
  /** Time of the last frame, and how long after the one before. */
  nowMs = 0;
  dtMs = 0;
  /** The lines of the last frame. */
  readonly lines: Line[] = [];
  /** How often the panels were updated. */
  updates = 0;
  private readonly layers: Layers;
  private readonly loop: FrameLoop;
  private readonly orders: OrderSender;

  constructor(
    readonly match: Match,
    /** Called with each drawn frame. */
    private readonly drawn: () => void,
  ) {
    const { state } = match;
    const now = () => performance.now();
    this.layers = new Layers(state, QUALITY.low, now);
    this.entities = this.layers.entities;
    this.effects = this.layers.effects;
    this.watch(this.layers.billboards);
    this.selection = new Selection(state);
    const renderer = {
      entities: this.entities,
      effects: this.effects,
      changeResolution: () => {},
      draw: (tick: number, dtMs: number, options: DrawOptions) => {
        this.lines.length = 0;
        const at = now();
        this.dtMs = at - this.nowMs;
        this.nowMs = at;
        this.tick = tick;
        this.entities.sample(tick, dtMs);
        this.layers.fill(at, dtMs, options, TILE_PX, 1);
      },
    } as unknown as Renderer;
    const context = {
      match,
      renderer,
      selection: this.selection,
      settings: { value: { bars: "selected" } },
      hud: { wordsAt: () => {} },
      sound: { tick: () => {}, answer: () => {}, alert: () => {} },
    } as unknown as GameContext;
    const paths = new PathLines(match, this.selection);
    this.orders = new OrderSender(context, paths, () => ({ x: 0, y: 0 }));
    const controls = {
      draw: (d: Decals, b: Billboards, g: HeightField) => paths.draw(b, d, g, renderer),
      moveCamera: () => {},
      mouse: { hoverHandle: 0 },
      keyboard: { isHeld: () => false },
    } as unknown as Controls;
    const panels = {
      fps: 0,
      point: () => {},
      minimap: { draw: () => {} },
      update: () => this.updates++,
    } as unknown as Panels;
    this.loop = new FrameLoop(
      context,
      controls,
      panels,
      () => {},
      () => {},
    );
    const step = this.loop as unknown as { drawField(nowMs: number, dtMs: number): void };
    const draw = step.drawField.bind(this.loop);
    // The panels of a frame are updated after its field.
    step.drawField = (nowMs, dtMs) => {
      draw(nowMs, dtMs);
      queueMicrotask(this.drawn);
    };
  }

  start(): void {
    this.nowMs = performance.now();
    this.loop.start();
  }

  stop(): void {
    this.loop.stop();
  }

  /** Sends an order as a click or a key does. */
  order(order: Order): Sent | null {
    return this.orders.send(order);
  }

  /** What a button of the card shows for a unit, in words that differ when it changes. */
  button(unit: Handle, id: string): string {
    const { state } = this.match;
    const slot = state.world.slot(unit);
    if (slot < 0) return "gone";
    const type = typeOf(state.info.rules, state.world.type[slot]);
    const c = commandsFor(state, type, [unit], PRESETS.classic, false, false).find((b) => b.id === id);
    return c ? `${c.title} ${c.active} ${c.why} ${c.cooling > 0}` : "none";
  }

  /** Whether a line of the last frame ends at a place. */
  marked(at: Pos): boolean {
    return this.lines.some((l) => Math.hypot(l.toX - at.x / 1024, l.toZ - at.y / 1024) < 0.1);
  }

  /** Whether a line of the last frame begins at a unit. */
  hasLine(at: { x: number; z: number }): boolean {
    return this.lines.some((l) => Math.hypot(l.x - at.x, l.z - at.z) < 0.01);
  }

  private watch(billboards: Billboards): void {
    const line = billboards.line.bind(billboards);
    billboards.line = (...args: Parameters<Billboards["line"]>) => {
      this.lines.push({ x: args[1], z: args[3], toX: args[4], toZ: args[6] });
      line(...args);
    };
  }
}
