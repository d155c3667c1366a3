import { create } from "@bufbuild/protobuf";
import { MatchState } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { ServerFrameSchema } from "@fogkeep/client/wire";
import { expect, it } from "vitest";
import { attackedText } from "./attacked";

/** A state of player 0 that has one soldier of a slot. */
function withSoldier(slot: number, team: number): MatchState {
  const [first] = info().players;
  const players = [0, 1].map((n) => ({ ...first, slot: n, team: n === 0 ? 0 : team }));
  const s = new MatchState({ ...info(), players } as ReturnType<typeof info>, true);
  const types = RULES.types.length;
  s.apply(
    create(ServerFrameSchema, {
      tick: 10,
      enter: [3 * 4 * types + (slot + 1) * types, 4 * 16 * 16 * 32 + 4 * 16, 64],
    }),
    0,
  );
  return s;
}

const slotOf = (s: MatchState) => s.world.ids.findIndex((id) => id !== 0);

it("an alert says whose units are attacked, and does not call a dead team-mate's one's own", () => {
  const own = withSoldier(0, 1);
  expect(attackedText(own, slotOf(own))).toBe("alert.yourUnits");
  expect(attackedText(own, -1)).toBe("alert.yourUnits");
  const allied = withSoldier(1, 0);
  expect(attackedText(allied, slotOf(allied))).toBe("alert.allyUnits");
  expect(attackedText(allied, -1)).toBe("alert.teamUnits");
});
