// A lobby from the point of view of one player: its screen follows from this alone.

import type { Lobby, LobbyPoll, Seat } from "@fogkeep/client";
import { reasonText, words } from "../text/names";
import { t } from "../text/text";
import { wishesOf } from "./optionfields";
import { type BotLevel, skillNamed, skillOf } from "./skill";

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

/** The ways into a lobby for a visitor without a seat. */
export interface WaysIn {
  /** How many seats players and bots have. */
  readonly taken: number;
  /** All seats are taken. */
  readonly full: boolean;
  /** A player can join now: before the match, or in a seat that the host has opened in it. */
  readonly join: boolean;
  readonly watch: boolean;
}

export function waysInto(l: Pick<Lobby, "seats" | "limit" | "state" | "spectators" | "options">): WaysIn {
  const taken = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").length;
  const full = taken >= l.limit;
  return {
    taken,
    full,
    join: l.state === "playing" ? l.seats.some((s) => s.open === true) : l.state === "open" && !full,
    watch: l.state !== "ended" && l.state !== "closed" && l.spectators.length < l.options.spectators,
  };
}

/** The notice for a visitor before joining: that the match runs, that no seat is free. Empty without one. */
export function standingLine(l: Parameters<typeof waysInto>[0]): string {
  const { full, join, watch } = waysInto(l);
  if (l.state === "playing" || l.state === "starting") {
    const then = join ? "invite.takesSeat" : watch ? "invite.joinLater" : "invite.comeBack";
    return `${t("invite.running")} ${t(then)}`;
  }
  if (l.state === "ended") return t("invite.between");
  return full ? t(watch ? "invite.full" : "invite.fullAll") : "";
}

/** Whether the host can open this seat of the running match for another person, or close it again. */
export const canOpen = (view: LobbyView, s: Seat): boolean =>
  view.host && view.lobby.state === "playing" && !view.ended && (s.canOpen === true || s.open === true);

/** Whether the host can give the bot of a seat another level. A bot that carries out a scenario's orders has no
 * level. */
export const mayChooseLevel = (view: LobbyView, s: Seat): boolean =>
  view.host && view.open && s.kind === "bot" && skillOf(s.level) !== undefined;

/** The level that the next bot gets unless the host chooses: of the bot that played the free seat before. */
export function nextLevel(lobby: Pick<Lobby, "seats">): BotLevel {
  const was = skillOf(lobby.seats.find((s) => s.kind === "open")?.level);
  return was ? skillNamed(was.level, was.style) : "medium";
}

/** The line under the title: the next event, or the reason to wait. */
export function statusLine({ lobby, host, spectates, ended }: LobbyView): string {
  switch (lobby.state) {
    case "open":
      if (host) return hostWaitsFor(lobby);
      return spectates ? t("lobby.waitsToWatch") : t("lobby.waitsForHost");
    case "starting":
      return lobby.startInMs
        ? t("lobby.startingIn", { seconds: Math.ceil(lobby.startInMs / 1000) })
        : t("lobby.starting");
    case "playing":
      if (lobby.waiting)
        return t("lobby.otherVersion", { time: new Date(lobby.waiting.until).toLocaleTimeString() });
      return ended ? t("lobby.endedSoonOpen") : t("lobby.running");
    case "ended":
      return lastResult(lobby);
    case "closed":
      return t("lobby.closed");
  }
}

/** A question in words. */
export function questionWords(poll: LobbyPoll, seats: Lobby["seats"]): string {
  if (poll.kind === "start") return t("lobby.pollStart");
  if (poll.kind === "kick")
    return t("lobby.pollKick", { name: seats.find((s) => s.account?.id === poll.target)?.name ?? "?" });
  const { map, limit, options } = poll.settings;
  const seatCount = limit === undefined ? [] : [t("lobby.pollSeats", { count: limit })];
  return t("lobby.pollSettings", {
    what: [...(map ? [words(map)] : []), ...seatCount, ...wishesOf(options ?? {})].join(", "),
  });
}

/** The host's reason to wait before starting the match. */
export function hostWaitsFor(lobby: Pick<Lobby, "host" | "seats">): string {
  // Where a match is played on, bots take the free seats.
  const taken = lobby.seats.filter((s) => s.kind !== "open" || s.was !== undefined);
  if (taken.length < 2) return t("lobby.alone");
  if (taken.every((s) => s.team === taken[0].team)) return t("lobby.oneTeam");
  const ready = taken.every((s) => s.kind !== "player" || s.ready || s.account?.id === lobby.host);
  return ready ? t("lobby.allReady") : t("lobby.waiting");
}

function lastResult({ result }: Lobby): string {
  if (!result) return t("lobby.matchOver");
  const reason = reasonText(result.reason);
  if (result.winners.length === 0) return t("lobby.lastDraw", { reason });
  return t("lobby.lastWon", { teams: result.winners.map((n) => n + 1).join(", "), reason });
}
