// A match as its welcome describes it: players, rules, map. Nothing of it
// changes during the match but the players' states, and who plays.

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
  state: "playing" | "away" | "defeated" | "left";
  /** Null: not known. A team knows those of its own players; a mode may show them to all. */
  score: number | null;
  /** What the mode shows of the player's team, by the names in `MatchInfo.modeValues`, as far as it is known. */
  values: Readonly<Record<string, number>>;
}

/** A whole number that the mode shows of each team. */
export interface ModeValue {
  readonly name: string;
  /** All are told those of all teams; else a team its own, until the match is over. */
  readonly open: boolean;
}

export interface MatchInfo {
  readonly matchId: string;
  readonly tickMs: number;
  /** How long a destroyed entity of a team still gives that team sight. */
  readonly dyingSightTicks: number;
  /** The most lag of a player that the server compensates. */
  readonly lagMaxTicks: number;
  /** The player's team, or the one whose view a spectator has; ALL_TEAMS for all of them. It changes in a replay alone. */
  team: Team;
  readonly slot: Slot;
  /** A spectator owns nothing and gives no orders. */
  readonly spectator: boolean;
  /** How far a spectator is behind the match. */
  readonly delayMs: number;
  /** How the match is won: the name of its mode. */
  readonly mode: string;
  /** 0: none. */
  readonly timeLimitTicks: number;
  /** The score of a team that ends the match; 0: none. */
  readonly scoreLimit: number;
  /** What the mode shows: see `PlayerInfo.values`. */
  readonly modeValues: readonly ModeValue[];
  readonly players: PlayerInfo[];
  readonly rules: Rules;
  /** SHA-256 of the ruleset's file, in hexadecimal: as the server lists it (`api.rulesets`). */
  readonly rulesHash: string;
  readonly map: GameMap;
}
