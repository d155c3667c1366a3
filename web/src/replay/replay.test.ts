import { create } from "@bufbuild/protobuf";
import { ALL_TEAMS, MatchState, ReplayTimeline } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { ServerFrameSchema } from "@fogkeep/client/wire";
import { beforeEach, describe, expect, it } from "vitest";
import { bindingsOf, conflicts, PRESETS, replayActionOf } from "../input/hotkeys";
import { densityRow } from "./density";
import { Compared } from "./difference";
import { graphLine, niceMax } from "./graphs";
import { readLink, writeLink } from "./link";
import { ReplayModel, type Watched } from "./model";
import { clockText, eventText, speedText, teamName } from "./words";

/** Ticks of 50 ms. */
const LAST = 12_000;

/** A replay without a server: it keeps the requests. */
class Fake {
  readonly info = { matchId: "m", live: false, first: 0, eyesFixed: false, mayBranch: false };
  status = {
    tick: 1,
    last: LAST,
    percent: 100,
    paused: false,
    eyes: ALL_TEAMS,
    phase: "playing" as "playing" | "seeking" | "waiting" | "ended",
    goal: 1,
    indexed: LAST,
  };
  readonly timeline = new ReplayTimeline(0, 3, 2, 50);
  readonly cameras = new Map();
  readonly production = [];
  readonly match = { info: info(), drawTick: 1 };
  readonly asked: string[] = [];
  private readonly listeners = new Map<string, (e: never) => void>();
  readonly events = {
    on: (kind: string, fn: (e: never) => void) => {
      this.listeners.set(kind, fn);
      return () => this.listeners.delete(kind);
    },
  };
  tell(more: Partial<Fake["status"]>): void {
    this.status = { ...this.status, ...more };
    this.listeners.get("status")?.(this.status as never);
  }
  knows(part: object): void {
    this.timeline.add({ restart: false, pointTicks: 0, point: 0, series: [], events: [], ...part } as never);
    this.listeners.get("timeline")?.(this.timeline as never);
  }
  private ask(what: string): Promise<void> {
    this.asked.push(what);
    return Promise.resolve();
  }
  seek = (tick: number) => this.ask(`seek ${tick}`);
  step = (n: number) => this.ask(`step ${n}`);
  play = (percent?: number) => void this.ask(`play ${percent ?? ""}`.trim());
  pause = () => void this.ask("pause");
  setSpeed = (percent: number) => void this.ask(`speed ${percent}`);
  setEyes = (team: number) => this.ask(`eyes ${team}`);
}

const event = (kind: number, tick: number, more: object = {}) => ({
  kind,
  tick,
  until: 0,
  slot: 0,
  by: 0,
  team: 0,
  other: 0,
  x: 0,
  y: 0,
  type: 0,
  value: 0,
  losses: [],
  reason: "",
  ...more,
});

describe("the model of a replay", () => {
  let fake: Fake;
  let model: ReplayModel;
  let against: (number | null)[];
  let now: number;
  beforeEach(() => {
    fake = new Fake();
    against = [];
    now = 1000;
    model = new ReplayModel(fake as unknown as Watched, {
      against: async (team) => {
        against.push(team);
      },
      now: () => now,
    });
  });

  it("stays at the newest tick, also if it takes long to go there", async () => {
    const behind = async (ticks: number, ms: number) => {
      fake.match.drawTick = fake.status.last - ticks;
      now += ms;
      model.update();
      await Promise.resolve();
      await Promise.resolve();
      return fake.asked.splice(0);
    };
    expect(await behind(200, 5000)).toEqual([]); // the page did not ask for it
    model.toLive();
    await Promise.resolve();
    expect(fake.asked.splice(0)).toEqual([`seek ${LAST}`, "play 100"]);
    fake.tell({ last: LAST + 200 });
    expect(await behind(100, 1000)).toEqual([]); // it has only just come there
    expect(model.isPast()).toBe(true);
    expect(await behind(100, 5000)).toEqual([`seek ${LAST + 200}`]);
    await Promise.resolve();
    expect(await behind(10, 5000)).toEqual([]);
    expect(model.isPast()).toBe(false);
    fake.tell({ phase: "waiting" });
    expect(await behind(100, 5000)).toEqual([]); // the server says when it goes on
    fake.tell({ phase: "playing" });
    model.seek(500);
    await Promise.resolve();
    fake.asked.length = 0;
    expect(await behind(9000, 5000)).toEqual([]); // the past was asked for
  });

  it("plays and pauses, and goes faster and slower by steps", () => {
    model.toggle();
    fake.tell({ paused: true });
    model.toggle();
    model.stepSpeed(1);
    fake.tell({ percent: 1600 });
    model.stepSpeed(1);
    fake.tell({ percent: 25 });
    model.stepSpeed(-1);
    fake.tell({ phase: "ended", paused: false });
    model.toggle();
    expect(fake.asked).toEqual(["pause", "play", "speed 200", "play"]);
    expect(model.said.value).toBe("Playing");
  });

  it("stays within the match, wherever it is sent", () => {
    model.seek(-5);
    model.jump(1e9);
    model.seek(100.4);
    model.jump(-10_000);
    expect(fake.asked).toEqual(["seek 1", `seek ${LAST}`, "seek 100", "seek 1"]);
  });

  it("shows where it goes while it seeks, and what is drawn otherwise", () => {
    fake.tell({ phase: "seeking", goal: 4000 });
    model.update();
    expect(model.shown.value).toBe(4000);
    fake.tell({ phase: "playing" });
    fake.match.drawTick = 4012.7;
    model.update();
    expect(model.shown.value).toBe(4012);
  });

  it("shows where it was sent until it is there, so that the next jump counts from there", async () => {
    let there = () => {};
    fake.seek = (tick: number) => {
      fake.asked.push(`seek ${tick}`);
      return new Promise((r) => {
        there = r;
      });
    };
    fake.match.drawTick = 5000;
    model.seek(1);
    model.update();
    expect(model.shown.value).toBe(1);
    model.jump(5000);
    model.update();
    expect([fake.asked.at(-1), model.shown.value]).toEqual(["seek 101", 101]);
    fake.match.drawTick = 103;
    there();
    await new Promise((r) => setTimeout(r, 0));
    model.update();
    expect(model.shown.value).toBe(103);
  });

  it("follows the pointer while it drags, not with each of its moves, and ends where it was lifted", () => {
    for (const [ms, tick] of [
      [0, 100],
      [50, 200],
      [100, 300],
      [200, 400],
      [20, 500],
    ]) {
      now += ms;
      model.scrub(tick);
      expect(model.drag.value).toBe(tick);
    }
    model.scrub(null);
    expect(fake.asked).toEqual(["seek 100", "seek 400", "seek 500"]);
    expect(model.drag.value).toBeNull();
    model.scrub(null);
    expect(fake.asked.length).toBe(3);
  });

  it("goes from event to event, to a second before each, and says what happens", () => {
    fake.knows({
      events: [
        event(1, 400, { team: 1, other: 2, x: 7, y: 8 }),
        event(2, 900, { until: 1000, losses: [{ slot: 1, count: 2, value: 150 }] }),
        event(12, LAST, { team: 2 }),
      ],
    });
    const arrived: (object | null)[] = [];
    model.arrived = (e) => arrived.push(e.at);
    model.goToEvent(1);
    expect([fake.asked.at(-1), model.said.value]).toEqual([
      "seek 380",
      "0:20 P0, P2 sees P1 for the first time",
    ]);
    model.goToEvent(1);
    expect([fake.asked.at(-1), model.said.value]).toEqual([
      "seek 880",
      "0:45 Fight: P1 loses units worth 150",
    ]);
    model.goToEvent(-1);
    expect(fake.asked.at(-1)).toBe("seek 380");
    model.goToEvent(-1);
    expect(fake.asked.length, "there is none before").toBe(3);
    expect(arrived[0]).toEqual({ x: 7, y: 8 });
  });

  it("shows one team's eyes, all, or the difference of two", async () => {
    await model.look(1);
    expect([fake.asked.at(-1), model.eyes.value, against.at(-1)]).toEqual(["eyes 1", { team: 1 }, null]);
    await model.toggleDifference();
    expect([fake.asked.at(-1), model.eyes.value, against.at(-1)]).toEqual([
      "eyes 0",
      { team: 0, against: 1 },
      1,
    ]);
    // The status of the first connection covers one team: the difference stays.
    fake.tell({ eyes: 0 });
    expect(model.eyes.value).toEqual({ team: 0, against: 1 });
    await model.compare(1, 0);
    expect([model.pair.value, fake.asked.at(-1), against.at(-1)]).toEqual([[1, 0], "eyes 1", 0]);
    await model.compare(1, 1);
    expect(model.pair.value).toEqual([1, 0]);
    await model.toggleDifference();
    expect([fake.asked.at(-1), against.at(-1), model.eyes.value]).toEqual([
      `eyes ${ALL_TEAMS}`,
      null,
      { team: ALL_TEAMS },
    ]);
    fake.tell({ eyes: 1 });
    expect(model.eyes.value, "another page of the same viewing chose").toEqual({ team: 1 });
  });

  it("does not choose eyes that are fixed, and says why", async () => {
    fake.info.eyesFixed = true;
    await model.look(1);
    expect(fake.asked).toEqual([]);
    expect(model.said.value).toMatch(/^Until the match is over, you see it as your seat does/);
  });

  it("follows the cameras that were recorded, one after the other, then none", () => {
    fake.cameras.set(0, {}).set(2, {});
    const seen = [0, 1, 2, 3].map(() => {
      model.followNext();
      return model.follow.value;
    });
    expect(seen).toEqual([0, 2, -1, 0]);
    model.followCamera(1);
    expect(model.said.value).toBe("P1 has no recorded camera here");
  });

  it("says why it stands still", () => {
    fake.tell({ phase: "waiting" });
    expect(model.said.value).toMatch(/^Live matches need the server/);
    fake.tell({ phase: "ended" });
    expect(model.said.value).toBe("End of the match");
  });
});

describe("a link to a moment", () => {
  it("is read as it was written", () => {
    for (const link of [
      { match: "abc-1_2" },
      { match: "m", key: "k_-9", tick: 1200, eyes: { team: 1, against: undefined }, x: 40, y: 52 },
      { match: "m", tick: 0, eyes: { team: 0, against: 3 } },
    ]) {
      expect(JSON.stringify(readLink(writeLink(link)))).toBe(JSON.stringify(link));
    }
    expect(writeLink({ match: "m", eyes: { team: ALL_TEAMS }, x: 3.7, y: 4.2, tick: 9.5 })).toBe(
      "#replay=m&tick=10&x=4&y=4",
    );
  });
  it("of something else is none, and what is not valid in one is left out", () => {
    for (const hash of [
      "",
      "#lobby=m",
      "#replay=",
      "#replay=a/b",
      "#replay=<x>",
      `#replay=${"a".repeat(65)}`,
    ])
      expect(readLink(hash), hash).toBeNull();
    expect(readLink("#replay=m&key=a%20b&tick=-4&eyes=x&x=1e3&y=99999999999")).toEqual({ match: "m" });
  });
});

describe("the row of a player's activity", () => {
  it("has orders and losses at their time, in shares of the most", () => {
    const fake = new Fake();
    const n = Array.from({ length: 11 }, (_, k) => k);
    fake.knows({
      pointTicks: 20,
      series: [
        {
          slot: 0,
          orders: n.map((k) => (k < 3 ? 0 : k < 6 ? 4 : 5)),
          refused: n.map(() => 0),
          lostValue: n.map((k) => (k < 9 ? 0 : 75)),
          army: n,
          held: [],
          gathered: [],
          making: [],
          workers: [],
          population: [],
          populationMax: [],
          lost: [],
          killed: [],
          killedValue: [],
          assisted: [],
        },
      ],
    });
    const { orders, losses } = densityRow(fake.timeline, 0, 0, 200, 10);
    expect([...orders].map((v) => v.toFixed(1))).toEqual([
      "0.0",
      "0.0",
      "1.0",
      "0.0",
      "0.0",
      "0.5",
      "0.0",
      "0.0",
      "0.0",
      "0.0",
    ]);
    expect([...losses].indexOf(1)).toBe(8);
    // A point wider than a column is spread, a narrower point is added up.
    expect([...densityRow(fake.timeline, 0, 0, 200, 20).orders].filter((v) => v === 1).length).toBe(2);
    expect([...densityRow(fake.timeline, 0, 0, 200, 2).orders]).toEqual([1, 0.5]);
    expect([...densityRow(fake.timeline, 1, 0, 200, 3).orders]).toEqual([0, 0, 0]);
    expect(graphLine(fake, 0, "army")).toEqual(n);
    expect(graphLine(fake, 0, "perMinute")[10]).toBe(30);
  });
  it("of a graph ends at a round number", () => {
    expect([0, 4, 5, 11, 21, 26, 101, 2500, 2501].map(niceMax)).toEqual([
      4, 4, 5, 20, 25, 50, 200, 2500, 5000,
    ]);
  });
});

describe("words of a replay", () => {
  it("are times, speeds and teams", () => {
    expect([0, 61_900, 3_723_000].map(clockText)).toEqual(["0:00", "1:01", "1:02:03"]);
    expect([25, 50, 100, 1600].map(speedText)).toEqual(["¼", "½", "1", "16"]);
    expect([teamName(info(), 0), teamName(info(), ALL_TEAMS), teamName(info(), 9)]).toEqual([
      "P0, P2",
      "All",
      "Team 10",
    ]);
  });
  it("are there for each kind of event", () => {
    const fake = new Fake();
    fake.knows({
      events: Array.from({ length: 12 }, (_, k) =>
        event(k + 1, k, { slot: 1, by: 2, team: 1, other: 2, type: 3 }),
      ),
    });
    const words = fake.timeline.events.map((e) => eventText(info(), e));
    expect(words.length).toBe(12);
    for (const w of words) expect(w).not.toMatch(/replay\.|\{\{|undefined/);
    expect(words[2]).toBe("P1 destroys Barracks of P0");
  });
});

describe("the difference of two states", () => {
  const KINDS = 4 * RULES.types.length;
  const soldier = (gap: number, slot: number, x: number, y: number) => [
    gap * KINDS + (slot + 1) * RULES.types.length,
    y * 16 * 16 * 32 + x * 16,
    64,
  ];
  const state = (team: number, enter: number[]) => {
    const s = new MatchState({ ...info(), team, slot: 255, spectator: true });
    s.apply(create(ServerFrameSchema, { tick: 10, enter }), 0);
    return s;
  };
  const places = (s: MatchState, slots: Set<number>) =>
    [...slots].map((k) => [s.world.owner[k], s.world.posX(k) >> 10, s.world.posY(k) >> 10]);

  it("pairs what both see whatever its handles are, and lists what one sees alone", () => {
    const a = state(0, [
      ...soldier(3, 0, 4, 4),
      ...soldier(1, 1, 9, 9),
      ...soldier(1, 1, 9, 9),
      ...soldier(5, 0, 20, 3),
    ]);
    const b = state(1, [...soldier(1, 1, 9, 9), ...soldier(7, 0, 4, 4), ...soldier(2, 1, 26, 18)]);
    const c = new Compared(a, b);
    c.update();
    expect(c.counts).toEqual([2, 1, 2]);
    expect(places(a, c.alone[0])).toEqual([
      [1, 9, 9],
      [0, 20, 3],
    ]);
    expect(places(b, c.alone[1])).toEqual([[1, 26, 18]]);
  });

  it("does not take things of two players, or far from each other, for one", () => {
    const a = state(0, [...soldier(1, 0, 4, 4), ...soldier(1, 0, 10, 10)]);
    const b = state(1, [...soldier(1, 1, 4, 4), ...soldier(1, 0, 11, 10)]);
    const c = new Compared(a, b);
    c.update();
    expect(c.counts).toEqual([2, 2, 0]);
  });
});

describe("keys of a replay", () => {
  it("may be those of orders, but not those that work there too", () => {
    for (const [name, keys] of Object.entries(PRESETS)) expect(conflicts(keys), name).toEqual([]);
    const own = (replayNext: string) =>
      conflicts(bindingsOf("classic", { classic: { replayNext: [replayNext] } }));
    expect(own("KeyM"), "move gives no orders in a replay").toEqual([]);
    expect(own("F10").map((c) => c.actions)).toEqual([["menu", "replayNext"]]);
    expect(own("Space").map((c) => c.actions)).toEqual([["lastAlert", "replayPlay", "replayNext"]]);
    expect([replayActionOf(PRESETS.classic, "Space"), replayActionOf(PRESETS.classic, "KeyM")]).toEqual([
      "replayPlay",
      null,
    ]);
  });
});
