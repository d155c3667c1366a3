// The cases that hold the predictions of all clients together: frames and orders in their bytes, and the pictures
// between them. The C# client reads the same file. `npx vitest run sdk/src/state/predictioncases.test.ts -u` writes it
// again.

import { createHash } from "node:crypto";
import { clone, create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { OrderKind, OrderSchema } from "../gen/fogkeep/v1/client_pb.js";
import {
  AbilityInfoSchema,
  ServerFrameSchema,
  TypeClass,
  TypeInfoSchema,
  WeaponInfoSchema,
  WelcomeSchema,
} from "../gen/fogkeep/v1/server_pb.js";
import { ORDER_KINDS } from "../gen/orders.js";
import { doingName } from "./doing.js";
import { info, WELCOME } from "./fixture.js";
import { encodeMap } from "./map.js";
import { MatchState } from "./match.js";
import { infoOf } from "./welcome.js";
import { PoseColumns } from "./world.js";

const FRAME_MS = 1000 / 60;
const TICK_MS = 50;
/** The tick before the first picture. */
const FIRST = 98;
const SIDE = 64;
const CELLS = 16 * SIDE;
/** The numbers of a place that is a cell, and of a course at full speed, begin here. */
const CELL_FROM = 277_371;
const MOVING = 256;
const K = 2016;

/** Types beyond the fixture's. */
const [SOLDIER, WORKER, BARRACKS, ORE] = [0, 1, 2, 4];
const [SHELL, SLOW, DRONE, GUN, LAUNCHER, RIFLEMAN, HOVER] = [0, 1, 2, 3, 4, 5, 6].map(
  (k) => WELCOME.types.length - 1 + k,
);

const map = { ...info(SIDE, SIDE).map, pass: new Uint8Array(SIDE * SIDE).fill(11) };
for (let y = 20; y < 40; y++) map.pass[y * SIDE + 28] = 8; // a cliff
const mapBytes = encodeMap(map);
const welcome = clone(WelcomeSchema, WELCOME);
welcome.mapHash = createHash("sha256").update(mapBytes).digest("hex");
const unit = { class: TypeClass.UNIT, health: 100, sight: 8, size: 400, weapons: [0] };
welcome.types.push(
  create(TypeInfoSchema, { ...unit, name: "slow", speed: 3000, turn: 6 }),
  create(TypeInfoSchema, { ...unit, name: "drone", speed: 14_000, turn: 40, moveKind: 3 }),
  create(TypeInfoSchema, { ...unit, name: "gun", speed: 5000, turn: 10, weapons: [1], abilities: [4] }),
  create(TypeInfoSchema, { ...unit, name: "launcher", speed: 5000, turn: 20, weapons: [2] }),
  create(TypeInfoSchema, { ...unit, name: "rifleman", speed: 5000, turn: 20, weapons: [4] }),
  create(TypeInfoSchema, { ...unit, name: "hovercraft", speed: 5000, turn: 20, moveKind: 1 }),
);
const [BRIDGE, GATE, CRATE, FLOOD] = [2, 3, 4, 7].map((feature) => {
  const structure = { class: TypeClass.STRUCTURE, size: 2, sizeY: 2, health: 10 };
  return (
    welcome.types.push(create(TypeInfoSchema, { ...structure, name: `feature ${feature}`, feature })) - 1
  );
});
welcome.abilities[3].target = 2;
welcome.abilities.push(
  create(AbilityInfoSchema, { name: "siege", kind: "deploy", lasting: true, weapon: 4 }),
);
const gun = {
  range: 10 * 1024,
  minRange: 2 * 1024,
  cooldownTicks: 25,
  projectile: true,
  windUpTicks: 10,
  projectileType: SHELL,
  projectileSpeed: 461 * 64,
  atGround: true,
  hitsGround: true,
};
welcome.weapons.push(
  create(WeaponInfoSchema, { ...gun, name: "howitzer" }),
  create(WeaponInfoSchema, {
    ...gun,
    name: "missile",
    cooldownTicks: 60,
    windUpTicks: 1,
    homing: true,
    steered: true,
    atGround: false,
    hitsAir: true,
  }),
  create(WeaponInfoSchema, { ...gun, name: "siege", range: 14 * 1024 }),
  create(WeaponInfoSchema, {
    name: "carbine",
    range: 5 * 1024,
    cooldownTicks: 16,
    windUpTicks: 6,
    hitsGround: true,
  }),
);
welcome.types[SHELL].speed = gun.projectileSpeed;
welcome.lagMaxTicks = 3;
const KINDS = (welcome.players.length + 1) * welcome.types.length;

const base64 = (b: Uint8Array) => Buffer.from(b).toString("base64");
const rounded = (n: number, digits = 3) => Number(n.toFixed(digits)) + 0;

interface Row {
  handle: number;
  /** Tiles. */
  x: number;
  y: number;
  /** A facing, or MOVING and a direction. */
  course?: number;
  type?: number;
  owner?: number;
}
const cell = (r: Row) => Math.floor(r.y * 16) * CELLS + Math.floor(r.x * 16);
const fine = (r: Row) => ((Math.floor(r.x * 1024) & 63) << 6) | (Math.floor(r.y * 1024) & 63);
function gaps(list: Row[], row: (r: Row, gap: number) => number[]): number[] {
  let was = 0;
  return [...list]
    .sort((a, b) => a.handle - b.handle)
    .flatMap((r) => {
      const gap = r.handle - was;
      was = r.handle;
      return row(r, gap);
    });
}
/** The rows of what enters. */
const entering = (rows: Row[]) => ({
  enter: gaps(rows, (r, gap) => [
    gap * KINDS + (r.owner === undefined ? 0 : r.owner + 1) * welcome.types.length + (r.type ?? 0),
    cell(r),
    r.course ?? 0,
  ]),
  exact: gaps(rows, (r, gap) => [gap, 0, fine(r)]),
});
/** A shell of a gun at 10,y that comes into sight, and the request that started it. */
const shell = (handle: number, y: number, request: number) => ({
  ...entering([{ handle, type: SHELL, owner: 0, x: 10, y, course: towards(1, 0) }]),
  own: { started: [request, handle] },
});
/** The number of an order's first unit. */
const requestOf = (seq: number) => 100 * seq;
/** The direction of a way, as the number of a course at full speed. */
function towards(dx: number, dy: number): number {
  const most = Math.max(Math.abs(dx), Math.abs(dy));
  if (most === 0) return 0;
  const [u, v] = [Math.round((dx / most) * K), Math.round((dy / most) * K)];
  const [face, at] = u === K ? [0, v] : v === K ? [1, -u] : u === -K ? [2, -v] : [3, u];
  return MOVING + face * 2 * K + Math.max(0, Math.min(2 * K - 1, at + K));
}

type Step = Record<string, unknown>;
const PHASES = ["windUp", "flight", "fade", "glide", "steer"];

/** Plays frames, orders and pictures to a client, and writes them down with the client's view. */
class Recorder {
  readonly steps: Step[] = [];
  readonly state = new MatchState(infoOf(welcome, map));
  private readonly poses = new PoseColumns();
  private seq = 0;
  /** The shots that were drawn since the last step. */
  private fired: number[][] = [];
  drawn = FIRST;

  constructor() {
    this.state.events.on("shot", (s) =>
      this.fired.push([
        s.id,
        s.index,
        s.target,
        ...[s.x, s.y].map((v) => (Number.isNaN(v) ? -1 : Math.round(v))),
      ]),
    );
    this.snapshot(100);
    this.draw(1);
  }

  snapshot(tick: number): void {
    const rows: Row[] = [
      { handle: 3, type: SOLDIER, owner: 0, x: 20, y: 20 },
      { handle: 4, type: SOLDIER, owner: 0, x: 22, y: 24, course: towards(1, 0) },
      { handle: 5, type: SLOW, owner: 0, x: 20, y: 26, course: 128 },
      { handle: 6, type: DRONE, owner: 0, x: 24, y: 20, course: 64 },
      { handle: 7, type: WORKER, owner: 0, x: 18, y: 22, course: 80 },
      { handle: 8, type: BARRACKS, owner: 0, x: 14, y: 20 },
      { handle: 9, type: SOLDIER, owner: 1, x: 36, y: 22 },
      { handle: 10, type: ORE, x: 16, y: 26 },
      { handle: 11, type: BARRACKS, owner: 1, x: 26.5, y: 22.5 },
      { handle: 12, type: GUN, owner: 0, x: 10, y: 44 },
      { handle: 13, type: GUN, owner: 0, x: 10, y: 47, course: 32 },
      { handle: 14, type: LAUNCHER, owner: 0, x: 10, y: 50 },
      { handle: 15, type: SOLDIER, owner: 1, x: 17, y: 44 },
      { handle: 16, type: BARRACKS, owner: 1, x: 18, y: 50.5 },
      { handle: 17, type: DRONE, owner: 1, x: 14, y: 55 },
      { handle: 18, type: RIFLEMAN, owner: 0, x: 50, y: 50 },
      { handle: 19, type: RIFLEMAN, owner: 0, x: 50, y: 52, course: 64 },
      { handle: 20, type: SOLDIER, owner: 1, x: 53, y: 51 },
    ];
    this.frame({ tick, ...entering(rows) });
  }

  frame(f: MessageInitShape<typeof ServerFrameSchema>): void {
    const message = create(ServerFrameSchema, f);
    this.steps.push({ server: base64(toBinary(ServerFrameSchema, message)) });
    this.state.apply(message, 0);
  }

  /** A frame with new courses. */
  motion(rows: Row[], more: MessageInitShape<typeof ServerFrameSchema> = {}): void {
    const motion = gaps(rows, (r, gap) => [gap, CELL_FROM + cell(r), r.course ?? 0]);
    this.frame({ motion, exact: gaps(rows, (r, gap) => [gap, 0, fine(r)]), ...more });
  }

  order(o: MessageInitShape<typeof OrderSchema>): number {
    const message = create(OrderSchema, { ...o, seq: ++this.seq });
    const tick = this.drawn + 2.5;
    this.steps.push({ order: base64(toBinary(OrderSchema, message)), server_tick: tick });
    this.state.prediction.give(message, tick);
    this.state.shots.give(message, requestOf(this.seq), tick, true);
    return this.seq;
  }

  /** Some pictures; the last one is written down. */
  draw(pictures: number, ticks = FRAME_MS / TICK_MS): void {
    let n = 0;
    for (let k = 0; k < pictures; k++) {
      this.drawn += ticks;
      n = this.state.world.sample(this.drawn, FRAME_MS, this.poses);
      this.state.shots.sample(this.drawn, this.poses, n);
      this.state.fire.draw(this.drawn, 0);
    }
    const step: Step = { draw: pictures, ticks };
    this.note(step, n);
    this.steps.push(step);
  }

  private note(step: Step, n: number): void {
    const { world, prediction } = this.state;
    const at: Step = {};
    const tasks: Step = {};
    const rallies: Step = {};
    for (let row = 0; row < n; row++) {
      const id = world.ids[this.poses.slot[row]];
      if (world.owner[this.poses.slot[row]] !== 0) continue; // nothing is predicted of it
      const { x, z, facing } = this.poses;
      at[id] = [rounded(x[row]), rounded(z[row]), rounded(facing[row])];
      const task = prediction.task(id);
      if (task) {
        const kind = task.doing === "idle" ? 0 : ORDER_KINDS[task.doing];
        tasks[id] = [kind, task.accepted, ...(task.to ? [Math.trunc(task.to.x), Math.trunc(task.to.y)] : [])];
      }
      const rally = prediction.rally(id);
      if (rally) rallies[id] = [rally.x, rally.y];
    }
    const shots = [...this.state.shots.values()].map((s) => [
      s.unit,
      PHASES.indexOf(s.phase),
      ...[s.x, s.z, s.facing, s.wound, s.alpha].map((v) => rounded(v)),
    ]);
    const fired = this.fired;
    this.fired = [];
    Object.assign(step, { count: prediction.size, at, tasks, rallies, shots, fired });
  }
}

const to = (x: number, y: number) => ({ x: x * 1024, y: y * 1024 });
const ok = (seq: number, leftOut: number[] = []) => ({
  answers: [{ seq, code: 0, leftOut, leftOutCode: leftOut.map(() => 1) }],
});
const refused = (seq: number) => ({ answers: [{ seq, code: 1 }] });

/** Draws while the server says nothing new of the units, two ticks after the other. */
function quiet(r: Recorder, ticks: number): void {
  for (let k = 0; k < ticks; k += 2) {
    r.frame({ span: 2 });
    r.draw(6);
  }
}

const cases: Record<string, (r: Recorder) => void> = {
  "an order that has no answer goes on, however often the server corrects its unit": (r) => {
    const seq = r.order({ kind: OrderKind.MOVE, units: [3], to: to(40, 22) });
    for (let k = 0; k < 6; k++) {
      r.motion([{ handle: 3, x: 20 + k / 16, y: 20 + k / 32 }]);
      r.draw(3);
    }
    r.frame(ok(seq));
    r.draw(3);
    r.motion([{ handle: 3, x: 20.5, y: 20.2, course: towards(20, 2) }]);
    quiet(r, 12);
  },
  "a refused order is taken back, and so is one that leaves a unit out": (r) => {
    const first = r.order({ kind: OrderKind.ATTACK_MOVE, units: [3, 4], to: to(20, 40) });
    const second = r.order({ kind: OrderKind.PATROL, units: [5, 6], to: to(40, 10) });
    r.draw(9);
    r.frame(refused(first));
    r.draw(6);
    r.frame(ok(second, [5]));
    quiet(r, 12);
  },
  "a group stands in formation, beside what is in the way, and keeps together": (r) => {
    r.order({ kind: OrderKind.MOVE, units: [3, 4, 5, 7], to: to(27, 22), together: true });
    r.order({ kind: OrderKind.MOVE, units: [6], to: to(34, 30) });
    quiet(r, 14);
  },
  "targets are gone to as near as each order says": (r) => {
    r.order({ kind: OrderKind.ATTACK, units: [3, 5], target: 9 });
    r.order({ kind: OrderKind.FOLLOW, units: [4], target: 3 });
    r.order({ kind: OrderKind.HARVEST, units: [7], target: 10 });
    r.order({ kind: OrderKind.ATTACK_GROUND, units: [6], to: to(44, 20) });
    quiet(r, 8);
    r.motion([{ handle: 9, x: 35, y: 23, course: towards(-1, 1) }]);
    quiet(r, 30);
  },
  "stops and holds slow a unit down; queued orders wait; rallies and abilities show": (r) => {
    r.order({ kind: OrderKind.STOP, units: [4] });
    r.order({ kind: OrderKind.MOVE, units: [3], to: to(25, 30) });
    r.order({ kind: OrderKind.MOVE, units: [3], to: to(10, 10), queued: true });
    r.order({ kind: OrderKind.RALLY, units: [8], to: to(9, 8) });
    r.order({ kind: OrderKind.ABILITY, units: [5], what: 3, to: to(30, 50) });
    r.order({ kind: OrderKind.ABILITY, units: [6], what: 0 });
    quiet(r, 6);
    r.order({ kind: OrderKind.HOLD, units: [3] });
    r.frame({ own: { tasks: [7, OrderKind.PATROL * 3] } });
    r.order({ kind: OrderKind.MOVE, units: [7], to: to(30, 30), queued: true });
    quiet(r, 6);
  },
  "units cross features by their state, and own gates": (r) => {
    const features: { type: number; owner?: number; amount?: number; walker?: number }[] = [
      { type: GATE, owner: 1 },
      { type: GATE, owner: 1, amount: 1 },
      { type: GATE, owner: 0 },
      { type: BRIDGE, amount: 1 },
      { type: BRIDGE },
      { type: CRATE, amount: 1 },
      { type: FLOOD },
      { type: FLOOD, amount: 1 },
      { type: BRIDGE, amount: 1, walker: HOVER },
      { type: FLOOD, amount: 1, walker: HOVER },
    ];
    const lanes = features.map((f, k) => ({ ...f, handle: 60 + k, x: 43, y: 4 + 5 * k }));
    const walkers = lanes.map(({ y, walker }, k) => ({
      handle: 80 + k,
      type: walker ?? SOLDIER,
      owner: 0,
      x: 40,
      y,
    }));
    r.frame({
      span: 1,
      ...entering([...lanes, ...walkers]),
      amount: gaps(lanes, (l, gap) => [gap, features[l.handle - 60].amount ?? 0]),
    });
    for (const w of walkers) r.order({ kind: OrderKind.MOVE, units: [w.handle], to: to(52, w.y) });
    quiet(r, 30);
  },
  "a unit keeps its last orders, and what flies is stopped by nothing": (r) => {
    for (let k = 0; k < 10; k++) {
      r.order({ kind: OrderKind.MOVE, units: [3], to: to(20 + k, 30) });
      r.draw(2);
    }
    for (const u of [3, 6]) r.order({ kind: OrderKind.MOVE, units: [u], to: to(31, 26) });
    quiet(r, 12);
    r.frame({ answers: [{ seq: 1, code: 1, more: 9 }] });
    r.draw(1);
  },
  "steps of the clock, other owners, what leaves, and a snapshot": (r) => {
    r.order({ kind: OrderKind.MOVE, units: [3, 4, 5, 6, 7], to: to(40, 40) });
    r.draw(6);
    r.draw(1, 4);
    r.draw(6);
    r.frame({ span: 4, leave: [5], owner: [6, 2] });
    r.draw(6);
    r.motion([{ handle: 3, x: 32, y: 32 }]);
    r.draw(3);
    r.snapshot(r.state.tick + 10);
    quiet(r, 3);
  },
};

Object.assign(cases, {
  "a shot winds up, flies, glides onto the server's and is the server's alone": (r: Recorder) => {
    const [first, second] = [12, 13].map((u) => r.order({ kind: OrderKind.ATTACK, units: [u], target: 15 }));
    const third = r.order({ kind: OrderKind.ATTACK_GROUND, units: [12, 13], to: to(16, 47), queued: true });
    r.frame(ok(first));
    quiet(r, 11);
    r.frame({ ...shell(40, 44, requestOf(first)), ...ok(second) });
    r.draw(3);
    quiet(r, 4);
    r.frame({ own: { started: [requestOf(second), 41, requestOf(third), 42] } });
    r.draw(3);
    r.frame(shell(41, 47, 0));
    quiet(r, 8);
    r.frame({ destroyed: [40] });
    quiet(r, 12);
  },
  "a shot that never was fades; one is refused, one taken back, and one has no target any more": (
    r: Recorder,
  ) => {
    const ground = r.order({ kind: OrderKind.ATTACK_GROUND, units: [12, 13], to: to(16, 46) });
    r.order({ kind: OrderKind.ATTACK, units: [14], target: 15 });
    quiet(r, 5);
    r.frame({ ...ok(ground, [13]), leave: [15] });
    r.draw(3);
    quiet(r, 24);
    const late = r.order({ kind: OrderKind.ATTACK_GROUND, units: [12, 13], to: to(15, 48) });
    r.frame({ own: { cancelled: [13], cancelledCode: [1] } });
    quiet(r, 16);
    r.frame(refused(late));
    r.order({ kind: OrderKind.ATTACK_GROUND, units: [13], to: to(15, 48) });
    quiet(r, 3);
    r.order({ kind: OrderKind.STOP, units: [13] });
    quiet(r, 3);
  },
  "a target that leaves is not fired at, and a snapshot gives handles anew": (r: Recorder) => {
    r.order({ kind: OrderKind.ATTACK, units: [12], target: 15 });
    r.draw(3);
    r.frame({ leave: [15] });
    quiet(r, 14);
    r.snapshot(r.state.tick + 1);
    r.draw(1);
    const seq = r.order({ kind: OrderKind.ATTACK, units: [13], target: 15 });
    quiet(r, 16);
    r.frame(shell(40, 47, requestOf(seq)));
    quiet(r, 2);
    r.snapshot(r.state.tick + 1);
    r.frame(shell(41, 47, requestOf(seq)));
    quiet(r, 10);
    r.frame({ burst: [12, (1 << 2) | 2 | (4 << 8)] });
    quiet(r, 40);
    r.frame({ burst: [12, 2 << 2] });
    r.order({ kind: OrderKind.ATTACK_GROUND, units: [12], to: to(16, 44) });
    quiet(r, 30);
  },
  "a steered projectile turns as its unit is ordered, and joins the server's": (r: Recorder) => {
    const attack = (target: number) => r.order({ kind: OrderKind.ATTACK, units: [14], target });
    const pictures = (n: number) => {
      for (let k = 0; k < n; k++) r.draw(1);
    };
    const first = attack(16);
    r.frame(ok(first));
    quiet(r, 6);
    r.frame(shell(40, 50, requestOf(first)));
    quiet(r, 6);
    const second = attack(17);
    quiet(r, 4);
    r.motion([{ handle: 40, x: 13.5, y: 50, course: towards(1, 9) }], ok(second));
    quiet(r, 6);
    const third = r.order({ kind: OrderKind.ATTACK_GROUND, units: [14], to: to(20, 45) });
    pictures(4);
    r.frame(refused(third));
    quiet(r, 12);
    attack(15);
    pictures(6);
    r.frame({ destroyed: [40] });
    r.draw(3);
    const last = attack(16);
    quiet(r, 34);
    attack(17);
    pictures(4);
    r.frame(shell(41, 50, requestOf(last)));
    pictures(4);
    attack(16);
    pictures(4);
    r.snapshot(r.state.tick + 1);
    r.draw(3);
  },
  "weapons cool down, home, aim at the nearest point, and are replaced": (r: Recorder) => {
    r.frame({ burst: [12, (1 << 2) | 2 | (20 << 8)], actions: [13, 1, 1] });
    r.order({ kind: OrderKind.ATTACK, units: [12], target: 15 });
    r.order({ kind: OrderKind.ATTACK_GROUND, units: [13, 12], to: to(22, 50), queued: true });
    r.order({ kind: OrderKind.ATTACK, units: [14], target: 16 });
    quiet(r, 10);
    r.frame({ burst: [12, (2 << 2) | 0] });
    r.order({ kind: OrderKind.ATTACK, units: [14], target: 17 });
    r.motion([{ handle: 17, x: 14, y: 55, course: towards(1, 0) }]);
    quiet(r, 36);
    r.order({ kind: OrderKind.ATTACK, units: [14], target: 17 });
    quiet(r, 4);
    r.snapshot(r.state.tick + 1);
    quiet(r, 14);
  },
});

/** A generator of numbers below n. */
function dice(seed: number): (n: number) => number {
  let t = seed;
  return (n) => {
    t = (Math.imul(t, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((t / 2 ** 32) * n);
  };
}

/** Orders at random, and a server that answers and corrects at random. */
function play(r: Recorder, seed: number): void {
  const roll = dice(seed);
  const units = [3, 4, 5, 6, 7, 12, 13, 14];
  const kinds = Object.values(ORDER_KINDS).filter(
    (k) => doingName(k) !== "surrender" && doingName(k) !== "train",
  );
  const due: { at: number; seq: number }[] = [];
  for (let tick = 0; tick < 90; tick++) {
    if (roll(4) === 0) {
      const kind = kinds[roll(kinds.length)];
      const seq = r.order({
        kind,
        units: units.filter(() => roll(2) === 0),
        to: roll(6) === 0 ? undefined : to(4 + roll(56), 4 + roll(56)),
        target: [OrderKind.ATTACK, OrderKind.FOLLOW, OrderKind.HARVEST].includes(kind)
          ? [9, 10, 3, 15, 16, 17][roll(6)]
          : 0,
        what: roll(4),
        queued: roll(5) === 0,
        together: roll(3) === 0,
      });
      if (roll(8) > 0) due.push({ at: tick + 2 + roll(8), seq });
    }
    const { world } = r.state;
    const rows = units
      .filter(() => roll(9) === 0)
      .map((handle) => {
        const s = world.slot(handle);
        const near = (n: number) => Math.max(2, Math.min(SIDE - 2, n / 1024 + (roll(64) - 32) / 64));
        const course = roll(3) === 0 ? roll(256) : towards(roll(200) - 100, roll(200) - 99.5);
        return { handle, x: near(world.posX(s)), y: near(world.posY(s)), course };
      });
    const now = due.filter((d) => d.at <= tick);
    const answers = now.map(
      (d) =>
        (roll(4) === 0 ? refused : ok)(d.seq, roll(3) === 0 ? [units[roll(units.length)]] : []).answers[0],
    );
    for (const d of now) due.splice(due.indexOf(d), 1);
    r.motion(rows, { answers });
    r.draw(3);
  }
}
/** Rows of `burst`: so many shots, the last so many ticks ago; `fires` while the weapon fires on. */
const burst = (handle: number, shots: number, fires: boolean, ago = 0) => [
  handle,
  (shots << 2) | (fires ? 2 : 0) | (ago << 8),
];

Object.assign(cases, {
  "a shot that hits at once is drawn before the server reports it, and not again": (r: Recorder) => {
    const seq = r.order({ kind: OrderKind.ATTACK, units: [18, 19], target: 20 });
    quiet(r, 4);
    r.frame(ok(seq));
    quiet(r, 8);
    r.frame({ burst: [...burst(18, 1, true), ...burst(1, 1, true)], fire: [18, 20, 1, 20] });
    quiet(r, 50);
    r.frame({ burst: burst(18, 3, false) });
    quiet(r, 20);
  },
  "without an order that was taken there is no shot; a snapshot and a leave draw none twice": (
    r: Recorder,
  ) => {
    const first = r.order({ kind: OrderKind.ATTACK, units: [18], target: 20 });
    quiet(r, 8);
    r.frame(refused(first));
    quiet(r, 2);
    r.frame({ burst: burst(18, 1, true), fire: [18, 20] });
    quiet(r, 10);
    const second = r.order({ kind: OrderKind.ATTACK, units: [19], target: 20 });
    quiet(r, 8);
    r.snapshot(r.state.tick + 1);
    r.frame({ ...ok(second), span: 2 });
    r.draw(6);
    r.frame({ burst: burst(19, 1, true), fire: [19, 20] });
    quiet(r, 30);
    r.frame({ leave: [19], lastBursts: [19, 3 << 2, 0] });
    quiet(r, 12);
  },
});
for (const seed of [1, 2, 3]) cases[`at random, ${seed}`] = (r) => play(r, seed);

it("shows orders as the file for all clients says", async () => {
  const played = Object.entries(cases).map(([about, run]) => {
    const r = new Recorder();
    run(r);
    return { about, steps: r.steps };
  });
  const file = {
    about:
      "What clients show of orders: see web/sdk/src/state/predictioncases.test.ts. Places in tiles, angles in radians.",
    first: FIRST,
    picture_ms: FRAME_MS,
    map: base64(mapBytes),
    welcome: base64(toBinary(ServerFrameSchema, create(ServerFrameSchema, { welcome }))),
    cases: played,
  };
  const text = JSON.stringify(file).replaceAll(/(,)(\{"(?:server|order|draw|about)":)/g, "$1\n$2");
  await expect(`${text}\n`).toMatchFileSnapshot("../../../../proto/testdata/prediction.json");
});
