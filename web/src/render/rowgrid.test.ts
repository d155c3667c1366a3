import { describe, expect, it } from "vitest";
import { RowGrid } from "./rowgrid";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

describe("RowGrid", () => {
  const random = numbers(3);

  it("finds all rows in a rectangle, and each once", () => {
    for (const [width, height] of [
      [7, 90],
      [64, 64],
      [1024, 300],
    ]) {
      const grid = new RowGrid(width, height);
      for (let n = 0; n < 60; n++) {
        const rows = Math.floor(random() * 400);
        const places = { x: new Float32Array(rows + 9), z: new Float32Array(rows + 9) };
        for (let r = 0; r < places.x.length; r++) {
          // Some are a little outside of the map.
          places.x[r] = random() * (width + 4) - 2;
          places.z[r] = random() * (height + 4) - 2;
        }
        grid.set(places, rows);
        for (let k = 0; k < 5; k++) {
          const x0 = random() * (width + 20) - 10;
          const z0 = random() * (height + 20) - 10;
          const x1 = x0 + random() * width * 0.4;
          const z1 = z0 + random() * height * 0.4;
          const count = grid.inRect(x0, z0, x1, z1);
          const found = [...grid.found.subarray(0, count)];
          expect(new Set(found).size).toBe(count);
          const inside = (r: number) =>
            places.x[r] >= x0 && places.x[r] <= x1 && places.z[r] >= z0 && places.z[r] <= z1;
          const want = Array.from({ length: rows }, (_, r) => r).filter(inside);
          expect(want.filter((r) => !found.includes(r))).toEqual([]);
          expect(found.every((r) => r < rows)).toBe(true);
        }
      }
    }
  });

  it("finds few where few are", () => {
    const grid = new RowGrid(256, 256);
    const places = { x: new Float32Array(10_000), z: new Float32Array(10_000) };
    for (let r = 0; r < 10_000; r++) {
      places.x[r] = random() * 256;
      places.z[r] = random() * 256;
    }
    grid.set(places, 10_000);
    expect(grid.inRect(100, 100, 104, 104)).toBeLessThan(120);
    expect(grid.inRect(-50, -50, 500, 500)).toBe(10_000);
  });

  it("takes what has moved since, once it is told", () => {
    const grid = new RowGrid(64, 64);
    const places = { x: new Float32Array([3]), z: new Float32Array([3]) };
    grid.set(places, 1);
    expect(grid.inRect(0, 0, 8, 8)).toBe(1);
    places.x[0] = 50;
    grid.set(places, 1);
    expect(grid.inRect(0, 0, 8, 8)).toBe(0);
    grid.set(places, 0);
    expect(grid.inRect(0, 0, 64, 64)).toBe(0);
  });
});
