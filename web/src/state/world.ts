// The entities that the team sees, in columns. An entity keeps its row while it
// is in sight. Only `MatchState.apply` writes; drawing and input read.

import { type Handle, type Tick, type TypeId, WU_PER_TILE } from "../base/ids";
import { ValueColumns, type ValueKey } from "../gen/fields";
import { CELL_WU } from "./course";
import { extrapolate, facingRad, glide, turn } from "./motion";
import { type Rules, typeOf } from "./rules";

export { ABILITY_FLAGS, FLAG } from "../gen/fields";

/** How fast a correction of the drawn place fades, as a time constant. */
const SETTLE_MS = 90;
/** A correction of more than this many tiles is shown at once. */
const SNAP_TILES = 4;
/** How fast a drawn entity turns, radians a second. */
const TURN_RATE = 9;
/** How far before its start a course is drawn, to join the course before. */
const BACK_TICKS_MAX = 4;
/** Where the counter of health changes wraps. */
const CHANGES_WRAP = 128;

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

export interface EnterRow {
  handle: Handle;
  type: TypeId;
  /** Slot, or 0xff for nobody. */
  owner: number;
  x: number;
  y: number;
  vx: number;
  vy: number;
  facing: number;
}

/** The values of entities are columns too; what each means, server.proto says. `health` is what is missing. */
export class World extends ValueColumns {
  tick: Tick = 0;
  /** Rows in use lie below this; {@link ids} is 0 for the free ones among them. */
  high = 0;
  /** Entities in sight. */
  count = 0;
  ids = new Uint32Array(0);
  type = new Uint16Array(0);
  owner = new Uint8Array(0);
  hpMax = new Int32Array(0);
  /** Tick at which it came into sight. */
  enterTick = new Uint32Array(0);
  /** Local time at which health last fell, for the flash; -1e9 for never. */
  hitMs = new Float64Array(0);
  /** Local time at which it came into sight. */
  enterMs = new Float64Array(0);
  /** Local time at which it last fired. */
  shotMs = new Float64Array(0);
  /** Where its last shot went, in tiles, for turrets. */
  aimX = new Float32Array(0);
  aimZ = new Float32Array(0);

  private courseX = new Int32Array(0);
  private courseY = new Int32Array(0);
  private velX = new Int32Array(0);
  private velY = new Int32Array(0);
  private since = new Uint32Array(0);
  private face = new Float32Array(0);
  private drawnFace = new Float32Array(0);
  private errX = new Float32Array(0);
  private errY = new Float32Array(0);
  private readonly bySlot = new Map<Handle, number>();
  private free: number[] = [];
  private drawnTick = 0;

  constructor(
    readonly rules: Rules,
    /** Tiles; positions are clamped to the map. */
    private readonly width: number,
    private readonly height: number,
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
  moving(slot: number): boolean {
    return this.velX[slot] !== 0 || this.velY[slot] !== 0;
  }

  enter(r: EnterRow, nowMs: number): number {
    const known = this.bySlot.get(r.handle);
    const slot = known ?? this.takeSlot();
    const hpMax = typeOf(this.rules, r.type).health;
    this.bySlot.set(r.handle, slot);
    this.ids[slot] = r.handle;
    this.type[slot] = r.type;
    this.owner[slot] = r.owner;
    this.hpMax[slot] = hpMax;
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
    this.shotMs[slot] = -1e9;
    this.enterMs[slot] = nowMs;
    this.face[slot] = r.vx || r.vy ? Math.atan2(r.vy, r.vx) : facingRad(r.facing);
    this.drawnFace[slot] = this.face[slot];
    if (known === undefined) this.count++;
    return slot;
  }

  /** A new course from a place (world units), starting at the world's tick. */
  motion(slot: number, x: number, y: number, vx: number, vy: number, facing: number): void {
    const oldX = this.drawX(slot);
    const oldY = this.drawY(slot);
    this.courseX[slot] = x;
    this.courseY[slot] = y;
    this.velX[slot] = vx;
    this.velY[slot] = vy;
    this.since[slot] = this.tick;
    this.face[slot] = vx || vy ? Math.atan2(vy, vx) : facingRad(facing);
    this.keepDrawn(slot, oldX, oldY);
  }

  /** Turns an entity that stands towards a place, in world units: it faces what it fires at. */
  faceTowards(slot: number, x: number, y: number): void {
    if (this.velX[slot] || this.velY[slot]) return;
    this.face[slot] = Math.atan2(y - this.posY(slot), x - this.posX(slot));
  }

  /** Refines the cell of this frame's motion: the place inside it, as of `ago` ticks before. */
  exact(slot: number, ago: number, fineX: number, fineY: number): void {
    const oldX = this.drawX(slot);
    const oldY = this.drawY(slot);
    this.courseX[slot] = Math.floor(this.courseX[slot] / CELL_WU) * CELL_WU + fineX;
    this.courseY[slot] = Math.floor(this.courseY[slot] / CELL_WU) * CELL_WU + fineY;
    this.since[slot] = this.tick - ago;
    if (this.enterTick[slot] !== this.tick) this.keepDrawn(slot, oldX, oldY);
  }

  /** The drawn place does not jump: the difference is kept and fades. */
  private keepDrawn(slot: number, oldX: number, oldY: number): void {
    const ex = this.errX[slot] + oldX - this.drawX(slot);
    const ey = this.errY[slot] + oldY - this.drawY(slot);
    const snap = Math.abs(ex) + Math.abs(ey) > SNAP_TILES * WU_PER_TILE;
    this.errX[slot] = snap ? 0 : ex;
    this.errY[slot] = snap ? 0 : ey;
  }

  /** Health left. */
  hp(slot: number): number {
    return this.hpMax[slot] - this.health[slot];
  }

  /** Sets a value as of the world's tick. */
  setValue(slot: number, key: ValueKey, sent: number, nowMs: number): void {
    const value = key === "health" ? Math.min(sent, this.hpMax[slot]) : sent;
    if (this.enterTick[slot] !== this.tick) {
      if (key === "health") {
        this.healthChanges[slot] = (this.healthChanges[slot] + 1) % CHANGES_WRAP;
        if (value > this.health[slot]) this.hitMs[slot] = nowMs;
      }
      // Health changed more often than rows were sent: it fell, and may have risen again.
      if (key === "healthChanges") this.hitMs[slot] = nowMs;
    }
    this[key][slot] = value;
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
  sample(tick: number, dtMs: number, out: PoseColumns): number {
    this.drawnTick = tick;
    out.reserve(this.count);
    const keep = Math.exp(-dtMs / SETTLE_MS);
    const turnMax = (TURN_RATE * dtMs) / 1000;
    let n = 0;
    for (let s = 0; s < this.high; s++) {
      if (this.ids[s] === 0) continue;
      this.errX[s] *= keep;
      this.errY[s] *= keep;
      const d = turn(this.drawnFace[s], this.face[s]);
      this.drawnFace[s] += Math.max(-turnMax, Math.min(turnMax, d));
      out.slot[n] = s;
      out.x[n] = (this.drawX(s) + this.errX[s]) / WU_PER_TILE;
      out.z[n] = (this.drawY(s) + this.errY[s]) / WU_PER_TILE;
      out.facing[n] = this.drawnFace[s];
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

  private drawX(s: number): number {
    return glide(this.courseX[s], this.velX[s], this.drawTicks(s));
  }
  private drawY(s: number): number {
    return glide(this.courseY[s], this.velY[s], this.drawTicks(s));
  }
  private drawTicks(s: number): number {
    return Math.max(-BACK_TICKS_MAX, this.drawnTick - this.since[s]);
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
    this.growValues((column) => wider(column, Uint32Array));
    this.enterTick = wider(this.enterTick, Uint32Array);
    this.hitMs = wider(this.hitMs, Float64Array);
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
