// Made by go test ./proto/wire -update from orders.Forms.

import type { AbilityId, Handle, Pos, TypeId } from "../base/ids.js";

/** The kinds of orders, with their numbers on the wire. */
export const ORDER_KINDS = {
  /** Goes to a place. */
  move: 1,
  /** Goes to a place, and fights foes on the way. */
  attackMove: 2,
  /** Fights a target until it is gone. */
  attack: 3,
  /** Fires at a place until its next order. */
  attackGround: 4,
  /** Drops everything. */
  stop: 5,
  /** Stands and fights from the spot. */
  hold: 6,
  /** Goes back and forth between here and a place, and fights. */
  patrol: 7,
  /** Stays with a unit or structure. */
  follow: 8,
  /** Gathers a resource, and brings it home. */
  harvest: 9,
  /** Builds a structure with its middle nearest to a place, or goes on with one. */
  build: 10,
  /** Adds a unit to a structure's production queue. */
  train: 11,
  /** Sends trained units to a place or a target. */
  rally: 12,
  /** Starts an ability; one with an aim needs a place or a target. */
  ability: 13,
  /** Stops an ability that lasts. */
  stopAbility: 16,
  /** Takes a place out of a queue; a structure under construction is given up. */
  cancel: 14,
  /** Gives up the match. */
  surrender: 15,
  /** Chooses when the weapons of a unit fire, and which, and how far the unit goes for foes. */
  fire: 17,
  /** Restores the health of a unit or structure, for a part of its cost. */
  repair: 18,
  /** Gets into a transport. */
  board: 19,
  /** Goes to a place, and lets passengers out. */
  unload: 20,
} as const;
/** The kind of an order. */
export type OrderName = keyof typeof ORDER_KINDS;

/** Kinds that replace a unit's tasks. */
export const TASK_ORDERS: ReadonlySet<string> = new Set(["move", "attackMove", "attack", "attackGround", "stop", "hold", "patrol", "follow", "harvest", "build", "repair", "board", "unload"]);
/** Kinds that give each unit a place of its own around the point. */
export const GROUP_ORDERS: ReadonlySet<string> = new Set(["move", "attackMove", "patrol"]);
/** A kind in {@link GROUP_ORDERS}. */
export type GroupOrder = "move" | "attackMove" | "patrol";

/** The parts of an order by its kind. */
export type OrderParts =
  | { do: "move" | "attackMove" | "patrol"; to: Pos; together?: boolean }
  | { do: "attack" | "follow" | "harvest" | "build" | "rally" | "repair" | "board"; target: Handle }
  | { do: "attackGround"; to: Pos }
  | { do: "stop" | "hold" | "surrender" }
  | { do: "harvest" | "rally"; to: Pos; target?: Handle }
  | { do: "build"; what: TypeId; to: Pos; target?: Handle }
  | { do: "train"; what: TypeId }
  | { do: "ability"; what: AbilityId; to?: Pos; target?: Handle }
  | { do: "stopAbility"; what: AbilityId }
  | { do: "cancel" | "fire"; what: number }
  | { do: "unload"; what: number; to: Pos };
