// Weapon fire. The server sends when an entity opens or ceases fire and at
// what; the single shots in between follow from the weapon's rate.

import type { Handle } from "../base/ids";
import type { Emitter } from "../base/signal";
import type { StateEvents } from "./events";
import type { MatchInfo } from "./info";
import { typeOf } from "./rules";
import type { World } from "./world";

/** The bit of a burst that says that it continues. */
const FIRING = 2;

export class WeaponFire {
  private readonly firing = new Set<Handle>();

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly events: Emitter<StateEvents>,
  ) {}

  clear(): void {
    this.firing.clear();
  }

  /** The burst of an entity changed. */
  burst(id: Handle, burst: number): void {
    if ((burst & FIRING) !== 0) this.firing.add(id);
    else this.firing.delete(id);
  }

  /** An entity opens fire on another target, both in sight. */
  open(id: Handle, target: Handle, nowMs: number): void {
    const { world } = this;
    const slot = world.slot(id);
    const aim = world.slot(target);
    if (slot < 0 || aim < 0) return;
    const x = world.posX(aim);
    const y = world.posY(aim);
    this.shoot(slot, x, y, nowMs);
    const weapon = typeOf(this.info.rules, world.type[slot]).weapons[0] ?? 0;
    this.events.emit("shot", { x, y, what: weapon, source: id, target });
  }

  /** A row shoots at a place, in world units. */
  shoot(slot: number, x: number, y: number, nowMs: number): void {
    const { world } = this;
    world.faceTowards(slot, x, y);
    world.shotMs[slot] = nowMs;
    world.aimX[slot] = x / 1024;
    world.aimZ[slot] = y / 1024;
  }

  /** Emits the shots that are due by the weapons' rates. */
  step(nowMs: number): void {
    const { world } = this;
    const { rules, tickMs } = this.info;
    for (const id of this.firing) {
      const slot = world.slot(id);
      if (slot < 0) {
        this.firing.delete(id);
        continue;
      }
      const weapon = rules.weapons[typeOf(rules, world.type[slot]).weapons[0] ?? -1];
      const periodMs = (weapon?.cooldownTicks ?? 20) * tickMs;
      if (nowMs - world.shotMs[slot] < periodMs) continue;
      world.shotMs[slot] = nowMs;
      this.events.emit("fire", { slot, shots: 1 });
    }
  }
}
