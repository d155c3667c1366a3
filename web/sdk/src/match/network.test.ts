import { describe, expect, it } from "vitest";
import { Network } from "./network.js";

describe("the account of a connection", () => {
  it("counts a minute, and begins anew", () => {
    const n = new Network();
    let now = 1000;
    for (let k = 0; k < 1199; k++) {
      if (now !== 31_000) n.frame(now, k % 10 === 0 ? 130 : 20, 3);
      now += 50;
    }
    for (const ms of [500, 90, 110]) n.answered(ms);
    n.drew(16);
    n.drew(51);
    expect(n.take(now)).toBeNull();
    const due = { seconds: 60, frames: 1198, late: 119, gaps: 0, longestMs: 100 };
    expect(n.take(now + 50)).toEqual({ ...due, tripMs: 110, corrections: 3, drawn: 2, slow: 1 });
    expect(n.take(now + 60)).toBeNull();
    n.frame(now + 50, 0, 5);
    expect(n.recent(now + 10_050)).toMatchObject({ seconds: 70, frames: 1199, tripMs: 110, corrections: 5 });
  });

  it("stays within what a report may hold after months of sleep", () => {
    const n = new Network();
    n.frame(0, 0, 0);
    n.frame(1e10, 0, 0);
    expect(n.take(1e10)).toMatchObject({ seconds: 131_072, longestMs: 131_072, gaps: 1 });
  });

  it("counts a gap once it is over, also by a message that there is no frame", () => {
    const n = new Network();
    n.frame(0, 0, 0);
    n.alive(1400);
    n.alive(3000);
    n.frame(4600, 900, 0);
    expect(n.recent(5000)).toMatchObject({ frames: 2, late: 1, gaps: 2, longestMs: 1600 });
  });
});
