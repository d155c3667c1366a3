import { CLIFF, MatchState, TERRAIN, WATER } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import type { BufferAttribute, Mesh } from "three";
import { describe, expect, it } from "vitest";
import { FogTexture } from "./fog";
import { GRAIN_SIDE, grainBytes } from "./grain";
import { HeightField } from "./heightfield";
import { fogUniforms } from "./shaders";
import { shoreNearness, Terrain } from "./terrain";

const ROAD = 4;

/** The land's attributes of a map, by name. */
function landOf(paint: (x: number, y: number) => number): Record<string, BufferAttribute> {
  const match = info();
  const { map } = match;
  for (let y = 0; y < map.height; y++)
    for (let x = 0; x < map.width; x++) {
      map.terrain[y * map.width + x] = paint(x, y);
      map.levels[y * map.width + x] = paint(x, y) === CLIFF ? 1 : 0;
    }
  const fog = new FogTexture(new MatchState(match).mask);
  const terrain = new Terrain(new HeightField(map), fogUniforms(fog), { shadows: false, cheapFog: true });
  const land = (terrain.group.children[0] as Mesh).geometry;
  return land.attributes as Record<string, BufferAttribute>;
}

describe("the land", () => {
  it("says at each corner what the ground is made of, whatever the terrain", () => {
    TERRAIN.forEach((_, kind) => {
      const { made } = landOf(() => kind);
      let mixed = 0;
      for (let i = 0; i < made.count; i++) {
        const shares = made.array.subarray(4 * i, 4 * i + 4) as Uint8Array;
        const sum = shares[0] + shares[1] + shares[2] + shares[3];
        if (sum < 240 || Math.max(...shares) !== sum) mixed++;
      }
      expect(mixed, `terrain ${kind}`).toBe(0); // of one kind alone
    });
  });

  it("does not mix a road's colour into the ground beside it", () => {
    const withRoad = landOf((x) => (x >= 10 && x < 14 ? ROAD : 0));
    const without = landOf(() => 0);
    const at = (land: Record<string, BufferAttribute>, x: number) => {
      const { position, color } = land;
      for (let i = 0; i < position.count; i++)
        if (position.getX(i) === x && position.getZ(i) === 12) return color.array[4 * i];
      return -1;
    };
    expect(at(withRoad, 10)).toBe(at(without, 10)); // the edge: grass alone
    expect(at(withRoad, 12)).not.toBe(at(without, 12)); // its middle
  });

  it("is smooth where it is even, and has facets where it is steep", () => {
    const { position, normal } = landOf((x) => (x === 10 ? CLIFF : 0));
    const seen = new Map<string, Set<number>>();
    for (let i = 0; i < position.count; i++) {
      if (position.getY(i) < -1) continue; // the map's sides
      const key = `${position.getX(i)},${position.getZ(i)}`;
      const normals = seen.get(key) ?? new Set();
      normals.add(normal.array[3 * i] * 65536 + normal.array[3 * i + 2]);
      seen.set(key, normals);
    }
    expect(seen.get("20,12")?.size).toBe(1);
  });
});

describe("the shore", () => {
  it("is near beside land, and no more from four tiles on", () => {
    const { map } = info();
    for (let y = 0; y < map.height; y++)
      for (let x = 8; x < map.width; x++) map.terrain[y * map.width + x] = WATER;
    const near = shoreNearness(map);
    const row = 12 * (map.width + 1);
    expect([...near.slice(row + 6, row + 14)]).toEqual([1, 1, 1, 0.75, 0.5, 0.25, 0, 0]);
  });
});

describe("the grain", () => {
  const bytes = grainBytes();

  it("joins at its edges", () => {
    const at = (x: number, y: number, k: number) => bytes[4 * (y * GRAIN_SIDE + x) + k];
    for (let k = 0; k < 4; k++) {
      let inside = 0;
      let across = 0;
      for (let i = 0; i < GRAIN_SIDE; i++) {
        inside = Math.max(
          inside,
          Math.abs(at(64, i, k) - at(63, i, k)),
          Math.abs(at(i, 64, k) - at(i, 63, k)),
        );
        across = Math.max(
          across,
          Math.abs(at(0, i, k) - at(GRAIN_SIDE - 1, i, k)),
          Math.abs(at(i, 0, k) - at(i, GRAIN_SIDE - 1, k)),
        );
      }
      expect(across).toBeLessThan(1.8 * inside + 8);
    }
  });

  it("varies around the middle, so that it makes the ground neither lighter nor darker", () => {
    for (const k of [0, 1, 3]) {
      let sum = 0;
      for (let i = k; i < bytes.length; i += 4) sum += bytes[i];
      expect(Math.abs(sum / (bytes.length / 4) - 127)).toBeLessThan(20);
    }
  });
});
