// From the welcome's columns to the rules and players that the state holds.

import { WU_PER_TILE } from "../base/ids";
import { TypeClass, type Welcome } from "../gen/fogkeep/v1/server_pb.js";
import type { GameMap } from "../state/map";
import type { MatchInfo, PlayerInfo } from "../state/match";
import { type TypeClass as ClassName, type Rules, type TypeInfo, titleOf } from "../state/rules";

const CLASSES: Record<TypeClass, ClassName> = {
  [TypeClass.UNSPECIFIED]: "unit",
  [TypeClass.UNIT]: "unit",
  [TypeClass.STRUCTURE]: "structure",
  [TypeClass.PROJECTILE]: "projectile",
  [TypeClass.RESOURCE]: "resource",
};

export function rulesOf(w: Welcome): Rules {
  const types: TypeInfo[] = w.types.map((t, id) => {
    const cls = CLASSES[t.class] ?? "unit";
    const placed = cls === "structure" || cls === "resource";
    return {
      id,
      name: t.name,
      title: titleOf(t.name),
      class: cls,
      health: t.health,
      sight: t.sight,
      speed: t.speed,
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
    };
  });
  const targets = ["none", "unit", "ground"] as const;
  return {
    types,
    abilities: w.abilities.map((a, id) => ({
      id,
      name: a.name,
      title: titleOf(a.name),
      kind: a.kind,
      target: targets[a.target] ?? "none",
      range: a.range,
      cooldownTicks: a.cooldownTicks,
      energy: a.energy,
      lasting: a.lasting,
      passive: a.passive,
      radius: a.radius,
    })),
    weapons: w.weapons.map((x) => ({
      name: x.name,
      range: x.range,
      minRange: x.minRange,
      cooldownTicks: x.cooldownTicks,
      damage: x.damage,
      projectile: x.projectile,
    })),
    resources: w.resources.slice(),
    codes: w.codes.slice(),
  };
}

export function infoOf(w: Welcome, map: GameMap): MatchInfo {
  const states = ["playing", "playing", "away", "defeated", "left"] as const;
  return {
    matchId: w.matchId,
    tickMs: 1000 / Math.max(1, w.tickRate),
    dyingSightTicks: w.dyingSightTicks,
    team: w.team,
    slot: w.slot,
    spectator: w.spectator,
    delayMs: (w.delayTicks * 1000) / Math.max(1, w.tickRate),
    players: w.players.map(
      (p, slot): PlayerInfo => ({
        slot,
        name: p.name,
        team: p.team,
        color: p.color,
        bot: p.bot,
        start: p.start - 1,
        state: states[p.state] ?? "playing",
      }),
    ),
    rules: rulesOf(w),
    map,
  };
}
