// Values of entities that the ruleset declares, such as rage or heat. The welcome lists them
// with their bounds; a value begins at the start of the entity's type, and rows of frames say
// where it differs. Few entities have any, so they are kept by handle.

import type { Handle } from "../base/ids.js";
import type { Emitter } from "../base/signal.js";
import type { StateEvents } from "./events.js";
import type { MatchInfo } from "./info.js";
import { eachRow } from "./rows.js";
import { type Spending, typeOf, type ValueInfo } from "./rules.js";
import type { World } from "./world.js";

/** A declared value of an entity, as this client may know it. */
export interface EntityValue {
  readonly info: ValueInfo;
  readonly now: number;
}

export class DeclaredValues {
  /** By handle, then by the index of the value: how far it is from its start. */
  private readonly held = new Map<Handle, Map<number, number>>();

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly events: Emitter<StateEvents>,
  ) {}

  /**
   * The value of an entity in sight, by its name in the ruleset; undefined if its type has no such value, or if
   * only its owner may know it and it is not this player's.
   */
  get(id: Handle, name: string): number | undefined {
    return this.of(id).find((v) => v.info.name === name)?.now;
  }

  /** All values of an entity that this client may know, in the order of the ruleset. */
  of(id: Handle): readonly EntityValue[] {
    const slot = this.world.slot(id);
    if (slot < 0) return [];
    const { info, world } = this;
    const own = world.owner[slot] === info.slot && !info.spectator;
    const out: EntityValue[] = [];
    for (const { value, start } of typeOf(info.rules, world.type[slot]).values) {
      const about = info.rules.values[value];
      if (about && (own || about.class !== "owner"))
        out.push({ info: about, now: start + (this.held.get(id)?.get(value) ?? 0) });
    }
    return out;
  }

  /** Whether an entity has the points of a value for which an ability starts. */
  covers(id: Handle, price: Spending | null): boolean {
    if (!price) return true;
    const v = this.of(id).find((x) => x.info === this.info.rules.values[price.value]);
    return v !== undefined && v.now - price.amount >= v.info.min;
  }

  clear(): void {
    this.held.clear();
  }

  /** The entity left. */
  remove(id: Handle): void {
    this.held.delete(id);
  }

  /** The entity has another owner: what the former one alone knew is gone. */
  changeOwner(id: Handle): void {
    const held = this.held.get(id);
    for (const value of held?.keys() ?? [])
      if (this.info.rules.values[value]?.class === "owner") held?.delete(value);
  }

  /**
   * @internal Rows of a frame. The player's own part may name units that come with a later frame. It returns false
   * if a row names something that is not there.
   */
  apply(rows: readonly number[], own: boolean): boolean {
    let whole = true;
    eachRow(rows, 3, (id, at) => {
      const slot = this.world.slot(id);
      const about = this.info.rules.values[rows[at + 1]];
      if (!about || (slot < 0 && !own)) {
        whole = false;
        return;
      }
      const was = this.get(id, about.name);
      this.set(id, rows[at + 1], rows[at + 2]);
      const now = this.get(id, about.name);
      if (was === undefined || now === undefined || this.world.enterTick[slot] === this.world.tick) return;
      this.events.emit("value", { id, slot, name: about.name, was, now });
    });
    return whole;
  }

  /** Takes in a difference from the start, in zigzag form. */
  private set(id: Handle, value: number, n: number): void {
    const held = this.held.get(id) ?? new Map<number, number>();
    if (n === 0) held.delete(value);
    else held.set(value, n % 2 === 1 ? -(n + 1) / 2 : n / 2);
    if (held.size === 0) this.held.delete(id);
    else if (this.held.size < HELD_MAX || this.held.has(id)) this.held.set(id, held);
  }
}

/** More than a match has of entities: bounds the memory that a faulty server can fill. */
const HELD_MAX = 1 << 16;
