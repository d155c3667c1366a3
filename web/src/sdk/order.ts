// Orders as a program writes them, and as the wire has them.

import { create } from "@bufbuild/protobuf";
import type { AbilityId, Handle, Pos, TypeId } from "../base/ids";
import { OrderKind, OrderSchema, PointSchema, type Order as WireOrder } from "../gen/fogkeep/v1/client_pb.js";

export type Order = {
  units: readonly Handle[];
  /** After the orders that the units have already, instead of replacing them. */
  queued?: boolean;
} & (
  | { do: "move" | "attackMove" | "attackGround" | "patrol"; to: Pos }
  | { do: "attack" | "follow" | "harvest"; target: Handle }
  | { do: "stop" | "hold" }
  | { do: "build"; what: TypeId; to: Pos }
  | { do: "train"; what: TypeId }
  | { do: "rally"; to: Pos; target?: Handle }
  | { do: "ability"; what: AbilityId; to?: Pos; target?: Handle }
  | { do: "stopAbility"; what: AbilityId }
  /** `what` is a place in a production queue. */
  | { do: "cancel"; what: number }
  | { do: "surrender" }
);

const KINDS: Record<Order["do"], OrderKind> = {
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

export function toWire(o: Order, seq: number): WireOrder {
  const w = create(OrderSchema, { seq, kind: KINDS[o.do], units: [...o.units], queued: o.queued ?? false });
  if ("to" in o && o.to) w.to = create(PointSchema, { x: Math.round(o.to.x), y: Math.round(o.to.y) });
  if ("target" in o && o.target) w.target = o.target;
  if ("what" in o) w.what = o.what;
  return w;
}

export type Answer = Accepted | Refused;
export interface Accepted {
  readonly ok: true;
  /** Units that did not get the order, and why: the first 32 of them. */
  readonly leftOut: readonly { unit: Handle; code: string }[];
}
export interface Refused {
  readonly ok: false;
  readonly code: string;
  /** The reason, for people. */
  readonly text: string;
}

/** One answer from the answers to the parts of an order that was split. */
export function mergeAnswers(parts: readonly Answer[]): Answer {
  const taken = parts.filter((a) => a.ok);
  return taken.length === 0 ? parts[0] : { ok: true, leftOut: taken.flatMap((a) => a.leftOut) };
}

/** An order that was sent. */
export interface Sent {
  /** Its number; 0: this client refused it and never sent it. */
  readonly seq: number;
  readonly answer: Promise<Answer>;
}

/** Texts for the codes of orders/reject.go. Other codes are shown by their names. */
export const CODE_TEXTS: Record<string, string> = {
  STALE: "That order came too late",
  RATE_LIMITED: "Too many orders at once",
  NOT_RUNNING: "The match is not running",
  NOT_ALIVE: "You give no orders in this match",
  MALFORMED: "The order is incomplete",
  UNKNOWN_UNIT: "That unit is not there any more",
  NOT_YOURS: "That unit is not yours",
  UNABLE: "That unit cannot do this",
  QUEUE_FULL: "The queue is full",
  NOT_GRANTED: "That unit has no such ability",
  COOLING_DOWN: "Not ready yet",
  UNAFFORDABLE: "Not enough resources or energy",
  POP_LIMIT: "No room for more units",
  BAD_TARGET: "The order cannot have this target",
  TARGET_LOST: "The target was lost",
  OFF_MAP: "That place is off the map",
  BAD_SITE: "Nothing can be built there",
  UNREACHABLE: "No path leads there",
  BLOCKED: "The site was taken",
  STUCK: "The path is blocked",
  EXHAUSTED: "Nothing is left to harvest",
  INTERRUPTED: "Interrupted: something it needs is gone",
};

/** A short text for an answer code. */
export function answerText(code: string): string {
  const known = CODE_TEXTS[code];
  if (known) return known;
  const words = code.toLowerCase().replace(/_/g, " ");
  return words ? words[0].toUpperCase() + words.slice(1) : "Refused";
}
