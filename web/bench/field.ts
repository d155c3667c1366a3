// The page's field without a page and a GPU: the frame loop, the order sender, the
// lines, the entities and the effects of the game, sixty frames a second. Tests can read the content that a frame
// would give to the graphics card.

import { type Handle, type Match, type Order, type Pos, type Sent, typeOf } from "@fogkeep/client";
import { FrameLoop, type LoopContext, type LoopControls, type LoopPanels } from "../src/game/frameloop";
import { type OrderContext, OrderSender } from "../src/game/orders";
import { PathLines } from "../src/game/paths";
import { type Command, commandsFor } from "../src/input/commands";
import { PRESETS } from "../src/input/hotkeys";
import { Selection } from "../src/input/selection";
import type { Effects } from "../src/render/effects";
import type { EntityLayer } from "../src/render/entities";
import { Layers } from "../src/render/layers";
import { QUALITY } from "../src/render/quality";
import type { Billboards } from "../src/render/sprites";

const FRAME_MS = 1000 / 60;
/** Pixels a tile is wide. */
const TILE_PX = 40;

/** Gives scripts the browser functions that the frame loop uses. */
export function asBrowser(): void {
  Object.assign(globalThis, {
    // As a screen does it: at even times, and a late frame takes the next time.
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
    const renderer: LoopContext["renderer"] & OrderContext["renderer"] = {
      effects: this.effects,
      changeResolution: () => {},
      draw: (tick, dtMs, options) => {
        this.lines.length = 0;
        const at = now();
        this.dtMs = at - this.nowMs;
        this.nowMs = at;
        this.tick = tick;
        this.entities.sample(tick, dtMs);
        this.layers.fill(at, dtMs, options, TILE_PX, 1);
      },
    };
    const context: LoopContext & OrderContext = {
      match,
      renderer,
      selection: this.selection,
      settings: { value: { bars: "selected" } },
      hud: { refuse: () => {} },
      sound: { tick: () => {}, answer: () => {}, alert: () => {} },
    };
    const paths = new PathLines(match, this.selection);
    this.orders = new OrderSender(context, paths);
    const controls: LoopControls = {
      draw: (d, b, g) => paths.draw(b, d, g, this.entities),
      moveCamera: () => {},
      mouse: { hoverHandle: 0 },
      keyboard: { isHeld: () => false },
    };
    const panels: LoopPanels = {
      fps: 0,
      point: () => {},
      // The last thing that is drawn of a frame. The panels of the frame are updated after it.
      minimap: { draw: () => queueMicrotask(this.drawn) },
      update: () => {
        this.updates++;
      },
    };
    const nothing = () => {};
    this.loop = new FrameLoop(context, controls, panels, nothing, nothing);
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

  /** The state of a button of the card for a unit, in words that differ when it changes. */
  button(unit: Handle, id: string): string {
    const c = this.command(unit, id);
    return c ? `${c.title} ${c.active} ${c.why} ${c.cooling > 0}` : "none";
  }

  /** Presses the button of an ability, if it can be pressed: starts the ability, or stops it while it is on. */
  press(unit: Handle, id: string): boolean {
    const c = this.command(unit, id);
    if (c?.effect.kind !== "ability" || c.why !== "") return false;
    const { on, what } = c.effect;
    return this.orders.send({ do: on ? "ability" : "stopAbility", units: [unit], what }) !== null;
  }

  private command(unit: Handle, id: string): Command | undefined {
    const { state } = this.match;
    const slot = state.world.slot(unit);
    if (slot < 0) return undefined;
    const type = typeOf(state.info.rules, state.world.type[slot]);
    return commandsFor(state, type, [unit], PRESETS.classic, false, false).find((b) => b.id === id);
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
