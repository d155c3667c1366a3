// Sight circles and the lines of sight inside them, relative to the source.

/** A radius in half tiles is 0 to 64. */
export const RADIUS_MAX = 64;

/** Rows of a circle by tile centres: `half[dy + reach]` tiles to either side. */
export interface Circle {
  readonly reach: number;
  readonly half: Int8Array;
}

const circles: (Circle | undefined)[] = [];

/** The circle of a radius in half tiles: 4*(dx*dx + dy*dy) <= radius*radius. */
export function circle(radius: number): Circle {
  let c = circles[radius];
  if (!c) {
    const reach = radius >> 1;
    const half = new Int8Array(2 * reach + 1);
    for (let dy = -reach; dy <= reach; dy++) {
      let dx = 0;
      while (4 * ((dx + 1) * (dx + 1) + dy * dy) <= radius * radius) dx++;
      half[dy + reach] = dx;
    }
    c = { reach, half };
    circles[radius] = c;
  }
  return c;
}

/**
 * For each tile of a circle, the tiles strictly between it and the middle. Flat:
 * dx, dy, how many, then that many times dx, dy.
 */
const lines: (Int8Array | undefined)[] = [];

export function linesOf(radius: number): Int8Array {
  let flat = lines[radius];
  if (!flat) {
    const { reach, half } = circle(radius);
    const out: number[] = [];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -half[dy + reach]; dx <= half[dy + reach]; dx++) {
        const head = out.push(dx, dy, 0) - 1;
        between(dx, dy, (x, y) => {
          out.push(x, y);
          out[head]++;
        });
      }
    }
    flat = Int8Array.from(out);
    lines[radius] = flat;
  }
  return flat;
}

/**
 * Calls `f` for each tile strictly between the origin and dx, dy: one for each
 * step along the longer axis, or two where the line passes exactly between two.
 */
export function between(dx: number, dy: number, f: (x: number, y: number) => void): void {
  const steep = Math.abs(dy) > Math.abs(dx);
  const long = steep ? Math.abs(dy) : Math.abs(dx);
  const short = steep ? Math.abs(dx) : Math.abs(dy);
  const sx = Math.sign(dx);
  const sy = Math.sign(dy);
  for (let a = 1; a < long; a++) {
    const b = Math.floor((a * short) / long);
    const rest = (a * short) % long;
    if (2 * rest <= long) f(sx * (steep ? b : a), sy * (steep ? a : b));
    if (2 * rest >= long) f(sx * (steep ? b + 1 : a), sy * (steep ? a : b + 1));
  }
}
