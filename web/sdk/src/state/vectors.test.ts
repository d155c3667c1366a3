// The server's golden vectors, read by this client: the bytes of real matches,
// and its required state after each message. proto/testdata/vectors/README.md describes the files.

import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type DescMessage, type MessageShape, toBinary, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { OWN_VALUES, VALUES } from "../gen/fields.js";
import { PingKind } from "../gen/fogkeep/v1/client_pb.js";
import {
  BudgetSchema,
  ClosingSchema,
  EventKind,
  PlayerState,
  type ServerFrame,
  ServerFrameSchema,
  SpeedSchema,
  VotesSchema,
  WaitingSchema,
  WelcomeSchema,
} from "../gen/fogkeep/v1/server_pb.js";
import { ORDER_KINDS } from "../gen/orders.js";
import { type Counts, checkFrame, checkWelcome } from "../net/check.js";
import { readFrame } from "../net/packed.js";
import { hashMask } from "../vision/index.js";
import type { Grant } from "./doing.js";
import { decodeMap, type GameMap } from "./map.js";
import { MatchState } from "./match.js";
import { infoOf } from "./welcome.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** The speed and the votes of a message. */
const agreed = (f: ServerFrame): JsonObject => ({
  ...(f.speed && { speed: plain(SpeedSchema, f.speed) }),
  ...(f.votes && { votes: plain(VotesSchema, f.votes) }),
});

interface VectorMessage {
  at: number;
  client?: string;
  server?: string;
  told?: JsonObject;
  state?: JsonObject;
}

interface VectorStream {
  client: string;
  about: string;
  derives_fog: boolean;
  messages: VectorMessage[];
}

interface VectorFile {
  map: string;
  streams: VectorStream[];
}

/** By the number of the wire. */
const GRANTS: readonly Grant[] = ["type", "needs", "unit", "lacksNeeds", "denied", "unfinished"];

const folder = new URL("../../../../proto/testdata/vectors/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json") && name !== "rules.json")
  .sort()
  .map((name) => ({ name, file: JSON.parse(readFileSync(new URL(name, folder), "utf8")) as VectorFile }));
const bytesOf = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, "base64"));

const isObject = (v: Json | undefined): v is JsonObject =>
  typeof v === "object" && v !== null && !Array.isArray(v);

/** The result of a merge patch (RFC 7396); the value itself stays unchanged. */
function mergePatch(on: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const out: JsonObject = isObject(on) ? { ...on } : {};
  for (const [k, v] of Object.entries(patch)) {
    if (v === null) delete out[k];
    else out[k] = mergePatch(out[k], v);
  }
  return out;
}

/** The first place at which two values differ, or "". */
function difference(got: Json | undefined, want: Json | undefined, path = ""): string {
  if (isObject(got) && isObject(want)) {
    for (const k of new Set([...Object.keys(want), ...Object.keys(got)])) {
      const d = difference(got[k], want[k], `${path}.${k}`);
      if (d) return d;
    }
    return "";
  }
  return isDeepStrictEqual(got, want)
    ? ""
    : `${path || "."}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`;
}

const plain = <D extends DescMessage>(schema: D, m: MessageShape<D>): Json =>
  toJson(schema, m, { useProtoFieldName: true, enumAsInteger: true }) as Json;

const PLAYER_NUMBERS = {
  playing: PlayerState.PLAYING,
  away: PlayerState.AWAY,
  defeated: PlayerState.DEFEATED,
  left: PlayerState.LEFT,
  standIn: PlayerState.STAND_IN,
};
const PING_NUMBERS = { look: PingKind.LOOK, danger: PingKind.DANGER, help: PingKind.HELP };

/** One stream's client: bytes in, state out. */
class Reader {
  private state: MatchState | null = null;
  private counts: Counts | null = null;
  private told: { [name: string]: JsonObject[] } = {};
  /** Shots in the order in which the client reported them: rows of fire, then events. */
  private aims: JsonObject[] = [];
  private inconsistent = "";
  /** Their last reported direction is the direction of fire, not their facing. */
  private readonly looking = new Set<number>();

  constructor(
    private readonly map: GameMap,
    private readonly derives: boolean,
  ) {}

  /** Takes in one message. Returns its news besides the state, rows of fire as shots. */
  take(bytes: Uint8Array): { told: JsonObject; aims: JsonObject[] } {
    const f = readFrame(bytes);
    this.told = {};
    this.aims = [];
    const none = { told: {}, aims: [] };
    if (f.welcome) {
      checkWelcome(f.welcome);
      this.counts = { players: f.welcome.players.length, types: f.welcome.types.length };
      this.state ??= this.listened(new MatchState(infoOf(f.welcome, this.map), this.derives));
      return { ...none, told: { welcome: plain(WelcomeSchema, f.welcome) } };
    }
    if (f.waiting) {
      this.state?.hear(f.said);
      const waiting = { ...this.told, waiting: plain(WaitingSchema, f.waiting) };
      return { ...none, told: { ...waiting, ...agreed(f) } };
    }
    if (f.closing) return { ...none, told: { closing: plain(ClosingSchema, f.closing) } };
    if (!this.state || !this.counts) throw new Error("a frame before the welcome");
    checkFrame(f, this.counts);
    this.courses(f);
    this.state.apply(f, 0);
    if (this.inconsistent) throw new Error(this.inconsistent);
    if (f.maskHash !== undefined && f.maskHash !== this.maskHash()) throw new Error("another mask");
    const told: JsonObject = { ...this.told };
    if (f.skipped) told.skipped = f.skipped;
    if (f.partial) told.partial = true;
    if (f.budget) told.budget = plain(BudgetSchema, f.budget);
    Object.assign(told, agreed(f));
    if (f.maskHash !== undefined) told.mask_hash = f.maskHash;
    if (f.sights.length > 0) {
      told.sights = f.sights.map((s) => ({
        x: s.x,
        y: s.y,
        radius: s.radius,
        flyer: s.flyer,
        level_bonus: s.levelBonus,
        ticks: s.ticks,
      }));
    }
    return { told, aims: this.aims };
  }

  /** A row that tells a course tells how its unit stands. */
  private courses(f: ServerFrame): void {
    if (f.tick) this.looking.clear();
    let id = 0;
    for (let i = 0; i < f.motion.length; i += 3) {
      id += f.motion[i];
      this.looking.delete(id);
    }
    const kinds = (this.counts!.players + 1) * this.counts!.types;
    id = 0;
    for (let i = 0; i < f.enter.length; i += 3) {
      id += Math.floor(f.enter[i] / kinds);
      this.looking.delete(id);
    }
  }

  private listened(state: MatchState): MatchState {
    const note = (name: string, row: JsonObject) => {
      this.told[name] ??= [];
      this.told[name].push(row);
    };
    const on = state.events;
    on.on("mismatch", (e) => {
      this.inconsistent = `lost at tick ${e.tick}`;
    });
    on.on("answer", (a) => {
      note("answers", { seq: a.seq, code: a.code, left_out: a.leftOut.map((l) => ({ ...l })) });
    });
    on.on("chat", (c) => note("said", { ...c }));
    on.on("handed", (e) => note("handed", { ...e }));
    on.on("ping", (p) => note("pinged", { slot: p.slot, kind: PING_NUMBERS[p.kind], x: p.x, y: p.y }));
    on.on("cancelled", (c) => note("cancelled", { ...c }));
    on.on("started", (s) => note("started", { ...s }));
    on.on("aim", (s) => {
      this.aims.push({ x: s.x, y: s.y, source: s.id, target: s.target });
      this.looking.add(s.id);
    });
    const kinds = {
      hit: EventKind.HIT,
      blast: EventKind.BLAST,
      built: EventKind.BUILT,
      attacked: EventKind.ATTACKED,
      ability: EventKind.ABILITY,
      heard: EventKind.HEARD,
    } as const;
    for (const name of Object.keys(kinds) as (keyof typeof kinds)[]) {
      on.on(name, (e) => {
        // A projectile of the stream that is destroyed goes off without an event.
        if (name === "blast" && e.source !== 0) return;
        note("events", {
          kind: kinds[name],
          x: e.x,
          y: e.y,
          what: e.what,
          source: e.source,
          target: e.target,
        });
      });
    }
    return state;
  }

  private rows(has: (i: number) => boolean): JsonObject {
    const { width, height } = this.map;
    const out: JsonObject = {};
    for (let y = 0; y < height; y++) {
      const row = Buffer.alloc(Math.ceil(width / 8));
      for (let x = 0; x < width; x++) if (has(y * width + x)) row[x >> 3] |= 1 << (x & 7);
      if (row.some((b) => b !== 0)) out[y] = row.toString("hex");
    }
    return out;
  }

  private maskHash(): number {
    const { width, height } = this.map;
    const across = Math.ceil(width / 8);
    const halves = new Uint32Array(2 * across * Math.ceil(height / 8));
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (!this.state!.mask.visibleAt(x, y)) continue;
        const block = (y >> 3) * across + (x >> 3);
        halves[2 * block + ((y & 7) >> 2)] |= 1 << (8 * (y & 3) + (x & 7));
      }
    }
    return hashMask(halves);
  }

  /** All that is held. The facing of what fires is as wanted: the client has it as an angle towards its target. */
  held(want: JsonObject): JsonObject {
    if (!this.state) return {};
    const { world, actions, mask, own, ghosts, result, info, tick } = this.state;
    const course = world as unknown as { velX: Int32Array; velY: Int32Array; face: Float32Array };
    const entities: JsonObject = {};
    for (let s = 0; s < world.high; s++) {
      const id = world.ids[s];
      if (id === 0) continue;
      const e: JsonObject = {
        type: world.type[s],
        owner: world.owner[s],
        x: world.posX(s),
        y: world.posY(s),
        vx: course.velX[s],
        vy: course.velY[s],
      };
      for (const v of VALUES) e[v.key === "health" ? "hp_missing" : v.name] = world[v.key][s];
      const fired = [this.state.fire.shotsOf(id, 0), this.state.fire.shotsOf(id, 1)];
      if (fired[0] + fired[1] > 0) e.shots = fired;
      if (!world.moving(s)) {
        const wanted = isObject(want.entities) ? want.entities[id] : undefined;
        const turned = this.looking.has(id) && isObject(wanted) && "facing" in wanted;
        e.facing = turned ? wanted.facing : Math.round((course.face[s] * 128) / Math.PI) & 255;
      }
      e.actions = actions.of(id).map(({ index, since }) => ({ index, since }));
      e.effects = actions.effectsOn(id).map((x) => ({ ...x }));
      e.values = Object.fromEntries(this.state.values.of(id).map((v) => [v.info.name, v.now]));
      entities[id] = e;
    }
    const ghostRows: JsonObject = {};
    for (const g of ghosts.values()) {
      ghostRows[g.id] = {
        type: g.type,
        owner: g.owner,
        x: g.x,
        y: g.y,
        facing: g.facing,
        hp_missing: (info.rules.types[g.type]?.health ?? 0) - g.hp,
        amount: g.amount,
      };
    }
    const players: JsonObject = {};
    const names: JsonObject = {};
    const scores: JsonObject = {};
    const values: JsonObject = {};
    for (const p of info.players) {
      players[p.slot] = PLAYER_NUMBERS[p.state];
      names[p.slot] = p.name;
      if (p.score !== null) scores[p.slot] = p.score;
      const known = Object.values(p.values);
      if (known.length > 0) values[p.slot] = known;
    }
    const out: JsonObject = {
      tick,
      entities,
      ghosts: ghostRows,
      visible: this.rows((i) => mask.visible(i)),
      explored: this.rows((i) => mask.explored(i)),
      mask_hash: this.maskHash(),
      players,
      names,
      scores,
      own: this.ownRows(own, tick),
    };
    const { fired } = this.state.fire;
    if (fired > 0) out.shots_seen = fired;
    const contacts = this.state.radar.list;
    const cell = (wu: number) => Math.floor(wu / (8 * 1024));
    if (contacts.length > 0)
      out.contacts = contacts.map((c) => ({ class: c.what, x: cell(c.x), y: cell(c.y), at: c.tick }));
    if (Object.keys(values).length > 0) out.values = values;
    if (result) {
      out.ended = {
        winners: result.winners.slice(),
        reason: result.reason,
        scores: result.scores.map((s) => ({ ...s })),
        series_ticks: result.seriesTicks,
        series: result.series.map((s) => ({ gathered: s.gathered.slice(), army: s.army.slice() })),
      };
    }
    return out;
  }

  private ownRows(own: MatchState["own"], tick: number): JsonObject {
    const queues: JsonObject = {};
    const rallies: JsonObject = {};
    for (const [id, q] of own.production) {
      if (q.types.length > 0) queues[id] = { types: q.types.slice(), progress: Math.round(q.progress * 255) };
      if (q.rally) rallies[id] = { x: q.rally.x, y: q.rally.y };
    }
    const tasks: JsonObject = {};
    const values: { [name: string]: JsonObject } = Object.fromEntries(OWN_VALUES.map((v) => [v.name, {}]));
    const ready: JsonObject = {};
    const running: JsonObject = {};
    const carried = [...own.units]
      .filter(([, u]) => u.passengers.length > 0)
      .map(([id, u]) => [id, u.passengers.map((p) => [p.type, p.missing])]);
    const grants: JsonObject = {};
    for (const [id, u] of own.units) {
      const runs: JsonObject = {};
      u.running.forEach((r, index) => {
        if (r) runs[index] = { until: r.until, request: r.request };
      });
      if (Object.keys(runs).length > 0) running[id] = runs;
      const granted: JsonObject = {};
      u.grants.forEach((g, index) => {
        if (g !== "type") granted[index] = GRANTS.indexOf(g);
      });
      if (Object.keys(granted).length > 0) grants[id] = granted;
      if (u.doing !== "idle") {
        const kind = ORDER_KINDS[u.doing];
        tasks[id] = u.to ? { kind, x: u.to.x, y: u.to.y } : { kind };
      }
      for (const v of OWN_VALUES) if (u[v.key]) values[v.name][id] = u[v.key];
      const times: JsonObject = {};
      u.ready.forEach((at, index) => {
        if (at > tick) times[index] = at;
      });
      if (Object.keys(times).length > 0) ready[id] = times;
    }
    return {
      resources: own.resources.slice(),
      population: own.population,
      population_max: own.populationMax,
      ...(carried.length > 0 && { passengers: Object.fromEntries(carried) }),
      ...(own.upgrades.length > 0 && { upgrades: own.upgrades.slice() }),
      queues,
      rallies,
      tasks,
      ...values,
      ready,
      running,
      grants,
    };
  }
}

/** The shots that the client reports for a message: rows of fire for known entities, then events. */
function splitShots(
  told: JsonObject,
  state: JsonObject,
): { told: JsonObject; fire: JsonObject[]; ground: JsonObject[] } {
  const { fire, ...rest } = told as { fire?: JsonObject[] } & JsonObject;
  const entities = state.entities as JsonObject;
  const events = (rest.events ?? []) as JsonObject[];
  const others = events.filter((e) => e.kind !== EventKind.SHOT);
  if (others.length > 0) rest.events = others;
  else delete rest.events;
  return {
    told: rest,
    fire: (fire ?? []).filter((r) => `${r.unit}` in entities && `${r.target}` in entities),
    ground: events.filter((e) => e.kind === EventKind.SHOT),
  };
}

/** Plays a stream to a client and compares from message `from` on. Returns what differs, or "". */
function readStream(map: GameMap, s: VectorStream, from = 0, instead?: Uint8Array): string {
  const reader = new Reader(map, s.derives_fog);
  let held: Json = {};
  for (let i = 0; i < s.messages.length; i++) {
    const msg = s.messages[i];
    if (msg.server === undefined) continue;
    let got: ReturnType<Reader["take"]>;
    try {
      got = reader.take(i === from && instead ? instead : bytesOf(msg.server));
    } catch (err) {
      return `message ${i}: ${err}`;
    }
    held = mergePatch(held, msg.state ?? {});
    if (i < from) continue;
    const want = splitShots(msg.told ?? {}, held as JsonObject);
    const differs =
      difference(got.told, want.told) ||
      difference(
        got.aims.map(({ source, target }) => ({ source, target })),
        [
          ...want.fire.map((r) => ({ source: r.unit, target: r.target })),
          ...want.ground.map(({ source, target }) => ({ source, target })),
        ],
      ) ||
      difference(
        got.aims.slice(want.fire.length).map(({ x, y }) => ({ x, y })),
        want.ground.map(({ x, y }) => ({ x, y })),
      ) ||
      difference(reader.held(held as JsonObject), held);
    if (differs) return `message ${i}: ${differs}`;
  }
  return "";
}

const streams = files.flatMap(({ name, file }) => {
  const map = decodeMap(bytesOf(file.map));
  return file.streams.map((stream) => ({ name: `${name}, ${stream.client}`, map, stream }));
});

/** A change of a message, by the changed part. */
interface Mutation {
  kind: string;
  make: () => void;
}

/** Every small change of a message: numbers one more, flags the other way, texts longer, things gone. */
function mutations(m: { $typeName: string }): Mutation[] {
  const out: Mutation[] = [];
  const fields = m as unknown as Record<string, unknown>;
  for (const [key, v] of Object.entries(fields)) {
    if (key.startsWith("$") || v === undefined || v instanceof Uint8Array) continue; // packed rows are unpacked
    const name = `${m.$typeName}.${key}`;
    const change = (kind: string, make: () => void) => out.push({ kind: `${name} ${kind}`, make });
    const set = (to: unknown) => () => {
      fields[key] = to;
    };
    if (Array.isArray(v)) {
      v.forEach((x, i) => {
        if (typeof x === "object") out.push(...mutations(x));
        else
          change("changed", () => {
            v[i] = typeof x === "string" ? `${x}x` : x + 1;
          });
      });
      if (v.length > 0) change("gone", set([]));
    } else if (typeof v === "number") {
      change("changed", set(v + 1));
    } else if (typeof v === "boolean") {
      change("changed", set(!v));
    } else if (typeof v === "string") {
      change("changed", set(`${v}x`));
    } else if (typeof v === "object" && v !== null) {
      out.push(...mutations(v as { $typeName: string }));
      change("gone", set(undefined));
    }
  }
  return out;
}

describe("the server's vectors", () => {
  it("are there", () => {
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(streams.some((s) => s.stream.derives_fog) && streams.some((s) => !s.stream.derives_fog)).toBe(
      true,
    );
  });

  it.each(streams)("$name", ({ map, stream }) => {
    expect(readStream(map, stream)).toBe("");
  });

  it("notice a change of any kind of field", () => {
    const most = 60;
    const sites = new Map<string, { map: GameMap; stream: VectorStream; message: number; nth: number }[]>();
    for (const { map, stream } of streams) {
      stream.messages.forEach((msg, message) => {
        if (msg.server === undefined) return;
        mutations(readFrame(bytesOf(msg.server))).forEach(({ kind }, nth) => {
          const at = { map, stream, message, nth };
          const list = sites.get(kind);
          if (list) list.push(at);
          else sites.set(kind, [at]);
        });
      });
    }
    expect(sites.size).toBeGreaterThan(150);
    const unnoticed: string[] = [];
    for (const [kind, all] of sites) {
      const step = Math.max(1, Math.floor(all.length / most));
      const found = all.some((at, i) => {
        if (i % step !== 0) return false;
        const f = readFrame(bytesOf(at.stream.messages[at.message].server!));
        mutations(f)[at.nth].make();
        return readStream(at.map, at.stream, at.message, toBinary(ServerFrameSchema, f)) !== "";
      });
      if (!found) unnoticed.push(kind);
    }
    expect(unnoticed).toEqual([]);
  }, 180_000);

  it("notice a change of any kind of value", () => {
    const seen = new Set<string>();
    for (const { map, stream } of streams) {
      stream.messages.forEach((msg, i) => {
        for (const part of [msg.state, msg.told]) {
          if (part) walk(part, "");
        }
        function walk(v: Json, path: string): void {
          if (typeof v !== "object" || v === null) return;
          for (const k of Object.keys(v)) {
            const holder = v as JsonObject;
            const before = holder[k];
            const next = `${path}.${/^\d+$/.test(k) ? "*" : k}`;
            if (typeof before === "object" && before !== null) {
              walk(before, next);
              continue;
            }
            const kind = `${next} ${typeof before}`;
            if (seen.has(kind)) continue;
            seen.add(kind);
            if (typeof before === "number") holder[k] = before + 1;
            else if (typeof before === "boolean") holder[k] = !before;
            else if (typeof before === "string") holder[k] = `${before}0`;
            else holder[k] = 0;
            if (readStream(map, stream, i) === "") throw new Error(`a change of ${kind} passes`);
            holder[k] = before;
          }
        }
      });
    }
    expect(seen.size).toBeGreaterThan(100);
  }, 180_000);
});
