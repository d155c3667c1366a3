// A match as its welcome describes it: players, rules, map. During the match only the players' states, and the
// players, change.

import type { Slot, Team } from "../base/ids.js";
import type { GameMap } from "./map.js";
import type { Rules } from "./rules.js";

export interface PlayerInfo {
  readonly slot: Slot;
  /** Changes when a person takes over a bot's seat. */
  name: string;
  readonly team: Team;
  readonly color: number;
  bot: boolean;
  /** Index into the map's starts, or -1 when it is not sent. */
  readonly start: number;
  /** The name of one of `MatchInfo.factions`; null: the ruleset has no factions, or the player has none. */
  readonly faction: string | null;
  /** Null: none. */
  readonly handicap: Handicap | null;
  state: "playing" | "away" | "defeated" | "left" | "standIn";
  /** Null: not known. A team knows the scores of its own players; a mode may show them to all. */
  score: number | null;
  /** The mode's values of the player's team, by the names in `MatchInfo.modeValues`, as far as it is known. */
  values: Readonly<Record<string, number>>;
}

/** A circle of the map that the mode's rules are about. */
export interface ModeArea {
  readonly name: string;
  /** The middle, in tiles. */
  readonly x: number;
  readonly y: number;
  /** In tiles. */
  readonly radius: number;
}

/** A whole number that the mode shows of each team. */
export interface ModeValue {
  readonly name: string;
  /** True: everybody knows all teams' values; else a team only its own, until the match is over. */
  readonly open: boolean;
}

/** The handicap of a seat, in percent. An absent part is 100. */
export interface Handicap {
  /** Of the resources at the start. */
  readonly start?: number;
  /** Of each load that workers bring. */
  readonly income?: number;
  /** Of the damage that the player's units, structures and effects do. */
  readonly damage?: number;
}

/** A side that players choose before the match. */
export interface Faction {
  readonly name: string;
  /** About the faction, in the ruleset's language; may be empty. */
  readonly text: string;
  /** 0xRRGGBB, for lists; 0: none. */
  readonly color: number;
}

export interface MatchInfo {
  readonly matchId: string;
  readonly tickMs: number;
  /** How long a destroyed entity of a team still gives that team sight. */
  readonly dyingSightTicks: number;
  /** So long after radar found it a contact ends. */
  readonly contactTicks: number;
  /** The most lag of a player that the server compensates. */
  readonly lagMaxTicks: number;
  /** The player's team, or the team whose view a spectator has; ALL_TEAMS for all teams. It changes in a replay
   * alone. */
  team: Team;
  readonly slot: Slot;
  /** A spectator has no units and gives no orders. */
  readonly spectator: boolean;
  /** How far a spectator is behind the match. */
  readonly delayMs: number;
  /** How the match is won: the name of its mode. */
  readonly mode: string;
  /** 0: no limit. */
  readonly timeLimitTicks: number;
  /** The score of a team that ends the match; 0: no limit. */
  readonly scoreLimit: number;
  /** The values that the mode shows: see `PlayerInfo.values`. */
  readonly modeValues: readonly ModeValue[];
  /** The areas of the map that the mode shows, such as a hill to hold. */
  readonly modeAreas: readonly ModeArea[];
  /** The factions of the ruleset. The lists `trains` and `builds` of its types have the products of the own faction alone. */
  readonly factions: readonly Faction[];
  readonly players: PlayerInfo[];
  readonly rules: Rules;
  /** SHA-256 of the ruleset's file, in hexadecimal: as the server lists it (`api.rulesets`). */
  readonly rulesHash: string;
  /** The hash of the pack that the rules come from; empty: no pack. The server has the pack's index at `/packs/HASH`. */
  readonly packHash: string;
  readonly map: GameMap;
}
