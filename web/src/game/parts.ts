// What the parts of a running match share.

import type { Handle } from "../base/ids";
import type { CommandCard } from "../hud/card";
import type { Hud } from "../hud/hud";
import type { Bindings } from "../input/hotkeys";
import type { Selection } from "../input/selection";
import type { Renderer } from "../render/renderer";
import type { Match } from "../sdk/index";
import type { MatchState } from "../state/match";
import { type TypeInfo, typeOf } from "../state/rules";
import type { Alerts } from "./alerts";
import type { PathLines } from "./paths";
import type { Pings } from "./pings";
import type { SettingsStore } from "./settings";
import type { Sound } from "./sound";

export interface Parts {
  readonly match: Match;
  readonly settings: SettingsStore;
  readonly renderer: Renderer;
  readonly selection: Selection;
  readonly hud: Hud;
  readonly card: CommandCard;
  readonly sound: Sound;
  readonly paths: PathLines;
  readonly pings: Pings;
  bindings(): Bindings;
  alerts(): Alerts;
}

/** Tiles to world units. */
export function wu(x: number, z: number): { x: number; y: number } {
  return { x: Math.round(x * 1024), y: Math.round(z * 1024) };
}

/** The unit nearest to the map's middle, in tiles: where the sides are likely to meet. */
export function foremost(state: MatchState): { x: number; z: number } | null {
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

/** Own things in sight, of types that pass. */
export function ownHandles(state: MatchState, passes?: (t: TypeInfo) => boolean): Handle[] {
  const out: Handle[] = [];
  for (let s = 0; s < state.world.high; s++) {
    if (state.world.ids[s] === 0 || state.relation(s) !== "own") continue;
    if (!passes || passes(typeOf(state.info.rules, state.world.type[s]))) out.push(state.world.ids[s]);
  }
  return out;
}
