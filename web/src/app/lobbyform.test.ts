import { describe, expect, it } from "vitest";
import { rulesLine } from "./lobbyform";

describe("the rules of a lobby, in a line", () => {
  const plain = {
    mode: "skirmish",
    scoreLimit: 0,
    ticksPerSecond: 20,
    timeLimitMinutes: 0,
    occlusion: "map",
    spectators: 4,
    spectatorDelay: 60,
  } as const;
  it("say what differs, and who may watch", () => {
    expect(rulesLine(plain)).toBe("Skirmish · speed: normal · up to 4 spectators, 60 s delayed.");
    expect(rulesLine({ ...plain, ticksPerSecond: 30, timeLimitMinutes: 20, spectators: 0 })).toBe(
      "Skirmish · speed: fast · the score decides after 20 min · no spectators.",
    );
    expect(rulesLine({ ...plain, mode: "deathmatch", scoreLimit: 20 })).toMatch(/^Deathmatch to 20 · /);
    expect(rulesLine({ ...plain, ticksPerSecond: 7, occlusion: "none", spectatorDelay: 0 })).toBe(
      "Skirmish · speed: 7 ticks a second · hides: nothing · up to 4 spectators, live.",
    );
  });
});
