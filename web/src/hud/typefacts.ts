// Facts about a type for a player who wants to buy or fight it, derived from the rules of the welcome: role, price,
// damage, good and bad opponents. This code knows no type by its name.

import type { Rules, TypeId, TypeInfo, WeaponInfo } from "@fogkeep/client";

/** The roles of types. The texts have a sentence for each. */
export type Role =
  | "worker"
  | "scout"
  | "line"
  | "siege"
  | "air"
  | "support"
  | "detector"
  | "ambush"
  | "centre"
  | "production"
  | "defence"
  | "barrier";

export interface TypeFacts {
  readonly role: Role;
  /** Resources that it costs, by kind. */
  readonly cost: readonly { readonly kind: number; readonly amount: number }[];
  readonly buildTicks: number;
  readonly population: number;
  readonly weapon: WeaponInfo | null;
  /** Kinds of armour that its shots are made for, by their index. */
  readonly strong: readonly number[];
  /** Kinds of armour that its shots hurt little or not at all. */
  readonly weak: readonly number[];
  /** Types whose shots are made for its armour. */
  readonly counteredBy: readonly TypeId[];
}

const AIR = 3;
/** Armour is fully hurt by so much of a weapon's damage, percent. */
const PLAIN = 100;

export function typeFacts(rules: Rules, type: TypeInfo): TypeFacts {
  const weapon = firstWeapon(rules, type);
  const { strong, weak } = weapon ? versus(rules, weapon) : { strong: [], weak: [] };
  return {
    role: roleOf(rules, type),
    cost: type.cost.flatMap((amount, kind) => (amount > 0 ? [{ kind, amount }] : [])),
    buildTicks: type.buildTicks,
    population: type.population,
    weapon,
    strong,
    weak,
    counteredBy: rules.types.filter((t) => counters(rules, t, type)).map((t) => t.id),
  };
}

function firstWeapon(rules: Rules, type: TypeInfo): WeaponInfo | null {
  return rules.weapons[type.weapons[0] ?? -1] ?? null;
}

/** A weapon's damage to a type, percent of its full damage; 0 if it cannot hit it. */
export function percentAgainst(weapon: WeaponInfo, type: TypeInfo): number {
  const flies = type.class === "unit" && type.moveKind === AIR;
  if (flies ? !weapon.hitsAir : !weapon.hitsGround) return 0;
  return weapon.versus[type.armour] ?? PLAIN;
}

/** The kinds of armour that types have, with a weapon's highest damage to each. */
function versus(rules: Rules, weapon: WeaponInfo): { strong: number[]; weak: number[] } {
  const most = new Map<number, number>();
  for (const t of rules.types) {
    if (t.class !== "unit" && t.class !== "structure") continue;
    most.set(t.armour, Math.max(most.get(t.armour) ?? 0, percentAgainst(weapon, t)));
  }
  const kinds = [...most.keys()].sort((a, b) => a - b);
  const at = (kind: number) => most.get(kind) ?? 0;
  const best = Math.max(...most.values());
  // A weapon without a bonus is at its best against armour that does not lessen its damage, unless it only differs
  // in types that it cannot hit at all.
  const lessened = kinds.some((k) => at(k) > 0 && at(k) < best);
  return {
    strong: kinds.filter((k) => at(k) > PLAIN || (best === PLAIN && lessened && at(k) === best)),
    weak: kinds.filter((k) => at(k) < PLAIN),
  };
}

/** Whether a type's shots do more to the other than a plain weapon's. */
function counters(rules: Rules, by: TypeInfo, type: TypeInfo): boolean {
  const weapon = firstWeapon(rules, by);
  return weapon !== null && percentAgainst(weapon, type) > PLAIN;
}

function roleOf(rules: Rules, type: TypeInfo): Role {
  const weapon = firstWeapon(rules, type);
  if (type.class === "structure") {
    if (type.centre || type.dropOff) return "centre";
    if (type.trains.length > 0) return "production";
    return weapon ? "defence" : "barrier";
  }
  const abilities = type.abilities.map((a) => rules.abilities[a]).filter((a) => a !== undefined);
  if (type.worker) return "worker";
  if (!weapon) return type.detect > 0 ? "detector" : "support";
  if (type.moveKind === AIR) return "air";
  if (weapon.minRange > 0) return "siege";
  if (abilities.some((a) => a.kind === "cloak")) return "ambush";
  if (type.energy > 0 && abilities.some((a) => a.target !== "none")) return "support";
  const walkers = rules.types.filter((t) => t.class === "unit" && t.moveKind !== AIR);
  return walkers.every((t) => t.speed <= type.speed) ? "scout" : "line";
}

/** Damage of one weapon in a second, against armour that does not lessen it. */
export function damagePerSecond(weapon: WeaponInfo, tickMs: number): number {
  return (weapon.damage * 1000) / (Math.max(1, weapon.cooldownTicks) * tickMs);
}
