// The course of a match, as the server of a replay sends it in parts: events, and
// for each player numbers at points of time. Plain data; it knows no connection.

import type { Slot, Team, Tick, Tile, TypeId } from "../base/ids.js";
import {
  ReplayEventKind,
  type ReplayEvent as WireEvent,
  type ReplayTimeline as WireTimeline,
} from "../gen/fogkeep/v1/server_pb.js";

const KINDS = {
  [ReplayEventKind.CONTACT]: "contact",
  [ReplayEventKind.FIGHT]: "fight",
  [ReplayEventKind.STRUCTURE_LOST]: "structureLost",
  [ReplayEventKind.EXPANSION]: "expansion",
  [ReplayEventKind.CAPTURED]: "captured",
  [ReplayEventKind.SURRENDERED]: "surrendered",
  [ReplayEventKind.AWAY]: "away",
  [ReplayEventKind.BACK]: "back",
  [ReplayEventKind.LEFT]: "left",
  [ReplayEventKind.TAKEN_OVER]: "takenOver",
  [ReplayEventKind.OUT]: "out",
  [ReplayEventKind.ENDED]: "ended",
} as const;

/**
 * `contact`: `team` saw something of `other` for the first time. `structureLost`: `slot` lost one of `type`, by `by`.
 * `expansion`: `slot` finished a centre or drop-off away from its start. `captured`: `slot` has it now, `by` had it.
 * `away`, `back`: a player's connection was lost, and came back; `left`: for good. `takenOver`: a person took a bot's
 * seat. `out`: `slot` is out. `ended`: the match; `team` won.
 */
export type ReplayEventName = (typeof KINDS)[keyof typeof KINDS];

export interface ReplayEvent {
  readonly kind: ReplayEventName;
  readonly tick: Tick;
  /** Of a fight its last tick; of others `tick`. */
  readonly until: Tick;
  /** Players and teams; -1: without one. */
  readonly slot: Slot;
  readonly by: Slot;
  readonly team: Team;
  readonly other: Team;
  /** Null where it has no place. */
  readonly at: Tile | null;
  /** -1: no type. */
  readonly type: TypeId;
  /** The price of the lost or won thing. */
  readonly value: number;
  /** Of a fight: what players lost, units and structures, and what these cost. */
  readonly losses: readonly { readonly slot: Slot; readonly count: number; readonly value: number }[];
  /** Of the match's end. */
  readonly reason: string;
}

/** The names of a player's series, but for `held` and `gathered`, which have a number a kind of resource. */
export const SERIES = [
  "army",
  "making",
  "workers",
  "population",
  "populationMax",
  "lost",
  "lostValue",
  "killed",
  "killedValue",
  "orders",
  "refused",
  "assisted",
] as const;
export type SeriesName = (typeof SERIES)[number];

/**
 * Numbers of one player, one a point. `army` is the price of living armed units, workers aside, `making` the price
 * of the production. `lost` and `killed` count units and structures, `lostValue` and `killedValue` are their
 * prices, `orders` were accepted, `assisted` counts kills of others with damage by the player (0 in rulesets without
 * assists): these and `refused` count from the match's beginning.
 */
export type PlayerSeries = Readonly<Record<SeriesName, readonly number[]>>;

type Columns = Record<SeriesName, number[]>;
/** Columns of one number a kind of resource. */
type Resources = Record<"held" | "gathered", number[]>;

/** The most events that are kept. A server sends far fewer. */
const EVENTS_MAX = 1 << 15;
const MINUTE_MS = 60_000;

/** The known part of a match's course. It grows while the server reads the match. */
export class ReplayTimeline {
  /** From one point to the next; 0 before the first part. */
  pointTicks = 0;
  /** Points that are known. Point k is of tick first + k * pointTicks. */
  points = 0;
  /** Grows with each part. */
  revision = 0;
  /** Ascending by tick. */
  readonly events: ReplayEvent[] = [];
  private readonly columns: Columns[] = [];
  private readonly resources: Resources[] = [];

  constructor(
    /** The match's first tick. */
    readonly first: Tick,
    private readonly players: number,
    /** Kinds of resources. */
    private readonly kinds: number,
    private readonly tickMs: number,
  ) {
    for (let slot = 0; slot < players; slot++) {
      this.columns.push(emptyColumns());
      this.resources.push({ held: [], gathered: [] });
    }
  }

  /** The series of a player. Empty where they may not be known: of a match that runs all but `army` and `workers`. */
  of(slot: Slot): PlayerSeries {
    return this.columns[slot] ?? NONE;
  }

  /** Whether anything is known of a player. */
  knows(slot: Slot): boolean {
    return this.of(slot).army.length > 0;
  }

  /** The tick of a point. */
  tickOf(point: number): Tick {
    return this.first + point * this.pointTicks;
  }

  /** The number of the last point at or before a tick; -1 before the first. */
  pointAt(tick: Tick): number {
    if (this.points === 0 || this.pointTicks === 0) return -1;
    return Math.max(0, Math.min(this.points - 1, Math.floor((tick - this.first) / this.pointTicks)));
  }

  /** A number of a player at a tick; undefined where it is not known. */
  at(slot: Slot, name: SeriesName, tick: Tick): number | undefined {
    return this.of(slot)[name][this.pointAt(tick)];
  }

  /** A player's stock of each kind of resource at a tick; empty where it is not known. */
  heldAt(slot: Slot, tick: Tick): readonly number[] {
    const k = this.pointAt(tick);
    return k < 0 ? [] : (this.resources[slot]?.held.slice(k * this.kinds, (k + 1) * this.kinds) ?? []);
  }

  /** All resources together that a player has gathered until a point. */
  gathered(slot: Slot, point: number): number {
    const list = this.resources[slot]?.gathered ?? [];
    let sum = 0;
    for (let k = 0; k < this.kinds; k++) sum += list[point * this.kinds + k] ?? 0;
    return sum;
  }

  /** Resources that a player gathered in the minute before a point, a minute. */
  income(slot: Slot, point: number): number {
    return this.rate(point, (k) => this.gathered(slot, k));
  }

  /** Orders of a player in the minute before a point, a minute: accepted and refused. */
  perMinute(slot: Slot, point: number): number {
    const { orders, refused } = this.of(slot);
    return this.rate(point, (k) => (orders[k] ?? 0) + (refused[k] ?? 0));
  }

  /** By how much a column of a player grew from the point before to a point. */
  growth(slot: Slot, name: SeriesName, point: number): number {
    const list = this.of(slot)[name];
    return point < 1 ? 0 : Math.max(0, (list[point] ?? 0) - (list[point - 1] ?? 0));
  }

  /** The first event after a tick. */
  next(tick: Tick): ReplayEvent | undefined {
    return this.events.find((e) => e.tick > tick);
  }

  /** The last event before a tick. */
  previous(tick: Tick): ReplayEvent | undefined {
    return this.events.filter((e) => e.tick < tick).at(-1);
  }

  /** @internal Takes a part. Returns false for a part that does not follow the earlier ones. */
  add(part: WireTimeline): boolean {
    if (part.restart) this.forgetSeries();
    if (part.series.length > 0) {
      if (part.pointTicks === 0 || part.point > this.points) return false;
      if (this.pointTicks !== 0 && part.pointTicks !== this.pointTicks) return false;
      this.pointTicks = part.pointTicks;
      for (const s of part.series) {
        const columns = this.columns[s.slot];
        if (!columns) return false;
        for (const name of SERIES) put(columns[name], part.point, s[name]);
        for (const name of ["held", "gathered"] as const)
          put(this.resources[s.slot][name], part.point * this.kinds, s[name]);
      }
      this.points = Math.max(...this.columns.map((c) => c.army.length));
    }
    for (const e of part.events) {
      const event = this.eventOf(e);
      if (event && this.events.length < EVENTS_MAX) this.events.push(event);
    }
    this.events.sort((a, b) => a.tick - b.tick);
    this.revision++;
    return true;
  }

  /** @internal On a new connection all is told anew. */
  clear(): void {
    this.forgetSeries();
    this.events.length = 0;
    this.revision++;
  }

  private forgetSeries(): void {
    this.pointTicks = 0;
    this.points = 0;
    for (const c of [...this.columns, ...this.resources])
      for (const list of Object.values(c)) list.length = 0;
  }

  private eventOf(e: WireEvent): ReplayEvent | null {
    const kind = KINDS[e.kind as keyof typeof KINDS];
    if (!kind) return null; // of a newer server
    const known = (slot: number) => (slot < this.players ? slot : -1);
    return {
      kind,
      tick: e.tick,
      until: Math.max(e.tick, e.until),
      slot: known(e.slot - 1),
      by: known(e.by - 1),
      team: e.team - 1,
      other: e.other - 1,
      at: PLACED.has(kind) ? { x: e.x, y: e.y } : null,
      type: e.type - 1,
      value: e.value,
      losses: e.losses
        .filter((l) => l.slot < this.players)
        .map((l) => ({ slot: l.slot, count: l.count, value: l.value })),
      reason: e.reason,
    };
  }

  /** How much a sum grew in the minute before a point, or since the beginning if that is shorter. */
  private rate(point: number, sum: (k: number) => number): number {
    const minute = Math.max(1, Math.round(MINUTE_MS / (this.pointTicks * this.tickMs)));
    const from = Math.max(0, point - minute);
    if (point <= from) return 0;
    const passedMs = (point - from) * this.pointTicks * this.tickMs;
    return Math.round(((sum(point) - sum(from)) * MINUTE_MS) / passedMs);
  }
}

/** Events that happened at a place. */
const PLACED: ReadonlySet<ReplayEventName> = new Set([
  "contact",
  "fight",
  "structureLost",
  "expansion",
  "captured",
]);

function emptyColumns(): Columns {
  return Object.fromEntries(SERIES.map((name) => [name, []])) as unknown as Columns;
}
const NONE: PlayerSeries = emptyColumns();

/** Writes numbers into a list from a place on. A place behind its end is filled with zeros. */
function put(list: number[], from: number, values: readonly number[]): void {
  while (list.length < from && values.length > 0) list.push(0);
  for (let k = 0; k < values.length; k++) list[from + k] = values[k];
}
