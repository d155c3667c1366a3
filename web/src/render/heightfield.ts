// The heights of the corners of tiles. The terrain's mesh, everything that stands
// on it, and the mouse use them.

import { CLIFF, type GameMap, type Rules, WATER } from "@fogkeep/client";
import { hash01 } from "../draw/hash";

/** Height of one level, in tiles. */
export const LEVEL_HEIGHT = 0.55;
/** How far the bed of water lies under its level, and its surface. */
const BED_DEPTH = 0.62;
const SURFACE_DEPTH = 0.2;
/** All ground is between these heights. */
const CEILING = 16 * LEVEL_HEIGHT + 1;
const FLOOR = -1;
/** A ray that comes down no nearer than this meets no ground that could be drawn. */
const REACH = 1000;

/** A place or a direction in space; y is up. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export class HeightField {
  /** One a corner, row by row, (width+1) x (height+1). */
  readonly corners: Float32Array;
  readonly width: number;
  readonly height: number;
  /** All ground and water of this map is between these heights. */
  readonly lowest: number;
  readonly highest: number;

  constructor(
    readonly map: GameMap,
    /** Tiles with a deck over the water, at the height of the land. */
    private readonly decks: ReadonlySet<number> = new Set(),
  ) {
    this.width = map.width;
    this.height = map.height;
    this.corners = new Float32Array((map.width + 1) * (map.height + 1));
    let lowest = CEILING;
    let highest = FLOOR;
    for (let y = 0; y <= map.height; y++) {
      for (let x = 0; x <= map.width; x++) {
        const h = cornerHeight(map, x, y);
        this.corners[y * (map.width + 1) + x] = h;
        lowest = Math.min(lowest, h);
        highest = Math.max(highest, h);
      }
    }
    for (let t = 0; t < map.terrain.length; t++)
      if (map.terrain[t] === WATER) highest = Math.max(highest, surfaceHeight(map, t));
    this.lowest = lowest;
    this.highest = highest;
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
    if (this.map.terrain[t] !== WATER) return land;
    return Math.max(land, this.decks.has(t) ? this.map.levels[t] * LEVEL_HEIGHT : surfaceHeight(this.map, t));
  }

  /** The same of a row of columns, into a place of `out`: for calls so frequent that no number may be boxed. */
  floorOf(x: Float32Array, z: Float32Array, row: number, out: Float64Array, place: number): void {
    out[place] = this.floor(x[row], z[row]);
  }

  /**
   * Where a ray from above meets the land or the water, in tiles; false when it
   * does not. The ray goes from tile to tile; within one the ground is a bilinear
   * patch, which a ray meets where a quadratic has its first root. `from` and
   * `way` are objects, since numbers would be boxed for each ray of an outline.
   */
  hit(from: Point, way: Point, out: { x: number; z: number }): boolean {
    const { x: ox, y: oy, z: oz } = from;
    const { x: dx, y: dy, z: dz } = way;
    if (dy >= -1e-4) return false;
    const { width, height, corners, map } = this;
    const end = (FLOOR - oy) / dy;
    let t = Math.max(0, (CEILING - oy) / dy);
    if (t > REACH) return false;
    let i = Math.floor(ox + dx * t);
    let j = Math.floor(oz + dz * t);
    while (t < end) {
      const nextX = dx > 0 ? (i + 1 - ox) / dx : dx < 0 ? (i - ox) / dx : Number.POSITIVE_INFINITY;
      const nextZ = dz > 0 ? (j + 1 - oz) / dz : dz < 0 ? (j - oz) / dz : Number.POSITIVE_INFINITY;
      const next = Math.max(t, Math.min(nextX, nextZ, end));
      // Outside the map the ground goes on as at its edge.
      const ci = Math.max(0, Math.min(width - 1, i));
      const cj = Math.max(0, Math.min(height - 1, j));
      const fx = Math.max(0, Math.min(1, ox + dx * t - ci));
      const fz = Math.max(0, Math.min(1, oz + dz * t - cj));
      const gx = ci === i ? dx : 0;
      const gz = cj === j ? dz : 0;
      const row = cj * (width + 1) + ci;
      const a = corners[row];
      const b = corners[row + 1] - a;
      const c = corners[row + width + 1] - a;
      const d = corners[row + width + 2] - a - b - c;
      // Height of the ray over the patch, s further along: q0 + q1 s + q2 s².
      const y = oy + dy * t;
      const q0 = y - (a + b * fx + c * fz + d * fx * fz);
      if (q0 <= 0) break;
      const q1 = dy - b * gx - c * gz - d * (fx * gz + fz * gx);
      const q2 = -d * gx * gz;
      const under = q1 * q1 - 4 * q2 * q0;
      let s = Number.POSITIVE_INFINITY;
      if (under >= 0) {
        const below = Math.sqrt(under) - q1;
        if (below > 0) s = (2 * q0) / below; // the smallest root above 0
      }
      const tile = cj * width + ci;
      if (map.terrain[tile] === WATER) s = Math.min(s, Math.max(0, (surfaceHeight(map, tile) - y) / dy));
      if (s <= next - t) {
        t += s;
        break;
      }
      t = next;
      if (nextX <= nextZ) i += dx > 0 ? 1 : -1;
      else j += dz > 0 ? 1 : -1;
    }
    out.x = ox + dx * t;
    out.z = oz + dz * t;
    return true;
  }
}

/** The tiles of a match's bridges. Units cross them at the height of the land while they stand. */
export function decksOf({ map, rules }: { map: GameMap; rules: Rules }): Set<number> {
  const out = new Set<number>();
  for (const f of map.features) {
    const type = rules.types.find((t) => t.name === f.type && t.feature === "bridge");
    for (let y = f.y; type && y < f.y + type.depth; y++)
      for (let x = f.x; x < f.x + type.width; x++) out.add(y * map.width + x);
  }
  return out;
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
