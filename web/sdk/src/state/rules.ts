// The rules as a client needs them: a welcome's content, in a form that the
// HUD, the renderer and the order logic can ask without knowing the wire.

import type { AbilityId, TypeId } from "../base/ids.js";
import { FLAG } from "../gen/fields.js";
import type { AttributeChange } from "./attributes.js";

export type ClassName = "unit" | "structure" | "projectile" | "resource" | "upgrade";

export interface TypeInfo {
  readonly id: TypeId;
  /** As the rules name it: `command-centre`. */
  readonly name: string;
  readonly class: ClassName;
  readonly health: number;
  /** 0: without one. */
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
  /** Full energy; 0: without energy. */
  readonly energy: number;
  /** Room for so much population. */
  readonly populationGives: number;
  /** Workers bring their loads to it. */
  readonly dropOff: boolean;
  /** In skirmish a team without such a structure is defeated. */
  readonly centre: boolean;
  /** Declared values that it has: index into {@link Rules.values}, and where it starts. */
  readonly values: readonly { readonly value: number; readonly start: number }[];
  /** Its part of the ground, or its use. From `bridge` on, {@link World.amount} is 1 while it is raised, open, full, on, armed or flooded. */
  readonly feature: FeatureKind;
  /** Its tile stands one level higher for lines of sight. */
  readonly blocksSight: boolean;
  /** In which class radar finds it: index into {@link Rules.signatures}; -1: it does not. */
  readonly signature: number;
  /** Radius of its radar, world units; 0: it has none. */
  readonly radar: number;
  /** Radius in which it hides its team from radar, world units. */
  readonly jam: number;
  /** It can be attacked without an owner. */
  readonly breakable: boolean;
  /** Types whose health it restores. */
  readonly repairs: readonly TypeId[];
  /** A resource that destroyed units or structures leave. */
  readonly wreck: boolean;
  /** Of a transport: how many slots it has, and the units that it takes in. */
  readonly slots: number;
  readonly carries: readonly TypeId[];
  /** How many slots of a transport a unit takes. */
  readonly takes: number;
  /** It stands beside water only. */
  readonly shore: boolean;
}

/** A whole number of units and structures that the ruleset declares. */
export interface ValueInfo {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Its receivers: the owner of the entity, the teams that see it, or all teams. */
  readonly class: "owner" | "seeing" | "all";
  /** While it is sent: `change`, `initial`, `acting`, `affected` or `damaged`. */
  readonly when: string;
}

/** How the ruleset shows an attribute of units and structures. Colours are 0xRRGGBB. */
export interface DisplayInfo {
  /** `health`, `shield`, `energy`, or the name of a value. */
  readonly of: string;
  /** When its bar is over the entity: `always`, `marked` (selected, or under the pointer), `setting` (the player's), or ``: it has no bar. */
  readonly bar: string;
  /** Of its bars; 0: the usual one. */
  readonly color: number;
  /** Of its row in the panel of a selected entity; ``: it has no row. */
  readonly icon: string;
  /** Of the numbers that rise as it falls, and as it grows; 0: there are none. */
  readonly loss: number;
  readonly gain: number;
}

/** The kinds of features, in the order of their numbers on the wire. */
export const FEATURES = ["none", "obstacle", "bridge", "gate", "pickup", "switch", "mine", "flood"] as const;
export type FeatureKind = (typeof FEATURES)[number];

/** Whether the amount of an entity of the type is the state of a feature. */
export const hasState = (t: TypeInfo): boolean => t.feature !== "none" && t.feature !== "obstacle";

/** Points of a declared value, which is never below its min. */
export interface Spending {
  /** Index into {@link Rules.values}. */
  readonly value: number;
  readonly amount: number;
}

export interface AbilityInfo {
  readonly id: AbilityId;
  readonly name: string;
  /** Its action, independent of its name: `cloak`. */
  readonly kind: string;
  readonly target: "none" | "unit" | "ground";
  /** World units. */
  readonly range: number;
  readonly cooldownTicks: number;
  readonly energy: number;
  /** The points of a value that its start takes. */
  readonly spends: Spending | null;
  /** It stays on until it is stopped. */
  readonly lasting: boolean;
  /** No order starts it. */
  readonly passive: boolean;
  /** Radius that it shows, half tiles. */
  readonly sight: number;
  /** Radius of its effect around the target, world units. */
  readonly radius: number;
  /** While it is on, this weapon is in place of the first: its number and 1. 0: no such weapon. */
  readonly weapon: number;
  /** It ends by itself after so long; 0: it does not, or ends as it begins. */
  readonly durationTicks: number;
  /** The effect that it puts on its target: index into the rules' effects, or -1. */
  readonly effect: number;
  /** Whose units it can be aimed at, where it is aimed at one. */
  readonly friends: boolean;
  readonly enemies: boolean;
  /** Structures that the player must have to be granted it. */
  readonly needs: readonly TypeId[];
}

/** Something that a weapon or an ability leaves on a unit for a time, or that the rules give to a unit or structure. */
export interface EffectInfo {
  readonly name: string;
  /** Its action: damage, shield, slow, modify, or a kind that the server's program has added. */
  readonly kind: string;
  /** 0: it does not end by itself. */
  readonly durationTicks: number;
  /** Its changes to attributes, where its kind is modify. */
  readonly changes: readonly AttributeChange[];
  /** damage: health it takes each time. shield: percent of damage that is taken. slow: percent of speed that is left. Others: 0. */
  readonly strength: number;
}

export interface WeaponInfo {
  readonly name: string;
  /** World units. */
  readonly range: number;
  readonly minRange: number;
  /** From a shot, or the last shot of a burst, to the next. */
  readonly cooldownTicks: number;
  /** Shots at a time, 1 at least. */
  readonly burst: number;
  /** Between two shots of a burst. */
  readonly burstTicks: number;
  /** The number of its alternate fire, -1: it has none. */
  readonly alternate: number;
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
  /** How high the projectile rises at full range, world units; 0: it flies straight. */
  readonly lob: number;
  /** Times that the projectile goes on to another foe, foes that it hits after the first, projectiles that it splits into. */
  readonly bounces: number;
  readonly pierces: number;
  readonly splits: number;
  /** The projectile follows the attack orders of the unit that fired it. */
  readonly steered: boolean;
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
  /** Values of entities that the ruleset declares. */
  readonly values: readonly ValueInfo[];
  /** Of attributes that are not shown as usual. */
  readonly displays: readonly DisplayInfo[];
  /** Names of the kinds of resources. */
  readonly resources: readonly string[];
  /** Names of the kinds of armour. */
  readonly armours: readonly string[];
  /** Names of the classes of signatures that radar finds. */
  readonly signatures: readonly string[];
  /** Names of the classes of sounds that teams hear. */
  readonly sounds: readonly string[];
  /** Answer codes; 0 is OK. */
  readonly codes: readonly string[];
}

/** For a number that the rules do not have: something to draw. */
const UNKNOWN: TypeInfo = {
  id: 0xffff,
  name: "unknown",
  class: "unit",
  health: 1,
  shield: 0,
  sight: 0,
  speed: 0,
  turn: 0,
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
  armour: 0,
  energy: 0,
  populationGives: 0,
  dropOff: false,
  centre: false,
  values: [],
  feature: "none",
  blocksSight: false,
  signature: -1,
  radar: 0,
  jam: 0,
  breakable: false,
  repairs: [],
  wreck: false,
  slots: 0,
  carries: [],
  takes: 1,
  shore: false,
};

/** The type with that number; an unknown number gives a type for drawing. */
export function typeOf(rules: Rules, id: TypeId): TypeInfo {
  return rules.types[id] ?? UNKNOWN;
}

/** The number of a weapon of a type whose entity has some flags and runs some abilities; -1: no weapon. */
export function weaponIdOf(
  rules: Rules,
  type: TypeId,
  flags: number,
  running: readonly { readonly ability: AbilityId }[],
  index: number,
): number {
  const swap = index === 0 && running.find(({ ability }) => rules.abilities[ability]?.weapon);
  const id = swap ? rules.abilities[swap.ability].weapon - 1 : (typeOf(rules, type).weapons[index] ?? -1);
  const other = (flags & FLAG.alternate) !== 0 ? (rules.weapons[id]?.alternate ?? -1) : -1;
  return other >= 0 ? other : id;
}

/** The time from shot to shot of a weapon that goes on firing: with bursts, in a burst. */
export function periodOf(weapon: WeaponInfo | undefined): number {
  if (!weapon) return 0;
  return weapon.burst > 1 ? weapon.burstTicks : weapon.cooldownTicks;
}
