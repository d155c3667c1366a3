// The SDK's traffic monitor: bytes and rows by part of the message and class
// of entity, messages and bytes in all, for each direction, over the last full
// second, the last 60 seconds, and the match. The server counts the same under
// the same names.

import { CLASSES, type ClassName, PARTS, type Part } from "../gen/fields.js";
import type { Welcome } from "../gen/fogkeep/v1/server_pb.js";
import { Meter } from "./measure.js";

export type Span = "second" | "minute" | "match";
export interface Count {
  bytes: number;
  rows: number;
}
export interface Total {
  bytes: number;
  messages: number;
}

const CELLS = PARTS.length * CLASSES.length;
/** Two numbers a cell, bytes and rows, then messages and bytes in all. */
const NUMBERS = CELLS * 2 + 2;
const MINUTE = 60;

/** One direction. */
export class Flow {
  private readonly ever = new Float64Array(NUMBERS);
  /** A ring of seconds: the running one, and the 60 before it. */
  private readonly seconds = Array.from({ length: MINUTE + 1 }, () => new Uint32Array(NUMBERS));
  private readonly stamps = new Float64Array(MINUTE + 1).fill(-1);
  private current = this.seconds[0];
  /** Reused for the sums over a span. */
  private readonly sum = new Float64Array(NUMBERS);

  constructor(private readonly now: () => number) {}

  /** Counts a message; its pieces follow. */
  message(bytes: number): void {
    const second = Math.floor(this.now() / 1000);
    const at = second % this.seconds.length;
    if (this.stamps[at] !== second) {
      this.stamps[at] = second;
      this.seconds[at].fill(0);
    }
    this.current = this.seconds[at];
    this.add(CELLS * 2, 1);
    this.add(CELLS * 2 + 1, bytes);
  }

  /** Counts a piece of the message. */
  readonly piece = (part: number, cls: number, bytes: number, rows: number): void => {
    const cell = 2 * (part * CLASSES.length + cls);
    this.add(cell, bytes);
    this.add(cell + 1, rows);
  };

  total(span: Span): Total {
    const n = this.of(span);
    return { messages: n[CELLS * 2], bytes: n[CELLS * 2 + 1] };
  }

  /** Sums by the name of a part, of a group of parts, or of a class. Zeros are left out. */
  by(what: "part" | "group" | "class", span: Span): Map<string, Count> {
    const out = new Map<string, Count>();
    this.each(span, (part, cls, bytes, rows) => {
      const name = what === "part" ? part.name : what === "group" ? part.group : cls;
      const c = out.get(name);
      if (!c) out.set(name, { bytes, rows });
      else {
        c.bytes += bytes;
        c.rows += rows;
      }
    });
    return out;
  }

  /** Calls `fn` for each count that is not zero. */
  each(span: Span, fn: (part: Part, cls: ClassName, bytes: number, rows: number) => void): void {
    const n = this.of(span);
    for (let k = 0; k < CELLS; k++) {
      if (n[2 * k] === 0 && n[2 * k + 1] === 0) continue;
      fn(PARTS[Math.floor(k / CLASSES.length)], CLASSES[k % CLASSES.length], n[2 * k], n[2 * k + 1]);
    }
  }

  private add(at: number, n: number): void {
    this.current[at] += n;
    this.ever[at] += n;
  }

  private of(span: Span): ArrayLike<number> {
    if (span === "match") return this.ever;
    const { sum } = this;
    sum.fill(0);
    const running = Math.floor(this.now() / 1000);
    const back = span === "second" ? 1 : MINUTE;
    this.seconds.forEach((numbers, k) => {
      if (this.stamps[k] >= running || this.stamps[k] < running - back) return;
      for (let i = 0; i < NUMBERS; i++) sum[i] += numbers[i];
    });
    return sum;
  }
}

export class Traffic {
  readonly received: Flow;
  readonly sent: Flow;
  /** @internal */
  readonly meter = new Meter();

  constructor(now: () => number = () => performance.now()) {
    this.received = new Flow(now);
    this.sent = new Flow(now);
  }

  /** @internal From now on rows count for the class of the entity that they name. */
  welcome(w: Welcome): void {
    this.meter.learn(
      w.players.length,
      // The wire's TypeClass has the numbers of CLASSES.
      w.types.map((t) => t.class),
    );
  }

  countReceived(bytes: Uint8Array): void {
    this.received.message(bytes.length);
    this.meter.server(bytes, this.received.piece);
  }

  countSent(bytes: Uint8Array): void {
    this.sent.message(bytes.length);
    this.meter.client(bytes, this.sent.piece);
  }
}
