import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ClientFrame, ClientFrameSchema, OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { backoff } from "../net/backoff.js";
import type { Socket } from "../net/socket.js";
import { info } from "../state/fixture.js";
import { encodeMap } from "../state/map.js";
import { PoseColumns } from "../state/world.js";
import { connect, type Match } from "./match.js";
import type { Order } from "./order.js";
import { logPackets, type Packet } from "./packets.js";

/** A server's end of a socket. */
class Fake implements Socket {
  binaryType = "";
  readyState = 0;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  readonly got: ClientFrame[] = [];
  open() {
    this.readyState = 1;
    this.onopen?.(undefined as never);
  }
  send(data: Uint8Array) {
    this.got.push(fromBinary(ClientFrameSchema, data));
  }
  close() {
    this.drop();
  }
  drop() {
    this.readyState = 3;
    this.onclose?.({ code: 1006, reason: "" });
  }
  tell(f: Parameters<typeof create<typeof ServerFrameSchema>>[1]) {
    const bytes = toBinary(ServerFrameSchema, create(ServerFrameSchema, f));
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  }
}

const welcome = {
  welcome: {
    protocol: 1,
    tickRate: 20,
    team: 0,
    slot: 0,
    players: [{ name: "A" }],
    types: [{ name: "x", health: 5, shield: 4, abilities: [0] }],
    abilities: [{ name: "dash", kind: "sprint" }],
    effects: [{ name: "poison", kind: "damage" }],
    codes: ["OK", "NO_WAY"],
    resume: "again",
  },
};

/** Kinds of an enter row under that welcome: one type of one player, or of nobody. */
const ENTER_KINDS = 2;

/** A match with two guns of the player's, 1 and 2, at (5,5) and (5,7). */
const armed = {
  welcome: {
    ...welcome.welcome,
    lagMaxTicks: 3,
    types: [
      { name: "gun", health: 5, class: 1, weapons: [0] },
      { name: "shell", class: 3 },
    ],
    weapons: [
      {
        range: 10_240,
        cooldownTicks: 60,
        projectile: true,
        windUpTicks: 10,
        projectileType: 1,
        projectileSpeed: 30_000,
        atGround: true,
      },
    ],
  },
};
const gunAt = (gap: number, x: number, y: number) => [gap * 4 + 2, y * 16 * 16 * 32 + x * 16, 0];

async function seated(
  first: typeof welcome | typeof armed = welcome,
): Promise<{ match: Match; sockets: Fake[] }> {
  const sockets: Fake[] = [];
  const promise = connect({
    url: "ws://x/ws",
    ticket: "t",
    socket: () => {
      const s = new Fake();
      sockets.push(s);
      return s;
    },
    fetchMap: async () => encodeMap(info().map),
    clock: () => performance.now(),
  });
  sockets[0].open();
  sockets[0].tell(first);
  const match = await promise;
  await new Promise((r) => setTimeout(r, 1));
  return { match, sockets };
}

const turn = () => new Promise((r) => setTimeout(r, 0));

describe("connect", () => {
  afterEach(() => vi.useRealTimers());

  it("says hello with the ticket, waits for the map, and applies what came meanwhile", async () => {
    const sockets: Fake[] = [];
    let gotMap: (b: Uint8Array) => void = () => {};
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        sockets.push(new Fake());
        return sockets[0];
      },
      fetchMap: () =>
        new Promise((r) => {
          gotMap = r;
        }),
    });
    const [s] = sockets;
    s.open();
    expect(s.got[0].hello).toMatchObject({ protocol: 1, ticket: "t", resume: "" });
    s.tell(welcome);
    s.tell({ tick: 7 });
    s.tell({ span: 2 });
    gotMap(encodeMap(info().map));
    const match = await promise;
    await turn();
    expect(match.state.tick).toBe(9);
  });

  it("tells listeners of attributes, abilities and effects that change, from the bytes of a frame", async () => {
    const { match, sockets } = await seated();
    const { events } = match.state;
    const got: unknown[] = [];
    const stop = events.on("attribute", (e) => got.push([e.id, e.attribute, e.was, e.now, e.times]));
    events.on("abilityStart", (e) => got.push([e.id, "starts", e.kind]));
    events.on("abilityStop", (e) => got.push([e.id, "stops", e.kind]));
    events.on("effectStart", (e) => got.push([e.id, "gets", e.effect, e.source]));
    events.on("effectStop", (e) => got.push([e.id, "is without", e.effect]));
    const [s] = sockets;
    const enter = [3 * ENTER_KINDS + 1, 0, 0];
    s.tell({
      tick: 7,
      enter,
      health: [3, 1],
      actions: [3, 1, 0],
      effects: [3, 1, 0, 0],
      own: { energy: [3, 9] },
    });
    expect(got).toEqual([]); // it came into sight complete
    s.tell({
      health: [3, 2],
      shield: [3, 1],
      shieldChanges: [3, 2],
      actions: [3, 0, 0],
      effects: [3, 0, 0, 0],
    });
    s.tell({ actions: [3, 1, 1], effects: [3, 1, 1, 3], own: { energy: [3, 5], energyChanges: [3, 1] } });
    expect(got.splice(0)).toEqual([
      [3, "health", 4, 3, 1],
      [3, "shield", 4, 3, 2],
      [3, "is without", 0],
      [3, "stops", "sprint"],
      [3, "gets", 0, 3],
      [3, "energy", 9, 5, 1],
      [3, "starts", "sprint"],
    ]);
    stop();
    s.tell({ health: [3, 4] });
    expect(got).toEqual([]);
    match.leave();
  });

  it("keeps the connection when a listener throws, and says which", async () => {
    const { match, sockets } = await seated();
    const failures: string[] = [];
    match.events.on("error", (f) => {
      failures.push(`${f.listener} of ${f.event}: ${(f.error as Error).message}`);
      if (failures.length === 2) throw new Error("not even that");
    });
    const shown = vi.spyOn(console, "error").mockReturnValue();
    match.events.on("frame", function drawRadar() {
      throw new Error("no radar");
    });
    match.state.events.on("reset", function countUnits() {
      throw new Error("no fingers");
    });
    const ticks: number[] = [];
    match.events.on("frame", (f) => ticks.push(f.tick));
    sockets[0].tell({ tick: 7 });
    sockets[0].tell({ span: 1 });
    expect(failures).toEqual([
      "countUnits of reset: no fingers",
      "drawRadar of frame: no radar",
      "drawRadar of frame: no radar",
    ]);
    expect([ticks, match.status, sockets.length]).toEqual([[7, 8], "live", 1]);
    expect(shown).toHaveBeenCalledTimes(1);
    shown.mockRestore();
  });

  it("numbers the shots that are drawn ahead, each once, and no others", async () => {
    const { match, sockets } = await seated(armed);
    sockets[0].tell({ tick: 100, enter: [...gunAt(1, 5, 5), ...gunAt(1, 5, 7)] });
    const draw = () => {
      const poses = new PoseColumns();
      match.state.shots.sample(99, poses, match.state.world.sample(99, 50, poses));
    };
    const near = { x: 9 * 1024, y: 6 * 1024 };
    const far = { x: 25 * 1024, y: 6 * 1024 };
    const sent = async () => {
      await turn();
      return sockets[0].got.flatMap((f) => f.orders).map((o) => o.request);
    };
    match.order({ do: "attackGround", units: [1, 2], to: near }); // nothing is drawn yet
    expect(await sent()).toEqual([0]);
    draw();
    match.order({ do: "attackGround", units: [1, 2], to: near });
    match.order({ do: "move", units: [1], to: near });
    match.order({ do: "attackGround", units: [1], to: far });
    match.order({ do: "attackGround", units: [1], to: near });
    const [, first, move, out, next] = await sent();
    expect(first).toBeGreaterThan(0);
    expect([move, out, next]).toEqual([0, 0, first + 2]);
    // Sent again on the next connection, an order keeps its numbers; a new one is not drawn before that.
    sockets[0].drop();
    match.order({ do: "attackGround", units: [2], to: near });
    await vi.waitFor(() => expect(sockets.length).toBe(2), 2000);
    sockets[1].open();
    sockets[1].tell(armed);
    await turn();
    const again = sockets[1].got.flatMap((f) => f.orders).map((o) => o.request);
    expect(again).toEqual([0, first, 0, 0, first + 2, 0]);
    match.leave();
  });

  it("logs its messages: both directions, parts, entities, orders and answers, as chosen", async () => {
    const { match, sockets } = await seated(armed);
    const all: Packet[] = [];
    const motion: Packet[] = [];
    const stop = logPackets(match, (p) => all.push(p));
    sockets[0].tell({ tick: 100, enter: [...gunAt(1, 5, 5), ...gunAt(1, 5, 7)] });
    match.order({ do: "attackGround", units: [1, 2], to: { x: 9 * 1024, y: 6 * 1024 } });
    await turn();
    sockets[0].tell({ span: 2, motion: [2, 60, 400], answers: [{ seq: 1, code: 1 }] });
    const orders = all.filter((p) => p.calls.length > 0);
    expect(orders).toMatchObject([
      {
        from: "client",
        tick: 100,
        calls: [
          {
            number: 1,
            kind: "attackGround",
            units: [
              { handle: 1, type: "gun" },
              { handle: 2, type: "gun" },
            ],
          },
        ],
      },
    ]);
    const frames = all.filter((p) => p.frame);
    expect(frames.map((p) => [p.from, p.tick, p.snapshot])).toEqual([
      ["server", 100, true],
      ["server", 102, false],
    ]);
    expect(frames[1].answers).toEqual([{ number: 1, code: "NO_WAY" }]);
    expect(frames[1].entities).toEqual([{ handle: 2, type: "gun", parts: [{ name: "motion", bytes: 4 }] }]);
    for (const p of all) expect(p.parts.reduce((n, x) => n + x.bytes, 0)).toBe(p.bytes);
    // A second log takes the place of the first; the end of the first leaves it.
    logPackets(match, (p) => motion.push(p), { from: "server", part: "motion", entity: 2 });
    stop();
    sockets[0].tell({ motion: [1, 60, 400, 1, 60, 400] });
    sockets[0].tell({ motion: [1, 60, 400] });
    expect(motion.map((p) => p.entities.map((e) => e.handle))).toEqual([[2]]);
    expect(frames.length).toBe(all.filter((p) => p.frame).length);
  });

  it("asks for fewer bytes and frames, together and again on each connection, and notes what the server says", async () => {
    const { match, sockets } = await seated();
    expect(match.bytesPerS).toBe(0);
    match.limit(4000);
    match.pace(5);
    await turn();
    const paces = (s: Fake) => s.got.flatMap((f) => (f.pace ? [[f.pace.bytesPerS, f.pace.framesPerS]] : []));
    expect(paces(sockets[0]).at(-1)).toEqual([4000, 5]);
    sockets[0].tell({ tick: 7, budget: { bytesPerS: 9000 } });
    expect([match.bytesPerS, match.state.tick]).toEqual([9000, 7]);
    sockets[0].tell({ budget: {} });
    expect([match.bytesPerS, match.state.tick]).toEqual([0, 8]);
  });

  it("asks for a speed and a pause, and hears in a pause what is said", async () => {
    const { match, sockets } = await seated();
    const said: string[] = [];
    match.state.events.on("chat", (c) => said.push(c.text));
    sockets[0].tell({ tick: 7 });
    match.setSpeed(200, true);
    await turn();
    expect(sockets[0].got.at(-1)?.setSpeed).toMatchObject({ percent: 200, paused: true });
    const wishes = [{ slot: 1, percent: 300, paused: false, ms: 5000 }];
    sockets[0].tell({ speed: { percent: 200, paused: true, by: 1, pauseMs: 60_000, pausesLeft: 2, wishes } });
    expect(match.speed).toMatchObject({ percent: 200, paused: true, by: 0, pausesLeft: 2 });
    expect(match.speed.wishes).toMatchObject([{ slot: 1, percent: 300, paused: false }]);
    sockets[0].tell({ waiting: { ticks: 20 }, said: [{ slot: 1, all: true, text: "a pause" }] });
    expect([match.state.tick, match.waitingMs, said]).toEqual([8, 0, ["a pause"]]);
    expect(match.drawTick).toBeLessThanOrEqual(8);
    sockets[0].tell({ speed: { percent: 200, pausesLeft: 255 } });
    expect(match.speed).toMatchObject({ paused: false, by: -1, pausesLeft: Number.POSITIVE_INFINITY });
    expect(match.clock.tickMs).toBe(match.info.tickMs / 2);
  });

  it("numbers orders from 1 and settles each with its answer", async () => {
    const { match, sockets } = await seated();
    const a = match.order({ do: "stop", units: [1] });
    const b = match.order({ do: "move", units: [1], to: { x: 1.4, y: 2 } });
    await turn();
    const sent = sockets[0].got.flatMap((f) => f.orders);
    expect(sent.map((o) => [o.seq, o.to?.x])).toEqual([
      [1, undefined],
      [2, 1],
    ]);
    sockets[0].tell({
      answers: [
        { seq: 1, code: 0, leftOut: [4], leftOutCode: [1] },
        { seq: 2, code: 1 },
      ],
    });
    expect(await a.answer).toEqual({ ok: true, leftOut: [{ unit: 4, code: "NO_WAY" }] });
    expect(await b.answer).toEqual({ ok: false, code: "NO_WAY" });
    expect(match.unanswered).toBe(0);
  });

  it("takes an order without units from a program without types", async () => {
    const { match, sockets } = await seated();
    const { answer } = match.order({ do: "surrender" } as Order);
    await turn();
    const [sent] = sockets[0].got.flatMap((f) => f.orders);
    expect([sent.seq, sent.kind, sent.units]).toEqual([1, OrderKind.SURRENDER, []]);
    sockets[0].tell({ answers: [{ seq: 1, code: 0 }] });
    expect(await answer).toEqual({ ok: true, leftOut: [] });
  });

  it("comes back with the token, and sends what was not answered once more, in order", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sockets: Fake[] = [];
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        const s = new Fake();
        sockets.push(s);
        return s;
      },
      fetchMap: async () => encodeMap(info().map),
    });
    sockets[0].open();
    sockets[0].tell(welcome);
    const match = await promise;
    await vi.advanceTimersByTimeAsync(5);
    const told: string[] = [];
    match.events.on("status", (s) => told.push(s.now));
    match.order({ do: "stop", units: [1] });
    await vi.advanceTimersByTimeAsync(1);
    match.limit(4000);
    sockets[0].drop();
    match.order({ do: "hold", units: [2] });
    await vi.advanceTimersByTimeAsync(6000);
    expect(sockets.length).toBe(2);
    sockets[1].open();
    expect(sockets[1].got[0].hello).toMatchObject({ ticket: "", resume: "again" });
    sockets[1].tell(welcome);
    await vi.advanceTimersByTimeAsync(1);
    expect(sockets[1].got.flatMap((f) => f.orders).map((o) => o.seq)).toEqual([1, 2]);
    expect(told).toEqual(["resuming", "live"]);
    expect(sockets[1].got.flatMap((f) => (f.pace ? [f.pace.bytesPerS] : []))).toEqual([4000]);
  });

  it("asks for one snapshot when it is inconsistent, however often that shows", async () => {
    const { match, sockets } = await seated();
    sockets[0].tell({ tick: 7 });
    for (let k = 0; k < 5; k++) sockets[0].tell({ leave: [40] });
    const asked = () => sockets[0].got.filter((f) => f.resync).length;
    expect([asked(), match.resyncs]).toEqual([1, 1]);
    sockets[0].tell({ tick: 30 });
    sockets[0].tell({ leave: [40] });
    expect(asked()).toBe(2);
  });

  it("lets a spectator wait for the first frame, which a message of waiting is not", async () => {
    const { match, sockets } = await seated();
    expect(match.waitingMs).toBe(0);
    sockets[0].tell({ waiting: { ticks: 100 } });
    expect(match.state.frames).toBe(0);
    expect(match.waitingMs).toBeGreaterThan(4500);
    expect(match.waitingMs).toBeLessThanOrEqual(5000);
    sockets[0].tell({ tick: 7 });
    expect([match.waitingMs, match.state.tick]).toEqual([0, 7]);
  });

  it("outlives a server that restarts: keeps trying, takes an older snapshot, plays on", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const sockets: Fake[] = [];
    let down = false;
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        const s = new Fake();
        sockets.push(s);
        if (down) setTimeout(() => s.drop(), 5); // refused
        return s;
      },
      fetchMap: async () => encodeMap(info().map),
    });
    sockets[0].open();
    sockets[0].tell(welcome);
    const match = await promise;
    await vi.advanceTimersByTimeAsync(5);
    const soldier = (tick: number, handle: number) => ({
      tick,
      enter: [handle * ENTER_KINDS + 1, 16 * 512 + 16, 0],
    });
    sockets[0].tell(soldier(500, 7));
    expect([match.state.tick, match.state.world.has(7)]).toEqual([500, true]);
    const told: string[] = [];
    match.events.on("status", (s) => told.push(s.now));

    down = true;
    sockets[0].drop();
    const sent = match.order({ do: "stop", units: [7] });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Set(told)).toEqual(new Set(["resuming"]));
    expect(sockets.length).toBeGreaterThan(10);
    expect(match.unanswered).toBe(1);

    down = false;
    await vi.advanceTimersByTimeAsync(6000);
    const back = sockets[sockets.length - 1];
    back.open();
    expect(back.got[0]).toMatchObject({ applied: 500, hello: { ticket: "", resume: "again" } });
    back.tell(welcome);
    back.tell(soldier(460, 9)); // where its journal ended
    await vi.advanceTimersByTimeAsync(1);
    expect(told[told.length - 1]).toBe("live");
    expect([match.state.tick, match.state.world.has(7), match.state.world.has(9)]).toEqual([
      460,
      false,
      true,
    ]);
    expect(match.clock.drawTick(performance.now())).toBeLessThan(461);
    expect(back.got.flatMap((f) => f.orders).map((o) => o.seq)).toEqual([1]);
    back.tell({ span: 1, answers: [{ seq: 1, code: 0 }] });
    expect(await sent.answer).toMatchObject({ ok: true });
    expect(match.state.tick).toBe(461);
    match.leave();
  });

  it("gives up after minutes, in words", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const sockets: Fake[] = [];
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        const s = new Fake();
        sockets.push(s);
        if (sockets.length > 1) setTimeout(() => s.drop(), 5);
        return s;
      },
      fetchMap: async () => encodeMap(info().map),
    });
    sockets[0].open();
    sockets[0].tell(welcome);
    const match = await promise;
    let why: string | undefined;
    match.events.on("status", (s) => {
      why = s.error?.message;
    });
    sockets[0].drop();
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    expect(match.status).toBe("resuming");
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect([match.status, why]).toEqual(["closed", "The match server has not answered for several minutes."]);
  });

  it("does not take a pause of its own process for silence of the server", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    let now = 0;
    const fake = new Fake();
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => fake,
      fetchMap: async () => encodeMap(info().map),
      clock: () => now,
    });
    fake.open();
    fake.tell(welcome);
    const match = await promise;
    const second = async (ms = 1000) => {
      now += ms;
      await vi.advanceTimersByTimeAsync(1000);
    };
    await second();
    fake.tell({ tick: 40 });
    await second(3_600_000);
    for (let k = 0; k < 9; k++) await second();
    expect(match.status).toBe("live");
    for (let k = 0; k < 3; k++) await second();
    expect(match.status).toBe("resuming");
  });

  it("ends with the signal of its caller: while it waits for the map, and in the match", async () => {
    for (const opened of [false, true]) {
      const end = new AbortController();
      const fake = new Fake();
      const promise = connect({
        url: "ws://x/ws",
        ticket: "t",
        socket: () => fake,
        signal: end.signal,
        fetchMap: (_, { signal }) => {
          expect(signal).toBe(end.signal);
          return opened ? Promise.resolve(encodeMap(info().map)) : new Promise(() => undefined);
        },
      });
      fake.open();
      fake.tell(welcome);
      const match = opened ? await promise : null;
      end.abort(new Error("enough"));
      expect(fake.readyState).toBe(3);
      if (match) expect(match.status).toBe("closed");
      else await expect(promise).rejects.toThrow("enough");
    }
    const before = AbortSignal.abort(new Error("never"));
    await expect(connect({ url: "ws://x/ws", ticket: "t", signal: before })).rejects.toThrow("never");
  });

  it("ends the wait for an answer, or for an event, with a signal", async () => {
    const { match } = await seated();
    const end = new AbortController();
    const { answer } = match.order({ do: "stop", units: [1] }, { signal: end.signal });
    const event = match.events.next("end", { signal: end.signal });
    end.abort(new Error("enough"));
    expect(await answer).toEqual({ ok: false, code: "ABORTED" });
    await expect(event).rejects.toThrow("enough");
    expect(match.unanswered).toBe(1); // it may be on its way
    expect(match.order({ do: "stop", units: [1] }, { signal: end.signal }).seq).toBe(0);
    expect(match.unanswered).toBe(1);
  });

  it("shows several readers the same, however often each of them looks", async () => {
    let now = 0;
    const world = async () => {
      const fake = new Fake();
      const promise = connect({
        url: "ws://x/ws",
        ticket: "t",
        socket: () => fake,
        fetchMap: async () => encodeMap(info().map),
        clock: () => now,
      });
      fake.open();
      fake.tell(armed);
      const match = await promise;
      await turn();
      return { match, fake };
    };
    const one = await world();
    const many = await world();
    const [main, minimap, alone] = [new PoseColumns(), new PoseColumns(), new PoseColumns()];
    let moved = 0;
    for (let tick = 1; tick < 60; tick++) {
      now += 50;
      // A unit that is told to be elsewhere every few ticks: each is a correction that fades.
      for (const { fake } of [one, many])
        fake.tell(
          tick === 1
            ? { tick: 1, enter: gunAt(1, 5, 5) }
            : { span: 1, motion: tick % 7 === 0 ? [1, (tick % 3) * 2, 0] : [] },
        );
      const rows = one.match.sample(alone);
      // The minimap looks at every third frame, the other view twice in each.
      if (tick % 3 === 0) expect(many.match.sample(minimap)).toBe(rows);
      for (let k = 0; k < 2; k++) expect(many.match.sample(main)).toBe(rows);
      for (let k = 0; k < rows; k++) {
        expect([main.x[k], main.z[k], main.facing[k]]).toEqual([alone.x[k], alone.z[k], alone.facing[k]]);
        if (tick % 3 === 0) expect(minimap.x[k]).toBe(alone.x[k]);
        if (Math.abs(alone.x[k] - one.match.state.world.posX(alone.slot[k]) / 1024) > 0.01) moved++;
      }
    }
    expect(moved).toBeGreaterThan(5); // corrections were fading meanwhile
  });

  it("takes a silent line for a dead one, and an unreadable frame for a reason to begin anew", async () => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
    const sockets: Fake[] = [];
    const promise = connect({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        sockets.push(new Fake());
        return sockets[sockets.length - 1];
      },
      fetchMap: async () => encodeMap(info().map),
    });
    sockets[0].open();
    sockets[0].tell(welcome);
    const match = await promise;
    await vi.advanceTimersByTimeAsync(5);
    sockets[0].tell({ tick: 40 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(match.status).toBe("live");
    await vi.advanceTimersByTimeAsync(8500);
    expect(match.status).toBe("resuming");
    await vi.advanceTimersByTimeAsync(300);
    sockets[1].open();
    expect(sockets[1].got[0].applied).toBe(40);
    sockets[1].tell(welcome);
    expect(match.status).toBe("live");
    sockets[1].onmessage?.({ data: Uint8Array.of(0x1a, 0xff, 0xff).buffer });
    expect(match.status).toBe("resuming");
    await vi.advanceTimersByTimeAsync(300);
    sockets[2].open();
    expect(sockets[2].got[0].applied).toBe(0); // what it holds is not to be trusted
    // And a socket that opens but never answers is given up for the next.
    await vi.advanceTimersByTimeAsync(16_000);
    expect(sockets.length).toBe(4);
    match.leave();
  });

  it("tells in the end what was applied last, however frames bunch up", async () => {
    const { match, sockets } = await seated();
    sockets[0].tell({ tick: 40 });
    await turn();
    const before = sockets[0].got.length;
    for (let k = 0; k < 60; k++) sockets[0].tell({ span: 1 });
    expect(match.state.tick).toBe(100);
    await new Promise((r) => setTimeout(r, 330));
    const told = sockets[0].got.slice(before).map((f) => f.applied);
    expect(told.at(-1)).toBe(100);
    expect(told.length).toBeLessThanOrEqual(2);
  });

  it("gives up at once when the server says that coming back is no use", async () => {
    const { match, sockets } = await seated();
    const sent = match.order({ do: "stop", units: [1] });
    sockets[0].tell({ closing: { code: "kicked", text: "You were removed.", retry: false } });
    sockets[0].drop();
    expect(match.status).toBe("closed");
    expect(await sent.answer).toMatchObject({ ok: false, code: "LOST" });
  });

  it("rejects when the door stays shut", async () => {
    const s = new Fake();
    const promise = connect({ url: "ws://x/ws", ticket: "t", socket: () => s });
    s.open();
    s.tell({ closing: { code: "ticket_used", text: "The ticket was used.", retry: false } });
    s.drop();
    await expect(promise).rejects.toMatchObject({ code: "ticket_used", retryable: false });
  });
});

describe("backoff", () => {
  it("is short for some seconds, doubles up to five seconds, and is spread", () => {
    expect([1, 2, 3, 14, 15, 16, 17, 18, 99].map((n) => backoff(n, 1))).toEqual([
      200, 400, 600, 600, 1200, 2400, 4800, 5000, 5000,
    ]);
    expect(backoff(3, 0)).toBe(300);
  });
});
