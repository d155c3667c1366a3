import { CLIFF, type GameMap, WATER } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { clippedMax, clipToMap } from "../draw/clip";
import { Camera, DISTANCE_MAX, OUTLINE_POINTS } from "./camera";
import { HeightField, LEVEL_HEIGHT } from "./heightfield";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function ground(
  levelAt: (x: number, y: number) => number,
  terrainAt = (_x: number, _y: number) => 0,
): HeightField {
  const { map } = info(32, 24);
  for (let y = 0; y < 24; y++) {
    for (let x = 0; x < 32; x++) {
      map.levels[y * 32 + x] = levelAt(x, y);
      map.terrain[y * 32 + x] = terrainAt(x, y);
    }
  }
  return new HeightField(map as GameMap);
}

/** The obvious way: small steps along the ray until it is under the ground. */
function march(h: HeightField, o: number[], d: number[]): number {
  for (let t = Math.max(0, (16 * LEVEL_HEIGHT + 1 - o[1]) / d[1]); t < 200; t += 0.01) {
    if (o[1] + d[1] * t <= h.floor(o[0] + d[0] * t, o[2] + d[2] * t)) return t;
  }
  return Number.POSITIVE_INFINITY;
}

function checkRay(h: HeightField, o: number[], d: number[], found: { x: number; z: number }): void {
  const t = Math.abs(d[0]) > Math.abs(d[2]) ? (found.x - o[0]) / d[0] : (found.z - o[2]) / d[2];
  // It is on the ray.
  expect(Math.hypot(o[0] + d[0] * t - found.x, o[2] + d[2] * t - found.z)).toBeLessThan(1e-3);
  // Small steps meet no ground before it. They may pass over a ridge that is thinner than they are.
  expect(march(h, o, d)).toBeGreaterThan(t - 0.01);
  // It is on the ground, or right before a wall: where the ground ends, or at the bank of water.
  const over = (at: number) => o[1] + d[1] * at - h.floor(o[0] + d[0] * at, o[2] + d[2] * at);
  expect(Math.min(over(t), over(t + 1e-3), over(t - 1e-3))).toBeLessThan(1e-3);
}

const FIELDS: Record<string, HeightField> = {
  flat: ground(() => 0),
  plateau: ground((x, y) => (x > 10 && x < 22 && y > 6 && y < 18 ? 6 : 0)),
  ramp: ground((x) => Math.min(12, x >> 1)),
  "high ground at the edges": ground((x, y) => (x < 5 || y < 4 || x > 27 || y > 20 ? 8 : 1)),
  rough: (() => {
    const r = numbers(5);
    const levels = Array.from({ length: 32 * 24 }, () => Math.floor(r() * 16));
    return ground(
      (x, y) => levels[y * 32 + x],
      (x, y) => [0, CLIFF, WATER][(x * 7 + y * 5) % 3],
    );
  })(),
};

describe("a ray onto the ground", () => {
  for (const [name, h] of Object.entries(FIELDS)) {
    it(`meets it where small steps do: ${name}`, () => {
      const r = numbers(11);
      const found = { x: 0, z: 0 };
      for (let k = 0; k < 150; k++) {
        const o = [r() * 44 - 6, 9.9 + r() * 12, r() * 36 - 6];
        const d = [r() * 2 - 1, -0.15 - r(), r() * 2 - 1];
        if (k % 10 === 0) d[k % 20 === 0 ? 0 : 2] = 0;
        if (k % 25 === 0) o[0] = Math.round(o[0]);
        expect(h.hit({ x: o[0], y: o[1], z: o[2] }, { x: d[0], y: d[1], z: d[2] }, found)).toBe(true);
        checkRay(h, o, d, found);
      }
    });
  }
  it("straight down, upwards, and too far away", () => {
    const found = { x: 0, z: 0 };
    expect(FIELDS.plateau.hit({ x: 15.5, y: 40, z: 12.5 }, { x: 0, y: -1, z: 0 }, found)).toBe(true);
    expect(found).toEqual({ x: 15.5, z: 12.5 });
    expect(FIELDS.plateau.hit({ x: 15, y: 40, z: 12 }, { x: 1, y: 0.2, z: 0 }, found)).toBe(false);
    expect(FIELDS.plateau.hit({ x: 15, y: 40, z: 12 }, { x: 1, y: -0.001, z: 0 }, found)).toBe(false);
  });
});

/** The camera's place and its outline. */
function outlineAt(h: HeightField, x: number, z: number, distance: number, aspect: number) {
  const camera = new Camera(h);
  camera.resize(aspect * 100, 100);
  camera.distance = distance;
  camera.jump(x, z);
  camera.step(16);
  const points = new Float32Array(2 * OUTLINE_POINTS);
  expect(camera.outline(points)).toBe(OUTLINE_POINTS);
  return { camera, points };
}

describe("the outline of what is on the screen", () => {
  for (const [name, h] of Object.entries(FIELDS)) {
    it(`is on the ground under the screen's border: ${name}`, () => {
      for (const [x, z, distance, aspect] of [
        [16, 12, 30, 1.6],
        [0, 0, DISTANCE_MAX, 1.6],
        [32, 24, 40, 0.46],
        [0, 24, 20, 0.46],
        [12, 7, 9, 1.6],
      ]) {
        const { camera, points } = outlineAt(h, x, z, distance, aspect);
        const { position } = camera.perspective;
        const o = [position.x, position.y, position.z];
        for (let k = 0; k < OUTLINE_POINTS; k++) {
          const side = Math.floor((4 * k) / OUTLINE_POINTS);
          const part = (8 * k) / OUTLINE_POINTS - 2 * side;
          const border = [
            [part - 1, -1],
            [1, part - 1],
            [1 - part, 1],
            [-1, 1 - part],
          ];
          const [sx, sy] = border[side];
          const ray = position
            .clone()
            .set(sx, sy, 0.5)
            .unproject(camera.perspective)
            .sub(position)
            .normalize();
          checkRay(h, o, ray.toArray(), { x: points[2 * k], z: points[2 * k + 1] });
        }
      }
    });
  }
  it("is where the land is on high ground, not where height 0 would be", () => {
    const high = ground(() => 10);
    const low = FIELDS.flat;
    const a = outlineAt(high, 16, 12, 20, 1.6).points;
    const b = outlineAt(low, 16, 12, 20, 1.6).points;
    // The camera rises with the ground that it looks at: the outline is the same but for the roughness of the land.
    for (let k = 0; k < a.length; k++) expect(Math.abs(a[k] - b[k])).toBeLessThan(0.2);
    // A plateau beside the middle comes nearer on the screen: the view has less of a plateau than of flat ground.
    const wall = ground((x) => (x > 20 ? 14 : 0));
    const c = outlineAt(wall, 16, 12, 30, 1.6).points;
    const flat = outlineAt(low, 16, 12, 30, 1.6).points;
    const east = (p: Float32Array) => Math.max(...Array.from(p).filter((_, k) => k % 2 === 0));
    expect(east(flat) - east(c)).toBeGreaterThan((14 * LEVEL_HEIGHT) / 4);
  });
});

describe("an outline clipped to the map", () => {
  const inside = (p: Float32Array, n: number, x: number, y: number): boolean => {
    let odd = false;
    for (let a = n - 1, b = 0; b < n; a = b++) {
      const [ax, ay, bx, by] = [p[2 * a], p[2 * a + 1], p[2 * b], p[2 * b + 1]];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
    }
    return odd;
  };
  it("has exactly the points that are on the map and in the outline", () => {
    const r = numbers(3);
    const room = new Float32Array(2 * clippedMax(OUTLINE_POINTS));
    const out = new Float32Array(2 * clippedMax(OUTLINE_POINTS));
    for (let k = 0; k < 60; k++) {
      const h = Object.values(FIELDS)[k % 5];
      const { points } = outlineAt(h, r() * 32, r() * 24, 9 + r() * 53, 0.46 + r());
      const n = clipToMap(points, OUTLINE_POINTS, 32, 24, out, room);
      for (let i = 0; i < n; i++) {
        expect(out[2 * i]).toBeGreaterThanOrEqual(0);
        expect(out[2 * i]).toBeLessThanOrEqual(32);
        expect(out[2 * i + 1]).toBeGreaterThanOrEqual(0);
        expect(out[2 * i + 1]).toBeLessThanOrEqual(24);
      }
      for (let q = 0; q < 100; q++) {
        const [x, y] = [r() * 60 - 14, r() * 52 - 14];
        const onMap = x > 0 && y > 0 && x < 32 && y < 24;
        expect(inside(out, n, x, y)).toBe(onMap && inside(points, OUTLINE_POINTS, x, y));
      }
    }
  });
  it("is nothing when all of it is outside", () => {
    const points = Float32Array.of(40, 2, 50, 2, 45, 9);
    expect(clipToMap(points, 3, 32, 24, new Float32Array(36), new Float32Array(36))).toBe(0);
  });
});
