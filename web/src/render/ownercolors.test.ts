import { NO_OWNER, SLOTS_MAX } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { NEUTRAL, playerColor, RELATION } from "../draw/palette";
import { colorIndex, NEUTRAL_INDEX, OwnerColors } from "./ownercolors";

/** A match with as many players as there can be, four a team. */
function crowd() {
  const [first] = info().players;
  const players = Array.from({ length: SLOTS_MAX }, (_, slot) => ({
    ...first,
    slot,
    team: slot % 16,
    color: slot % 16,
  }));
  return { ...info(), slot: 0, team: 0, spectator: false, players } as ReturnType<typeof info>;
}

describe("the colours of owners", () => {
  it("are there for all players of the largest match, and nobody has the neutral one", () => {
    const colors = new OwnerColors(crowd());
    for (let slot = 0; slot < SLOTS_MAX; slot++) {
      expect(colors.hexOf(slot)).toBe(playerColor(slot % 16));
      expect(colorIndex(slot)).not.toBe(NEUTRAL_INDEX);
    }
    expect(colors.hexOf(NO_OWNER)).toBe(NEUTRAL);
    expect(colors.uniforms.ownerColors.value.length).toBe(NEUTRAL_INDEX + 1);
  });

  it("tell the relation of all of them", () => {
    const colors = new OwnerColors(crowd());
    colors.choose(true);
    expect([0, 16, 48, 63].map((slot) => colors.hexOf(slot))).toEqual([
      RELATION.self,
      RELATION.ally,
      RELATION.ally,
      RELATION.enemy,
    ]);
  });
});
