import { describe, expect, it } from "vitest";
import type { Options } from "../gen/player";
import { passwordWish, rulesLine } from "./lobbyform";
import { hostWaitsFor } from "./lobbyview";

describe("the rules of a lobby, in a line", () => {
  const plain = {
    mode: "skirmish",
    ruleset: "skirmish",
    abandonMinutes: 5,
    countdownSeconds: 0,
    revealOnFire: true,
    whitelist: [],
    scoreLimit: 0,
    ticksPerSecond: 20,
    timeLimitMinutes: 0,
    occlusion: "map",
    spectators: 4,
    spectatorDelay: 60,
  } satisfies Options;
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
  const seat = (kind: "player" | "bot" | "open", ready = false) =>
    ({ slot: 0, kind, team: 0, color: 0, ready }) as const;
  const host = { ...seat("player"), account: { id: "host", name: "Ada" } };
  const waitsFor = (...others: ReturnType<typeof seat>[]) =>
    hostWaitsFor({ host: "host", seats: [host, ...others] });
  it("is somebody else, and then everybody", () => {
    expect(waitsFor(seat("open"))).toBe("Nobody else is here yet. Add a bot, or invite someone.");
    expect(waitsFor(seat("bot"))).toBe("Everyone is ready.");
    expect(waitsFor(seat("player"))).toBe("Waiting until everyone is ready.");
    expect(waitsFor(seat("player", true))).toBe("Everyone is ready.");
  });
});
