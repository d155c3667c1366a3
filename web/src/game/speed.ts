// Speed and pause of the match, between the SDK and the panels.

import type { Match, MatchInfo } from "@fogkeep/client";
import type { SpeedShown } from "../hud/speedbar";

/** The speeds that a player can ask for, in percent of the normal one. */
export const SPEEDS = [50, 100, 150, 200, 300] as const;

/** Whether no other person plays: the player's wish for a speed holds at once then. */
export const playsAlone = (info: Pick<MatchInfo, "players" | "slot">): boolean =>
  info.players.every((p) => p.slot === info.slot || p.bot || p.state === "left" || p.state === "defeated");

/** Asks for a pause; in a pause, to go on. A second time takes the wish back. */
export function togglePause(match: Match): void {
  const { speed, info } = match;
  const asked = speed.wishes.some((w) => w.slot === info.slot && w.paused);
  match.setSpeed(speed.percent, !speed.paused && !asked);
}

/** Asks for the next faster speed, or the next slower one: from this player's wish, or from the present speed. */
export function stepSpeed(match: Pick<Match, "speed" | "info" | "setSpeed">, step: 1 | -1): void {
  const { speed, info } = match;
  const { percent, paused } = speed.wishes.find((w) => w.slot === info.slot) ?? speed;
  const next = step > 0 ? SPEEDS.find((s) => s > percent) : SPEEDS.filter((s) => s < percent).at(-1);
  if (next !== undefined) match.setSpeed(next, paused);
}

/** The bar's content now. */
export function speedShown(match: Match, nowMs: number): SpeedShown {
  const { speed, info } = match;
  const nameOf = (slot: number) => info.players[slot]?.name ?? "";
  return {
    percent: speed.percent,
    held: speed.held,
    paused: speed.paused,
    by: speed.paused ? nameOf(speed.by) : "",
    orders: speed.paused ? match.unanswered : 0,
    left: speed.pauseEndsMs > 0 ? Math.max(0, Math.ceil((speed.pauseEndsMs - nowMs) / 1000)) : 0,
    wishes: speed.wishes.map((w) => ({
      name: nameOf(w.slot),
      own: !info.spectator && w.slot === info.slot,
      percent: w.percent,
      paused: w.paused,
    })),
    plays: !info.spectator,
  };
}
