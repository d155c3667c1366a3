import type { Rules, TypeInfo, WeaponInfo } from "@fogkeep/client";
import { RULES, type } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { damagePerSecond, percentAgainst, typeFacts } from "./typefacts";

const LIGHT = 0;
const HEAVY = 1;
const FLIES = 2;
const WALLS = 3;
const AIR = 3;

const weapon = (more: Partial<WeaponInfo>): WeaponInfo => ({
  ...RULES.weapons[0],
  hitsGround: true,
  hitsAir: true,
  versus: [100, 100, 100, 100],
  ...more,
});

const weapons = [
  weapon({ name: "rifle", versus: [100, 70, 100, 50] }),
  weapon({ name: "howitzer", minRange: 3000, hitsAir: false, versus: [120, 100, 100, 150] }),
  weapon({ name: "bolt" }),
  weapon({ name: "rockets", hitsAir: false, versus: [100, 130, 100, 120] }),
];
const unit = (id: number, name: string, armour: number, arms: number[], more: Partial<TypeInfo> = {}) =>
  type(id, name, { armour, weapons: arms, speed: 100, ...more });
const house = (id: number, name: string, more: Partial<TypeInfo> = {}) =>
  type(id, name, { class: "structure", armour: WALLS, speed: 0, ...more });

const types = [
  unit(0, "soldier", LIGHT, [0]),
  unit(1, "cannon", HEAVY, [1]),
  unit(2, "caster", LIGHT, [2], { energy: 100, abilities: [3] }),
  unit(3, "bomber", FLIES, [3], { moveKind: AIR }),
  unit(4, "runner", LIGHT, [0], { speed: 200 }),
  unit(5, "worker", LIGHT, [0], { worker: true }),
  unit(6, "seer", LIGHT, [], { detect: 9 }),
  house(7, "hall", { centre: true, trains: [5] }),
  house(8, "barracks", { trains: [0] }),
  house(9, "tower", { weapons: [2] }),
  house(10, "wall"),
];
const rules: Rules = {
  ...RULES,
  types,
  weapons,
  armours: ["light", "heavy", "air", "building"],
  displays: [],
  abilities: RULES.abilities.map((a, k) => (k === 3 ? { ...a, target: "ground" } : a)),
};
const of = (id: number) => typeFacts(rules, types[id]);

describe("what a type is strong and weak against", () => {
  it("follows the weapon's percents by armour", () => {
    expect([of(1).strong, of(1).weak], "a bonus").toEqual([[LIGHT, WALLS], [FLIES]]);
    expect([of(0).strong, of(0).weak], "no bonus: what is not lessened").toEqual([
      [LIGHT, FLIES],
      [HEAVY, WALLS],
    ]);
    expect([of(2).strong, of(2).weak], "the same against all").toEqual([[], []]);
    expect([of(6).strong, of(6).weak], "no weapon").toEqual([[], []]);
  });
  it("a weapon that hits all on the ground alike is good against nothing in particular", () => {
    const tool = { ...rules, weapons: [weapon({ name: "tool", hitsAir: false })] };
    expect(typeFacts(tool, unit(0, "digger", LIGHT, [0]))).toMatchObject({ strong: [], weak: [FLIES] });
  });
  it("counts what a weapon cannot hit", () => {
    expect(percentAgainst(weapons[1], types[3])).toBe(0);
    expect(of(3).weak).toContain(FLIES);
  });
  it("names who has a bonus against its armour", () => {
    expect(of(0).counteredBy).toEqual([1]);
    expect(of(1).counteredBy).toEqual([3]);
    expect(of(3).counteredBy, "the bonus is of no use where the weapon cannot hit").toEqual([]);
  });
});

describe("roles", () => {
  it("come from what a type can do", () => {
    expect(types.map((t) => typeFacts(rules, t).role)).toEqual([
      "line",
      "siege",
      "support",
      "air",
      "scout",
      "worker",
      "detector",
      "centre",
      "production",
      "defence",
      "barrier",
    ]);
  });
});

it("damage a second is by the weapon's rate", () => {
  expect(damagePerSecond(weapon({ damage: 9, cooldownTicks: 16 }), 50)).toBeCloseTo(11.25);
});
