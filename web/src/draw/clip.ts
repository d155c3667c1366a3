// Clips an outline to the map.

/** Room for a clipped outline of so many points: each of the four sides adds at most one for each two. */
export const clippedMax = (points: number): number => points * 6;

/**
 * The part of a polygon that is inside the rectangle from 0, 0 to width, height,
 * after Sutherland and Hodgman. `points` has x and y of `n` corners. The part is
 * written to `out`, the number of its corners is returned; `room` is as large as
 * `out` and is written too.
 */
export function clipToMap(
  points: Float32Array,
  n: number,
  width: number,
  height: number,
  out: Float32Array,
  room: Float32Array,
): number {
  let count = clipSide(points, n, room, 0, 1, 0);
  count = clipSide(room, count, out, 0, -1, -width);
  count = clipSide(out, count, room, 1, 1, 0);
  return clipSide(room, count, out, 1, -1, -height);
}

/** Keeps the part with sign * coordinate >= limit. */
function clipSide(
  from: Float32Array,
  n: number,
  to: Float32Array,
  axis: 0 | 1,
  sign: number,
  limit: number,
): number {
  let count = 0;
  for (let k = 0; k < n; k++) {
    const a = 2 * ((k + n - 1) % n);
    const b = 2 * k;
    const da = sign * from[a + axis] - limit;
    const db = sign * from[b + axis] - limit;
    if (da < 0 !== db < 0) {
      const t = da / (da - db);
      to[2 * count] = from[a] + (from[b] - from[a]) * t;
      to[2 * count + 1] = from[a + 1] + (from[b + 1] - from[a + 1]) * t;
      to[2 * count + axis] = sign * limit;
      count++;
    }
    if (db >= 0) {
      to[2 * count] = from[b];
      to[2 * count + 1] = from[b + 1];
      count++;
    }
  }
  return count;
}
