// The admin listener's HTTP API.

import { request } from "../net/api";

export type Role = "viewer" | "moderator" | "admin";

export interface Admin {
  name: string;
  role: Role;
  fog: boolean;
  disabled: boolean;
  created: string;
}

const RANK: Record<Role, number> = { viewer: 1, moderator: 2, admin: 3 };

/** Whether a role covers what another may do. The server decides; this hides what it would refuse. */
export const may = (role: Role, least: Role): boolean => RANK[role] >= RANK[least];

export interface ServerState {
  store: string;
  draining: boolean;
  lobbies: number;
  live: number;
  players: number;
}

export interface AdminAccount {
  id: string;
  name: string;
  guest: boolean;
  email?: string;
}

/** What the server knows of one account. */
export interface AccountFile {
  account: AdminAccount;
  record: { played: number; won: number; lost: number; drawn: number };
  sessions: { address: string; userAgent: string; created: string; expires: string }[];
  lobby?: string;
  ban?: Ban;
}

export interface AdminLobby {
  id: string;
  name: string;
  hostName: string;
  map: { name: string };
  state: string;
  limit: number;
  seats: { kind: string; name?: string }[];
}

export interface AdminMatch {
  id: string;
  map: { name: string };
  state: string;
  seats: { slot: number; name: string; bot: boolean; team: number; color: number }[];
  started: string;
  ended?: string;
  tick?: number;
  players?: number;
  result?: { reason: string; winners: number[] | null };
}

export interface AuditRow {
  num: number;
  at: string;
  admin: string;
  action: string;
  subject: string;
  detail: string;
  address: string;
}

export interface AuditReport {
  rows: number;
  unchained: number;
  /** LINK:HASH of the last row. */
  head: string;
  anchor?: string;
  broken?: string;
}

export interface Ban {
  id: number;
  name?: string;
  range?: string;
  reason: string;
  by: string;
  created: string;
  until?: string;
  lifted?: string;
}

export interface LiveMatch {
  id: string;
  state: string;
  tick: number;
  tickRate: number;
  paused: boolean;
  map: { name: string; hash: string; width: number; height: number };
  players: {
    slot: number;
    name: string;
    team: number;
    /** Its number among the colours of players. */
    color: number;
    bot: boolean;
    connected: boolean;
    alive: boolean;
  }[];
}

export interface LiveEntity {
  key: number;
  type: string;
  shape: "unit" | "structure" | "resource" | "projectile" | "ghost";
  slot: number;
  team: number;
  /** Tiles. */
  x: number;
  y: number;
  facing: number;
  hp: number;
  hpMax: number;
  size: number;
  doing: string;
  seen?: number[];
}

export interface LiveState {
  id: string;
  tick: number;
  eyes: "all" | number;
  width: number;
  height: number;
  entities: LiveEntity[];
  counts: Record<string, number>;
  /** Base64, 2 bits a tile, the lowest bits first. */
  sight?: string;
}

/** What went over in one span of time, in bytes of payload. */
export interface TrafficSums {
  sent: { messages: number; bytes: number };
  received: { messages: number; bytes: number };
  /** `client`: clients send it. */
  parts: { name: string; group: string; client: boolean; bytes: number; rows: number }[];
  classes: { name: string; bytes: number; rows: number }[];
}

/** The last full second, the last 60 of them, and since the match began. */
export interface TrafficSpans {
  second: TrafficSums;
  minute: TrafficSums;
  match: TrafficSums;
}

export interface MatchTraffic {
  id: string;
  tick: number;
  all: TrafficSpans;
  /** The players by slot, then all spectators together, of slot -1. */
  clients: ({ slot: number; spectators: boolean } & TrafficSpans)[];
}

const A = "/admin/api";
const id = encodeURIComponent;

export const admin = {
  me: () => request<{ admin: Admin }>("GET", `${A}/me`),
  login: (name: string, password: string) =>
    request<{ admin: Admin }>("POST", `${A}/login`, { name, password }),
  logout: () => request<void>("POST", `${A}/logout`),
  password: (old: string, next: string) => request<void>("POST", `${A}/me/password`, { old, new: next }),
  serverState: () => request<ServerState>("GET", `${A}/house`),
  drain: (on: boolean) => request<ServerState>("POST", `${A}/house/drain`, { on }),
  announce: (text: string) => request<void>("POST", `${A}/house/announce`, { text }),
  accounts: (q: string, after = "") =>
    request<{ accounts: AdminAccount[]; next?: string }>(
      "GET",
      `${A}/accounts?q=${id(q)}&after=${id(after)}`,
    ),
  account: (account: string) => request<AccountFile>("GET", `${A}/accounts/${id(account)}`),
  endSessions: (account: string) => request<void>("POST", `${A}/accounts/${id(account)}/logout`),
  reset: (account: string) =>
    request<{ link: string; expires: string }>("POST", `${A}/accounts/${id(account)}/reset`),
  remove: (account: string) => request<void>("DELETE", `${A}/accounts/${id(account)}`),
  admins: () => request<{ admins: Admin[] }>("GET", `${A}/admins`),
  addAdmin: (name: string, role: string, fog: boolean) =>
    request<{ password: string }>("POST", `${A}/admins`, { name, role, fog }),
  changeAdmin: (name: string, change: { role?: string; fog?: boolean; disabled?: boolean }) =>
    request<{ admin: Admin }>("PATCH", `${A}/admins/${id(name)}`, change),
  newAdminPassword: (name: string) =>
    request<{ password: string }>("POST", `${A}/admins/${id(name)}/password`),
  kick: (account: string, reason: string) =>
    request<void>("POST", `${A}/accounts/${id(account)}/kick`, { reason }),
  ban: (ban: { account?: string; range?: string; reason: string; hours: number }) =>
    request<{ ban: Ban }>("POST", `${A}/bans`, ban),
  bans: (before = 0) => request<{ bans: Ban[]; next?: number }>("GET", `${A}/bans?before=${before}`),
  lift: (ban: number) => request<unknown>("DELETE", `${A}/bans/${ban}`),
  lobbies: (q: string, page = 0) =>
    request<{ lobbies: AdminLobby[]; next?: number }>("GET", `${A}/lobbies?q=${id(q)}&page=${page}`),
  closeLobby: (lobby: string, reason: string) =>
    request<void>("POST", `${A}/lobbies/${id(lobby)}/close`, { reason }),
  matches: (before = 0) =>
    request<{ matches: AdminMatch[]; next?: number }>("GET", `${A}/matches?before=${before}`),
  endMatch: (match: string, reason: string) =>
    request<void>("POST", `${A}/matches/${id(match)}/end`, { reason }),
  verifyAudit: () => request<AuditReport>("GET", `${A}/audit/verify`),
  audit: (before = 0) => request<{ rows: AuditRow[]; next?: number }>("GET", `${A}/audit?before=${before}`),
  live: () => request<{ matches: LiveMatch[] }>("GET", `${A}/live/matches`),
  traffic: (match: string) => request<MatchTraffic>("GET", `${A}/live/matches/${id(match)}/traffic`),
  look: (match: string, eyes: string) =>
    request<unknown>("GET", `${A}/live/matches/${id(match)}/state?eyes=${eyes}`),
  liveUrl: (match: string, eyes: string) =>
    `${A}/live/matches/${id(match)}/live?eyes=${eyes}&sight=1&everyMs=200`,
};
