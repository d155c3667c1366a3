// What only the player itself is told: books, queues, and what own units are
// doing. It comes piecewise, in packed rows stated at Own in
// proto/fogkeep/v1/server.proto.

import type { Handle, Pos, Tick, TypeId } from "../base/ids";
import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import type { Own } from "../gen/fogkeep/v1/server_pb.js";
import { cellX, cellY } from "./course";

export interface ProductionQueue {
  readonly handle: Handle;
  readonly types: readonly TypeId[];
  /** Of the first, 0 to 1, as of the state's tick. */
  readonly progress: number;
  readonly rally: Pos | null;
}

export interface OwnUnitState {
  energy: number;
  doing: OrderKind;
  /** Where its group goes, to a sixteenth of a tile. */
  to: Pos | null;
  /** Tick at which each ability of the type is ready; absent or past: ready. */
  ready: number[];
}

export interface OwnState {
  readonly resources: readonly number[];
  readonly population: number;
  readonly populationMax: number;
  /** Of structures that have a queue or a rally point. */
  readonly production: ReadonlyMap<Handle, ProductionQueue>;
  /** Of units of which there is anything to tell. */
  readonly units: ReadonlyMap<Handle, OwnUnitState>;
}

/** The largest progress that is told. */
const WHOLE = 255;
/** What a row of tasks says of the place, besides the kind. */
const PLACES = 3;
const TO = 1;

class Queue implements ProductionQueue {
  types: TypeId[] = [];
  rally: Pos | null = null;
  private from = 0;
  private since = 0;

  constructor(
    readonly handle: Handle,
    private readonly part: OwnPart,
  ) {}

  tell(types: TypeId[], progress: number): void {
    this.types = types;
    this.from = progress;
    this.since = this.part.now();
  }

  get progress(): number {
    if (this.types.length === 0) return 0;
    const total = Math.max(1, this.part.buildTicks(this.types[0]));
    const made = Math.floor(((this.part.now() - this.since) * WHOLE) / total);
    return Math.min(WHOLE, this.from + made) / WHOLE;
  }
}

/** The fold of the own parts. */
export class OwnPart implements OwnState {
  resources: readonly number[] = [];
  population = 0;
  populationMax = 0;
  readonly production = new Map<Handle, Queue>();
  readonly units = new Map<Handle, OwnUnitState>();

  constructor(
    readonly now: () => Tick,
    readonly buildTicks: (type: TypeId) => number,
    private readonly mapWidth: number,
  ) {}

  /** A snapshot follows. */
  forget(): void {
    this.production.clear();
    this.units.clear();
  }

  /** What has the handle is gone. */
  drop(id: Handle): void {
    this.production.delete(id);
    this.units.delete(id);
  }

  take(o: Own): void {
    if (o.resources.length > 0) this.resources = o.resources.slice();
    if (o.population !== undefined || o.populationMax !== undefined) {
      this.population = o.population ?? 0;
      this.populationMax = o.populationMax ?? 0;
    }
    this.queues(o.queues);
    for (let i = 0, id = 0; i + 1 < o.rallies.length; i += 2) {
      id += o.rallies[i];
      const place = o.rallies[i + 1];
      this.maker(id).rally = place > 0 ? this.place(place - 1) : null;
    }
    this.tasks(o.tasks);
    for (let i = 0, id = 0; i + 1 < o.energy.length; i += 2) {
      id += o.energy[i];
      this.unit(id).energy = o.energy[i + 1];
    }
    for (let i = 0, id = 0; i + 2 < o.ready.length; i += 3) {
      id += o.ready[i];
      const { ready } = this.unit(id);
      // A type has a handful of abilities: what goes beyond is no ability.
      const ability = Math.min(o.ready[i + 1], ABILITIES_MAX);
      while (ready.length <= ability) ready.push(0);
      ready[ability] = o.ready[i + 2] > 0 ? this.now() + o.ready[i + 2] : 0;
    }
  }

  private queues(q: readonly number[]): void {
    let id = 0;
    for (let i = 0; i + 1 < q.length; ) {
      id += q[i];
      const n = q[i + 1];
      i += 2;
      const types = q.slice(i, i + n);
      i += n;
      this.maker(id).tell(types, n > 0 ? (q[i++] ?? 0) : 0);
    }
  }

  private tasks(t: readonly number[]): void {
    let id = 0;
    let place: Pos | null = null;
    for (let i = 0; i + 1 < t.length; ) {
      id += t[i];
      const unit = this.unit(id);
      unit.doing = Math.floor(t[i + 1] / PLACES) as OrderKind;
      const p = t[i + 1] % PLACES;
      i += 2;
      if (p === TO) place = this.place(t[i++] ?? 0);
      unit.to = p > 0 ? place : null;
    }
  }

  private place(cell: number): Pos {
    return { x: cellX(cell, this.mapWidth), y: cellY(cell, this.mapWidth) };
  }

  private maker(id: Handle): Queue {
    let m = this.production.get(id);
    if (!m) {
      m = new Queue(id, this);
      if (this.production.size < HELD_MAX) this.production.set(id, m);
    }
    return m;
  }

  private unit(id: Handle): OwnUnitState {
    let u = this.units.get(id);
    if (!u) {
      u = { energy: 0, doing: OrderKind.UNSPECIFIED, to: null, ready: [] };
      if (this.units.size < HELD_MAX) this.units.set(id, u);
    }
    return u;
  }
}

const ABILITIES_MAX = 15;
/** More than any player can own: a server may tell anything. */
const HELD_MAX = 1 << 16;
