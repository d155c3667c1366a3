// Scorched ground. The marks last long, so they have a pool of their own: shots
// and smoke never push them out, and they push out no other mark.

import { markFits } from "./blast";
import type { HeightField } from "./heightfield";
import { type ColorBytes, DECAL, type Decals } from "./sprites";
import type { ViewPlanes } from "./viewplanes";

const LIFE_MS = 30_000;
const FADE_MS = 8000;
const RADIUS_MIN = 0.3;

export class Marks {
  private readonly x: Float32Array;
  private readonly z: Float32Array;
  private readonly y: Float32Array;
  private readonly radius: Float32Array;
  private readonly start: Float64Array;
  private next = 0;
  /** Marks that were ever laid. */
  laid = 0;

  constructor(
    private readonly ground: HeightField,
    private readonly color: ColorBytes,
    /** The most marks at a time; the oldest goes. */
    readonly most: number,
  ) {
    this.x = new Float32Array(most);
    this.y = new Float32Array(most);
    this.z = new Float32Array(most);
    this.radius = new Float32Array(most);
    this.start = new Float64Array(most).fill(Number.NEGATIVE_INFINITY);
  }

  /** Lays a mark, smaller where the ground allows no larger one; returns whether it fits at all. */
  lay(x: number, z: number, radius: number, nowMs: number): boolean {
    let r = radius;
    while (r >= RADIUS_MIN && !markFits(this.ground, x, z, r)) r *= 0.7;
    if (r < RADIUS_MIN) return false;
    const i = this.next;
    this.next = (i + 1) % this.most;
    this.laid++;
    this.x[i] = x;
    this.z[i] = z;
    this.y[i] = this.ground.at(x, z);
    this.radius[i] = r;
    this.start[i] = nowMs;
    return true;
  }

  draw(nowMs: number, decals: Decals, view: ViewPlanes): void {
    for (let i = 0; i < this.most; i++) {
      const left = this.start[i] + LIFE_MS - nowMs;
      if (left <= 0 || !view.touches(this.x[i], this.y[i], this.z[i], 1.1 * this.radius[i])) continue;
      const alpha = 0.62 * Math.min(1, left / FADE_MS);
      const turn = (this.x[i] * 7 + this.z[i] * 3) % 6.28;
      decals.push(
        DECAL.scorch,
        this.x[i],
        this.y[i],
        this.z[i],
        this.radius[i],
        0,
        this.color,
        alpha,
        turn,
        true,
      );
    }
  }
}
