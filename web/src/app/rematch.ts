import type { Lobby } from "@fogkeep/client";
import { api } from "./server";

/**
 * Opens a lobby again after its match, at the host's word: everybody keeps the seat.
 * A host without other people starts the next match at once.
 */
export async function rematch(id: string, me: string): Promise<Lobby> {
  const open = await api.rematch(id);
  const alone = open.seats.every((s) => s.kind !== "player" || s.account?.id === me);
  return alone && open.state === "open" ? api.startMatch(id) : open;
}
