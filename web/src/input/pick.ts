// Which entity is under a point or a box of the screen.

import { type Handle, type MatchState, posOf, typeOf } from "@fogkeep/client";
import type { Renderer } from "../render/renderer";
import type { Target } from "./intent";

/** How far beside a thing a click may be. */
export const PAD_PX = 3;
/** The renderer's functions for picking. */
export type Picked = Pick<Renderer, "screen" | "entities">;
const RANK = { own: 0, ally: 1, enemy: 1, neutral: 2 } as const;
const spot = { x: 0, y: 0, r: 0 };

/** The entity under a point, own before foreign, nearer before farther; or -1. */
export function pickAt(renderer: Picked, state: MatchState, x: number, y: number, pad = PAD_PX): number {
  const { screen, entities } = renderer;
  let best = -1;
  let bestScore = Number.POSITIVE_INFINITY;
  const n = screen.rowsIn(x, y, x, y, pad);
  for (let k = 0; k < n; k++) {
    const row = entities.grid.found[k];
    const slot = entities.poses.slot[row];
    if (typeOf(state.info.rules, state.world.type[slot]).class === "projectile") continue;
    if (!screen.toScreen(row, spot)) continue;
    const d = Math.hypot(spot.x - x, spot.y - y);
    if (d > spot.r + pad) continue;
    const score = RANK[state.relation(slot)] * 1000 + d / spot.r;
    if (score < bestScore || (score === bestScore && slot < best)) {
      bestScore = score;
      best = slot;
    }
  }
  return best;
}

/** The ghost under a point of the ground (tiles), or 0. */
export function ghostAt(state: MatchState, x: number, z: number): Handle {
  for (const g of state.ghosts.values()) {
    const half = Math.max(0.5, typeOf(state.info.rules, g.type).footprint / 2);
    if (Math.abs(g.x / 1024 - x) <= half && Math.abs(g.y / 1024 - z) <= half) return g.id;
  }
  return 0;
}

/** The target of a click at a point of the page; null beside the ground. */
export function targetAt(
  renderer: Picked & Pick<Renderer, "groundAt">,
  state: MatchState,
  x: number,
  y: number,
  pad = PAD_PX,
): Target | null {
  const slot = pickAt(renderer, state, x, y, pad);
  const p = renderer.groundAt(x, y);
  if (slot >= 0) {
    if (p && ["bridge", "flood"].includes(typeOf(state.info.rules, state.world.type[slot]).feature))
      return { at: posOf(p.x, p.z), handle: state.world.ids[slot] };
    return { at: { x: state.world.posX(slot), y: state.world.posY(slot) }, handle: state.world.ids[slot] };
  }
  if (!p) return null;
  const ghost = ghostAt(state, p.x, p.z);
  const g = ghost ? state.ghosts.get(ghost) : undefined;
  if (g && typeOf(state.info.rules, g.type).feature === "none")
    return { at: { x: g.x, y: g.y }, handle: ghost, ghost: true };
  if (g) return { at: posOf(p.x, p.z), handle: ghost, ghost: true };
  return { at: posOf(p.x, p.z), handle: 0 };
}

/** All entities that a box of the screen touches, by rising rows. */
export function pickBox(renderer: Picked, box: { x0: number; y0: number; x1: number; y1: number }): number[] {
  const { screen, entities } = renderer;
  const out: number[] = [];
  const n = screen.rowsIn(box.x0, box.y0, box.x1, box.y1, 0);
  for (let k = 0; k < n; k++) {
    const row = entities.grid.found[k];
    if (!screen.toScreen(row, spot)) continue;
    const r = spot.r * 0.5;
    if (spot.x + r >= box.x0 && spot.x - r <= box.x1 && spot.y + r >= box.y0 && spot.y - r <= box.y1) {
      out.push(entities.poses.slot[row]);
    }
  }
  return out.sort((a, b) => a - b);
}
