// How units move their parts as they go: the phase of a stride, which follows the
// way and not the time, so that no foot slides; how far feet swing; and the roll of
// what flies through a turn. Columns by the row of the world.

import { type PoseColumns, type TypeInfo, turn } from "@fogkeep/client";

/** A stride is so many radii long. */
const STRIDE_RADII = 3.4;
const EASE_MS = 120;
/** Moves by more than this between two frames are no walk, but another entity or a correction. */
const STEP_TILES_MAX = 1.5;
/** Slower moves than this per second do not count. */
const STILL_TILES_S = 0.15;
/** A turn of so many radians a second is a full roll. */
const ROLL_AT = 5;
const AIR = 3;

export class GaitColumns {
  /** 0 to 1. */
  phase = new Float32Array(256);
  /** How far feet swing, 0 to 1. */
  length = new Float32Array(256);
  /** -1 to 1. */
  roll = new Float32Array(256);
  private id = new Uint32Array(256);
  private x = new Float32Array(256);
  private z = new Float32Array(256);
  private facing = new Float32Array(256);
  /** Half the height that the body rises at each step, in tiles. */
  private rise = new Float32Array(256);

  reserve(rows: number): void {
    if (this.phase.length >= rows) return;
    const floats = (old: Float32Array) => {
      const next = new Float32Array(rows);
      next.set(old);
      return next;
    };
    this.phase = floats(this.phase);
    this.length = floats(this.length);
    this.roll = floats(this.roll);
    this.x = floats(this.x);
    this.z = floats(this.z);
    this.facing = floats(this.facing);
    this.rise = floats(this.rise);
    const id = new Uint32Array(rows);
    id.set(this.id);
    this.id = id;
  }

  /** Takes in where a unit is drawn now: a row of `poses`. */
  step(
    row: number,
    id: number,
    poses: PoseColumns,
    at: number,
    { moveKind, radius }: Pick<TypeInfo, "moveKind" | "radius">,
    dtMs: number,
  ): void {
    const x = poses.x[at];
    const z = poses.z[at];
    const facing = poses.facing[at];
    const dx = x - this.x[row];
    const dz = z - this.z[row];
    const way = Math.sqrt(dx * dx + dz * dz); // Math.hypot boxes what it is given
    const turned = turn(this.facing[row], facing);
    this.x[row] = x;
    this.z[row] = z;
    this.facing[row] = facing;
    if (this.id[row] !== id || way > STEP_TILES_MAX) {
      this.id[row] = id;
      this.length[row] = 0;
      this.roll[row] = 0;
      this.rise[row] = 0;
      return;
    }
    if (dtMs <= 0) return;
    const seconds = dtMs / 1000;
    const ease = Math.min(1, dtMs / EASE_MS);
    const walks = way / seconds > STILL_TILES_S ? 1 : 0;
    this.length[row] += (walks - this.length[row]) * ease;
    this.phase[row] = (this.phase[row] + way / (radius * STRIDE_RADII)) % 1;
    this.rise[row] = moveKind === 0 ? radius * 0.07 : 0;
    const want = moveKind === AIR ? Math.max(-1, Math.min(1, turned / seconds / ROLL_AT)) : 0;
    this.roll[row] += (want - this.roll[row]) * ease;
  }

  /** How far the body is over its place: it rises at each of the two steps of a stride. */
  bob(row: number): number {
    return this.rise[row] * this.length[row] * (1 - Math.cos(this.phase[row] * 4 * Math.PI));
  }
}
