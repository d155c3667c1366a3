// Orders as a program writes them, and as the wire has them.

import { create } from "@bufbuild/protobuf";
import type { AbilityId, Handle, Pos, TypeId } from "../base/ids.js";
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
  /** Of orders/reject.go; `TOO_LONG` and `BACKLOG_FULL` if this client did not take it, `LOST` if no answer came. */
  readonly code: string;
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
