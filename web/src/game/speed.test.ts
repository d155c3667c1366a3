import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { playsAlone, SPEEDS, stepSpeed } from "./speed";

type Played = Parameters<typeof stepSpeed>[0];

/** The speed that the key requests, by the match's speed and this player's (slot 1) earlier request. */
function asked(percent: number, step: 1 | -1, wish?: { percent: number; paused: boolean }, paused = false) {
  const asks: [number, boolean][] = [];
  const wishes = [{ slot: 0, percent: 300, paused: true }, ...(wish ? [{ slot: 1, ...wish }] : [])];
  const match = {
    info: { slot: 1 },
    speed: { percent, paused, wishes },
    setSpeed: (...ask: [number, boolean]) => asks.push(ask),
  };
  stepSpeed(match as unknown as Played, step);
  return asks;
}

describe("a key for the speed", () => {
  it("asks for the next one, and for none beyond the last", () => {
    for (let k = 0; k + 1 < SPEEDS.length; k++) {
      expect(asked(SPEEDS[k], 1)).toEqual([[SPEEDS[k + 1], false]]);
      expect(asked(SPEEDS[k + 1], -1)).toEqual([[SPEEDS[k], false]]);
    }
    expect([asked(300, 1), asked(50, -1)]).toEqual([[], []]);
    expect(asked(120, 1), "between two").toEqual([[150, false]]);
    expect(asked(120, -1)).toEqual([[100, false]]);
  });
  it("goes on from what this player asks for, and leaves a pause as it is", () => {
    expect(asked(100, 1, { percent: 150, paused: false })).toEqual([[200, false]]);
    expect(asked(100, -1, { percent: 150, paused: false })).toEqual([[100, false]]);
    expect(asked(100, 1, undefined, true)).toEqual([[150, true]]);
    expect(asked(100, 1, { percent: 100, paused: true })).toEqual([[150, true]]);
  });
});

it("a player is alone among bots and those who are out", () => {
  const match = info();
  expect(playsAlone(match)).toBe(false);
  match.players[1].bot = true;
  match.players[2].state = "away";
  expect(playsAlone(match), "who lost the connection may come back").toBe(false);
  match.players[2].state = "left";
  expect(playsAlone(match)).toBe(true);
});
