// Entities that left sight fade out where they were. The number of poses is
// fixed, so that a battle does not allocate.

import type { Units } from "./units";
import type { ViewPlanes } from "./viewplanes";

const LEAVE_MS = 250;
const KEPT = 128;
/** No entity and no shadow is larger, in tiles. */
const REACH = 8;

export interface LastPose {
  type: number;
  /** Index of the owner's colour. */
  owner: number;
  x: number;
  y: number;
  z: number;
  facing: number;
  aim: number;
  built: number;
}

export class Fading {
  private readonly poses: (LastPose & { startMs: number })[] = Array.from({ length: KEPT }, () => ({
    type: -1,
    owner: 0,
    x: 0,
    y: 0,
    z: 0,
    facing: 0,
    aim: 0,
    built: 1,
    startMs: 0,
  }));
  private next = 0;

  /** The next pose, for the caller to fill; replaces the oldest. */
  begin(nowMs: number): LastPose {
    const p = this.poses[this.next];
    this.next = (this.next + 1) % KEPT;
    p.startMs = nowMs;
    return p;
  }

  draw(nowMs: number, units: Units, view: ViewPlanes): void {
    for (const p of this.poses) {
      if (p.type < 0) continue;
      const alpha = 1 - (nowMs - p.startMs) / LEAVE_MS;
      if (alpha <= 0) p.type = -1;
      else if (view.touches(p.x, p.y, p.z, REACH))
        units.batches[p.type]?.push(p.x, p.y, p.z, p.facing, p.aim, p.built, p.owner, alpha, 0, 0);
    }
  }
}
