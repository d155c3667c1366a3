// A lobby from the point of view of one player: what its screen shows follows
// from this alone.

import type { Lobby, Seat } from "../gen/player";
import { reasonText } from "../text/names";
import { t } from "../text/text";

export interface LobbyView {
  readonly lobby: Lobby;
  /** The player's account id. */
  readonly me: string;
  /** Whether the player is the host. */
  readonly host: boolean;
  /** Whether the lobby can still be changed. */
  readonly open: boolean;
  /** The player's seat; absent for a spectator. */
  readonly seat?: Seat;
  readonly spectates: boolean;
  /** The page has seen the match end; the lobby says so a moment later. */
  readonly ended: boolean;
}

/** `endedMatch` is the id of a match that the page has seen end, or empty. */
export function viewOf(lobby: Lobby, me: string, endedMatch: string): LobbyView {
  return {
    lobby,
    me,
    host: lobby.host === me,
    open: lobby.state === "open",
    seat: lobby.seats.find((s) => s.account?.id === me),
    spectates: lobby.spectators.some((s) => s.account?.id === me),
    ended: endedMatch !== "" && lobby.matchId === endedMatch,
  };
}

/** The line under the title: what happens next, or what the player waits for. */
export function statusLine({ lobby, host, spectates, ended }: LobbyView): string {
  switch (lobby.state) {
    case "open":
      if (host) return hostWaitsFor(lobby);
      return t(spectates ? "lobby.waitsToWatch" : "lobby.waitsForHost");
    case "starting":
      return lobby.startInMs
        ? t("lobby.startingIn", { seconds: Math.ceil(lobby.startInMs / 1000) })
        : t("lobby.starting");
    case "playing":
      return t(ended ? "lobby.endedSoonOpen" : "lobby.running");
    case "ended":
      return lastResult(lobby);
    case "closed":
      return t("lobby.closed");
  }
}

/** What the host waits for before starting the match. */
export function hostWaitsFor(lobby: Pick<Lobby, "host" | "seats">): string {
  const taken = lobby.seats.filter((s) => s.kind === "player" || s.kind === "bot");
  if (taken.length < 2) return t("lobby.alone");
  const ready = taken.every((s) => s.kind === "bot" || s.ready || s.account?.id === lobby.host);
  return t(ready ? "lobby.allReady" : "lobby.waiting");
}

function lastResult({ result }: Lobby): string {
  if (!result) return t("lobby.matchOver");
  const reason = reasonText(result.reason);
  if (result.winners.length === 0) return t("lobby.lastDraw", { reason });
  return t("lobby.lastWon", { teams: result.winners.map((team) => team + 1).join(", "), reason });
}
