// A match of the history is played again: in its lobby as long as that is there,
// else in a new one with the same map, options and bots.

import { type Account, FogkeepError, type Lobby, type Played } from "@fogkeep/client";
import { t } from "../text/text";
import { viewOf, waysInto } from "./lobbyview";
import type { Navigation } from "./navigation";
import { optionsOf, valuesOf } from "./optionfields";
import { rematch } from "./rematch";
import { api } from "./server";

/** The use of the lobby that a match was played in; null: it is gone. */
export function wayBack(lobby: Lobby | null, me: string): "reopen" | "enter" | "join" | "new" {
  if (!lobby || lobby.state === "closed") return "new";
  const { seat, spectates, host } = viewOf(lobby, me, "");
  if (seat && host && lobby.state === "ended") return "reopen";
  if (seat || spectates) return "enter";
  return waysInto(lobby).join ? "join" : "new";
}

export async function playAgain(nav: Navigation, account: Account, match: Played): Promise<void> {
  const lobby = await lobbyOf(match.lobbyId);
  const way = wayBack(lobby, account.id);
  if (way === "new" || !lobby) return newLobby(nav, account, match);
  if (way === "join") {
    await nav.join(lobby.id, lobby.private);
    return;
  }
  await nav.openLobby(lobby.id);
  // Its screen hears about the rematch, and enters a match that starts at once.
  if (way === "reopen") await rematch(lobby.id, account.id);
}

async function lobbyOf(id: string): Promise<Lobby | null> {
  try {
    return await api.getLobby(id);
  } catch (err) {
    if (err instanceof FogkeepError && err.status === 404) return null;
    throw err;
  }
}

async function newLobby(
  nav: Navigation,
  account: Account,
  { mapId, players, options }: Played,
): Promise<void> {
  const bots = players.filter((p) => p.bot);
  const first = bots[0]?.level;
  const level = first === "orders" ? undefined : first; // a seat of a scenario: a bot plays in its place
  if (players.length === 2 && bots.length === 1) return nav.playBot({ map: mapId, level });
  nav.showLobby(
    await api.createLobby({
      name: t("home.lobbyOf", { name: account.name }),
      map: mapId,
      limit: players.length,
      bots: bots.length,
      level,
      options: optionsOf(valuesOf(options)),
    }),
  );
}
