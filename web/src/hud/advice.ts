// The advice of the coach, by the state of the match alone. coach.tsx shows it.

import {
  type Handle,
  idleWorkers,
  type MatchState,
  ownHandles,
  type TypeInfo,
  typeOf,
} from "@fogkeep/client";
import { supplier } from "../input/commands";

export type Advice =
  /** Supply is nearly used up; `type` gives more. */
  | { readonly kind: "supply"; readonly type: TypeInfo; readonly used: number; readonly most: number }
  | { readonly kind: "idle"; readonly count: number }
  /** Much of a resource is unspent; `maker` is a structure that trains no units. */
  | { readonly kind: "unspent"; readonly resource: number; readonly amount: number; readonly maker: Handle };

/** How long a cause lasts before it is advised, in milliseconds of the match. */
const LASTS_MS = { supply: 1000, idle: 6000, unspent: 15_000 } as const;
/** Fewer free places are few. */
const FREE_FEW = 3;
/** So many times the price of what a structure trains is much. */
const PRICES = 4;

/** Remembers since when each cause has lasted. */
export class Adviser {
  private readonly since = new Map<Advice["kind"], number>();

  constructor(private readonly state: MatchState) {}

  /** The most urgent advice at a time of the match; null: none. Called as often as the panels are updated. */
  update(nowMs: number): Advice | null {
    const { state, since } = this;
    let first: Advice | null = null;
    for (const [kind, find] of CAUSES) {
      const advice = find(state);
      if (!advice) since.delete(kind);
      else if (!since.has(kind)) since.set(kind, nowMs);
      else if (nowMs - (since.get(kind) ?? nowMs) >= LASTS_MS[kind]) first ??= advice;
    }
    return first;
  }
}

function supply(state: MatchState): Advice | null {
  const { population, populationMax } = state.own;
  if (populationMax === 0 || populationMax - population >= FREE_FEW) return null;
  const type = supplier(state);
  return type && { kind: "supply", type, used: population, most: populationMax };
}

function idle(state: MatchState): Advice | null {
  const count = idleWorkers(state).length;
  return count > 0 ? { kind: "idle", count } : null;
}

function unspent(state: MatchState): Advice | null {
  const { own, info, world } = state;
  if (own.populationMax > 0 && own.population >= own.populationMax) return null;
  for (const maker of ownHandles(state, (t) => t.class === "structure" && t.trains.length > 0)) {
    if (own.production.get(maker)?.types.length) continue;
    for (const id of typeOf(info.rules, world.type[world.slot(maker)]).trains) {
      const { cost } = typeOf(info.rules, id);
      const resource = cost.findIndex((n) => n > 0);
      if (resource < 0 || !cost.every((n, k) => (own.resources[k] ?? 0) >= PRICES * n)) continue;
      return { kind: "unspent", resource, amount: own.resources[resource], maker };
    }
  }
  return null;
}

/** The most urgent first. */
const CAUSES = [
  ["supply", supply],
  ["idle", idle],
  ["unspent", unspent],
] as const;
