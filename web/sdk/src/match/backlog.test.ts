import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClientFrame, ClientFrameSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import {
  LINE_BYTES,
  LINES_A_MESSAGE,
  LINES_A_SECOND,
  LINES_AT_ONCE,
  MESSAGE_BYTES,
  MESSAGES_A_TICK,
  NUMBERS_KEPT,
  ORDERS_A_MESSAGE,
  PINGS_A_MESSAGE,
  UNITS_AN_ORDER,
} from "../gen/limits.js";
import type { Socket } from "../net/socket.js";
import { info } from "../state/fixture.js";
import { encodeMap } from "../state/map.js";
import { connect, type Match } from "./match.js";
import type { Answer, Sent } from "./order.js";

const TICK_MS = 50;
const CODES = ["OK", "STALE", "RATE_LIMITED", "MALFORMED"];
type Told = Parameters<typeof create<typeof ServerFrameSchema>>[1];

/** A match that holds its clients to the limits, at the other end of links that a test makes bad. */
class Server {
  /** The executed orders, by number, in that order. */
  readonly done: { seq: number; units: number; text: string }[] = [];
  readonly closed: string[] = [];
  messages = 0;
  delayMs = 30;
  /** The server stands still: it takes and answers no order. */
  paused = false;
  link: Wire | null = null;
  private tick = 10;
  private orders: number;
  private lines = LINES_AT_ONCE * 20;
  private readonly ledger = new Map<number, number>();
  private top = 0;
  private news: { tick: number; seq: number; code: number }[] = [];

  constructor(
    readonly ordersPerS = 20,
    readonly burst = 40,
  ) {
    this.orders = burst * 20;
  }

  readonly socket = (): Socket => new Wire(this);

  /** One step: messages in, answers out. */
  step(): void {
    if (this.paused) return;
    this.tick++;
    this.orders = Math.min(this.burst * 20, this.orders + this.ordersPerS);
    this.lines = Math.min(LINES_AT_ONCE * 20, this.lines + LINES_A_SECOND);
    const { link } = this;
    if (!link) return;
    for (let k = 0; k < MESSAGES_A_TICK && link.inbox.length > 0; k++) this.take(link.inbox.shift()!);
    const answers = this.news.filter((n) => n.tick > link.told).map(({ seq, code }) => ({ seq, code }));
    link.told = this.tick;
    link.tell(link.fresh ? { tick: this.tick, answers } : { span: 1, answers });
    link.fresh = false;
  }

  /** A hello: what no applied frame told is told again. */
  join(link: Wire, f: ClientFrame): void {
    this.link?.drop();
    this.link = link;
    link.told = f.applied;
    link.tell({
      welcome: {
        protocol: 1,
        tickRate: 1000 / TICK_MS,
        players: [{ name: "A" }],
        types: [{ name: "x", health: 5 }],
        codes: CODES,
        resume: "again",
        ordersPerS: this.ordersPerS,
        orderBurst: this.burst,
      },
    });
  }

  private take(f: ClientFrame): void {
    for (const o of f.orders)
      this.judge(o.seq, () => {
        if (o.units.length > UNITS_AN_ORDER) return "MALFORMED";
        if (this.orders < 20) return "RATE_LIMITED";
        this.orders -= 20;
        this.done.push({ seq: o.seq, units: o.units.length, text: "" });
        return "OK";
      });
    for (const s of [...f.says, ...f.pings])
      this.judge(s.seq, () => {
        const text = "text" in s ? s.text : "ping";
        if (new TextEncoder().encode(text).length > LINE_BYTES) return "MALFORMED";
        if (this.lines < 20) return "RATE_LIMITED";
        this.lines -= 20;
        this.done.push({ seq: s.seq, units: 0, text });
        return "OK";
      });
  }

  private judge(seq: number, work: () => string): void {
    if (seq <= this.top - NUMBERS_KEPT) {
      this.news.push({ tick: this.tick, seq, code: CODES.indexOf("STALE") });
      return;
    }
    const code = this.ledger.get(seq) ?? CODES.indexOf(work());
    this.ledger.set(seq, code);
    this.top = Math.max(this.top, seq);
    this.news.push({ tick: this.tick, seq, code });
  }
}

/** A socket and its way, on which messages take their time and get lost with it. */
class Wire implements Socket {
  binaryType = "";
  readyState = 0;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  readonly inbox: ClientFrame[] = [];
  told = 0;
  fresh = true;
  private readonly due = { up: 0, down: 0 };

  constructor(private readonly server: Server) {
    this.later(() => {
      this.readyState = 1;
      this.onopen?.(undefined as never);
    });
  }

  send(data: Uint8Array) {
    const bytes = data.slice();
    this.later(() => this.arrive(bytes), "up");
  }

  private arrive(bytes: Uint8Array): void {
    const f = fromBinary(ClientFrameSchema, bytes);
    this.server.messages++;
    const seqs = [...f.orders, ...f.says, ...f.pings].map((x) => x.seq);
    const beyond =
      bytes.length > MESSAGE_BYTES ||
      f.orders.length > ORDERS_A_MESSAGE ||
      f.says.length > LINES_A_MESSAGE ||
      f.pings.length > PINGS_A_MESSAGE ||
      seqs.includes(0);
    if (beyond) {
      this.server.closed.push(`${bytes.length} bytes, ${f.orders.length} orders, ${f.says.length} lines`);
      this.tell({ closing: { code: "bad_message", text: "No.", retry: true } });
      this.later(() => this.drop());
      return;
    }
    if (f.hello) this.server.join(this, f);
    else this.inbox.push(f);
  }

  tell(f: Told): void {
    const b = toBinary(ServerFrameSchema, create(ServerFrameSchema, f));
    this.later(() => this.onmessage?.({ data: b.buffer.slice(b.byteOffset, b.byteOffset + b.length) }));
  }

  close(): void {
    this.drop();
  }

  drop(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    if (this.server.link === this) this.server.link = null;
    this.onclose?.({ code: 1006, reason: "" });
  }

  /** After the link's delay, and never before what went earlier the same way. */
  private later(work: () => void, way: "up" | "down" = "down"): void {
    const due = Math.max(this.due[way], performance.now() + this.server.delayMs);
    this.due[way] = due;
    setTimeout(() => {
      if (this.readyState !== 3) work();
    }, due - performance.now());
  }
}

async function seated(server: Server): Promise<Match> {
  const promise = connect({
    url: "ws://x/ws",
    ticket: "t",
    socket: server.socket,
    fetchMap: async () => encodeMap(info().map),
  });
  setInterval(() => server.step(), TICK_MS);
  await vi.advanceTimersByTimeAsync(2000);
  const match = await promise;
  await vi.advanceTimersByTimeAsync(500);
  return match;
}

const many = (n: number) => Array.from({ length: n }, (_, k) => k + 1);

describe("a backlog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("of 75 orders, 5 lines and 5 pings goes in as many messages as it takes", async () => {
    const server = new Server(100, 200);
    const match = await seated(server);
    server.link?.drop();
    const sent: Sent[] = [];
    for (let k = 0; k < 75; k++) sent.push(match.order({ do: "stop", units: [1] }));
    for (let k = 0; k < 5; k++) sent.push(match.say(`line ${k}`, false));
    for (let k = 0; k < 5; k++) sent.push(match.ping("help", { x: 1, y: k }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(server.closed).toEqual([]);
    const answers = await Promise.all(sent.map((s) => s.answer));
    expect(answers.filter((a) => !a.ok)).toEqual([]);
    expect(server.done.length).toBe(85);
    match.leave();
  });

  it("comes through whatever the link does: nothing lost, nothing twice, never closed for it", async () => {
    let cuts = 0;
    for (let seed = 1; seed <= 24; seed++) {
      let state = seed * 2654435761;
      const random = (n: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * n);
      };
      const burst = [8, 40, 200][random(3)];
      const server = new Server(Math.ceil(burst / 2), burst);
      server.delayMs = 1 + random(400);
      const match = await seated(server);
      const sent: { sent: Sent; answer?: Answer }[] = [];
      const give = (n: number) => {
        for (let k = 0; k < n; k++) {
          const kind = random(12);
          const row: { sent: Sent; answer?: Answer } = {
            sent:
              kind === 0
                ? match.say("ü".repeat(1 + random(LINE_BYTES / 2)), random(2) === 0)
                : kind === 1
                  ? match.ping("look", { x: random(100), y: random(100) })
                  : match.order({
                      do: "stop",
                      units: many(1 + random(random(4) === 0 ? 3 * UNITS_AN_ORDER : 40)),
                    }),
          };
          void row.sent.answer.then((a) => {
            row.answer = a;
          });
          sent.push(row);
        }
      };
      for (let round = 0; round < 12; round++) {
        give(random(60));
        if (random(3) === 0) {
          server.link?.drop();
          cuts++;
          give(random(120));
        }
        server.paused = random(5) === 0;
        server.delayMs = 1 + random(400);
        await vi.advanceTimersByTimeAsync(random(3000));
      }
      server.paused = false;
      for (let k = 0; k < 100 && match.unanswered > 0; k++) await vi.advanceTimersByTimeAsync(4000);
      expect([seed, server.closed]).toEqual([seed, []]);
      expect([seed, match.status, match.unanswered]).toEqual([seed, "live", 0]);
      for (const { sent: s, answer } of sent) {
        if (answer?.ok) continue;
        // Refused orders were refused here, for a reason, and never sent.
        expect([seed, s.seq, answer]).toMatchObject([seed, 0, { code: "BACKLOG_FULL" }]);
      }
      // Each number once; and each kind in the order in which it was given.
      const numbers = server.done.map((d) => d.seq);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.length).toBe(match.lastSeq);
      const kindOf = (d: { units: number; text: string }) =>
        d.units ? "order" : d.text === "ping" ? "ping" : "line";
      for (const kind of ["order", "ping", "line"]) {
        const seqs = server.done.filter((d) => kindOf(d) === kind).map((d) => d.seq);
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      }
      match.leave();
      vi.clearAllTimers();
    }
    expect(cuts).toBeGreaterThan(40);
  }, 120_000);

  it("has an end, and says so", async () => {
    const server = new Server();
    const match = await seated(server);
    server.link?.drop();
    const sent = many(NUMBERS_KEPT + 3).map(() => match.order({ do: "stop", units: [1] }));
    expect(await sent[NUMBERS_KEPT].answer).toEqual({ ok: false, code: "BACKLOG_FULL" });
    expect(match.unanswered).toBe(NUMBERS_KEPT);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([server.done.length, match.unanswered]).toEqual([NUMBERS_KEPT, 0]);
    expect(await match.say("é".repeat(LINE_BYTES), true).answer).toMatchObject({
      ok: false,
      code: "TOO_LONG",
    });
    match.leave();
  });

  it("splits what one order cannot name, and answers once", async () => {
    const server = new Server();
    const match = await seated(server);
    const sent = match.order({ do: "hold", units: many(2 * UNITS_AN_ORDER + 1) });
    await vi.advanceTimersByTimeAsync(500);
    expect(server.done.map((d) => d.units)).toEqual([UNITS_AN_ORDER, UNITS_AN_ORDER, 1]);
    expect(await sent.answer).toMatchObject({ ok: true });
    match.leave();
  });

  it("is given up when the server keeps calling it wrong", async () => {
    const server = new Server();
    const match = await seated(server);
    let why: string | undefined;
    match.events.on("status", (s) => {
      why = s.error?.code;
    });
    for (let k = 0; k < 10 && match.status !== "closed"; k++) {
      server.link?.tell({
        closing: { code: "bad_message", text: "An order without a number.", retry: true },
      });
      await vi.advanceTimersByTimeAsync(500);
      server.link?.drop();
      await vi.advanceTimersByTimeAsync(6000);
    }
    expect([match.status, why]).toEqual(["closed", "bad_message"]);
  });
});
