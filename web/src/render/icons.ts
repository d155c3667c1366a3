// Icons instead of models where units are too small to be told apart. The plate's
// shape says whose a unit is, so that colours need not: square own, disc ally,
// diamond enemy. The sign on it shows the unit's role.

import type { TypeInfo } from "@fogkeep/client";
import { modelName } from "./models";

/** Pixels of the page a tile is wide: icons begin to show below the first, and models are gone at the second. */
const MODELS_PX = 27;
const ICONS_PX = 22;

/** Half the side of an icon, in pixels of the page. */
export const ICON_HALF_PX = 10;

/** Signs, by their numbers in the shader (sprites.ts). */
export const GLYPH = {
  soldier: 0,
  worker: 1,
  scout: 2,
  artillery: 3,
  caster: 4,
  flyer: 5,
  detector: 6,
  raider: 7,
  tank: 8,
  other: 9,
} as const;

/** Plates, by their numbers in the shader. */
export const PLATE = { own: 0, ally: 1, enemy: 2 } as const;

/** How far icons have taken the place of models, 0 to 1, where a tile is so many pixels of the page wide. */
export function iconShare(pxPerTile: number): number {
  return Math.max(0, Math.min(1, (MODELS_PX - pxPerTile) / (MODELS_PX - ICONS_PX)));
}

/** The sign of a type; -1: it has no icon, and its model is drawn from any distance. */
export function glyphOf(type: TypeInfo): number {
  if (type.class !== "unit") return -1;
  return (GLYPH as Readonly<Record<string, number>>)[modelName(type)] ?? GLYPH.other;
}

/**
 * The plate of a unit. A viewer with all teams' eyes has no enemy: there the team's
 * number chooses, so that neighbours differ.
 */
export function plateOf(own: boolean, allied: boolean, allTeams: boolean, team: number): number {
  if (allTeams) return Math.max(0, team) % 3;
  return own ? PLATE.own : allied ? PLATE.ally : PLATE.enemy;
}
