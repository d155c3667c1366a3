// Reads a welcome: the match and its rules, in the form that the
// rest of the client knows.

import { type TypeId, WU_PER_TILE } from "../base/ids.js";
import {
  PlayerState,
  TypeClass,
  type Welcome,
  type TypeInfo as WireType,
} from "../gen/fogkeep/v1/server_pb.js";
import { ATTRIBUTE_NAMES } from "./attributes.js";
import type { MatchInfo, PlayerInfo } from "./info.js";
import type { GameMap } from "./map.js";
import { type ClassName, FEATURES, type Rules, type TypeInfo } from "./rules.js";

export const PLAYER_STATES: Record<PlayerState, PlayerInfo["state"]> = {
  [PlayerState.UNSPECIFIED]: "playing",
  [PlayerState.PLAYING]: "playing",
  [PlayerState.AWAY]: "away",
  [PlayerState.DEFEATED]: "defeated",
  [PlayerState.LEFT]: "left",
  [PlayerState.STAND_IN]: "standIn",
};

/** Reads the players of a welcome. */
export const playersOf = (w: Welcome): PlayerInfo[] =>
  w.players.map((p, slot) => ({
    slot,
    name: p.name,
    team: p.team,
    color: p.color,
    bot: p.bot,
    start: p.start - 1,
    faction: w.factions[p.faction - 1]?.name ?? null,
    handicap:
      p.handicapStart || p.handicapIncome || p.handicapDamage
        ? {
            start: p.handicapStart || 100,
            income: p.handicapIncome || 100,
            damage: p.handicapDamage || 100,
          }
        : null,
    state: PLAYER_STATES[p.state] ?? "playing",
    score: null,
    values: {},
  }));

/** Reads a welcome. Its hash names the map. */
export function infoOf(w: Welcome, map: GameMap): MatchInfo {
  return {
    matchId: w.matchId,
    tickMs: 1000 / Math.max(1, w.tickRate),
    dyingSightTicks: w.dyingSightTicks,
    contactTicks: w.contactTicks,
    lagMaxTicks: w.lagMaxTicks,
    team: w.team,
    slot: w.slot,
    spectator: w.spectator,
    delayMs: (w.delayTicks * 1000) / Math.max(1, w.tickRate),
    mode: w.mode,
    timeLimitTicks: w.timeLimitTicks,
    scoreLimit: w.scoreLimit,
    modeValues: w.modeValues.map(({ name, open }) => ({ name, open })),
    modeAreas: w.modeAreas.map((a) => ({
      name: a.name,
      x: a.x + 0.5,
      y: a.y + 0.5,
      radius: a.radius / WU_PER_TILE,
    })),
    factions: w.factions.map(({ name, text, color }) => ({ name, text, color })),
    players: playersOf(w),
    rules: rulesOf(w),
    rulesHash: w.rulesHash,
    packHash: w.packHash,
    map,
  };
}

const CLASSES: Record<TypeClass, ClassName> = {
  [TypeClass.UNSPECIFIED]: "unit",
  [TypeClass.UNIT]: "unit",
  [TypeClass.STRUCTURE]: "structure",
  [TypeClass.PROJECTILE]: "projectile",
  [TypeClass.RESOURCE]: "resource",
  [TypeClass.UPGRADE]: "upgrade",
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
      spends: a.spends > 0 ? { value: a.spends - 1, amount: a.spendAmount } : null,
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
      kind: e.kind,
      durationTicks: e.durationTicks,
      strength: e.strength,
      changes: e.changes.flatMap((c) => {
        const attribute = ATTRIBUTE_NAMES[c.attribute];
        if (!attribute) return [];
        const { add, percent, capPercent } = c;
        return [{ attribute, add, percent, capPercent, cap: c.cap > 0 ? c.cap - 1 : null }];
      }),
    })),
    weapons: w.weapons.map((x) => ({
      name: x.name,
      range: x.range,
      minRange: x.minRange,
      cooldownTicks: x.cooldownTicks,
      burst: Math.max(1, x.burst),
      burstTicks: x.burstTicks,
      alternate: x.alternate - 1,
      damage: x.damage,
      projectile: x.projectile,
      windUpTicks: x.windUpTicks,
      projectileType: x.projectileType,
      projectileSpeed: x.projectileSpeed,
      homing: x.homing,
      lob: x.lob,
      bounces: x.bounces,
      pierces: x.pierces,
      splits: x.splits,
      steered: x.steered,
      atGround: x.atGround,
      hitsGround: x.hitsGround,
      hitsAir: x.hitsAir,
      splash: x.splash,
      versus: x.versus.slice(),
    })),
    values: w.values.map((v) => ({
      name: v.name,
      min: v.min,
      max: v.max,
      class: v.class === "owner" || v.class === "all" ? v.class : "seeing",
      when: v.when,
    })),
    displays: w.displays.map(({ of, bar, color, icon, loss, gain }) => ({
      of,
      bar,
      color,
      icon,
      loss,
      gain,
    })),
    resources: w.resources.slice(),
    armours: w.armours.slice(),
    signatures: w.signatures.slice(),
    sounds: w.sounds.slice(),
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
    values: t.values.map(({ value, start }) => ({ value, start })),
    feature: FEATURES[t.feature] ?? "none",
    blocksSight: t.blocksSight,
    repairs: t.repairs as TypeId[],
    wreck: t.wreck,
    signature: t.signature - 1,
    radar: t.radar,
    jam: t.jam,
    slots: t.slots,
    carries: t.carries as TypeId[],
    takes: t.takes || 1,
    shore: t.shore,
    breakable: t.breakable,
  };
}
