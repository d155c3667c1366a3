// Made by internal/tools/apiclient from lobby/api/openapi.admin.json. Do not edit.

import { query, segment, type Call, type CallOptions } from "@fogkeep/client";

export interface Account {
  /** told to the player alone */
  email?: string;
  /** has no password yet */
  guest: boolean;
  id: string;
  name: string;
}

export interface AccountOutBody {
  account: Account;
  ban?: Ban;
  /** the account's external identities */
  identities: Linked[];
  lobby?: string;
  record: Record;
  sessions: Session[];
}

export interface AccountsOutBody {
  accounts: Account[];
  /** pass as after for the next page */
  next?: string;
}

export interface Admin {
  created: string;
  disabled: boolean;
  /** may look through the fog of live matches */
  fog: boolean;
  name: string;
  role: "viewer" | "moderator" | "admin";
}

export interface AdminAddAdminRequest {
  fog?: boolean;
  name: string;
  role: "viewer" | "moderator" | "admin";
}

export interface AdminAnnounceRequest {
  text: string;
}

export interface AdminBanRequest {
  /** id or name; this or range */
  account?: string;
  /** 0: for good */
  hours?: number;
  /** such as 192.0.2.7 or 192.0.2.0/24 */
  range?: string;
  /** told to the banned */
  reason: string;
}

export interface AdminChangeAdminRequest {
  disabled?: boolean;
  fog?: boolean;
  role?: "viewer" | "moderator" | "admin";
}

export interface AdminChangePasswordRequest {
  new: string;
  old: string;
}

export interface AdminDrainRequest {
  on: boolean;
}

export interface AdminKeepMatchRequest {
  keep: boolean;
}

export interface AdminRotateKeyRequest {
  /** how long the old secret works; 24 if absent */
  overlapHours?: number;
}

export interface AdminRotateWebhookRequest {
  /** how long it is signed with the old secret too; 24 if absent */
  overlapHours?: number;
}

export interface AdminLoggedIn {
  admin: Admin;
  device?: string;
  token?: string;
}

export interface AdminOutBody {
  admin: Admin;
}

export interface AdminsOutBody {
  admins: Admin[];
}

export interface AuditOutBody {
  next?: number;
  rows: AuditRow[];
}

export interface AuditReport {
  /** LINK:HASH of the last row that was deleted because of its age */
  anchor?: string;
  /** what does not fit */
  broken?: string;
  /** LINK:HASH of the last row: keep it outside of the database, and compare later */
  head: string;
  /** that fit */
  rows: number;
  /** rows from before there was a chain */
  unchained: number;
}

export interface AuditRow {
  action: string;
  /** of the command line: the system's user */
  address: string;
  admin: string;
  at: string;
  detail: string;
  /** of the row and of the one before it */
  hash: string;
  /** place in the chain, from 1; 0: from before there was one */
  link: number;
  num: number;
  subject: string;
}

export interface Ban {
  /** account id */
  account?: string;
  by: string;
  created: string;
  id: number;
  lifted?: string;
  /** the account's name at the time */
  name?: string;
  /** addresses */
  range?: string;
  reason: string;
  /** absent: for good */
  until?: string;
}

export interface BanOutBody {
  ban: Ban;
}

export interface BansOutBody {
  bans: Ban[];
  next?: number;
}

export interface Credentials {
  /** answer with a token instead of relying on the cookie */
  bearer?: boolean;
  /** of an earlier answer; browsers have it in a cookie */
  device?: string;
  /** name or email */
  name: string;
  password: string;
}

export interface DeadEvent {
  created: string;
  dead: string;
  /** the endpoint's id */
  endpoint: string;
  /** of the last try */
  failure: string;
  /** of the event */
  id: string;
  kind: string;
  num: number;
  tries: number;
}

export interface DeadOutBody {
  events: DeadEvent[];
  /** pass as before for the next page; absent at the end */
  next?: number;
}

export interface Linked {
  created: string;
  /** the provider's name for itself */
  issuer: string;
  /** names the link for unlinking it */
  key: string;
  /** of the provider, for people */
  name?: string;
  /** id; absent: one cannot log in by this identity here now */
  provider?: string;
  /** the provider's name for the player */
  subject: string;
  /** the last log-in by it */
  used: string;
}

export interface Lobby {
  /** account id */
  host: string;
  hostName: string;
  id: string;
  /** seats of players and bots */
  limit: number;
  map: MapInfo;
  /** the match that runs, or the last */
  matchId?: string;
  name: string;
  /** seed is there if the host has fixed it: then everybody can foresee the match's luck */
  options: Options;
  /** asks for a password */
  private: boolean;
  /** of the last match */
  result?: Outcomes;
  /** limit of them, by slot */
  seats: Seat[];
  /** counts changes of map, options, limit, bots and teams; each takes ready back, and ready names the one it agrees to */
  settingsVersion: number;
  spectators: Seat[];
  /** what is left of the countdown */
  startInMs?: number;
  state: "open" | "starting" | "playing" | "ended" | "closed";
  /** counts its events: of two answers, the higher is newer */
  version: number;
}

export interface LobbyList {
  lobbies: Lobby[];
  /** pass as page for the next; absent at the end */
  next?: number;
}

export interface MapInfo {
  /** of the map's bytes, at GET /maps/{hash} */
  hash: string;
  /** tiles */
  height: number;
  /** what to send when creating a lobby */
  id: string;
  name: string;
  /** number of start points: the most players it holds */
  starts: number;
  /** tiles */
  width: number;
}

export interface Match {
  ended?: string;
  id: string;
  /** an admin has it go on without people */
  kept?: boolean;
  lobby: string;
  map: MapInfo;
  node: string;
  options: Options;
  /** connected now */
  players?: number;
  result?: Outcomes;
  seats: MatchPlayer[];
  /** connected now */
  spectators?: number;
  started: string;
  state: "starting" | "live" | "ended" | "failed";
  /** of a match that runs in this process */
  tick?: number;
}

export interface MatchBudget {
  /** bytes of payload a second that a connection is sent at most, 512 to 1073741824; 0: as the server is configured */
  bytesPerS: number;
  /** the player's, as the match's seats have it; absent: all players and spectators */
  slot?: number;
}

export interface MatchPlayer {
  account?: string;
  bot: boolean;
  color: number;
  name: string;
  slot: number;
  team: number;
}

export interface MatchesOutBody {
  matches: Match[];
  next?: number;
}

export interface NewAdminOutBody {
  /** generated; shown this once */
  password: string;
}

export interface NewServiceKey {
  /** absent or 0: never */
  expiresHours?: number;
  /** whose players it names: that of the game's log-in if there is one, else a word of your own */
  issuer: string;
  /** for people */
  name: string;
  scopes: ("matches:read" | "matches:write" | "players:read" | "webhooks:write")[];
}

export interface NewServiceKeyOutBody {
  key: ServiceKey;
  /** shown this once */
  secret: string;
}

export interface NewWebhookEndpoint {
  /** absent: all */
  events?: ("match.started" | "match.ended" | "player.joined" | "player.left" | "player.kicked" | "account.banned" | "account.unbanned")[];
  /** admins only; absent: all matches and players */
  issuer?: string;
  /** http or https, at a public address unless the server is configured otherwise; no name or password; port 80, 443 or above 1023 */
  url: string;
}

export interface NewWebhookOutBody {
  endpoint: WebhookEndpoint;
  /** signs what the endpoint is sent; shown this once */
  secret: string;
}

/** those that differ from the default; an unknown one is refused by name */
export interface OptionWishes {
  /** a match that no person is connected to ends after so long */
  abandonMinutes?: number;
  /** bytes of payload a second that each connection of the match is sent at most, 512 or more; never more than the server is configured for; 0: as the server is configured */
  bytesPerS?: number;
  /** who sits down later is sent what was said in the lobby's chat while this was so */
  chatHistory?: boolean;
  /** between the host's start and the match */
  countdownSeconds?: number;
  /** the game mode, see docs/rules.md */
  mode?: "skirmish" | "deathmatch";
  /** what hides tiles; "map": what the map says */
  occlusion?: "map" | "none" | "high-ground" | "line-of-sight";
  /** who shoots shows itself for as long as the ruleset says */
  revealOnFire?: boolean;
  /** the table of units and rules, see GET /api/rulesets */
  ruleset?: string;
  /** the score that wins, in modes that have one; 0: none */
  scoreLimit?: number;
  /** decimal, to 2^64-1, as text; "0": the server draws one */
  seed?: string;
  /** seconds that spectators are behind */
  spectatorDelay?: number;
  /** seats to watch from */
  spectators?: number;
  /** how fast the match runs at first, in percent; players can change it together */
  speedPercent?: number;
  /** the team of who sits down; a change gives everybody its team anew */
  teams?: "each" | "sides" | "coop";
  /** ticks in a second of match time: more make it finer, not faster */
  ticksPerSecond?: number;
  /** when the higher score wins; 0: never */
  timeLimitMinutes?: number;
  /** names that may come in; empty: everyone */
  whitelist?: string[];
}

export interface Options {
  /** a match that no person is connected to ends after so long */
  abandonMinutes: number;
  /** bytes of payload a second that each connection of the match is sent at most, 512 or more; never more than the server is configured for; 0: as the server is configured */
  bytesPerS: number;
  /** who sits down later is sent what was said in the lobby's chat while this was so */
  chatHistory: boolean;
  /** between the host's start and the match */
  countdownSeconds: number;
  /** the game mode, see docs/rules.md */
  mode: "skirmish" | "deathmatch";
  /** what hides tiles; "map": what the map says */
  occlusion: "map" | "none" | "high-ground" | "line-of-sight";
  /** who shoots shows itself for as long as the ruleset says */
  revealOnFire: boolean;
  /** the table of units and rules, see GET /api/rulesets */
  ruleset: string;
  /** the score that wins, in modes that have one; 0: none */
  scoreLimit: number;
  /** decimal, to 2^64-1, as text; "0": the server draws one */
  seed?: string;
  /** seconds that spectators are behind */
  spectatorDelay: number;
  /** seats to watch from */
  spectators: number;
  /** how fast the match runs at first, in percent; players can change it together */
  speedPercent: number;
  /** the team of who sits down; a change gives everybody its team anew */
  teams: "each" | "sides" | "coop";
  /** ticks in a second of match time: more make it finer, not faster */
  ticksPerSecond: number;
  /** when the higher score wins; 0: never */
  timeLimitMinutes: number;
  /** names that may come in; empty: everyone */
  whitelist: string[];
}

export interface Outcomes {
  matchId: string;
  /** last-team, surrender, time-limit, score-limit, nobody-left, abandoned (no person was connected for long), failed, lost, or aborted: and an admin's words */
  reason: string;
  seats: SeatResult[];
  ticks: number;
  /** winning teams; none for a draw */
  winners: number[];
}

export interface Person {
  id: string;
  name: string;
}

export interface Problem {
  /** a short reason; lobby.Codes lists them */
  code: string;
  /** a sentence for people */
  detail: string;
  /** what is wrong with the request, one line each */
  errors?: string[];
  /** the option or field at fault */
  field?: string;
  /** the HTTP status */
  status: number;
  /** the status in words */
  title: string;
}

export interface Reason {
  /** told to those it concerns */
  reason: string;
}

export interface Record {
  drawn: number;
  lost: number;
  played: number;
  won: number;
}

export interface ResetOutBody {
  expires: string;
  /** works once */
  link: string;
}

export interface Seat {
  /** of players and spectators */
  account?: Person;
  /** while the match runs: this player has no connection to it; not told in lists, and a change of it is no event */
  away?: boolean;
  /** 0 to 15; -1 for an open seat or a spectator */
  color: number;
  kind: "open" | "player" | "bot" | "spectator";
  /** of a bot: how well it plays */
  level?: "easy" | "medium" | "hard";
  /** who sits there */
  name?: string;
  /** while the match runs: who joins takes the seat over */
  open?: boolean;
  ready: boolean;
  /** the map's start point, from 0; spectators from 100 */
  slot: number;
  /** from 0; of a spectator the one whose eyes it looks with; -1 for an open seat, or a spectator with all eyes */
  team: number;
}

export interface SeatResult {
  name: string;
  outcome: "won" | "lost" | "drawn" | "void";
  slot: number;
  team: number;
}

export interface ServerOutBody {
  /** no new matches; live ones finish */
  draining: boolean;
  /** matches that run in this process */
  live: number;
  /** not closed; 100 at most are counted */
  lobbies: number;
  /** connected to them */
  players: number;
  /** sqlite or postgres */
  store: string;
}

export interface ServiceKey {
  /** the admin who made it */
  by: string;
  created: string;
  expires?: string;
  /** the audit names the key by it */
  id: string;
  /** the key names players by their subjects at this issuer, and sees matches that were made for it */
  issuer: string;
  name: string;
  /** until when the secret before the last rotation works */
  oldUntil?: string;
  revoked?: string;
  scopes: ("matches:read" | "matches:write" | "players:read" | "webhooks:write")[];
  /** last use, to the minute */
  used?: string;
}

export interface ServiceKeysOutBody {
  keys: ServiceKey[];
}

export interface Session {
  address: string;
  created: string;
  expires: string;
  userAgent: string;
}

export interface WebhookEndpoint {
  /** the admin who registered it, or key: and a service key's id */
  by: string;
  created: string;
  events: string[];
  id: string;
  /** whose matches and players it is told of; absent: all */
  issuer?: string;
  /** until when it is signed with the secret before the last rotation too */
  oldUntil?: string;
  url: string;
}

export interface WebhooksOutBody {
  endpoints: WebhookEndpoint[];
}

/** The operations. `call` sends a request and reads its answer. */
export const client = (call: Call) => ({
  /** Accounts by name */
  accounts: (search: { q?: string; after?: string } = {}, o?: CallOptions) => call<AccountsOutBody>("GET", `/admin/api/accounts${query(search)}`, undefined, o),
  /** Delete for good (admin) */
  deleteAccount: (id: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/accounts/${segment(id)}`, undefined, o),
  /** One account's file */
  account: (id: string, o?: CallOptions) => call<AccountOutBody>("GET", `/admin/api/accounts/${segment(id)}`, undefined, o),
  /** Throw out of lobby and match, end sessions (moderator) */
  kick: (id: string, body: Reason, o?: CallOptions) => call<void>("POST", `/admin/api/accounts/${segment(id)}/kick`, body, o),
  /** End all sessions (moderator) */
  endSessions: (id: string, o?: CallOptions) => call<void>("POST", `/admin/api/accounts/${segment(id)}/logout`, undefined, o),
  /** A single-use link for a new password (admin) */
  resetPassword: (id: string, o?: CallOptions) => call<ResetOutBody>("POST", `/admin/api/accounts/${segment(id)}/reset`, undefined, o),
  /** The admins */
  admins: (o?: CallOptions) => call<AdminsOutBody>("GET", `/admin/api/admins`, undefined, o),
  /** Make an admin with a generated password (admin) */
  addAdmin: (body: AdminAddAdminRequest, o?: CallOptions) => call<NewAdminOutBody>("POST", `/admin/api/admins`, body, o),
  /** Change another admin's rights (admin) */
  changeAdmin: (name: string, body: AdminChangeAdminRequest, o?: CallOptions) => call<AdminOutBody>("PATCH", `/admin/api/admins/${segment(name)}`, body, o),
  /** Generate a new password for an admin (admin) */
  newPassword: (name: string, o?: CallOptions) => call<NewAdminOutBody>("POST", `/admin/api/admins/${segment(name)}/password`, undefined, o),
  /** What admins did, newest first */
  audit: (search: { before?: number } = {}, o?: CallOptions) => call<AuditOutBody>("GET", `/admin/api/audit${query(search)}`, undefined, o),
  /** Whether a row of the audit was changed or is missing */
  verifyAudit: (search: { head?: string } = {}, o?: CallOptions) => call<AuditReport>("GET", `/admin/api/audit/verify${query(search)}`, undefined, o),
  /** Bans, newest first */
  bans: (search: { before?: number } = {}, o?: CallOptions) => call<BansOutBody>("GET", `/admin/api/bans${query(search)}`, undefined, o),
  /** Ban an account or a range of addresses (moderator) */
  ban: (body: AdminBanRequest, o?: CallOptions) => call<BanOutBody>("POST", `/admin/api/bans`, body, o),
  /** Lift a ban (moderator) */
  liftBan: (ban: number, o?: CallOptions) => call<BanOutBody>("DELETE", `/admin/api/bans/${segment(ban)}`, undefined, o),
  /** The server at a glance */
  house: (o?: CallOptions) => call<ServerOutBody>("GET", `/admin/api/house`, undefined, o),
  /** Tell everyone something (moderator) */
  announce: (body: AdminAnnounceRequest, o?: CallOptions) => call<void>("POST", `/admin/api/house/announce`, body, o),
  /** Stop or allow new matches (admin) */
  drain: (body: AdminDrainRequest, o?: CallOptions) => call<void>("POST", `/admin/api/house/drain`, body, o),
  /** Service keys, newest first */
  keys: (o?: CallOptions) => call<ServiceKeysOutBody>("GET", `/admin/api/keys`, undefined, o),
  /** Make a service key (admin) */
  addKey: (body: NewServiceKey, o?: CallOptions) => call<NewServiceKeyOutBody>("POST", `/admin/api/keys`, body, o),
  /** End a service key at once (admin) */
  revokeKey: (id: string, o?: CallOptions) => call<void>("POST", `/admin/api/keys/${segment(id)}/revoke`, undefined, o),
  /** Give a service key a new secret (admin) */
  rotateKey: (id: string, body?: AdminRotateKeyRequest, o?: CallOptions) => call<NewServiceKeyOutBody>("POST", `/admin/api/keys/${segment(id)}/rotate`, body, o),
  /** Delete all ratings of a queue: everybody begins anew (admin) */
  resetRatings: (queue: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/leaderboards/${segment(queue)}`, undefined, o),
  /** Delete a player's rating in a queue: the player begins anew (moderator) */
  removeRating: (queue: string, account: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/leaderboards/${segment(queue)}/${segment(account)}`, undefined, o),
  /** Lobbies, newest first */
  lobbies: (search: { q?: string; state?: "open" | "starting" | "playing" | "ended"; public?: boolean; room?: boolean; page?: number; limit?: number } = {}, o?: CallOptions) => call<LobbyList>("GET", `/admin/api/lobbies${query(search)}`, undefined, o),
  /** Close a lobby (moderator) */
  closeLobby: (id: string, body: Reason, o?: CallOptions) => call<void>("POST", `/admin/api/lobbies/${segment(id)}/close`, body, o),
  /** Log in as an admin */
  logIn: (body: Credentials, o?: CallOptions) => call<AdminLoggedIn>("POST", `/admin/api/login`, body, o),
  /** End this session */
  logOut: (o?: CallOptions) => call<void>("POST", `/admin/api/logout`, undefined, o),
  /** Matches, newest first */
  matches: (search: { state?: "starting" | "live" | "ended" | "failed"; before?: number } = {}, o?: CallOptions) => call<MatchesOutBody>("GET", `/admin/api/matches${query(search)}`, undefined, o),
  /** Change how many bytes a second connections of a match are sent at most (moderator) */
  matchBudget: (id: string, body: MatchBudget, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/budget`, body, o),
  /** Break a match off, without a winner (moderator) */
  endMatch: (id: string, body: Reason, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/end`, body, o),
  /** Have a match go on though no person is connected to it, or not (moderator) */
  keepMatch: (id: string, body: AdminKeepMatchRequest, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/keep`, body, o),
  /** Who am I */
  me: (o?: CallOptions) => call<AdminOutBody>("GET", `/admin/api/me`, undefined, o),
  /** Change one's own password; other sessions end */
  changePassword: (body: AdminChangePasswordRequest, o?: CallOptions) => call<void>("POST", `/admin/api/me/password`, body, o),
  /** Webhook endpoints, newest first */
  webhooks: (o?: CallOptions) => call<WebhooksOutBody>("GET", `/admin/api/webhooks`, undefined, o),
  /** Register a webhook endpoint (admin) */
  addWebhook: (body: NewWebhookEndpoint, o?: CallOptions) => call<NewWebhookOutBody>("POST", `/admin/api/webhooks`, body, o),
  /** Events that endpoints did not take, newest first */
  deadEvents: (search: { before?: number } = {}, o?: CallOptions) => call<DeadOutBody>("GET", `/admin/api/webhooks/dead${query(search)}`, undefined, o),
  /** Try a dead event again (admin) */
  retryEvent: (num: number, o?: CallOptions) => call<void>("POST", `/admin/api/webhooks/dead/${segment(num)}/retry`, undefined, o),
  /** Delete a webhook endpoint, with what it has not been told yet (admin) */
  deleteWebhook: (id: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/webhooks/${segment(id)}`, undefined, o),
  /** Give a webhook endpoint a new secret (admin) */
  rotateWebhook: (id: string, body?: AdminRotateWebhookRequest, o?: CallOptions) => call<NewWebhookOutBody>("POST", `/admin/api/webhooks/${segment(id)}/rotate`, body, o),
});
