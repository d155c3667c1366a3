// Abilities that entities run, and effects that are on units: instances with a
// state of their own. Few entities have any, so they are kept by handle, apart
// from the world's columns. Only `MatchState.apply` writes.

import type { AbilityId, Handle, Tick } from "../base/ids";
import type { Emitter } from "../base/signal";
import type { AbilityChange, EffectChange, StateEvents } from "./events";
import type { MatchInfo } from "./info";
import { eachRow } from "./rows";
import { typeOf } from "./rules";
import type { World } from "./world";

/** An ability that an entity runs. */
export interface RunningAction {
  /** In the list of its type. */
  readonly index: number;
  readonly ability: AbilityId;
  /** When it began; 0: before the entity came into sight. */
  readonly since: Tick;
}

/** Something that a weapon or an ability left on a unit. */
export interface UnitEffect {
  /** Index into `rules.effects`. */
  readonly kind: number;
  /** When it began or was renewed; 0: before the unit came into sight. */
  readonly since: Tick;
  /** Who did it; 0: not seen. */
  readonly source: Handle;
}

/** The most instances that are read of one entity. No ruleset has more. */
const INSTANCES_MAX = 16;
const NONE: readonly never[] = [];

export class Actions {
  private readonly running = new Map<Handle, RunningAction[]>();
  private readonly effects = new Map<Handle, UnitEffect[]>();

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly events: Emitter<StateEvents>,
  ) {}

  /** The abilities that an entity runs. */
  of(id: Handle): readonly RunningAction[] {
    return this.running.get(id) ?? NONE;
  }

  /** The entity's running ability of a kind: `sprint`. */
  find(id: Handle, kind: string): RunningAction | undefined {
    return this.running.get(id)?.find((a) => this.info.rules.abilities[a.ability]?.kind === kind);
  }

  /** Whether an entity runs the ability with that index in the list of its type. */
  on(id: Handle, index: number): boolean {
    return this.running.get(id)?.some((a) => a.index === index) ?? false;
  }

  /** The effects on a unit. */
  effectsOn(id: Handle): readonly UnitEffect[] {
    return this.effects.get(id) ?? NONE;
  }

  /** Everything that runs an ability, with its instances. */
  [Symbol.iterator](): IterableIterator<[Handle, readonly RunningAction[]]> {
    return this.running.entries();
  }

  /** All units with effects. */
  affected(): IterableIterator<[Handle, readonly UnitEffect[]]> {
    return this.effects.entries();
  }

  /** When an effect ends unless it is renewed; 0 where its begin was not seen. */
  endOf(e: UnitEffect): Tick {
    return e.since === 0 ? 0 : e.since + (this.info.rules.effects[e.kind]?.durationTicks ?? 0);
  }

  clear(): void {
    this.running.clear();
    this.effects.clear();
  }

  /** The entity left. */
  remove(id: Handle): void {
    this.running.delete(id);
    this.effects.delete(id);
  }

  /** Rows of a frame, once the world has its entities. It returns false if a row names something that is not there. */
  apply(actions: readonly number[], effects: readonly number[]): boolean {
    let whole = true;
    const told = new Map<Handle, RunningAction[]>();
    eachRow(actions, 3, (id, at) => {
      const slot = this.world.slot(id);
      if (slot < 0) whole = false;
      const list = listOf(told, id);
      const index = actions[at + 1] - 1;
      const abilities = slot < 0 ? [] : typeOf(this.info.rules, this.world.type[slot]).abilities;
      if (index >= 0 && index < abilities.length && list.length < INSTANCES_MAX)
        list.push({ index, ability: abilities[index], since: this.begun(actions[at + 2]) });
    });
    for (const [id, list] of told) this.setActions(id, list);
    const left = new Map<Handle, UnitEffect[]>();
    eachRow(effects, 4, (id, at) => {
      if (this.world.slot(id) < 0) whole = false;
      const list = listOf(left, id);
      const kind = effects[at + 1] - 1;
      if (kind >= 0 && kind < this.info.rules.effects.length && list.length < INSTANCES_MAX)
        list.push({ kind, since: this.begun(effects[at + 2]), source: effects[at + 3] });
    });
    for (const [id, list] of left) this.setEffects(id, list);
    return whole;
  }

  private begun(when: number): Tick {
    return when === 0 ? 0 : this.world.tick - (when - 1);
  }

  private setActions(id: Handle, list: RunningAction[]): void {
    const slot = this.world.slot(id);
    if (slot < 0) return;
    const was = this.of(id);
    if (list.length > 0) this.running.set(id, list);
    else this.running.delete(id);
    const same = (a: RunningAction) => (b: RunningAction) => a.index === b.index && a.since === b.since;
    if (this.world.enterTick[slot] === this.world.tick) return;
    const change = ({ ability }: RunningAction): AbilityChange => ({
      id,
      slot,
      ability,
      kind: this.info.rules.abilities[ability]?.kind ?? "",
    });
    for (const a of was) if (!list.some(same(a))) this.events.emit("abilityStop", change(a));
    for (const a of list) if (!was.some(same(a))) this.events.emit("abilityStart", change(a));
  }

  private setEffects(id: Handle, list: UnitEffect[]): void {
    const slot = this.world.slot(id);
    if (slot < 0) return;
    const was = this.effectsOn(id);
    if (list.length > 0) this.effects.set(id, list);
    else this.effects.delete(id);
    if (this.world.enterTick[slot] === this.world.tick) return;
    // One that is renewed goes on.
    const has = (of: readonly UnitEffect[], e: UnitEffect): boolean => of.some((x) => x.kind === e.kind);
    const change = (e: UnitEffect): EffectChange => ({ id, slot, effect: e.kind, source: e.source });
    for (const e of was) if (!has(list, e)) this.events.emit("effectStop", change(e));
    for (const e of list) if (!has(was, e)) this.events.emit("effectStart", change(e));
  }
}

function listOf<T>(of: Map<Handle, T[]>, id: Handle): T[] {
  let list = of.get(id);
  if (!list) {
    list = [];
    of.set(id, list);
  }
  return list;
}
