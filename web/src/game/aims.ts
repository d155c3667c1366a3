// Marks where the player's own units fire at the ground: a small ring at the place,
// and a circle as wide as the effect of the hit.

import { type Handle, type MatchState, type Pos, weaponOf } from "@fogkeep/client";
import { DANGER } from "../draw/palette";
import type { HeightField } from "../render/heightfield";
import { colorBytes, DECAL, type Decals } from "../render/sprites";

const COLOR = colorBytes(DANGER);
/** The most places that are marked. */
export const AIMS_MAX = 48;
/** Places of one order are told to a sixteenth of a tile; nearer ones are one mark. World units. */
const SAME_WU = 128;

/** Places that own units fire at, by the server or by an order that it has not answered; tiles. */
export class Aims {
  readonly x = new Float32Array(AIMS_MAX);
  readonly z = new Float32Array(AIMS_MAX);
  /** Radius of the effect, tiles; 0 without one. */
  readonly splash = new Float32Array(AIMS_MAX);
  count = 0;

  update(state: MatchState): void {
    this.count = 0;
    for (const unit of state.own.units.keys()) {
      const task = state.prediction.task(unit) ?? state.own.units.get(unit);
      if (task?.doing === "attackGround" && task.to) this.add(state, unit, task.to);
    }
    for (const s of state.shots.values()) {
      if (s.phase === "windUp" && s.to) this.add(state, s.unit, s.to);
    }
  }

  draw(decals: Decals, ground: HeightField): void {
    for (let k = 0; k < this.count; k++) {
      const x = this.x[k];
      const z = this.z[k];
      const y = ground.floor(x, z);
      decals.push(DECAL.ring, x, y, z, 0.22, 0.07, COLOR, 0.9);
      if (this.splash[k] > 0) decals.push(DECAL.ring, x, y, z, this.splash[k], 0.05, COLOR, 0.45);
    }
  }

  private add(state: MatchState, unit: Handle, to: Pos): void {
    const slot = state.world.slot(unit);
    if (slot < 0 || this.count === AIMS_MAX) return;
    const x = to.x / 1024;
    const z = to.y / 1024;
    const same = SAME_WU / 1024;
    for (let k = 0; k < this.count; k++)
      if (Math.abs(this.x[k] - x) < same && Math.abs(this.z[k] - z) < same) return;
    this.x[this.count] = x;
    this.z[this.count] = z;
    this.splash[this.count++] =
      (weaponOf(state.info.rules, state.world, state.actions, slot)?.splash ?? 0) / 1024;
  }
}
