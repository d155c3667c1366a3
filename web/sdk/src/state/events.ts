// The match state's events and their records.

import type { AbilityId, Handle, PingName, Slot, Team, Tick, TypeId } from "../base/ids.js";
import type { AttributeKey, OwnAttributeKey } from "../gen/fields.js";
import type { PlayerInfo } from "./info.js";
import type { OwnerState } from "./ownerstate.js";
import type { Contact } from "./radar.js";

/** A structure as last seen; its id is a handle, as of entities. */
export interface Ghost {
  readonly id: Handle;
  readonly type: TypeId;
  readonly owner: number;
  /** World units. */
  readonly x: number;
  readonly y: number;
  readonly facing: number;
  readonly hp: number;
  /** The state of a feature, see {@link TypeInfo.feature}. */
  readonly amount: number;
  /** When it was last seen. */
  readonly tick: Tick;
}

export interface Score {
  readonly kills: number;
  /** Kills of others with damage by this player; 0 in rulesets without assists. */
  readonly assists: number;
  readonly losses: number;
  readonly made: number;
  /** Of the ruleset and of the mode. */
  readonly points: number;
}

export interface MatchResult {
  /** Teams; empty for a draw. */
  readonly winners: readonly Team[];
  readonly reason: string;
  readonly scores: readonly Score[];
  /** Ticks from point to point of the series; their last point is of the match's last tick. */
  readonly seriesTicks: number;
  /** All players' figures, by slot: things that the client never saw included. */
  readonly series: readonly Series[];
}

/** How a player's economy and army went. */
export interface Series {
  /** Of all resources together, since the beginning. */
  readonly gathered: readonly number[];
  /** The price of its living armed units, workers aside. */
  readonly army: readonly number[];
}

/** Something that happened at a place that the team sees, in world units. */
export interface WorldEvent {
  readonly x: number;
  readonly y: number;
  readonly what: number;
  /** Handles, 0 when not seen. */
  readonly source: Handle;
  readonly target: Handle;
}

/** An attribute of an entity in sight changed. Rows of the world are valid while the listener runs. */
export interface AttributeChange {
  readonly id: Handle;
  readonly slot: number;
  /** `energy` of own units only. */
  readonly attribute: AttributeKey | OwnAttributeKey;
  /** The remaining amount before, and now. */
  readonly was: number;
  readonly now: number;
  /**
   * In how many ticks it changed meanwhile: more than 1 if several hits came between two
   * frames. Of energy, how often it was spent.
   */
  readonly times: number;
}

/** An ability of an entity in sight started or stopped. Rows of the world are valid while the listener runs. */
export interface AbilityChange {
  readonly id: Handle;
  readonly slot: number;
  readonly ability: AbilityId;
  /** The kind of ability: `sprint`. */
  readonly kind: string;
}

/** An effect began on a unit in sight, or ended. Rows of the world are valid while the listener runs. */
export interface EffectChange {
  readonly id: Handle;
  readonly slot: number;
  /** Index into the rules' effects. */
  readonly effect: number;
  /** The source; 0: not seen. */
  readonly source: Handle;
}

/** A declared value of an entity changed. Rows of the world are valid while the listener runs. */
export interface ValueChange {
  readonly id: Handle;
  readonly slot: number;
  /** As the ruleset names it. */
  readonly name: string;
  readonly was: number;
  readonly now: number;
}

/** A shot of an entity in sight. The record is valid while the listener runs. */
export interface Shot {
  readonly slot: number;
  readonly id: Handle;
  /** Which of the entity's weapons fires, and its number in the rules. */
  readonly index: number;
  readonly weapon: number;
  /** The target, if it is known and in sight; else 0. */
  readonly target: Handle;
  /** Where it goes if there is no target, in world units; NaN: not known. */
  readonly x: number;
  readonly y: number;
}

export interface StateEvents {
  /** Not sent for values that an entity had already when it came into sight. */
  attribute: AttributeChange;
  /** Not sent for abilities that run when an entity comes into sight; {@link Actions.of} has those. */
  abilityStart: AbilityChange;
  /** Not sent when the entity leaves sight. */
  abilityStop: AbilityChange;
  /** Not sent for effects on a unit that comes into sight, nor when an effect is renewed. */
  effectStart: EffectChange;
  /** Not sent when the unit leaves sight. */
  effectStop: EffectChange;
  /** A declared value of an entity changed. Not sent as the entity comes into sight. */
  value: ValueChange;
  /** Rows of the world; valid while the listener runs. */
  enter: { slot: number };
  leave: { id: Handle; slot: number; why: "fog" | "dead" };
  /** Another player has it now; `was` is the slot that had it, or NO_OWNER. */
  owner: { id: Handle; slot: number; was: Slot };
  ghost: Ghost;
  unghost: Ghost;
  /** An entity in sight fires at another target from now on, or at a place if `target` is 0. */
  aim: { id: Handle; target: Handle; x: number; y: number };
  /** A shot is drawn. */
  shot: Shot;
  hit: WorldEvent;
  death: WorldEvent;
  blast: WorldEvent;
  built: WorldEvent;
  trained: WorldEvent;
  attacked: WorldEvent;
  ability: WorldEvent;
  /** A sound of something that the team does not see: `what` is its class, an index into `Rules.sounds`, and the place
   * is the middle of its cell of 8 x 8 tiles. */
  heard: WorldEvent;
  /** The team's radar found something that the team does not see, again or for the first time. */
  contact: Contact;
  /** A source of sight of the team that is no entity: tile, radius in half tiles, ticks until it ends. */
  sight: { x: number; y: number; radius: number; ticks: number };
  answer: { seq: number; code: number; leftOut: readonly { unit: Handle; code: number }[] };
  cancelled: { unit: Handle; code: number };
  /** The entity that an order of this client created, by the order's request number. */
  started: { request: number; handle: Handle };
  own: OwnerState;
  player: PlayerInfo;
  /** A player's score, or a value of the mode, became known or is another one. */
  score: PlayerInfo;
  /** A person has taken over the seat of a bot, whose name was `was`. */
  taken: { player: PlayerInfo; was: string };
  chat: { slot: Slot; all: boolean; text: string };
  /**
   * The player `slot` of the own team was away for long: a team-mate has the player's units until the player is
   * back, or the remaining ones are the player's again (`back`). `units` counts units and structures.
   */
  handed: { slot: Slot; back: boolean; units: number };
  ping: { slot: Slot; kind: PingName; x: number; y: number };
  reset: { why: "snapshot" };
  /** The state differs from the server's: another mask, or a frame that names an entity that is not here. */
  mismatch: { tick: Tick };
  end: MatchResult;
}
