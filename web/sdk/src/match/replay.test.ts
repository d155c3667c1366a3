import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_TEAMS } from "../base/ids.js";
import { type ClientFrame, ClientFrameSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ReplayEventKind, ReplayState, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import type { Socket } from "../net/socket.js";
import { info } from "../state/fixture.js";
import { encodeMap } from "../state/map.js";
import { openReplay, type Replay } from "./replay.js";

type Told = Parameters<typeof create<typeof ServerFrameSchema>>[1];

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
  tell(f: Told) {
    const bytes = toBinary(ServerFrameSchema, create(ServerFrameSchema, f));
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  }
  get controls() {
    return this.got.flatMap((f) => (f.replay ? [f.replay] : []));
  }
}

const LAST = 6000;
const welcome = (more: object = {}) => ({
  welcome: {
    protocol: 1,
    tickRate: 20,
    team: ALL_TEAMS,
    slot: 0xff,
    spectator: true,
    players: [
      { name: "A", team: 0 },
      { name: "B", team: 1 },
    ],
    types: [{ name: "x", health: 5, sight: 4, class: 1 }],
    resources: ["ore", "gas"],
    codes: ["OK"],
    resume: "again",
    replay: { matchId: "m", last: LAST, tick: 1, ...more },
  },
});
/** Kinds of an enter row under that welcome: one type, of nobody or two players. */
const KINDS = 3;
const unit = (handle: number, slot: number, x: number, y: number) => [
  handle * KINDS + slot + 1,
  (y * 16 * 32 + x) * 16,
  0,
];
const status = (more: object = {}) => ({
  replay: { tick: 1, last: LAST, percent: 100, state: ReplayState.PLAYING, ...more },
});

const turn = () => new Promise((r) => setTimeout(r, 0));

async function opened(more: object = {}, options: object = {}): Promise<{ replay: Replay; sockets: Fake[] }> {
  const sockets: Fake[] = [];
  const promise = openReplay({
    url: "ws://x/ws/replay",
    ticket: "t",
    socket: () => {
      const s = new Fake();
      sockets.push(s);
      return s;
    },
    fetchMap: async () => encodeMap(info().map),
    clock: () => performance.now(),
    ...options,
  });
  sockets[0].open();
  sockets[0].tell(welcome(more));
  const replay = await promise;
  await turn();
  await turn();
  return { replay, sockets };
}

const explored = (r: Replay) => r.match.state.mask.exploredCount;

describe("a replay", () => {
  afterEach(() => vi.useRealTimers());

  it("opens at a tick, with eyes, and says what it is of", async () => {
    const { replay, sockets } = await opened({ mayBranch: true }, { tick: 300, eyes: 1, paused: true });
    expect(replay.info).toEqual({ matchId: "m", live: false, first: 0, eyesFixed: false, mayBranch: true });
    expect(sockets[0].got[0].hello).toMatchObject({ ticket: "t", beside: false });
    expect(sockets[0].controls).toMatchObject([{ seek: 300, eyes: 2, paused: true, number: 1 }]);
  });

  it("of a server that opens a match is refused", async () => {
    await expect(opened({}, { fetchMap: async () => encodeMap(info().map) })).resolves.toBeDefined();
    const sockets: Fake[] = [];
    const promise = openReplay({
      url: "ws://x/ws",
      ticket: "t",
      socket: () => {
        sockets.push(new Fake());
        return sockets[0];
      },
      fetchMap: async () => encodeMap(info().map),
    });
    sockets[0].open();
    sockets[0].tell({ welcome: { ...welcome().welcome, replay: undefined } });
    await expect(promise).rejects.toMatchObject({ code: "no_replay" });
    expect(sockets[0].readyState).toBe(3);
  });

  it("goes to a tick and back: what was later is forgotten, also what is explored and the end", async () => {
    const { replay, sockets } = await opened();
    const [s] = sockets;
    s.tell({ tick: 2, enter: unit(1, 0, 3, 3) });
    const early = explored(replay);
    expect(early).toBeGreaterThan(3);
    let there = 0;
    void replay.seek(LAST + 50).then(() => there++);
    expect(s.controls).toMatchObject([{ seek: LAST, number: 1 }]);
    s.tell(status({ state: ReplayState.SEEKING, tick: 2, goal: LAST }));
    expect(replay.status).toMatchObject({ phase: "seeking", goal: LAST, tick: 2 });
    await turn();
    expect(there).toBe(0);
    s.tell(status({ tick: LAST, done: 1, state: ReplayState.ENDED }));
    await turn();
    expect(there, "the answer comes before the snapshot").toBe(0);
    s.tell({
      tick: LAST,
      enter: [...unit(1, 0, 3, 3), ...unit(1, 1, 20, 20)],
      ended: { winners: [1], reason: "elimination" },
      players: [{ slot: 0, state: 3 }],
    });
    await turn();
    expect([there, replay.tick, replay.match.status]).toEqual([1, LAST, "live"]);
    expect(replay.match.state.result?.winners).toEqual([1]);
    expect(replay.match.info.players[0].state).toBe("defeated");
    expect(explored(replay)).toBeGreaterThan(early);

    void replay.seek(40).then(() => there++);
    s.tell(status({ tick: 40, done: 2 }));
    s.tell({ tick: 40, enter: unit(1, 0, 3, 3), players: [{ slot: 0, state: 1 }] });
    await turn();
    expect([there, replay.tick, explored(replay)]).toEqual([2, 40, early]);
    expect([replay.match.state.result, replay.match.state.endTick]).toEqual([null, null]);
    expect(replay.match.info.players[0].state).toBe("playing");
    // It is drawn where it is, not from where it was.
    expect(Math.abs(replay.match.drawTick - 40)).toBeLessThan(4);
  });

  it("answers all who drag once the last of them is there", async () => {
    const { replay, sockets } = await opened();
    const [s] = sockets;
    const done: number[] = [];
    for (const tick of [100, 200, 300]) void replay.seek(tick).then(() => done.push(tick));
    s.tell(status({ tick: 300, done: 3 }));
    s.tell({ tick: 300 });
    await turn();
    expect(done).toEqual([100, 200, 300]);
    const end = new AbortController();
    const late = replay.seek(400, { signal: end.signal });
    end.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    const never = replay.seek(500);
    replay.leave();
    await expect(never).rejects.toMatchObject({ code: "closed" });
  });

  it("runs at a speed, and stands still while it is paused, seeks, waits or has ended", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { replay, sockets } = await opened();
    const [s] = sockets;
    s.tell({ tick: 100 });
    replay.setSpeed(1600);
    expect(s.controls.at(-1)).toMatchObject({ percent: 1600 });
    s.tell(status({ tick: 100, percent: 1600, done: 1 }));
    const { match } = replay;
    expect([match.clock.tickMs, match.state.world.pace]).toEqual([50 / 16, 16]);
    for (const [state, paused] of [
      [ReplayState.PLAYING, true],
      [ReplayState.SEEKING, false],
      [ReplayState.WAITING_FOR_SERVER, false],
      [ReplayState.ENDED, false],
    ] as const) {
      s.tell(status({ tick: 100, state, paused }));
      vi.advanceTimersByTime(5000);
      expect(match.drawTick, ReplayState[state]).toBe(100);
    }
    expect(replay.status.phase).toBe("ended");
    s.tell(status({ tick: 100 }));
    expect(match.drawTick).toBeLessThanOrEqual(100);
    vi.advanceTimersByTime(150);
    expect(match.drawTick).toBeGreaterThan(101);
  });

  it("at its end plays from the beginning; a live one waits for more", async () => {
    const { replay, sockets } = await opened({ first: 200 });
    sockets[0].tell(status({ tick: LAST, state: ReplayState.ENDED }));
    replay.play();
    expect(sockets[0].controls.at(-1)).toMatchObject({ paused: false, seek: 201 });
    const late = await opened({ live: true });
    late.sockets[0].tell(status({ tick: LAST, state: ReplayState.ENDED }));
    late.replay.play(200);
    expect(late.sockets[0].controls.at(-1)).toMatchObject({ paused: false, percent: 200 });
    expect(late.sockets[0].controls.at(-1)?.seek).toBeUndefined();
  });

  it("shows other eyes from the status on: what the others knew is forgotten", async () => {
    const { replay, sockets } = await opened();
    const [s] = sockets;
    s.tell({ tick: 10, enter: [...unit(1, 0, 3, 3), ...unit(1, 1, 20, 20)] });
    const all = explored(replay);
    const told: number[] = [];
    replay.events.on("eyes", (e) => told.push(e));
    const there = replay.setEyes(1);
    expect(s.controls.at(-1)).toMatchObject({ eyes: 2 });
    s.tell(status({ tick: 10, eyes: 2, done: 1 }));
    s.tell({ tick: 10, enter: unit(1, 1, 20, 20) });
    await there;
    expect([replay.match.info.team, replay.status.eyes, told]).toEqual([1, 1, [1]]);
    expect(explored(replay)).toBeLessThan(all);
    expect(replay.match.state.relation(replay.match.state.world.slot(1))).toBe("ally");
    const fixed = await opened({ eyesFixed: true });
    await expect(fixed.replay.setEyes(0)).rejects.toMatchObject({ code: "eyes_fixed" });
    expect(fixed.sockets[0].controls).toEqual([]);
  });

  it("tells of cameras and of what is made", async () => {
    const { replay, sockets } = await opened();
    sockets[0].tell(
      status({
        cameras: [{ slot: 1, x: 7, y: 8, radius: 9 }],
        production: [{ slot: 0, type: 0, count: 3, progress: 51 }],
      }),
    );
    expect(replay.cameras.get(1)).toEqual({ slot: 1, x: 7, y: 8, radius: 9 });
    expect(replay.production).toEqual([{ slot: 0, type: 0, count: 3, progress: 0.2 }]);
    sockets[0].tell(status());
    expect([replay.cameras.size, replay.production.length]).toEqual([1, 0]);
  });

  it("comes back to where it was, with what was asked meanwhile", async () => {
    const { replay, sockets } = await opened();
    sockets[0].tell(status({ tick: 500, eyes: 1, percent: 400, done: 0 }));
    sockets[0].tell({ tick: 500 });
    sockets[0].tell({
      timeline: { pointTicks: 20, series: [{ slot: 0, army: [1, 2] }], events: [{ kind: 12, tick: 9 }] },
    });
    sockets[0].drop();
    let there = 0;
    void replay.seek(900).then(() => there++);
    replay.pause();
    await vi.waitFor(() => expect(sockets.length).toBe(2), { timeout: 3000 });
    sockets[1].open();
    sockets[1].tell(welcome());
    expect(sockets[1].controls).toMatchObject([
      { seek: 900, percent: 400, paused: true, eyes: 1, number: 1 },
    ]);
    expect([replay.timeline.points, replay.timeline.events.length]).toEqual([0, 0]);
    sockets[1].tell(status({ tick: 900, paused: true, eyes: 1, done: 1 }));
    sockets[1].tell({ tick: 900 });
    await turn();
    expect([there, replay.tick]).toEqual([1, 900]);
    replay.leave();
  });

  it("has a second connection with other eyes, which ends with it", async () => {
    const { replay, sockets } = await opened();
    const promise = replay.beside(1);
    sockets[1].open();
    expect(sockets[1].got[0].hello).toMatchObject({ ticket: "", resume: "again", beside: true });
    sockets[1].tell(welcome({ tick: 40 }));
    await turn();
    await turn();
    expect(sockets[1].controls).toMatchObject([{ eyes: 2 }]);
    sockets[1].tell(status({ tick: 40, eyes: 2, done: 1 }));
    sockets[1].tell({ tick: 40 });
    const other = await promise;
    expect([other.match.info.team, replay.match.info.team]).toEqual([1, ALL_TEAMS]);
    replay.leave();
    expect(sockets[1].readyState).toBe(3);
  });

  it("refuses numbers that are no replay's", async () => {
    for (const wrong of [
      status({ eyes: 99 }),
      status({ cameras: [{ slot: 5 }] }),
      status({ production: [{ slot: 0, type: 7 }] }),
      { timeline: { pointTicks: 20, point: 5, series: [{ slot: 0, army: [1] }] } },
      { timeline: { pointTicks: 20, point: 1 << 30, series: [{ slot: 0, army: [1] }] } },
      { timeline: { pointTicks: 20, series: [{ slot: 9, army: [1] }] } },
    ]) {
      const { replay, sockets } = await opened();
      sockets[0].tell(wrong);
      expect(replay.match.status, JSON.stringify(wrong)).toBe("resuming");
      replay.leave();
    }
  });
});

describe("a timeline", () => {
  it("grows by parts, answers for a tick, and begins anew with points further apart", async () => {
    const { replay, sockets } = await opened();
    const { timeline } = replay;
    const [s] = sockets;
    const told: number[] = [];
    replay.events.on("timeline", (t) => told.push(t.revision));
    expect([timeline.pointAt(100), timeline.at(0, "army", 100), timeline.heldAt(0, 100)]).toEqual([
      -1,
      undefined,
      [],
    ]);
    // 61 points, one a second: 2 orders and 5 ore a second, from the second minute on 1 refusal.
    const n = Array.from({ length: 61 }, (_, k) => k);
    s.tell({
      timeline: {
        pointTicks: 20,
        series: [
          {
            slot: 0,
            army: n.map((k) => 10 * k),
            orders: n.map((k) => 2 * k),
            held: n.flatMap((k) => [k, 1000 + k]),
            gathered: n.flatMap((k) => [5 * k, k]),
            lostValue: n.map((k) => (k < 30 ? 0 : 75)),
          },
        ],
      },
    });
    expect([timeline.points, timeline.knows(0), timeline.knows(1)]).toEqual([61, true, false]);
    expect([timeline.at(0, "army", 45), timeline.heldAt(0, 45)]).toEqual([20, [2, 1002]]);
    expect(timeline.at(0, "army", 1e9)).toBe(600);
    expect([timeline.perMinute(0, 60), timeline.perMinute(0, 10), timeline.perMinute(0, 0)]).toEqual([
      120, 120, 0,
    ]);
    expect(timeline.income(0, 60)).toBe(360);
    expect([29, 30, 31].map((k) => timeline.growth(0, "lostValue", k))).toEqual([0, 75, 0]);
    s.tell({
      timeline: {
        pointTicks: 20,
        point: 61,
        series: [
          { slot: 0, army: [777] },
          { slot: 1, army: [5] },
        ],
      },
    });
    expect([timeline.points, timeline.at(0, "army", 61 * 20), timeline.of(1).army.length]).toEqual([
      62, 777, 62,
    ]);
    s.tell({ timeline: { restart: true, pointTicks: 40, series: [{ slot: 0, army: [1, 2] }] } });
    expect([timeline.points, timeline.at(0, "army", 45), timeline.tickOf(1)]).toEqual([2, 2, 40]);
    expect(told.length).toBe(3);
  });

  it("has events in the order of their ticks, whatever order they were known in", async () => {
    const { replay, sockets } = await opened();
    const { timeline } = replay;
    sockets[0].tell({
      timeline: {
        events: [
          { kind: ReplayEventKind.CONTACT, tick: 200, team: 1, other: 2, x: 4, y: 5 },
          { kind: ReplayEventKind.ENDED, tick: 900, team: 2, reason: "elimination" },
          {
            kind: ReplayEventKind.FIGHT,
            tick: 300,
            until: 420,
            value: 150,
            losses: [
              { slot: 0, count: 2, value: 150 },
              { slot: 40, count: 1, value: 1 },
            ],
          },
          { kind: 99 as ReplayEventKind, tick: 1 },
          { kind: ReplayEventKind.STRUCTURE_LOST, tick: 500, slot: 1, by: 2, type: 1 },
        ],
      },
    });
    expect(timeline.events.map((e) => e.kind)).toEqual(["contact", "fight", "structureLost", "ended"]);
    expect(timeline.next(200)).toMatchObject({
      kind: "fight",
      until: 420,
      losses: [{ slot: 0, count: 2, value: 150 }],
    });
    expect(timeline.previous(500)).toMatchObject({ kind: "fight" });
    expect([timeline.next(900), timeline.previous(200)]).toEqual([undefined, undefined]);
    expect(timeline.events[0]).toMatchObject({ team: 0, other: 1, slot: -1, at: { x: 4, y: 5 }, type: -1 });
    expect(timeline.events[2]).toMatchObject({ slot: 0, by: 1, type: 0 });
    expect(timeline.events[3]).toMatchObject({ team: 1, at: null, reason: "elimination" });
  });
});
