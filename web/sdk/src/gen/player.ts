// Made by internal/tools/apiclient from lobby/api/openapi.player.json. Do not edit.

import { query, segment, type Call, type CallOptions, type FormField } from "../base/openapi.js";

export interface Account {
  /** told to the player alone */
  email?: string;
  /** has no password yet */
  guest: boolean;
  id: string;
  name: string;
}

export interface Banned {
  reason: string;
  /** absent: for good */
  until?: string;
}

export interface BotMatchRequest {
  /** the player's faction of the ruleset; random if absent */
  faction?: string;
  /** how well the bot plays: a level, or a level and a style, such as hard:rush; medium if absent */
  level?: string;
  /** map id; the first if absent */
  map?: string;
  /** id of a ruleset; that of a new lobby if absent */
  ruleset?: string;
}

export interface BotRequest {
  /** how well it plays: beginner, easy, medium, hard, expert or master, and if you like a colon and a style (balanced, rush, turtle, raid, tech or expand), such as hard:rush; default: medium, or in a lobby that plays a match on the level of the earlier bot */
  level?: string;
  /** by the lobby's option teams if absent */
  team?: number;
}

export interface BranchRequest {
  /** of the link; participants do not need it */
  key?: string;
  /** of the match, before its end */
  tick: number;
}

export interface BudgetRequest {
  /** bytes of payload, 512 to 1073741824; never more than the server is configured for; 0: as the server is configured */
  bytesPerS: number;
}

export interface CaseText {
  /** 1 to 1000 characters */
  text: string;
}

export interface Catalogue {
  /** pass as before for the next page; absent at the end */
  next?: number;
  /** newest first. A page may have fewer than 25, even 0, and still a next */
  replays: CatalogueReplay[];
}

export interface CatalogueReplay {
  /** the audience of the replay */
  access: "off" | "participants" | "link" | "listed";
  /** absent while the match runs */
  ended?: string;
  /** for the link, while everyone with the link may watch; only participants get it */
  key?: string;
  /** the match runs, and the caller is its spectator: the replay reaches up to the delay */
  live?: LiveReplay;
  /** where it was played; it may be gone */
  lobbyId: string;
  map: MapInfo;
  matchId: string;
  /** the caller may play a match on from one of its ticks */
  mayBranch: boolean;
  /** the caller may change the access */
  mayShare: boolean;
  mode: string;
  /** by slot */
  players: ReplayPlayer[];
  /** mean of the players' points when it began; 0: unrated */
  rating: number;
  /** how it ended */
  reason: string;
  ruleset: string;
  /** length of the match, at its speed */
  seconds: number;
  started: string;
  /** ticks per second of match time */
  tickRate: number;
  /** 0 while the match runs */
  ticks: number;
  /** why it cannot be watched now; empty: it can */
  unavailable: "" | "off" | "not_over" | "expired" | "other_version";
  /** of the simulation: replays of other versions cannot be watched here; 0: unknown */
  version: string;
  /** winning teams; empty for a draw */
  winners: number[];
}

export interface ChangePasswordRequest {
  bearer?: boolean;
  new: string;
  old: string;
}

export interface ChatLine {
  account?: string;
  /** players who join later get it */
  kept?: boolean;
  name: string;
  text: string;
}

export interface ChatRequest {
  text: string;
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

export interface DeleteAccountRequest {
  /** not needed for guests */
  password?: string;
}

export interface Division {
  /** the lowest rating */
  from: number;
  name: string;
}

export interface FactionInfo {
  /** #rrggbb, for lists */
  color?: string;
  /** the value of a seat's faction */
  name: string;
  /** about it, in the ruleset's language */
  text?: string;
}

export interface FactionRecord {
  drawn: number;
  /** of the queue's ruleset */
  faction: string;
  lost: number;
  won: number;
}

export interface FactionRequest {
  /** of a queue, or random */
  faction: string;
}

export interface Fellow {
  bot: boolean;
  /** of the ruleset; absent: it has no factions */
  faction?: string;
  /** the tick in which it took a seat over; absent: it had it from the start */
  from?: number;
  /** in percent; absent: no handicap */
  handicap?: GridHandicap;
  /** of a bot; orders: of a seat that the orders of a scenario play */
  level?: string;
  name: string;
  team: number;
  /** the tick in which another player, the next in the list, took the seat over */
  to?: number;
  /** the account whose history it is */
  you?: boolean;
}

export interface Friend {
  account: Person;
  /** id of the friend's lobby, if the caller may join it now */
  lobby?: string;
  /** number of the newest message from this friend */
  message?: number;
  /** code of the friend's party, if the caller may join it now */
  party?: string;
  /** offline too for a friend who hides. It changes without an event */
  presence: "offline" | "online" | "lobby" | "match";
}

export interface FriendRequest {
  name: string;
}

export interface GridHandicap {
  /** of the damage that the player's units, structures and effects do, in percent; absent: 100 */
  damage?: number;
  /** of each load that workers bring, in percent; absent: 100 */
  income?: number;
  /** of the resources at the start, in percent; absent: 100 */
  start?: number;
}

export interface GuestRequest {
  /** answer with a token instead of relying on the cookie */
  bearer?: boolean;
  name?: string;
}

export interface History {
  matches: Played[];
  /** pass as before for the next page; absent at the end */
  next?: number;
}

export interface Holder {
  /** absent for a bot */
  account?: string;
  bot?: boolean;
  /** the match's tick with which it began; absent: the first */
  from?: number;
  level?: string;
  name: string;
  /** the tick with which the next player began */
  to?: number;
}

export interface Identities {
  identities: Linked[];
  /** the account has a password */
  password: boolean;
}

export interface JoinRequest {
  password?: string;
  /** version of the wire this client speaks */
  protocol?: number;
  spectate?: boolean;
}

export interface Kicked {
  account: string;
  reason: string;
}

export interface Ladder {
  /** the lowest first */
  divisions?: Division[];
  /** after this time the season ends; absent: an admin ends it */
  endsMs?: number;
  /** no match counts until the next season begins */
  over?: boolean;
  /** first matches of a season, in which the server hides the rating */
  placements?: number;
  /** its number; 0 before the first one */
  season: number;
}

export interface Leader {
  account: Person;
  division?: string;
  drawn: number;
  lost: number;
  place: number;
  rating: number;
  won: number;
}

export interface Leaderboard {
  /** the caller's row, if listed */
  mine?: Leader;
  /** pass as page for the next; absent at the end */
  next?: string;
  rows: Leader[];
}

export interface LinkAddress {
  /** of the provider, for the browser to go to */
  address: string;
}

export interface LinkRequest {
  /** path of this server to come back to; / by default */
  return?: string;
}

export interface Linked {
  created: string;
  /** the provider's name for itself */
  issuer: string;
  /** names the link for unlinking it */
  key: string;
  /** of the provider, for people */
  name?: string;
  /** id; absent: the server currently accepts no log-in by this identity */
  provider?: string;
  /** the provider's name for the player */
  subject: string;
  /** the last log-in by it */
  used: string;
}

export interface LiveReplay {
  delaySeconds: number;
  /** the team whose eyes it has, as the seat in the lobby says; -1: all */
  eyes: number;
}

export interface Lobby {
  /** a lobby that plays a match on, or a scenario: from where */
  from?: Origin;
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
  /** the question that its players vote on, and for five seconds its result */
  poll?: LobbyPoll;
  /** asks for a password */
  private: boolean;
  /** of the last match */
  result?: Outcomes;
  /** by slot; limit seats */
  seats: Seat[];
  /** counts changes of map, options, limit, bots and teams; each takes ready back, and ready names the one it agrees to */
  settingsVersion: number;
  spectators: Seat[];
  /** the rest of the countdown */
  startInMs?: number;
  state: "open" | "starting" | "playing" | "ended" | "closed";
  /** counts its events: of two answers, the higher is newer */
  version: number;
  /** no server can continue the match at the moment: another build began it */
  waiting?: Waiting;
}

export interface LobbyChange {
  limit?: number;
  map?: string;
  name?: string;
  options?: { [key: string]: unknown };
  /** an empty text removes the password; absent, the lobby keeps it */
  password?: string;
}

export interface LobbyList {
  lobbies: Lobby[];
  /** pass as page for the next; absent at the end */
  next?: number;
}

export interface LobbyPoll {
  /** id of the account that asks */
  by: string;
  /** rest of the vote, or of the time in which the result is shown */
  endsInMs: number;
  kind: "kick" | "start" | "settings";
  /** votes with which it passes */
  needed: number;
  no: string[];
  /** its number in the lobby, for votes */
  num: number;
  result: "open" | "passed" | "failed";
  /** of settings: the wishes */
  settings: SettingsAsked;
  /** of kick: id of the account */
  target?: string;
  voters: string[];
  yes: string[];
}

export interface LobbyVote {
  /** num of the question */
  poll: number;
  /** false by the player who asked takes the question back */
  yes: boolean;
}

export interface LoggedIn {
  account: Account;
  /** only if the request asked for bearer: send it with the next login, so that other people's wrong passwords do not shut this device out */
  device?: string;
  /** only when bearer was asked for: send it as Authorization: Bearer */
  token?: string;
}

export interface LoginProvider {
  /** logs in on its own pages, from GET login; else by a token, with POST token */
  browser: boolean;
  id: string;
  /** for people */
  name: string;
}

export interface Logins {
  /** players may play without an account */
  guests: boolean;
  /** this address for a page that was opened at a loopback address, to requests of the server's machine alone: where other machines find the server */
  networkUrl?: string;
  /** by name and password */
  ownLogin: boolean;
  providers: LoginProvider[];
  /** address for links that players give to others; absent: the address at which the page was opened */
  publicUrl?: string;
}

export interface MapInfo {
  /** of the map's bytes, at GET /maps/{hash} */
  hash: string;
  /** tiles */
  height: number;
  /** the value of map in a request that creates a lobby */
  id: string;
  name: string;
  /** number of start points: the most players it holds */
  starts: number;
  /** tiles */
  width: number;
}

export interface MapList {
  maps: MapInfo[];
}

export interface Me {
  account: Account;
  /** the ban that keeps the account out of lobbies and matches */
  banned?: Banned;
  /** in which the account has a seat */
  lobby?: Lobby;
  /** decisions of moderators about the account that hold */
  notices?: Notice[];
  record: Record;
  /** the sight that others have of the account */
  sharing: "name" | "profile" | "replays";
}

export interface Message {
  /** milliseconds since 1970 */
  atMs: number;
  /** account id */
  from: string;
  /** counts up */
  id: number;
  text: string;
}

export interface MessageLine {
  /** 1 to 500 characters */
  text: string;
}

export interface Messages {
  /** oldest first; at most 100 from each, of the last 30 days */
  messages: Message[];
}

export interface Mission {
  /** PACK/SCENARIO */
  id: string;
  /** of the index with the mission's texts and objectives, at /packs/{hash} */
  packHash: string;
  /** its name in the pack */
  scenario: string;
  /** of the fastest win */
  seconds?: number;
  /** most stars of a win; 0: not won yet */
  stars: number;
}

export interface MissionList {
  /** in their order */
  missions: Mission[];
}

export interface MissionRequest {
  /** id of the mission */
  mission: string;
}

export interface ModeList {
  /** values of the option mode */
  modes: string[];
}

export interface NewLobby {
  /** seated from the beginning, fewer than limit */
  bots?: number;
  /** how well those play: as of one new bot; medium if absent */
  level?: string;
  /** seats; as many as the map holds if absent */
  limit?: number;
  /** map id */
  map: string;
  name: string;
  /** options that differ from the default; the server refuses unknown options by name */
  options?: { [key: string]: unknown };
  password?: string;
}

export interface NewReport {
  /** the sender of the message */
  account?: string;
  kind: "cheating" | "chat" | "name" | "sabotage" | "leaving" | "other";
  /** number of a chat event of the lobby, in place of slot */
  line?: number;
  lobby?: string;
  match?: string;
  /** number of a message to the caller */
  message?: number;
  /** of the reported player in the match or lobby */
  slot?: number;
  /** at most 1000 characters */
  text?: string;
  /** of the match; absent: the newest */
  tick?: number;
}

export interface Notice {
  /** the moderator's answer to the appeal */
  answer?: string;
  /** possible: the caller may appeal, once */
  appeal: "possible" | "waiting" | "answered";
  case: number;
  match?: string;
  reason: string;
  /** where the caller is muted, or queue for matchmaking; empty: banned from everything */
  scopes: ("lobby" | "match" | "messages" | "queue")[];
  /** absent: for good */
  until?: string;
}

export interface Offer {
  /** by the caller */
  accepted: boolean;
  /** places that bots take */
  bots?: number;
  id: string;
  /** how much time is left to accept */
  leftMs: number;
  /** id */
  map: string;
  queue: string;
  /** ids of maps that parties of both teams struck out; the server drew from the others */
  vetoed?: string[];
}

export interface OfferAnswer {
  accept: boolean;
  /** id */
  offer: string;
}

/** options that differ from the default; the server refuses unknown options by name */
export interface OptionWishes {
  /** a match that no player is connected to ends after so long, and after one minute if no player can come back */
  abandonMinutes?: number;
  /** most bytes of payload per second to each connection of the match, 512 or more, and at most the server's setting; 0: the server's setting */
  bytesPerS?: number;
  /** players who sit down later get the lobby's chat from the time in which this was on */
  chatHistory?: boolean;
  /** between the host's start and the match */
  countdownSeconds?: number;
  /** the seat of a player who left or is away for longer than a minute: as the ruleset says, a team-mate has the units, a bot plays until the player is back, the units stand idle, or the player is out */
  leavers?: "rules" | "ally" | "bot-easy" | "bot-medium" | "bot-hard" | "freeze" | "defeat";
  /** the game mode, see GET /api/modes and docs/reference/rules.md */
  mode?: "skirmish" | "deathmatch" | (string & {});
  /** how terrain hides tiles; "map": the map's setting */
  occlusion?: "map" | "none" | "high-ground" | "line-of-sight";
  /** while the match runs, the host may let others take over seats of other teams, as with its own team: a bot's seat, or an absent player's */
  openOtherTeams?: boolean;
  /** the audience of the replay: no one, the participants, also everyone with its link, or also everyone who finds it in the catalogue. The catalogue has it while each player shares replays */
  replays?: "participants" | "link" | "listed" | "off";
  /** a unit that shoots shows itself for the time in the ruleset */
  revealOnFire?: boolean;
  /** the table of units and rules, see GET /api/rulesets */
  ruleset?: string;
  /** the score that wins, in modes with a score; 0: unlimited */
  scoreLimit?: number;
  /** decimal, to 2^64-1, as text; "0": the server draws one */
  seed?: string;
  /** seconds that spectators are behind */
  spectatorDelay?: number;
  /** seats to watch from */
  spectators?: number;
  /** how fast the match runs at first, in percent; players can change it together */
  speedPercent?: number;
  /** the team of players who sit down; a change assigns all teams again */
  teams?: "each" | "sides" | "coop";
  /** ticks per second of match time: more make it finer, not faster */
  ticksPerSecond?: number;
  /** when the higher score wins; 0: never */
  timeLimitMinutes?: number;
  /** seconds between the end of a player's question and its next one */
  voteCooldown?: number;
  /** a question passes with more than so many percent of the votes; 100: with all */
  voteQuorum?: number;
  /** the questions that players vote on: in the match a remake in its first three minutes, the surrender of their team, and the removal of a team-mate; the same, and in the lobby its settings, the start, and the removal of a player; or speed and pauses of the match alone */
  votes?: "all" | "lobby" | "speed";
  /** names that may come in; empty: everyone */
  whitelist?: string[];
}

export interface Options {
  /** a match that no player is connected to ends after so long, and after one minute if no player can come back */
  abandonMinutes: number;
  /** most bytes of payload per second to each connection of the match, 512 or more, and at most the server's setting; 0: the server's setting */
  bytesPerS: number;
  /** players who sit down later get the lobby's chat from the time in which this was on */
  chatHistory: boolean;
  /** between the host's start and the match */
  countdownSeconds: number;
  /** the seat of a player who left or is away for longer than a minute: as the ruleset says, a team-mate has the units, a bot plays until the player is back, the units stand idle, or the player is out */
  leavers: "rules" | "ally" | "bot-easy" | "bot-medium" | "bot-hard" | "freeze" | "defeat";
  /** the game mode, see GET /api/modes and docs/reference/rules.md */
  mode: "skirmish" | "deathmatch" | (string & {});
  /** how terrain hides tiles; "map": the map's setting */
  occlusion: "map" | "none" | "high-ground" | "line-of-sight";
  /** while the match runs, the host may let others take over seats of other teams, as with its own team: a bot's seat, or an absent player's */
  openOtherTeams: boolean;
  /** the audience of the replay: no one, the participants, also everyone with its link, or also everyone who finds it in the catalogue. The catalogue has it while each player shares replays */
  replays: "participants" | "link" | "listed" | "off";
  /** a unit that shoots shows itself for the time in the ruleset */
  revealOnFire: boolean;
  /** the table of units and rules, see GET /api/rulesets */
  ruleset: string;
  /** the score that wins, in modes with a score; 0: unlimited */
  scoreLimit: number;
  /** decimal, to 2^64-1, as text; "0": the server draws one */
  seed?: string;
  /** seconds that spectators are behind */
  spectatorDelay: number;
  /** seats to watch from */
  spectators: number;
  /** how fast the match runs at first, in percent; players can change it together */
  speedPercent: number;
  /** the team of players who sit down; a change assigns all teams again */
  teams: "each" | "sides" | "coop";
  /** ticks per second of match time: more make it finer, not faster */
  ticksPerSecond: number;
  /** when the higher score wins; 0: never */
  timeLimitMinutes: number;
  /** seconds between the end of a player's question and its next one */
  voteCooldown: number;
  /** a question passes with more than so many percent of the votes; 100: with all */
  voteQuorum: number;
  /** the questions that players vote on: in the match a remake in its first three minutes, the surrender of their team, and the removal of a team-mate; the same, and in the lobby its settings, the start, and the removal of a player; or speed and pauses of the match alone */
  votes: "all" | "lobby" | "speed";
  /** names that may come in; empty: everyone */
  whitelist: string[];
}

export interface Origin {
  /** the match that is played on; empty: a scenario */
  matchId: string;
  /** id of the mission that the scenario is */
  mission?: string;
  /** seats without a player, since they were out by then */
  out: string[];
  /** name of the scenario; absent: a match is played on */
  scenario?: string;
  /** of match time before that tick */
  seconds: number;
  tick: number;
}

export interface OtherSeatChange {
  /** of a bot, while the lobby is open: a faction of the lobby's ruleset, or random */
  faction?: string;
  /** of a player or a bot, while the lobby is open: each percentage 10 to 400 */
  handicap?: GridHandicap;
  /** of a bot, while the lobby is open: as of a new bot */
  level?: string;
  /** while the match runs: the next person who joins the lobby takes the seat over in the match */
  open?: boolean;
  /** of a player or a bot, while the lobby is open */
  team?: number;
}

export interface Outcomes {
  matchId: string;
  /** last-team, surrender, time-limit, score-limit, nobody-left, abandoned (no person was connected for long), remake (the players voted for it: it does not count), failed, lost, other-version (no server came that could continue it), or aborted: and an admin's words */
  reason: string;
  seats: SeatResult[];
  ticks: number;
  /** of the simulation that played it; absent: unknown */
  version?: number;
  /** winning teams; empty for a draw */
  winners: number[];
}

export interface OwnRating {
  /** how uncertain it is */
  deviation: number;
  division?: string;
  drawn: number;
  /** results by faction; absent: no match had factions */
  factions?: FactionRecord[];
  /** its change, in points */
  lastChange: number;
  /** id of the last match that counted */
  lastMatch?: string;
  lost: number;
  /** results of earlier seasons, the oldest first */
  past?: PastSeason[];
  /** in the leaderboard; absent: not listed */
  place?: number;
  /** matches until the server shows the rating */
  placementsLeft?: number;
  /** too uncertain to be listed */
  provisional: boolean;
  queue: string;
  /** 0 while placement matches are left */
  rating: number;
  won: number;
}

export interface OwnRatings {
  ratings: OwnRating[];
}

export interface OwnReport {
  at: string;
  /** a moderator has closed the case */
  closed: boolean;
  kind: string;
  match?: string;
  /** of the reported account, today */
  name: string;
  /** the caller's words */
  text?: string;
}

export interface Party {
  /** of the invitation; everyone with the code may join */
  code: string;
  id: string;
  /** account id; only the leader queues */
  leader: string;
  /** id of the lobby of the match that was found for it last: ask there for a ticket */
  lobby?: string;
  members: PartyMember[];
  /** code: why it came out of a queue */
  outOf?: string;
  /** id of the queue in which it waits */
  queue?: string;
  /** ids of maps that it strikes out of the search */
  vetoes?: string[];
}

export interface PartyInvitation {
  /** name */
  leader: string;
  /** names */
  members: string[];
}

export interface PartyJoin {
  /** of the invitation */
  code: string;
}

export interface PartyMember {
  /** the match that is offered */
  accepted?: boolean;
  account: Person;
  /** that the member wishes for; absent: random */
  faction?: string;
}

export interface PastSeason {
  division?: string;
  drawn: number;
  lost: number;
  rating: number;
  season: number;
  won: number;
}

export interface Person {
  id: string;
  name: string;
}

export interface Played {
  ended: string;
  /** where it was played; it may be gone */
  lobbyId: string;
  map: string;
  mapId: string;
  matchId: string;
  /** without the seed and without the rules of admission */
  options: Options;
  /** empty while it runs */
  outcome: "" | "won" | "lost" | "drawn" | "void";
  /** the players, by slot */
  players: Fellow[];
  reason: string;
  /** whether the account may watch it again */
  replay: "available" | "off" | "not_over" | "expired" | "other_version";
  /** of the account: points of the ruleset and of the mode */
  score: number;
  /** length of the match */
  seconds: number;
  slot: number;
  started: string;
  team: number;
  ticks: number;
}

export interface PollRequest {
  kind: "kick" | "start" | "settings";
  limit?: number;
  map?: string;
  options?: { [key: string]: unknown };
  /** of kick: the seat of the player */
  slot?: number;
}

export interface PresenceChange {
  hidden: boolean;
}

export interface Problem {
  /** a short reason; lobby.Codes lists them */
  code: string;
  /** a sentence for people */
  detail: string;
  /** the faults of the request, one line each */
  errors?: string[];
  /** the option or field at fault */
  field?: string;
  /** the HTTP status */
  status: number;
  /** the status in words */
  title: string;
}

export interface Profile {
  account: Account;
  record: Record;
}

export interface Queue {
  /** after this time bots take the free places; absent: never */
  botAfterMs?: number;
  /** that players choose from; absent: the ruleset has none */
  factions?: FactionInfo[];
  id: string;
  /** absent: the queue has no seasons */
  ladder?: Ladder;
  /** ids of this week's pool; the server draws one for each match */
  maps: string[];
  name: string;
  /** after this time the pool has other maps; absent: it stays */
  poolEndsMs?: number;
  /** it has ratings and a leaderboard */
  rated: boolean;
  /** players of each of the two teams, and the most members of a party that queues */
  teamSize: number;
  /** how many of the maps a party may strike out of a search */
  vetoes?: number;
  /** waiting players */
  waiting: number;
  width: Width;
}

export interface QueueList {
  queues: Queue[];
}

export interface QueueRequest {
  /** that the caller wishes for; random if absent */
  faction?: string;
  /** id */
  queue: string;
  /** ids of maps that the party strikes out of this search, the most wanted first */
  vetoes?: string[];
}

export interface RatedMatch {
  /** milliseconds since 1970 */
  atMs: number;
  /** in points; absent while placement matches are left */
  change?: number;
  /** id */
  match: string;
  /** names; empty texts for deleted accounts */
  opponents: string[];
  /** after it; absent while placement matches are left */
  rating?: number;
}

export interface RatedMatches {
  matches: RatedMatch[];
}

export interface Record {
  drawn: number;
  lost: number;
  played: number;
  won: number;
}

export interface Registration {
  bearer?: boolean;
  /** another name to log in by; the server sends no mail to it */
  email?: string;
  name: string;
  /** 8 to 128 characters, not a common one */
  password: string;
}

export interface Relations {
  /** accounts that matchmaking keeps away from the caller */
  avoided: Person[];
  blocked: Person[];
  /** by name, as all lists here */
  friends: Friend[];
  /** the caller looks offline to all others */
  hidden: boolean;
  /** accounts that ask the caller to be friends */
  incoming: Person[];
  /** accounts that the caller has asked */
  outgoing: Person[];
}

export interface ReplayAccess {
  /** link: also everyone with the link. Each time it is set the link is a new one, and earlier links stop working. listed: as link, and in the catalogue while each player shares replays */
  access: "off" | "participants" | "link" | "listed";
}

export interface ReplayFacts {
  /** the audience of the replay */
  access: "off" | "participants" | "link" | "listed";
  /** absent while the match runs */
  ended?: string;
  /** for the link, while everyone with the link may watch; only participants get it */
  key?: string;
  /** the match runs, and the caller is its spectator: the replay reaches up to the delay */
  live?: LiveReplay;
  /** where it was played; it may be gone */
  lobbyId: string;
  map: MapInfo;
  matchId: string;
  /** the caller may play a match on from one of its ticks */
  mayBranch: boolean;
  /** the caller may change the access */
  mayShare: boolean;
  mode: string;
  /** by slot */
  players: ReplayPlayer[];
  /** how it ended */
  reason: string;
  ruleset: string;
  /** length of the match, at its speed */
  seconds: number;
  started: string;
  /** ticks per second of match time */
  tickRate: number;
  /** 0 while the match runs */
  ticks: number;
  /** why it cannot be watched now; empty: it can */
  unavailable: "" | "off" | "not_over" | "expired" | "other_version";
  /** winning teams; empty for a draw */
  winners: number[];
}

export interface ReplayPlayer {
  bot: boolean;
  color: number;
  /** earlier players of the seat, the first one first */
  earlier?: Holder[];
  /** of the ruleset; absent: it has no factions */
  faction?: string;
  /** the tick in which this player took the seat over; absent: it had it from the start */
  from?: number;
  /** the account was deleted */
  gone?: boolean;
  /** in percent; absent: no handicap */
  handicap?: GridHandicap;
  /** of a bot; orders: of a seat that the orders of a scenario play */
  level?: string;
  /** as it is today */
  name: string;
  /** empty while the match runs */
  outcome: "" | "won" | "lost" | "drawn" | "void";
  /** points of the ruleset and of the mode; 0 while the match runs */
  score: number;
  /** as in the seats of its lobby */
  slot: number;
  team: number;
  you?: boolean;
}

export interface ReplayTicketRequest {
  /** of the link; participants do not need it */
  key?: string;
  /** version of the wire this client speaks */
  protocol?: number;
}

export interface ReportList {
  /** newest first */
  reports: OwnReport[];
}

export interface ResetPasswordRequest {
  password: string;
  token: string;
}

export interface RulesetInfo {
  /** sides that players choose in lobbies of this ruleset */
  factions?: FactionInfo[];
  /** SHA-256 of the ruleset's file, as in the welcome of its matches */
  hash: string;
  /** the value of a lobby's option "ruleset" */
  id: string;
  /** values of the option "mode" that only lobbies of this ruleset have */
  modes?: string[];
  /** as the ruleset's file has it */
  name: string;
  /** the title of the pack that it belongs to */
  pack?: string;
  /** of the pack's content */
  packHash?: string;
}

export interface RulesetList {
  rulesets: RulesetInfo[];
}

export interface Seat {
  /** of players and spectators */
  account?: Person;
  /** while the match runs: this player was away for longer than the server keeps seats. Lists leave it out, and its changes send no event, as with out and canOpen */
  away?: boolean;
  /** while the match runs: the host may let a person take this seat over */
  canOpen?: boolean;
  /** 0 to 15; -1 for an open seat or a spectator */
  color: number;
  /** that the player or bot chose in the lobby's ruleset; absent: random */
  faction?: string;
  /** in percent; absent: no handicap */
  handicap?: GridHandicap;
  kind: "open" | "player" | "bot" | "spectator";
  /** of a bot: how well it plays; orders: the orders of the scenario play the seat, or would if it stays open */
  level?: string;
  /** of the player in the seat */
  name?: string;
  /** while the match runs: the next player who joins takes the seat over */
  open?: boolean;
  /** while the match runs: this player or bot was defeated, gave up or left */
  out?: boolean;
  ready: boolean;
  /** the map's start point, from 0; spectators from 100 */
  slot: number;
  /** from 0; of a spectator the one whose eyes it looks with; -1 for an open seat, or a spectator with all eyes */
  team: number;
  /** in a lobby that plays a match on: the current name of the seat's earlier player; also for open seats, which keep that seat's team and color */
  was?: string;
}

export interface SeatChange {
  color?: number;
  /** a faction of the lobby's ruleset, or random */
  faction?: string;
  /** a player may lower its percentages; the host sets any */
  handicap?: GridHandicap;
  ready?: boolean;
  /** required with ready: the lobby's, as it was shown to the player; if it has changed since, settings_changed */
  settingsVersion?: number;
  /** another free seat: its slot is the start point on the map. In a lobby that plays a match on: of that match */
  slot?: number;
  /** a spectator's: whose eyes it looks with, -1 for all; its next ticket says so */
  team?: number;
}

export interface SeatResult {
  /** earlier players of the seat, the first one first */
  earlier?: Holder[];
  /** of the ruleset; absent: it has no factions */
  faction?: string;
  /** the tick in which this player took the seat over; absent: it had it from the start */
  from?: number;
  /** in percent; absent: no handicap */
  handicap?: GridHandicap;
  name: string;
  outcome: "won" | "lost" | "drawn" | "void";
  /** points of the ruleset and of the mode */
  score: number;
  slot: number;
  team: number;
  /** the mode's values of the seat's team, by name; absent: the mode shows no values */
  values?: { [key: string]: number };
}

export interface SettingsAsked {
  limit?: number;
  map?: string;
  options?: { [key: string]: unknown };
}

export interface Sharing {
  /** name: its name alone, and no row on leaderboards. profile: also its record. replays: also replays of its matches that are in the catalogue */
  sharing: "name" | "profile" | "replays";
}

export interface Standing {
  /** for so long the account may not queue, since it did not accept */
  barredMs?: number;
  /** how long the party has waited */
  inQueueMs?: number;
  /** how long the server keeps a place in a queue for a client that neither reads the events nor asks */
  keptMs: number;
  /** a match that was found, to be accepted */
  offer?: Offer;
  /** absent: the account has no party */
  party?: Party;
  /** counts changes of friends, requests, messages and notices: ask for them after a change */
  relations?: number;
}

export interface Ticket {
  expiresInMs: number;
  matchId: string;
  /** works once */
  ticket: string;
  /** where to show it: the node that runs the match, such as https://n1.example.org; the socket is at /ws below it. Absent: at the server that answers */
  url?: string;
}

export interface TicketRequest {
  protocol?: number;
}

export interface TokenLogin {
  /** answer with a token instead of relying on the cookie */
  bearer?: boolean;
  /** link with the account that asks, instead of logging in */
  link?: boolean;
  token: string;
}

export interface Waiting {
  /** the match ends then, unless a server that can continue it was started */
  until: string;
  /** the build that began the match, and the parts that this build lacks */
  why: string;
}

export interface Width {
  /** the largest value; absent: unlimited */
  most?: number;
  /** added per second of waiting */
  perSecond: number;
  /** rating points, at first */
  start: number;
}

/** How a form shows OptionWishes: the properties that have a label. */
export const optionWishesForm: readonly FormField[] = [
  {"name":"mode","type":"string","label":"Mode","default":"skirmish","choices":[["skirmish","Skirmish"],["deathmatch","Deathmatch"]]},
  {"name":"ruleset","type":"string","label":"Ruleset","default":"skirmish"},
  {"name":"teams","type":"string","label":"Teams","default":"each","choices":[["each","Everyone for themselves"],["sides","Two teams"],["coop","Together against bots"]]},
  {"name":"scoreLimit","type":"number","label":"Score limit (0: unlimited)","default":0,"minimum":0,"maximum":1000000,"modes":["deathmatch"]},
  {"name":"speedPercent","type":"number","label":"Speed","default":100,"minimum":50,"maximum":300,"choices":[[50,"Half"],[100,"Normal"],[150,"Fast"],[200,"Double"],[300,"Triple"]]},
  {"name":"occlusion","type":"string","label":"Line of sight","default":"map","choices":[["map","As the map says"],["none","Nothing blocks it"],["high-ground","High ground blocks it"],["line-of-sight","High ground and cliffs block it"]]},
  {"name":"timeLimitMinutes","type":"number","label":"Time limit in minutes (0: unlimited)","default":0,"minimum":0,"maximum":240},
  {"name":"spectators","type":"number","label":"Spectator seats","default":4,"minimum":0,"maximum":32},
  {"name":"spectatorDelay","type":"number","label":"Spectator delay in seconds","default":60,"minimum":0,"maximum":600},
  {"name":"replays","type":"string","label":"Replay","default":"participants","choices":[["participants","For participants"],["link","For everyone with the link"],["listed","In the catalogue, if all players agree"],["off","For no one"]]},
  {"name":"leavers","type":"string","label":"When a player leaves","default":"rules","choices":[["rules","As the rules say"],["ally","A team-mate takes over"],["bot-easy","An easy bot plays on"],["bot-medium","A medium bot plays on"],["bot-hard","A hard bot plays on"],["freeze","The units stand still"],["defeat","The player is out"]]},
  {"name":"votes","type":"string","label":"Votes","default":"all","choices":[["all","Remake, surrender, removal"],["lobby","The same, and settings and start in the lobby"],["speed","Speed and pauses alone"]]},
  {"name":"voteQuorum","type":"number","label":"Votes needed","default":66,"minimum":50,"maximum":100,"choices":[[50,"More than half"],[66,"Two thirds"],[100,"All"]]},
  {"name":"openOtherTeams","type":"boolean","label":"The host may open seats of other teams in the match","default":false},
  {"name":"chatHistory","type":"boolean","label":"Show earlier chat to players who join later","default":false},
  {"name":"bytesPerS","type":"number","label":"Data limit for each player","default":0,"minimum":0,"maximum":1073741824,"choices":[[0,"As the server allows"],[4000,"4 KB per second"],[8000,"8 KB per second"],[16000,"16 KB per second"]]},
];

/** The operations. `call` sends a request and reads its answer. */
export const client = (call: Call) => ({
  /** A player's name and record */
  profile: (id: string, o?: CallOptions) => call<Profile>("GET", `/api/accounts/${segment(id)}`, undefined, o),
  /** No longer avoid the account */
  unavoid: (id: string, o?: CallOptions) => call<Relations>("DELETE", `/api/avoids/${segment(id)}`, undefined, o),
  /** Have matchmaking keep the account and the caller apart during the first minute of a search; at most 10 accounts */
  avoid: (id: string, o?: CallOptions) => call<Relations>("PUT", `/api/avoids/${segment(id)}`, undefined, o),
  /** End a block */
  unblock: (id: string, o?: CallOptions) => call<Relations>("DELETE", `/api/blocks/${segment(id)}`, undefined, o),
  /** Silence the account and the caller for each other: no chat in lobbies, no messages, no requests, and neither joins the other's lobby or party. The server does not tell the account */
  block: (id: string, o?: CallOptions) => call<Relations>("PUT", `/api/blocks/${segment(id)}`, undefined, o),
  /** Appeal against a decision about the caller, once */
  appeal: (id: number, body: CaseText, o?: CallOptions) => call<void>("POST", `/api/cases/${segment(id)}/appeal`, body, o),
  /** Replays that all their players share, newest first */
  catalogue: (search: { player?: string; map?: string; mode?: string; minSeconds?: number; maxSeconds?: number; minRating?: number; maxRating?: number; version?: number; before?: number } = {}, o?: CallOptions) => call<Catalogue>("GET", `/api/catalogue${query(search)}`, undefined, o),
  /** A replay of the catalogue as lines of JSON: every input with its answer, every state hash */
  catalogueJournal: (match: string, o?: CallOptions) => call<void>("GET", `/api/catalogue/${segment(match)}/journal`, undefined, o),
  /** A replay of the catalogue as lines of JSON: its events, and each player's values */
  catalogueTimeline: (match: string, o?: CallOptions) => call<void>("GET", `/api/catalogue/${segment(match)}/timeline`, undefined, o),
  /** Friends with their presence, requests, blocks and avoided accounts */
  relations: (o?: CallOptions) => call<Relations>("GET", `/api/friends`, undefined, o),
  /** Ask an account to be friends, or accept its request */
  befriend: (body: FriendRequest, o?: CallOptions) => call<Relations>("POST", `/api/friends`, body, o),
  /** Look offline to all others, or no longer */
  hide: (body: PresenceChange, o?: CallOptions) => call<Relations>("PUT", `/api/friends/presence`, body, o),
  /** End a friendship, withdraw a request or decline one */
  unfriend: (id: string, o?: CallOptions) => call<Relations>("DELETE", `/api/friends/${segment(id)}`, undefined, o),
  /** Make a guest and log it in */
  playAsGuest: (body?: GuestRequest, o?: CallOptions) => call<LoggedIn>("POST", `/api/guest`, body, o),
  /** The ways to log in on this server */
  loginProviders: (o?: CallOptions) => call<Logins>("GET", `/api/identity/providers`, undefined, o),
  /** Where the provider sends the browser back to */
  backFromProviderUrl: (provider: string, search: { state?: string; code?: string; iss?: string; error?: string } = {}) => `/api/identity/${segment(provider)}/callback${query(search)}`,
  /** Begin to link an identity with the account, on the provider's pages */
  linkAtProvider: (provider: string, body?: LinkRequest, o?: CallOptions) => call<LinkAddress>("POST", `/api/identity/${segment(provider)}/link`, body, o),
  /** Go to the provider's log-in page; a browser follows a link of a page of this server's */
  logInAtProviderUrl: (provider: string, search: { return?: string } = {}) => `/api/identity/${segment(provider)}/login${query(search)}`,
  /** Log in by a provider's token; a guest becomes an account by an identity that is new */
  logInByToken: (provider: string, body: TokenLogin, o?: CallOptions) => call<LoggedIn>("POST", `/api/identity/${segment(provider)}/token`, body, o),
  /** The best of a queue. Guests and provisional ratings are not listed */
  leaderboard: (queue: string, search: { page?: string; limit?: number } = {}, o?: CallOptions) => call<Leaderboard>("GET", `/api/leaderboards/${segment(queue)}${query(search)}`, undefined, o),
  /** Lobbies, newest first. Without a state the list has the lobbies where players meet: it leaves out ended lobbies, full lobbies with a single player, and abandoned lobbies */
  listLobbies: (search: { q?: string; state?: "open" | "starting" | "playing" | "ended"; public?: boolean; room?: boolean; page?: number; limit?: number } = {}, o?: CallOptions) => call<LobbyList>("GET", `/api/lobbies${query(search)}`, undefined, o),
  /** Make a lobby and sit down as its host */
  createLobby: (body: { bots?: number; level?: string; limit?: number; map: string; name: string; options?: OptionWishes; password?: string }, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies`, body, o),
  /** One lobby */
  getLobby: (id: string, o?: CallOptions) => call<Lobby>("GET", `/api/lobbies/${segment(id)}`, undefined, o),
  /** Change name, map, limit, password or options (host) */
  configureLobby: (id: string, body: { limit?: number; map?: string; name?: string; options?: OptionWishes; password?: string }, o?: CallOptions) => call<Lobby>("PATCH", `/api/lobbies/${segment(id)}`, body, o),
  /** Seat a bot (host) */
  addBot: (id: string, body?: BotRequest, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/bots`, body, o),
  /** Limit the bytes per second that the server sends to connections of the running match (host) */
  matchBudget: (id: string, body: BudgetRequest, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/budget`, body, o),
  /** Stop the countdown (host) */
  cancelCountdown: (id: string, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/cancel`, undefined, o),
  /** Say a line to everyone in the lobby */
  chat: (id: string, body: ChatRequest, o?: CallOptions) => call<void>("POST", `/api/lobbies/${segment(id)}/chat`, body, o),
  /** The events of a lobby, as server-sent events */
  lobbyEventsUrl: (id: string, search: { after?: number } = {}) => `/api/lobbies/${segment(id)}/events${query(search)}`,
  /** Sit down; leaves the lobby one sat in before */
  joinLobby: (id: string, body?: JoinRequest, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/join`, body, o),
  /** Get up; the host's role passes on */
  leaveLobby: (id: string, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/leave`, undefined, o),
  /** Ask the players of an open lobby about a removal, the start or settings, where the option votes is lobby */
  askLobby: (id: string, body: { kind: "kick" | "start" | "settings"; limit?: number; map?: string; options?: OptionWishes; slot?: number }, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/polls`, body, o),
  /** Open the lobby again after a match (host) */
  rematch: (id: string, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/rematch`, undefined, o),
  /** Choose team, colour, faction and start point, say ready; spectators: whose eyes to look with */
  changeSeat: (id: string, body: SeatChange, o?: CallOptions) => call<Lobby>("PATCH", `/api/lobbies/${segment(id)}/seat`, body, o),
  /** Remove a player or bot (host) */
  kick: (id: string, slot: number, o?: CallOptions) => call<Lobby>("DELETE", `/api/lobbies/${segment(id)}/seats/${segment(slot)}`, undefined, o),
  /** Give a player or a bot its team or handicap, or a bot its level or its faction; or, while the match runs, let a person take over the seat of a bot or of an absent player, or no longer (host) */
  changeOtherSeat: (id: string, slot: number, body: OtherSeatChange, o?: CallOptions) => call<Lobby>("PATCH", `/api/lobbies/${segment(id)}/seats/${segment(slot)}`, body, o),
  /** Start the countdown, or the match (host) */
  startMatch: (id: string, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/start`, undefined, o),
  /** A ticket for one's seat in the running match */
  ticket: (id: string, body?: TicketRequest, o?: CallOptions) => call<Ticket>("POST", `/api/lobbies/${segment(id)}/ticket`, body, o),
  /** Vote on the open question of a lobby; a question that passes is carried out at once */
  voteInLobby: (id: string, body: LobbyVote, o?: CallOptions) => call<Lobby>("POST", `/api/lobbies/${segment(id)}/votes`, body, o),
  /** Log in by name or email */
  logIn: (body: Credentials, o?: CallOptions) => call<LoggedIn>("POST", `/api/login`, body, o),
  /** End this session */
  logOut: (o?: CallOptions) => call<void>("POST", `/api/logout`, undefined, o),
  /** End all sessions of the account */
  logOutEverywhere: (o?: CallOptions) => call<void>("POST", `/api/logout/everywhere`, undefined, o),
  /** The maps there are */
  maps: (o?: CallOptions) => call<MapList>("GET", `/api/maps`, undefined, o),
  /** The account of the session, and its lobby or match */
  me: (o?: CallOptions) => call<Me>("GET", `/api/me`, undefined, o),
  /** Delete the account for good */
  deleteAccount: (body: DeleteAccountRequest, o?: CallOptions) => call<void>("POST", `/api/me/delete`, body, o),
  /** All that the server has stored about the account, by kind, newest first, at most 5,000 rows of each */
  exportAccount: (o?: CallOptions) => call<{ [key: string]: { [key: string]: unknown }[] }>("GET", `/api/me/export`, undefined, o),
  /** The account's matches, latest first */
  history: (search: { before?: number } = {}, o?: CallOptions) => call<History>("GET", `/api/me/history${query(search)}`, undefined, o),
  /** The account's external identities */
  identities: (o?: CallOptions) => call<Identities>("GET", `/api/me/identities`, undefined, o),
  /** Unlink an external identity; not the last way into the account */
  unlink: (key: string, o?: CallOptions) => call<void>("DELETE", `/api/me/identities/${segment(key)}`, undefined, o),
  /** Change the password; all other sessions end */
  changePassword: (body: ChangePasswordRequest, o?: CallOptions) => call<LoggedIn>("POST", `/api/me/password`, body, o),
  /** One's ratings */
  ownRatings: (o?: CallOptions) => call<OwnRatings>("GET", `/api/me/ratings`, undefined, o),
  /** One's newest matches that counted in a queue, with the opponents */
  ratedMatches: (queue: string, o?: CallOptions) => call<RatedMatches>("GET", `/api/me/ratings/${segment(queue)}/matches`, undefined, o),
  /** The settings that the account's client keeps here */
  accountSettings: (o?: CallOptions) => call<{ [key: string]: unknown }>("GET", `/api/me/settings`, undefined, o),
  /** Replace these settings by a JSON object of at most 8 KiB */
  saveAccountSettings: (body: { [key: string]: unknown }, o?: CallOptions) => call<void>("PUT", `/api/me/settings`, body, o),
  /** Set the sight that others have of the account */
  share: (body: Sharing, o?: CallOptions) => call<void>("PUT", `/api/me/sharing`, body, o),
  /** Make a guest an account; id, seat and history stay */
  upgrade: (body: Registration, o?: CallOptions) => call<LoggedIn>("POST", `/api/me/upgrade`, body, o),
  /** The messages between a friend and the caller */
  messages: (id: string, o?: CallOptions) => call<Messages>("GET", `/api/messages/${segment(id)}`, undefined, o),
  /** Send a message to a friend */
  sendMessage: (id: string, body: MessageLine, o?: CallOptions) => call<Message>("POST", `/api/messages/${segment(id)}`, body, o),
  /** The missions, with one's best results */
  listMissions: (o?: CallOptions) => call<MissionList>("GET", `/api/missions`, undefined, o),
  /** The game modes there are */
  modes: (o?: CallOptions) => call<ModeList>("GET", `/api/modes`, undefined, o),
  /** The party of an invitation */
  partyInvitation: (code: string, o?: CallOptions) => call<PartyInvitation>("GET", `/api/parties/${segment(code)}`, undefined, o),
  /** Make a party that others can join; a player in a party keeps it */
  makeParty: (o?: CallOptions) => call<Standing>("POST", `/api/party`, undefined, o),
  /** Join the party of an invitation; the player leaves the current party */
  joinParty: (body: PartyJoin, o?: CallOptions) => call<Standing>("POST", `/api/party/join`, body, o),
  /** Leave the party */
  leaveParty: (o?: CallOptions) => call<Standing>("POST", `/api/party/leave`, undefined, o),
  /** Take another out of the party (its leader) */
  removeMember: (account: string, o?: CallOptions) => call<Standing>("DELETE", `/api/party/members/${segment(account)}`, undefined, o),
  /** A lobby against one bot, started at once */
  playBot: (body?: BotMatchRequest, o?: CallOptions) => call<Lobby>("POST", `/api/play/bot`, body, o),
  /** A lobby of a mission, started at once */
  playMission: (body: MissionRequest, o?: CallOptions) => call<Lobby>("POST", `/api/play/mission`, body, o),
  /** Leave the queue; leaving while a match is offered declines it */
  leaveQueue: (o?: CallOptions) => call<Standing>("DELETE", `/api/queue`, undefined, o),
  /** Where one stands: party, queue, a match to accept. Asking keeps the place in the queue */
  standing: (o?: CallOptions) => call<Standing>("GET", `/api/queue`, undefined, o),
  /** Wait in a queue with the party (its leader); a player without a party gets one */
  joinQueue: (body: QueueRequest, o?: CallOptions) => call<Standing>("POST", `/api/queue`, body, o),
  /** Accept a match that was found, or do not */
  answerOffer: (body: OfferAnswer, o?: CallOptions) => call<Standing>("POST", `/api/queue/answer`, body, o),
  /** Where one stands in matchmaking, as server-sent events */
  queueEventsUrl: () => `/api/queue/events`,
  /** Wish for a faction in matches of queues, as a member of a party, up to the offer of a match */
  chooseFaction: (body: FactionRequest, o?: CallOptions) => call<Standing>("PUT", `/api/queue/faction`, body, o),
  /** The queues there are */
  queues: (o?: CallOptions) => call<QueueList>("GET", `/api/queues`, undefined, o),
  /** Make an account and log it in */
  register: (body: Registration, o?: CallOptions) => call<LoggedIn>("POST", `/api/register`, body, o),
  /** A match's replay, for participants and for people with its link */
  replay: (match: string, o?: CallOptions) => call<ReplayFacts>("GET", `/api/replays/${segment(match)}`, undefined, o),
  /** Change the access to a finished match's replay (its host) */
  replayAccess: (match: string, body: ReplayAccess, o?: CallOptions) => call<ReplayFacts>("PUT", `/api/replays/${segment(match)}/access`, body, o),
  /** Make a lobby that plays a match on from a tick, and sit down as its host */
  playOn: (match: string, body: BranchRequest, o?: CallOptions) => call<Lobby>("POST", `/api/replays/${segment(match)}/branches`, body, o),
  /** A ticket to watch a finished match; for a spectator, also a running one */
  replayTicket: (match: string, body?: ReplayTicketRequest, o?: CallOptions) => call<Ticket>("POST", `/api/replays/${segment(match)}/tickets`, body, o),
  /** The caller's newest reports, at most 200 */
  reports: (o?: CallOptions) => call<ReportList>("GET", `/api/reports`, undefined, o),
  /** Report a player of a match or lobby in which the caller was, or the sender of a message. The server adds the player's chat from its own record */
  report: (body: NewReport, o?: CallOptions) => call<void>("POST", `/api/reports`, body, o),
  /** Set a new password by a link that an admin gave out */
  resetPassword: (body: ResetPasswordRequest, o?: CallOptions) => call<void>("POST", `/api/reset`, body, o),
  /** The rulesets there are */
  rulesets: (o?: CallOptions) => call<RulesetList>("GET", `/api/rulesets`, undefined, o),
  /** Make a lobby that plays a scenario, and sit down as its host */
  playScenario: (body: { [key: string]: unknown }, o?: CallOptions) => call<Lobby>("POST", `/api/scenarios`, body, o),
});
