// What has a number and no answer yet. It is sent within the limits of the
// server (gen/limits.ts), in as many messages as it takes, no faster than the
// server answers, and again on each new connection until it is answered.
//
//	add ──► pending ──next──► in flight ──answered──► gone
//	           ▲                  │
//	           └── again, or late ┘

import { toBinary } from "@bufbuild/protobuf";
import {
  type MapPing,
  MapPingSchema,
  OrderSchema,
  type Say,
  SaySchema,
  type Order as WireOrder,
} from "../gen/fogkeep/v1/client_pb.js";
import {
  LINES_A_MESSAGE,
  LINES_A_SECOND,
  LINES_AT_ONCE,
  MESSAGE_BYTES,
  MESSAGES_A_TICK,
  NUMBERS_KEPT,
  ORDERS_A_MESSAGE,
  PINGS_A_MESSAGE,
} from "../gen/limits";

/** What is numbered, answered, and sent again after a lost connection. */
export type Numbered = { order: WireOrder } | { say: Say } | { ping: MapPing };

export interface Message {
  readonly orders: WireOrder[];
  readonly says: Say[];
  readonly pings: MapPing[];
}

/** Messages on their way at once: the server takes so many in two ticks. */
const FLIGHT_MESSAGES = 2 * MESSAGES_A_TICK;
/** What has no answer after so long is sent again; the server does nothing twice. */
const LATE_MS = 10_000;
/** For the other parts of a message: applied, camera, pace, resync. */
const OTHER_BYTES = 128;
/** Tag and length of a part. */
const PART_BYTES = 6;

interface Entry<T> {
  readonly seq: number;
  readonly what: Numbered;
  readonly bytes: number;
  readonly extra: T;
  /** The message it went out with on this connection; 0: it waits. */
  message: number;
}

export class Backlog<T> {
  /** By rising number. */
  private readonly entries = new Map<number, Entry<T>>();
  /** Messages in flight: how many of their entries have no answer, and when they were sent. */
  private readonly flight = new Map<number, { open: number; sentMs: number }>();
  private messages = 0;
  // Before the welcome nothing is let through.
  private orders = new Credit(0, 0);
  private lines = new Credit(0, 0);

  get size(): number {
    return this.entries.size;
  }

  /** Whether one more number can wait: the server knows its last ones only, and what is older is lost. */
  takes(seq: number): boolean {
    const oldest = this.entries.keys().next();
    return oldest.done === true || seq - oldest.value < NUMBERS_KEPT;
  }

  /** What the welcome says; a server that does not say how many orders it takes takes all. */
  pace(ticksPerS: number, ordersPerS: number, burst: number): void {
    const most = burst > 0 ? burst : Number.POSITIVE_INFINITY;
    this.orders = new Credit(ordersPerS / ticksPerS, most);
    this.lines = new Credit(LINES_A_SECOND / ticksPerS, LINES_AT_ONCE);
  }

  /** The server's clock went on; to be told before the answers of that frame. */
  ticks(n: number): void {
    this.orders.refill(n);
    this.lines.refill(n);
  }

  add(seq: number, what: Numbered, extra: T): void {
    this.entries.set(seq, { seq, what, bytes: bytesOf(what) + PART_BYTES, extra, message: 0 });
  }

  /** Takes out what was answered. */
  answered(seq: number): T | undefined {
    const e = this.entries.get(seq);
    if (!e) return undefined;
    this.entries.delete(seq);
    this.land(e);
    this.creditOf(e).answered();
    return e.extra;
  }

  /** On a new connection nothing is in flight: all of it goes again. */
  again(): void {
    for (const e of this.entries.values()) this.land(e);
  }

  /** Empties it. */
  drain(): [number, T][] {
    const all = [...this.entries.values()].map((e): [number, T] => [e.seq, e.extra]);
    this.again();
    this.entries.clear();
    return all;
  }

  /** The next message that may be sent now, or null. */
  next(nowMs: number): Message | null {
    this.recall(nowMs);
    if (this.flight.size >= FLIGHT_MESSAGES) return null;
    const out: Message = { orders: [], says: [], pings: [] };
    const taken: Entry<T>[] = [];
    let room = MESSAGE_BYTES - OTHER_BYTES;
    let ordersWait = false;
    let linesWait = false;
    for (const e of this.entries.values()) {
      if (e.message !== 0) continue;
      if (e.bytes > room) break;
      // Each kind in its own order; lines that have to wait hold up no orders.
      if ("order" in e.what) {
        ordersWait ||= out.orders.length >= ORDERS_A_MESSAGE || this.orders.free <= 0;
        if (ordersWait) continue;
        out.orders.push(e.what.order);
      } else {
        linesWait ||=
          out.says.length >= LINES_A_MESSAGE || out.pings.length >= PINGS_A_MESSAGE || this.lines.free <= 0;
        if (linesWait) continue;
        if ("say" in e.what) out.says.push(e.what.say);
        else out.pings.push(e.what.ping);
      }
      room -= e.bytes;
      this.creditOf(e).inFlight++;
      taken.push(e);
    }
    if (taken.length === 0) return null;
    const id = ++this.messages;
    for (const e of taken) e.message = id;
    this.flight.set(id, { open: taken.length, sentMs: nowMs });
    return out;
  }

  /** What was sent long ago and is not answered waits again. */
  private recall(nowMs: number): void {
    for (const [id, f] of this.flight) {
      if (nowMs - f.sentMs < LATE_MS) return; // those behind are younger
      for (const e of this.entries.values()) if (e.message === id) this.land(e);
    }
  }

  /** Ends an entry's flight. */
  private land(e: Entry<T>): void {
    if (e.message === 0) return;
    const f = this.flight.get(e.message);
    if (f && --f.open === 0) this.flight.delete(e.message);
    this.creditOf(e).inFlight--;
    e.message = 0;
  }

  private creditOf(e: Entry<T>): Credit {
    return "order" in e.what ? this.orders : this.lines;
  }
}

/**
 * What the server lets through of one kind, counted as it counts: by its ticks. It
 * is never more than the server has, since each answer comes later than what it
 * took: whatever the link does, nothing that is sent within it is too much.
 */
class Credit {
  inFlight = 0;
  private credit: number;

  constructor(
    private readonly perTick: number,
    private readonly most: number,
  ) {
    this.credit = most;
  }

  get free(): number {
    return Math.floor(this.credit) - this.inFlight;
  }

  refill(ticks: number): void {
    this.credit = Math.min(this.most, this.credit + ticks * this.perTick);
  }

  answered(): void {
    this.credit = Math.max(0, this.credit - 1);
  }
}

function bytesOf(n: Numbered): number {
  if ("order" in n) return toBinary(OrderSchema, n.order).length;
  if ("say" in n) return toBinary(SaySchema, n.say).length;
  return toBinary(MapPingSchema, n.ping).length;
}
