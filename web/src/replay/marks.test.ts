import type { ReplayEvent } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { isMarked, marksOf } from "./marks";

const event = (kind: ReplayEvent["kind"], tick: number, ...losses: [count: number, value: number][]) =>
  ({
    kind,
    tick,
    losses: losses.map(([count, value], slot) => ({ slot, count, value })),
  }) as unknown as ReplayEvent;
const marks = (...events: ReplayEvent[]) =>
  marksOf(events, (tick) => tick / 10_000).map((m) => [m.event.kind, m.event.tick, m.small]);

describe("the marks of the time bar", () => {
  it("leave out a single loss: fights are seen among lost scouts", () => {
    const scouts = Array.from({ length: 9 }, (_, k) => event("fight", 500 + 900 * k, [1, 60]));
    expect(scouts.some(isMarked)).toBe(false);
    expect(
      marks(...scouts.slice(0, 4), event("fight", 4000, [9, 700], [2, 150]), ...scouts.slice(4)),
    ).toEqual([["fight", 4000, false]]);
  });
  it("are small for a skirmish beside a battle", () => {
    expect(marks(event("fight", 1000, [2, 150]), event("fight", 5000, [20, 1500]))).toEqual([
      ["fight", 1000, true],
      ["fight", 5000, false],
    ]);
  });
  it("that would hide each other are one, of the strongest", () => {
    expect(marks(event("fight", 1000, [5, 400]), event("fight", 1010, [9, 700]))).toEqual([
      ["fight", 1010, false],
    ]);
    expect(
      marks(event("contact", 1000), event("fight", 1010, [2, 100]), event("fight", 5000, [30, 2000]))[0],
    ).toEqual(["contact", 1000, false]);
    expect(marks(event("fight", 1000, [5, 400]), event("out", 1010))).toEqual([["out", 1010, false]]);
  });
});
