import { MatchState, PoseColumns, WATER } from "@fogkeep/client";
import { info, RULES, type } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import {
  BILLOWS_MAX,
  billowsOf,
  markFits,
  onWater,
  plumeOf,
  SHARDS_MAX,
  SMOKES_MAX,
  shardsOf,
  sizeOfDeath,
  sizeOfProjectile,
  sizeOfWeapon,
  smokesOf,
} from "./blast";
import { Effects } from "./effects";
import { HeightField } from "./heightfield";
import { Marks } from "./marks";
import { RowGrid } from "./rowgrid";
import type { Billboards, Decals } from "./sprites";
import { ViewPlanes } from "./viewplanes";

const ALL = new ViewPlanes();

/** Entities as they are drawn where they stand, all in the view. */
function stand(state: MatchState) {
  const { world } = state;
  const poses = new PoseColumns();
  const rows = world.sample(world.tick, 0, poses);
  const grid = new RowGrid(state.info.map.width, state.info.map.height);
  grid.set(poses, rows);
  return {
    poses,
    grid,
    shown: { rows: Uint32Array.from({ length: rows }, (_, r) => r), count: rows },
    rowOf: (slot: number) => poses.slot.indexOf(slot),
    place: (slot: number) => ({ x: world.posX(slot) / 1024, z: world.posY(slot) / 1024 }),
  };
}

describe("the size of an explosion", () => {
  it("grows with what explodes", () => {
    const sizes = [
      type(0, "scout", { radius: 0.3 }),
      type(0, "artillery", { radius: 0.45 }),
      type(0, "tower", { class: "structure", footprint: 2 }),
      type(0, "command-centre", { class: "structure", footprint: 4 }),
    ].map(sizeOfDeath);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(sizes[3]).toBeGreaterThan(3 * sizes[0]);
  });

  it("follows a weapon's splash, whether its projectile was seen or not", () => {
    const weapons = [
      { ...RULES.weapons[0], projectile: true, projectileType: 5, splash: 2048 },
      { ...RULES.weapons[0], splash: 0 },
    ];
    const rules = { ...RULES, weapons };
    expect(sizeOfWeapon(rules, 0)).toBe(1.5);
    expect(sizeOfProjectile(rules, 5)).toBe(1.5);
    const small = sizeOfWeapon(rules, 1);
    expect(small).toBeLessThan(0.5);
    expect([sizeOfWeapon(rules, 99), sizeOfProjectile(rules, 4)]).toEqual([small, small]);
  });

  it("has a limit to its parts, and less of them in a lower quality", () => {
    for (let size = 0; size < 50; size += 0.3) {
      expect(billowsOf(size, 1)).toBeLessThanOrEqual(BILLOWS_MAX);
      expect(smokesOf(size, 1)).toBeLessThanOrEqual(SMOKES_MAX);
      expect(shardsOf(size, 1)).toBeLessThanOrEqual(SHARDS_MAX);
      for (const of of [billowsOf, smokesOf, shardsOf, plumeOf])
        expect(of(size, 0.5)).toBeLessThanOrEqual(of(size, 1));
    }
    expect(billowsOf(0.1, 0.5)).toBe(1); // whatever explodes shows
  });
});

describe("marks on the ground", () => {
  const { map } = info();
  for (let y = 0; y < map.height; y++)
    for (let x = 20; x < map.width; x++) map.terrain[y * map.width + x] = WATER;
  map.terrain[18 * map.width + 14] = WATER; // a pool of one tile
  for (let y = 0; y < map.height; y++) for (let x = 0; x < 6; x++) map.levels[y * map.width + x] = 3;
  const ground = new HeightField(map);

  it("fit on even land only", () => {
    expect(onWater(ground, 24, 10)).toBe(true);
    expect(onWater(ground, -3, 900)).toBe(false);
    expect(markFits(ground, 12, 12, 1)).toBe(true);
    expect(markFits(ground, 24, 12, 0.3)).toBe(false); // water
    expect(markFits(ground, 14.5, 18.5, 1.2)).toBe(false); // land around it, water in its middle
    expect(markFits(ground, 19.4, 12, 1)).toBe(false); // over the shore
    expect(markFits(ground, 6, 12, 1)).toBe(false); // down a slope
  });

  it("are laid smaller beside water, never on it, and the oldest goes first", () => {
    const drawn: { x: number; radius: number }[] = [];
    const decals = {
      push: (_kind: number, x: number, _y: number, _z: number, radius: number) => drawn.push({ x, radius }),
    } as unknown as Decals;
    const marks = new Marks(ground, [0, 0, 0], 3);
    expect(marks.lay(25, 12, 1, 0)).toBe(false);
    expect(marks.lay(19.3, 12, 1, 0)).toBe(true);
    marks.draw(1, decals, ALL);
    expect(drawn.length).toBe(1);
    expect(drawn[0].radius).toBeLessThan(1);
    for (let k = 0; k < 5; k++) marks.lay(9 + k, 12, 0.5, k);
    drawn.length = 0;
    marks.draw(10, decals, ALL);
    expect(drawn.map((d) => d.x).sort((a, b) => a - b)).toEqual([11, 12, 13]);
    drawn.length = 0;
    marks.draw(1e9, decals, ALL);
    expect(drawn).toEqual([]);
  });
});

describe("what follows from the time alone", () => {
  /** A scene of damaged towers; returns how many clouds and flames a frame draws. */
  function clouds(towers: number, health: number, visible: boolean, trails: number, calm = false): number {
    const state = new MatchState(info());
    if (visible) state.mask.reveal();
    for (let k = 0; k < towers; k++) {
      const at = { x: (2 + (k % 28)) * 1024, y: (2 + Math.floor(k / 28)) * 1024, vx: 0, vy: 0, facing: 0 };
      const slot = state.world.enter({ handle: k + 1, type: 3, owner: 1, ...at }, 0);
      if (Number.isNaN(health)) state.world.hpMax[slot] = 0;
      else state.world.health[slot] = 100 - health;
    }
    const ground = new HeightField(state.info.map);
    const traits = { particles: 1, marks: 8, trails };
    const entities = stand(state);
    const effects = new Effects(
      state,
      ground,
      () => 0,
      entities,
      ALL,
      () => [0, 0, 0],
      traits,
    );
    effects.reducedMotion = calm;
    let drawn = 0;
    const count = () => drawn++;
    const billboards = { billow: count, flame: count } as unknown as Billboards;
    effects.draw(1000, { push: () => {} } as unknown as Decals, billboards, 40);
    return drawn;
  }

  it("is smoke over what is damaged, and fire where little is left", () => {
    expect(clouds(1, 100, true, 9)).toBe(0);
    expect(clouds(1, Number.NaN, true, 9)).toBe(0); // without health there is no damage
    const smoke = clouds(1, 50, true, 9);
    expect(smoke).toBeGreaterThan(0);
    expect(clouds(1, 10, true, 9)).toBeGreaterThan(smoke);
  });

  it("has a limit, is not drawn in the fog, nor with reduced motion", () => {
    const one = clouds(1, 50, true, 9);
    expect(clouds(60, 50, true, 9)).toBe(9 * one);
    expect(clouds(60, 50, false, 9)).toBe(0);
    expect(clouds(60, 50, true, 9, true)).toBe(0);
  });
});
