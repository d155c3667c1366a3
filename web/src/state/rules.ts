// The rules as a client needs them: what a welcome says, in a form that the
// HUD, the renderer and the order logic can ask without knowing the wire.

import type { AbilityId, TypeId } from "../base/ids";

export type TypeClass = "unit" | "structure" | "projectile" | "resource";

export interface TypeInfo {
  readonly id: TypeId;
  /** As the rules name it: `command-centre`. */
  readonly name: string;
  /** For people: `Command centre`. */
  readonly title: string;
  readonly class: TypeClass;
  readonly health: number;
  /** Half tiles. */
  readonly sight: number;
  /** Full speed, 1/64 world unit a tick. */
  readonly speed: number;
  /** Radius in tiles; for structures half the footprint's side. */
  readonly radius: number;
  /** Longer side of the footprint in tiles; structures and resources only. */
  readonly footprint: number;
  /** Footprint in tiles; 0 for what moves. */
  readonly width: number;
  readonly depth: number;
  /** Structures that have to be there before it is made. */
  readonly needs: readonly TypeId[];
  readonly moveKind: number;
  readonly cost: readonly number[];
  readonly buildTicks: number;
  readonly population: number;
  readonly weapons: readonly number[];
  readonly abilities: readonly AbilityId[];
  readonly trains: readonly TypeId[];
  readonly builds: readonly TypeId[];
  readonly worker: boolean;
  readonly flyerSight: boolean;
  readonly levelBonus: number;
  /** Half tiles. */
  readonly detect: number;
}

export interface AbilityInfo {
  readonly id: AbilityId;
  readonly name: string;
  readonly title: string;
  /** What it does, whatever the rules call it: `cloak`. */
  readonly kind: string;
  readonly target: "none" | "unit" | "ground";
  /** World units. */
  readonly range: number;
  readonly cooldownTicks: number;
  readonly energy: number;
  /** It stays on and can be stopped. */
  readonly lasting: boolean;
  /** No order starts it. */
  readonly passive: boolean;
  /** World units that it works on around its target. */
  readonly radius: number;
}

export interface WeaponInfo {
  readonly name: string;
  /** World units. */
  readonly range: number;
  readonly minRange: number;
  readonly cooldownTicks: number;
  readonly damage: number;
  readonly projectile: boolean;
}

export interface Rules {
  readonly types: readonly TypeInfo[];
  readonly abilities: readonly AbilityInfo[];
  readonly weapons: readonly WeaponInfo[];
  /** Names of the kinds of resources. */
  readonly resources: readonly string[];
  /** Answer codes; 0 is OK. */
  readonly codes: readonly string[];
}

const UNKNOWN: TypeInfo = {
  id: 0xffff,
  name: "unknown",
  title: "Unknown",
  class: "unit",
  health: 1,
  sight: 0,
  speed: 0,
  radius: 0.4,
  footprint: 1,
  width: 0,
  depth: 0,
  needs: [],
  moveKind: 0,
  cost: [],
  buildTicks: 0,
  population: 0,
  weapons: [],
  abilities: [],
  trains: [],
  builds: [],
  worker: false,
  flyerSight: false,
  levelBonus: 0,
  detect: 0,
};

/** The type with that number; one that the rules do not have is drawn as unknown. */
export function typeOf(rules: Rules, id: TypeId): TypeInfo {
  return rules.types[id] ?? UNKNOWN;
}

/** `command-centre` and `command_centre` become `Command centre`. */
export function titleOf(name: string): string {
  const words = name.replace(/[-_]+/g, " ").trim();
  return words ? words[0].toUpperCase() + words.slice(1) : "Unknown";
}
