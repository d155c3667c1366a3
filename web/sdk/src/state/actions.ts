// Abilities that entities run, and effects that are on units: instances with a
// state of their own. Few entities have any, so they are kept by handle, apart
// from the world's columns.
//
//	give(order) ──► guesses ──┐
//	                          ├──► shown ones ──►  abilityStart, abilityStop
//	rows of a frame ──► told ─┘
//
// The start of an own ability that needs no aim shows at once, and so does a stop.
// The request identifies the server's row of this start: the number that the order gave
// the start: a start that shows already does not start again, also if it was
// stopped before the word came. A start without a picture, since it is aimed or over at once, is kept too: its
// cooldown shows at once.

import type { AbilityId, Handle, Tick } from "../base/ids.js";
import type { Emitter } from "../base/signal.js";
import { OrderKind, type Order as WireOrder } from "../gen/fogkeep/v1/client_pb.js";
import { type AttributeName, attributeOf } from "./attributes.js";
import { allows } from "./doing.js";
import type { AbilityChange, EffectChange, StateEvents } from "./events.js";
import type { MatchInfo } from "./info.js";
import type { OwnerState } from "./ownerstate.js";
import { type Autonomous, autonomous, PredictedStates, predicts } from "./roles.js";
import { eachRow } from "./rows.js";
import { typeOf } from "./rules.js";
import type { DeclaredValues } from "./values.js";
import type { World } from "./world.js";

/** An ability that an entity runs, as it is shown. */
export interface RunningAction {
  /** In the list of its type. */
  readonly index: number;
  readonly ability: AbilityId;
  /** When it began; 0: before the entity came into sight. */
  readonly since: Tick;
  /** The number that an order of this client gave the start; 0 without one. */
  readonly request: number;
}

/** Something that a weapon or an ability left on a unit. */
export interface UnitEffect {
  /** Index into `rules.effects`. */
  readonly kind: number;
  /** When it began or was renewed; 0: before the unit came into sight. */
  readonly since: Tick;
  /** The source; 0: not seen. */
  readonly source: Handle;
}

/** An own ability that was started by an order, until the server's word settles it. */
interface Guess {
  readonly index: number;
  readonly ability: AbilityId;
  /** Whether it shows as running. An ability that is aimed or over at once does not. */
  readonly shows: boolean;
  readonly request: number;
  readonly since: Tick;
  /** Number of the order; and of the order that stopped it, 0 without one. */
  readonly seq: number;
  stopSeq: number;
  /** Ticks at which these were accepted; -1: not yet. */
  answered: Tick;
  stopAnswered: Tick;
  /** A frame told that it runs. */
  told: boolean;
}

/** The most instances that are read of one entity. No ruleset has more. */
const INSTANCES_MAX = 16;
/** The most guesses that are kept of one unit; the oldest are dropped. */
const GUESSES_MAX = 8;
/** So many ticks after the answer to an order, its start or stop was told, or will never be. */
const TOLD_WITHIN = 5;
const NONE: readonly never[] = [];

export class Actions {
  /** The fields of the protocol that it shows a guess of. */
  static readonly FIELDS = predicts("ready");
  private readonly told = new Map<Handle, RunningAction[]>();
  private readonly shown = new Map<Handle, RunningAction[]>();
  private readonly effects = new Map<Handle, UnitEffect[]>();
  private readonly guesses = new PredictedStates<Guess[]>();
  /** The frame has rows about these. */
  private readonly changed = new Set<Handle>();

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly own: OwnerState,
    private readonly values: DeclaredValues,
    private readonly events: Emitter<StateEvents>,
  ) {}

  /** The abilities that an entity runs. */
  of(id: Handle): readonly RunningAction[] {
    // While a frame is applied: its rows about the entity, before listeners are called.
    return this.changed.has(id) ? this.list(id) : (this.shown.get(id) ?? NONE);
  }

  /** The abilities that an entity runs by the server's word alone. */
  confirmed(id: Handle): readonly RunningAction[] {
    return this.told.get(id) ?? NONE;
  }

  /** The entity's running ability of a kind: `sprint`. */
  find(id: Handle, kind: string): RunningAction | undefined {
    return this.of(id).find((a) => this.info.rules.abilities[a.ability]?.kind === kind);
  }

  /** Whether an entity runs the ability with that index in the list of its type. */
  on(id: Handle, index: number): boolean {
    return this.of(id).some((a) => a.index === index);
  }

  /**
   * The tick from which an own unit can start an ability of its type's list again. The
   * cooldown begins as the ability ends: while it runs, as if it ended now.
   */
  readyAt(id: Handle, index: number): Tick {
    const told = this.own.units.get(id)?.ready[index] ?? 0;
    const guesses = (this.guesses.get(id) ?? NONE).filter((g) => g.index === index);
    const running = this.on(id, index) || guesses.some((g) => !g.shows);
    if (!running && guesses.length === 0) return told;
    const slot = this.world.slot(id);
    const what = slot < 0 ? -1 : typeOf(this.info.rules, this.world.type[slot]).abilities[index];
    const cooldown = this.info.rules.abilities[what]?.cooldownTicks ?? 0;
    return Math.max(told, this.world.tick + (running ? Math.max(1, cooldown) : cooldown));
  }

  /** Whether an own unit can start an ability of its type's list now, as far as the client knows. */
  canStart(id: Handle, index: number): boolean {
    const slot = this.world.slot(id);
    const what = slot < 0 ? -1 : typeOf(this.info.rules, this.world.type[slot]).abilities[index];
    const ability = this.info.rules.abilities[what];
    const own = this.own.units.get(id);
    return (
      ability !== undefined &&
      this.readyAt(id, index) <= this.world.tick &&
      (own?.energy ?? 0) >= ability.energy &&
      this.values.covers(id, ability.spends) &&
      allows(own?.grants[index])
    );
  }

  /** The effects on a unit. */
  effectsOn(id: Handle): readonly UnitEffect[] {
    return this.effects.get(id) ?? NONE;
  }

  /** Everything that runs an ability, with its instances. */
  [Symbol.iterator](): IterableIterator<[Handle, readonly RunningAction[]]> {
    return this.shown.entries();
  }

  /** The value of an attribute of an entity: a base, which its type or its weapon has, as the effects on it change it. */
  attribute(id: Handle, of: AttributeName, base: number): number {
    const on = this.effects.get(id);
    return on ? attributeOf(this.info.rules.effects, on, of, base) : base;
  }

  /** All units with effects. */
  affected(): IterableIterator<[Handle, readonly UnitEffect[]]> {
    return this.effects.entries();
  }

  /** When an effect ends unless it is renewed; 0 where its begin was not seen, or where it does not end by itself. */
  endOf(e: UnitEffect): Tick {
    const ticks = this.info.rules.effects[e.kind]?.durationTicks ?? 0;
    return e.since === 0 || ticks === 0 ? 0 : e.since + ticks;
  }

  clear(): void {
    this.told.clear();
    this.shown.clear();
    this.effects.clear();
    this.guesses.clear();
    this.changed.clear();
  }

  /** The entity left. */
  remove(id: Handle): void {
    this.told.delete(id);
    this.shown.delete(id);
    this.effects.delete(id);
    this.guesses.delete(id);
  }

  /**
   * @internal An order was sent: its starts and stops show at once. The first of its units
   * has the number `request`, the next one more. It returns whether any start shows.
   */
  give(order: WireOrder, request: number): boolean {
    if (order.queued) return false;
    let any = false;
    order.units.forEach((h, i) => {
      const id = autonomous(this.info, this.world, h);
      if (id === null) return;
      if (order.kind === OrderKind.ABILITY) any = this.start(id, order, request + i) || any;
      else if (order.kind === OrderKind.STOP_ABILITY) this.stop(id, order);
    });
    return any;
  }

  /** The server answered an order. Units that were left out do not follow it. */
  answered(seq: number, ok: boolean, leftOut: readonly { unit: Handle }[]): void {
    for (const [id, list] of this.guesses) {
      if (!list.some((g) => g.seq === seq || g.stopSeq === seq)) continue;
      const follows = ok && !leftOut.some((l) => l.unit === id);
      for (const g of list) {
        if (g.stopSeq === seq) {
          if (follows) g.stopAnswered = this.world.tick;
          else g.stopSeq = 0;
        }
        if (g.seq === seq && follows) g.answered = this.world.tick;
      }
      this.keep(id, follows ? list : list.filter((g) => g.seq !== seq));
    }
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
        list.push({ index, ability: abilities[index], since: this.begun(actions[at + 2]), request: 0 });
    });
    for (const [id, list] of told) {
      if (this.world.slot(id) < 0) continue;
      set(this.told, id, list);
      this.changed.add(id);
    }
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

  /** The frame is applied, with the player's own part: tells what started and stopped. */
  settle(): void {
    for (const [id, list] of this.guesses) {
      const left = autonomous(this.info, this.world, id) === null ? [] : list.filter((g) => this.open(id, g));
      this.keep(id, left, this.entered(id));
    }
    for (const id of this.changed) {
      this.changed.delete(id);
      this.show(id, this.entered(id));
    }
  }

  /** Whether an entity came into sight with the last frame: its abilities began before then. */
  private entered(id: Handle): boolean {
    const slot = this.world.slot(id);
    return slot >= 0 && this.world.enterTick[slot] === this.world.tick;
  }

  private begun(when: number): Tick {
    return when === 0 ? 0 : this.world.tick - (when - 1);
  }

  /** Shows the start of an own ability, if the server will take it as far as the client knows. */
  private start(id: Autonomous, order: WireOrder, request: number): boolean {
    const a = this.info.rules.abilities[order.what];
    const index = typeOf(this.info.rules, this.world.type[this.world.slot(id)]).abilities.indexOf(order.what);
    if (!a || a.passive || !this.canStart(id, index)) return false;
    const shows = a.target === "none" && (a.lasting || a.durationTicks > 0);
    const guess = { index, ability: a.id, shows, request, since: this.world.tick, seq: order.seq };
    this.add(id, { ...guess, stopSeq: 0, answered: -1, stopAnswered: -1, told: false });
    return shows;
  }

  /** Shows the stop of an own ability. */
  private stop(id: Autonomous, order: WireOrder): void {
    const a = this.of(id).find((x) => x.ability === order.what);
    if (!a || !this.info.rules.abilities[a.ability]?.lasting) return;
    const guess = this.guesses.get(id)?.find((g) => g.index === a.index && g.request === a.request);
    if (guess) guess.stopSeq = order.seq;
    else
      this.add(id, {
        ...a,
        shows: true,
        seq: 0,
        stopSeq: order.seq,
        answered: 0,
        stopAnswered: -1,
        told: true,
      });
    this.show(id);
  }

  private add(id: Autonomous, guess: Guess): void {
    const list = this.guesses.get(id) ?? [];
    list.push(guess);
    if (list.length > GUESSES_MAX) list.shift();
    this.guesses.set(id, list);
    this.show(id);
  }

  private keep(id: Handle, list: Guess[], entered = false): void {
    const own = autonomous(this.info, this.world, id);
    if (own === null || list.length === 0) this.guesses.delete(id);
    else this.guesses.set(own, list);
    this.show(id, entered);
  }

  /** Whether a guess is still to be settled, now that a frame was applied. */
  private open(id: Handle, g: Guess): boolean {
    const { tick } = this.world;
    if (this.toldOf(id).some((a) => a.index === g.index && a.request === g.request)) {
      g.told = true;
      if (g.stopSeq !== 0 && g.stopAnswered >= 0 && tick - g.stopAnswered > TOLD_WITHIN) g.stopSeq = 0;
      return g.stopSeq !== 0; // as told, unless it was stopped
    }
    return !g.told && (g.answered < 0 || tick - g.answered <= TOLD_WITHIN);
  }

  /** The abilities that an entity runs by the server's rows; own starts with their numbers. */
  private toldOf(id: Handle): readonly RunningAction[] {
    const list = this.told.get(id);
    if (!list) return NONE;
    const running = this.own.units.get(id)?.running;
    return running ? list.map((a) => ({ ...a, request: running[a.index]?.request ?? 0 })) : list;
  }

  /** The shown abilities of an entity: the server's, or guesses in their place. */
  private list(id: Handle): RunningAction[] {
    const guesses = (this.guesses.get(id) ?? NONE).filter((g) => g.shows);
    const list = this.toldOf(id).filter((a) => !guesses.some((g) => g.index === a.index));
    for (const [i, g] of guesses.entries()) {
      // Of one ability the last guess counts.
      if (guesses.some((later, k) => k > i && later.index === g.index)) continue;
      if (g.stopSeq === 0)
        list.push({ index: g.index, ability: g.ability, since: g.since, request: g.request });
    }
    return list;
  }

  /** Shows an entity as it is now, and tells what started and stopped, unless it has just come into sight. */
  private show(id: Handle, entered = false): void {
    const slot = this.world.slot(id);
    if (slot < 0) return;
    const list = this.list(id);
    const was = this.shown.get(id) ?? NONE;
    set(this.shown, id, list);
    if (entered) return;
    const same = (a: RunningAction) => (b: RunningAction) =>
      a.index === b.index && (a.request !== 0 ? a.request === b.request : a.since === b.since);
    const change = ({ ability }: RunningAction): AbilityChange => ({
      id,
      slot,
      ability,
      kind: this.info.rules.abilities[ability]?.kind ?? "",
    });
    for (const a of was) if (!list.some(same(a))) this.events.emit("abilityStop", change(a));
    for (const a of list) if (!was.some(same(a))) this.events.emit("abilityStart", change(a));
  }

  /** Takes the most health and shield that an entity can have from its type and its effects. */
  private fit(id: Handle, slot: number): void {
    const { world } = this;
    const type = typeOf(this.info.rules, world.type[slot]);
    world.hpMax[slot] = Math.max(1, this.attribute(id, "health", type.health));
    world.shieldMax[slot] = this.attribute(id, "shield", type.shield);
  }

  private setEffects(id: Handle, list: UnitEffect[]): void {
    const slot = this.world.slot(id);
    if (slot < 0) return;
    const was = this.effectsOn(id);
    set(this.effects, id, list);
    this.fit(id, slot);
    if (this.world.enterTick[slot] === this.world.tick) return;
    // A renewed one goes on.
    const has = (of: readonly UnitEffect[], e: UnitEffect): boolean => of.some((x) => x.kind === e.kind);
    const change = (e: UnitEffect): EffectChange => ({ id, slot, effect: e.kind, source: e.source });
    for (const e of was) if (!has(list, e)) this.events.emit("effectStop", change(e));
    for (const e of list) if (!has(was, e)) this.events.emit("effectStart", change(e));
  }
}

function set<T>(of: Map<Handle, T[]>, id: Handle, list: T[]): void {
  if (list.length > 0) of.set(id, list);
  else of.delete(id);
}

function listOf<T>(of: Map<Handle, T[]>, id: Handle): T[] {
  let list = of.get(id);
  if (!list) {
    list = [];
    of.set(id, list);
  }
  return list;
}
