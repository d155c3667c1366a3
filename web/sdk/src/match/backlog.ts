// Orders, chat and pings that have no answer yet. They are sent within the
// server's limits (gen/limits.ts), no faster than the server answers, and again
// on each new connection until they are answered.
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
} from "../gen/limits.js";

/** Parts of a message that have a number and get an answer. */
export type Numbered = { order: WireOrder } | { say: Say } | { ping: MapPing };

export interface Message {
  readonly orders: WireOrder[];
  readonly says: Say[];
  readonly pings: MapPing[];
}

/** The most messages in flight: as many as the server takes in two ticks. */
const IN_FLIGHT_MAX = 2 * MESSAGES_A_TICK;
/** Without an answer after this time, an entry is sent again. The server ignores repeated numbers. */
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
  /** The message that carried it on this connection; 0: it waits. */
  message: number;
}

export class Backlog<T> {
  /** By rising number. */
  private readonly entries = new Map<number, Entry<T>>();
  /** Messages in flight: how many of their entries have no answer, and when they were sent. */
  private readonly inFlight = new Map<number, { open: number; sentMs: number }>();
  private messages = 0;
  // The client does not send before the welcome.
  private orders = new Credit(0, 0);
  private lines = new Credit(0, 0);

  get size(): number {
    return this.entries.size;
  }

  /** Whether one more number can wait. The server remembers only the last numbers; older ones would be lost. */
  takes(seq: number): boolean {
    const oldest = this.entries.keys().next();
    return oldest.done === true || seq - oldest.value < NUMBERS_KEPT;
  }

  /** Sets the rates of the welcome. A burst of 0 means no limit. */
  pace(ticksPerS: number, ordersPerS: number, burst: number): void {
    const most = burst > 0 ? burst : Number.POSITIVE_INFINITY;
    this.orders = new Credit(ordersPerS / ticksPerS, most);
    this.lines = new Credit(LINES_A_SECOND / ticksPerS, LINES_AT_ONCE);
  }

  /** The server's clock advanced; call before the frame's answers. */
  ticks(n: number): void {
    this.orders.refill(n);
    this.lines.refill(n);
  }

  add(seq: number, what: Numbered, extra: T): void {
    this.entries.set(seq, { seq, what, bytes: bytesOf(what) + PART_BYTES, extra, message: 0 });
  }

  /** Removes an entry that was answered. */
  answered(seq: number): T | undefined {
    const e = this.entries.get(seq);
    if (!e) return undefined;
    this.entries.delete(seq);
    this.takeBack(e);
    this.creditOf(e).answered();
    return e.extra;
  }

  /** On a new connection: everything is sent again. */
  again(): void {
    for (const e of this.entries.values()) this.takeBack(e);
  }

  /** Removes and returns all entries. */
  drain(): [number, T][] {
    const all = [...this.entries.values()].map((e): [number, T] => [e.seq, e.extra]);
    this.again();
    this.entries.clear();
    return all;
  }

  /** The next message that may be sent now, or null. */
  next(nowMs: number): Message | null {
    this.takeBackLate(nowMs);
    if (this.inFlight.size >= IN_FLIGHT_MAX) return null;
    const out: Message = { orders: [], says: [], pings: [] };
    const taken: Entry<T>[] = [];
    let room = MESSAGE_BYTES - OTHER_BYTES;
    let ordersWait = false;
    let linesWait = false;
    for (const e of this.entries.values()) {
      if (e.message !== 0) continue;
      if (e.bytes > room) break;
      // Each kind keeps its order. Chat and pings that have to wait do not delay orders.
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
    this.inFlight.set(id, { open: taken.length, sentMs: nowMs });
    return out;
  }

  /** Entries that were sent long ago wait again. */
  private takeBackLate(nowMs: number): void {
    for (const [id, f] of this.inFlight) {
      if (nowMs - f.sentMs < LATE_MS) return; // later messages were sent later
      for (const e of this.entries.values()) if (e.message === id) this.takeBack(e);
    }
  }

  /** An entry is in flight no more. */
  private takeBack(e: Entry<T>): void {
    if (e.message === 0) return;
    const f = this.inFlight.get(e.message);
    if (f && --f.open === 0) this.inFlight.delete(e.message);
    this.creditOf(e).inFlight--;
    e.message = 0;
  }

  private creditOf(e: Entry<T>): Credit {
    return "order" in e.what ? this.orders : this.lines;
  }
}

/**
 * The server's rate limit of one kind, counted by the server's ticks. It never
 * exceeds the server's own count, since an answer arrives later than the order
 * was counted there. So orders within it are never refused.
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
