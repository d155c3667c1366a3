// Orders as a program writes them, and as the wire has them.

import { create } from "@bufbuild/protobuf";
import type { Handle } from "../base/ids.js";
import type { OrderRefusal } from "../gen/codes.js";
import { OrderSchema, PointSchema, type Order as WireOrder } from "../gen/fogkeep/v1/client_pb.js";
import { ORDER_KINDS, type OrderParts } from "../gen/orders.js";

export type Order = {
  units: readonly Handle[];
  /** After the orders that the units have already, instead of replacing them. */
  queued?: boolean;
} & OrderParts;

/** @internal */
export function toWire(o: Order, seq: number): WireOrder {
  const w = create(OrderSchema, {
    seq,
    kind: ORDER_KINDS[o.do],
    units: [...o.units],
    queued: o.queued ?? false,
  });
  if ("to" in o && o.to) w.to = create(PointSchema, { x: Math.round(o.to.x), y: Math.round(o.to.y) });
  if ("target" in o && o.target) w.target = o.target;
  if ("what" in o) w.what = o.what;
  if ("together" in o && o.together) w.together = true;
  return w;
}

/**
 * Why an order, a line or a ping was refused: by the server; `TOO_LONG` and `BACKLOG_FULL`, not sent by this client;
 * `LOST`, no answer came; `ABORTED`, by the signal of the caller.
 */
export type KnownRefusal = OrderRefusal | "TOO_LONG" | "BACKLOG_FULL" | "LOST" | "ABORTED";
/** A known code, or one of a newer server. */
export type RefusalCode = KnownRefusal | (string & Record<never, never>);

export type Answer = Accepted | Refused;
export interface Accepted {
  readonly ok: true;
  /** Units that did not get the order, and why: the first 32. */
  readonly leftOut: readonly { unit: Handle; code: RefusalCode }[];
}
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
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
