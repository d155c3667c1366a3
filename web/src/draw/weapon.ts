// The sort of a weapon, from its rules: its muzzle flash and its sound follow from it.

import type { WeaponInfo } from "@fogkeep/client";

export type WeaponSort = "blade" | "gun" | "cannon" | "rocket" | "bolt";

/** A weapon that reaches no further strikes, in world units. */
const STRIKE_REACH = 614;

export function weaponSort(w: WeaponInfo): WeaponSort {
  if (!w.projectile) return w.range <= STRIKE_REACH ? "blade" : "gun";
  if (w.splash === 0) return "bolt";
  return w.homing ? "rocket" : "cannon";
}
