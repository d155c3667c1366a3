// Which text tells of an attack: whose units or base it is.

import { type MatchState, typeOf } from "@fogkeep/client";
import type { TextKey } from "../text/text";

/**
 * The key of the alert's text. The slot is -1 if the victim is gone with the frame that reports the attack: then it
 * may have belonged to any player of the team.
 */
export function attackedText(state: MatchState, slot: number): TextKey {
  const { info, world } = state;
  if (slot < 0) {
    const mates = info.players.filter((p) => p.team === info.team).length;
    if (info.spectator) return "alert.someUnits";
    return mates > 1 ? "alert.teamUnits" : "alert.yourUnits";
  }
  const structure = typeOf(info.rules, world.type[slot]).class === "structure";
  if (state.relation(slot) !== "ally") return structure ? "alert.yourBase" : "alert.yourUnits";
  if (info.spectator) return structure ? "alert.playerBase" : "alert.playerUnits";
  return structure ? "alert.allyBase" : "alert.allyUnits";
}
