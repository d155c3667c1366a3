// The page's field without a page and a GPU: the frame loop, the order sender, the
// lines, the entities and the effects of the game, sixty frames a second. What a
// frame would give to the graphics card can be asked.

import type { Handle, Pos } from "../src/base/ids";
import type { GameContext } from "../src/game/context";
import type { Controls } from "../src/game/controls";
import { FrameLoop } from "../src/game/frameloop";
import { OrderSender } from "../src/game/orders";
import type { Panels } from "../src/game/panels";
import { PathLines } from "../src/game/paths";
import { commandsFor } from "../src/input/commands";
import { PRESETS } from "../src/input/hotkeys";
import { Selection } from "../src/input/selection";
import { Effects } from "../src/render/effects";
import { EntityLayer } from "../src/render/entities";
import { FogTexture } from "../src/render/fog";
import { HeightField } from "../src/render/heightfield";
import { OwnerColors } from "../src/render/ownercolors";
import { QUALITY } from "../src/render/quality";
import type { DrawOptions, Renderer } from "../src/render/renderer";
import { fogUniforms } from "../src/render/shaders";
import { Billboards, Decals } from "../src/render/sprites";
import { Units } from "../src/render/units";
import type { Match, Order, Sent } from "../src/sdk/index";
import { typeOf } from "../src/state/rules";

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
  private readonly loop: FrameLoop;
  private readonly orders: OrderSender;

  constructor(
    readonly match: Match,
    /** Called with each drawn frame. */
    private readonly drawn: () => void,
  ) {
    const { state } = match;
    const { map, rules } = state.info;
    const now = () => performance.now();
    const ground = new HeightField(map);
    const colors = new OwnerColors(state.info);
    const uniforms = fogUniforms(new FogTexture(state.mask));
    const traits = QUALITY.low;
    const units = new Units(rules, uniforms, colors.uniforms, traits);
    const decals = new Decals(uniforms);
    const billboards = this.watched(new Billboards(uniforms));
    this.entities = new EntityLayer(state, ground, units, decals, billboards, colors, traits.shadows, now);
    this.effects = new Effects(
      state,
      ground,
      now,
      (slot) => this.entities.place(slot),
      (owner) => colors.bytesOf(owner),
    );
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
        for (const batch of [units, decals, billboards]) batch.begin();
        this.entities.fill(at, dtMs, options, TILE_PX, 1);
        this.effects.draw(at, decals, billboards, TILE_PX);
        options.extra?.(decals, billboards, ground);
        for (const batch of [units, decals, billboards]) batch.end();
      },
    } as unknown as Renderer;
    const context = {
      match,
      renderer,
      selection: this.selection,
      settings: { value: { bars: "selected" } },
      hud: { wordsAt: () => {} },
      sound: { tick: () => {} },
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
      pointArrows: () => {},
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

  private watched(billboards: Billboards): Billboards {
    const line = billboards.line.bind(billboards);
    billboards.line = (...args: Parameters<Billboards["line"]>) => {
      this.lines.push({ x: args[1], z: args[3], toX: args[4], toZ: args[6] });
      line(...args);
    };
    return billboards;
  }
}
