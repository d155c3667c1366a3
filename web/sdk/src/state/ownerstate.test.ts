import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { OwnSchema } from "../gen/fogkeep/v1/server_pb.js";
import { OwnerState } from "./ownerstate.js";

const WIDTH = 32;
const CELL = 16 * 16 * WIDTH + 40; // of the tile 2, 1
const MIDDLE = { x: 40 * 64 + 32, y: 16 * 64 + 32 };

function started() {
  const clock = { tick: 100 };
  const own = new OwnerState(
    () => clock.tick,
    (type) => 51 * (type + 1),
    WIDTH,
  );
  return { clock, own, take: (o: MessageInitShape<typeof OwnSchema>) => own.apply(create(OwnSchema, o)) };
}

describe("OwnerState", () => {
  it("keeps what is not told again", () => {
    const { own, take } = started();
    take({ resources: [400, 100], population: 3, populationMax: 20 });
    take({ resources: [350, 100], upgrades: [3] });
    expect([own.resources, own.population, own.populationMax]).toEqual([[350, 100], 3, 20]);
    expect(own.upgrades).toEqual([3]);
    take({ population: 0, populationMax: 20 });
    expect([own.resources, own.population]).toEqual([[350, 100], 0]);
  });

  it("lets production go on by the type's build time", () => {
    const { clock, own, take } = started();
    take({ queues: [9, 2, 0, 1, 5, 3, 0], rallies: [9, CELL + 1] }); // 9 makes 0 then 1, 12 rests
    expect(own.production.get(9)).toMatchObject({ types: [0, 1], rally: MIDDLE });
    expect(own.production.get(12)?.types).toEqual([]);
    expect(own.production.get(9)?.progress).toBeCloseTo(5 / 255, 6);
    clock.tick += 20; // of 51
    expect(own.production.get(9)?.progress).toBeCloseTo(105 / 255, 6);
    clock.tick += 99;
    expect(own.production.get(9)?.progress).toBe(1);
    take({ queues: [9, 0], rallies: [9, 0] });
    expect(own.production.get(9)).toMatchObject({ types: [], rally: null, progress: 0 });
  });

  it("reads what units do, and where to", () => {
    const { own, take } = started();
    const move = OrderKind.MOVE * 3;
    const hold = OrderKind.HOLD * 3;
    take({ tasks: [4, move + 1, CELL, 1, hold, 2, move + 2] });
    expect(own.units.get(4)).toMatchObject({ doing: "move", to: MIDDLE });
    expect(own.units.get(5)).toMatchObject({ doing: "hold", to: null });
    expect(own.units.get(7)).toMatchObject({ doing: "move", to: MIDDLE });
    take({ tasks: [4, 0] });
    expect(own.units.get(4)).toMatchObject({ doing: "idle", to: null });
    own.remove(7);
    expect(own.units.has(7)).toBe(false);
    own.clear();
    expect(own.units.size).toBe(0);
  });

  it("reads energy and when abilities are ready", () => {
    const { own, take } = started();
    take({ energy: [4, 50, 3, 8], ready: [4, 1, 30, 0, 0, 0] });
    expect(own.units.get(4)).toMatchObject({ energy: 50, ready: [0, 130] });
    expect(own.units.get(7)?.energy).toBe(8);
  });

  it("half a row is not there", { timeout: 20_000 }, () => {
    const { own, take } = started();
    take({ queues: [9], tasks: [3], energy: [1], ready: [1, 2], rallies: [1] });
    expect([own.production.size, own.units.size]).toEqual([0, 0]);
    take({ queues: [9, 5, 1], ready: [1, 4_000_000_000, 1] });
    expect(own.production.get(9)).toMatchObject({ types: [1] });
    expect(own.units.get(1)?.ready.length).toBeLessThan(20);
    take({ energy: Array.from({ length: 200_000 }, () => 1) });
    expect(own.units.size).toBe(1 << 16);
  });
});
