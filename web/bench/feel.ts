// One match over a slow network, played and measured. A player gives orders to
// units that walk and shoot; each drawn frame is compared with the frame before,
// and with the places that the server told a team-mate without delay.

import { connect, type Handle, loadMap, type Match, type Order, type Pos, typeOf } from "@fogkeep/client";
import { asBrowser, Field } from "./field";
import { openMatch } from "./lobby";
import { type Place, Truth } from "./truth";

export interface PlayOptions {
  readonly serverUrl: string;
  /** The same server behind the slow network. */
  readonly delayedUrl: string;
  /** How long orders are given. */
  readonly seconds: number;
  readonly seed: number;
  readonly name: string;
  log(text: string): void;
}

/** The measurements of one match. */
export interface Run {
  readonly matchId: string;
  /** Frames from each order to the first frame that shows it. */
  readonly reactions: number[];
  /** The farthest that an own unit was drawn beyond its walk in a frame, tiles. */
  readonly snapMax: number;
  /** How long each correction took until the drawn place was the server's, ms. */
  readonly blends: number[];
  /** Muzzle flashes that were shown, of the team's slots. */
  readonly shotsDrawn: number;
  readonly slots: readonly number[];
  /** Of each frame of each own projectile: how far it was drawn from the server's, tiles. */
  readonly gaps: number[];
  readonly projectiles: number;
  /** From each order to its answer, ms. */
  readonly answers: number[];
  /** When each frame of the server came, less the time of its tick, ms. */
  readonly came: number[];
  readonly frames: number;
  readonly refused: number;
}

/** A place is the server's when it is drawn this near to it, tiles. */
const SETTLED_TILES = 1 / 8;
/** A unit that walks may be drawn at twice its speed while a correction fades. */
const FASTEST = 2;
/** A reaction shows when a step differs by this share of a frame's way, or by this much. */
const STEP_SHARE = 0.15;
const STEP_TILES = 0.004;
const TURN_RAD = 0.02;
/** An order that shows no reaction counts as so many frames. */
const FRAMES_MAX = 120;
/** Before the first order, and after the last: until all is where the server says. */
const SETTLE_MS = 2000;
const QUIET_MS = 6000;

/** The least counts per second; a run with fewer was not measured. */
const ORDERS_PER_S = 1.5;
const SHOTS_PER_S = 4;
const PROJECTILES_PER_S = 0.5;

export async function play(o: PlayOptions): Promise<Run> {
  asBrowser();
  const random = dice(o.seed);
  const tickets = await openMatch(o.serverUrl, `Feel ${o.name}`);
  const join = (url: string, ticket: string) =>
    connect({
      url: `${url.replace("http", "ws")}/ws`,
      ticket,
      fetchMap: (hash) => loadMap(hash, `${o.serverUrl}/maps`),
    });
  const [match, mate, enemy] = await Promise.all([
    join(o.delayedUrl, tickets[0].ticket),
    join(o.serverUrl, tickets[1].ticket),
    join(o.serverUrl, tickets[2].ticket),
  ]);
  const truth = new Truth(mate);
  const gauge = new Gauge(match, truth);
  gauge.field.start();
  await pause(SETTLE_MS);

  const ends = performance.now() + o.seconds * 1000;
  const own = new Army(match);
  const others = new Army(mate);
  gauge.field.selection.set([...own.all, ...own.centre]);
  await Promise.all([
    walkers(own, gauge, random, ends),
    gunners(own, (order) => gauge.order(order), ends),
    gunners(others, (order) => mate.order(order), ends),
    structures(own, gauge, random, ends),
  ]);
  for (const [army, player] of [
    [own, match],
    [others, mate],
  ] as const)
    player.order({ do: "hold", units: army.all });
  await pause(QUIET_MS);
  gauge.field.stop();
  const run = gauge.run(tickets[0].matchId, [match.info.slot, mate.info.slot]);
  const ended = new Promise((done) => mate.events.on("end", done));
  enemy.order({ do: "surrender", units: [] });
  await ended;
  for (const m of [match, mate, enemy]) m.leave();
  o.log(
    `${o.name}: ${run.frames} frames, ${run.reactions.length} orders, ${run.refused} refused, ` +
      `${run.shotsDrawn} shots, ${run.projectiles} projectiles, ${run.blends.length} blends of ${Math.round(percentile(run.blends, 0.5))} ms in the median`,
  );
  return run;
}

/** The figures of a run, and the counts that were too low. */
export function figuresOf(run: Run, firedBySlot: readonly number[], seconds: number) {
  const fired = run.slots.reduce((sum, s) => sum + (firedBySlot[s] ?? 0), 0);
  const figures = {
    reaction_frames: Math.max(0, ...run.reactions),
    answer_p99_ms: Math.round(percentile(run.answers, 0.99)),
    snap_max_tiles: round(run.snapMax),
    corrections: run.blends.length,
    blend_p99_ms: Math.round(percentile(run.blends, 0.99)),
    shots_drawn_minus_fired: run.shotsDrawn - fired,
    projectile_gap_p99_tiles: round(percentile(run.gaps, 0.99)),
    frame_late_p99_ms: Math.round(percentile(run.came, 0.99) - Math.min(...run.came)),
    frame_late_max_ms: Math.round(Math.max(...run.came) - Math.min(...run.came)),
  };
  const short: string[] = [];
  const need = (what: string, got: number, perS: number) => {
    if (got < perS * seconds) short.push(`only ${got} ${what}, not ${Math.ceil(perS * seconds)}`);
  };
  need("orders", run.reactions.length, ORDERS_PER_S);
  need("shots", fired, SHOTS_PER_S);
  need("projectiles", run.projectiles, PROJECTILES_PER_S);
  if (run.blends.length === 0) short.push("no place was corrected");
  return { figures, short };
}

/** A player's army at the start. */
class Army {
  readonly all: Handle[] = [];
  readonly soldiers: Handle[] = [];
  readonly scouts: Handle[] = [];
  readonly workers: Handle[] = [];
  readonly guns: Handle[] = [];
  readonly towers: Handle[] = [];
  readonly centre: Handle[] = [];

  constructor(readonly match: Match) {
    const { state } = match;
    const { world, info } = state;
    const kinds: Record<string, Handle[]> = {
      soldier: this.soldiers,
      scout: this.scouts,
      worker: this.workers,
      artillery: this.guns,
      tower: this.towers,
      "command-centre": this.centre,
    };
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0 || world.owner[s] !== info.slot) continue;
      const type = typeOf(info.rules, world.type[s]);
      kinds[type.name]?.push(world.ids[s]);
      if (type.class === "unit" || type.name === "tower") this.all.push(world.ids[s]);
    }
    const lists = Object.entries(kinds).filter(([, list]) => list.length === 0);
    if (lists.length > 0) throw new Error(`the army has no ${lists.map(([name]) => name).join(", ")}`);
  }

  at(unit: Handle): Pos {
    const { world } = this.match.state;
    const s = world.slot(unit);
    return { x: world.posX(s), y: world.posY(s) };
  }

  /** A place near the start that one can walk on. */
  place(random: () => number, tiles: number): Pos {
    const { map } = this.match.info;
    const home = this.at(this.centre[0]);
    for (let tries = 0; tries < 1000; tries++) {
      const x = Math.round(home.x + (random() * 2 - 1) * tiles * 1024);
      const y = Math.round(home.y + (random() * 2 - 1) * tiles * 1024);
      if (x < 1024 || y < 1024 || x >> 10 >= map.width - 1 || y >> 10 >= map.height - 1) continue;
      const far = Math.max(Math.abs(x - home.x), Math.abs(y - home.y)) > 3 * 1024;
      if (far && map.pass[(y >> 10) * map.width + (x >> 10)] & 1) return { x, y };
    }
    throw new Error("no place near the start can be walked on");
  }
}

/** Sends scouts, workers and some soldiers about: one order each, in turn, and groups now and then. */
async function walkers(army: Army, gauge: Gauge, random: () => number, ends: number): Promise<void> {
  const walkers = [...army.soldiers.slice(2), ...army.workers, ...army.scouts];
  for (let n = 0; performance.now() < ends; n++) {
    await pause(220 + random() * 120);
    const unit = walkers[n % walkers.length];
    const to = army.place(random, 10);
    const dice = random();
    if (n % 29 === 28) gauge.refusedOrder({ do: "attack", units: [unit], target: 1 << 20 });
    else if (n % 23 === 22) gauge.order({ do: "move", units: army.soldiers.slice(2), to });
    else if (n % 11 === 10) gauge.button(army.scouts[0], sprintOf(army));
    else if (dice < 0.4) gauge.order({ do: "move", units: [unit], to });
    else if (dice < 0.6) gauge.order({ do: "attackMove", units: [unit], to });
    else if (dice < 0.7) gauge.order({ do: "patrol", units: [unit], to });
    else if (dice < 0.85) gauge.order({ do: "stop", units: [unit] });
    else gauge.order({ do: "hold", units: [unit] });
  }
}

function sprintOf(army: Army): number {
  const { rules } = army.match.info;
  return rules.abilities.findIndex((a) => a.kind === "sprint");
}

/** Two soldiers and the tower fire in bursts at the own centre, the guns at places: all that is in sight for sure. */
async function gunners(army: Army, order: (o: Order) => void, ends: number): Promise<void> {
  const [centre] = army.centre;
  const soldiers = army.soldiers.slice(0, 2);
  for (let n = 0; performance.now() < ends; n++) {
    order({ do: "attack", units: soldiers, target: centre });
    order({ do: "attack", units: army.towers, target: centre });
    const gun = army.at(army.guns[0]);
    const way = (n * 2 * Math.PI) / 5;
    const to = { x: gun.x + Math.cos(way) * 7 * 1024, y: gun.y + Math.sin(way) * 7 * 1024 };
    const { width, height } = army.match.info.map;
    to.x = Math.max(1024, Math.min(width * 1024 - 1024, to.x));
    to.y = Math.max(1024, Math.min(height * 1024 - 1024, to.y));
    order({ do: "attackGround", units: army.guns, to });
    await pause(1300 + 500 * (n % 3));
    order({ do: n % 2 ? "stop" : "hold", units: soldiers });
    order({ do: "stop", units: army.towers });
    await pause(900 + 400 * (n % 2));
  }
}

/** Moves the rally point about. */
async function structures(army: Army, gauge: Gauge, random: () => number, ends: number): Promise<void> {
  while (performance.now() < ends) {
    gauge.rally(army.centre[0], army.place(random, 9));
    await pause(2500);
  }
}

interface Drawn extends Place {
  facing: number;
  /** Whether a line shows where it goes. */
  line: boolean;
  /** Tiles in the last frame. */
  stepX: number;
  stepZ: number;
}

/** Waits for the first frame that shows something. */
interface Watch {
  frames: number;
  shows(): boolean;
}

/** A unit's error while it is not at the server's place. */
interface Blend {
  /** When what causes it was answered; NaN: it was not yet. */
  since: number;
}

class Gauge {
  readonly field: Field;
  private readonly reactions: number[] = [];
  private readonly blends: number[] = [];
  private readonly gaps: number[] = [];
  private readonly answers: number[] = [];
  private readonly came: number[] = [];
  private projectiles = 0;
  private readonly drawn = new Map<Handle, Drawn>();
  private readonly blending = new Map<Handle, Blend>();
  /** Orders of units without an answer. */
  private readonly open = new Map<Handle, number>();
  private watches: Watch[] = [];
  private snapMax = 0;
  private frames = 0;
  private refused = 0;

  constructor(
    private readonly match: Match,
    private readonly truth: Truth,
  ) {
    this.field = new Field(match, () => this.frame());
    match.events.on("frame", ({ tick }) => this.came.push(performance.now() - tick * match.info.tickMs));
    const { info, world } = match.state;
    match.state.events.on("enter", ({ slot }) => {
      const own = world.owner[slot] === info.slot;
      if (own && typeOf(info.rules, world.type[slot]).class === "projectile") this.projectiles++;
    });
  }

  /** Gives an order and waits for the frame that shows it in each of its units that can show it. */
  order(o: Order): void {
    const before = o.units.map((u) => ({ u, at: copy(this.drawn.get(u)) }));
    const beganMs = performance.now();
    const sent = this.field.order(o);
    if (!sent) return;
    void sent.answer.then(() => this.answers.push(performance.now() - beganMs));
    for (const { u, at } of before) {
      if (at && this.canShow(o, u, at)) this.watch(() => this.departs(u, at));
      this.answer(u, sent.answer);
    }
  }

  /** An order that the server will refuse. Its units are looked at, its reaction is not. */
  refusedOrder(o: Order): void {
    const sent = this.field.order(o);
    if (!sent) return;
    this.refused++;
    for (const u of o.units) this.answer(u, sent.answer);
  }

  rally(structure: Handle, to: Pos): void {
    if (this.field.order({ do: "rally", units: [structure], to })) this.watch(() => this.field.marked(to));
  }

  /** Presses the button of an ability, when it can be pressed. */
  button(unit: Handle, what: number): void {
    const id = `ability-${what}`;
    const before = this.field.button(unit, id);
    const { updates } = this.field;
    if (this.field.press(unit, id))
      this.watch(() => this.field.updates > updates && this.field.button(unit, id) !== before);
  }

  run(matchId: string, slots: readonly number[]): Run {
    return {
      matchId,
      reactions: this.reactions.concat(this.watches.map(() => FRAMES_MAX)),
      snapMax: this.snapMax,
      blends: this.blends,
      shotsDrawn: this.field.effects.muzzles,
      slots,
      gaps: this.gaps,
      projectiles: this.projectiles,
      answers: this.answers,
      came: this.came,
      frames: this.frames,
      refused: this.refused,
    };
  }

  private watch(shows: () => boolean): void {
    this.watches.push({ frames: 0, shows });
  }

  /** A stop of a standing unit, or a step on the same way, has no visible effect. */
  private canShow(o: Order, unit: Handle, at: Drawn): boolean {
    const { world, info } = this.match.state;
    const slot = world.slot(unit);
    const type = typeOf(info.rules, world.type[slot]);
    if (type.class !== "unit" || this.open.has(unit)) return false;
    const speed = Math.hypot(at.stepX, at.stepZ) / Math.max(1, this.field.dtMs);
    const walks = speed > 0.0005;
    if (o.do === "stop" || o.do === "hold") return walks && !this.match.state.prediction.task(unit);
    const to = "to" in o && o.to ? o.to : null;
    if (!to || o.units.length > 1) return false;
    const way = Math.atan2(to.y / 1024 - at.z, to.x / 1024 - at.x);
    const heading = walks ? Math.atan2(at.stepZ, at.stepX) : at.facing;
    const off = Math.abs(angle(way - heading));
    const far = Math.hypot(to.x / 1024 - at.x, to.y / 1024 - at.z) > 1.5;
    return far && off > 0.4 && o.do !== "attackGround";
  }

  /** Whether a unit is drawn otherwise than it would have gone on. */
  private departs(unit: Handle, was: Drawn): boolean {
    const d = this.drawn.get(unit);
    if (!d || (was.line && !d.line)) return true;
    const usual = Math.hypot(was.stepX, was.stepZ);
    const other = Math.hypot(d.stepX - was.stepX, d.stepZ - was.stepZ);
    return (
      other > Math.max(STEP_TILES, usual * STEP_SHARE) || Math.abs(angle(d.facing - was.facing)) > TURN_RAD
    );
  }

  private answer(unit: Handle, answer: Promise<unknown>): void {
    this.open.set(unit, (this.open.get(unit) ?? 0) + 1);
    void answer.then(() => {
      const left = (this.open.get(unit) ?? 1) - 1;
      if (left > 0) this.open.set(unit, left);
      else this.open.delete(unit);
      const b = this.blending.get(unit);
      if (b && left === 0) b.since = performance.now();
    });
  }

  private frame(): void {
    this.frames++;
    const { world, info } = this.match.state;
    const { poses, drawn: rows } = this.field.entities;
    const { tick, dtMs, nowMs } = this.field;
    const norm = 1000 / 60 / Math.max(1, dtMs);
    for (let row = 0; row < rows; row++) {
      const slot = poses.slot[row];
      if (world.owner[slot] !== info.slot) continue;
      const id = world.ids[slot];
      const type = typeOf(info.rules, world.type[slot]);
      const at = { x: poses.x[row], z: poses.z[row] };
      if (type.class === "projectile") this.projectile(id, at, tick);
      if (type.class !== "unit") continue;
      const was = this.drawn.get(id);
      const [dx, dz] = was ? [at.x - was.x, at.z - was.z] : [0, 0];
      const fastest = (type.speed / 64 / 1024 / info.tickMs) * FASTEST * dtMs;
      this.snapMax = Math.max(this.snapMax, Math.hypot(dx, dz) - fastest);
      // Steps have the length of a usual frame, however long this one was.
      const now = {
        ...at,
        facing: poses.facing[row],
        line: this.field.hasLine(at),
        stepX: dx * norm,
        stepZ: dz * norm,
      };
      this.drawn.set(id, now);
      this.compare(id, at, tick, nowMs);
    }
    this.watches = this.watches.filter((w) => {
      w.frames++;
      const done = w.shows();
      if (done || w.frames >= FRAMES_MAX) this.reactions.push(w.frames);
      return !done && w.frames < FRAMES_MAX;
    });
  }

  private compare(id: Handle, at: Place, tick: number, nowMs: number): void {
    const there = this.truth.at(id, tick);
    if (!there) return;
    const off = Math.hypot(at.x - there.x, at.z - there.z) > SETTLED_TILES;
    const b = this.blending.get(id);
    if (off && !b) this.blending.set(id, { since: this.open.has(id) ? Number.NaN : nowMs });
    else if (off && b && this.open.has(id)) b.since = Number.NaN;
    else if (!off && b) {
      this.blending.delete(id);
      if (!Number.isNaN(b.since)) this.blends.push(nowMs - b.since);
    }
  }

  private projectile(id: Handle, at: Place, tick: number): void {
    const there = this.truth.at(id, tick);
    if (there) this.gaps.push(Math.hypot(at.x - there.x, at.z - there.z));
  }
}

function copy<T extends object>(v: T | undefined): T | undefined {
  return v ? { ...v } : undefined;
}

function angle(a: number): number {
  return Math.atan2(Math.sin(a), Math.cos(a));
}

function percentile(all: readonly number[], share: number): number {
  if (all.length === 0) return 0;
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

function round(tiles: number): number {
  return Math.round(Math.max(0, tiles) * 1000) / 1000;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
function dice(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
