// Questions about the entities of a match.

import type { Handle } from "../base/ids.js";
import type { Doing } from "./doing.js";
import type { MatchState } from "./match.js";
import { type TypeInfo, typeOf } from "./rules.js";

/** The unit nearest to the map's middle, in tiles: where the teams are likely to meet. */
export function mostCentral(state: MatchState): { x: number; z: number } | null {
  const { world, info } = state;
  const x0 = info.map.width / 2;
  const z0 = info.map.height / 2;
  let best: { x: number; z: number } | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let s = 0; s < world.high; s++) {
    if (world.ids[s] === 0 || !info.players[world.owner[s]]) continue;
    const x = world.posX(s) / 1024;
    const z = world.posY(s) / 1024;
    const d = Math.hypot(x - x0, z - z0);
    if (d >= least) continue;
    least = d;
    best = { x, z };
  }
  return best;
}

/** The player's own entities, of types that pass. */
export function ownHandles(state: MatchState, passes?: (t: TypeInfo) => boolean): Handle[] {
  const out: Handle[] = [];
  for (let s = 0; s < state.world.high; s++) {
    if (state.world.ids[s] === 0 || state.relation(s) !== "own") continue;
    if (!passes || passes(typeOf(state.info.rules, state.world.type[s]))) out.push(state.world.ids[s]);
  }
  return out;
}

/** An own unit's task: by the newest order that the player gave it, otherwise as the server says. */
export function doingOf(state: MatchState, unit: Handle): Doing {
  return state.prediction.task(unit)?.doing ?? state.own.units.get(unit)?.doing ?? "idle";
}

/** Idle own workers, by rising handles. */
export function idleWorkers(state: MatchState): Handle[] {
  return ownHandles(state, (t) => t.worker)
    .filter((u) => {
      const doing = doingOf(state, u);
      return doing === "idle" || doing === "stop";
    })
    .sort((a, b) => a - b);
}

/** Own armed units, workers aside. */
export function armyUnits(state: MatchState): Handle[] {
  return ownHandles(state, (t) => t.class === "unit" && !t.worker && t.weapons.length > 0);
}

/** The entity in sight that passes the test and is nearest to another one, or 0. */
export function nearest(
  state: MatchState,
  to: Handle,
  passes: (type: TypeInfo, relation: ReturnType<MatchState["relation"]>) => boolean,
): Handle {
  const { world, info } = state;
  const from = world.slot(to);
  if (from < 0) return 0;
  let best: Handle = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let s = 0; s < world.high; s++) {
    if (s === from || world.ids[s] === 0) continue;
    const d = Math.hypot(world.posX(s) - world.posX(from), world.posY(s) - world.posY(from));
    if (d >= least || !passes(typeOf(info.rules, world.type[s]), state.relation(s))) continue;
    least = d;
    best = world.ids[s];
  }
  return best;
}
