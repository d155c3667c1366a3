import type { MatchState, PoseColumns } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { Flights } from "./flights";
import { RowGrid } from "./rowgrid";

/** A shell of range 10 and height 3 at x 5, which flies east; the others stand at (x, 5). */
function scene(others: { owner: number; x: number }[]) {
  const gun = {
    projectile: true,
    projectileType: 1,
    range: 10_240,
    lob: 3072,
    bounces: 0,
    pierces: 0,
    splits: 5,
  };
  const unit = { id: 0, class: "unit", weapons: [0], radius: 0.4 };
  const rows = [{ owner: 1, x: 5 }, ...others];
  let left: (e: { id: number; slot: number; why: string }) => void;
  const state = {
    info: {
      rules: { types: [unit, { id: 1, class: "projectile", weapons: [] }], weapons: [gun] },
      players: [{ team: 0 }, { team: 1 }],
    },
    events: {
      on: (_: string, f: typeof left) => {
        left = f;
        return () => {};
      },
    },
    shots: { drawnShot: () => undefined },
    world: {
      ids: rows.map((_, k) => k + 1),
      type: rows.map((_, k) => (k === 0 ? 1 : 0)),
      owner: rows.map((r) => r.owner),
      tick: 0,
      enterTick: rows.map((_, k) => 3 * k),
      posX: (slot: number) => 1024 * poses.x[slot],
      posY: (slot: number) => 1024 * poses.z[slot],
      velocityX: () => 6,
      velocityY: () => 0,
    },
  } as unknown as MatchState;
  const poses = {
    slot: Uint32Array.from(rows, (_, k) => k),
    x: Float32Array.from(rows, (r) => r.x),
    z: Float32Array.from(rows, () => 5),
  } as unknown as PoseColumns;
  const grid = new RowGrid(32, 32);
  grid.set(poses as never, rows.length);
  const flights = new Flights(state, poses, grid);
  const move = (x: number, row = 0) => {
    poses.x[row] = x;
    return flights.height(row, row);
  };
  /** It ends at a tick. */
  const end = (tick: number, why: string) => {
    state.world.tick = tick;
    left({ id: 1, slot: 0, why });
  };
  return { move, end };
}

describe("the arc of a lobbed shell", () => {
  it("goes from its gun to the first foe in its way", () => {
    const { move: at } = scene([
      { owner: 1, x: 5 },
      { owner: 1, x: 7 },
      { owner: 0, x: 11 },
      { owner: 0, x: 14 },
    ]);
    expect([5, 8, 11, 12].map((x) => at(x))).toEqual([0, expect.closeTo(1.8), 0, 0]);
  });
  it("goes on to the range where no foe is seen", () => {
    const { move: at } = scene([{ owner: 1, x: 5 }]);
    expect([5, 10, 15].map((x) => at(x))).toEqual([0, 3, 0]);
  });
  it("has only its last part if the team did not see the shot", () => {
    const { move: at } = scene([{ owner: 0, x: 9 }]);
    expect([5, 9].map((x) => at(x))).toEqual([expect.closeTo(2.88), expect.closeTo(0)]);
  });
  it("begins at the top if the team sees neither gun nor foe", () => {
    expect(scene([]).move(5)).toBeCloseTo(3);
  });
  it("ends in a burst at its height, from which the pieces of that tick come down", () => {
    for (const [tick, why, high] of [
      [3, "dead", 3],
      [3, "fog", 0],
      [4, "dead", 0],
    ] as const) {
      const { move, end } = scene([{ owner: 1, x: 5 }]);
      move(5);
      expect(move(10)).toBeCloseTo(3);
      end(tick, why);
      expect([10, 10.75, 12].map((x) => move(x, 1))).toEqual(
        [high, high / 2, 0].map((n) => expect.closeTo(n)),
      );
    }
  });
});
