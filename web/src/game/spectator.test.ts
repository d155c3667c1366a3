import { create } from "@bufbuild/protobuf";
import { ALL_TEAMS, MatchState, mostCentral } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { ServerFrameSchema } from "@fogkeep/client/wire";
import { describe, expect, it } from "vitest";
import { spectatorText } from "../hud/spectatorbar";
import { boxPick } from "../input/selection";

const KINDS = 4 * RULES.types.length;
const soldier = (gap: number, slot: number, x: number, y: number) => [
  gap * KINDS + (slot + 1) * RULES.types.length,
  y * 16 * 16 * 32 + x * 16,
  64,
];

/** Soldiers of the players 0 and 1, who are enemies, far from each other. */
function watching(team: number): MatchState {
  const s = new MatchState({ ...info(), team, slot: 255, spectator: true, delayMs: 60_000 }, true);
  s.apply(
    create(ServerFrameSchema, { tick: 10, enter: [...soldier(3, 0, 4, 4), ...soldier(1, 1, 26, 18)] }),
    0,
  );
  return s;
}

describe("a spectator", () => {
  it("of all teams sees what any of them sees", () => {
    const s = watching(ALL_TEAMS);
    expect([s.mask.visibleAt(4, 4), s.mask.visibleAt(26, 18), s.mask.visibleAt(14, 22)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("with a team's eyes sees what that team sees", () => {
    expect([watching(0).mask.visibleAt(4, 4), watching(0).mask.visibleAt(26, 18)]).toEqual([true, false]);
    expect([watching(1).mask.visibleAt(4, 4), watching(1).mask.visibleAt(26, 18)]).toEqual([false, true]);
  });

  it("owns nothing, and has enemies only with a team's eyes", () => {
    const of = (s: MatchState) => [0, 1, 2, 255].map((owner) => s.relationOf(owner));
    expect(of(watching(ALL_TEAMS))).toEqual(["ally", "ally", "ally", "neutral"]);
    expect(of(watching(0))).toEqual(["ally", "enemy", "ally", "neutral"]);
  });

  it("may box anybody's units, to look at them", () => {
    const s = watching(ALL_TEAMS);
    expect(boxPick(s, [s.world.slot(3), s.world.slot(4)])).toEqual([3, 4]);
  });

  it("begins where the sides are nearest to each other", () => {
    expect(mostCentral(watching(ALL_TEAMS))?.x).toBeCloseTo(26.03, 1);
    expect(mostCentral(new MatchState(info()))).toBeNull();
  });

  it("is told how late the picture is, and when it begins", () => {
    expect(spectatorText(0, 0)).toBe("Spectating");
    expect(spectatorText(60_000, 0)).toBe("Spectating, 60 s delayed");
    expect(spectatorText(60_000, 41_500)).toBe("Spectating, 60 s delayed. Starts here in 42 s");
  });
});
