// The cases that hold the predictions of all clients together: frames and orders in
// their bytes, and what is drawn between them. The C# client reads the same file.
// `npx vitest run sdk/src/state/predictioncases.test.ts -u` writes it again.

import { createHash } from "node:crypto";
import { clone, create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { OrderKind, OrderSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema, TypeClass, TypeInfoSchema, WelcomeSchema } from "../gen/fogkeep/v1/server_pb.js";
import { doingName, ORDER_KINDS } from "./doing.js";
import { info, WELCOME } from "./fixture.js";
import { encodeMap } from "./map.js";
import { MatchState } from "./match.js";
import { infoOf } from "./welcome.js";
import { PoseColumns } from "./world.js";

const FRAME_MS = 1000 / 60;
const TICK_MS = 50;
const SIDE = 64;
const CELLS = 16 * SIDE;
/** The numbers of a place that is a cell, and of a course at full speed, begin here. */
const CELL_FROM = 277_371;
const MOVING = 256;
const K = 2016;

/** Types beyond those of the fixture. */
const [SOLDIER, WORKER, BARRACKS, ORE] = [0, 1, 2, 4];
const [SLOW, DRONE] = [WELCOME.types.length, WELCOME.types.length + 1];

const map = { ...info(SIDE, SIDE).map, pass: new Uint8Array(SIDE * SIDE).fill(11) };
for (let y = 20; y < 40; y++) map.pass[y * SIDE + 28] = 8; // a cliff
const mapBytes = encodeMap(map);
const welcome = clone(WelcomeSchema, WELCOME);
welcome.mapHash = createHash("sha256").update(mapBytes).digest("hex");
const unit = { class: TypeClass.UNIT, health: 100, sight: 8, size: 400, weapons: [0] };
welcome.types.push(
  create(TypeInfoSchema, { ...unit, name: "slow", speed: 3000, turn: 6 }),
  create(TypeInfoSchema, { ...unit, name: "drone", speed: 14_000, turn: 40, moveKind: 3 }),
);
welcome.abilities[3].target = 2;
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
/** The direction of a way, as the number of a course at full speed. */
function towards(dx: number, dy: number): number {
  const most = Math.max(Math.abs(dx), Math.abs(dy));
  if (most === 0) return 0;
  const [u, v] = [Math.round((dx / most) * K), Math.round((dy / most) * K)];
  const [face, at] = u === K ? [0, v] : v === K ? [1, -u] : u === -K ? [2, -v] : [3, u];
  return MOVING + face * 2 * K + Math.max(0, Math.min(2 * K - 1, at + K));
}

type Step = Record<string, unknown>;

/** Plays frames, orders and pictures to a client, and writes them down with what the client shows. */
class Recorder {
  readonly steps: Step[] = [];
  readonly state = new MatchState(infoOf(welcome, map));
  private readonly poses = new PoseColumns();
  private seq = 0;
  drawn = 98;

  constructor() {
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
    ];
    const enter = gaps(rows, (r, gap) => [
      gap * KINDS + (r.owner === undefined ? 0 : r.owner + 1) * welcome.types.length + (r.type ?? 0),
      cell(r),
      r.course ?? 0,
    ]);
    this.frame({ tick, enter, exact: gaps(rows, (r, gap) => [gap, 0, fine(r)]) });
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
    return this.seq;
  }

  /** Some pictures, of which the last one is written down. */
  draw(pictures: number, ticks = FRAME_MS / TICK_MS): void {
    for (let k = 0; k < pictures; k++) {
      this.drawn += ticks;
      const n = this.state.world.sample(this.drawn, FRAME_MS, this.poses);
      const step: Step = { draw: this.drawn, passed_ms: FRAME_MS };
      if (k === pictures - 1) this.note(step, n);
      this.steps.push(step);
    }
  }

  private note(step: Step, n: number): void {
    const { world, prediction } = this.state;
    const at: Step = {};
    const tasks: Step = {};
    const rallies: Step = {};
    for (let row = 0; row < n; row++) {
      const id = world.ids[this.poses.slot[row]];
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
    Object.assign(step, { count: prediction.size, at, tasks, rallies });
  }
}

const to = (x: number, y: number) => ({ x: x * 1024, y: y * 1024 });
const ok = (seq: number, leftOut: number[] = []) => ({
  answers: [{ seq, code: 0, leftOut, leftOutCode: leftOut.map(() => 1) }],
});
const refused = (seq: number) => ({ answers: [{ seq, code: 1 }] });

/** Draws while the server says nothing new of the units, tick by tick. */
function quiet(r: Recorder, ticks: number): void {
  for (let k = 0; k < ticks; k++) {
    r.frame({});
    r.draw(3);
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
  const units = [3, 4, 5, 6, 7];
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
          ? [9, 10, 3][roll(3)]
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
      (d) => (roll(4) === 0 ? refused : ok)(d.seq, roll(3) === 0 ? [units[roll(5)]] : []).answers[0],
    );
    for (const d of now) due.splice(due.indexOf(d), 1);
    r.motion(rows, { answers });
    r.draw(3);
  }
}
for (const seed of [1, 2]) cases[`at random, ${seed}`] = (r) => play(r, seed);

it("shows orders as the file for all clients says", async () => {
  const played = Object.entries(cases).map(([about, run]) => {
    const r = new Recorder();
    run(r);
    return { about, steps: r.steps };
  });
  const file = {
    about:
      "What clients show of orders: see web/sdk/src/state/predictioncases.test.ts. Places in tiles, angles in radians.",
    map: base64(mapBytes),
    welcome: base64(toBinary(ServerFrameSchema, create(ServerFrameSchema, { welcome }))),
    cases: played,
  };
  const text = JSON.stringify(file).replaceAll(/(,)(\{"(?:server|order|draw|about)":)/g, "$1\n$2");
  await expect(`${text}\n`).toMatchFileSnapshot("../../../../proto/testdata/prediction.json");
});
