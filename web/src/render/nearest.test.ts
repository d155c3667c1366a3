import { MatchState } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { Layers } from "./layers";
import { QUALITY } from "./quality";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

describe("a shot whose target is not told", () => {
  it("goes to the nearest enemy in range, as by a look at each entity", () => {
    const random = numbers(4);
    const state = new MatchState(info(48, 40));
    const { world } = state;
    for (let k = 0; k < 500; k++) {
      const place = { x: Math.floor(random() * 48 * 1024), y: Math.floor(random() * 40 * 1024) };
      const owner = [0, 1, 2, 0xff][Math.floor(random() * 4)];
      world.enter({ handle: k + 1, type: k % 6, owner, ...place, vx: 0, vy: 0, facing: 0 }, 0);
    }
    const layers = new Layers(state, QUALITY.low, () => 0);
    layers.sample(0, 0);
    // Some leave after the frame was drawn.
    for (let k = 1; k <= 500; k += 17) world.leave(k);
    const teamOf = (slot: number) => state.info.players[world.owner[slot]]?.team;
    let found = 0;
    for (let slot = 0; slot < 500; slot++) {
      if (world.ids[slot] === 0 || world.type[slot] !== 0) continue;
      const { x, z } = layers.entities.place(slot);
      const range = state.info.rules.weapons[0].range / 1024 + 1;
      let best = -1;
      let bestD = range * range;
      for (let s = 0; s < 500; s++) {
        const cls = state.info.rules.types[world.type[s]].class;
        if (world.ids[s] === 0 || teamOf(s) === undefined || teamOf(s) === teamOf(slot)) continue;
        if (cls !== "unit" && cls !== "structure") continue;
        const dx = Math.fround(world.posX(s) / 1024) - Math.fround(x);
        const dz = Math.fround(world.posY(s) / 1024) - Math.fround(z);
        if (dx * dx + dz * dz >= bestD) continue;
        best = s;
        bestD = dx * dx + dz * dz;
      }
      world.aimX[slot] = 0;
      state.events.emit("shot", {
        slot,
        id: world.ids[slot],
        index: 0,
        weapon: 0,
        target: 0,
        x: Number.NaN,
        y: Number.NaN,
      });
      if (best < 0) expect(world.aimX[slot]).toBe(0);
      else {
        found++;
        expect(world.aimX[slot]).toBeCloseTo(world.posX(best) / 1024, 4);
        expect(world.aimZ[slot]).toBeCloseTo(world.posY(best) / 1024, 4);
      }
    }
    expect(found).toBeGreaterThan(30);
  });
});
