// A small world for tests.

import type { MatchInfo } from "./match";
import type { Rules, TypeInfo } from "./rules";

export function type(id: number, name: string, more: Partial<TypeInfo> = {}): TypeInfo {
  return {
    id,
    name,
    title: name,
    class: "unit",
    health: 100,
    sight: 16,
    speed: 9830,
    radius: 0.35,
    footprint: 0,
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
    ...more,
  };
}

export const RULES: Rules = {
  types: [
    type(0, "soldier", { weapons: [0], population: 1, cost: [75, 0] }),
    type(1, "worker", { worker: true, builds: [3], population: 1, cost: [50, 0] }),
    type(2, "barracks", {
      class: "structure",
      footprint: 3,
      width: 3,
      depth: 3,
      radius: 1.5,
      speed: 0,
      trains: [0, 1],
    }),
    type(3, "tower", {
      class: "structure",
      footprint: 2,
      width: 2,
      depth: 2,
      radius: 1,
      speed: 0,
      weapons: [0],
      needs: [2],
    }),
    type(4, "ore", { class: "resource", footprint: 1, width: 1, depth: 1, speed: 0 }),
    type(5, "shell", { class: "projectile" }),
  ],
  abilities: [],
  weapons: [{ name: "rifle", range: 5120, minRange: 0, cooldownTicks: 16, damage: 9, projectile: false }],
  resources: ["ore", "gas"],
  codes: ["OK", "TARGET_LOST"],
};

export function info(width = 32, height = 24): MatchInfo {
  const n = width * height;
  const player = (slot: number, team: number) => ({
    slot,
    name: `P${slot}`,
    team,
    color: slot,
    bot: false,
    start: slot,
    state: "playing" as const,
  });
  return {
    matchId: "m",
    tickMs: 50,
    dyingSightTicks: 3,
    team: 0,
    slot: 0,
    spectator: false,
    delayMs: 0,
    players: [player(0, 0), player(1, 1), player(2, 0)],
    rules: RULES,
    map: {
      name: "test",
      width,
      height,
      occlusion: 0,
      levels: new Uint8Array(n),
      terrain: new Uint8Array(n),
      pass: new Uint8Array(n).fill(11),
      starts: [{ x: 2, y: 2 }],
      resources: [],
    },
  };
}
