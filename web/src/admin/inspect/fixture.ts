// A match that tests look at: two teams on a map with a ridge between them, and
// a server that answers for it.

import type {
  Bytes,
  Changes,
  Entity,
  EntityFile,
  Eye,
  Facts,
  Known,
  OrderQuestion,
  OrderRow,
  State,
  TeamWhy,
  TileFile,
  Times,
} from "./shapes";
import type { Source, StreamListener } from "./source";

export const WIDE = 64;
export const LAST = 2400;
const RATE = 20;

export const facts = (more: Partial<Facts> = {}): Facts => ({
  match: "m1",
  live: false,
  state: "ended",
  map: { name: "Twin Fords", hash: "00", width: WIDE, height: WIDE },
  tickRate: RATE,
  first: 0,
  last: LAST,
  indexed: LAST,
  players: ["Ada", "Ben"].map((name, slot) => ({
    name,
    slot,
    team: slot,
    color: slot * 3,
    bot: slot === 1,
    connected: true,
  })),
  teams: 2,
  types: ["scout", "tank", "hq"],
  kinds: ["MOVE", "ATTACK", "BUILD", "TRAIN"],
  codes: [
    { code: 0, name: "OK", why: "accepted" },
    { code: 12, name: "UNAFFORDABLE", why: "not enough resources or energy" },
    { code: 14, name: "BAD_TARGET", why: "that is no target for this order" },
  ],
  build: "test",
  mode: "skirmish",
  bytes: 0,
  faults: [],
  faultCount: 0,
  ...more,
});

export const unit = (id: number, more: Partial<Entity> = {}): Entity => ({
  id,
  shape: "unit",
  type: "scout",
  slot: 0,
  team: 0,
  x: 10,
  y: 10,
  facing: 0,
  hp: 40,
  hpMax: 40,
  seen: [0],
  ...more,
});

/** All of the match at a tick: scout 33 of team 0 goes to where tank 41 of team 1 sees it. */
export function entitiesAt(tick: number): Entity[] {
  const x = 20 + Math.min(14, tick / 100);
  const seen = x > 26 ? [0, 1] : [0];
  return [
    unit(1, { shape: "structure", type: "hq", size: 4, x: 8, y: 8, hp: 900, hpMax: 1000 }),
    unit(2, {
      shape: "structure",
      type: "hq",
      size: 4,
      slot: 1,
      team: 1,
      x: 54,
      y: 54,
      hp: 1000,
      hpMax: 1000,
      seen: [1],
    }),
    unit(33, { x, y: 30, seen, doing: "MOVE" }),
    unit(34, { type: "tank", x: 14, y: 28, hp: 90, hpMax: 200, facing: 32 }),
    unit(41, {
      type: "tank",
      slot: 1,
      team: 1,
      x: 36.5,
      y: 32.5,
      facing: 128,
      hp: 200,
      hpMax: 200,
      seen: [1],
    }),
    unit(50, {
      shape: "resource",
      type: "ore",
      slot: -1,
      team: -1,
      x: 31,
      y: 20,
      size: 2,
      hp: 0,
      hpMax: 0,
      seen: [0, 1],
    }),
  ];
}

/** The state as a team sees it. */
export function stateAt(tick: number, eyes: number): State {
  const entities = entitiesAt(tick).filter((e) => eyes < 0 || e.seen.includes(eyes));
  const own = entities.filter((e) => eyes < 0 || e.team === eyes);
  const sight = new Uint8Array(WIDE * WIDE);
  for (let t = 0; t < sight.length; t++) {
    const [x, y] = [(t % WIDE) + 0.5, Math.floor(t / WIDE) + 0.5];
    for (const e of own) {
      const d = Math.hypot(e.x - x, e.y - y);
      if (d < 10) sight[t] = 2;
      else if (d < 14 && sight[t] === 0) sight[t] = 1;
    }
  }
  return { tick, eyes, width: WIDE, height: WIDE, entities, counts: {}, sight: pack(sight) };
}

/** Two bits a tile, the lowest first, as base64. */
export function pack(sight: Uint8Array): string {
  const bytes = new Uint8Array(Math.ceil(sight.length / 4));
  for (let t = 0; t < sight.length; t++) bytes[t >> 2] |= sight[t] << (2 * (t & 3));
  return btoa(String.fromCharCode(...bytes));
}

const eye: Eye = {
  source: 7,
  what: "entity",
  id: 41,
  type: "tank",
  slot: 1,
  team: 1,
  x: 36,
  y: 32,
  radius: 10,
  flyer: false,
  level: 1,
};

const line = (fromX: number, fromY: number, toX: number, toY: number) =>
  Array.from({ length: Math.abs(toX - fromX) + 1 }, (_, i) => ({
    x: fromX + Math.sign(toX - fromX) * i,
    y: Math.round(fromY + ((toY - fromY) * i) / Math.max(1, Math.abs(toX - fromX))),
  }));

export function fileOf(id: number, tick: number): EntityFile {
  const e = entitiesAt(tick).find((x) => x.id === id);
  const own = (team: number): TeamWhy => ({
    team,
    seen: true,
    reason: "own",
    words: "It belongs to the team.",
    handle: 12,
    eyes: [],
  });
  const seen: TeamWhy = {
    team: 1,
    seen: true,
    reason: "sight",
    words:
      "tank 41 sees it: 6.7 tiles away, and it sees 10 tiles. No tile on the line is higher than level 1.",
    handle: 77,
    since: 620,
    by: eye,
    eyes: [eye],
    line: line(36, 32, Math.floor(e?.x ?? 30), 30),
    distance: 6.7,
    need: 10,
  };
  const hidden: TeamWhy = {
    team: 1,
    seen: false,
    reason: "blocked",
    words:
      "tank 41 is near enough, but the tile 31, 31 stands in the line: it is 3 high, and the tank sees up to level 1.",
    by: eye,
    eyes: [],
    line: line(36, 32, Math.floor(e?.x ?? 20), 30),
    blocked: { x: 31, y: 31, level: 2, stands: 3 },
    distance: 9.1,
    need: 10,
  };
  const other = e?.seen.includes(1) ? seen : hidden;
  return {
    tick,
    id,
    gone: !e,
    entity: e,
    fields: [
      { group: "body", name: "health", value: `${e?.hp} of ${e?.hpMax}` },
      { group: "body", name: "cloaked", value: "no" },
      { group: "orders", name: "task", value: e?.doing ?? "none" },
    ],
    tasks: e?.doing ? [{ kind: "MOVE", seq: 4, x: 40, y: 30 }] : [],
    teams: e?.team === 1 ? [{ ...hidden, team: 0 }, own(1)] : [own(0), other],
  };
}

export function tileOf(x: number, y: number, team: number, tick: number): TileFile {
  const visible = team === 1 && Math.hypot(x - 36, y - 32) < 10;
  return {
    tick,
    x,
    y,
    team,
    level: 1,
    terrain: "grass",
    opaque: false,
    visible,
    explored: visible,
    detected: false,
    known: { level: 1, opaque: false },
    sources: visible ? [{ eye, line: line(36, 32, x, y), detects: false }] : [],
    not: visible ? [] : [{ eye, reason: "range", line: [], distance: 14, need: 10 }],
    entities: [],
    seen: visible ? { state: "now" } : { state: "at", tick: 200 },
    first: visible ? { state: "at", tick: 100 } : { state: "at", tick: 180 },
  };
}

/** Every fifth order is refused. */
export const orders: readonly OrderRow[] = Array.from({ length: 450 }, (_, i) => {
  const refused = i % 5 === 3;
  return {
    n: i + 1,
    tick: 10 + i * 5,
    acts: refused ? undefined : 12 + i * 5,
    slot: i % 2,
    seq: 1 + (i >> 1),
    kind: refused ? "BUILD" : "MOVE",
    units: [i % 2 ? 41 : 33],
    unitCount: 1,
    type: refused ? "hq" : undefined,
    x: 20 + (i % 17),
    y: 30 + (i % 7),
    code: refused ? "UNAFFORDABLE" : "OK",
    why: refused ? "not enough resources or energy" : "accepted",
    rule: refused ? "The price is compared with what the player has (check 12 of 17)." : "All checks passed.",
    values: refused
      ? [
          { unit: -1, asked: "can-afford", name: "price", value: "400 ore", no: false },
          { unit: -1, asked: "can-afford", name: "has", value: "120 ore", no: true },
        ]
      : [],
    left: [],
    later: [],
    again: false,
    recorded: true,
  };
});

export function orderPage(q: OrderQuestion) {
  const fits = orders.filter(
    (o) =>
      (o.tick > q.from || (o.tick === q.from && o.n > (q.after ?? 0))) &&
      (q.slot === undefined || o.slot === q.slot) &&
      (q.kind === undefined || o.kind === q.kind) &&
      (q.code === undefined || o.code === q.code) &&
      (q.unit === undefined || o.units.includes(q.unit)) &&
      (!q.refused || o.code !== "OK"),
  );
  const rows = fits.slice(0, q.limit ?? 100);
  const last = rows[rows.length - 1];
  return {
    from: q.from,
    to: LAST,
    rows,
    next: fits.length > rows.length ? { tick: last.tick, n: last.n } : undefined,
  };
}

export function knownAt(team: number, tick: number): Known {
  const contacts = entitiesAt(tick)
    .filter((e) => e.team === 1 - team && e.seen.includes(team))
    .map((e) => ({ ...e, ghost: false, since: tick - 5, seenAt: tick, age: 0 }));
  return {
    tick,
    team,
    entities: { unit: 21, structure: 6, ghost: 2 },
    contacts: [
      ...contacts,
      {
        ...entitiesAt(tick)[team === 1 ? 0 : 1],
        shape: "ghost",
        ghost: true,
        since: tick - 900,
        seenAt: tick - 900,
        age: 900,
      },
    ],
    radar: [{ class: "vehicle", x: 36, y: 20, age: 40 }],
    clients: [
      {
        slot: team,
        name: "Ben",
        source: "live",
        at: tick,
        base: tick - 3,
        sent: tick - 1,
        acked: tick - 4,
        pending: 1,
        lateMs: 200,
        inFlight: 2,
        limit: 40_000,
        budget: 60_000,
        report: {
          tick: tick - 200,
          seconds: 60,
          frames: 1190,
          late: 41,
          gaps: 1,
          longestMs: 1730,
          tripMs: 140,
          corrections: 2,
          drawn: 3500,
          slow: 12,
        },
        rows: [
          { handle: 77, id: 33, what: "change", type: "scout", x: 30, y: 30, since: tick - 4, behind: 4 },
        ],
        behind: { from: tick - 4, entered: [], changed: [33], left: [] },
      },
    ],
  };
}

export function bytesAt(team: number, tick: number): Bytes {
  const tiles: Bytes["tiles"] = [];
  for (let t = 0; t < WIDE * WIDE; t++) {
    const d = Math.hypot((t % WIDE) - 30, Math.floor(t / WIDE) - 30);
    if (d < 9) tiles.push({ tile: t, bytes: Math.round(4000 / (1 + d * d)) });
  }
  return {
    from: Math.max(0, tick - 100),
    to: tick,
    team,
    total: 60_000,
    placed: 55_200,
    classes: [
      { name: "unit", bytes: 5120, rows: 800 },
      { name: "structure", bytes: 240, rows: 12 },
    ],
    parts: [{ name: "motion", bytes: 4000, rows: 500 }],
    tiles,
    entities: [{ id: 33, bytes: 900, rows: 80 }],
  };
}

export function times(): Times {
  const rows = Array.from({ length: LAST / RATE }, (_, k) => {
    const wave = 1 + Math.sin(k / 9) ** 2 * (k > 60 ? 3 : 1);
    const phase = (share: number) => ({ p50: wave * share * 0.6, max: wave * share });
    return {
      tick: (k + 1) * RATE,
      ticks: RATE,
      missed: k % 37 === 36 ? 2 : 0,
      step: phase(2),
      write: phase(0.2),
      view: phase(1),
      encode: phase(0.5),
      late: phase(0.1),
    };
  });
  return {
    from: 0,
    to: LAST,
    rows,
    links: [0, 1].map((slot) => ({
      slot,
      rows: rows.map((r, k) => ({
        tick: r.tick,
        bytes: Math.round(400 + 900 * Math.sin(k / 11 + slot) ** 2),
        received: 20,
        messages: 10,
        pending: k > 80 && k < 90 && slot === 1 ? 5 : 0,
        lateMs: 40 + (k % 7) * 5,
        frame: r.tick,
        acked: r.tick - 3,
        inFlight: 2,
        limit: 40_000,
        budget: 60_000,
      })),
    })),
    density: {
      first: 0,
      step: RATE,
      slots: [0, 1].map((slot) => ({
        slot,
        orders: rows.map((_, k) => (k * 7 + slot) % 4),
        refused: rows.map((_, k) => (k % 13 === 5 * slot ? 1 : 0)),
        losses: rows.map((_, k) => (k % 41 === 40 ? 2 : 0)),
      })),
    },
    lost: 0,
    full: false,
  };
}

/** A server for one page. `asked` has what it was asked, one line a question. */
export class FakeServer implements Source {
  readonly asked: string[] = [];
  now: Facts;
  listener: StreamListener | null = null;
  streams = 0;

  constructor(more: Partial<Facts> = {}) {
    this.now = facts(more);
  }

  private answer<T>(line: string, a: T): Promise<T> {
    this.asked.push(line);
    return Promise.resolve(a);
  }

  facts = () => this.answer("facts", this.now);
  state = (eyes: number, tick = this.now.last) => this.answer(`state ${tick} ${eyes}`, stateAt(tick, eyes));
  changes = (eyes: number, from: number, tick: number) =>
    this.answer(`changes ${from} ${tick} ${eyes}`, changesOf(eyes, from, tick));
  entity = (id: number, tick: number) => this.answer(`entity ${tick} ${id}`, fileOf(id, tick));
  tile = (x: number, y: number, team: number, tick: number) =>
    this.answer(`tile ${tick} ${x},${y} ${team}`, tileOf(x, y, team, tick));
  orders = (q: OrderQuestion) => this.answer(`orders ${JSON.stringify(q)}`, orderPage(q));
  bytes = (team: number, tick: number) => this.answer(`bytes ${tick} ${team}`, bytesAt(team, tick));
  known = (team: number, tick = this.now.last) => this.answer(`known ${tick} ${team}`, knownAt(team, tick));
  times = () => this.answer("times", times());
  land = () => Promise.resolve(null);
  stream = (eyes: number, on: StreamListener) => {
    this.asked.push(`stream ${eyes}`);
    this.listener = on;
    this.streams++;
    return () => {
      this.streams--;
      this.listener = null;
    };
  };
}

export function changesOf(eyes: number, from: number, tick: number): Changes {
  const [a, b] = [stateAt(from, eyes), stateAt(tick, eyes)];
  const old = new Map(a.entities.map((e) => [e.id, e]));
  const now = new Map(b.entities.map((e) => [e.id, e]));
  return {
    from,
    tick,
    eyes,
    entered: b.entities.filter((e) => !old.has(e.id)),
    changed: b.entities.filter((e) => old.has(e.id)),
    left: a.entities.filter((e) => !now.has(e.id)).map((e) => e.id),
    sight: [],
  };
}
