// Seats for a measured match, by the lobby's HTTP API.

import { Client } from "@fogkeep/client";

export interface SeatTicket {
  readonly ticket: string;
  readonly matchId: string;
}

/** The map with room for three players. */
const SEATS = 3;

/**
 * Makes a match of three guests and returns their tickets: the first two are a
 * team, the third is the other.
 */
export async function openMatch(url: string, name: string): Promise<SeatTicket[]> {
  const guests = await Promise.all(Array.from({ length: SEATS }, () => guest(url)));
  const [host] = guests;
  const map = (await host.maps()).maps.find((m) => m.starts > SEATS);
  if (!map) throw new Error(`no map has more than ${SEATS} starts`);
  const options = { countdownSeconds: 0, spectators: 0 };
  const { id } = await host.createLobby({ name, map: map.id, limit: SEATS, options });
  for (const g of guests.slice(1)) await g.joinLobby(id);
  for (const [k, g] of guests.entries()) await g.changeSeat(id, { team: k < 2 ? 0 : 1 });
  for (const g of guests) {
    const { settingsVersion } = await g.getLobby(id);
    await g.changeSeat(id, { ready: true, settingsVersion });
  }
  await host.startMatch(id);
  for (let waited = 0; (await host.getLobby(id)).state !== "playing"; waited += 100) {
    if (waited > 20_000) throw new Error("the match did not start");
    await new Promise((done) => setTimeout(done, 100));
  }
  return Promise.all(guests.map((g) => g.ticket(id)));
}

/** The API as a new guest. */
async function guest(url: string) {
  const client = new Client({ server: url });
  await client.guest();
  return client.api;
}
