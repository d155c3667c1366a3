import { describe, expect, it } from "vitest";
import { waitWords } from "./lobby";
import { passwordWish, rulesLine } from "./lobbyform";

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
    expect(rulesLine({ ...plain, seed: "42" })).toMatch(/ · seed fixed to 42: everyone can foresee/);
    expect(rulesLine({ ...plain, mode: "deathmatch", scoreLimit: 20 })).toMatch(/^Deathmatch to 20 · /);
    expect(rulesLine({ ...plain, ticksPerSecond: 7, occlusion: "none", spectatorDelay: 0 })).toBe(
      "Skirmish · speed: 7 ticks a second · hides: nothing · up to 4 spectators, live.",
    );
  });
});

describe("a lobby's password", () => {
  it("stays unless another is written or it is removed", () => {
    expect([passwordWish("", false), passwordWish("tide", false), passwordWish("", true)]).toEqual([
      undefined,
      "tide",
      "",
    ]);
    expect(passwordWish("typed before the box was ticked", true)).toBe("");
  });
});

describe("what the host waits for", () => {
  const seats = (...kinds: string[]) => ({ seats: kinds.map((kind) => ({ kind })) });
  it("is somebody else, and then everybody", () => {
    expect(waitWords(seats("player", "open"), true)).toBe(
      "Nobody else is here yet. Add a bot, or invite someone.",
    );
    expect(waitWords(seats("player", "bot"), true)).toBe("Everyone is ready.");
    expect(waitWords(seats("player", "player"), false)).toBe("Waiting until everyone is ready.");
  });
});
