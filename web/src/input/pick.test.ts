import { MatchState, typeOf } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { Camera } from "../render/camera";
import { Layers } from "../render/layers";
import { QUALITY } from "../render/quality";
import { Screen } from "../render/screen";
import { PAD_PX, type Picked, pickAt, pickBox } from "./pick";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

const RANK = { own: 0, ally: 1, enemy: 1, neutral: 2 } as const;
const WIDTH = 900;
const HEIGHT = 600;

/** A crowd on hills, drawn without a graphics card. */
function stage(seed: number) {
  const random = numbers(seed);
  const match = info(48, 40);
  for (let t = 0; t < match.map.levels.length; t++)
    match.map.levels[t] = Math.floor(random() * (t % 48 < 24 ? 1 : 9));
  const state = new MatchState(match);
  for (let k = 0; k < 600; k++) {
    const place = { x: Math.floor(random() * 48 * 1024), y: Math.floor(random() * 40 * 1024) };
    const owner = [0, 1, 2, 0xff][Math.floor(random() * 4)];
    state.world.enter(
      { handle: k + 1, type: Math.floor(random() * 6), owner, ...place, vx: 0, vy: 0, facing: 0 },
      0,
    );
  }
  const layers = new Layers(state, QUALITY.low, () => 0);
  const camera = new Camera(layers.ground);
  const screen = new Screen(state, camera, layers.ground, layers.entities);
  camera.resize(WIDTH, HEIGHT);
  screen.resize(WIDTH, HEIGHT);
  layers.sample(0, 0);
  return {
    random,
    state,
    layers,
    camera,
    picked: { screen, entities: layers.entities } as unknown as Picked,
  };
}

/** The obvious way: looks at each entity. */
function at(p: Picked, state: MatchState, x: number, y: number, pad: number): number {
  const spot = { x: 0, y: 0, r: 0 };
  let best = -1;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let row = 0; row < p.entities.drawn; row++) {
    const slot = p.entities.poses.slot[row];
    if (typeOf(state.info.rules, state.world.type[slot]).class === "projectile") continue;
    if (!p.screen.toScreen(row, spot)) continue;
    const d = Math.hypot(spot.x - x, spot.y - y);
    if (d > spot.r + pad) continue;
    const score = RANK[state.relation(slot)] * 1000 + d / spot.r;
    if (score >= bestScore) continue;
    bestScore = score;
    best = slot;
  }
  return best;
}

function inBox(p: Picked, box: { x0: number; y0: number; x1: number; y1: number }): number[] {
  const spot = { x: 0, y: 0, r: 0 };
  const out: number[] = [];
  for (let row = 0; row < p.entities.drawn; row++) {
    if (!p.screen.toScreen(row, spot)) continue;
    const r = spot.r * 0.5;
    if (spot.x + r < box.x0 || spot.x - r > box.x1 || spot.y + r < box.y0 || spot.y - r > box.y1) continue;
    out.push(p.entities.poses.slot[row]);
  }
  return out;
}

describe("what is under the pointer", () => {
  it("is the same with the grid as by a look at each entity", () => {
    let hits = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const { random, state, layers, camera, picked } = stage(seed);
      for (let n = 0; n < 24; n++) {
        camera.distance = 9 + random() * 80;
        camera.jump(random() * 48, random() * 40);
        camera.step(16);
        // Icons take the place of models from afar, and are hit by their size in pixels.
        layers.entities.icons = camera.height > 50 ? 1 : 0;
        for (let k = 0; k < 30; k++) {
          const x = random() * WIDTH;
          const y = random() * HEIGHT;
          const pad = k % 3 === 0 ? 10 : PAD_PX;
          const want = at(picked, state, x, y, pad);
          expect(pickAt(picked, state, x, y, pad)).toBe(want);
          if (want >= 0) hits++;
        }
        for (let k = 0; k < 6; k++) {
          const x0 = random() * WIDTH;
          const y0 = random() * HEIGHT;
          const box = { x0, y0, x1: x0 + random() * 400, y1: y0 + random() * 300 };
          expect(pickBox(picked, box)).toEqual(inBox(picked, box));
        }
      }
    }
    expect(hits).toBeGreaterThan(300);
  });

  it("is found among few, not among all", () => {
    const { camera, picked } = stage(9);
    camera.distance = 12;
    camera.jump(10, 20);
    camera.step(16);
    expect(picked.screen.rowsIn(450, 300, 450, 300, PAD_PX)).toBeLessThan(200);
  });
});
