// Whatever a server sends, a client takes it in or refuses it with the SDK's
// own error, in bounded time and memory. Seeded: the same bytes each run.

import { readFileSync } from "node:fs";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FogkeepError } from "../base/errors.js";
import { OWN_VALUES, VALUES } from "../gen/fields.js";
import { ServerFrameSchema, TypeClass, WelcomeSchema } from "../gen/fogkeep/v1/server_pb.js";
import { checkFrame, checkWelcome } from "../net/check.js";
import { readFrame } from "../net/packed.js";
import type { Socket } from "../net/socket.js";
import { info } from "../state/fixture.js";
import { encodeMap } from "../state/map.js";
import { MatchState } from "../state/match.js";
import { infoOf } from "../state/welcome.js";
import { PoseColumns } from "../state/world.js";
import { connect, type Match } from "./match.js";

const RUNS = 4000;

const welcome = create(WelcomeSchema, {
  protocol: 1,
  tickRate: 20,
  team: 0,
  slot: 0,
  resume: "again",
  codes: ["OK", "NO"],
  resources: ["ore"],
  players: [{ name: "A" }, { name: "B", team: 1 }],
  weapons: [{ name: "gun", cooldownTicks: 16, range: 4000 }],
  types: [
    {
      name: "a",
      class: TypeClass.UNIT,
      health: 50,
      sight: 14,
      speed: 9830,
      size: 300,
      sizeY: 300,
      weapons: [0],
    },
    { name: "b", class: TypeClass.UNIT, health: 90, sight: 20, speed: 5000, size: 300, flyerSight: true },
    { name: "c", class: TypeClass.STRUCTURE, health: 500, sight: 18, size: 3, trains: [0] },
    { name: "d", class: TypeClass.RESOURCE, size: 1 },
    { name: "e", class: TypeClass.PROJECTILE, speed: 20_000 },
  ],
});
const KINDS = 3 * welcome.types.length;
const COUNTS = { players: 2, types: welcome.types.length };
const map = info(64, 48).map;

/** A generator of whole numbers below n, the same each run. */
function dice(seed: number): (n: number) => number {
  let s = seed >>> 0;
  return (n) => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return Math.floor((s / 2 ** 32) * n);
  };
}

/** Frames that a server could send, all fields among them. */
function valid(random: (n: number) => number): Uint8Array[] {
  const row = (...rest: number[]) => [1 + random(3), ...rest];
  const rows = (n: number, ...limits: number[]) =>
    Array.from({ length: 1 + random(n) }, () => row(...limits.map(random))).flat();
  const enters = Array.from({ length: 8 }, () => [
    (1 + random(2)) * KINDS + random(KINDS),
    random(16 * 64 * 16 * 48),
    random(2_000_000),
  ]).flat();
  const frames = [
    {
      tick: 100 + random(1000),
      enter: enters,
      mask: { row: [3, 1], visibleRuns: [2, 1], visible: [4, 9, 7] },
    },
    {
      span: 1 + random(30),
      skipped: random(4),
      motion: rows(8, 400_000, 2_000_000),
      exact: rows(3, 4, 4096),
    },
    {
      ...Object.fromEntries(VALUES.map(({ key }) => [key, rows(6, 256)])),
      fire: rows(4, 20),
      actions: rows(5, 3, 90),
      effects: rows(5, 3, 90, 20),
    },
    { leave: [1, random(3), 1], destroyed: [5, 1], maskHash: random(2 ** 31) },
    {
      ghosts: {
        handle: [4, 1],
        type: [2, 2],
        owner: [2, 0],
        x: [99, 4000],
        y: [5, 6],
        facing: [1, 2],
        hpMissing: [3],
        gone: [9],
      },
      events: {
        kind: [1, 2, 4, 5, 6, 7, 8],
        x: [10, 20],
        y: [30],
        what: [0, 9],
        source: [3],
        target: [4, 5],
      },
      sights: [{ x: 5, y: 6, radius: 20, flyer: true, ticks: 40 }],
      players: [{ slot: 1, state: 2 }],
      said: [{ slot: 1, all: true, text: "hello" }],
      pinged: [{ slot: 0, kind: 2, at: { x: 100, y: 200 } }],
    },
    {
      answers: [{ seq: 1, code: 1, leftOut: [3], leftOutCode: [1] }],
      ended: { winners: [1], reason: "x", scores: [{ kills: 2 }] },
    },
    {
      own: {
        resources: [random(900)],
        population: 4,
        populationMax: 20,
        queues: [3, 2, 0, 1, random(256), 4, 0],
        rallies: rows(2, 16 * 64 * 16 * 48),
        tasks: [1, 4, random(16 * 64 * 16 * 48), 1, 5, 1, 0],
        ...Object.fromEntries(OWN_VALUES.map(({ key }) => [key, rows(3, 200)])),
        ready: rows(3, 4, 600),
        running: rows(3, 4, 600, 90),
        grants: rows(3, 4, 6),
        cancelled: [3],
        cancelledCode: [1],
      },
      answers: [{ seq: 3, more: random(9) }],
    },
    { welcome },
    { waiting: { ticks: 100 } },
  ];
  return frames.map((f) => toBinary(ServerFrameSchema, create(ServerFrameSchema, f)));
}

/** The bytes of the vectors that the server writes: real encodings. */
function vectors(): Uint8Array[] {
  const { messages } = JSON.parse(
    readFileSync(new URL("../../../../proto/wire/testdata/traffic.json", import.meta.url), "utf8"),
  ) as { messages: { client: boolean; hex: string }[] };
  return messages.filter((m) => !m.client).map((m) => Uint8Array.from(Buffer.from(m.hex, "hex")));
}

/** Flips, cuts, doubles, splices: what links and bugs do to bytes. */
function mutate(b: Uint8Array, other: Uint8Array, random: (n: number) => number): Uint8Array {
  let out = Uint8Array.from(b);
  for (let k = 0; k <= random(4); k++) {
    const at = random(Math.max(1, out.length));
    switch (random(6)) {
      case 0:
        if (out.length > 0) out[at] ^= 1 << random(8);
        break;
      case 1:
        if (out.length > 0) out[at] = [0, 0x7f, 0x80, 0xff][random(4)];
        break;
      case 2:
        out = out.slice(0, at);
        break;
      case 3:
        out = Uint8Array.from([...out.slice(0, at), ...other.slice(random(other.length + 1))]);
        break;
      case 4: // a number as large as they come
        out = Uint8Array.from([...out.slice(0, at), 0xff, 0xff, 0xff, 0xff, 0x0f, ...out.slice(at)]);
        break;
      default:
        out = Uint8Array.from([...out, ...out.slice(at)]);
    }
  }
  return out;
}

describe("a state", () => {
  it("takes any checked frame, and refuses others with the SDK's error", () => {
    const random = dice(20);
    const corpus = [...valid(random), ...vectors()];
    let state = new MatchState(infoOf(welcome, map), true);
    const poses = new PoseColumns();
    let applied = 0;
    for (let run = 0; run < RUNS; run++) {
      if (run % 500 === 0) {
        corpus.push(...valid(random));
        state = new MatchState(infoOf(welcome, map), true);
      }
      const b = corpus[random(corpus.length)];
      const bytes = random(8) === 0 ? b : mutate(b, corpus[random(corpus.length)], random);
      let frame: ReturnType<typeof create<typeof ServerFrameSchema>>;
      try {
        frame = readFrame(bytes);
      } catch {
        continue; // no protobuf; the link says so
      }
      try {
        if (frame.welcome) checkWelcome(frame.welcome);
        checkFrame(frame, COUNTS);
      } catch (err) {
        expect(err).toBeInstanceOf(FogkeepError);
        continue;
      }
      if (frame.welcome || frame.waiting || frame.closing) continue;
      state.apply(frame, run * 50);
      state.world.sample(state.tick, 50, poses);
      applied++;
      const { world, mask, ghosts } = state;
      expect(world.count).toBeLessThanOrEqual(world.high);
      expect(world.high).toBeLessThan(1 << 17);
      expect(ghosts.size).toBeLessThan(1 << 17);
      expect(mask.visibleCount).toBeLessThanOrEqual(mask.exploredCount);
      expect(mask.exploredCount).toBeLessThanOrEqual(mask.width * mask.height);
    }
    expect(applied).toBeGreaterThan(RUNS / 10);
  });

  it("walks through a frame of many ticks and sights in bounded steps", () => {
    const state = new MatchState(infoOf(welcome, map), true);
    const enter = Array.from({ length: 20_000 }, (_, k) => [KINDS + 5 + (k % 2), k * 37, 16_384 + k]).flat();
    const sights = Array.from({ length: 20_000 }, () => ({ x: 3, y: 3, radius: 64, ticks: 2 ** 31 }));
    state.apply(create(ServerFrameSchema, { tick: 5, enter, sights }), 0);
    state.apply(create(ServerFrameSchema, { span: 1 << 24 }), 0);
    state.apply(
      create(ServerFrameSchema, { mask: { row: [1], visibleRuns: [2 ** 32 - 1], visible: [1] } }),
      0,
    );
    // That it came here, within the time of a test, is the point.
    expect(state.tick).toBe(5 + (1 << 24) + 1);
  });
});

describe("refused", () => {
  const why = (f: Parameters<typeof create<typeof ServerFrameSchema>>[1]): string => {
    try {
      checkFrame(create(ServerFrameSchema, f), COUNTS);
    } catch (err) {
      return (err as FogkeepError).message;
    }
    return "taken";
  };
  it("is what no map can hold, with what and where", () => {
    expect(why({ enter: [1, 2] })).toMatch(/enter: 2 numbers are no rows of 3/);
    expect(why({ leave: [2 ** 32 - 1] })).toMatch(/leave: handle 4294967295/);
    expect(why({ leave: Array.from({ length: 70_000 }, () => 1) })).toMatch(/leave: 70000 is not between/);
    expect(why({ sights: [{ x: 5000 }] })).toMatch(/sight at 5000,0/);
    expect(why({ sights: [{ radius: 65 }] })).toMatch(/radius of a sight: 65/);
    expect(why({ mask: { row: [1, 0] } })).toMatch(/row 1 comes twice/);
    expect(why({ mask: { row: [1], visibleRuns: [3], visible: [1] } })).toMatch(/more runs than are left/);
    expect(why({ ghosts: { handle: [1], owner: [9] } })).toMatch(/owner of a ghost: 9/);
    expect(why({ span: 2 ** 31 })).toMatch(/span/);
    expect(why({ answers: [{ seq: 1, more: 2 ** 31 }] })).toMatch(/answers: 2147483649/);
    expect(why({ own: { queues: [1, 9, 0] } })).toMatch(/queues: row 0 has 9 numbers too few/);
    expect(why({ own: { tasks: [1, 4] } })).toMatch(/tasks: row 0 has 1 numbers too few/);
    expect(why({ own: { energy: [2 ** 31, 1] } })).toMatch(/energy: handle/);
    expect(why({ own: { queues: [1, 2, 0, 0, 9, 1, 0], tasks: [1, 4, 7, 1, 5] } })).toBe("taken");
    expect(why({ tick: 9, health: [3, 1] })).toBe("taken");
  });
  it("is a welcome that nothing can be made of", () => {
    const w = (part: object) => () => checkWelcome(create(WelcomeSchema, { ...welcome, ...part }));
    expect(w({})).not.toThrow();
    expect(w({ types: [] })).toThrow(/types: 0/);
    expect(w({ players: [] })).toThrow(/players: 0/);
    expect(w({ tickRate: 0 })).toThrow(/ticks per second: 0/);
    expect(w({ mapHash: "../../x" })).toThrow(/hash/);
    expect(
      w({ types: [create(WelcomeSchema, { types: [{ class: TypeClass.STRUCTURE, size: 900 }] }).types[0]] }),
    ).toThrow(/size of type 0: 900/);
  });
});

describe("a match", () => {
  afterEach(() => vi.useRealTimers());

  it("survives a server that talks nonsense: begins anew with a snapshot, then gives up in words", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const sockets: Fake[] = [];
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        sockets.push(new Fake());
        return sockets[sockets.length - 1];
      },
      fetchMap: async () => encodeMap(map),
    });
    const greeting = toBinary(ServerFrameSchema, create(ServerFrameSchema, { welcome }));
    sockets[0].open();
    sockets[0].tell(greeting);
    const match: Match = await promise;
    await vi.advanceTimersByTimeAsync(5);
    const random = dice(7);
    const corpus = valid(random).slice(0, 5); // not the end of the match, which would end it
    let reason = "";
    match.events.on("status", (s) => {
      reason = s.error?.message ?? reason;
    });
    for (let round = 0; round < 200 && match.status !== "closed"; round++) {
      const s = sockets[sockets.length - 1];
      for (let k = 0; k < 20 && !s.closed; k++) s.tell(mutate(corpus[random(5)], corpus[random(5)], random));
      await vi.advanceTimersByTimeAsync(6000);
      const next = sockets[sockets.length - 1];
      if (next === s) continue;
      next.open();
      expect(next.got).toBeGreaterThan(0);
      next.tell(greeting);
    }
    expect(match.status).toBe("closed");
    expect(sockets.length).toBeGreaterThan(1);
    expect(reason).toMatch(/may be too old/);
  });
});

/** A server's end of a socket that says anything. */
class Fake implements Socket {
  binaryType = "";
  readyState = 0;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  got = 0;
  closed = false;
  open() {
    this.readyState = 1;
    this.onopen?.(undefined as never);
  }
  send() {
    this.got++;
  }
  close() {
    this.closed = true;
    this.readyState = 3;
  }
  tell(bytes: Uint8Array) {
    this.onmessage?.({ data: bytes.slice().buffer });
  }
}
