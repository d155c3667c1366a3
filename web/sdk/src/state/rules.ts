// The rules as a client needs them: what a welcome says, in a form that the
// HUD, the renderer and the order logic can ask without knowing the wire.

import { create } from "@bufbuild/protobuf";
import { type AbilityId, type TypeId, WU_PER_TILE } from "../base/ids.js";
import {
  TypeClass,
  TypeInfoSchema,
  type Welcome,
  type TypeInfo as WireType,
} from "../gen/fogkeep/v1/server_pb.js";

export type ClassName = "unit" | "structure" | "projectile" | "resource";

export interface TypeInfo {
  readonly id: TypeId;
  /** As the rules name it: `command-centre`. */
  readonly name: string;
  readonly class: ClassName;
  readonly health: number;
  /** 0: it has none. */
  readonly shield: number;
  /** Half tiles. */
  readonly sight: number;
  /** Full speed, 1/64 world unit a tick. */
  readonly speed: number;
  /** How far it turns in a tick, 256ths of a turn. */
  readonly turn: number;
  /** Radius in tiles; for structures half the footprint's side. */
  readonly radius: number;
  /** Longer side of the footprint in tiles; structures and resources only. */
  readonly footprint: number;
  /** Footprint in tiles; 0 for units and projectiles. */
  readonly width: number;
  readonly depth: number;
  /** Structures that are required before it can be made. */
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
  /** Its kind of armour: index into {@link Rules.armours}. */
  readonly armour: number;
  /** Full energy; 0: it has none. */
  readonly energy: number;
  /** Room for so much population. */
  readonly populationGives: number;
  /** Workers bring to it what they carry. */
  readonly dropOff: boolean;
  /** In skirmish a team that has none of these is defeated. */
  readonly centre: boolean;
}

export interface AbilityInfo {
  readonly id: AbilityId;
  readonly name: string;
  /** What it does, independent of its name: `cloak`. */
  readonly kind: string;
  readonly target: "none" | "unit" | "ground";
  /** World units. */
  readonly range: number;
  readonly cooldownTicks: number;
  readonly energy: number;
  /** It stays on until it is stopped. */
  readonly lasting: boolean;
  /** No order starts it. */
  readonly passive: boolean;
  /** Radius that it shows, half tiles. */
  readonly sight: number;
  /** Radius of its effect around the target, world units. */
  readonly radius: number;
  /** While it is on, this weapon is in place of the first: its number and 1. 0: none. */
  readonly weapon: number;
  /** It ends by itself after so long; 0: it does not, or ends as it begins. */
  readonly durationTicks: number;
  /** What it puts on its target: index into the rules' effects, or -1. */
  readonly effect: number;
  /** Whose units it can be aimed at, where it is aimed at one. */
  readonly friends: boolean;
  readonly enemies: boolean;
  /** Structures that the player must have to be granted it. */
  readonly needs: readonly TypeId[];
}

/** Something that a weapon or an ability leaves on a unit for a time. */
export interface EffectInfo {
  readonly name: string;
  readonly kind: "damage" | "shield" | "slow";
  readonly durationTicks: number;
  /** damage: health it takes each time. shield: percent of damage that is taken. slow: percent of speed that is left. */
  readonly strength: number;
}

export interface WeaponInfo {
  readonly name: string;
  /** World units. */
  readonly range: number;
  readonly minRange: number;
  readonly cooldownTicks: number;
  readonly damage: number;
  /** Its shots fly; others hit at once. */
  readonly projectile: boolean;
  /** From aiming to the first shot. */
  readonly windUpTicks: number;
  readonly projectileType: TypeId;
  /** 1/64 world unit a tick. */
  readonly projectileSpeed: number;
  /** The projectile follows its target. */
  readonly homing: boolean;
  /** It can be aimed at a place. */
  readonly atGround: boolean;
  readonly hitsGround: boolean;
  readonly hitsAir: boolean;
  /** Radius of its effect around the hit, world units. */
  readonly splash: number;
  /** Percent of the damage, by kind of armour. */
  readonly versus: readonly number[];
}

export interface Rules {
  readonly types: readonly TypeInfo[];
  readonly abilities: readonly AbilityInfo[];
  readonly effects: readonly EffectInfo[];
  readonly weapons: readonly WeaponInfo[];
  /** Names of the kinds of resources. */
  readonly resources: readonly string[];
  /** Names of the kinds of armour. */
  readonly armours: readonly string[];
  /** Answer codes; 0 is OK. */
  readonly codes: readonly string[];
}

const CLASSES: Record<TypeClass, ClassName> = {
  [TypeClass.UNSPECIFIED]: "unit",
  [TypeClass.UNIT]: "unit",
  [TypeClass.STRUCTURE]: "structure",
  [TypeClass.PROJECTILE]: "projectile",
  [TypeClass.RESOURCE]: "resource",
};

/** Reads the rules of a welcome. */
export function rulesOf(w: Welcome): Rules {
  const targets = ["none", "unit", "ground"] as const;
  return {
    types: w.types.map(typeInfoOf),
    abilities: w.abilities.map((a, id) => ({
      id,
      name: a.name,
      kind: a.kind,
      target: targets[a.target] ?? "none",
      range: a.range,
      cooldownTicks: a.cooldownTicks,
      energy: a.energy,
      lasting: a.lasting,
      passive: a.passive,
      sight: a.sight,
      radius: a.radius,
      weapon: a.weapon,
      durationTicks: a.durationTicks,
      effect: a.effect - 1,
      friends: (a.targets & 1) !== 0,
      enemies: (a.targets & 2) !== 0,
      needs: a.needs.slice(),
    })),
    effects: w.effects.map((e) => ({
      name: e.name,
      kind: e.kind === "shield" || e.kind === "slow" ? e.kind : "damage",
      durationTicks: e.durationTicks,
      strength: e.strength,
    })),
    weapons: w.weapons.map((x) => ({
      name: x.name,
      range: x.range,
      minRange: x.minRange,
      cooldownTicks: x.cooldownTicks,
      damage: x.damage,
      projectile: x.projectile,
      windUpTicks: x.windUpTicks,
      projectileType: x.projectileType,
      projectileSpeed: x.projectileSpeed,
      homing: x.homing,
      atGround: x.atGround,
      hitsGround: x.hitsGround,
      hitsAir: x.hitsAir,
      splash: x.splash,
      versus: x.versus.slice(),
    })),
    resources: w.resources.slice(),
    armours: w.armours.slice(),
    codes: w.codes.slice(),
  };
}

/** Reads one type of a welcome; its number is its place there. */
export function typeInfoOf(t: WireType, id: TypeId): TypeInfo {
  const cls = CLASSES[t.class] ?? "unit";
  const placed = cls === "structure" || cls === "resource";
  return {
    id,
    name: t.name,
    class: cls,
    health: t.health,
    shield: t.shield,
    sight: t.sight,
    speed: t.speed,
    turn: t.turn,
    // A structure's size is its footprint in tiles, a unit's its radius in world units.
    radius: placed ? Math.max(1, t.size, t.sizeY) / 2 : Math.max(0.15, t.size / WU_PER_TILE),
    footprint: placed ? Math.max(1, t.size, t.sizeY) : 0,
    width: placed ? Math.max(1, t.size) : 0,
    depth: placed ? Math.max(1, t.sizeY || t.size) : 0,
    needs: t.needs.slice(),
    moveKind: t.moveKind,
    cost: t.cost.slice(),
    buildTicks: t.buildTicks,
    population: t.population,
    weapons: t.weapons.slice(),
    abilities: t.abilities.slice(),
    trains: t.trains.slice(),
    builds: t.builds.slice(),
    worker: t.worker,
    flyerSight: t.flyerSight,
    levelBonus: t.levelBonus,
    detect: t.detect,
    armour: t.armour,
    energy: t.energy,
    populationGives: t.populationGives,
    dropOff: t.dropOff,
    centre: t.centre,
  };
}

const UNKNOWN: TypeInfo = {
  ...typeInfoOf(create(TypeInfoSchema, { name: "unknown", health: 1 }), 0xffff),
  radius: 0.4,
  footprint: 1,
};

/** The type with that number; an unknown number gives a type for drawing. */
export function typeOf(rules: Rules, id: TypeId): TypeInfo {
  return rules.types[id] ?? UNKNOWN;
}

/** The number of a weapon of a type whose entity runs some abilities; -1: it has none. */
export function weaponIdOf(
  rules: Rules,
  type: TypeId,
  running: readonly { readonly ability: AbilityId }[],
  index: number,
): number {
  if (index === 0) {
    for (const { ability } of running) {
      const { weapon } = rules.abilities[ability] ?? {};
      if (weapon) return weapon - 1;
    }
  }
  return typeOf(rules, type).weapons[index] ?? -1;
}
