import { describe, expect, it } from "vitest";
import { sentences } from "./lag";

const well = {
  seconds: 60,
  frames: 1200,
  late: 0,
  gaps: 0,
  longestMs: 60,
  tripMs: 80,
  corrections: 0,
  drawn: 3600,
  slow: 10,
};

describe("words about lag", () => {
  it.each([
    ["nothing", {}, 100, ["No lag was measured in the last minute."]],
    ["the server", {}, 70, ["The server is busy: the match runs at 70 % of its speed."]],
    ["late frames", { late: 240 }, 100, ["Network: 20 % of the data came late."]],
    ["gaps", { gaps: 1, late: 900, longestMs: 2340 }, 100, ["Network: 1 gap, the longest lasted 2.3 s."]],
    ["far away", { tripMs: 420 }, 100, ["Network: answers to orders took 420 ms."]],
    [
      "all",
      { gaps: 2, longestMs: 1600, slow: 1800 },
      50,
      [
        "The server is busy: the match runs at 50 % of its speed.",
        "Network: 2 gaps, the longest lasted 1.6 s.",
        "Your computer: 50 % of the pictures took too long. A lower quality in the settings helps.",
      ],
    ],
  ])("names %s", (_, change, held, want) => {
    expect(sentences({ ...well, ...change }, held)).toEqual(want);
  });
});
