// The player listener's HTTP API, in its own words. The session is a cookie
// that scripts cannot read. Refusals become FogkeepError with the server's
// code and its sentence.

import { FogkeepError } from "../base/errors";
import { PROTOCOL } from "./link";

export interface Account {
  id: string;
  name: string;
  guest: boolean;
}

export interface MapInfo {
  id: string;
  name: string;
  hash: string;
  width: number;
  height: number;
  starts: number;
}

export interface Seat {
  slot: number;
  kind: "open" | "player" | "bot" | "spectator";
  account?: { id: string; name: string };
  name?: string;
  team: number;
  color: number;
  ready: boolean;
}

/** What a page needs of a lobby's options. */
export interface LobbyOptions {
  mode: string;
  ticksPerSecond: number;
  /** The score that wins, in modes that have one; 0: none. */
  scoreLimit: number;
  /** When the higher score wins; 0: never. */
  timeLimitMinutes: number;
  occlusion: "map" | "none" | "high-ground" | "line-of-sight";
  /** How many may watch. */
  spectators: number;
  /** Seconds that who sees all is behind. */
  spectatorDelay: number;
  /** The match's seed, if the host has fixed it; else the server draws one that nobody is told. */
  seed?: string;
}

/** What a host decides. */
export interface LobbyWishes {
  name: string;
  map: string;
  /** Empty: none. Left out of a change, the lobby keeps what it has. */
  password?: string;
  limit?: number;
  options?: Partial<LobbyOptions>;
}

export interface Lobby {
  id: string;
  name: string;
  host: string;
  hostName: string;
  map: MapInfo;
  private: boolean;
  state: "open" | "starting" | "playing" | "ended" | "closed";
  limit: number;
  options: LobbyOptions;
  matchId?: string;
  result?: { matchId: string; reason: string; winners: number[] | null };
  seats: Seat[];
  spectators: Seat[];
  startInMs?: number;
  version: number;
  /** Counts changes of what ready agrees to. */
  settingsVersion: number;
}

export interface PlayRecord {
  played: number;
  won: number;
  lost: number;
  drawn: number;
}

export interface Played {
  matchId: string;
  map: string;
  /** Empty while it runs. */
  outcome: "" | "won" | "lost" | "drawn" | "void";
  reason: string;
  ended: string;
}

export interface Ticket {
  ticket: string;
  matchId: string;
  expiresInMs: number;
}

/** Asks the server. `base` is for other origins and tests. */
export async function request<T>(method: string, path: string, body?: unknown, base = ""): Promise<T> {
  let r: Response;
  try {
    r = await fetch(base + path, {
      method,
      credentials: "same-origin",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new FogkeepError(
      "unreachable",
      "The server does not answer. Check the connection and try again.",
      true,
    );
  }
  if (r.status === 204) return undefined as T;
  const text = await r.text();
  let data: unknown;
  try {
    data = text ? JSON.parse(text) : undefined;
  } catch {
    data = undefined;
  }
  if (r.ok) return data as T;
  const p = (data ?? {}) as { code?: string; detail?: string; title?: string };
  const said = p.detail || p.title || `The server answered ${r.status}`;
  throw new FogkeepError(
    p.code ?? `http_${r.status}`,
    asSentence(said),
    r.status >= 500 || r.status === 429,
    r.status,
  );
}

function asSentence(s: string): string {
  const t = s.trim();
  const head = t ? t[0].toUpperCase() + t.slice(1) : "Something went wrong";
  return /[.!?]$/.test(head) ? head : `${head}.`;
}

const lobby = (id: string) => `/api/lobbies/${encodeURIComponent(id)}`;

export const api = {
  me: () => request<{ account: Account; record?: PlayRecord; lobby?: Lobby | null }>("GET", "/api/me"),
  history: () => request<{ matches: Played[] }>("GET", "/api/me/history"),
  guest: (name?: string) => request<{ account: Account }>("POST", "/api/guest", name ? { name } : {}),
  register: (name: string, password: string) =>
    request<{ account: Account }>("POST", "/api/register", { name, password }),
  upgrade: (name: string, password: string) =>
    request<{ account: Account }>("POST", "/api/me/upgrade", { name, password }),
  login: (name: string, password: string) =>
    request<{ account: Account }>("POST", "/api/login", { name, password }),
  changePassword: (old: string, next: string) =>
    request<{ account: Account }>("POST", "/api/me/password", { old, new: next }),
  logoutEverywhere: () => request<void>("POST", "/api/logout/everywhere"),
  deleteAccount: (password?: string) => request<void>("POST", "/api/me/delete", { password }),
  logout: () => request<void>("POST", "/api/logout"),
  maps: () => request<{ maps: MapInfo[] }>("GET", "/api/maps"),
  lobbies: (q: string) =>
    request<{ lobbies: Lobby[]; next?: number }>("GET", `/api/lobbies?q=${encodeURIComponent(q)}`),
  lobby: (id: string) => request<Lobby>("GET", lobby(id)),
  create: (l: LobbyWishes) => request<Lobby>("POST", "/api/lobbies", l),
  configure: (id: string, l: Partial<LobbyWishes>) => request<Lobby>("PATCH", lobby(id), l),
  join: (id: string, password?: string, spectate = false) =>
    request<Lobby>("POST", `${lobby(id)}/join`, {
      password,
      spectate: spectate || undefined,
      protocol: PROTOCOL,
    }),
  leave: (id: string) => request<void>("POST", `${lobby(id)}/leave`),
  seat: (id: string, change: { team?: number; color?: number; ready?: boolean; settingsVersion?: number }) =>
    request<Lobby>("PATCH", `${lobby(id)}/seat`, change),
  addBot: (id: string, team?: number) =>
    request<Lobby>("POST", `${lobby(id)}/bots`, team === undefined ? {} : { team }),
  removeSeat: (id: string, slot: number) => request<Lobby>("DELETE", `${lobby(id)}/seats/${slot}`),
  start: (id: string) => request<Lobby>("POST", `${lobby(id)}/start`),
  cancelStart: (id: string) => request<Lobby>("POST", `${lobby(id)}/cancel`),
  rematch: (id: string) => request<Lobby>("POST", `${lobby(id)}/rematch`),
  chat: (id: string, text: string) => request<void>("POST", `${lobby(id)}/chat`, { text }),
  ticket: (id: string) => request<Ticket>("POST", `${lobby(id)}/ticket`, { protocol: PROTOCOL }),
  playBot: (map?: string) => request<Lobby>("POST", "/api/play/bot", map ? { map } : {}),
};

export interface LobbyStream {
  close(): void;
}

/** A lobby's live events. The browser comes back by itself and asks for what it missed by event id. */
export function lobbyEvents(
  id: string,
  on: {
    lobby(l: Lobby): void;
    chat(line: { name: string; text: string; announce: boolean }): void;
    kicked(k: { account: string; reason: string }): void;
    away(): void;
  },
): LobbyStream {
  const source = new EventSource(`${lobby(id)}/events`);
  const listen = <T>(kind: string, fn: (v: T) => void) =>
    source.addEventListener(kind, (e) => {
      try {
        fn(JSON.parse((e as MessageEvent<string>).data) as T);
      } catch {
        // One event that cannot be read is left out; the next lobby event is whole again.
      }
    });
  listen<Lobby>("lobby", on.lobby);
  listen<{ name: string; text: string }>("chat", (c) => on.chat({ ...c, announce: false }));
  listen<{ name: string; text: string }>("announce", (c) => on.chat({ ...c, announce: true }));
  listen<{ account: string; reason: string }>("kicked", on.kicked);
  source.onerror = () => on.away();
  return { close: () => source.close() };
}
