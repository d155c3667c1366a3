// The player listener's HTTP API: the client that is generated from its
// OpenAPI document, over fetch. The session is a cookie that scripts cannot read.

import { type ChatLine, client, type Kicked, type Lobby } from "../gen/player.js";
import { PROTOCOL } from "./protocol.js";
import { request } from "./request.js";

const player = client(request);

export const api = {
  ...player,
  /** Takes a seat; refused if the server speaks another protocol than this page. */
  joinLobby: (id: string, password?: string, spectate = false) =>
    player.joinLobby(id, { password, spectate: spectate || undefined, protocol: PROTOCOL }),
  ticket: (id: string) => player.ticket(id, { protocol: PROTOCOL }),
};

/** Listens to what happens in a lobby. The browser reconnects by itself and asks for what it missed. */
export function lobbyEvents(
  id: string,
  on: {
    lobby(l: Lobby): void;
    /** `id` is the number of the event: after a lost connection a line may come again. */
    chat(line: ChatLine & { announce: boolean; id: number }): void;
    kicked(k: Kicked): void;
    /** The connection is lost; it is there again. */
    away(): void;
    back(): void;
  },
): { close(): void } {
  const source = new EventSource(player.lobbyEventsUrl(id));
  const listen = <T>(kind: string, fn: (v: T, id: number) => void) =>
    source.addEventListener(kind, (e) => {
      const { data, lastEventId } = e as unknown as { data: string; lastEventId: string };
      try {
        fn(JSON.parse(data) as T, Number(lastEventId));
      } catch {
        // An event that cannot be read is skipped: the next lobby event is complete.
      }
    });
  listen<Lobby>("lobby", on.lobby);
  listen<ChatLine>("chat", (c, id) => on.chat({ ...c, announce: false, id }));
  listen<ChatLine>("announce", (c, id) => on.chat({ ...c, announce: true, id }));
  listen<Kicked>("kicked", on.kicked);
  source.onerror = () => on.away();
  source.onopen = () => on.back();
  return { close: () => source.close() };
}
