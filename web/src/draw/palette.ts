// All colours that are drawn (sRGB hex). The ground has muted colours, players and
// fire strong ones.

import { PLAYER_COLORS } from "@fogkeep/client";

/** Outside the map, and the page behind the canvas. */
export const PAGE = "#070a0e";

/** By terrain number, see state/map.ts. */
export const GROUND = [
  "#4a5240", // grass
  "#5d5346", // dirt
  "#6c6350", // sand
  "#494c50", // rock
  "#6d675d", // road
  "#565049", // rubble
  "#76838c", // ice
  "#2c3a40", // water's bed
  "#3b3f45", // cliff
] as const;
export const WATER_SURFACE = "#223b4d";

/** On pictures of a map from above (draw/topdown.ts): water, the fog, and the outside of the map. */
export const WATER_FROM_ABOVE = "#29455c";
export const FOG_FROM_ABOVE = "#070a10";
export const OUTSIDE = "#05070a";
/** Of markers from above. */
export const RESOURCE = "#7fd0dc";
export const BAR_BACK = "#26303a";

export const BODY = "#8d949a";
export const BODY_LIGHT = "#b4bbc0";
export const BODY_DARK = "#50575e";
export const GUN = "#2f3439";
export const LAMP = "#ffd98a";

export const KEY_LIGHT = "#ffe2b8";
export const SKY_LIGHT = "#8fb3d9";
export const EARTH_LIGHT = "#3a3226";

export const PROJECTILE = "#fff2c9";

export const NEUTRAL = "#c9b98a";

/** A player's colour by its number. The page has eight; emblems tell sixteen numbers apart. */
export const playerColor = (n: number): string => PLAYER_COLORS[n % PLAYER_COLOR_NAMES.length];

/** Names of the colours, for screen readers. */
export const PLAYER_COLOR_NAMES = [
  "lavender",
  "rust",
  "lemon",
  "teal",
  "amber",
  "mint",
  "violet",
  "sea",
] as const;

/** Colours by relation to the player. */
export const RELATION = { self: "#0071ff", ally: "#ffffff", enemy: "#ff7500", neutral: "#c9addf" } as const;

/** The same as in ui/theme.css. */
export const TEXT = "#e6ebf0";
export const GOOD = "#5fd38d";
export const DANGER = "#ff6b57";
export const ACCENT = "#ffd43b";
export const SHIELD = "#7cc7ff";
export const ENERGY = "#c79bff";

/** Contacts of radar. */
export const CONTACT = "#7dffb0";

/** Ripples of sounds on the minimap. */
export const SOUND = "#8fb7ff";

/** Pings by kind: a colour and the number of an emblem. */
export const PINGS = {
  look: { color: ACCENT, emblem: 3 },
  danger: { color: DANGER, emblem: 1 },
  help: { color: "#6cc4ff", emblem: 4 },
} as const;

/** `#rrggbb` as three numbers from 0 to 1, still sRGB. */
export function rgb(hex: string): [number, number, number] {
  const n = Number.parseInt(hex.slice(1), 16);
  return [((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

/** One sRGB channel to linear light. */
export function linear(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

/** `#rrggbb` in linear light. */
export function linearRgb(hex: string): [number, number, number] {
  const [r, g, b] = rgb(hex);
  return [linear(r), linear(g), linear(b)];
}
