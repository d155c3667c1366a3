// The heights of the corners of tiles. The terrain's mesh, everything that stands
// on it, and the mouse use them.

import { hash01 } from "../base/hash";
import { CLIFF, type GameMap, WATER } from "../state/map";

/** Height of one level, in tiles. */
export const LEVEL_HEIGHT = 0.55;
/** How far the bed of water lies under its level, and its surface. */
const BED_DEPTH = 0.62;
const SURFACE_DEPTH = 0.2;

export class HeightField {
  /** One a corner, row by row, (width+1) x (height+1). */
  readonly corners: Float32Array;
  readonly width: number;
  readonly height: number;

  constructor(readonly map: GameMap) {
    this.width = map.width;
    this.height = map.height;
    this.corners = new Float32Array((map.width + 1) * (map.height + 1));
    for (let y = 0; y <= map.height; y++) {
      for (let x = 0; x <= map.width; x++) this.corners[y * (map.width + 1) + x] = cornerHeight(map, x, y);
    }
  }

  /** Height of the land at a point, in tiles; the nearest edge's outside the map. */
  at(x: number, z: number): number {
    const { width, height, corners } = this;
    const cx = Math.max(0, Math.min(width - 1e-4, x));
    const cz = Math.max(0, Math.min(height - 1e-4, z));
    const i = Math.floor(cx);
    const j = Math.floor(cz);
    const fx = cx - i;
    const fz = cz - j;
    const row = j * (width + 1) + i;
    const a = corners[row];
    const b = corners[row + 1];
    const c = corners[row + width + 1];
    const d = corners[row + width + 2];
    return a * (1 - fx) * (1 - fz) + b * fx * (1 - fz) + c * (1 - fx) * fz + d * fx * fz;
  }

  /** Height at which something that floats is. */
  floor(x: number, z: number): number {
    const land = this.at(x, z);
    const i = Math.max(0, Math.min(this.width - 1, Math.floor(x)));
    const j = Math.max(0, Math.min(this.height - 1, Math.floor(z)));
    const t = j * this.width + i;
    return this.map.terrain[t] === WATER ? Math.max(land, surfaceHeight(this.map, t)) : land;
  }

  /** Where a ray from above meets the land; false when it does not. */
  hit(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    out: { x: number; z: number },
  ): boolean {
    if (dy >= -1e-4) return false;
    // March down in small steps, then halve: cheap, and right on cliffs too.
    const top = 16 * LEVEL_HEIGHT + 1;
    let t0 = Math.max(0, (top - oy) / dy);
    const tEnd = (-1 - oy) / dy;
    const step = 0.35;
    let t1 = t0;
    while (t1 < tEnd) {
      t1 = Math.min(tEnd, t0 + step);
      if (oy + dy * t1 <= this.floor(ox + dx * t1, oz + dz * t1)) break;
      t0 = t1;
    }
    for (let k = 0; k < 8; k++) {
      const m = (t0 + t1) / 2;
      if (oy + dy * m <= this.floor(ox + dx * m, oz + dz * m)) t1 = m;
      else t0 = m;
    }
    out.x = ox + dx * t1;
    out.z = oz + dz * t1;
    return true;
  }
}

export function surfaceHeight(map: GameMap, tile: number): number {
  return map.levels[tile] * LEVEL_HEIGHT - SURFACE_DEPTH;
}

/**
 * A corner takes the mean of the tiles around it. Cliffs count only where there
 * is no other ground: so a plateau stays flat up to its edge, and the whole drop
 * is inside the cliff's tile.
 */
function cornerHeight(map: GameMap, x: number, y: number): number {
  let sum = 0;
  let n = 0;
  let cliffs = 0;
  let cliffSum = 0;
  let wet = 0;
  for (let dy = -1; dy <= 0; dy++) {
    for (let dx = -1; dx <= 0; dx++) {
      const i = Math.max(0, Math.min(map.width - 1, x + dx));
      const j = Math.max(0, Math.min(map.height - 1, y + dy));
      const t = j * map.width + i;
      const h = map.levels[t] * LEVEL_HEIGHT;
      if (map.terrain[t] === CLIFF) {
        cliffs++;
        cliffSum += h;
        continue;
      }
      if (map.terrain[t] === WATER) wet++;
      sum += map.terrain[t] === WATER ? h - BED_DEPTH : h;
      n++;
    }
  }
  const h = n > 0 ? sum / n : cliffSum / Math.max(1, cliffs);
  const rough = cliffs > 0 ? 0.16 : wet > 0 ? 0.03 : 0.055;
  return h + (hash01(x, y, 7) - 0.5) * rough;
}
