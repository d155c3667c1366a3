import { describe, expect, it } from "vitest";
import type { Changes, Entity, State } from "./shapes";
import { changed, worldOf } from "./world";

const unit = (id: number, x = 0): Entity => ({
  id,
  shape: "unit",
  type: "scout",
  slot: 0,
  team: 0,
  x,
  y: 0,
  facing: 0,
  hp: 10,
  hpMax: 10,
  seen: [0],
});
const state: State = {
  tick: 10,
  eyes: 1,
  width: 5,
  height: 1,
  entities: [unit(1), unit(2), unit(3)],
  counts: {},
  sight: btoa(String.fromCharCode(0b11_10_01_00, 0b10)),
};
const change: Changes = {
  from: 10,
  tick: 12,
  eyes: 1,
  entered: [unit(4)],
  changed: [unit(2, 5)],
  left: [3],
  sight: [
    { tile: 0, now: 2 },
    { tile: 1, now: 2 },
    { tile: 4, now: 0 },
  ],
};

describe("a world", () => {
  const w = worldOf(state, 5);
  it("is made of a state", () => {
    expect([w.tick, w.eyes, w.entities.length]).toEqual([10, 1, 3]);
    expect([...(w.sight ?? [])]).toEqual([0, 1, 2, 3, 2]);
    expect(worldOf({ ...state, sight: undefined }, 5).sight).toBeNull();
  });
  it("goes on by a difference, and the one before it stays as it was", () => {
    const next = changed(w, change);
    expect(next?.tick).toBe(12);
    expect([...(next?.byId.keys() ?? [])].sort()).toEqual([1, 2, 4]);
    expect(next?.byId.get(2)?.x).toBe(5);
    expect([...(next?.sight ?? [])]).toEqual([2, 2, 2, 3, 0]);
    expect(w.byId.get(2)?.x).toBe(0);
    expect([...(w.sight ?? [])]).toEqual([0, 1, 2, 3, 2]);
  });
  it("takes no difference from another tick, or of other eyes", () => {
    expect(changed(w, { ...change, from: 9 })).toBeNull();
    expect(changed(w, { ...change, eyes: 0 })).toBeNull();
  });
});
