// The entities that the team sees, in columns. An entity keeps its row while it
// is in sight. Only `MatchState.apply` writes; drawing and input read.

import { type Handle, type Pos, type Tick, type TypeId, WU_PER_TILE } from "../base/ids.js";
import { ATTRIBUTES, type AttributeKey, ValueColumns, type ValueKey } from "../gen/fields.js";
import { CELL_WU } from "./course.js";
import { extrapolate, facingRad, glide, turn } from "./motion.js";
import { type Rules, typeOf } from "./rules.js";

export { FLAG } from "../gen/fields.js";

/**
 * A correction of the drawn place fades at this share of the entity's full speed.
 * An entity that walks on meanwhile is drawn slower or faster, and not backwards.
 */
const BLEND_SHARE = 0.5;
/** The same for standing entities, which have no way of their own to be held up on. */
const BLEND_SHARE_STANDING = 0.8;
/** A large correction fades faster: with this time constant. */
const BLEND_MS = 1200;
/** The least speed at which a correction fades, in tiles a second. */
const BLEND_TILES_PER_S = 1;
/** The clock corrects itself by steps; one of more than this many ticks is blended like a corrected course. */
const CLOCK_STEP_TICKS = 1;
/** A correction of more than this many tiles is shown at once. */
const SNAP_TILES = 8;
/** How fast a drawn entity turns, radians a second. */
const TURN_RATE = 9;
/** How far before its start a course is drawn, to join the course before. */
const BACK_TICKS_MAX = 4;
/** Where counters of changes wrap. */
export const CHANGES_WRAP = 128;
/** The value that counts the changes of an attribute. */
const COUNTER: Partial<Record<ValueKey, ValueKey>> = Object.fromEntries(
  ATTRIBUTES.map((a) => [a.value, a.changes]),
);

/** Poses for one drawn frame, one row an entity, filled by {@link World.sample}. */
export class PoseColumns {
  slot = new Uint32Array(64);
  /** Tiles. */
  x = new Float32Array(64);
  z = new Float32Array(64);
  /** Radians, 0 east, growing towards south. */
  facing = new Float32Array(64);

  reserve(n: number): void {
    if (this.slot.length >= n) return;
    const size = Math.max(n, this.slot.length * 2);
    this.slot = new Uint32Array(size);
    this.x = new Float32Array(size);
    this.z = new Float32Array(size);
    this.facing = new Float32Array(size);
  }
}

/** Where an entity is at some tick: world units and radians. */
export interface Pose {
  x: number;
  y: number;
  facing: number;
  /** Whether it is on its way. */
  walks: boolean;
}

/** The part that draws own entities ahead of the frames: see prediction.ts. */
export interface Ahead {
  readonly size: number;
  /** Before a frame is drawn, so many ticks after the one before. */
  step(ticks: number): void;
  /** The pose of a row when a tick is drawn; false: it is drawn as the server's course says. */
  pose(slot: number, tick: number, out: Pose): boolean;
}

export interface EnterRow {
  handle: Handle;
  type: TypeId;
  /** Slot, or 0xff without an owner. */
  owner: number;
  x: number;
  y: number;
  vx: number;
  vy: number;
  facing: number;
}

/** The values of entities are columns too; server.proto explains each. `health` and `shield` are the missing
 * amounts. */
export class World extends ValueColumns {
  tick: Tick = 0;
  /** Rows in use lie below this; {@link ids} is 0 for the free ones among them. */
  high = 0;
  /** Entities in sight. */
  count = 0;
  /** How often a drawn place was more than a tile wrong. */
  corrections = 0;
  ids = new Uint32Array(0);
  type = new Uint16Array(0);
  owner = new Uint8Array(0);
  hpMax = new Int32Array(0);
  shieldMax = new Int32Array(0);
  /** Tick at which it came into sight. */
  enterTick = new Uint32Array(0);
  /** Local time at which health last fell, for the flash; -1e9 for never. */
  hitMs = new Float64Array(0);
  /** The same of the shield. */
  shieldHitMs = new Float64Array(0);
  /** Local time at which it came into sight. */
  enterMs = new Float64Array(0);
  /** Local time at which it last fired. */
  shotMs = new Float64Array(0);
  /** Where its last shot went, in tiles, for turrets; 0: not known. */
  aimX = new Float32Array(0);
  aimZ = new Float32Array(0);

  private courseX = new Int32Array(0);
  private courseY = new Int32Array(0);
  private velX = new Int32Array(0);
  private velY = new Int32Array(0);
  private since = new Uint32Array(0);
  private face = new Float32Array(0);
  drawnFace = new Float32Array(0);
  private errX = new Float32Array(0);
  private errY = new Float32Array(0);
  private readonly bySlot = new Map<Handle, number>();
  private free: number[] = [];
  /** The tick that was drawn last, with a fraction; 0 before the first. */
  drawnTick = 0;
  /** Draws own entities ahead; null: off. */
  ahead: Ahead | null = null;
  private readonly want: Pose = { x: 0, y: 0, facing: 0, walks: false };

  /** How fast the match runs: its time to the drawing's time. */
  pace = 1;

  constructor(
    readonly rules: Rules,
    /** Tiles; positions are clamped to the map. */
    private readonly width: number,
    private readonly height: number,
    private readonly tickMs = 50,
  ) {
    super();
    this.grow(256);
  }

  /** The row of a handle, or -1 when it is not in sight. */
  slot(id: Handle): number {
    return this.bySlot.get(id) ?? -1;
  }

  has(id: Handle): boolean {
    return this.bySlot.has(id);
  }

  /** Exact position at the world's tick, world units. */
  posX(slot: number): number {
    return this.xAt(slot, this.tick);
  }
  posY(slot: number): number {
    return this.yAt(slot, this.tick);
  }
  /** The same at any tick, as far as the course goes. */
  xAt(slot: number, tick: number): number {
    const x = extrapolate(this.courseX[slot], this.velX[slot], tick - this.since[slot]);
    return Math.max(0, Math.min(this.width * WU_PER_TILE - 1, x));
  }
  yAt(slot: number, tick: number): number {
    const y = extrapolate(this.courseY[slot], this.velY[slot], tick - this.since[slot]);
    return Math.max(0, Math.min(this.height * WU_PER_TILE - 1, y));
  }
  /** How it moves, in the units of a course. */
  velocityX(slot: number): number {
    return this.velX[slot];
  }
  velocityY(slot: number): number {
    return this.velY[slot];
  }
  moving(slot: number): boolean {
    return this.velX[slot] !== 0 || this.velY[slot] !== 0;
  }

  enter(r: EnterRow, nowMs: number): number {
    const known = this.bySlot.get(r.handle);
    const slot = known ?? this.takeSlot();
    const type = typeOf(this.rules, r.type);
    this.bySlot.set(r.handle, slot);
    this.ids[slot] = r.handle;
    this.type[slot] = r.type;
    this.owner[slot] = r.owner;
    this.hpMax[slot] = type.health;
    this.shieldMax[slot] = type.shield;
    this.clearValues(slot);
    this.enterTick[slot] = this.tick;
    this.courseX[slot] = r.x;
    this.courseY[slot] = r.y;
    this.velX[slot] = r.vx;
    this.velY[slot] = r.vy;
    this.since[slot] = this.tick;
    this.errX[slot] = 0;
    this.errY[slot] = 0;
    this.hitMs[slot] = -1e9;
    this.shieldHitMs[slot] = -1e9;
    this.shotMs[slot] = -1e9;
    this.aimX[slot] = 0;
    this.aimZ[slot] = 0;
    this.enterMs[slot] = nowMs;
    this.face[slot] = r.vx || r.vy ? Math.atan2(r.vy, r.vx) : facingRad(r.facing);
    this.drawnFace[slot] = this.face[slot];
    if (known === undefined) this.count++;
    return slot;
  }

  /** A new course from a place (world units), starting at the world's tick. */
  motion(slot: number, x: number, y: number, vx: number, vy: number, facing: number): void {
    // As `blend`, without a function for each row.
    this.aim(slot);
    const { x: wasX, y: wasY } = this.want;
    this.courseX[slot] = x;
    this.courseY[slot] = y;
    this.velX[slot] = vx;
    this.velY[slot] = vy;
    this.since[slot] = this.tick;
    this.face[slot] = vx || vy ? Math.atan2(vy, vx) : facingRad(facing);
    this.keepAt(slot, wasX, wasY);
  }

  /** Turns an entity that stands towards a place, in world units: it faces its target. */
  faceTowards(slot: number, x: number, y: number): void {
    if (this.velX[slot] || this.velY[slot]) return;
    this.face[slot] = Math.atan2(y - this.posY(slot), x - this.posX(slot));
  }

  /** Refines the cell of this frame's motion: the place inside it, as of `ago` ticks before. */
  exact(slot: number, ago: number, fineX: number, fineY: number): void {
    const refine = () => {
      this.courseX[slot] = Math.floor(this.courseX[slot] / CELL_WU) * CELL_WU + fineX;
      this.courseY[slot] = Math.floor(this.courseY[slot] / CELL_WU) * CELL_WU + fineY;
      this.since[slot] = this.tick - ago;
    };
    if (this.enterTick[slot] === this.tick) refine();
    else this.blend(slot, refine);
  }

  /**
   * Makes a change from which another drawn place follows. The drawn place does not
   * jump: the difference is kept, and fades.
   */
  blend(slot: number, change: () => void): void {
    this.aim(slot);
    const { x, y } = this.want;
    change();
    this.keepAt(slot, x, y);
  }

  /** Where a row is drawn at the drawn tick. */
  drawnAt(slot: number, out: Pos): void {
    this.aim(slot);
    out.x = this.want.x + this.errX[slot];
    out.y = this.want.y + this.errY[slot];
  }

  /** Draws a row at a place, from where it fades to where it is now to be drawn. */
  drawFrom(slot: number, at: Pos): void {
    this.errX[slot] = 0;
    this.errY[slot] = 0;
    this.keepAt(slot, at.x, at.y);
  }

  /** Keeps the drawn places where the drawn tick made a step: `due` is the tick that would have followed. */
  private blendClock(slot: number, due: number): void {
    const tick = this.drawnTick;
    this.drawnTick = due;
    this.aim(slot);
    const { x, y } = this.want;
    this.drawnTick = tick;
    this.keepAt(slot, x, y);
  }

  /** Keeps the difference between where a row was to be drawn, and where it is now. */
  private keepAt(slot: number, x: number, y: number): void {
    this.aim(slot);
    const ex = this.errX[slot] + x - this.want.x;
    const ey = this.errY[slot] + y - this.want.y;
    const wrong = Math.hypot(ex, ey);
    if (wrong > WU_PER_TILE) this.corrections++;
    const snap = wrong > SNAP_TILES * WU_PER_TILE;
    this.errX[slot] = snap ? 0 : ex;
    this.errY[slot] = snap ? 0 : ey;
  }

  /** Where the server's course has a row at a tick (fractions allowed), for drawing. */
  reckon(slot: number, tick: number, out: Pose): void {
    const ticks = Math.max(-BACK_TICKS_MAX, tick - this.since[slot]);
    out.x = glide(this.courseX[slot], this.velX[slot], ticks);
    out.y = glide(this.courseY[slot], this.velY[slot], ticks);
    out.facing = this.face[slot];
    out.walks = this.moving(slot);
  }

  /** The tick since which a row has its course. */
  courseSince(slot: number): Tick {
    return this.since[slot];
  }

  /** Health left. */
  hp(slot: number): number {
    return this.left(slot, "health");
  }

  /** The remaining amount of an attribute. */
  left(slot: number, of: AttributeKey): number {
    return Math.max(0, (of === "health" ? this.hpMax : this.shieldMax)[slot] - this[of][slot]);
  }

  /**
   * Sets a value as of the world's tick. A row of an attribute counts as one change, unless the entity came into
   * sight with it.
   */
  setValue(slot: number, key: ValueKey, sent: number): void {
    const counter = COUNTER[key];
    if (counter && this.enterTick[slot] !== this.tick)
      this[counter][slot] = (this[counter][slot] + 1) % CHANGES_WRAP;
    this[key][slot] = sent;
  }

  leave(id: Handle): boolean {
    const slot = this.bySlot.get(id);
    if (slot === undefined) return false;
    this.bySlot.delete(id);
    this.ids[slot] = 0;
    this.free.push(slot);
    this.count--;
    return true;
  }

  clear(): void {
    this.bySlot.clear();
    this.ids.fill(0);
    this.free = [];
    this.high = 0;
    this.count = 0;
  }

  /**
   * Fills `out` with where everything is drawn at a tick (fractions allowed)
   * and returns how many rows it filled. Allocates only when there are more entities.
   */
  sample(tick: number, passedMs: number, out: PoseColumns): number {
    const dtMs = passedMs * this.pace;
    const ticks = dtMs / this.tickMs;
    const due = this.drawnTick + ticks;
    this.ahead?.step(Math.max(0, Math.min(ticks, tick - this.drawnTick)));
    const stepped = this.drawnTick > 0 && Math.abs(tick - due) > CLOCK_STEP_TICKS;
    this.drawnTick = tick;
    out.reserve(this.count);
    const turnMax = (TURN_RATE * dtMs) / 1000;
    const { ids, since, courseX, courseY, velX, velY, errX, errY, face, drawnFace, ahead, want } = this;
    const anyAhead = ahead !== null && ahead.size > 0;
    let n = 0;
    for (let s = 0; s < this.high; s++) {
      if (ids[s] === 0) continue;
      if (stepped && typeOf(this.rules, this.type[s]).class !== "projectile") this.blendClock(s, due);
      // As `aim`, but without an object: numbers that go into one are boxed, for each entity of each frame.
      const led = anyAhead && ahead.pose(s, tick, want);
      const ticks = Math.max(-BACK_TICKS_MAX, tick - since[s]);
      const x = led ? want.x : glide(courseX[s], velX[s], ticks);
      const y = led ? want.y : glide(courseY[s], velY[s], ticks);
      if (errX[s] !== 0 || errY[s] !== 0) this.fade(s, dtMs, led ? want.walks : this.moving(s));
      const d = turn(drawnFace[s], led ? want.facing : face[s]);
      drawnFace[s] += Math.max(-turnMax, Math.min(turnMax, d));
      out.slot[n] = s;
      out.x[n] = (x + errX[s]) / WU_PER_TILE;
      out.z[n] = (y + errY[s]) / WU_PER_TILE;
      out.facing[n] = drawnFace[s];
      n++;
    }
    return n;
  }

  /** Ends all smoothing: after a hidden tab, entities are drawn where they are. */
  snap(): void {
    this.errX.fill(0);
    this.errY.fill(0);
    this.drawnFace.set(this.face);
  }

  /** Sets `want`: where a row is drawn at the drawn tick, but for its blend. */
  private aim(slot: number): void {
    const { want } = this;
    const { ahead } = this;
    if (ahead !== null && ahead.size > 0 && ahead.pose(slot, this.drawnTick, want)) return;
    this.reckon(slot, this.drawnTick, want);
  }

  /** Fades the blend of a row for the time of a frame. */
  private fade(slot: number, dtMs: number, walks: boolean): void {
    const left = Math.sqrt(this.errX[slot] ** 2 + this.errY[slot] ** 2);
    const full = typeOf(this.rules, this.type[slot]).speed / 64 / this.tickMs;
    const share = walks ? BLEND_SHARE : BLEND_SHARE_STANDING;
    const least = Math.max(full * share, (BLEND_TILES_PER_S * WU_PER_TILE) / 1000);
    const rate = Math.max(least, left / BLEND_MS);
    const keep = Math.max(0, 1 - (rate * dtMs) / left);
    this.errX[slot] *= keep;
    this.errY[slot] *= keep;
  }

  private takeSlot(): number {
    const reused = this.free.pop();
    if (reused !== undefined) return reused;
    if (this.high === this.ids.length) this.grow(this.high * 2);
    return this.high++;
  }

  private grow(n: number): void {
    const wider = <T extends { set(a: ArrayLike<number>): void; readonly length: number }>(
      old: T & ArrayLike<number>,
      make: new (n: number) => T,
    ): T => {
      const next = new make(n);
      next.set(old);
      return next;
    };
    this.ids = wider(this.ids, Uint32Array);
    this.type = wider(this.type, Uint16Array);
    this.owner = wider(this.owner, Uint8Array);
    this.hpMax = wider(this.hpMax, Int32Array);
    this.shieldMax = wider(this.shieldMax, Int32Array);
    this.growValues((column) => wider(column, Uint32Array));
    this.enterTick = wider(this.enterTick, Uint32Array);
    this.hitMs = wider(this.hitMs, Float64Array);
    this.shieldHitMs = wider(this.shieldHitMs, Float64Array);
    this.enterMs = wider(this.enterMs, Float64Array);
    this.shotMs = wider(this.shotMs, Float64Array);
    this.aimX = wider(this.aimX, Float32Array);
    this.aimZ = wider(this.aimZ, Float32Array);
    this.courseX = wider(this.courseX, Int32Array);
    this.courseY = wider(this.courseY, Int32Array);
    this.velX = wider(this.velX, Int32Array);
    this.velY = wider(this.velY, Int32Array);
    this.since = wider(this.since, Uint32Array);
    this.face = wider(this.face, Float32Array);
    this.drawnFace = wider(this.drawnFace, Float32Array);
    this.errX = wider(this.errX, Float32Array);
    this.errY = wider(this.errY, Float32Array);
  }
}
