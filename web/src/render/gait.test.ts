import { PoseColumns } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { GaitColumns } from "./gait";

const FRAME_MS = 16;
const poses = new PoseColumns();

function step(g: GaitColumns, row: number, id: number, x: number, facing: number, moveKind: number): void {
  poses.x[0] = x;
  poses.z[0] = 5;
  poses.facing[0] = facing;
  g.step(row, id, poses, 0, { moveKind, radius: 0.35 }, FRAME_MS);
}

/** Walks a row for some frames, so many tiles each. */
function walk(g: GaitColumns, frames: number, tiles: number, from = 0, moveKind = 0): number {
  let x = from;
  for (let k = 0; k < frames; k++) {
    x += tiles;
    step(g, 3, 7, x, 0, moveKind);
  }
  return x;
}

describe("gait", () => {
  it("follows the way, and stops with it", () => {
    const g = new GaitColumns();
    step(g, 3, 7, 0, 0, 0);
    const x = walk(g, 40, 0.05);
    expect(g.length[3]).toBeGreaterThan(0.9);
    const phase = g.phase[3];
    walk(g, 40, 0, x);
    expect(g.phase[3]).toBe(phase); // no foot slides
    expect(g.length[3]).toBeLessThan(0.01);
    expect(g.bob(3)).toBeCloseTo(0, 3);
  });

  it("is the same over a way, however many frames it takes", () => {
    const few = new GaitColumns();
    const many = new GaitColumns();
    for (const g of [few, many]) step(g, 3, 7, 0, 0, 0);
    walk(few, 10, 0.1);
    walk(many, 40, 0.025);
    expect(few.phase[3]).toBeCloseTo(many.phase[3], 3);
  });

  it("begins anew for another entity, and where one is put elsewhere", () => {
    const g = new GaitColumns();
    step(g, 3, 7, 0, 0, 0);
    walk(g, 40, 0.05);
    step(g, 3, 8, 2.05, 0, 0);
    expect(g.length[3]).toBe(0);
    walk(g, 40, 0.05, 2.05);
    step(g, 3, 7, 60, 0, 0);
    expect(g.length[3]).toBe(0);
  });

  it("rolls what flies to the side that it turns to, and nothing else", () => {
    const g = new GaitColumns();
    for (const moveKind of [3, 0]) {
      for (let k = 0; k < 40; k++) step(g, 3, 7, 0, k * 0.06, moveKind);
      if (moveKind === 3) expect(g.roll[3]).toBeGreaterThan(0.4);
      else expect(Math.abs(g.roll[3])).toBeLessThan(0.05);
    }
  });

  it("keeps what it has when there are more rows", () => {
    const g = new GaitColumns();
    step(g, 3, 7, 0, 0, 0);
    walk(g, 40, 0.05);
    const was = [g.phase[3], g.length[3]];
    g.reserve(5000);
    expect([g.phase[3], g.length[3]]).toEqual(was);
    step(g, 4999, 9, 1, 0, 0);
    expect(g.phase.length).toBe(5000);
  });
});
