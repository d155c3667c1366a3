import { readFileSync } from "node:fs";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CLASSES, PARTS } from "../gen/fields.js";
import { ClientFrameSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema, TypeClass, WelcomeSchema } from "../gen/fogkeep/v1/server_pb.js";
import { CLIENT_PARTS, Meter, SERVER_PARTS } from "./measure.js";
import { Traffic } from "./traffic.js";

const frame = (f: MessageInitShape<typeof ServerFrameSchema>) =>
  toBinary(ServerFrameSchema, create(ServerFrameSchema, f));

/** Two players; type 0 is a soldier, type 1 a tower. */
const welcome = create(WelcomeSchema, {
  players: [{ name: "A" }, { name: "B" }],
  types: [{ class: TypeClass.UNIT }, { class: TypeClass.STRUCTURE }],
});
const KINDS = 3 * 2;
const enter = (gap: number, type: number) => [gap * KINDS + 2 + type, 300, 64];

describe("the table of parts", () => {
  it("knows every field of the wire", () => {
    const unknown = (fields: readonly { name: string; number: number }[], parts: readonly number[]) =>
      fields.filter((f) => !parts[f.number]).map((f) => f.name);
    expect(unknown(ServerFrameSchema.fields, SERVER_PARTS)).toEqual([]);
    expect(unknown(ClientFrameSchema.fields, CLIENT_PARTS)).toEqual([]);
  });
});

describe("Traffic", () => {
  it("counts each byte once, rows by the class of whom they name", () => {
    const t = new Traffic(() => 0);
    t.welcome(welcome);
    const f = frame({
      tick: 300,
      enter: [...enter(3, 0), ...enter(4, 1)],
      motion: [3, 60, 400],
      health: [7, 300],
      maskHash: 5,
      ghosts: { handle: [9, 1], gone: [2] },
      events: { kind: [1, 1, 4] },
      answers: [{ seq: 1 }, { seq: 2 }],
    });
    t.countReceived(f);
    expect(t.received.total("match")).toEqual({ messages: 1, bytes: f.length });
    const parts = t.received.by("part", "match");
    const sum = [...parts.values()].reduce((n, c) => n + c.bytes, 0);
    expect(sum).toBe(f.length);
    expect(Object.fromEntries([...parts].map(([name, c]) => [name, c.rows]))).toEqual({
      clock: 1,
      enter: 2,
      motion: 1,
      health: 1,
      mask_hash: 1,
      ghosts: 3,
      events: 3,
      answers: 2,
    });
    const cells: Record<string, number> = {};
    t.received.each("match", (p, cls, bytes) => {
      cells[`${p.name} ${cls}`] = bytes;
    });
    // Tag and length are nobody's; the row of two numbers of the tower takes three bytes.
    expect(cells).toMatchObject({ "health none": 2, "health structure": 3, "motion unit": 4 });
    expect(cells["ghosts structure"]).toBe(parts.get("ghosts")?.bytes);
  });

  it("counts what is sent, by its own parts", () => {
    const t = new Traffic(() => 0);
    t.countSent(
      toBinary(
        ClientFrameSchema,
        create(ClientFrameSchema, { applied: 9, orders: [{ seq: 1 }, { seq: 2 }], camera: { x: 3 } }),
      ),
    );
    const rows = [...t.sent.by("part", "match")].map(([name, c]) => [name, c.rows]);
    expect(rows.sort()).toEqual([
      ["applied", 1],
      ["camera", 1],
      ["orders", 2],
    ]);
    expect(t.sent.by("group", "match").get("connection")?.rows).toBe(2);
  });

  it("knows the last full second and minute from the match", () => {
    let ms = 500;
    const t = new Traffic(() => ms);
    const post = () => t.countReceived(frame({ span: 2 }));
    post();
    expect(t.received.total("second")).toEqual({ messages: 0, bytes: 0 });
    expect(t.received.total("match").messages).toBe(1);
    ms = 1200;
    post();
    post();
    expect(t.received.total("second").messages).toBe(1);
    ms = 2100;
    expect(t.received.total("second").messages).toBe(2);
    expect(t.received.total("minute").messages).toBe(3);
    ms = 60_900;
    expect([t.received.total("second").messages, t.received.total("minute").messages]).toEqual([0, 3]);
    ms = 61_000;
    expect(t.received.total("minute").messages).toBe(2);
    ms = 1_000_000;
    expect(t.received.total("minute").messages).toBe(0);
    expect(t.received.total("match").messages).toBe(3);
  });
});

describe("Meter", () => {
  it("measures as the server does", () => {
    const vectors = JSON.parse(
      readFileSync(new URL("../../../../proto/wire/testdata/traffic.json", import.meta.url), "utf8"),
    ) as {
      players: number;
      classes: (typeof CLASSES)[number][];
      messages: { client: boolean; hex: string; counts: Record<string, string | number>[] | null }[];
    };
    const meter = new Meter();
    meter.learn(
      vectors.players,
      vectors.classes.map((c) => CLASSES.indexOf(c)),
    );
    expect(vectors.messages.length).toBeGreaterThan(1);
    for (const m of vectors.messages) {
      const bytes = Uint8Array.from(Buffer.from(m.hex, "hex"));
      const cells = new Map<
        string,
        { part: string; group: string; class: string; bytes: number; rows: number }
      >();
      const measure = m.client ? meter.client : meter.server;
      measure.call(meter, bytes, (part, cls, n, rows) => {
        const key = `${part} ${cls}`;
        const c = cells.get(key) ?? {
          part: PARTS[part].name,
          group: PARTS[part].group,
          class: CLASSES[cls],
          bytes: 0,
          rows: 0,
        };
        c.bytes += n;
        c.rows += rows;
        cells.set(key, c);
      });
      const sorted = (list: unknown[]) => list.map((c) => JSON.stringify(c)).sort();
      const told = (m.counts ?? []).map(({ part, group, class: c, bytes: n, rows }) => ({
        part,
        group,
        class: c,
        bytes: n,
        rows,
      }));
      expect(sorted([...cells.values()].filter((c) => c.bytes || c.rows))).toEqual(sorted(told));
    }
  });

  it("ends on any bytes, and counts each once", () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const meter = new Meter();
    meter.learn(2, [1, 2]);
    for (let run = 0; run < 3000; run++) {
      const bytes = Uint8Array.from({ length: random(60) }, () => random(256));
      for (const measure of [meter.server, meter.client]) {
        let sum = 0;
        measure.call(meter, bytes, (_part, _cls, n) => {
          sum += n;
        });
        expect(sum).toBe(bytes.length);
      }
    }
  });
});
