// Owner state: what only the owner of entities is sent. Resources, production
// queues, and the tasks of units. Frames bring what changed, in packed rows;
// proto/fogkeep/v1/server.proto states them at Own.

import type { Handle, Pos, Tick, TypeId } from "../base/ids.js";
import {
  NO_OWN_VALUES,
  OWN_ATTRIBUTES,
  OWN_VALUES,
  type OwnAttributeKey,
  type OwnValueKey,
  type OwnValues,
} from "../gen/fields.js";
import type { Own } from "../gen/fogkeep/v1/server_pb.js";
import { cellX, cellY } from "./course.js";
import { type Doing, doingName, type Grant, grantName } from "./doing.js";
import { eachRow } from "./rows.js";
import { CHANGES_WRAP } from "./world.js";

export interface ProductionQueue {
  readonly handle: Handle;
  readonly types: readonly TypeId[];
  /** Of the first, 0 to 1, as of the state's tick. */
  readonly progress: number;
  readonly rally: Pos | null;
}

export interface OwnUnit extends OwnValues {
  doing: Doing;
  /** Where its group goes, to a sixteenth of a tile. */
  to: Pos | null;
  /** Tick at which each ability of the type is ready; absent or past: ready. */
  ready: number[];
  /** The values of each ability's last start, also after it ended. */
  running: (OwnRunning | undefined)[];
  /** Whether it may use each ability, and why; absent: it may. */
  grants: Grant[];
  /** Of a transport: the units in it, in the order in which they got in. */
  passengers: readonly Passenger[];
}

/** A unit in a transport. */
export interface Passenger {
  readonly type: TypeId;
  /** Health that it lacks. */
  readonly missing: number;
}

/** An own ability that started. */
export interface OwnRunning {
  /** When it ends by itself; 0: not. */
  readonly until: Tick;
  /** The number that this client's order gave it; or 0. */
  readonly request: number;
}

/** An attribute of a unit changed; events.ts says what `times` is. */
export interface OwnChange {
  readonly id: Handle;
  readonly attribute: OwnAttributeKey;
  readonly was: number;
  readonly now: number;
  readonly times: number;
}

/** Attributes and their counters: values that are applied in pairs. */
const COUNTED: ReadonlySet<string> = new Set(OWN_ATTRIBUTES.flatMap((a) => [a.value, a.changes]));

/** The largest progress on the wire. */
const WHOLE = 255;
/** A row of tasks: kind * PLACES + whether a place follows. */
const PLACES = 3;
const TO = 1;

class Queue implements ProductionQueue {
  types: TypeId[] = [];
  rally: Pos | null = null;
  private from = 0;
  private since = 0;

  constructor(
    readonly handle: Handle,
    private readonly owner: OwnerState,
  ) {}

  set(types: TypeId[], progress: number): void {
    this.types = types;
    this.from = progress;
    this.since = this.owner.now();
  }

  get progress(): number {
    if (this.types.length === 0) return 0;
    const total = Math.max(1, this.owner.buildTicks(this.types[0]));
    const made = Math.floor(((this.owner.now() - this.since) * WHOLE) / total);
    return Math.min(WHOLE, this.from + made) / WHOLE;
  }
}

export class OwnerState {
  resources: readonly number[] = [];
  /** The upgrades that the team has. */
  upgrades: readonly TypeId[] = [];
  population = 0;
  populationMax = 0;
  /** Of structures that have a queue or a rally point. */
  readonly production = new Map<Handle, Queue>();
  /** Of units with anything to report. */
  readonly units = new Map<Handle, OwnUnit>();

  constructor(
    readonly now: () => Tick,
    readonly buildTicks: (type: TypeId) => number,
    private readonly mapWidth: number,
  ) {}

  /** Before a snapshot. */
  clear(): void {
    this.upgrades = [];
    this.production.clear();
    this.units.clear();
  }

  /** The entity left. */
  remove(id: Handle): void {
    this.production.delete(id);
    this.units.delete(id);
  }

  /** @internal Takes in what changed, and returns which attributes of units changed by how much. */
  apply(o: Own): readonly OwnChange[] {
    if (o.resources.length > 0) this.resources = o.resources.slice();
    if (o.upgrades.length > 0) this.upgrades = o.upgrades.slice();
    if (o.population !== undefined || o.populationMax !== undefined) {
      this.population = o.population ?? 0;
      this.populationMax = o.populationMax ?? 0;
    }
    this.queues(o.queues);
    eachRow(o.rallies, 2, (id, at) => {
      const place = o.rallies[at + 1];
      this.queue(id).rally = place > 0 ? this.place(place - 1) : null;
    });
    this.tasks(o.tasks);
    const changes = OWN_ATTRIBUTES.flatMap((a) => this.attribute(a, o));
    for (const { key } of OWN_VALUES) {
      if (!COUNTED.has(key)) this.values(key, o);
    }
    // A type has few abilities; a larger number is invalid.
    const index = (n: number): number => Math.min(n, ABILITIES_MAX);
    eachRow(o.ready, 3, (id, at) => {
      put(
        this.unit(id).ready,
        index(o.ready[at + 1]),
        o.ready[at + 2] > 0 ? this.now() + o.ready[at + 2] : 0,
        0,
      );
    });
    eachRow(o.running, 4, (id, at) => {
      const until = o.running[at + 2] > 0 ? this.now() + o.running[at + 2] - 1 : 0;
      put(this.unit(id).running, index(o.running[at + 1]), { until, request: o.running[at + 3] }, undefined);
    });
    eachRow(o.grants, 3, (id, at) => {
      put(this.unit(id).grants, index(o.grants[at + 1]), grantName(o.grants[at + 2]), "type" as Grant);
    });
    eachRow(o.passengers, 4, (id, at) => {
      const unit = this.unit(id);
      const [place, type, missing] = o.passengers.slice(at + 1, at + 4);
      const before = place === 0 ? [] : unit.passengers.slice(0, SLOTS_MAX);
      unit.passengers = type > 0 ? [...before, { type: (type - 1) as TypeId, missing }] : before;
    });
    return changes;
  }

  private values(key: OwnValueKey, o: Own): void {
    const list = o[key];
    eachRow(list, 2, (id, at) => {
      this.unit(id)[key] = list[at + 1];
    });
  }

  /** Takes in an attribute and its counter, and returns the changes by unit. */
  private attribute({ value, changes }: (typeof OWN_ATTRIBUTES)[number], o: Own): OwnChange[] {
    const before = new Map<Handle, OwnValues>();
    for (const key of [value, changes])
      eachRow(o[key], 2, (id) => {
        const unit = this.units.get(id);
        if (!before.has(id)) before.set(id, unit ? { ...unit } : NO_OWN_VALUES);
      });
    this.values(value, o);
    this.values(changes, o);
    return [...before].map(([id, was]) => {
      const unit = this.units.get(id) ?? NO_OWN_VALUES;
      const times = (unit[changes] - was[changes] + CHANGES_WRAP) % CHANGES_WRAP;
      return { id, attribute: value, was: was[value], now: unit[value], times };
    });
  }

  private queues(q: readonly number[]): void {
    let id = 0;
    for (let i = 0; i + 1 < q.length; ) {
      id += q[i];
      const n = q[i + 1];
      i += 2;
      const types = q.slice(i, i + n);
      i += n;
      this.queue(id).set(types, n > 0 ? (q[i++] ?? 0) : 0);
    }
  }

  private tasks(t: readonly number[]): void {
    let id = 0;
    let place: Pos | null = null;
    for (let i = 0; i + 1 < t.length; ) {
      id += t[i];
      const unit = this.unit(id);
      unit.doing = doingName(Math.floor(t[i + 1] / PLACES));
      const p = t[i + 1] % PLACES;
      i += 2;
      if (p === TO) place = this.place(t[i++] ?? 0);
      unit.to = p > 0 ? place : null;
    }
  }

  private place(cell: number): Pos {
    return { x: cellX(cell, this.mapWidth), y: cellY(cell, this.mapWidth) };
  }

  private queue(id: Handle): Queue {
    let m = this.production.get(id);
    if (!m) {
      m = new Queue(id, this);
      if (this.production.size < HELD_MAX) this.production.set(id, m);
    }
    return m;
  }

  private unit(id: Handle): OwnUnit {
    let u = this.units.get(id);
    if (!u) {
      u = { ...NO_OWN_VALUES, doing: "idle", to: null, ready: [], running: [], grants: [], passengers: [] };
      if (this.units.size < HELD_MAX) this.units.set(id, u);
    }
    return u;
  }
}

/** Sets a place of a list that may be shorter. */
function put<T>(list: T[], at: number, value: T, empty: T): void {
  while (list.length <= at) list.push(empty);
  list[at] = value;
}

const ABILITIES_MAX = 15;
/** A transport has no more slots. */
const SLOTS_MAX = 31;
/** More than any player can own: bounds the memory that a faulty server can fill. */
const HELD_MAX = 1 << 16;
