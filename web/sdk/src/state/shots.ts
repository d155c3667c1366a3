// Shots that are shown before the server reports them. The client numbers the
// shots of an order, draws the wind-up and then a projectile of its own. The
// server's projectile comes with the same number; the drawn one glides onto it.
//
//	give ──► windUp ──► flight ──► glide ──► the entity alone
//	            │          │         ▲
//	            │          └──► fade ┘   the number never came
//	            └──► no shot: refused, taken back, the unit or the target is gone
//
// A steered projectile turns in the drawn frame after the order: from its glide or its entity to `steer`, where it flies
// to the new aim on its own. Once its entity is drawn to turn, or the order is refused, it glides again.
//
// These drawn shots never hit, hurt or end anything: a flight comes near its aim and does not reach it. Impact and
// end are the entity's. Ticks are drawn ticks (fractions allowed) unless a comment says that they are the server's.

import {
  type Handle,
  NO_OWNER,
  type Pos,
  type Slot,
  type Tick,
  type TypeId,
  WU_PER_TILE,
} from "../base/ids.js";
import { FLAG } from "../gen/fields.js";
import { OrderKind, type Order as WireOrder } from "../gen/fogkeep/v1/client_pb.js";
import { TASK_ORDERS } from "../gen/orders.js";
import type { Actions } from "./actions.js";
import { doingName, FIRING } from "./doing.js";
import type { MatchInfo } from "./info.js";
import { turn } from "./motion.js";
import type { OwnerState } from "./ownerstate.js";
import { type Autonomous, autonomous } from "./roles.js";
import { type Rules, type TypeInfo, typeOf, type WeaponInfo, weaponIdOf } from "./rules.js";
import type { WeaponFire } from "./weaponfire.js";
import type { PoseColumns, World } from "./world.js";

/** The most shots at once; further ones are not predicted. */
export const SHOTS_MAX = 256;
/** An accepted order acts so many ticks after it arrived. */
const ORDER_DELAY = 2;
/** How many ticks after its order arrived an answer can be sent: it has to be on disk. */
const ANSWER_DELAY = 1;
/** The trip of orders before any answer was measured, ticks. */
const TRIP_FIRST = 2;
/** Of so many answers the fastest counts. */
const TRIPS_KEPT = 8;
/** Orders whose answer is awaited for measuring. */
const GIVEN_MAX = 64;
/** A weapon that is ready later than this is not drawn ahead. */
const READY_TICKS_MAX = 40;
/** How long after its expected end a shot waits for its number. */
const WAIT_TICKS = 8;
/** How long after it was expected a shot that hits at once may still be told. */
const HIT_WAIT_TICKS = 12;
/** How long a shot that never was fades. */
const FADE_TICKS = 5;
/** The glide's length, at least and at most. */
const GLIDE_TICKS_MIN = 3;
const GLIDE_TICKS_MAX = 40;
/** Ticks between the answer to an order and the turn that the page tells its projectile. */
const TURNED_AFTER = 1;
/** A glide takes off so much of a projectile's speed. */
const GLIDE_SHARE = 0.8;
/** Up to this share of its way a flight is even; then it slows down, and ends before its aim. */
const EVEN_SHARE = 0.8;
const REST_SHARE = 0.15;
/** A unit fires when it looks to its aim to within this. */
const AIMED = (8 / 256) * 2 * Math.PI;

type Phase = "windUp" | "flight" | "fade" | "glide" | "steer";

/** A shot as it is drawn. */
export interface DrawnShot {
  /** The shooter. */
  readonly unit: Handle;
  /** The projectile's type. */
  readonly type: TypeId;
  readonly owner: Slot;
  /** The place that it is aimed at, world units; null: an entity. */
  readonly to: Pos | null;
  phase: Phase;
  /** The passed share of the wind-up, 0 to 1. */
  wound: number;
  /** Where the projectile is, tiles. */
  x: number;
  z: number;
  /** Radians. */
  facing: number;
  alpha: number;
  /** Where its flight begins, and the place that it flies to; tiles. */
  fromX: number;
  fromZ: number;
  aimX: number;
  aimZ: number;
}

interface Shot extends DrawnShot {
  readonly request: number;
  readonly seq: number;
  readonly weapon: WeaponInfo;
  /** Of the unit's weapons. */
  readonly index: number;
  /** The entity aimed at; 0: a place. */
  target: Handle;
  readonly windFrom: number;
  launchAt: number;
  /** The server's tick in which the projectile is expected to leave. */
  readonly leaves: number;
  /** From the order's arrival to the shot. */
  readonly takes: number;
  /** Of how many ticks its start is ahead on its way. */
  readonly skip: number;
  /** How far behind the server the field is drawn, ticks. */
  readonly behind: number;
  /** When the end of its flight is expected to be drawn. */
  endAt: number;
  fadeFrom: number;
  /** The entity, once the server has named it. */
  handle: Handle;
  /** How far from the entity it is drawn, tiles: now, and when the glide began. */
  offX: number;
  offZ: number;
  fullX: number;
  fullZ: number;
  glideFrom: number;
  glideTicks: number;
  /** The order that steered it last, the drawn tick in which its entity turns, and the last drawn tick. */
  steerSeq: number;
  turnAt: number;
  steeredAt: number;
}

export class PredictedShots {
  /** The fates of predicted shots. `cancelled` ones were never drawn as projectiles. */
  readonly counts = { launched: 0, matched: 0, faded: 0, cancelled: 0 };
  /**
   * How far a projectile was drawn from the server's, in the last drawn frame: the largest distance of the gliding
   * ones, tiles. 0 without any.
   */
  projectileGap = 0;

  private readonly shots = new Map<number, Shot>();
  private readonly byHandle = new Map<Handle, Shot>();
  /** Shots that their units can steer, and whose entities alone are drawn. */
  private readonly alone = new Map<Handle, Shot>();
  /** The server's tick of the last shot that was drawn ahead, by unit. */
  private readonly fired = new Map<Handle, Tick>();
  /** The server's tick when orders were given, by their numbers. */
  private readonly given = new Map<number, number>();
  /** The server's tick at the last order, with a fraction. */
  private server = 0;
  private readonly trips: number[] = [];
  private tripsAt = 0;
  /** The last drawn frame. */
  private drawn = 0;
  private poses: PoseColumns | null = null;
  private rows = 0;

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly actions: Actions,
    private readonly own: OwnerState,
    private readonly fire: WeaponFire,
  ) {}

  get size(): number {
    return this.shots.size;
  }

  /** The drawings besides entities: wind-ups, and projectiles that the server has not reported. */
  values(): IterableIterator<DrawnShot> {
    return this.shots.values();
  }

  /** The shot that was drawn before the server named its projectile. */
  drawnShot(handle: Handle): DrawnShot | undefined {
    return this.byHandle.get(handle);
  }

  /** Whether an entity is the projectile of a shot that was drawn before. */
  glides(handle: Handle): boolean {
    return joined(this.byHandle.get(handle));
  }

  /** The ticks from an order to its arrival, there and back: the server's ticks are known as late as its frames come. */
  get trip(): number {
    return this.trips.length > 0 ? Math.min(...this.trips) : TRIP_FIRST;
  }

  /**
   * @internal The player gave an order. Predicts the shots that follow from it at once, and
   * returns how many there are; `first` is the number of the order's first unit.
   * @param serverTick the server's tick now, with a fraction
   * @param live whether the order goes out now
   */
  give(order: WireOrder, first: number, serverTick: number, live: boolean): number {
    if (this.info.spectator) return 0;
    this.server = serverTick;
    if (live) this.note(order.seq);
    const replaces = order.kind === OrderKind.CANCEL || TASK_ORDERS.has(doingName(order.kind));
    if (replaces && !order.queued) this.takeBack(order.units);
    if (!live) return 0;
    if (!order.queued) this.steerAll(order);
    const seen = new Set<Handle>();
    let n = 0;
    order.units.forEach((unit, i) => {
      if (seen.has(unit)) return;
      seen.add(unit);
      const mine = autonomous(this.info, this.world, unit);
      if (!mine || this.shots.has(first + i) || this.whyNot(unit, order) !== "") return;
      this.shots.set(first + i, this.shot(mine, order, first + i));
      n++;
    });
    return n;
  }

  /** @internal Why no shot is predicted for a unit under an order; empty where one is. */
  whyNot(unit: Handle, order: WireOrder): string {
    const { world } = this;
    const slot = world.slot(unit);
    if (order.kind !== OrderKind.ATTACK && order.kind !== OrderKind.ATTACK_GROUND)
      return "no shot is ordered";
    if (this.poses === null) return "nothing is drawn";
    if (this.shots.size >= SHOTS_MAX) return "too many shots";
    if (slot < 0 || world.owner[slot] !== this.info.slot || (world.flags[slot] & FLAG.building) !== 0)
      return "not a unit of the player";
    if (order.queued && (this.own.units.get(unit)?.doing ?? "idle") !== "idle") return "the unit is busy";
    const index = this.leadOf(unit);
    const weapon = weaponOf(this.info.rules, this.world, this.actions, slot, index);
    if (!weapon) return "it has no weapon";
    const target = order.kind === OrderKind.ATTACK ? world.slot(order.target) : -1;
    if (order.kind === OrderKind.ATTACK && target < 0) return "the target is out of sight";
    if (order.kind === OrderKind.ATTACK_GROUND && (!weapon.atGround || !order.to))
      return "its weapon is not aimed at places";
    if (target >= 0 && !this.hits(weapon, target)) return "its weapon does not hit the target";
    const aim = target >= 0 ? this.nearest(slot, target) : { x: order.to?.x ?? 0, y: order.to?.y ?? 0 };
    const gap = this.gapTo(slot, target, aim.x, aim.y);
    if (gap > weapon.range || gap < weapon.minRange) return "out of range";
    if (this.readyAt(slot, weapon, index) > this.server + READY_TICKS_MAX) return "its weapon cools down";
    return "";
  }

  /** The server answered an order, or it is known to be lost. */
  answered(seq: number, ok: boolean, leftOut: readonly { unit: Handle }[]): void {
    const given = this.given.get(seq);
    if (given !== undefined) {
      this.given.delete(seq);
      this.trips[this.tripsAt++ % TRIPS_KEPT] = Math.max(0, this.world.tick - given - ANSWER_DELAY);
    }
    this.fire.answered(seq, ok);
    for (const { unit } of leftOut) this.fire.answered(seq, false, unit);
    for (const s of this.shots.values()) {
      if (s.steerSeq !== seq) continue;
      const taken = ok && !leftOut.some((l) => l.unit === s.unit);
      s.turnAt = taken ? this.world.tick + TURNED_AFTER : Number.NEGATIVE_INFINITY;
    }
    if (ok && leftOut.length === 0) return;
    for (const s of this.shots.values())
      if (s.seq === seq && (!ok || leftOut.some((l) => l.unit === s.unit))) this.refused(s);
  }

  /** A unit's order ended early. */
  cancelled(unit: Handle): void {
    this.takeBack([unit]);
  }

  /** The server named the projectile of a number. */
  started(request: number, handle: Handle): void {
    const s = this.shots.get(request);
    if (s?.handle !== 0 || handle === 0) return; // not this client's, over, or told before
    s.handle = handle;
    this.byHandle.set(handle, s);
    const slot = this.world.slot(handle);
    if (slot >= 0) this.entered(handle, slot);
    // Its flight was over between two frames, or its enter is still to come: it is not waited for beyond its end.
  }

  /** An entity came into sight. */
  entered(handle: Handle, slot: number): void {
    const s = this.byHandle.get(handle);
    if (!s || joined(s)) return;
    const { world } = this;
    if (typeOf(this.info.rules, world.type[slot]).class !== "projectile" || world.owner[slot] !== s.owner) {
      this.end(s);
      return;
    }
    this.counts.matched++;
    this.fired.set(s.unit, world.enterTick[slot]);
    if (s.phase === "windUp") {
      this.end(s); // it came sooner than it was expected: the entity alone is drawn
      return;
    }
    if (s.phase === "fade") this.counts.faded--; // it was late
    s.phase = "glide";
    s.alpha = 1;
    s.glideFrom = Number.NaN;
    world.enterMs[slot] = -1e9; // it is drawn already: it does not fade in
  }

  /** An entity leaves; before its row is given away. */
  left(id: Handle): void {
    const s = this.byHandle.get(id);
    if (s && joined(s)) this.end(s);
    this.alone.delete(id);
    this.fired.delete(id);
    if (this.shots.size === 0) return;
    for (const x of this.shots.values())
      if (x.phase === "windUp" && (x.unit === id || x.target === id)) this.cancel(x);
  }

  /** Before a snapshot: handles are given anew. Named shots are named again. */
  clear(): void {
    this.byHandle.clear();
    this.fired.clear();
    this.alone.clear();
    for (const s of this.shots.values()) {
      s.handle = 0;
      if (s.phase === "steer") this.end(s);
      if (s.phase === "glide") s.phase = "flight";
    }
  }

  /**
   * Moves all shots to a drawn tick, after the world's `sample` into `poses`; the
   * first `rows` are in use, by rising slot. Places of projectiles that glide are
   * changed there.
   */
  sample(tick: number, poses: PoseColumns, rows: number): void {
    this.drawn = tick;
    this.poses = poses;
    this.rows = rows;
    this.projectileGap = 0;
    for (const s of this.shots.values()) {
      switch (s.phase) {
        case "windUp":
          this.windUp(s, tick);
          break;
        case "flight":
          this.fly(s, tick);
          break;
        case "fade":
          s.alpha = 1 - (tick - s.fadeFrom) / FADE_TICKS;
          if (s.alpha <= 0) this.end(s);
          break;
        case "glide":
          this.glide(s, tick);
          break;
        case "steer":
          this.steer(s, tick);
      }
    }
  }

  private windUp(s: Shot, tick: number): void {
    const slot = this.world.slot(s.unit);
    if (slot < 0) {
      this.cancel(s);
      return;
    }
    this.follow(s);
    s.x = this.drawnX(slot);
    s.z = this.drawnZ(slot);
    s.facing = Math.atan2(s.aimZ - s.z, s.aimX - s.x);
    const whole = s.launchAt - s.windFrom;
    s.wound = whole > 0 ? Math.max(0, Math.min(1, (tick - s.windFrom) / whole)) : 1;
    if (tick < s.launchAt) return;
    const target = s.target ? this.world.slot(s.target) : -1;
    const gap = this.gapTo(slot, target, s.aimX * WU_PER_TILE, s.aimZ * WU_PER_TILE);
    if (gap > s.weapon.range || gap < s.weapon.minRange) {
      this.cancel(s); // the target went out of range: the unit follows it, or gives up
      return;
    }
    if (!s.weapon.projectile) {
      this.fire.guess({
        id: s.unit,
        index: s.index,
        target: s.target,
        x: s.aimX * WU_PER_TILE,
        y: s.aimZ * WU_PER_TILE,
        seq: s.seq,
        takes: s.takes + HIT_WAIT_TICKS,
        // Without an answer the server may not have the order yet.
        until: this.given.has(s.seq)
          ? Number.POSITIVE_INFINITY
          : Math.max(s.leaves, this.world.tick) + HIT_WAIT_TICKS,
      });
      this.fired.set(s.unit, s.leaves);
      this.end(s);
      return;
    }
    s.phase = "flight";
    s.fromX = s.x;
    s.fromZ = s.z;
    const way = Math.hypot(s.aimX - s.x, s.aimZ - s.z) * WU_PER_TILE;
    const ticks = Math.max(1, way / speedOf(s.weapon) - s.skip);
    s.endAt = Math.max(s.leaves + ticks - s.behind, s.launchAt + ticks);
    this.counts.launched++;
    this.fired.set(s.unit, s.leaves);
    this.fly(s, tick);
  }

  private fly(s: Shot, tick: number): void {
    this.place(s, tick);
    if (tick > s.endAt + (s.handle === 0 ? WAIT_TICKS : 0)) this.fade(s);
  }

  /** Puts a projectile where it is in its flight. */
  private place(s: Shot, tick: number): void {
    if (s.weapon.homing) this.follow(s);
    const share = soften((tick - s.launchAt) / (s.endAt - s.launchAt));
    s.x = s.fromX + (s.aimX - s.fromX) * share;
    s.z = s.fromZ + (s.aimZ - s.fromZ) * share;
    s.facing = Math.atan2(s.aimZ - s.fromZ, s.aimX - s.fromX);
  }

  private glide(s: Shot, tick: number): void {
    const { world, poses } = this;
    const slot = world.slot(s.handle);
    const row = slot < 0 ? -1 : this.rowOf(slot);
    if (row < 0 || poses === null) {
      this.end(s);
      return;
    }
    const entered = world.enterTick[slot];
    let x = poses.x[row];
    let z = poses.z[row];
    if (tick < entered) {
      // The drawn tick is older than the shot: the entity is still at its gun, and the drawn one flies on.
      x = world.xAt(slot, entered) / WU_PER_TILE;
      z = world.yAt(slot, entered) / WU_PER_TILE;
      this.place(s, tick);
      s.offX = s.x - x;
      s.offZ = s.z - z;
    } else {
      if (Number.isNaN(s.glideFrom)) {
        this.place(s, tick);
        this.beginGlide(s, tick, x, z);
      }
      const share = Math.max(0, Math.min(1, 1 - (tick - s.glideFrom) / s.glideTicks));
      if (share === 0) {
        this.end(s);
        if (s.weapon.steered) this.alone.set(s.handle, s);
        return;
      }
      s.offX = s.fullX * share;
      s.offZ = s.fullZ * share;
    }
    s.x = poses.x[row] = x + s.offX;
    s.z = poses.z[row] = z + s.offZ;
    this.projectileGap = Math.max(this.projectileGap, Math.hypot(s.offX, s.offZ));
  }

  /** The drawn projectile begins to join the entity, which is at (x, z). */
  private beginGlide(s: Shot, tick: number, x: number, z: number): void {
    s.glideFrom = tick;
    s.fullX = s.x - x;
    s.fullZ = s.z - z;
    const speed = speedOf(s.weapon) / WU_PER_TILE;
    // The drawn one is not beyond the end, so it has time to join on the entity's way without going back.
    const forwards = Math.hypot(s.fullX, s.fullZ) / (GLIDE_SHARE * speed);
    s.glideTicks = Math.max(GLIDE_TICKS_MIN, Math.min(forwards, GLIDE_TICKS_MAX));
  }

  /** An order turns the steered projectiles of its units. */
  private steerAll(order: WireOrder): void {
    const { world } = this;
    const { kind, to } = order;
    const target = kind === OrderKind.ATTACK ? world.slot(order.target) : -1;
    if (target < 0 && (kind !== OrderKind.ATTACK_GROUND || !to)) return;
    for (const s of [...this.shots.values(), ...this.alone.values()]) {
      if (!s.weapon.steered || s.phase === "windUp" || s.phase === "fade" || !order.units.includes(s.unit))
        continue;
      if (target >= 0 && !this.hits(s.weapon, target)) continue;
      s.target = target >= 0 ? order.target : 0;
      if (target < 0) {
        s.aimX = (to?.x ?? 0) / WU_PER_TILE;
        s.aimZ = (to?.y ?? 0) / WU_PER_TILE;
      }
      this.follow(s);
      if (s.phase === "flight") {
        s.fromX = s.x;
        s.fromZ = s.z;
        s.launchAt = this.drawn;
        const way = Math.hypot(s.aimX - s.x, s.aimZ - s.z) * WU_PER_TILE;
        s.endAt = this.drawn + Math.max(1, way / speedOf(s.weapon));
        continue;
      }
      if (this.alone.delete(s.handle)) {
        const slot = world.slot(s.handle);
        s.x = this.drawnX(slot);
        s.z = this.drawnZ(slot);
        this.shots.set(s.request, s);
        this.byHandle.set(s.handle, s);
      }
      s.phase = "steer";
      s.steerSeq = order.seq;
      s.turnAt = Number.POSITIVE_INFINITY;
      s.steeredAt = this.drawn;
    }
  }

  /** Flies to the new aim, but not into it: the hit is the entity's. */
  private steer(s: Shot, tick: number): void {
    const { world, poses } = this;
    const slot = world.slot(s.handle);
    const row = slot < 0 ? -1 : this.rowOf(slot);
    if (row < 0 || poses === null) {
      this.end(s);
      return;
    }
    this.follow(s);
    const way = Math.hypot(s.aimX - s.x, s.aimZ - s.z);
    const speed = speedOf(s.weapon) / WU_PER_TILE;
    const step = Math.min(speed * (tick - s.steeredAt), way - speed);
    s.steeredAt = tick;
    if (step > 0) {
      s.facing = Math.atan2(s.aimZ - s.z, s.aimX - s.x);
      s.x += ((s.aimX - s.x) / way) * step;
      s.z += ((s.aimZ - s.z) / way) * step;
    }
    if (tick >= Math.max(s.turnAt, world.enterTick[slot])) {
      s.phase = "glide";
      this.beginGlide(s, tick, poses.x[row], poses.z[row]);
    }
    this.projectileGap = Math.max(this.projectileGap, Math.hypot(s.x - poses.x[row], s.z - poses.z[row]));
    poses.x[row] = s.x;
    poses.z[row] = s.z;
    world.drawnFace[slot] = poses.facing[row] = s.facing;
  }

  /** Aims at where the target is drawn, as long as it is in sight. */
  private follow(s: Shot): void {
    const target = s.target ? this.world.slot(s.target) : -1;
    if (target < 0) return;
    const shooter = this.world.slot(s.unit);
    if (this.placed(target) && shooter >= 0) {
      const at = this.nearest(shooter, target);
      s.aimX = at.x / WU_PER_TILE;
      s.aimZ = at.y / WU_PER_TILE;
    } else if (!this.placed(target)) {
      s.aimX = this.drawnX(target);
      s.aimZ = this.drawnZ(target);
    }
  }

  private refused(s: Shot): void {
    if (s.phase === "windUp") this.cancel(s);
    else if (s.phase === "flight") this.fade(s);
  }

  private fade(s: Shot): void {
    s.phase = "fade";
    s.fadeFrom = this.drawn;
    this.fired.delete(s.unit);
    this.counts.faded++;
  }

  private cancel(s: Shot): void {
    this.counts.cancelled++;
    this.end(s);
  }

  private end(s: Shot): void {
    this.shots.delete(s.request);
    if (this.byHandle.get(s.handle) === s) this.byHandle.delete(s.handle);
  }

  /** Units got another order: what winds up is not fired. A shot that left is not taken back. */
  private takeBack(units: readonly Handle[]): void {
    if (this.shots.size === 0) return;
    const gone = new Set(units);
    for (const s of this.shots.values()) if (s.phase === "windUp" && gone.has(s.unit)) this.cancel(s);
  }

  /** Notes when an order was given, to measure its trip. */
  private note(seq: number): void {
    this.given.set(seq, this.server);
    if (this.given.size > GIVEN_MAX) {
      const [oldest] = this.given.keys();
      this.given.delete(oldest);
    }
  }

  /** The shot of a unit that fires as soon as it can. */
  private shot(unit: Autonomous, order: WireOrder, request: number): Shot {
    const { world, info } = this;
    const slot = world.slot(unit);
    const index = this.leadOf(unit);
    const weapon = weaponOf(this.info.rules, this.world, this.actions, slot, index) as WeaponInfo;
    const target = order.kind === OrderKind.ATTACK ? order.target : 0;
    const aim = target
      ? this.nearest(slot, world.slot(target))
      : { x: order.to?.x ?? 0, y: order.to?.y ?? 0 };
    const { trip } = this;
    // The server takes the player's lag off the wind-up; the rest lets the projectile start ahead.
    const lag = Math.min(trip, info.lagMaxTicks);
    const wind = Math.max(0, weapon.windUpTicks - lag);
    const aimed = this.turnTicks(slot, aim.x, aim.y);
    const ready = this.readyAt(slot, weapon, index);
    const launchAt = Math.max(this.drawn + aimed + wind, ready);
    return {
      unit,
      type: weapon.projectileType,
      owner: info.slot,
      to: target || !order.to ? null : { x: order.to.x, y: order.to.y },
      request,
      seq: order.seq,
      weapon,
      index,
      target,
      phase: "windUp",
      wound: 0,
      alpha: 1,
      x: this.drawnX(slot),
      z: this.drawnZ(slot),
      facing: 0,
      aimX: aim.x / WU_PER_TILE,
      aimZ: aim.y / WU_PER_TILE,
      windFrom: launchAt - wind,
      launchAt,
      leaves: Math.max(this.server + trip + ORDER_DELAY + aimed + wind, ready),
      takes: ORDER_DELAY + aimed + wind,
      skip: Math.max(0, lag - weapon.windUpTicks),
      behind: Math.max(0, this.server - this.drawn),
      fromX: 0,
      fromZ: 0,
      endAt: 0,
      fadeFrom: 0,
      handle: 0,
      offX: 0,
      offZ: 0,
      fullX: 0,
      fullZ: 0,
      glideFrom: Number.NaN,
      glideTicks: 0,
      steerSeq: 0,
      turnAt: 0,
      steeredAt: 0,
    };
  }

  /** The server's tick in which a weapon has cooled down. */
  private readyAt(slot: number, weapon: WeaponInfo, index: number): number {
    const id = this.world.ids[slot];
    const ahead = this.fired.get(id) ?? Number.NEGATIVE_INFINITY;
    return Math.max(this.fire.lastShot(id, index), ahead) + weapon.cooldownTicks;
  }

  /** The weapon that a unit fires first under an order: of two the first, unless its player chose the second alone. */
  private leadOf(unit: Handle): number {
    return ((this.own.units.get(unit)?.firing ?? 0) & FIRING.second) !== 0 ? 1 : 0;
  }

  /** The ticks that a unit turns before it can fire at a place, world units. */
  private turnTicks(slot: number, x: number, y: number): number {
    const { world } = this;
    const row = this.rowOf(slot);
    if (row < 0 || this.poses === null) return 0;
    const rate = (typeOf(this.info.rules, world.type[slot]).turn / 256) * 2 * Math.PI;
    const to = Math.atan2(y - world.posY(slot), x - world.posX(slot));
    const off = Math.abs(turn(this.poses.facing[row], to)) - AIMED;
    return off <= 0 || rate <= 0 ? 0 : Math.max(0, Math.ceil(off / rate) - 1);
  }

  private hits(weapon: WeaponInfo, target: number): boolean {
    const type = typeOf(this.info.rules, this.world.type[target]);
    const player = this.world.owner[target];
    if (player === NO_OWNER || (type.class !== "unit" && type.class !== "structure")) return false;
    return isFlyer(type) ? weapon.hitsAir : weapon.hitsGround;
  }

  /** The point of a target that a row aims at: of a structure the nearest, world units. */
  private nearest(slot: number, target: number): { x: number; y: number } {
    const { world } = this;
    const x = world.posX(target);
    const y = world.posY(target);
    if (!this.placed(target)) return { x, y };
    const type = typeOf(this.info.rules, world.type[target]);
    const halfX = (type.width * WU_PER_TILE) / 2;
    const halfY = (type.depth * WU_PER_TILE) / 2;
    return {
      x: Math.max(x - halfX, Math.min(x + halfX, world.posX(slot))),
      y: Math.max(y - halfY, Math.min(y + halfY, world.posY(slot))),
    };
  }

  /** From the middle of a row to the edge of its target, or to a place; world units. */
  private gapTo(slot: number, target: number, x: number, y: number): number {
    const { world } = this;
    const d = Math.hypot(x - world.posX(slot), y - world.posY(slot));
    if (target < 0 || this.placed(target)) return d;
    return Math.max(0, d - typeOf(this.info.rules, world.type[target]).radius * WU_PER_TILE);
  }

  private placed(slot: number): boolean {
    return typeOf(this.info.rules, this.world.type[slot]).footprint > 0;
  }

  /** The row of the last drawn frame in which a slot is, or -1. */
  private rowOf(slot: number): number {
    const { poses } = this;
    if (poses === null) return -1;
    let low = 0;
    let high = this.rows - 1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      if (poses.slot[mid] === slot) return mid;
      if (poses.slot[mid] < slot) low = mid + 1;
      else high = mid - 1;
    }
    return -1;
  }

  private drawnX(slot: number): number {
    const row = this.rowOf(slot);
    return row >= 0 && this.poses ? this.poses.x[row] : this.world.posX(slot) / WU_PER_TILE;
  }
  private drawnZ(slot: number): number {
    const row = this.rowOf(slot);
    return row >= 0 && this.poses ? this.poses.z[row] : this.world.posY(slot) / WU_PER_TILE;
  }
}

/** A weapon of a row, the first or another, as abilities and the alternate fire have replaced it. */
export function weaponOf(
  rules: Rules,
  world: World,
  actions: Actions,
  slot: number,
  index = 0,
): WeaponInfo | undefined {
  const { type, flags, ids } = world;
  return rules.weapons[weaponIdOf(rules, type[slot], flags[slot], actions.of(ids[slot]), index)];
}

/** World units a tick. */
function speedOf(weapon: WeaponInfo): number {
  return Math.max(1, weapon.projectileSpeed / 64);
}

/** Whether a shot is drawn as its entity. */
function joined(s: DrawnShot | undefined): boolean {
  return s?.phase === "glide" || s?.phase === "steer";
}

function isFlyer(type: TypeInfo): boolean {
  return type.class === "unit" && type.moveKind === 3;
}

/** The share of its way that a flight has made: even, then ever slower, and always below 1. */
function soften(share: number): number {
  if (share <= EVEN_SHARE) return Math.max(0, share);
  return EVEN_SHARE + REST_SHARE * (1 - Math.exp((EVEN_SHARE - share) / REST_SHARE));
}
