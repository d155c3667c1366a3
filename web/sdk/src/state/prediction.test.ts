import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { Pos } from "../base/ids.js";
import { OrderKind, OrderSchema, PointSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { MatchClock } from "./clock.js";
import { doingName } from "./doing.js";
import { info } from "./fixture.js";
import { MatchState } from "./match.js";
import { turn } from "./motion.js";
import { PoseColumns } from "./world.js";

const TICK_MS = 50;
const FRAME_MS = 1000 / 60;
/** 1/64 world unit a tick: 3 tiles a second. */
const SPEED = 9830;
const TILES_PER_S = 3;

interface Asked {
  kind: OrderKind;
  units: number[];
  to?: Pos;
  target?: number;
  what?: number;
  queued?: boolean;
  together?: boolean;
}

const order = (seq: number, o: Asked) =>
  create(OrderSchema, {
    seq,
    kind: o.kind,
    units: o.units,
    to: o.to ? create(PointSchema, o.to) : undefined,
    target: o.target ?? 0,
    what: o.what ?? 0,
    queued: o.queued ?? false,
    together: o.together ?? false,
  });

/** A match on open ground, with entities by handle. */
class Scene {
  readonly state = new MatchState(info(64, 64));
  readonly poses = new PoseColumns();
  tick = 100;

  constructor() {
    this.state.world.tick = this.tick;
  }

  /** Tiles. */
  add(handle: number, type: number, x: number, y: number, v = { x: 0, y: 0 }, owner = 0): void {
    const row = { handle, type, owner, x: x * 1024, y: y * 1024, vx: v.x, vy: v.y, facing: 0 };
    this.state.world.enter(row, 0);
  }

  draw(tick: number, dtMs = FRAME_MS): void {
    this.state.world.sample(tick, dtMs, this.poses);
  }

  /** Where an entity was drawn last, in tiles. */
  at(handle: number): { x: number; z: number; facing: number } {
    const { x, z, facing, slot } = this.poses;
    const row = slot.indexOf(this.state.world.slot(handle));
    return { x: x[row], z: z[row], facing: facing[row] };
  }
}

describe("the next drawn frame", () => {
  /** A unit that stands at 10,10 and faces east, and a unit that walks east at 20,20. */
  const scene = () => {
    const s = new Scene();
    s.add(3, 0, 10, 10);
    s.add(4, 0, 20, 20, { x: SPEED, y: 0 });
    s.add(5, 2, 30, 30);
    s.add(9, 0, 14, 30, { x: 0, y: 0 }, 1);
    s.draw(99);
    return s;
  };
  /** How an entity is drawn in the frame after an order, against the frame without one. */
  const shown = (handle: number, o: Omit<Asked, "units">) => {
    const [plain, asked] = [scene(), scene()];
    asked.state.prediction.give(order(1, { ...o, units: [handle] }), 101);
    const tick = 99 + FRAME_MS / TICK_MS;
    plain.draw(tick);
    asked.draw(tick);
    const a = plain.at(handle);
    const b = asked.at(handle);
    return { x: b.x - a.x, z: b.z - a.z, facing: turn(a.facing, b.facing), scene: asked };
  };

  const places: [string, OrderKind][] = [
    ["a move", OrderKind.MOVE],
    ["an attack-move", OrderKind.ATTACK_MOVE],
    ["a patrol", OrderKind.PATROL],
    ["an attack of a place", OrderKind.ATTACK_GROUND],
  ];
  for (const [name, kind] of places) {
    it(`shows ${name}: first steps ahead, a turn to the side`, () => {
      expect(shown(3, { kind, to: { x: 20 * 1024, y: 10 * 1024 } }).x).toBeGreaterThan(0.02);
      expect(shown(3, { kind, to: { x: 10 * 1024, y: 20 * 1024 } }).facing).toBeGreaterThan(0.1);
      // It walked east, and slows down, turns and walks south.
      const turned = shown(4, { kind, to: { x: 20 * 1024, y: 40 * 1024 } });
      expect(turned.x).toBeLessThan(-0.02);
      expect(turned.z).toBeGreaterThan(0.02);
      expect(turned.facing).toBeGreaterThan(0.1);
    });
  }

  const targets: [string, OrderKind][] = [
    ["an attack", OrderKind.ATTACK],
    ["a follow", OrderKind.FOLLOW],
    ["a harvest", OrderKind.HARVEST],
  ];
  for (const [name, kind] of targets) {
    it(`shows ${name}`, () => {
      const s = shown(3, { kind, target: 9 });
      expect(s.facing).toBeGreaterThan(0.1);
      expect(s.scene.state.prediction.task(3)?.doing).toBe(doingName(kind));
    });
  }

  it("shows a stop and a hold: it slows down, and its task is gone", () => {
    const stop = shown(4, { kind: OrderKind.STOP });
    expect(stop.x).toBeLessThan(-0.005);
    expect(stop.scene.state.prediction.task(4)).toMatchObject({ doing: "idle", to: null });
    const hold = shown(4, { kind: OrderKind.HOLD });
    expect(hold.x).toBeLessThan(-0.005);
    expect(hold.scene.state.prediction.task(4)).toMatchObject({ doing: "hold", to: null });
  });

  it("shows a rally point, and takes it back when refused", () => {
    const { state } = scene();
    const { prediction } = state;
    prediction.give(order(1, { kind: OrderKind.RALLY, units: [5], to: { x: 7, y: 8 } }), 101);
    expect(prediction.rally(5)).toEqual({ x: 7, y: 8 });
    const { version } = prediction;
    prediction.answered(1, false, []);
    expect(prediction.rally(5)).toBeNull();
    expect(prediction.version).toBeGreaterThan(version);
  });

  it("shows nothing of an order that waits in a unit's queue, but of one that it begins at once", () => {
    const to = { x: 20 * 1024, y: 10 * 1024 };
    expect(shown(3, { kind: OrderKind.MOVE, to, queued: true }).x).toBeGreaterThan(0.02);
    const s = scene();
    s.state.own.units.set(3, { doing: "patrol", to: null, ready: [], energy: 0 } as never);
    s.state.prediction.give(order(1, { kind: OrderKind.MOVE, units: [3], to, queued: true }), 101);
    s.draw(99 + 1 / 3);
    expect(s.at(3).x).toBe(10);
  });

  it("goes on with an order that has no answer, however often the server corrects its unit", () => {
    const s = scene();
    const { world, prediction } = s.state;
    prediction.give(order(1, { kind: OrderKind.MOVE, units: [3], to: { x: 20 * 1024, y: 10 * 1024 } }), 101);
    const correct = () => {
      prediction.before();
      world.tick++;
      world.motion(world.slot(3), 10 * 1024, 10 * 1024 + world.tick, 0, 0, 0);
      prediction.told();
    };
    for (let n = 0; n < 5; n++) correct();
    expect(prediction.task(3)).toMatchObject({ doing: "move", accepted: false });
    prediction.answered(1, true, []);
    expect(prediction.task(3)).toMatchObject({ doing: "move", accepted: true });
    for (let n = 0; n < 3; n++) correct();
    expect(prediction.task(3)).toBeNull();
  });

  it("replays an order that has no answer over each correction, and over a snapshot", () => {
    const s = scene();
    const { world, prediction } = s.state;
    const to = { x: 30 * 1024, y: 10 * 1024 };
    prediction.give(order(1, { kind: OrderKind.MOVE, units: [3], to }), 105);
    prediction.give(order(2, { kind: OrderKind.MOVE, units: [4], to }), 105);
    prediction.answered(2, true, []);
    let x = 10;
    const walks = (words: string) => {
      for (let k = 0; k < 9; k++) s.draw(world.drawnTick + FRAME_MS / TICK_MS);
      expect(s.at(3).x, words).toBeGreaterThan(x + 0.1);
      x = s.at(3).x;
    };
    walks("as it is given");
    for (let n = 0; n < 4; n++) {
      s.state.apply(create(ServerFrameSchema, { span: 1 }), 0);
      prediction.before();
      world.motion(world.slot(3), 10 * 1024 + n, 10 * 1024, 0, 0, 0);
      prediction.told();
      walks(`after correction ${n}`);
    }
    // The snapshot has the server's place, and not the unit 5 nor the effect of what was not answered.
    const types = s.state.info.rules.types.length;
    const kinds = (s.state.info.players.length + 1) * types;
    const own = (gap: number) => [gap * kinds + types, 10 * 16 * 16 * 64 + 11 * 16, 0];
    prediction.give(order(3, { kind: OrderKind.RALLY, units: [5], to }), 115);
    s.state.apply(create(ServerFrameSchema, { tick: world.tick + 3, enter: [...own(3), ...own(1)] }), 0);
    expect([prediction.task(3)?.accepted, prediction.task(4), prediction.rally(5)]).toEqual([
      false,
      null,
      null,
    ]);
    s.draw(world.drawnTick + FRAME_MS / TICK_MS);
    x = s.at(3).x;
    walks("after a snapshot");
    prediction.answered(1, false, []);
    prediction.answered(3, true, []);
    expect(prediction.size).toBe(0);
  });

  it("walks at the speed of the slowest of a group that keeps together", () => {
    const first = (together: boolean) => {
      const s = new Scene();
      const { rules } = s.state.info;
      const slow = { ...rules.types[0], id: rules.types.length, speed: SPEED / 4 };
      (rules.types as (typeof slow)[]).push(slow);
      s.add(3, 0, 10, 10);
      s.add(4, slow.id, 10, 12);
      s.draw(99);
      const to = { x: 30 * 1024, y: 10 * 1024 };
      s.state.prediction.give(order(1, { kind: OrderKind.MOVE, units: [3, 4], to, together }), 101);
      s.draw(99 + FRAME_MS / TICK_MS);
      return s.at(3).x - 10;
    };
    const alone = first(false);
    expect(alone).toBeGreaterThan(0.02);
    expect(first(true)).toBeLessThan(alone / 2);
    expect(first(true)).toBeGreaterThan(0);
  });

  it("begins to turn also while the drawn tick stands still, as no frame comes", () => {
    const s = scene();
    const to = { x: 10 * 1024, y: 20 * 1024 };
    s.state.prediction.give(order(1, { kind: OrderKind.MOVE, units: [3], to }), 101);
    s.draw(99);
    expect(s.at(3).facing).toBeGreaterThan(0.1);
    for (let k = 0; k < 60; k++) s.draw(99);
    expect(s.at(3).facing).toBeCloseTo(Math.PI / 2, 5);
  });

  it("takes the steps of a refused order back, without a jump and within two seconds", () => {
    const s = scene();
    const to = { x: 20 * 1024, y: 10 * 1024 };
    s.state.prediction.give(order(1, { kind: OrderKind.MOVE, units: [3], to }), 105);
    let x = 10;
    const frames = (n: number) => {
      for (let k = 0; k < n; k++) {
        s.draw(s.state.world.drawnTick + FRAME_MS / TICK_MS);
        const next = s.at(3).x;
        expect(Math.abs(next - x)).toBeLessThan((FRAME_MS / 1000) * TILES_PER_S);
        x = next;
      }
    };
    frames(30);
    expect(x).toBeGreaterThan(10.7);
    s.state.prediction.answered(1, false, []);
    frames(1);
    expect(x).toBeGreaterThan(10.7);
    frames(120);
    expect(x).toBeCloseTo(10, 3);
    expect(s.state.prediction.size).toBe(0);
  });

  it("shows nothing of what belongs to others", () => {
    const s = scene();
    s.state.prediction.give(order(1, { kind: OrderKind.MOVE, units: [9], to: { x: 1, y: 1 } }), 101);
    s.draw(100);
    expect([s.state.prediction.size, s.at(9)]).toEqual([0, { x: 14, z: 30, facing: 0 }]);
  });

  it("walks up to a cliff or a structure, and not into it", () => {
    const s = scene();
    s.add(6, 2, 13.5, 10.5); // three tiles wide
    s.state.prediction.give(
      order(1, { kind: OrderKind.MOVE, units: [3], to: { x: 20 * 1024, y: 10 * 1024 } }),
      101,
    );
    for (let k = 1; k < 60; k++) s.draw(99 + k / 3);
    expect(s.at(3).x).toBeGreaterThan(11);
    expect(s.at(3).x).toBeLessThan(12);
  });

  it("walks through open gates, over standing bridges, and through own gates, which open", () => {
    for (const [feature, amount, owner, ends] of [
      ["gate", 0, 1, false],
      ["gate", 1, 1, true],
      ["gate", 0, 0, true],
      ["bridge", 0, 0xff, true],
      ["bridge", 1, 0xff, false],
      ["pickup", 1, 0xff, true],
    ] as const) {
      const s = scene();
      Object.assign(s.state.info.rules.types[2], { feature });
      s.add(6, 2, 13.5, 10.5, { x: 0, y: 0 }, owner);
      s.state.world.amount[s.state.world.slot(6)] = amount;
      s.state.prediction.give(
        order(1, { kind: OrderKind.MOVE, units: [3], to: { x: 20 * 1024, y: 10 * 1024 } }),
        101,
      );
      for (let k = 1; k < 60; k++) s.draw(99 + k / 3);
      expect([feature, amount, owner, s.at(3).x > 12]).toEqual([feature, amount, owner, ends]);
    }
  });
});

/** Numbers that are the same in each run. */
function dice(seed: number): (n: number) => number {
  let a = seed;
  return (n) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

interface Walker {
  x: number;
  y: number;
  vx: number;
  vy: number;
  goal: Pos | null;
  turns: number;
}

interface Told {
  tick: number;
  rows: { unit: number; x: number; y: number; vx: number; vy: number }[];
  answers: { seq: number; ok: boolean; leftOut: { unit: number }[] }[];
}

/** A server's handling of orders, by the rules of protocol.md: it answers a tick later, and acts two ticks later. */
class Server {
  tick = 0;
  readonly units = new Map<number, Walker>();
  private due: { at: number; seq: number; o: Asked; ok: boolean; leftOut: number[] }[] = [];

  constructor(private readonly random: (n: number) => number) {}

  take(seq: number, o: Asked): void {
    const ok = this.random(6) > 0;
    const leftOut = ok && this.random(5) === 0 ? [o.units[this.random(o.units.length)]] : [];
    this.due.push({ at: this.tick + 3, seq, o, ok, leftOut });
  }

  step(): Told {
    this.tick++;
    const told: Told = { tick: this.tick, rows: [], answers: [] };
    for (const d of this.due) {
      if (d.at - this.tick === 1)
        told.answers.push({ seq: d.seq, ok: d.ok, leftOut: d.leftOut.map((unit) => ({ unit })) });
      if (d.at === this.tick && d.ok)
        for (const u of d.o.units) if (!d.leftOut.includes(u)) this.send(u, d.o.to ?? null);
    }
    this.due = this.due.filter((d) => d.at > this.tick);
    for (const [unit, w] of this.units) {
      const before = [w.vx, w.vy];
      this.walk(w);
      if (before[0] !== w.vx || before[1] !== w.vy || this.random(40) === 0)
        told.rows.push({ unit, x: Math.floor(w.x), y: Math.floor(w.y), vx: w.vx, vy: w.vy });
    }
    return told;
  }

  private send(unit: number, to: Pos | null): void {
    const w = this.units.get(unit);
    if (!w) return;
    w.goal = to;
    w.turns = w.vx || w.vy ? 0 : this.random(5);
  }

  private walk(w: Walker): void {
    w.vx = 0;
    w.vy = 0;
    if (!w.goal || w.turns-- > 0) return;
    const dx = w.goal.x - w.x;
    const dy = w.goal.y - w.y;
    const d = Math.hypot(dx, dy);
    if (d < 1) {
      w.goal = null;
      return;
    }
    // Now and then something is in the way.
    const aside = this.random(30) === 0 ? 0.7 : 0;
    const a = Math.atan2(dy, dx) + aside;
    const way = Math.min(d, SPEED / 64);
    w.vx = Math.trunc(Math.cos(a) * way * 64);
    w.vy = Math.trunc(Math.sin(a) * way * 64);
    w.x += w.vx / 64;
    w.y += w.vy / 64;
  }
}

describe("over a link that delays, jitters and is late", () => {
  const UNITS = [3, 4, 5];
  const ORDERS_UNTIL_MS = 12_000;
  const QUIET_MS = 5000;
  /** A frame's time at the walk, the clock's slew, and at the fastest blend of what is not shown at once. */
  const STEP_TILES = (FRAME_MS / 1000) * (TILES_PER_S * 1.05 + 8 / 1.2) + 0.01;

  function play(seed: number) {
    const random = dice(seed);
    const delayMs = [0, 50, 150, 300][seed % 4];
    const server = new Server(random);
    const state = new MatchState(info(64, 64));
    const clock = new MatchClock(TICK_MS);
    const { world, prediction } = state;
    for (const [i, u] of UNITS.entries()) {
      const [x, y] = [(20 + 3 * i) * 1024, 30 * 1024];
      server.units.set(u, { x, y, vx: 0, vy: 0, goal: null, turns: 0 });
      world.enter({ handle: u, type: 0, owner: 0, x, y, vx: 0, vy: 0, facing: 0 }, 0);
    }
    const oneWay = () => delayMs / 2 + (random(1000) / 1000) * (delayMs / 6) + (random(50) === 0 ? 400 : 0);
    const down: { at: number; told: Told }[] = [];
    const up: { at: number; seq: number; o: Asked }[] = [];
    const poses = new PoseColumns();
    const last = new Map<number, { x: number; z: number }>();
    let seq = 0;
    let snaps = 0;
    let stepMax = 0;
    let nextTickMs = 0;
    const queue = <T extends { at: number }>(q: T[], e: T) => {
      // A connection keeps the order: what follows a late message waits for it.
      e.at = Math.max(e.at, q.at(-1)?.at ?? 0);
      q.push(e);
    };
    for (let now = 0; now < ORDERS_UNTIL_MS + QUIET_MS; now += FRAME_MS) {
      while (nextTickMs <= now) {
        while (up.length > 0 && up[0].at <= nextTickMs) {
          const m = up.shift();
          if (m) server.take(m.seq, m.o);
        }
        const told = server.step();
        if (told.rows.length > 0 || told.answers.length > 0 || told.tick % 20 === 0)
          queue(down, { at: nextTickMs + oneWay(), told });
        nextTickMs += TICK_MS;
      }
      while (down.length > 0 && down[0].at <= now) {
        const { told } = down.shift() as { told: Told };
        prediction.before();
        world.tick = told.tick;
        for (const r of told.rows) world.motion(world.slot(r.unit), r.x, r.y, r.vx, r.vy, 0);
        for (const a of told.answers) prediction.answered(a.seq, a.ok, a.leftOut);
        prediction.told();
        clock.frame(told.tick, now);
      }
      if (!clock.ready) continue;
      const tick = Math.min(clock.drawTick(now), world.tick + 20);
      const n = world.sample(tick, FRAME_MS, poses);
      expect(n).toBe(UNITS.length);
      for (let row = 0; row < n; row++) {
        const u = world.ids[poses.slot[row]];
        const p = { x: poses.x[row], z: poses.z[row] };
        const was = last.get(u);
        last.set(u, p);
        if (!was) continue;
        const step = Math.hypot(p.x - was.x, p.z - was.z);
        if (step > 2) snaps++;
        else stepMax = Math.max(stepMax, step);
      }
      if (now < ORDERS_UNTIL_MS && now > 500 && random(40) === 0) {
        const units = UNITS.filter(() => random(2) === 0);
        if (units.length === 0) continue;
        const to = { x: (10 + random(40)) * 1024, y: (10 + random(40)) * 1024 };
        const kind = [OrderKind.MOVE, OrderKind.STOP, OrderKind.PATROL, OrderKind.HOLD][random(4)];
        // One unit an order: where a group stands in formation, form.test.ts has.
        for (const u of units) {
          const o: Asked = { kind, units: [u] };
          if (kind === OrderKind.MOVE || kind === OrderKind.PATROL) o.to = to;
          prediction.give(order(++seq, o), clock.serverTick(now));
          queue(up, { at: now + oneWay(), seq, o });
        }
      }
    }
    return { server, state, last, snaps, stepMax, seq };
  }

  it("never jumps, and comes to where the server says", { timeout: 60_000 }, () => {
    let orders = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const { server, state, last, snaps, stepMax, seq } = play(seed);
      orders += seq;
      expect(stepMax, `seed ${seed}`).toBeLessThan(STEP_TILES);
      expect(snaps, `seed ${seed}: shown at once`).toBeLessThanOrEqual(2);
      expect(state.prediction.size, `seed ${seed}`).toBe(0);
      for (const u of UNITS) {
        const w = server.units.get(u) as Walker;
        const p = last.get(u) as { x: number; z: number };
        // A unit that still walks is drawn behind the server, by at most the usual delay and a late frame.
        const behind = w.goal ? TILES_PER_S * 0.8 : 0;
        expect(Math.hypot(p.x - w.x / 1024, p.z - w.y / 1024), `seed ${seed}, unit ${u}`).toBeLessThan(
          behind + 1 / 16,
        );
      }
    }
    expect(orders).toBeGreaterThan(300);
  });
});
