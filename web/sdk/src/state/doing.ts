// A unit's task and abilities, by name.

import type { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { AbilityGrant } from "../gen/fogkeep/v1/server_pb.js";
import { ORDER_KINDS, type OrderName } from "../gen/orders.js";

/** A unit's task: idle, or an order's. */
export type Doing = "idle" | OrderName;

const DOINGS: readonly Doing[] = Object.entries(ORDER_KINDS).reduce<Doing[]>(
  (names, [name, kind]) => {
    names[kind as OrderKind] = name as OrderName;
    return names;
  },
  ["idle"],
);

/** @internal The name of a kind of order; idle for a kind that this version does not know. */
export function doingName(kind: OrderKind): Doing {
  return DOINGS[kind] ?? "idle";
}

/**
 * Whether a unit may use an ability, and why. `type`: its type has it. `needs`: the player has its `needs`.
 * `unit`: it was granted to this unit alone. The others say no: the player lacks its `needs`, it was denied to
 * this unit alone, or the structure is under construction.
 */
export type Grant = "type" | "needs" | "unit" | "lacksNeeds" | "denied" | "unfinished";

const GRANTS: Record<AbilityGrant, Grant> = {
  [AbilityGrant.UNSPECIFIED]: "type",
  [AbilityGrant.NEEDS]: "needs",
  [AbilityGrant.UNIT]: "unit",
  [AbilityGrant.LACKS_NEEDS]: "lacksNeeds",
  [AbilityGrant.DENIED]: "denied",
  [AbilityGrant.UNFINISHED]: "unfinished",
};

/** @internal The name of a grant; an unknown one is a denial. */
export function grantName(grant: AbilityGrant): Grant {
  return GRANTS[grant] ?? "denied";
}

/** Whether a grant allows the use of an ability. */
export function allows(grant: Grant | undefined): boolean {
  return grant === undefined || grant === "type" || grant === "needs" || grant === "unit";
}

/** The ways to fire, numbers of orders `fire`. */
export const FIRE = {
  atWill: 0,
  /** Fire at the targets of orders alone. */
  hold: 1,
  main: 2,
  alternate: 3,
  /** With all weapons, or with one alone. */
  all: 4,
  first: 5,
  second: 6,
  /** Stances of units that walk; they end `hold`. */
  defensive: 7,
  aggressive: 8,
  ground: 9,
} as const;

/** The bits of `own.units.get(handle).firing`. */
export const FIRING = { hold: 1, alternate: 2, first: 4, second: 8, aggressive: 16, ground: 32 } as const;
