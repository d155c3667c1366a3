import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { OrderKind, OrderSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { ability, info, RULES, type } from "./fixture.js";
import { MatchState } from "./match.js";
import type { Rules, WeaponInfo } from "./rules.js";
import { SHOTS_MAX } from "./shots.js";
import { FLAG, PoseColumns } from "./world.js";

const TICK_MS = 50;
const GUN = 6;
const DRONE = 7;
const SHELL = 5;
const WIND_UP = 10;
const LAG_MAX = 3;
/** In a row of `burst`: the weapon fires. */
const FIRES = 2;
/** World units a tick. */
const SPEED = 461;

const howitzer: WeaponInfo = {
  ...RULES.weapons[0],
  name: "howitzer",
  range: 10 * 1024,
  minRange: 2 * 1024,
  cooldownTicks: 60,
  projectile: true,
  windUpTicks: WIND_UP,
  projectileType: SHELL,
  projectileSpeed: SPEED * 64,
  homing: false,
  atGround: true,
  hitsGround: true,
  hitsAir: false,
};
const siege = { ...howitzer, name: "siege", range: 14 * 1024 };
const deploy = ability(0, "deploy", { kind: "deploy", weapon: 3 });
const RULES_OF_GUNS = {
  ...RULES,
  types: [
    ...RULES.types.map((t) => (t.class === "projectile" ? { ...t, speed: SPEED * 64 } : t)),
    type(GUN, "gun", { weapons: [1], turn: 10, abilities: [0] }),
    type(DRONE, "drone", { moveKind: 3 }),
  ],
  weapons: [RULES.weapons[0], howitzer, siege],
  abilities: [deploy],
};
const RULES_OF_ROCKETS = {
  ...RULES_OF_GUNS,
  weapons: [RULES.weapons[0], { ...howitzer, homing: true, steered: true }, siege],
};
const KINDS = 4 * RULES_OF_GUNS.types.length;
const EAST = 256 + 2016;

const frame = (f: MessageInitShape<typeof ServerFrameSchema>) => create(ServerFrameSchema, f);
/** An enter row at a place in tiles. */
const enter = (gap: number, kind: number, owner: number, x: number, z: number, course = 0) => [
  gap * KINDS + (owner + 1) * RULES_OF_GUNS.types.length + kind,
  Math.floor(z * 16) * 16 * 32 + Math.floor(x * 16),
  course,
];

/** A player's field: guns 3 and 4 at (5,5) and (5,8), a soldier 9 of the foe's at (12,5), drawn `behind` ticks late. */
class Field {
  readonly state: MatchState;
  readonly poses = new PoseColumns();
  readonly behind: number;
  drawn = 0;
  private seq = 0;
  private request = 100;
  readonly blasts: number[] = [];

  constructor(behind = 2, rules: Rules = RULES_OF_GUNS) {
    this.behind = behind;
    this.state = new MatchState({ ...info(), rules, lagMaxTicks: LAG_MAX });
    this.state.events.on("blast", (e) => this.blasts.push(e.source));
    this.apply({ tick: 100, ...this.crew() });
    this.draw();
  }

  crew(more: number[] = []) {
    return {
      enter: [
        ...enter(3, GUN, 0, 5, 5),
        ...enter(1, GUN, 0, 5, 8),
        ...enter(1, 0, 0, 5, 11),
        ...enter(4, 0, 1, 12, 5),
        ...more,
      ],
    };
  }

  apply(f: MessageInitShape<typeof ServerFrameSchema>): void {
    this.state.apply(frame(f), (f.tick ?? this.state.tick + (f.span ?? 1)) * TICK_MS);
  }

  draw(tick = this.state.tick - this.behind): void {
    this.drawn = tick;
    const n = this.state.world.sample(tick, TICK_MS, this.poses);
    this.state.shots.sample(tick, this.poses, n);
  }

  order(kind: OrderKind, units: number[], more: MessageInitShape<typeof OrderSchema> = {}): number {
    const order = create(OrderSchema, { kind, units, seq: ++this.seq, ...more });
    const first = this.request;
    const n = this.state.shots.give(order, first, this.state.tick, true);
    this.request += units.length;
    return n > 0 ? first : 0;
  }

  attack(unit = 3, target = 9): number {
    return this.order(OrderKind.ATTACK, [unit], { target });
  }

  why(kind: OrderKind, unit: number, more: MessageInitShape<typeof OrderSchema> = {}): string {
    const order = create(OrderSchema, { kind, units: [unit], seq: 1, ...more });
    return this.state.shots.whyNot(unit, order);
  }

  /** Passes ticks, each drawn, with what each frame brings. */
  pass(ticks: number, bring: (k: number) => MessageInitShape<typeof ServerFrameSchema> = () => ({})): void {
    for (let k = 0; k < ticks; k++) {
      this.apply(bring(k));
      this.draw();
    }
  }

  phases(): string[] {
    return [...this.state.shots.values()].map((s) => s.phase);
  }

  /** Where an entity was drawn, tiles. */
  at(handle: number): { x: number; z: number } | null {
    const row = this.poses.slot.subarray(0, this.state.world.count).indexOf(this.state.world.slot(handle));
    return row < 0 ? null : { x: this.poses.x[row], z: this.poses.z[row] };
  }
}

/** Where the shell of gun 3 enters, flying east. */
const shell = (gap: number) => ({ enter: enter(gap, SHELL, 0, 5, 5, EAST) });

describe("a shot is predicted", () => {
  it("only where one follows from the order at once", () => {
    const f = new Field();
    const attack = OrderKind.ATTACK;
    const ground = OrderKind.ATTACK_GROUND;
    const to = { x: 9 * 1024, y: 5 * 1024 };
    expect(f.why(attack, 3, { target: 9 })).toBe("");
    expect(f.why(ground, 3, { to })).toBe("");
    expect(f.why(OrderKind.ATTACK_MOVE, 3, { to })).toBe("no shot is ordered");
    expect(f.why(attack, 9, { target: 3 })).toBe("not a unit of the player");
    expect(f.why(attack, 77, { target: 9 })).toBe("not a unit of the player");
    expect(f.why(attack, 5, { target: 9 })).toBe("its weapon does not hit the target");
    expect(f.why(attack, 3, { target: 77 })).toBe("the target is out of sight");
    expect(f.why(ground, 3, { to: { x: 20 * 1024, y: 5 * 1024 } })).toBe("out of range");
    expect(f.why(ground, 3, { to: { x: 6 * 1024, y: 5 * 1024 } })).toBe("out of range"); // too near
    f.apply({ own: { tasks: [3, 3] } });
    expect(f.why(attack, 3, { target: 9, queued: true })).toBe("the unit is busy");
    expect(f.why(attack, 4, { target: 9, queued: true })).toBe("");
    f.apply(f.state.world.has(20) ? {} : { enter: enter(20, DRONE, 1, 9, 5) });
    expect(f.why(attack, 3, { target: 20 })).toBe("its weapon does not hit the target");
    f.apply({ flags: [4, FLAG.building] });
    expect(f.why(attack, 4, { target: 9 })).toBe("not a unit of the player");
    f.apply({ burst: [3, (1 << 2) | FIRES] });
    expect(f.why(attack, 3, { target: 9 })).toBe("its weapon cools down");
  });

  it("with the weapon that an ability has put in place of the first", () => {
    const f = new Field();
    const far = { to: { x: 17 * 1024, y: 5 * 1024 } };
    expect(f.why(OrderKind.ATTACK_GROUND, 3, far)).toBe("out of range");
    f.apply({ actions: [3, 1, 1] });
    expect(f.why(OrderKind.ATTACK_GROUND, 3, far)).toBe("");
  });

  it("not before anything is drawn, not while the connection is away, not for spectators", () => {
    const order = create(OrderSchema, { kind: OrderKind.ATTACK, units: [3], target: 9, seq: 1 });
    const f = new Field();
    expect(f.state.shots.give(order, 1, 100, false)).toBe(0);
    const watcher = new MatchState({ ...info(), rules: RULES_OF_GUNS, spectator: true });
    expect(watcher.shots.give(order, 1, 100, true)).toBe(0);
    const blind = new MatchState({ ...info(), rules: RULES_OF_GUNS });
    blind.apply(frame({ tick: 100, ...f.crew() }), 0);
    expect(blind.shots.give(order, 1, 100, true)).toBe(0);
  });

  it("with a number for each unit, by its place in the order", () => {
    const f = new Field();
    const first = f.order(OrderKind.ATTACK_GROUND, [3, 5, 4, 3], { to: { x: 9 * 1024, y: 6 * 1024 } });
    expect([...f.state.shots.values()].map((s) => s.unit)).toEqual([3, 4]);
    f.pass(30, (k) => (k === 12 ? { ...shell(50), own: { started: [first + 2, 50] } } : {}));
    expect(f.state.shots.counts).toMatchObject({ launched: 2, matched: 1 });
  });

  it("at most so many at once", () => {
    const f = new Field();
    for (let k = 0; k < SHOTS_MAX + 50; k++) {
      const order = create(OrderSchema, {
        kind: OrderKind.ATTACK,
        units: [3],
        target: 9,
        seq: 500,
        queued: true,
      });
      f.state.shots.give(order, 10_000 + k, f.state.tick, true);
    }
    expect(f.state.shots.size).toBe(SHOTS_MAX);
  });
});

describe("a predicted shot", () => {
  it("winds up, and leaves when the wind-up less the lag has passed", () => {
    const f = new Field();
    f.attack();
    let launched = 0;
    const wound: number[] = [];
    f.pass(WIND_UP + 2, (k) => {
      const [s] = f.state.shots.values();
      if (s.phase === "windUp") wound.push(s.wound);
      else launched ||= k;
      return {};
    });
    // Two ticks of lag are assumed before any is measured.
    expect(launched).toBe(WIND_UP - 2);
    expect([...wound].sort((a, b) => a - b)).toEqual(wound);
    expect(wound.at(-1)).toBeGreaterThan(0.8);
  });

  it("takes the lag from the fastest of the last answers, and at most what the rules allow", () => {
    for (const [answers, lag] of [
      [[1], 0],
      [[2], 1],
      [[9, 3, 12], 2],
      [[30, 40], LAG_MAX],
    ] as const) {
      const f = new Field();
      answers.forEach((ticks) => {
        f.order(OrderKind.HOLD, [3]);
        f.pass(ticks, (k) => (k === ticks - 1 ? { answers: [{ seq: f["seq" as never] }] } : {}));
      });
      f.attack();
      let ticks = 0;
      while (f.phases()[0] === "windUp") {
        f.pass(1);
        ticks++;
      }
      expect(ticks, String(answers)).toBe(WIND_UP - lag);
    }
  });

  it("measures from the server's tick at the order, as frames come only with news", () => {
    const f = new Field();
    const order = create(OrderSchema, { kind: OrderKind.HOLD, units: [3], seq: 7 });
    f.state.shots.give(order, 1, f.state.tick + 6, true);
    f.apply({ span: 10, answers: [{ seq: 7 }] });
    expect(f.state.shots.trip).toBe(3);
  });

  it("waits until its unit has turned, and until the weapon has cooled down", () => {
    const turned = new Field();
    turned.order(OrderKind.ATTACK_GROUND, [3], { to: { x: 5 * 1024, y: 9 * 1024 } }); // a quarter turn: 64 of 256
    turned.pass(WIND_UP - 2 + 4);
    expect(turned.phases()).toEqual(["windUp"]);
    turned.pass(1);
    expect(turned.phases()).toEqual(["flight"]);

    const hot = new Field();
    hot.apply({ burst: [3, (1 << 2) | FIRES | (40 << 8)] }); // its last shot is 40 ticks ago
    hot.attack();
    hot.pass(20 + 2 - 1); // ready 20 ticks from the server's tick on, which is drawn 2 later
    expect(hot.phases()).toEqual(["windUp"]);
    hot.pass(1);
    expect(hot.phases()).toEqual(["flight"]);
    // The next order's shot waits for the one that was drawn ahead, too.
    expect(hot.why(OrderKind.ATTACK, 3, { target: 9 })).toBe("its weapon cools down");
  });

  it.each([
    ["in one frame", (n: number) => [{ ...shell(50), own: { started: [n, 50] } }]],
    ["the entity first", (n: number) => [shell(50), { own: { started: [n, 50] } }]],
    ["its number first", (n: number) => [{ own: { started: [n, 50] } }, shell(50)]],
    [
      "told twice",
      (n: number) => [{ ...shell(50), own: { started: [n, 50, n, 50] } }, { own: { started: [n, 50] } }],
    ],
  ])("becomes the server's: %s", (_, arrive) => {
    const f = new Field();
    const n = f.attack();
    const rows = arrive(n);
    f.pass(13, (k) => rows[k - 11] ?? {});
    expect(f.state.shots.counts).toEqual({ launched: 1, matched: 1, faded: 0, cancelled: 0 });
    expect(f.phases()).toEqual(["glide"]);
    // The drawn one is ahead. It goes on forwards, comes nearer, and is the entity in the end.
    let x = f.at(50)?.x ?? 0;
    let gap = f.state.shots.projectileGap;
    expect(gap).toBeGreaterThan(0.3);
    let ticks = 0;
    while (f.state.shots.size > 0) {
      f.pass(1);
      const next = f.at(50)?.x ?? 0;
      expect(next).toBeGreaterThan(x);
      // It grows as long as the picture is older than the shot.
      if (f.drawn > f.state.world.enterTick[f.state.world.slot(50)])
        expect(f.state.shots.projectileGap).toBeLessThan(gap);
      x = next;
      gap = f.state.shots.projectileGap;
      expect(++ticks).toBeLessThanOrEqual(16);
    }
    expect(gap).toBe(0);
    f.pass(1);
    expect(f.at(50)?.x).toBeCloseTo(f.state.world.xAt(f.state.world.slot(50), f.drawn) / 1024, 2);
    // Its end is the server's alone.
    expect(f.blasts).toEqual([]);
    f.apply({ destroyed: [50] });
    expect(f.blasts).toEqual([50]);
    f.draw();
    expect(f.state.shots.size).toBe(0);
  });

  it("does not jump when it becomes the server's, and does not fade in again", () => {
    const f = new Field();
    const n = f.attack();
    f.pass(11);
    const [s] = f.state.shots.values();
    const before = s.x;
    f.apply({ ...shell(50), own: { started: [n, 50] } });
    f.draw(f.drawn + 0.01);
    expect(Math.abs((f.at(50)?.x ?? 0) - before)).toBeLessThan(0.02);
    expect(f.state.world.enterMs[f.state.world.slot(50)]).toBeLessThan(0);
  });

  it("that never was fades after its time, before its aim, and hits nothing", () => {
    const f = new Field();
    f.attack();
    let far = 0;
    let ticks = 0;
    while (f.state.shots.size > 0 && ticks < 200) {
      f.pass(1);
      ticks++;
      for (const s of f.state.shots.values()) far = Math.max(far, s.x);
    }
    expect(f.state.shots.counts).toEqual({ launched: 1, matched: 0, faded: 1, cancelled: 0 });
    expect(far).toBeGreaterThan(9);
    expect(far).toBeLessThan(12);
    // Wind-up, way there and back, flight (16 ticks), the wait and the fading.
    expect(ticks).toBeLessThan(WIND_UP + 6 + 16 + 8 + 6);
    expect(f.blasts).toEqual([]);
    // Its weapon was not fired: the next order is drawn ahead again.
    expect(f.why(OrderKind.ATTACK, 3, { target: 9 })).toBe("");
  });

  it("that comes late is taken back from fading", () => {
    const f = new Field();
    const n = f.attack();
    while (f.phases()[0] !== "fade") f.pass(1);
    f.pass(1, () => ({ ...shell(50), own: { started: [n, 50] } }));
    expect(f.state.shots.counts).toEqual({ launched: 1, matched: 1, faded: 0, cancelled: 0 });
    expect(f.phases()).toEqual(["glide"]);
  });

  it("that was over between two frames ends at its expected end", () => {
    const f = new Field();
    const n = f.attack();
    f.pass(12);
    f.pass(40, (k) => (k === 0 ? { own: { started: [n, 50] } } : {}));
    expect(f.state.shots.size).toBe(0);
    expect(f.state.shots.counts.faded).toBe(1);
    // Told or not, it ends; told, it is not waited for.
    const late = new Field();
    late.attack();
    late.pass(12);
    const until = (x: Field) => {
      let ticks = 0;
      while (x.phases()[0] === "flight") {
        x.pass(1);
        ticks++;
      }
      return ticks;
    };
    const told = new Field();
    const m = told.attack();
    told.pass(11);
    told.pass(1, () => ({ own: { started: [m, 50] } }));
    expect(until(late) - until(told)).toBe(8);
  });

  it.each([
    ["the server refuses it", (f: Field) => f.apply({ answers: [{ seq: 1, code: 1 }] })],
    [
      "its unit is left out",
      (f: Field) => f.apply({ answers: [{ seq: 1, leftOut: [3], leftOutCode: [1] }] }),
    ],
    ["its order is cancelled", (f: Field) => f.apply({ own: { cancelled: [3], cancelledCode: [1] } })],
    ["the player stops the unit", (f: Field) => f.order(OrderKind.STOP, [3])],
    ["the unit is gone", (f: Field) => f.apply({ destroyed: [3] })],
    ["the target is gone", (f: Field) => f.apply({ destroyed: [9] })],
    ["the target leaves sight", (f: Field) => f.apply({ leave: [9] })],
    ["a snapshot has no such unit", (f: Field) => f.apply({ tick: 200, enter: enter(9, 0, 1, 12, 5) })],
  ])("that winds up is not fired when %s", (_, happens) => {
    const f = new Field();
    f.attack();
    f.pass(3);
    happens(f);
    f.pass(60);
    expect(f.state.shots.counts).toEqual({ launched: 0, matched: 0, faded: 0, cancelled: 1 });
    expect(f.state.shots.size).toBe(0);
  });

  it("that has left stays when its unit gets another order or falls, and fades when it is refused", () => {
    const stays = new Field();
    stays.attack();
    stays.pass(9);
    stays.order(OrderKind.STOP, [3]);
    stays.apply({ destroyed: [3] });
    stays.draw();
    expect(stays.phases()).toEqual(["flight"]);
    const refused = new Field();
    refused.attack();
    refused.pass(9);
    refused.apply({ answers: [{ seq: 1, code: 1 }] });
    refused.draw();
    expect(refused.phases()).toEqual(["fade"]);
  });

  it("is not fired at a target that has gone out of range meanwhile", () => {
    const f = new Field();
    f.attack();
    f.pass(4, (k) => (k === 0 ? { motion: [9, 277_371 + 5 * 16 * 512 + 30 * 16, 0] } : {}));
    f.pass(10);
    expect(f.state.shots.counts).toMatchObject({ launched: 0, cancelled: 1 });
  });

  it("is matched again after a snapshot, which names it anew", () => {
    const f = new Field();
    const n = f.attack();
    f.pass(12, (k) => (k === 11 ? { ...shell(50), own: { started: [n, 50] } } : {}));
    expect(f.phases()).toEqual(["glide"]);
    f.apply({ tick: 113, ...f.crew(enter(41, SHELL, 0, 5.5, 5, EAST)), own: { started: [n, 50] } });
    f.draw();
    expect(f.phases()).toEqual(["glide"]);
    f.pass(20, (k) => (k === 12 ? { destroyed: [50] } : {}));
    expect(f.state.shots.size).toBe(0);
    expect(f.blasts).toEqual([50]);
  });

  it("does not take another's entity, nor what is no projectile", () => {
    for (const enters of [enter(50, SHELL, 1, 5, 5, EAST), enter(50, 0, 0, 5, 5)]) {
      const f = new Field();
      const n = f.attack();
      f.pass(12, (k) => (k === 11 ? { enter: enters, own: { started: [n, 50] } } : {}));
      expect(f.state.shots.counts.matched).toBe(0);
      expect(f.state.shots.size).toBe(0);
    }
    const f = new Field();
    f.attack();
    f.pass(12, (k) => (k === 11 ? { ...shell(50), own: { started: [9999, 50] } } : {}));
    expect(f.state.shots.counts.matched).toBe(0);
  });
});

/** Numbers from 0 to 1 that are the same for a seed. */
function generator(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (Math.imul(a, 1664525) + 1013904223) >>> 0;
    return a / 4294967296;
  };
}

/**
 * A server that takes orders of two guns, and a connection that delays, joins and
 * loses frames. The client must show each shot once, whatever arrives when.
 */
class Server {
  /** Frames that have not arrived, in order. */
  private readonly sent: { at: number; f: MessageInitShape<typeof ServerFrameSchema> }[] = [];
  private readonly due: { at: number; request: number; seq: number }[] = [];
  private readonly flying = new Map<number, number>();
  private tick = 100;
  private next = 50;
  private free = 0;
  /** The expected content of the next frame. */
  private news = {
    span: 0,
    started: [] as number[],
    enters: [] as number[],
    destroyed: [] as number[],
    answers: [] as number[],
  };
  /** Rows that come a frame later than the others. */
  private held: number[] = [];
  fired = 0;

  constructor(
    private readonly f: Field,
    private readonly random: () => number,
  ) {}

  order(seq: number, request: number): void {
    this.due.push({ at: this.tick + 2 + WIND_UP - 2 + Math.floor(this.random() * 8), request, seq });
  }

  stop(): void {
    this.due.length = 0; // what was ordered is taken back
  }

  step(): void {
    const { random, news } = this;
    this.tick++;
    news.span++;
    for (const [h, end] of this.flying)
      if (end <= this.tick) {
        this.flying.delete(h);
        // The client does not report things that came and went between two frames.
        const k = news.enters.indexOf(h);
        if (k >= 0) news.enters.splice(k, 1);
        else news.destroyed.push(h);
      }
    for (const d of this.due.splice(0)) {
      if (d.at > this.tick) {
        this.due.push(d);
        continue;
      }
      const h = this.next++;
      this.flying.set(h, this.tick + 1 + Math.floor(random() * 20));
      news.enters.push(h);
      news.started.push(d.request, h);
      news.answers.push(d.seq);
      this.fired++;
    }
    if (random() < 0.15) return; // the frame is skipped: the next one brings more
    this.send(random() < 0.03);
  }

  private send(snapshot: boolean): void {
    const { news, random } = this;
    const rows = (handles: number[]) => {
      let last = 0;
      return [...handles]
        .sort((a, b) => a - b)
        .flatMap((h) => {
          const row = enter(h - last, SHELL, 0, 5, 5, EAST);
          last = h;
          return row;
        });
    };
    const differences = (handles: number[]) => {
      const sorted = [...handles].sort((a, b) => a - b);
      return sorted.map((h, i) => h - (sorted[i - 1] ?? 0));
    };
    const started = [...this.held, ...news.started];
    // The number may come a frame later than the entity.
    this.held = random() < 0.3 && !snapshot ? started.splice(0) : [];
    const own = { started };
    const answers = news.answers.map((seq) => ({ seq }));
    const live = [...this.flying.keys()].filter((h) => !news.destroyed.includes(h));
    const f: MessageInitShape<typeof ServerFrameSchema> = snapshot
      ? {
          tick: this.tick,
          ...this.f.crew(rows(live).map((n, i) => (i === 0 ? n - 9 * KINDS : n))),
          own,
          answers,
        }
      : { span: news.span, enter: rows(news.enters), destroyed: differences(news.destroyed), own, answers };
    const last = this.sent.at(-1)?.at ?? 0;
    this.free = Math.max(last, this.tick + 1 + Math.floor(random() * 4) + (random() < 0.05 ? 8 : 0));
    this.sent.push({ at: this.free, f });
    this.news = { span: 0, started: [], enters: [], destroyed: [], answers: [] };
  }

  arrived(): MessageInitShape<typeof ServerFrameSchema>[] {
    const n = this.sent.findIndex((s) => s.at > this.tick);
    return this.sent.splice(0, n < 0 ? this.sent.length : n).map((s) => s.f);
  }
}

describe("whatever arrives, and when", () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    "shots end, once each, and never hit: seed %i",
    (seed) => {
      const random = generator(seed + 1);
      const f = new Field();
      const server = new Server(f, random);
      const { shots } = f.state;
      let mismatches = 0;
      f.state.events.on("mismatch", () => mismatches++);
      let last = 0;
      for (let t = 0; t < 500; t++) {
        if (t < 400 && random() < 0.05) {
          const n = f.attack(3 + Math.floor(random() * 2));
          if (n > 0 && random() < 0.9) server.order(f["seq" as never], n);
        }
        if (t < 400 && random() < 0.01) {
          server.stop();
          f.order(OrderKind.STOP, [3, 4]);
        }
        server.step();
        const seen = f.blasts.length;
        for (const frame of server.arrived()) f.apply(frame);
        const gone = f.blasts.slice(seen);
        // The drawn tick goes on, never back.
        last = Math.max(last, Math.min(98 + t, f.state.tick + 20));
        f.draw(last);
        expect(gone.every((h) => h >= 50)).toBe(true);
        const glides = [...shots.values()].filter((s) => s.phase === "glide");
        for (const s of shots.values()) {
          expect(Number.isFinite(s.x + s.z + s.facing)).toBe(true);
          expect(s.alpha).toBeGreaterThan(0);
          expect(s.x).toBeLessThan(s.phase === "glide" ? 33 : 12);
        }
        if (glides.length === 0) expect(shots.projectileGap).toBe(0);
        else expect(shots.projectileGap).toBeLessThan(7.5);
        expect(shots.size).toBeLessThanOrEqual(SHOTS_MAX);
      }
      expect(mismatches).toBe(0);
      expect(shots.size).toBe(0);
      expect(shots.counts.launched).toBeGreaterThan(0);
      expect(shots.counts.launched).toBeLessThanOrEqual(shots.counts.matched + shots.counts.faded);
      expect(shots.counts.matched).toBeLessThanOrEqual(server.fired);
    },
  );
});

/** The soldier 5 at (5,11) attacks the foe 9, who is brought into range; each shot that is drawn is counted. */
class Rifle extends Field {
  readonly shots: number[] = [];
  constructor() {
    const rifle = { ...RULES.weapons[0], windUpTicks: 6, range: 20 * 1024, hitsGround: true };
    super(2, { ...RULES_OF_GUNS, weapons: [rifle, howitzer, siege] });
    this.state.events.on("shot", (e) => this.shots.push(e.id));
  }

  override draw(tick = this.state.tick - this.behind): void {
    super.draw(tick);
    this.state.fire.draw(tick, tick * TICK_MS);
  }

  /** The server answers the order that was given last. */
  answer(code = 0): void {
    this.apply({ answers: [{ seq: 1, code }] });
  }

  /** A row of `burst` with so many shots. */
  fires(shots: number, age = 0): MessageInitShape<typeof ServerFrameSchema> {
    return { burst: [5, FIRES | (shots << 2) | (age << 8)] };
  }
}

describe("a shot that hits at once", () => {
  it("is drawn with its wind-up before the server answers, and once", () => {
    const f = new Rifle();
    f.attack(5);
    f.pass(1);
    expect(f.phases()).toEqual(["windUp"]);
    f.pass(8); // the answer is late
    expect([f.shots, f.phases()]).toEqual([[5], []]);
    f.answer();
    f.pass(2);
    f.pass(12, (k) => (k === 0 ? f.fires(1) : {}));
    expect([f.shots.length, f.state.fire.wrong]).toEqual([1, 0]);
    f.pass(16); // its next, by the weapon's rate of 16 ticks
    expect(f.shots.length).toBe(2);
    expect(f.state.fire.drawn).toBe(f.state.fire.fired);
  });
  it("is not drawn twice, however late the answer is", () => {
    const f = new Rifle();
    f.attack(5);
    f.pass(100);
    expect(f.shots).toEqual([5]);
    f.answer();
    f.pass(4);
    f.pass(6, (k) => (k === 0 ? f.fires(1) : {}));
    expect([f.shots.length, f.state.fire.wrong]).toEqual([1, 0]);
  });
  it("of a refused order is taken back: the next shot is drawn", () => {
    const f = new Rifle();
    f.attack(5);
    f.pass(9);
    expect(f.shots).toEqual([5]);
    f.answer(3);
    f.pass(3);
    expect([f.state.fire.wrong, f.state.fire.drawn]).toEqual([1, 0]);
    f.pass(6, (k) => (k === 0 ? f.fires(1) : {}));
    expect(f.shots).toEqual([5, 5]);
  });
  it("that the server does not fire is taken back once that is known", () => {
    const f = new Rifle();
    f.attack(5);
    f.pass(9);
    f.answer();
    f.pass(15);
    expect(f.state.fire.wrong).toBe(0);
    f.pass(30); // the unit turned away, or its target went
    expect([f.state.fire.wrong, f.state.fire.drawn, f.state.fire.fired]).toEqual([1, 0, 0]);
  });
  it("is refused while it winds up, and not drawn at all", () => {
    const f = new Rifle();
    f.attack(5);
    f.pass(2);
    f.answer(3);
    f.pass(20);
    expect(f.shots).toEqual([]);
  });
  it("stays drawn over a snapshot, before and after it was fired", () => {
    for (const fired of [0, 1]) {
      const f = new Rifle();
      f.attack(5);
      f.pass(9);
      f.answer();
      f.apply({ tick: f.state.tick + 1, ...f.crew(), ...(fired ? f.fires(1) : {}) });
      f.draw();
      f.pass(8, (k) => (k === 0 && !fired ? f.fires(1) : {}));
      expect([f.shots.length, f.state.fire.wrong], `fired ${fired}`).toEqual([1, 0]);
    }
  });
});

describe("a steered projectile", () => {
  /** Rocket 20 of gun 3 flies east with its entity, and its unit is ordered to a place in the south. */
  function steered() {
    const f = new Field(2, RULES_OF_ROCKETS);
    const request = f.attack();
    f.pass(14);
    f.pass(1, () => ({ ...shell(20), own: { started: [request, 20] } }));
    f.pass(4);
    const before = f.at(20)!;
    f.order(OrderKind.ATTACK_GROUND, [3], { to: { x: 9 * 1024, y: 20 * 1024 } });
    return { f, before };
  }

  it("turns in the next drawn frame, and joins the server's turn without a jump", () => {
    const { f, before } = steered();
    let was = before;
    const step = (bring: MessageInitShape<typeof ServerFrameSchema>) => {
      f.pass(1, () => bring);
      const now = f.at(20)!;
      expect(Math.hypot(now.x - was.x, now.z - was.z)).toBeLessThan((2 * SPEED) / 1024);
      was = now;
    };
    step({});
    expect(was.z).toBeGreaterThan(before.z + 0.3);
    for (let k = 0; k < 3; k++) step({});
    step({ answers: [{ seq: 2, code: 0 }] });
    const { world } = f.state;
    const slot = world.slot(20);
    const x = Math.floor((world.posX(slot) / 1024) * 16);
    step({ motion: [20, 277_371 + 5 * 16 * 16 * 32 + x, 256 + 2 * 2016 + 2016] });
    for (let k = 0; k < 20 && f.phases().length > 0; k++) step({});
    expect(f.phases()).toEqual([]);
    expect(was.z).toBeGreaterThan(before.z + 2);
  });

  it("goes back to the server's way when the order is refused, and ends with its entity", () => {
    const { f, before } = steered();
    f.pass(3);
    f.pass(1, () => ({ answers: [{ seq: 2, code: 1 }] }));
    expect(f.phases()).toContain("glide");
    f.pass(20);
    expect(f.at(20)!.z).toBeCloseTo(before.z, 1);
    f.order(OrderKind.ATTACK, [3], { target: 9 });
    f.pass(1, () => ({ destroyed: [20] }));
    expect(f.phases()).not.toContain("steer");
  });
});
