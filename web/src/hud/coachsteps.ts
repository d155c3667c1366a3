// The first match, step by step: which step the player is at, by the state of the
// match alone, and what to point at. coach.tsx shows it.

import {
  armyUnits,
  doingOf,
  FLAG,
  type Handle,
  idleWorkers,
  type MatchState,
  ownHandles,
  type TypeId,
  type TypeInfo,
  typeOf,
} from "@fogkeep/client";
import { fights } from "../input/orderkinds";
import type { Selection } from "../input/selection";

export const STEPS = ["mine", "train", "build", "scout", "attack"] as const;
export type Step = (typeof STEPS)[number];

/** Which steps were done. A finished step stays finished. */
export class CoachProgress {
  private readonly done = new Set<Step>();
  private resources: readonly number[] | null = null;
  private structures = -1;

  constructor(private readonly state: MatchState) {}

  /** The first step that was not done; null after the last. */
  get step(): Step | null {
    return STEPS.find((s) => !this.done.has(s)) ?? null;
  }

  /** Looks at the state; called as often as the panels are updated. */
  update(): void {
    const { own } = this.state;
    const { resources } = this;
    if (resources?.some((n, kind) => (own.resources[kind] ?? 0) > n)) this.done.add("mine");
    this.resources = own.resources;
    for (const q of own.production.values()) if (q.types.length > 0) this.done.add("train");
    const structures = ownHandles(this.state, (t) => t.class === "structure").length;
    if (this.structures < 0 && structures > 0) this.structures = structures;
    if (this.structures >= 0 && structures > this.structures) this.done.add("build");
    if (foundEnemy(this.state)) this.done.add("scout");
    if (armyUnits(this.state).some((h) => fights(doingOf(this.state, h)))) this.done.add("attack");
  }
}

/** So far from all that the player has built, in tiles, an enemy did not come to be seen. */
const AWAY_TILES = 24;

/**
 * Whether the player has found an enemy: an enemy structure, or a unit far from the
 * player's own structures. A scout that comes to the player's base is no find.
 */
function foundEnemy(state: MatchState): boolean {
  for (const g of state.ghosts.values()) if (state.relationOf(g.owner) === "enemy") return true;
  const { world } = state;
  const homes = ownHandles(state, (t) => t.class === "structure").map((h) => world.slot(h));
  for (let s = 0; s < world.high; s++) {
    if (world.ids[s] === 0 || state.relation(s) !== "enemy") continue;
    if (typeOf(state.info.rules, world.type[s]).class === "structure") return true;
    const far = (home: number) =>
      Math.hypot(world.posX(s) - world.posX(home), world.posY(s) - world.posY(home)) > AWAY_TILES * 1024;
    if (homes.every(far)) return true;
  }
  return false;
}

/** The subjects of a step: the types that its sentence names. */
export interface CoachTypes {
  readonly maker: TypeInfo | null;
  /** The maker's first product: a worker, if it can. */
  readonly unit: TypeInfo | null;
  readonly worker: TypeInfo | null;
  readonly building: TypeInfo | null;
  readonly scout: TypeInfo | null;
}

export function coachTypes(state: MatchState): CoachTypes {
  const { rules } = state.info;
  const own = ownHandles(state).map((h) => typeOf(rules, state.world.type[state.world.slot(h)]));
  const makers = own.filter((t) => t.trains.length > 0);
  const maker = makers.find((t) => t.centre) ?? makers[0] ?? null;
  const makes = maker?.trains.map((id) => typeOf(rules, id)) ?? [];
  const worker = own.find((t) => t.builds.length > 0) ?? null;
  const has = (id: TypeId) => own.some((t) => t.id === id);
  const may = (worker?.builds ?? [])
    .map((id) => typeOf(rules, id))
    .filter((t) => t.needs.every((need) => has(need)));
  const runners = own.filter((t) => t.class === "unit" && !t.worker);
  return {
    maker,
    unit: makes.find((t) => t.worker) ?? makes[0] ?? null,
    worker,
    building: may.find((t) => t.trains.length > 0 && !has(t.id)) ?? may[0] ?? null,
    scout: runners.reduce<TypeInfo | null>((a, t) => (a && a.speed >= t.speed ? a : t), null),
  };
}

/** The target of the ring: a control of the page by its selector, or an own entity. */
export type Pointer = { readonly control: string } | { readonly entity: Handle } | null;

/** `menuOpen` and `waits` are of the command card: its build menu, and whether a command waits for a click. */
export function coachPointer(
  state: MatchState,
  selection: Selection,
  step: Step,
  menuOpen: boolean,
  waits: boolean,
): Pointer {
  const { rules } = state.info;
  const { maker, unit, worker, building, scout } = coachTypes(state);
  const active = selection.active();
  const type = active ? typeOf(rules, active.type) : null;
  const entity = (wanted: TypeInfo | null): Pointer => {
    const h = wanted
      ? ownHandles(state, (t) => t.id === wanted.id).find((x) => finished(state, x))
      : undefined;
    return h === undefined ? null : { entity: h };
  };
  switch (step) {
    case "mine":
      return { control: idleWorkers(state).length > 0 ? ".idle-worker" : ".resources" };
    case "train":
      if (!type || !unit || !type.trains.includes(unit.id)) return entity(maker);
      return { control: `[data-command="make-${unit.id}"]` };
    case "build":
      if (waits) return null;
      if (!type || type.builds.length === 0) return entity(worker);
      return {
        control: menuOpen && building ? `[data-command="make-${building.id}"]` : '[data-command="build"]',
      };
    case "scout":
      if (type?.class !== "unit" || type.worker) return entity(scout);
      return { control: ".minimap-canvas" };
    case "attack":
      if (waits) return null;
      if (type?.class !== "unit" || type.worker || type.weapons.length === 0) return { control: ".army" };
      return { control: '[data-command="attack"]' };
  }
}

function finished(state: MatchState, h: Handle): boolean {
  return (state.world.flags[state.world.slot(h)] & FLAG.building) === 0;
}
