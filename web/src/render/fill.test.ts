import { MatchState, typeOf } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Camera } from "./camera";
import { Layers } from "./layers";
import { hoverOf, radiusOf, topOf } from "./models";
import { QUALITY } from "./quality";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

const NOTHING = { selected: new Set<number>(), hover: 0, bars: "all" } as const;

describe("what is filled", () => {
  const random = numbers(2);
  const match = info(64, 64);
  for (let t = 0; t < match.map.levels.length; t++) match.map.levels[t] = Math.floor(random() * 6);
  const state = new MatchState(match);
  state.mask.reveal();
  for (let k = 0; k < 900; k++) {
    const place = { x: Math.floor(random() * 64 * 1024), y: Math.floor(random() * 64 * 1024) };
    state.world.enter(
      { handle: k + 1, type: k % 6, owner: k % 3, ...place, vx: 0, vy: 0, facing: k % 256 },
      -1000,
    );
  }
  const spot = new Vector3();

  for (const quality of ["low", "high"] as const) {
    it(`is all that shows on the screen, and little else, in ${quality}`, () => {
      const layers = new Layers(state, QUALITY[quality], () => 0);
      const camera = new Camera(layers.ground);
      const { entities, ground } = layers;
      let shown = 0;
      let filled = 0;
      for (let n = 0; n < 40; n++) {
        camera.resize(400 + random() * 1200, 300 + random() * 600);
        camera.distance = 9 + random() * 60;
        camera.jump(random() * 64, random() * 64);
        camera.step(16);
        layers.sample(0, 16);
        layers.view.set(camera.perspective);
        layers.fill(0, 16, NOTHING, 40, 1);
        const rows = new Set(entities.shown.rows.subarray(0, entities.shown.count));
        expect(rows.size).toBe(entities.shown.count);
        for (let row = 0; row < entities.drawn; row++) {
          // The obvious way: whether any corner of a box around the model, or its shadow's end, is on the screen.
          const type = typeOf(match.rules, state.world.type[entities.poses.slot[row]]);
          const [x, z] = [entities.poses.x[row], entities.poses.z[row]];
          const floor = ground.floor(x, z);
          const r = radiusOf(type);
          const top = hoverOf(type) + topOf(type);
          const points = [-r, 0, r].flatMap((dx) =>
            [-r, 0, r].flatMap((dz) => [0, top / 2, top].map((dy) => [x + dx, floor + dy, z + dz])),
          );
          // The sun stands 36 high, 30 to the left and 24 behind.
          if (quality === "high") points.push([x + (30 / 36) * top, floor, z + (24 / 36) * top]);
          const on = points.some(([px, py, pz]) => {
            const depth = spot.set(px, py, pz).applyMatrix4(camera.perspective.matrixWorldInverse).z;
            spot.set(px, py, pz).project(camera.perspective);
            return depth < 0 && Math.abs(spot.x) <= 1 && Math.abs(spot.y) <= 1;
          });
          if (!on) continue;
          shown++;
          expect(rows.has(row)).toBe(true);
        }
        filled += rows.size;
      }
      expect(shown).toBeGreaterThan(1000);
      // A rim of some tiles around the screen is filled too.
      expect(filled).toBeLessThan(2.5 * shown);
      layers.dispose();
    });
  }

  it("is all where there is no camera", () => {
    const layers = new Layers(state, QUALITY.low, () => 0);
    layers.sample(0, 16);
    layers.fill(0, 16, NOTHING, 40, 1);
    expect(layers.entities.shown.count).toBe(900);
    layers.dispose();
  });
});
