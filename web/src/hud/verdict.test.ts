import type { MatchResult } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { causeText, decisiveMoments, momentText } from "./verdict";

const STEP = 200; // ten seconds

/** A match of two teams whose armies and economies went so; the last point is the end. */
function ended(
  own: number[],
  other: number[],
  winner = 1,
  gathered = [own.map(() => 100), other.map(() => 100)],
) {
  const about = info();
  const history = {
    ticks: own.map((_, k) => k * STEP),
    unspent: own.map((_, k) => [k * 400, 50]),
  };
  const result: MatchResult = {
    winners: [winner],
    reason: "elimination",
    scores: [],
    seriesTicks: STEP,
    // The third player is in the team of the first.
    series: [own, other, own.map(() => 0)].map((army, k) => ({ army, gathered: gathered[k] ?? army })),
  };
  return { about, result, history };
}

const cause = (e: ReturnType<typeof ended>) => causeText(e.about, e.result, e.history);

describe("the cause of the end", () => {
  it("is the lead in army that lasts until the end, with the heap that lay unspent then", () => {
    const lost = ended([100, 300, 300, 100, 90, 0], [100, 100, 250, 350, 300, 300]);
    expect(cause(lost)).toBe(
      "From 0:30 on the other army was worth 3.5 times yours, and 1,200 ore lay unspent.",
    );
  });

  it("leaves out a heap that is small, and the player's own heap after a victory", () => {
    const early = ended([100, 100, 100, 90], [100, 160, 200, 200]);
    early.history.unspent.fill([299, 0]);
    expect(cause(early)).toBe("From 0:10 on the other army was worth 1.6 times yours.");
    expect(cause(ended([100, 300, 300, 300], [100, 100, 0, 0], 0))).toBe(
      "From 0:10 on your army was worth 3 times the other.",
    );
  });

  it("names a side without an army", () => {
    expect(cause(ended([100, 0, 0, 0], [100, 120, 130, 130]))).toMatch(
      /^At 0:10 you had no army left against one worth 120, and 400 ore/,
    );
  });

  it("is the economy when the armies are even, and no sentence when all is even", () => {
    const even = [100, 100, 100, 100];
    expect(cause(ended(even, even))).toBeNull();
    expect(
      cause(
        ended(even, even, 0, [
          [0, 120, 260, 300],
          [0, 100, 200, 200],
        ]),
      ),
    ).toBe("From 0:20 on you had gathered 1.3 times as much as the other side.");
  });

  it("is no lead that a side began with, and no draw's", () => {
    expect(cause(ended([900, 900, 900, 900], [100, 100, 100, 0], 0))).toBeNull();
    const draw = ended([100, 300, 300, 300], [100, 100, 100, 100]);
    draw.result = { ...draw.result, winners: [] };
    expect(cause(draw)).toBeNull();
  });
});

describe("the decisive moments", () => {
  it("are the three largest shifts between the armies, by time, without what the end took", () => {
    const { about, result } = ended(
      [500, 500, 200, 210, 400, 400, 250, 250, 0],
      [500, 500, 480, 300, 300, 310, 310, 310, 900],
    );
    const found = decisiveMoments(about, result);
    expect(found.map((m) => [m.fromTick / STEP, m.own, m.other])).toEqual([
      [1, -300, -20],
      [3, 190, 0],
      [5, -150, 0],
    ]);
    expect(momentText(about, result, found[0])).toBe("Your army −300, the other −20");
    expect(momentText(about, result, found[1])).toBe("Your army +190, the other 0");
  });

  it("are fewer when little happened", () => {
    const { about, result } = ended([500, 490, 495, 500], [500, 500, 500, 500]);
    expect(decisiveMoments(about, result)).toEqual([]);
  });
});
