// The size, parts and mark of an explosion. All are bounded: a battle draws no more than the pools of effects.ts hold.

import { type Rules, type TypeInfo, WATER } from "@fogkeep/client";
import type { HeightField } from "./heightfield";
import { scaleOf } from "./models";

/** The most parts of one explosion. */
export const BILLOWS_MAX = 9;
export const SMOKES_MAX = 8;
export const SHARDS_MAX = 16;
const PLUME_MAX = 14;
/** An explosion without splash. */
const SMALL = 0.4;
/** Ground that rises by more than this under a mark is too steep for it. */
const STEEP = 0.3;

/** Radius of the explosion of an entity that is destroyed, in tiles. */
export function sizeOfDeath(type: TypeInfo): number {
  if (type.class === "structure") return 0.45 + type.footprint * 0.38;
  return 0.25 + scaleOf(type) * 0.9;
}

/** Radius of the explosion of a weapon's projectile, in tiles. */
export function sizeOfWeapon(rules: Rules, weapon: number): number {
  const splash = (rules.weapons[weapon]?.splash ?? 0) / 1024;
  return Math.max(SMALL, splash * 0.75);
}

/** The same of a projectile that was seen to fly: its type names its weapon. */
export function sizeOfProjectile(rules: Rules, type: number): number {
  return sizeOfWeapon(
    rules,
    rules.weapons.findIndex((w) => w.projectile && w.projectileType === type),
  );
}

/** How many clouds of fire, clouds of smoke and pieces an explosion has; `share` is the quality's. */
export const billowsOf = (size: number, share: number): number =>
  Math.min(BILLOWS_MAX, Math.max(1, Math.round((1.5 + 3 * size) * share)));
export const smokesOf = (size: number, share: number): number =>
  size < 0.5 ? 0 : Math.min(SMOKES_MAX, Math.max(1, Math.round(2.6 * size * share)));
export const shardsOf = (size: number, share: number): number =>
  Math.min(SHARDS_MAX, Math.round(7 * size * share));
/** Clouds that rise from where a structure stood. */
export const plumeOf = (size: number, share: number): number =>
  size < 1 ? 0 : Math.min(PLUME_MAX, Math.round(6 * size * share));

/** Whether a place is on water. */
export function onWater(ground: HeightField, x: number, z: number): boolean {
  const { map } = ground;
  const i = Math.floor(x);
  const j = Math.floor(z);
  return i >= 0 && j >= 0 && i < map.width && j < map.height && map.terrain[j * map.width + i] === WATER;
}

/**
 * Whether a mark of a radius can lie at a place. It is a flat disc: not on water or
 * with an edge over it, and not where the ground is steep.
 */
export function markFits(ground: HeightField, x: number, z: number, radius: number): boolean {
  if (onWater(ground, x, z)) return false;
  const here = ground.at(x, z);
  for (let k = 0; k < 8; k++) {
    const px = x + Math.cos((k * Math.PI) / 4) * radius;
    const pz = z + Math.sin((k * Math.PI) / 4) * radius;
    if (onWater(ground, px, pz) || Math.abs(ground.at(px, pz) - here) > STEEP) return false;
  }
  return true;
}
