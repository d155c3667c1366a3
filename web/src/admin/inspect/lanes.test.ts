import { describe, expect, it } from "vitest";
import { facts, orders, times } from "./fixture";
import { frameLanes, framesOf, orderLanes, tickLanes } from "./lanes";

describe("the lanes of the time line", () => {
  it("along ticks are each player's, the phases of the ticks, and each client's traffic", () => {
    const lanes = tickLanes(facts(), times());
    expect(lanes.map((l) => l.name)).toEqual(["Ada", "Ben", "Tick time", "↓ Ada", "↓ Ben"]);
    // Phases lie on each other: the first that is drawn is the sum of all.
    const [all, , , step] = lanes[2].series.map((s) => s.values[3]);
    const row = times().rows[3];
    expect(all).toBeCloseTo(row.step.max + row.view.max + row.encode.max + row.write.max);
    expect(step).toBeCloseTo(row.step.max);
    expect(lanes[2].points?.map((p) => p.at)).toEqual(
      times()
        .rows.filter((r) => r.missed > 0)
        .map((r) => r.tick),
    );
    // Seconds in which something was held back are red.
    expect(lanes[4].series[1].values.filter((v) => v > 0)).toHaveLength(9);
    expect(tickLanes(facts(), null)).toEqual([]);
  });
  it("along orders have a mark for each, a tall red one for the refused", () => {
    const [ada, ben] = orderLanes(facts(), orders.slice(0, 10));
    expect([ada.points?.length, ben.points?.length]).toEqual([5, 5]);
    expect(ben.points?.filter((p) => p.tall).map((p) => Math.floor(p.at))).toEqual([4]);
  });
  it("along frames count the frames of one client, each at its tick", () => {
    const frames = framesOf(facts(), times(), 1);
    expect(frames).toHaveLength(1200);
    expect(frames.slice(0, 3).map((f) => [f.n, f.tick])).toEqual([
      [1, 2],
      [2, 4],
      [3, 6],
    ]);
    expect(frames[9].tick).toBe(20);
    expect(frames.slice(0, 10).reduce((n, f) => n + f.bytes, 0)).toBeCloseTo(times().links[1].rows[0].bytes);
    expect(frameLanes(frames)).toHaveLength(3);
    expect(framesOf(facts(), times(), 7)).toEqual([]);
    expect(frameLanes([])).toEqual([]);
  });
});
