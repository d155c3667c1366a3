import { MatchState } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { expect, it } from "vitest";
import { resourceFor } from "./gather";

/** A barracks (1), a worker (2), a soldier (3), and ore near (4) and farther (5), in tiles. */
function base(near = 8) {
  const s = new MatchState(info());
  const put = (handle: number, type: number, x: number, owner = 0) =>
    s.world.enter({ handle, type, owner, x: x * 1024, y: 2048, vx: 0, vy: 0, facing: 0 }, 0);
  put(1, 2, 3);
  put(2, 1, 5);
  put(3, 0, 5);
  put(4, 4, 5 + near, 15);
  put(5, 4, 6 + near, 15);
  return s;
}

it("sends a new worker to the nearest resource, and no other unit", () => {
  expect(resourceFor(base(), 2)).toBe(4);
  expect(resourceFor(base(), 3)).toBe(0);
  expect(resourceFor(base(), 99)).toBe(0);
});

it("leaves a worker alone whose resource is not of its base", () => {
  expect(resourceFor(base(16), 2)).toBe(4);
  expect(resourceFor(base(17), 2)).toBe(0);
});

it("leaves a worker to the rally point of its maker", () => {
  const s = base();
  const production = { types: [], rally: { x: 1024, y: 1024 }, progress: 0 };
  (s.own.production as Map<number, unknown>).set(1, production);
  expect(resourceFor(s, 2)).toBe(0);
  (s.own.production as Map<number, unknown>).set(1, { ...production, rally: null });
  expect(resourceFor(s, 2)).toBe(4);
});
