// Shows the player's orders at once ("saved moves"). Orders that the server has
// not acted on yet are kept, and replayed over the newest course that it has sent:
//
//	order ──give──► saved ──answered, acted──► gone: the server's course shows it
//	                  │  └──refused──► gone: the drawn place goes back
//	                  ▼
//	World.sample: pose at (drawn tick + lead) = server's course ─► saved orders
//
// An order reaches the world ticks later. Its units are therefore drawn some ticks
// ahead, their lead, so that they react in the next drawn frame. The lead shrinks
// while the order is on its way, so that they take their first steps at less than
// full speed. Each correction replays the orders that are left. Once frames have
// told an order's effect, the server's course is drawn, and `World.blend` fades the
// difference. Only places, facings and the player's orders are
// predicted: never a shot, a hit, a death or a resource.

import { type Handle, type Pos, type Tick, WU_PER_TILE } from "../base/ids.js";
import { FLAG } from "../gen/fields.js";
import { OrderKind, type Order as WireOrder } from "../gen/fogkeep/v1/client_pb.js";
import { GROUP_ORDERS, TASK_ORDERS } from "../gen/orders.js";
import { type Doing, doingName } from "./doing.js";
import { formationOf } from "./form.js";
import type { MatchInfo } from "./info.js";
import { turn } from "./motion.js";
import { type Autonomous, autonomous, PredictedStates, predicts } from "./roles.js";
import { hasState, type TypeInfo, typeOf } from "./rules.js";
import type { Ahead, Pose, World } from "./world.js";

/** How much of the lead is given up in each tick that is drawn. */
const LEAD_SHARE = 0.4;
/** The longest lead. */
const LEAD_MS_MAX = 1200;
/** The most orders that are kept of one unit; the oldest are dropped. */
const SAVED_MAX = 8;
/** An order acts in the tick after its answer's, or sooner. */
const ACTS_AFTER = 1;
/** So many ticks after the answer, the frames have shown the order's effect. */
const TOLD_AFTER = 2;
/** The first estimate of the ticks from an order to its effect. */
const DELAY_FIRST = 4;
/** The longest that is believed. */
const DELAY_MAX = 60;
/** The weight of a new measurement. */
const DELAY_SHARE = 0.25;
/** A unit sets off when it faces its way to an eighth of a turn. */
const SET_OFF = Math.PI / 4;
/** A 256th of a turn, and the slowest turning that is waited for, in radians a tick. */
const TURN_UNIT = Math.PI / 128;
const TURN_LEAST = 0.05;
/** How far the ground ahead is looked at, and at what distances, in tiles. */
const LOOK_TILES = 6;
const LOOK_STEP = 0.25;

/** How near to its target a unit goes, in tiles. */
const FOLLOW_NEAR = 1.5;
const WORK_NEAR = 1;

interface SavedOrder {
  readonly seq: number;
  readonly kind: OrderKind;
  readonly queued: boolean;
  /** The speed of the slowest of the group, if it keeps together. */
  readonly pace: number;
  readonly to: Pos | null;
  readonly target: Handle;
  readonly what: number;
  /** The server's tick when it was given, with a fraction. */
  readonly given: number;
  /** The tick of the answer; -1 before it. */
  answered: Tick;
}

/** One unit's part of an order. */
interface Step {
  readonly order: SavedOrder;
  /** The tick in which it acts, as far as is known. */
  at: number;
  /** Whether it changes where the unit goes. */
  readonly moves: boolean;
  /** Where it goes, and how near, in world units. */
  readonly goal: Pos;
  readonly near: number;
  /** How far it can walk straight ahead, world units. */
  readonly free: number;
}

interface Unit {
  steps: Step[];
  /** Ticks that it is drawn ahead. */
  lead: number;
  /** Where it was drawn before the frame that is applied, world units. */
  readonly drawn: Pos;
}

/** A unit's task, as the player ordered it. */
export interface ShownTask {
  readonly doing: Doing;
  readonly to: Pos | null;
  /** Whether the server has accepted the order. */
  readonly accepted: boolean;
}

export class Prediction implements Ahead {
  /** The fields of the protocol that it shows a guess of. */
  static readonly FIELDS = predicts("motion", "tasks", "rallies");
  /** Changes with each order and each answer: what panels show may have changed. */
  version = 0;
  private readonly units = new PredictedStates<Unit>();
  private readonly orders = new Map<number, SavedOrder>();
  /** Ticks from an order to its effect, as measured by the answers. */
  private delay = DELAY_FIRST;
  private measured = false;
  /** Ticks by which leads shrink in the frame that is drawn. */
  private less = 0;

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    /** Whether a unit is idle, as the server says. */
    private readonly idle: (unit: Handle) => boolean,
  ) {}

  /** Units and structures with orders whose effect has not been told. */
  get size(): number {
    return this.units.size;
  }

  /**
   * @internal The player gave an order. It shows in the next drawn frame.
   * @param serverTick the server's tick now, with a fraction
   */
  give(order: WireOrder, serverTick: number): void {
    const { world } = this;
    if (this.info.spectator || world.drawnTick <= 0) return; // nothing is drawn
    const saved: SavedOrder = {
      seq: order.seq,
      kind: order.kind,
      queued: order.queued,
      pace: order.together && GROUP_ORDERS.has(doingName(order.kind)) ? this.slowest(order.units) : Infinity,
      to: order.to ? { x: order.to.x, y: order.to.y } : null,
      target: order.target,
      what: order.what,
      given: serverTick,
      answered: -1,
    };
    const group = order.units.map((h) => autonomous(this.info, world, h)).filter((h) => h !== null);
    if (group.length === 0) return;
    this.version++;
    this.orders.set(saved.seq, saved);
    const places = this.places(group, saved);
    const shown = world.drawnTick + LEAD_MS_MAX / this.info.tickMs;
    const at = Math.min(serverTick + this.delay, shown);
    group.forEach((h, i) => {
      const slot = world.slot(h);
      world.blend(slot, () => this.add(h, slot, saved, at, places[i]));
    });
  }

  /** The server answered an order. Units that were left out do not follow it. */
  answered(seq: number, ok: boolean, leftOut: readonly { unit: Handle }[]): void {
    const order = this.orders.get(seq);
    if (!order || order.answered >= 0) return;
    this.version++;
    const { tick } = this.world;
    order.answered = tick;
    if (!ok) {
      this.orders.delete(seq);
      this.drop((_, step) => step.order === order);
      return;
    }
    this.measure(tick + ACTS_AFTER - order.given);
    if (leftOut.length > 0) {
      const out = new Set(leftOut.map((l) => l.unit));
      this.drop((h, step) => step.order === order && out.has(h));
    }
    for (const [h, unit] of this.units) {
      const slot = this.world.slot(h);
      for (const step of unit.steps) {
        if (step.order !== order) continue;
        // A shown order stays shown: it does not act later than it is drawn.
        const at = Math.min(tick + ACTS_AFTER, this.world.drawnTick + unit.lead);
        this.world.blend(slot, () => {
          step.at = at;
        });
      }
    }
  }

  /** Before a frame is applied: notes where its units are drawn. */
  before(): void {
    for (const [h, unit] of this.units) this.world.drawnAt(this.world.slot(h), unit.drawn);
  }

  /** A frame was applied: forgets the orders whose effect it told. The drawn places do not jump. */
  told(): void {
    if (this.units.size === 0) return;
    const { world } = this;
    for (const [h, unit] of this.units) {
      const slot = world.slot(h);
      if (world.enterTick[slot] !== world.tick) world.drawFrom(slot, unit.drawn);
    }
    this.drop((h, { order, moves }) => {
      if (order.answered < 0) return false;
      const after = world.tick - order.answered;
      const moved = moves && world.courseSince(world.slot(h)) === world.tick;
      return after >= TOLD_AFTER || (after >= ACTS_AFTER && moved);
    });
    for (const o of this.orders.values())
      if (o.answered >= 0 && world.tick - o.answered >= TOLD_AFTER) this.orders.delete(o.seq);
  }

  /** The entity left sight, or is gone. */
  remove(id: Handle): void {
    this.units.delete(id);
  }

  /** Before a snapshot: it has the effect of answered orders. The others are replayed over it. */
  keep(): void {
    this.drop((_, { order }) => order.answered >= 0);
    for (const o of this.orders.values()) if (o.answered >= 0) this.orders.delete(o.seq);
    this.version++;
  }

  /** After the entities of a snapshot: forgets units that are not the player's any more. */
  found(): void {
    for (const [h] of this.units) if (!autonomous(this.info, this.world, h)) this.units.delete(h);
  }

  /** A unit's ordered task that the server has not told yet; null when there is no such order. */
  task(id: Handle): ShownTask | null {
    const step = this.last(id, (o) => TASK_ORDERS.has(doingName(o.kind)) && !o.queued);
    if (!step) return null;
    const { kind, to } = step.order;
    const stands = kind === OrderKind.STOP || kind === OrderKind.HOLD;
    return {
      doing: kind === OrderKind.STOP ? "idle" : doingName(kind),
      to: stands ? null : (to ?? step.goal),
      accepted: step.order.answered >= 0,
    };
  }

  /** Where the units that a structure trains were sent, by an order whose effect was not told yet. */
  rally(id: Handle): Pos | null {
    return this.last(id, (o) => o.kind === OrderKind.RALLY)?.order.to ?? null;
  }

  /** Before a frame is drawn, so many ticks after the one before. */
  step(ticks: number): void {
    if (this.units.size === 0) return;
    this.less = LEAD_SHARE * ticks;
    this.units.forEach(this.shrink);
  }

  // One function for all frames: drawing does not allocate.
  private readonly shrink = (unit: Unit): void => {
    unit.lead = Math.max(0, unit.lead - this.less);
  };

  /** Where a row is drawn: the server's course with the saved orders replayed over it. */
  pose(slot: number, tick: number, out: Pose): boolean {
    const { world } = this;
    const unit = this.units.get(world.ids[slot]);
    if (!unit) return false;
    const first = nextMove(unit, 0);
    if (first === unit.steps.length) return false;
    const until = tick + unit.lead;
    let at = Math.min(until, Math.max(unit.steps[first].at, world.courseSince(slot)));
    world.reckon(slot, at, out);
    const type = typeOf(this.info.rules, world.type[slot]);
    for (let i = first; i < unit.steps.length; ) {
      const next = nextMove(unit, i + 1);
      const end = next < unit.steps.length ? Math.min(until, unit.steps[next].at) : until;
      // Also in the moment in which it acts, when it only begins to turn.
      if (unit.steps[i].at <= until && end >= at) {
        this.walk(unit.steps[i], type, end - at, out);
        at = end;
      }
      i = next;
    }
    return true;
  }

  /** The speed of the slowest of some units, as types have it. */
  private slowest(units: readonly Handle[]): number {
    let pace = Infinity;
    for (const h of units) {
      const slot = this.world.slot(h);
      const { speed } = slot >= 0 ? typeOf(this.info.rules, this.world.type[slot]) : { speed: 0 };
      if (speed > 0) pace = Math.min(pace, speed);
    }
    return pace;
  }

  /** Moves a pose by some ticks of a step. */
  private walk(step: Step, type: TypeInfo, ticks: number, out: Pose): void {
    const { kind } = step.order;
    const { walks } = out;
    out.walks = false;
    if (kind === OrderKind.STOP || kind === OrderKind.HOLD) return;
    const target = this.world.slot(step.order.target);
    const gx = target >= 0 ? this.world.posX(target) : step.goal.x;
    const gy = target >= 0 ? this.world.posY(target) : step.goal.y;
    const dx = gx - out.x;
    const dy = gy - out.y;
    const d = Math.hypot(dx, dy);
    if (d < 1) return;
    const facing = Math.atan2(dy, dx);
    const off = Math.abs(turn(out.facing, facing));
    out.facing = facing;
    // A standing unit turns first. A walking one turns as it goes.
    const turns = walks ? 0 : Math.max(0, off - SET_OFF) / Math.max(TURN_LEAST, type.turn * TURN_UNIT);
    const way = Math.min(
      d - step.near,
      step.free,
      (Math.min(type.speed, step.order.pace) / 64) * Math.max(0, ticks - turns),
    );
    if (way <= 0) return;
    out.x += (dx / d) * way;
    out.y += (dy / d) * way;
    out.walks = way < d - step.near;
  }

  private add(h: Autonomous, slot: number, order: SavedOrder, at: number, goal: Pos | null): void {
    const { world } = this;
    const type = typeOf(this.info.rules, world.type[slot]);
    let unit = this.units.get(h);
    if (!unit) {
      unit = { steps: [], lead: 0, drawn: { x: 0, y: 0 } };
      this.units.set(h, unit);
    }
    const busy = order.queued && (!this.idle(h) || unit.steps.some((s) => s.moves));
    const moves = type.class === "unit" && type.speed > 0 && this.sends(order) && !busy;
    const near = moves ? this.nearOf(order, type) : 0;
    const stands = { x: world.posX(slot), y: world.posY(slot) };
    const step: Step = {
      order,
      at,
      moves,
      goal: goal ?? stands,
      near,
      free: moves && goal ? this.freeWay(stands, goal, type) : 0,
    };
    unit.steps.push(step);
    if (unit.steps.length > SAVED_MAX) unit.steps.shift();
    if (!moves) return;
    unit.lead = Math.max(unit.lead, at - world.drawnTick);
  }

  /** Whether an order changes where a unit goes. */
  private sends(o: SavedOrder): boolean {
    if (o.kind !== OrderKind.ABILITY) return TASK_ORDERS.has(doingName(o.kind));
    return this.info.rules.abilities[o.what]?.target !== "none";
  }

  /** How near to the order's place a unit goes, in world units. */
  private nearOf(o: SavedOrder, type: TypeInfo): number {
    const target = this.world.slot(o.target);
    const reach = target >= 0 ? typeOf(this.info.rules, this.world.type[target]).radius : 0;
    const weapon = this.info.rules.weapons[type.weapons[0] ?? -1];
    switch (o.kind) {
      case OrderKind.ATTACK:
        return (weapon?.range ?? 0) + reach * WU_PER_TILE;
      case OrderKind.ATTACK_GROUND:
        return weapon?.range ?? 0;
      case OrderKind.ABILITY:
        return this.info.rules.abilities[o.what]?.range ?? 0;
      case OrderKind.FOLLOW:
        return (FOLLOW_NEAR + reach) * WU_PER_TILE;
      case OrderKind.HARVEST:
      case OrderKind.BUILD:
        return (WORK_NEAR + reach) * WU_PER_TILE;
      default:
        return 0;
    }
  }

  /** Where each unit of a group goes; null where the order has no place. */
  private places(group: readonly Handle[], order: SavedOrder): (Pos | null)[] {
    const { world } = this;
    const target = world.slot(order.target);
    if (target >= 0) return group.map(() => ({ x: world.posX(target), y: world.posY(target) }));
    const { to } = order;
    if (!to) return group.map(() => null);
    if (!GROUP_ORDERS.has(doingName(order.kind))) return group.map(() => to);
    const members = group.map((h) => {
      const s = world.slot(h);
      const { radius } = typeOf(this.info.rules, world.type[s]);
      return { x: world.posX(s), y: world.posY(s), radius: radius * WU_PER_TILE };
    });
    return formationOf(members, to).map((p, i) => {
      const type = typeOf(this.info.rules, world.type[world.slot(group[i])]);
      return this.passable(p.x, p.y, type) ? p : to;
    });
  }

  /** How far a unit can walk straight towards a place, in world units: up to a cliff or a structure. */
  private freeWay(from: Pos, to: Pos, type: TypeInfo): number {
    const d = Math.hypot(to.x - from.x, to.y - from.y);
    const most = Math.min(d, LOOK_TILES * WU_PER_TILE);
    const step = LOOK_STEP * WU_PER_TILE;
    // It stands where it stands: the ground under it is not asked.
    for (let way = step; way < most; way += step) {
      const x = from.x + ((to.x - from.x) * way) / d;
      const y = from.y + ((to.y - from.y) * way) / d;
      if (!this.passable(x, y, type)) return way - step;
    }
    return most;
  }

  private passable(x: number, y: number, type: TypeInfo): boolean {
    const { map, rules } = this.info;
    const { world } = this;
    const tx = Math.floor(x / WU_PER_TILE);
    const ty = Math.floor(y / WU_PER_TILE);
    if (tx < 0 || ty < 0 || tx >= map.width || ty >= map.height) return false;
    if (!(map.pass[ty * map.width + tx] & (1 << type.moveKind))) return false;
    if (type.moveKind === AIR) return true;
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0) continue;
      const t = typeOf(rules, world.type[s]);
      if (t.class !== "structure" && t.class !== "resource") continue;
      if (this.crossed(t, s, type.moveKind)) continue;
      if (
        Math.abs(world.posX(s) - x) <= t.width * (WU_PER_TILE / 2) &&
        Math.abs(world.posY(s) - y) <= t.depth * (WU_PER_TILE / 2)
      )
        return false;
    }
    return true;
  }

  /** Whether units cross a structure as it is. The gates of the player's team open for its units. */
  private crossed(t: TypeInfo, slot: number, move: number): boolean {
    const { amount, owner, flags } = this.world;
    if (t.feature === "mine") return true;
    if (!hasState(t) || flags[slot] & FLAG.building) return false;
    if (t.feature === "bridge") return amount[slot] === 0 || move !== GROUND;
    if (t.feature === "flood") return move === HOVER || (amount[slot] !== 0) === (move === NAVAL);
    const { players, team } = this.info;
    return t.feature !== "gate" || amount[slot] !== 0 || players[owner[slot]]?.team === team;
  }

  /** Removes steps; the drawn places of their units do not jump. */
  private drop(which: (unit: Handle, step: Step) => boolean): void {
    for (const [h, unit] of this.units) {
      if (!unit.steps.some((s) => which(h, s))) continue;
      this.version++;
      this.world.blend(this.world.slot(h), () => {
        unit.steps = unit.steps.filter((s) => !which(h, s));
        // The rest of its lead fades with all else.
        if (nextMove(unit, 0) === unit.steps.length) unit.lead = 0;
        if (unit.steps.length === 0) this.units.delete(h);
      });
    }
  }

  private last(id: Handle, which: (o: SavedOrder) => boolean): Step | null {
    const steps = this.units.get(id)?.steps;
    if (!steps) return null;
    for (let i = steps.length - 1; i >= 0; i--) if (which(steps[i].order)) return steps[i];
    return null;
  }

  private measure(ticks: number): void {
    const took = Math.max(ACTS_AFTER, Math.min(DELAY_MAX, ticks));
    this.delay = this.measured ? this.delay + (took - this.delay) * DELAY_SHARE : took;
    this.measured = true;
  }
}

/** Of what moves in the air (rules, `moveKind`). */
const [GROUND, HOVER, NAVAL, AIR] = [0, 1, 2, 3];

/** The place of the next order that changes where a unit goes, from some place on. */
function nextMove(unit: Unit, from: number): number {
  let i = from;
  while (i < unit.steps.length && !unit.steps[i].moves) i++;
  return i;
}
