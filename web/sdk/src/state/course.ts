// Decodes places and courses. The arithmetic is stated at ServerFrame in
// proto/fogkeep/v1/server.proto; client and server must agree exactly.

/** World units a cell is wide; 16 cells to a tile's side. */
export const CELL_WU = 64;

/** How an entity moves. */
export interface Course {
  /** 1/64 world unit a tick. */
  vx: number;
  vy: number;
  /** 256 to the turn; only for an entity that stands. */
  facing: number;
}

const STANDING = 256;
const COARSE_K = 2016;
const FINE_FROM = 16384;
const FINE_K = 131072;
const SLOW_FROM = 1064960;
const SLOW_DIRECTIONS = 16128;

/** Reads a course into `out`. `fullSpeed` is the type's, 1/64 world unit a tick. */
export function readCourse(course: number, fullSpeed: number, out: Course): Course {
  if (course < STANDING) {
    out.vx = 0;
    out.vy = 0;
    out.facing = course;
    return out;
  }
  if (course < FINE_FROM) return head(course - STANDING, COARSE_K, fullSpeed, out);
  if (course < SLOW_FROM) return head(course - FINE_FROM, FINE_K, fullSpeed, out);
  const c = course - SLOW_FROM;
  const speed = Math.floor((fullSpeed * (Math.floor(c / SLOW_DIRECTIONS) + 1)) / 64);
  return head(c % SLOW_DIRECTIONS, COARSE_K, speed, out);
}

/** A direction is a point on the rim of a square of half-side k. */
function head(direction: number, k: number, speed: number, out: Course): Course {
  const face = Math.floor(direction / (2 * k));
  const u = (direction % (2 * k)) - k;
  let px = k;
  let py = u;
  if (face === 1) {
    px = -u;
    py = k;
  } else if (face === 2) {
    px = -k;
    py = -u;
  } else if (face === 3) {
    px = u;
    py = -k;
  }
  const n = Math.floor(Math.sqrt(256 * (k * k + u * u)));
  // 16 * 131072 * speed stays far below 2^53, so the quotient cuts exactly.
  out.vx = Math.trunc((16 * px * speed) / n);
  out.vy = Math.trunc((16 * py * speed) / n);
  out.facing = 0;
  return out;
}

/** The middle of a cell, in world units. */
export function cellX(cell: number, mapWidth: number): number {
  return (cell % (16 * mapWidth)) * CELL_WU + CELL_WU / 2;
}
export function cellY(cell: number, mapWidth: number): number {
  return Math.floor(cell / (16 * mapWidth)) * CELL_WU + CELL_WU / 2;
}

const NEAR_FROM = 121;
const FAR_FROM = 16250;
const CELL_FROM = 277371;

/** A place of a motion row: an offset to where the old course leads, or a cell. */
export interface Place {
  x: number;
  y: number;
  /** Whether it was a cell, which an exact row may refine. */
  cell: boolean;
}

/** Reads a place into `out`; (x, y) is where the old course brings the entity. */
export function readPlace(place: number, x: number, y: number, mapWidth: number, out: Place): Place {
  out.cell = false;
  if (place < NEAR_FROM) {
    out.x = x + 64 * (Math.floor(place / 11) - 5);
    out.y = y + 64 * ((place % 11) - 5);
  } else if (place < FAR_FROM) {
    const p = place - NEAR_FROM;
    out.x = x + Math.floor(p / 127) - 63;
    out.y = y + (p % 127) - 63;
  } else if (place < CELL_FROM) {
    const p = place - FAR_FROM;
    out.x = x + Math.floor(p / 511) - 255;
    out.y = y + (p % 511) - 255;
  } else {
    out.x = cellX(place - CELL_FROM, mapWidth);
    out.y = cellY(place - CELL_FROM, mapWidth);
    out.cell = true;
  }
  return out;
}
