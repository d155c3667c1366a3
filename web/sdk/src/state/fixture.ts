// A small match for tests, read from a welcome as a real one is.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { TypeClass, TypeInfoSchema, WelcomeSchema } from "../gen/fogkeep/v1/server_pb.js";
import type { MatchInfo } from "./info.js";
import type { AbilityInfo, Rules, TypeInfo } from "./rules.js";
import { infoOf, rulesOf, typeInfoOf } from "./welcome.js";

type WireType = MessageInitShape<typeof TypeInfoSchema>;

function wireType(name: string, more: WireType = {}) {
  const cls = TypeClass.UNIT;
  return create(TypeInfoSchema, {
    name,
    class: cls,
    health: 100,
    sight: 16,
    speed: 9830,
    size: 358,
    ...more,
  });
}

const placed = (cls: TypeClass, size: number) => ({ class: cls, size, sizeY: size, speed: 0 });

export const WELCOME = create(WelcomeSchema, {
  matchId: "m",
  tickRate: 20,
  dyingSightTicks: 3,
  contactTicks: 100,
  players: [0, 1, 0].map((team, slot) => ({ name: `P${slot}`, team, color: slot, start: slot + 1 })),
  types: [
    wireType("soldier", { weapons: [0], abilities: [0, 2, 3], population: 1, cost: [75, 0] }),
    wireType("worker", { worker: true, builds: [3], population: 1, cost: [50, 0] }),
    wireType("barracks", { ...placed(TypeClass.STRUCTURE, 3), trains: [0, 1] }),
    wireType("tower", { ...placed(TypeClass.STRUCTURE, 2), weapons: [0], needs: [2], shield: 60 }),
    wireType("ore", placed(TypeClass.RESOURCE, 1)),
    wireType("shell", { class: TypeClass.PROJECTILE }),
  ],
  abilities: [
    { name: "dash", kind: "sprint" },
    { name: "scan", kind: "scan", sight: 12 },
    { name: "dig in", kind: "deploy" },
    { name: "burn", kind: "burn", radius: 2048, range: 8192, durationTicks: 80 },
  ],
  effects: [
    { name: "fire", kind: "damage", durationTicks: 60 },
    { name: "poison", kind: "damage", durationTicks: 60 },
    { name: "frost", kind: "slow", durationTicks: 60 },
    { name: "ward", kind: "shield", durationTicks: 60 },
  ],
  weapons: [{ name: "rifle", range: 5120, cooldownTicks: 16, damage: 9 }],
  resources: ["ore", "gas"],
  codes: ["OK", "TARGET_LOST"],
});

export const RULES: Rules = rulesOf(WELCOME);

/** A unit type that moves, with some fields of its own. */
export function type(id: number, name: string, more: Partial<TypeInfo> = {}): TypeInfo {
  return { ...typeInfoOf(wireType(name), id), ...more };
}

/** An ability that stays on until it is stopped, with some fields of its own. */
export function ability(id: number, name: string, more: Partial<AbilityInfo> = {}): AbilityInfo {
  return {
    id,
    name,
    kind: "sprint",
    target: "none",
    range: 0,
    cooldownTicks: 0,
    energy: 0,
    spends: null,
    lasting: true,
    passive: false,
    sight: 0,
    radius: 0,
    weapon: 0,
    durationTicks: 0,
    effect: -1,
    friends: false,
    enemies: false,
    needs: [],
    ...more,
  };
}

export function info(width = 32, height = 24): MatchInfo {
  const n = width * height;
  return infoOf(WELCOME, {
    name: "test",
    width,
    height,
    occlusion: 0,
    levels: new Uint8Array(n),
    terrain: new Uint8Array(n),
    pass: new Uint8Array(n).fill(11),
    starts: [{ x: 2, y: 2 }],
    resources: [],
    features: [],
  });
}
