// Ids and units as types: a signature says which kind of number it takes.

/** A team's own name for an entity while it is in the team's sight; never 0. */
export type Handle = number;
/** One step of the simulation, counted from 0 at the match's start. */
export type Tick = number;
/** A player's number in a match, from 0. */
export type Slot = number;
export type Team = number;
/** Index into the rules' list of types. */
export type TypeId = number;
/** Index into the rules' list of abilities. */
export type AbilityId = number;

/** A cell of the map: x to the east, y to the south. */
export interface Tile {
  x: number;
  y: number;
}

/** A point on the map in world units, integers, {@link WU_PER_TILE} to a tile. */
export interface Pos {
  x: number;
  y: number;
}

/** The meaning of a ping on the map. */
export type PingName = "look" | "danger" | "help";

export const WU_PER_TILE = 1024;
/** Players of one match, at most. */
export const SLOTS_MAX = 64;
/** Teams of one match, at most. */
export const TEAMS_MAX = 16;
export const NO_OWNER = 0xff;
/** The team of a spectator who sees what all teams see. */
export const ALL_TEAMS: Team = 0xff;

/** A point in tiles as a position in world units. */
export function posOf(x: number, y: number): Pos {
  return { x: Math.round(x * WU_PER_TILE), y: Math.round(y * WU_PER_TILE) };
}

/** The tile a position lies on. */
export function tileOf(p: Pos): Tile {
  return { x: p.x >> 10, y: p.y >> 10 };
}
