// What a unit does and what it may do, by name; and the numbers of the wire.

import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { AbilityGrant } from "../gen/fogkeep/v1/server_pb.js";

/** What an order says to do. */
export type OrderName =
  | "move"
  | "attackMove"
  | "attack"
  | "attackGround"
  | "stop"
  | "hold"
  | "patrol"
  | "follow"
  | "harvest"
  | "build"
  | "train"
  | "rally"
  | "ability"
  | "stopAbility"
  | "cancel"
  | "surrender";

/** What a unit does: nothing, or what an order says. */
export type Doing = "idle" | OrderName;

/** @internal */
export const ORDER_KINDS: Record<OrderName, OrderKind> = {
  move: OrderKind.MOVE,
  attackMove: OrderKind.ATTACK_MOVE,
  attack: OrderKind.ATTACK,
  attackGround: OrderKind.ATTACK_GROUND,
  stop: OrderKind.STOP,
  hold: OrderKind.HOLD,
  patrol: OrderKind.PATROL,
  follow: OrderKind.FOLLOW,
  harvest: OrderKind.HARVEST,
  build: OrderKind.BUILD,
  train: OrderKind.TRAIN,
  rally: OrderKind.RALLY,
  ability: OrderKind.ABILITY,
  stopAbility: OrderKind.STOP_ABILITY,
  cancel: OrderKind.CANCEL,
  surrender: OrderKind.SURRENDER,
};

const DOINGS: readonly Doing[] = Object.entries(ORDER_KINDS).reduce<Doing[]>(
  (names, [name, kind]) => {
    names[kind] = name as OrderName;
    return names;
  },
  ["idle"],
);

/** @internal The name of a kind of order; of one that this version does not know: idle. */
export function doingName(kind: OrderKind): Doing {
  return DOINGS[kind] ?? "idle";
}

/**
 * Whether a unit may use an ability, and why. `type`: its type has it. `needs`: the player has what it needs.
 * `unit`: it was granted to this unit alone. The others say no: the player lacks what it needs, it was denied to
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

/** @internal The name of a grant; one that this version does not know is a denial. */
export function grantName(grant: AbilityGrant): Grant {
  return GRANTS[grant] ?? "denied";
}

/** Whether a grant allows the use of an ability. */
export function allows(grant: Grant | undefined): boolean {
  return grant === undefined || grant === "type" || grant === "needs" || grant === "unit";
}
