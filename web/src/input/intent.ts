// From a click to orders: for a right click, and for each command that waits for
// a target. Pure: it reads the state and returns orders.

import {
  type AbilityId,
  type AbilityInfo,
  FLAG,
  type GameMap,
  GROUP_ORDERS,
  type GroupOrder,
  type Handle,
  hasState,
  type MatchState,
  type Order,
  PASS_GROUND,
  PASS_NAVAL,
  type Pos,
  type TypeId,
  tileOf,
  typeOf,
} from "@fogkeep/client";
import { type Clicked, fights, ORDERS, waitsFor } from "./orderkinds";

/** The target of a click: a place, and the entity or ghost there. */
export interface Target {
  /** World units. */
  readonly at: Pos;
  /** 0: bare ground. */
  readonly handle: Handle;
  /** The handle is a ghost's. */
  readonly ghost?: boolean;
}

/** A command that waits for a click on its target. */
export type Mode =
  | { kind: Clicked<"point" | "target"> | "attackMove" | "rally" | "unload" | "ping" }
  | { kind: "ability"; what: number }
  | { kind: "build"; what: number };

/** The orders of a right click, by the selection and the entity under the mouse. */
export function rightClickOrders(
  state: MatchState,
  units: readonly Handle[],
  target: Target,
  queued: boolean,
  force = false,
): Order[] {
  const { mobile, producers, harvesters, armed, repairers } = classify(state, units);
  const { handle } = target;
  const to = clampToMap(state, target.at);
  const slot = target.ghost ? -1 : state.world.slot(handle);
  const ghost = target.ghost ? state.ghosts.get(handle) : undefined;
  const move = (units: readonly Handle[]): Order => ({ do: "move", units, to, queued });
  const moveOthers = (able: readonly Handle[]) => move(mobile.filter((h) => !able.includes(h)));

  if (producers.length > 0 && mobile.length === 0)
    return [{ do: "rally", units: producers, to, target: slot >= 0 ? handle : undefined }];
  if (ghost && !force && isFeature(state, ghost.type, ghost.owner)) return withUnits(move(mobile));
  if (target.ghost || force)
    return withUnits({ do: "attackGround", units: armed, to, queued }, moveOthers(armed));
  if (slot < 0) return withUnits(move(mobile));
  if (state.relation(slot) === "enemy")
    return withUnits({ do: "attack", units: armed, target: handle, queued }, moveOthers(armed));
  const type = typeOf(state.info.rules, state.world.type[slot]);
  if (type.class === "resource")
    return withUnits({ do: "harvest", units: harvesters, target: handle, queued }, moveOthers(harvesters));
  const menders = repairers.filter((h) => h !== handle && mends(state, h, slot));
  if (menders.length > 0)
    return withUnits(
      { do: "repair", units: menders, target: handle, queued },
      moveOthers([...menders, handle]),
    );
  const boarders = mobile.filter((h) => h !== handle && takesIn(state, slot, h));
  if (boarders.length > 0 && state.relation(slot) === "own")
    return withUnits(
      { do: "board", units: boarders, target: handle, queued },
      moveOthers([...boarders, handle]),
    );
  const followers = mobile.filter((h) => h !== handle);
  if (followers.length === 0) return [];
  if (type.class === "structure" && (!hasState(type) || state.world.flags[slot] & FLAG.building))
    return [{ do: "move", units: followers, to: beside(state, slot, followers), queued }];
  if (type.class === "unit") return [{ do: "follow", units: followers, target: handle, queued }];
  return [move(followers)];
}

/** The orders of a click while a command waits. */
export function targetOrders(
  state: MatchState,
  mode: Mode,
  units: readonly Handle[],
  target: Target,
  queued: boolean,
): Order[] {
  const able = classify(state, units);
  const { mobile, producers, armed } = able;
  const { handle } = target;
  const to = clampToMap(state, target.at);
  const slot = target.ghost ? -1 : state.world.slot(handle);
  switch (mode.kind) {
    case "attackMove":
      if (armed.length > 0 && slot >= 0 && state.relation(slot) !== "own" && !isUnbreakable(state, slot))
        return [{ do: "attack", units: armed, target: handle, queued }];
      if (armed.length > 0 && target.ghost) return [{ do: "attackGround", units: armed, to, queued }];
      return withUnits({ do: "attackMove", units: mobile, to, queued });
    case "rally":
      return withUnits({ do: "rally", units: producers, to, target: slot >= 0 ? handle : undefined });
    case "build":
      // One builder is enough: the nearest.
      if (units.length === 0) return [];
      return [{ do: "build", units: [nearest(state, units, to)], what: mode.what, to, queued }];
    case "ability": {
      const { what } = mode;
      const ability = state.info.rules.abilities[what];
      if (ability?.target !== "unit") return [{ do: "ability", units, what, to, queued }];
      if (slot < 0 || !abilityAims(state, ability, slot)) return [];
      // One is enough, as effects of one kind do not add up: the nearest that is ready.
      const ready = units.filter((h) => abilityReady(state, h, what));
      if (units.length === 0) return [];
      const by = nearest(state, ready.length > 0 ? ready : units, to);
      return [{ do: "ability", units: [by], what, target: handle, queued }];
    }
    case "unload":
      return withUnits({ do: "unload", units: able.transports, what: 0, to, queued });
    case "ping":
      return [];
    default: {
      const { kind } = mode;
      const units = able[ORDERS[kind].button?.of ?? "mobile"];
      if (waitsFor(kind, "point")) return withUnits({ do: kind, units, to, queued });
      return slot < 0 ? [] : withUnits({ do: kind, units, target: handle, queued });
    }
  }
}

/** Whether a type and an owner are those of a feature of the map. */
function isFeature(state: MatchState, type: TypeId, owner: number): boolean {
  return typeOf(state.info.rules, type).feature !== "none" && state.relationOf(owner) === "neutral";
}

/** Whether the entity in a row is a feature of the map that no weapon harms. */
function isUnbreakable(state: MatchState, slot: number): boolean {
  const { type, owner } = state.world;
  return isFeature(state, type[slot], owner[slot]) && !typeOf(state.info.rules, type[slot]).breakable;
}

/** Whether an ability can be aimed at the entity in a row of the world. */
export function abilityAims(state: MatchState, ability: AbilityInfo, slot: number): boolean {
  if (typeOf(state.info.rules, state.world.type[slot]).class !== "unit") return false;
  const relation = state.relation(slot);
  return relation === "enemy" ? ability.enemies : relation !== "neutral" && ability.friends;
}

/** Whether a unit repairs the entity in a row of the world, which lacks health. */
function mends(state: MatchState, unit: Handle, slot: number): boolean {
  const { world, info } = state;
  const skill = typeOf(info.rules, world.type[world.slot(unit)]).repairs;
  const damaged = world.hp(slot) < world.hpMax[slot] && !(world.flags[slot] & FLAG.building);
  return damaged && skill.includes(world.type[slot] as TypeId);
}

/** Whether the transport in a row of the world takes a unit in, as far as room goes. */
function takesIn(state: MatchState, slot: number, unit: Handle): boolean {
  const { world, info } = state;
  const type = (id: TypeId) => typeOf(info.rules, id);
  const of = type(world.type[slot]);
  const what = world.type[world.slot(unit)] as TypeId;
  if (!of.carries.includes(what)) return false;
  const taken = (state.own.units.get(world.ids[slot])?.passengers ?? []).map((p) => type(p.type).takes);
  return taken.reduce((sum, n) => sum + n, type(what).takes) <= of.slots;
}

/** Whether an own unit can use an ability now, as far as the client knows. */
function abilityReady(state: MatchState, unit: Handle, what: AbilityId): boolean {
  const slot = state.world.slot(unit);
  if (slot < 0) return false;
  const k = typeOf(state.info.rules, state.world.type[slot]).abilities.indexOf(what);
  return state.actions.canStart(unit, k);
}

/** The orders that name a unit. */
function withUnits(...orders: Order[]): Order[] {
  return orders.filter((o) => o.units.length > 0);
}

/** The last entry, of a type or of any, in the longest queue of some structures. */
export function lastQueued(
  production: ReadonlyMap<Handle, { readonly types: readonly TypeId[] }>,
  units: readonly Handle[],
  type?: TypeId,
): { unit: Handle; at: number } | null {
  let best: { unit: Handle; at: number } | null = null;
  for (const unit of units) {
    const types = production.get(unit)?.types ?? [];
    const at = type === undefined ? types.length - 1 : types.lastIndexOf(type);
    if (at > (best?.at ?? -1)) best = { unit, at };
  }
  return best;
}

/** The most orders of a line, which the server takes at once ("order_burst" in docs/reference/rules.md). */
const LINE_PLACES_MAX = 40;

/** A place on a line, and who takes it. */
export interface LinePlace {
  readonly units: Handle[];
  readonly at: Pos;
}

/** The order of a line while a command waits; null when the command takes no line. */
export function lineOrder(mode: Mode | null): GroupOrder | null {
  return mode && GROUP_ORDERS.has(mode.kind) ? (mode.kind as GroupOrder) : null;
}

/**
 * Places along a line for all units that can move, in the units' order along it.
 * Each has its own; of more units than places, neighbours share one.
 */
export function placesOnLine(state: MatchState, units: readonly Handle[], from: Pos, to: Pos): LinePlace[] {
  const { mobile } = classify(state, units);
  const { world } = state;
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const along = (h: Handle) => {
    const s = world.slot(h);
    return world.posX(s) * dx + world.posY(s) * dy;
  };
  const walkers = [...mobile].sort((a, b) => along(a) - along(b) || a - b);
  const n = Math.min(walkers.length, LINE_PLACES_MAX);
  const first = (k: number) => Math.floor((k * walkers.length) / n);
  return Array.from({ length: n }, (_, k) => {
    const t = n === 1 ? 0.5 : k / (n - 1);
    return {
      units: walkers.slice(first(k), first(k + 1)),
      at: clampToMap(state, { x: from.x + dx * t, y: from.y + dy * t }),
    };
  });
}

/** Whether one of the orders attacks; gives the colour of the marker. */
export function isHostile(orders: readonly Order[]): boolean {
  return orders.some((o) => fights(o.do));
}

/** The tiles of a site, and why no building may stand there; "": it may, as far as the team knows. */
export interface Footprint {
  readonly center: Pos;
  readonly tiles: readonly { x: number; y: number; ok: boolean }[];
  readonly why: "" | "off" | "unexplored" | "ground" | "uneven" | "shore" | "taken";
}

/**
 * Where a building of a type would stand around a point: its middle in world
 * units, and for each tile whether it is free as far as the team knows.
 */
export function footprint(
  state: MatchState,
  type: { readonly width: number; readonly depth: number; readonly shore?: boolean },
  at: Pos,
): Footprint {
  const { map } = state.info;
  const x0 = Math.round(at.x / 1024 - type.width / 2);
  const y0 = Math.round(at.y / 1024 - type.depth / 2);
  const middle = tileOf(clampToMap(state, at));
  const level = map.levels[middle.y * map.width + middle.x];
  const tiles: { x: number; y: number; ok: boolean }[] = [];
  let why: Footprint["why"] = "";
  const beach = !type.shore || besideWater(map, x0, y0, type.width, type.depth);
  for (let y = y0; y < y0 + type.depth; y++) {
    for (let x = x0; x < x0 + type.width; x++) {
      const on = x >= 0 && y >= 0 && x < map.width && y < map.height;
      const t = y * map.width + x;
      let wrong: Footprint["why"] = "";
      if (!on) wrong = "off";
      else if (!state.mask.explored(t)) wrong = "unexplored";
      else if ((map.pass[t] & PASS_GROUND) === 0) wrong = "ground";
      else if (map.levels[t] !== level) wrong = "uneven";
      else if (!beach) wrong = "shore";
      else if (taken(state, x, y)) wrong = "taken";
      tiles.push({ x, y, ok: wrong === "" });
      why ||= wrong;
    }
  }
  return {
    center: { x: Math.round((x0 + type.width / 2) * 1024), y: Math.round((y0 + type.depth / 2) * 1024) },
    tiles,
    why,
  };
}

/** Whether a tile beside a footprint is water for ships. */
function besideWater(map: GameMap, x0: number, y0: number, width: number, depth: number): boolean {
  for (let y = Math.max(0, y0 - 1); y <= Math.min(map.height - 1, y0 + depth); y++)
    for (let x = Math.max(0, x0 - 1); x <= Math.min(map.width - 1, x0 + width); x++)
      if (map.pass[y * map.width + x] & PASS_NAVAL) return true;
  return false;
}

function taken(state: MatchState, x: number, y: number): boolean {
  const { world, info } = state;
  for (let s = 0; s < world.high; s++) {
    if (world.ids[s] === 0) continue;
    const type = typeOf(info.rules, world.type[s]);
    if (type.class !== "structure" && type.class !== "resource") continue;
    const dx = type.width / 2;
    const dy = type.depth / 2;
    const cx = world.posX(s) / 1024;
    const cy = world.posY(s) / 1024;
    if (x + 1 > cx - dx && x < cx + dx && y + 1 > cy - dy && y < cy + dy) return true;
  }
  for (const g of state.ghosts.values()) {
    const type = typeOf(info.rules, g.type);
    if (
      Math.abs(x + 0.5 - g.x / 1024) < (type.width + 1) / 2 &&
      Math.abs(y + 0.5 - g.y / 1024) < (type.depth + 1) / 2
    )
      return true;
  }
  return false;
}

/** A place beside a structure, on the side of the units. */
function beside(state: MatchState, slot: number, units: readonly Handle[]): Pos {
  const { world, info } = state;
  const type = typeOf(info.rules, world.type[slot]);
  const cx = world.posX(slot);
  const cy = world.posY(slot);
  const first = world.slot(units[0]);
  const dx = world.posX(first) - cx;
  const dy = world.posY(first) - cy;
  const halfX = (type.width / 2 + 0.6) * 1024;
  const halfY = (type.depth / 2 + 0.6) * 1024;
  const out = Math.max(Math.abs(dx) / halfX, Math.abs(dy) / halfY) || 1;
  return clampToMap(state, { x: cx + dx / out, y: cy + dy / out });
}

function nearest(state: MatchState, units: readonly Handle[], to: Pos): Handle {
  const { world } = state;
  let best = units[0];
  let bestD = Number.POSITIVE_INFINITY;
  for (const h of units) {
    const s = world.slot(h);
    if (s < 0) continue;
    const d = (world.posX(s) - to.x) ** 2 + (world.posY(s) - to.y) ** 2;
    if (d < bestD) {
      bestD = d;
      best = h;
    }
  }
  return best;
}

function classify(state: MatchState, units: readonly Handle[]) {
  const mobile: Handle[] = [];
  const producers: Handle[] = [];
  const harvesters: Handle[] = [];
  const armed: Handle[] = [];
  const shooters: Handle[] = [];
  const builders: Handle[] = [];
  const repairers: Handle[] = [];
  const transports: Handle[] = [];
  for (const h of units) {
    const slot = state.world.slot(h);
    if (slot < 0 || state.relation(slot) !== "own") continue;
    const t = typeOf(state.info.rules, state.world.type[slot]);
    if (t.class === "unit") mobile.push(h);
    else if (t.trains.length > 0) producers.push(h);
    if (t.worker) harvesters.push(h);
    if (t.weapons.length > 0) armed.push(h);
    if (t.weapons.length > 0 && !t.worker) shooters.push(h);
    if (t.builds.length > 0) builders.push(h);
    if (t.repairs.length > 0) repairers.push(h);
    if (t.slots > 0) transports.push(h);
  }
  return { mobile, producers, harvesters, armed, shooters, builders, repairers, transports };
}

function clampToMap(state: MatchState, at: Pos): Pos {
  const { map } = state.info;
  return {
    x: Math.max(0, Math.min(map.width * 1024 - 1, Math.round(at.x))),
    y: Math.max(0, Math.min(map.height * 1024 - 1, Math.round(at.y))),
  };
}
