// A lobby from the point of view of one player: what its screen shows follows
// from this alone.

import type { Lobby, Seat } from "../gen/player";

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
      return spectates
        ? "You watch once the host starts the match."
        : "The host starts the match when all are ready.";
    case "starting":
      return `The match starts${lobby.startInMs ? ` in ${Math.ceil(lobby.startInMs / 1000)} s` : ""}.`;
    case "playing":
      return ended ? "The match is over; the lobby opens again in a moment." : "The match is running.";
    case "ended":
      return lastResult(lobby);
    case "closed":
      return "This lobby is closed.";
  }
}

/** What the host waits for before starting the match. */
export function hostWaitsFor(lobby: Pick<Lobby, "host" | "seats">): string {
  const taken = lobby.seats.filter((s) => s.kind === "player" || s.kind === "bot");
  if (taken.length < 2) return "Nobody else is here yet. Add a bot, or invite someone.";
  const ready = taken.every((s) => s.kind === "bot" || s.ready || s.account?.id === lobby.host);
  return ready ? "Everyone is ready." : "Waiting until everyone is ready.";
}

function lastResult({ result }: Lobby): string {
  if (!result) return "The match is over.";
  const winners = result.winners;
  if (winners.length === 0) return `The last match had no winner (${result.reason}).`;
  return `Team ${winners.map((t) => t + 1).join(", ")} won the last match (${result.reason}).`;
}
