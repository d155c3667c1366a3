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
  /** the first inconsistency */
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
  /** the case that it ends */
  case?: number;
  created: string;
  id: number;
  lifted?: string;
  /** the account's name at the time */
  name?: string;
  /** addresses */
  range?: string;
  reason: string;
  /** chat of lobbies, chat and pings of matches, messages to friends, or matchmaking; absent: everything */
  scope?: "lobby" | "match" | "messages" | "queue";
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

export interface Case {
  /** account id */
  account: string;
  /** the account's words */
  appeal?: string;
  appealed?: string;
  /** the moderator who decided last */
  by?: string;
  closed?: string;
  id: number;
  lobby?: string;
  match?: string;
  /** of the account, today */
  name: string;
  opened: string;
  /** of the last decision */
  outcome?: "nothing" | "mute" | "queue" | "ban";
  /** of the last decision; the account reads it */
  reason?: string;
  /** number of reports */
  reports: number;
  state: "open" | "closed" | "appealed";
}

export interface CaseFile {
  /** by this case, that hold */
  bans: Ban[];
  case: Case;
  notes: Note[];
  /** of the same account, newest first, at most 20 */
  others: Case[];
  reports: Report[];
}

export interface CaseText {
  /** 1 to 1000 characters */
  text: string;
}

export interface CasesOutBody {
  cases: Case[];
  next?: number;
}

export interface ClusterJournal {
  /** the journal server that leads it; absent: an election runs */
  leader?: string;
  name: string;
  /** journal servers with a copy */
  servers: string[];
}

export interface ClusterNode {
  build: string;
  /** it gives its matches to others and takes no new ones */
  draining: boolean;
  /** the journal server inside the node */
  logServer?: string;
  /** running matches */
  matches: number;
  /** used share of its memory limit, in thousandths */
  memory: number;
  /** largest number of matches */
  most: number;
  name: string;
  /** used share of its processors, in thousandths */
  processor: number;
  /** time since its last message */
  silentMs: number;
  /** version of its simulation: nodes take over matches with the same version only */
  sim: string;
  /** suspected: silent, so other nodes take over its matches */
  state: "alive" | "suspected" | "gone";
  /** matches that it is taking over */
  taking: string[];
  /** its address for players; absent: the address for all nodes */
  url?: string;
}

export interface ClusterOrphan {
  /** the node that ran it last */
  former?: string;
  match: string;
  /** the nodes that may take it over, in turn; empty: no live node has its build */
  nodes: string[];
  waitingMs: number;
}

export interface ClusterStatus {
  /** the journal store does not answer this node: its matches stand still */
  logAway: boolean;
  /** running matches on all nodes */
  matches: number;
  /** the node that answers */
  node: string;
  /** by name */
  nodes: ClusterNode[];
  /** matches that no node runs at the moment, the oldest first; 100 at most */
  orphans: ClusterOrphan[];
  /** parts of the journal store; empty while it does not answer */
  streams: ClusterJournal[];
  /** orphans that wait for a node with the build that began them */
  waiting: number;
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

export interface Decision {
  /** 0: for good */
  hours?: number;
  /** keep: after an appeal, the earlier decision stands. All others replace the earlier decision */
  outcome: "nothing" | "mute" | "queue" | "ban" | "keep";
  /** the account reads it */
  reason: string;
  /** of a mute */
  scopes?: ("lobby" | "match" | "messages")[];
}

export interface Division {
  /** the lowest rating */
  from: number;
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

export interface InspectBehind {
  /** ids */
  changed: number[];
  /** ids */
  entered: number[];
  from: number;
  /** ids */
  left: number[];
}

export interface InspectBlocker {
  level: number;
  /** how high it reaches: its level, and one more if it is opaque */
  stands: number;
  x: number;
  y: number;
}

export interface InspectBytes {
  /** by class of entity; "none": not about an entity */
  classes: InspectBytesOf[];
  /** the 50 entities with the most bytes */
  entities: InspectBytesID[];
  /** the first tick */
  from: number;
  /** by part of the message; docs/reference/protocol.md has them all */
  parts: InspectBytesOf[];
  /** bytes about entities, part of total */
  placed: number;
  team: number;
  /** bytes about the entities that were there, by index of the tile */
  tiles: InspectTileBytes[];
  /** the last tick */
  to: number;
  /** bytes of payload, without private data of single players */
  total: number;
}

export interface InspectBytesID {
  bytes: number;
  id: number;
  rows: number;
}

export interface InspectBytesOf {
  bytes: number;
  name: string;
  rows: number;
}

export interface InspectChanges {
  /** changed entities, complete */
  changed: InspectEntity[];
  /** entities that the eyes see now and did not see then */
  entered: InspectEntity[];
  eyes: number;
  from: number;
  /** ids of entities that the eyes no longer see */
  left: number[];
  /** tiles whose visibility changed for the eyes */
  sight: InspectTileChange[];
  tick: number;
}

export interface InspectClient {
  /** the tick of the last frame that it had applied */
  acked: number;
  /** the numbers' tick */
  at: number;
  /** its world, once it has read all sent frames; only if live */
  base?: number;
  /** its team's news since its last applied frame, which the player has not seen yet */
  behind?: InspectBehind;
  /** its limit, bytes per second; 0: no limit */
  budget: number;
  /** frames are held back from it since this tick; live alone */
  heldSince?: number;
  /** frames that were sent and are not known to be applied */
  inFlight: number;
  /** how far its last applied frame is behind */
  lateMs: number;
  /** measured capacity of its link, bytes per second; 0: unknown */
  limit: number;
  name: string;
  /** entities with data that its team may know and that it has not got */
  pending: number;
  /** its own account of the last minute; absent: it gave none in the two minutes before */
  report?: InspectReport;
  /** live alone: those entities, 500 at most */
  rows: InspectClientRow[];
  /** the tick of the last frame that it was sent */
  sent: number;
  slot: number;
  /** live: the server's current state; notes: the notes of the last second before the tick; none: unknown, or it had no connection */
  source: "live" | "notes" | "none";
}

export interface InspectClientRow {
  /** ticks */
  behind: number;
  handle: number;
  /** the entity, if the handle names one at the newest tick that is on disk */
  id?: number;
  /** the tick of its data about the entity; enter: in sight since */
  since: number;
  type?: string;
  what: "enter" | "change" | "gone";
  /** tiles */
  x: number;
  /** tiles */
  y: number;
}

export interface InspectCode {
  code: number;
  name: string;
  why: string;
}

export interface InspectContact {
  /** ticks since then; 0: it is in sight */
  age: number;
  /** the order in work */
  doing?: string;
  /** 0 to 255; 0 east, 64 south */
  facing: number;
  /** remembered, not in sight */
  ghost: boolean;
  /** the team's own name for it; with a team's eyes */
  handle?: number;
  /** with a team's eyes: as that team was told */
  hp: number;
  hpMax: number;
  /** one number for the whole match, the same for all eyes */
  id: number;
  /** the teams that see it, its own included; for a ghost: the teams that see the remembered entity, empty if that is gone */
  seen: number[];
  /** the tick in which it was last in sight */
  seenAt: number;
  shape: "unit" | "structure" | "resource" | "projectile" | "ghost";
  /** in sight since this tick; of a ghost: remembered since */
  since: number;
  /** width of a structure, tiles */
  size?: number;
  /** -1: neutral */
  slot: number;
  /** -1: neutral */
  team: number;
  type: string;
  /** tiles */
  x: number;
  /** tiles */
  y: number;
}

export interface InspectCounts {
  entities: number;
  explored: number;
  ghosts: number;
  tiles: number;
}

export interface InspectDensity {
  /** the tick with which the first step begins */
  first: number;
  slots: InspectDensitySlot[];
  /** ticks of a step */
  step: number;
}

export interface InspectDensitySlot {
  /** units and structures */
  losses: number[];
  /** accepted, a number for each step */
  orders: number[];
  refused: number[];
  slot: number;
}

export interface InspectDetail {
  /** as all eyes see it; absent if it is gone */
  entity?: InspectEntity;
  fields: InspectField[];
  /** it no longer exists: only its ghosts are left */
  gone: boolean;
  id: number;
  /** its orders, the one in work first */
  tasks: InspectTask[];
  /** one row for each team */
  teams: InspectTeamSight[];
  tick: number;
}

export interface InspectDifference {
  /** a team */
  a: number;
  /** a team */
  b: number;
  both: InspectCounts;
  onlyA: InspectPart;
  onlyB: InspectPart;
  tick: number;
}

export interface InspectEntity {
  /** the order in work */
  doing?: string;
  /** 0 to 255; 0 east, 64 south */
  facing: number;
  /** the team's own name for it; with a team's eyes */
  handle?: number;
  /** with a team's eyes: as that team was told */
  hp: number;
  hpMax: number;
  /** one number for the whole match, the same for all eyes */
  id: number;
  /** the teams that see it, its own included; for a ghost: the teams that see the remembered entity, empty if that is gone */
  seen: number[];
  shape: "unit" | "structure" | "resource" | "projectile" | "ghost";
  /** width of a structure, tiles */
  size?: number;
  /** -1: neutral */
  slot: number;
  /** -1: neutral */
  team: number;
  type: string;
  /** tiles */
  x: number;
  /** tiles */
  y: number;
}

export interface InspectEye {
  /** radius in tiles in which it detects cloaked units */
  detect?: number;
  /** it sees over all terrain */
  flyer: boolean;
  /** the entity */
  id?: number;
  /** the highest level that it sees, if it does not see over all terrain */
  level: number;
  /** tiles */
  radius: number;
  /** -1: of no entity */
  slot: number;
  /** its number in the masks */
  source: number;
  /** the owner: may differ from the requested team if teams share their sight */
  team: number;
  type?: string;
  /** the tick in which it ends */
  until?: number;
  /** dying: the last sight of something that died; timed: a scan, a reveal, or the last sight of something that flew */
  what: "entity" | "dying" | "timed";
  /** tile */
  x: number;
  /** tile */
  y: number;
}

export interface InspectFacts {
  /** that played it */
  build: string;
  /** memory of its inspection, without its worlds */
  bytes: number;
  /** answers to orders, in the order of the checks */
  codes: InspectCode[];
  /** how many faults there were so far */
  faultCount: number;
  /** the latest faults of handlers of scripts, whose effects were left out, ascending */
  faults: InspectScriptFault[];
  /** the first tick */
  first: number;
  /** so far the match has been read: going to a tick up to here is quick */
  indexed: number;
  /** of orders */
  kinds: string[];
  /** the newest tick that is on disk */
  last: number;
  /** its end is not in the journal yet */
  live: boolean;
  map: InspectMapFacts;
  match: string;
  mode: string;
  /** by slot */
  players: InspectPlayerFact[];
  result?: InspectResult;
  /** running, paused, ended, failed; unknown: it is not over and does not run on this server */
  state: string;
  /** how many; they are numbered from 0 */
  teams: number;
  /** ticks per second */
  tickRate: number;
  /** names of the entity types, by number */
  types: string[];
}

export interface InspectField {
  group: string;
  name: string;
  value: string;
}

export interface InspectGround {
  level: number;
  opaque: boolean;
}

export interface InspectKnown {
  /** of the team's players, by slot */
  clients: InspectClient[];
  /** its knowledge of other players' entities: in sight first, then remembered ones, the youngest first; 2000 at most */
  contacts: InspectContact[];
  /** the entities that the team may know, by shape */
  entities: { [key: string]: number };
  /** the clients' unknown data, and the reason */
  notRecorded?: string;
  /** the contacts of its radar beyond sight, by class and cell */
  radar: InspectTrace[];
  team: number;
  tick: number;
}

export interface InspectLaterNews {
  code: string;
  tick: number;
  unit: number;
}

export interface InspectLeftOut {
  code: string;
  handle: number;
  id?: number;
}

export interface InspectLinkList {
  /** ascending */
  rows: InspectLinkRow[];
  slot: number;
}

export interface InspectLinkRow {
  /** the tick of the last frame that it had applied */
  acked: number;
  /** its limit, bytes per second; 0: no limit */
  budget: number;
  /** of payload that the client was sent */
  bytes: number;
  /** the tick of the last frame that it was sent */
  frame: number;
  /** frames that were sent and not known to be applied */
  inFlight: number;
  /** how far its last applied frame was behind */
  lateMs: number;
  /** measured capacity of its link, bytes per second; 0: unknown */
  limit: number;
  /** that it was sent */
  messages: number;
  /** entities with data held back from it, for want of bytes */
  pending: number;
  /** of payload that it sent */
  received: number;
  tick: number;
}

export interface InspectLit {
  /** it detects cloaked units there */
  detects: boolean;
  eye: InspectEye;
  line: InspectPoint[];
}

export interface InspectMapFacts {
  /** of the map's bytes, at GET /maps/{hash} */
  hash: string;
  /** tiles */
  height: number;
  name: string;
  /** tiles */
  width: number;
}

export interface InspectNotLit {
  blocked?: InspectBlocker;
  /** tiles */
  distance: number;
  eye: InspectEye;
  line: InspectPoint[];
  /** at which distance it would be in its circle, tiles */
  need: number;
  reason: "range" | "level" | "blocked";
}

export interface InspectOrder {
  ability?: string;
  /** in which it acted; of an accepted order */
  acts?: number;
  /** the server had answered this number before: it repeated the answer and did not act */
  again: boolean;
  /** the tick of the last frame that the client had applied: it gives its handles their meaning */
  asOf?: number;
  /** the answer */
  code: string;
  kind?: string;
  /** how the accepted order went wrong later, as far as the ticks that were read */
  later: InspectLaterNews[];
  /** of an accepted order: units that do not take part */
  left: InspectLeftOut[];
  /** the number of the order in the match, from 1, in the order in which they were judged */
  n: number;
  queued?: boolean;
  /** false: only number and answer are known: a journal keeps just these of a refused order, and the match's notes do not have the order */
  recorded: boolean;
  /** the check that decided, in words */
  rule: string;
  /** the client's own number */
  seq: number;
  slot: number;
  /** an entity's id */
  target?: number;
  targetType?: string;
  /** in which it was judged and answered */
  tick: number;
  /** type to build or train */
  type?: string;
  /** handles that the order names */
  unitCount: number;
  /** entities that were asked and that the team knew, 200 at most */
  units: number[];
  /** the values that the rules read, in this order */
  values: InspectValue[];
  /** the meaning of the code */
  why: string;
  /** tiles */
  x?: number;
  /** tiles */
  y?: number;
}

export interface InspectOrderNext {
  n: number;
  tick: number;
}

export interface InspectOrderPage {
  /** the first tick that was read */
  from: number;
  /** where the next page begins; absent: this is the last page. A page may have fewer rows than requested, even zero, and still have a next page */
  next?: InspectOrderNext;
  /** ascending */
  rows: InspectOrder[];
  /** the last tick that was read */
  to: number;
}

export interface InspectPart {
  counts: InspectCounts;
  /** ids of the entities that it sees; ghosts are in ghosts */
  entities: number[];
  /** the same for explored tiles */
  explored: string;
  /** ids of the entities that it remembers, and the other neither sees nor remembers */
  ghosts: number[];
  /** base64, 1 bit a tile, row by row, the lowest bits first: the tiles that it sees */
  tiles: string;
}

export interface InspectPlayerFact {
  bot: boolean;
  /** its number among the colours of players */
  color: number;
  /** of a match that runs on this server */
  connected: boolean;
  name: string;
  slot: number;
  team: number;
}

export interface InspectPoint {
  x: number;
  y: number;
}

export interface InspectReport {
  /** units whose drawn place was more than a tile wrong */
  corrections: number;
  /** pictures that the page drew */
  drawn: number;
  /** that it received */
  frames: number;
  /** times without a frame for more than 1.5 seconds */
  gaps: number;
  /** frames that came more than 100 ms later than the earliest frames of ten seconds */
  late: number;
  /** the longest time without a frame */
  longestMs: number;
  /** since its last report */
  seconds: number;
  /** pictures that took more than 50 ms */
  slow: number;
  /** of its arrival */
  tick: number;
  /** from an order to its answer, the median; 0: no order was answered */
  tripMs: number;
}

export interface InspectResult {
  reason: string;
  tick: number;
  /** -1: a draw */
  winner: number;
}

export interface InspectScriptFault {
  /** the event */
  handler: string;
  line: number;
  script: string;
  tick: number;
  why: string;
}

export interface InspectState {
  /** entities by shape */
  counts: { [key: string]: number };
  /** by id */
  entities: InspectEntity[];
  /** -1: all; else the team through whose eyes this is */
  eyes: number;
  /** tiles */
  height: number;
  /** base64, 2 bits a tile, row by row, the lowest bits first: 0 unexplored, 1 explored, 2 visible; with all eyes the union of all teams; only on request */
  sight?: string;
  tick: number;
  /** tiles */
  width: number;
}

export interface InspectStreamEnd {
  reason: "over" | "closed" | "failed";
  words: string;
}

export interface InspectTask {
  kind: string;
  /** of the order, as its client numbers them */
  seq: number;
  /** an entity's id */
  target?: number;
  /** type under construction */
  type?: string;
  /** tiles */
  x?: number;
  /** tiles */
  y?: number;
}

export interface InspectTeamSight {
  /** the obstacle */
  blocked?: InspectBlocker;
  /** the eye that sees it, or that comes nearest to it */
  by?: InspectEye;
  /** from that eye to the entity's nearest tile, tiles */
  distance?: number;
  /** all eyes of the team that see it, 16 at most, the nearest first */
  eyes: InspectEye[];
  /** the team's own name for it, or for the ghost */
  handle?: number;
  /** the tiles from that eye to the entity */
  line?: InspectPoint[];
  /** at which distance that eye would have it in its circle, tiles */
  need?: number;
  /** of a ghost: why it is not seen now */
  now?: string;
  reason: "own" | "always" | "sight" | "above" | "detected" | "revealed" | "captured" | "ghost" | "owner_only" | "range" | "level" | "blocked" | "cloaked" | "no_eyes" | "gone";
  seen: boolean;
  /** in sight since this tick; of a ghost: remembered since */
  since?: number;
  team: number;
  /** the reveal, or the eye, ends in this tick */
  until?: number;
  /** the same in a sentence */
  words: string;
}

export interface InspectTile {
  /** the team detects cloaked units there */
  detected: boolean;
  /** entities there, seen or not */
  entities: number[];
  explored: boolean;
  /** when the team first saw it */
  first?: InspectWhen;
  /** the ground as the team last saw it */
  known: InspectGround;
  level: number;
  /** eyes that do not, the nearest first, 8 at most */
  not: InspectNotLit[];
  /** it stands one level above its own */
  opaque: boolean;
  /** when the team last saw it */
  seen?: InspectWhen;
  /** the eyes that see it, the nearest first, 64 at most */
  sources: InspectLit[];
  team: number;
  terrain: string;
  tick: number;
  visible: boolean;
  x: number;
  y: number;
}

export interface InspectTileBytes {
  bytes: number;
  /** its index, row by row */
  tile: number;
}

export interface InspectTileChange {
  now: number;
  tile: number;
}

export interface InspectTimeRow {
  /** the frames of all players */
  encode: InspectTook;
  /** how late the ticks began */
  late: InspectTook;
  /** how many began later than a tick takes */
  missed: number;
  /** the simulation */
  step: InspectTook;
  /** the last tick */
  tick: number;
  ticks: number;
  /** the views of all teams */
  view: InspectTook;
  /** until the journal had the inputs of the frames */
  write: InspectTook;
}

export interface InspectTimes {
  density: InspectDensity;
  from: number;
  /** the match had more to note than there was room for */
  full: boolean;
  /** by slot, for connected players */
  links: InspectLinkList[];
  /** seconds of the match that were left out, as the disk was slow */
  lost: number;
  /** ascending */
  rows: InspectTimeRow[];
  to: number;
  /** why there are no rows and links, in words */
  without?: string;
}

export interface InspectTook {
  max: number;
  p50: number;
}

export interface InspectTrace {
  /** ticks since radar found it last */
  age: number;
  /** the signature's class */
  class: string;
  /** the middle of its cell, in tiles */
  x: number;
  y: number;
}

export interface InspectValue {
  /** the question */
  asked: string;
  /** that unit */
  id?: number;
  name: string;
  /** the answer speaks against the order */
  no: boolean;
  /** the place in the order's list of the unit that it is about; -1: the order as a whole */
  unit: number;
  value: string;
}

export interface InspectWhen {
  /** searching: the match is still being read; ask again */
  state: "now" | "at" | "never" | "searching";
  /** with at */
  tick?: number;
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

export interface LadderList {
  leaderboards: QueueLadder[];
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
  /** of a match that runs on a node which answered */
  tick?: number;
}

export interface MatchBudget {
  /** most bytes of payload per second to a connection, 512 to 1073741824; 0: the server's setting */
  bytesPerS: number;
  /** the player's, as the match's seats have it; absent: all players and spectators */
  slot?: number;
}

export interface MatchMove {
  /** absent: the one with most room */
  node?: string;
}

export interface MatchPlayer {
  account?: string;
  bot: boolean;
  color: number;
  /** earlier players of the seat, the first one first */
  earlier?: Holder[];
  /** the tick in which this player took the seat over; absent: it had it from the start */
  from?: number;
  name: string;
  slot: number;
  team: number;
}

export interface MatchesOutBody {
  matches: Match[];
  /** pass as before to go on; absent at the end. A search may stop with less than a full page, even without a match */
  next?: number;
}

export interface NewAdminOutBody {
  /** generated; shown this once */
  password: string;
}

export interface NewServiceKey {
  /** absent or 0: never */
  expiresHours?: number;
  /** the issuer of the players that it names: the issuer of the game's log-in, or else any word */
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
  /** absent: all but match.events */
  events?: ("match.started" | "match.ended" | "match.events" | "player.joined" | "player.left" | "player.kicked" | "account.banned" | "account.unbanned")[];
  /** admins only; absent: all matches and players */
  issuer?: string;
  /** http or https, at a public address unless the server is configured otherwise; no name or password; port 80, 443 or above 1023 */
  url: string;
}

export interface NewWebhookOutBody {
  endpoint: WebhookEndpoint;
  /** the key of the signatures of events; shown only once */
  secret: string;
}

export interface NodeDrain {
  on: boolean;
}

export interface Note {
  at: string;
  by: string;
  text: string;
}

export interface Opened {
  /** a lobby that plays a match on, or a scenario: from where */
  from?: Origin;
  /** account id */
  host: string;
  hostName: string;
  id: string;
  /** seats of players and bots */
  limit: number;
  /** by which players join it */
  link: string;
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

export interface Pack {
  about?: string;
  /** the admin who published it */
  by?: string;
  /** of the pack's content, in hexadecimal; GET /packs/{hash} has the index of its files */
  hash: string;
  licence: string;
  /** the names of its maps */
  maps: string[];
  name: string;
  /** absent: lobbies cannot choose it */
  published?: string;
  /** their values for a lobby's option "ruleset" */
  rulesets: string[];
  scenarios: PackScenario[];
  title: string;
  version: string;
}

export interface PackScenario {
  id: string;
  name: string;
}

export interface PacksOutBody {
  /** by name and version; a published one that this server does not have is without a title */
  packs: Pack[];
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
  /** the faults of the request, one line each */
  errors?: string[];
  /** the option or field at fault */
  field?: string;
  /** the HTTP status */
  status: number;
  /** the status in words */
  title: string;
}

export interface QueueLadder {
  ladder: Ladder;
  name: string;
  /** id */
  queue: string;
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

export interface ReplayAccess {
  /** link: also everyone with the link. Each time it is set the link is a new one, and earlier links stop working. listed: as link, and in the catalogue while each player shares replays */
  access: "off" | "participants" | "link" | "listed";
}

export interface Report {
  at: string;
  kind: "cheating" | "chat" | "name" | "sabotage" | "leaving" | "other";
  /** chat of the account, from the server's own record */
  lines: ReportLine[];
  /** of the reporter, today */
  name?: string;
  /** account id; absent after its deletion */
  reporter?: string;
  /** of the reporter in the match; -1: the reporter watched all teams, or there is no match */
  team: number;
  text?: string;
  /** of the match */
  tick: number;
}

export interface ReportLine {
  /** outside of matches */
  at?: string;
  text: string;
  /** of the match */
  tick?: number;
}

export interface ResetOutBody {
  expires: string;
  /** works once */
  link: string;
}

export interface SeasonStart {
  /** absent: an admin ends it */
  endsAt?: string;
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

export interface ServerOutBody {
  /** no new matches; live ones finish */
  draining: boolean;
  /** matches that run, on all nodes */
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

export interface SettingsAsked {
  limit?: number;
  map?: string;
  options?: { [key: string]: unknown };
}

export interface SpecClass {
  bytes: number;
  name: string;
  rows: number;
}

export interface SpecClientTraffic {
  /** since the match began */
  match: SpecSpanSums;
  /** the last 60 full seconds */
  minute: SpecSpanSums;
  /** the last full second */
  second: SpecSpanSums;
  /** -1: the spectators */
  slot: number;
  spectators: boolean;
}

export interface SpecLiveTraffic {
  /** of all clients */
  all: SpecSpans;
  /** the players by slot, then all spectators together */
  clients: SpecClientTraffic[];
  id: string;
  tick: number;
}

export interface SpecMessages {
  /** of payload */
  bytes: number;
  messages: number;
}

export interface SpecPart {
  bytes: number;
  /** clients send it */
  client: boolean;
  group: string;
  name: string;
  rows: number;
}

export interface SpecSpanSums {
  /** classes of sent entities */
  classes: SpecClass[];
  /** parts of the messages, both ways */
  parts: SpecPart[];
  /** from clients */
  received: SpecMessages;
  /** to clients */
  sent: SpecMessages;
}

export interface SpecSpans {
  /** since the match began */
  match: SpecSpanSums;
  /** the last 60 full seconds */
  minute: SpecSpanSums;
  /** the last full second */
  second: SpecSpanSums;
}

export interface SpecTraceAnswer {
  /** OK: accepted */
  code: string;
  number: number;
}

export interface SpecTraceCall {
  kind: string;
  /** the client's number of the order */
  number: number;
  target?: SpecTraceName;
  /** the first 32 units */
  units?: SpecTraceName[];
}

export interface SpecTraceEntity {
  /** the player's number of the entity */
  handle: number;
  /** its rows */
  parts: SpecTracePart[];
  /** absent: the client does not know the entity */
  type?: string;
}

export interface SpecTraceLine {
  /** the client's account; absent: a bot */
  account?: string;
  /** the answers to orders in it */
  answers?: SpecTraceAnswer[];
  /** of payload */
  bytes: number;
  /** the orders in it */
  calls?: SpecTraceCall[];
  /** the entities that its rows name, by handle */
  entities?: SpecTraceEntity[];
  /** false: a client's message, a welcome, a pause or an end */
  frame: boolean;
  /** the sender */
  from: "server" | "client";
  /** messages missing just before this one, because the reader was too slow */
  lost?: number;
  /** the parts of the message */
  parts: SpecPart[];
  snapshot: boolean;
  /** of a frame its tick, else the newest tick */
  tick: number;
  /** when the server handed it to the connection, or received it */
  time: string;
}

export interface SpecTraceName {
  /** the player's number of the entity */
  handle: number;
  /** absent: the client does not know the entity */
  type?: string;
}

export interface SpecTracePart {
  bytes: number;
  name: string;
}

export interface Waiting {
  /** the match ends then, unless a server that can continue it was started */
  until: string;
  /** the build that began the match, and the parts that this build lacks */
  why: string;
}

export interface WebhookEndpoint {
  /** the admin who registered it, or key: and a service key's id */
  by: string;
  created: string;
  events: string[];
  id: string;
  /** the issuer of the matches and players in its events; absent: all */
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
  /** The admins' actions, newest first */
  audit: (search: { before?: number } = {}, o?: CallOptions) => call<AuditOutBody>("GET", `/admin/api/audit${query(search)}`, undefined, o),
  /** Whether a row of the audit was changed or is missing */
  verifyAudit: (search: { head?: string } = {}, o?: CallOptions) => call<AuditReport>("GET", `/admin/api/audit/verify${query(search)}`, undefined, o),
  /** Bans, newest first */
  bans: (search: { before?: number } = {}, o?: CallOptions) => call<BansOutBody>("GET", `/admin/api/bans${query(search)}`, undefined, o),
  /** Ban an account or a range of addresses (moderator) */
  ban: (body: AdminBanRequest, o?: CallOptions) => call<BanOutBody>("POST", `/admin/api/bans`, body, o),
  /** Lift a ban (moderator) */
  liftBan: (ban: number, o?: CallOptions) => call<BanOutBody>("DELETE", `/admin/api/bans/${segment(ban)}`, undefined, o),
  /** Cases, newest first */
  cases: (search: { state?: "open" | "closed" | "appealed"; before?: number } = {}, o?: CallOptions) => call<CasesOutBody>("GET", `/admin/api/cases${query(search)}`, undefined, o),
  /** A case with its reports and notes */
  case: (id: number, o?: CallOptions) => call<CaseFile>("GET", `/admin/api/cases/${segment(id)}`, undefined, o),
  /** Close a case with an outcome, or answer an appeal (moderator) */
  decideCase: (id: number, body: Decision, o?: CallOptions) => call<CaseFile>("POST", `/admin/api/cases/${segment(id)}/decide`, body, o),
  /** Add a note (moderator) */
  noteCase: (id: number, body: CaseText, o?: CallOptions) => call<CaseFile>("POST", `/admin/api/cases/${segment(id)}/notes`, body, o),
  /** The cluster as this node sees it; 404 if it is no node of one */
  cluster: (o?: CallOptions) => call<ClusterStatus>("GET", `/admin/api/cluster`, undefined, o),
  /** Move a live match to another node (admin) */
  moveMatch: (id: string, body: MatchMove, o?: CallOptions) => call<void>("POST", `/admin/api/cluster/matches/${segment(id)}/move`, body, o),
  /** Have a node move its matches to others and take no new ones, or take them again (admin) */
  drainNode: (name: string, body: NodeDrain, o?: CallOptions) => call<void>("POST", `/admin/api/cluster/nodes/${segment(name)}/drain`, body, o),
  /** The server at a glance */
  house: (o?: CallOptions) => call<ServerOutBody>("GET", `/admin/api/house`, undefined, o),
  /** Tell everyone something (moderator) */
  announce: (body: AdminAnnounceRequest, o?: CallOptions) => call<void>("POST", `/admin/api/house/announce`, body, o),
  /** Stop or allow new matches (admin) */
  drain: (body: AdminDrainRequest, o?: CallOptions) => call<void>("POST", `/admin/api/house/drain`, body, o),
  /** The facts of a match, live or past, and the range of its inspection */
  inspectMatch: (match: string, o?: CallOptions) => call<InspectFacts>("GET", `/admin/api/inspect/${segment(match)}`, undefined, o),
  /** The bytes of a team's frames: by tile, class, part and entity */
  inspectBytes: (match: string, search: { tick?: number; team?: number; ticks?: number } = {}, o?: CallOptions) => call<InspectBytes>("GET", `/admin/api/inspect/${segment(match)}/bytes${query(search)}`, undefined, o),
  /** The changes for some eyes from one tick to another */
  inspectChanges: (match: string, search: { tick?: number; from?: number; eyes?: string } = {}, o?: CallOptions) => call<InspectChanges>("GET", `/admin/api/inspect/${segment(match)}/changes${query(search)}`, undefined, o),
  /** Things that one team's eyes have at a tick and another's do not */
  inspectDifference: (match: string, search: { tick?: number; a?: number; b?: number } = {}, o?: CallOptions) => call<InspectDifference>("GET", `/admin/api/inspect/${segment(match)}/difference${query(search)}`, undefined, o),
  /** An entity at a tick, and why each team sees it or does not */
  inspectEntity: (match: string, search: { tick?: number; id?: number } = {}, o?: CallOptions) => call<InspectDetail>("GET", `/admin/api/inspect/${segment(match)}/entity${query(search)}`, undefined, o),
  /** A team's permitted knowledge, beside the data sent to its clients */
  inspectKnown: (match: string, search: { tick?: number; team?: number } = {}, o?: CallOptions) => call<InspectKnown>("GET", `/admin/api/inspect/${segment(match)}/known${query(search)}`, undefined, o),
  /** The order log: each order with its answer, the rule that judged it, and the values that the rule read */
  inspectOrders: (match: string, search: { from?: number; to?: number; after?: number; slot?: string; kind?: string; code?: string; unit?: number; refused?: number; limit?: number } = {}, o?: CallOptions) => call<InspectOrderPage>("GET", `/admin/api/inspect/${segment(match)}/orders${query(search)}`, undefined, o),
  /** A match at a tick, through the eyes of all or of one team */
  inspectState: (match: string, search: { tick?: number; eyes?: string; sight?: number } = {}, o?: CallOptions) => call<InspectState>("GET", `/admin/api/inspect/${segment(match)}/state${query(search)}`, undefined, o),
  /** A live match as it goes on, as server-sent events */
  inspectStreamUrl: (match: string, search: { eyes?: string; everyMs?: number } = {}) => `/admin/api/inspect/${segment(match)}/stream${query(search)}`,
  /** A team's knowledge of a tile, by which eyes, and since when */
  inspectTile: (match: string, search: { tick?: number; x?: number; y?: number; team?: number } = {}, o?: CallOptions) => call<InspectTile>("GET", `/admin/api/inspect/${segment(match)}/tile${query(search)}`, undefined, o),
  /** Duration of ticks, quality of the clients' connections, actions of players: second by second */
  inspectTimes: (match: string, search: { from?: number; to?: number } = {}, o?: CallOptions) => call<InspectTimes>("GET", `/admin/api/inspect/${segment(match)}/times${query(search)}`, undefined, o),
  /** Service keys, newest first */
  keys: (o?: CallOptions) => call<ServiceKeysOutBody>("GET", `/admin/api/keys`, undefined, o),
  /** Make a service key (admin) */
  addKey: (body: NewServiceKey, o?: CallOptions) => call<NewServiceKeyOutBody>("POST", `/admin/api/keys`, body, o),
  /** End a service key at once (admin) */
  revokeKey: (id: string, o?: CallOptions) => call<void>("POST", `/admin/api/keys/${segment(id)}/revoke`, undefined, o),
  /** Give a service key a new secret (admin) */
  rotateKey: (id: string, body?: AdminRotateKeyRequest, o?: CallOptions) => call<NewServiceKeyOutBody>("POST", `/admin/api/keys/${segment(id)}/rotate`, body, o),
  /** The queues with a ladder, and their seasons */
  leaderboards: (o?: CallOptions) => call<LadderList>("GET", `/admin/api/leaderboards`, undefined, o),
  /** Delete all ratings of a queue: all players begin again (admin) */
  resetRatings: (queue: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/leaderboards/${segment(queue)}`, undefined, o),
  /** End the season of a queue: no match counts until the next one begins (admin) */
  endSeason: (queue: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/leaderboards/${segment(queue)}/season`, undefined, o),
  /** Begin the next season of a queue with a ladder, and end the running one (admin) */
  startSeason: (queue: string, body: SeasonStart, o?: CallOptions) => call<void>("POST", `/admin/api/leaderboards/${segment(queue)}/season`, body, o),
  /** Delete a player's rating in a queue: the player begins again (moderator) */
  removeRating: (queue: string, account: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/leaderboards/${segment(queue)}/${segment(account)}`, undefined, o),
  /** The minimap of a live match at its newest tick */
  liveMinimapUrl: (match: string, search: { eyes?: string; scale?: number } = {}) => `/admin/api/live/matches/${segment(match)}/minimap.png${query(search)}`,
  /** The packet log of a live match */
  liveTrace: (match: string, search: { slot?: string; seconds?: number; from?: "server" | "client"; part?: string; entity?: number } = {}, o?: CallOptions) => call<void>("GET", `/admin/api/live/matches/${segment(match)}/trace${query(search)}`, undefined, o),
  /** Traffic on the sockets of a live match's clients */
  liveTraffic: (match: string, o?: CallOptions) => call<SpecLiveTraffic>("GET", `/admin/api/live/matches/${segment(match)}/traffic`, undefined, o),
  /** Lobbies, newest first */
  lobbies: (search: { q?: string; state?: "open" | "starting" | "playing" | "ended"; public?: boolean; room?: boolean; page?: number; limit?: number } = {}, o?: CallOptions) => call<LobbyList>("GET", `/admin/api/lobbies${query(search)}`, undefined, o),
  /** Close a lobby (moderator) */
  closeLobby: (id: string, body: Reason, o?: CallOptions) => call<void>("POST", `/admin/api/lobbies/${segment(id)}/close`, body, o),
  /** Log in as an admin */
  logIn: (body: Credentials, o?: CallOptions) => call<AdminLoggedIn>("POST", `/admin/api/login`, body, o),
  /** End this session */
  logOut: (o?: CallOptions) => call<void>("POST", `/admin/api/logout`, undefined, o),
  /** Matches, newest first */
  matches: (search: { state?: "starting" | "live" | "ended" | "failed"; account?: string; map?: string; from?: string; to?: string; before?: number } = {}, o?: CallOptions) => call<MatchesOutBody>("GET", `/admin/api/matches${query(search)}`, undefined, o),
  /** Limit the bytes per second that the server sends to connections of a match (moderator) */
  matchBudget: (id: string, body: MatchBudget, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/budget`, body, o),
  /** Break a match off, without a winner (moderator) */
  endMatch: (id: string, body: Reason, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/end`, body, o),
  /** Have a match go on though no person is connected to it, or not (moderator) */
  keepMatch: (id: string, body: AdminKeepMatchRequest, o?: CallOptions) => call<void>("POST", `/admin/api/matches/${segment(id)}/keep`, body, o),
  /** Change the access to a finished match's replay (moderator) */
  matchReplays: (id: string, body: ReplayAccess, o?: CallOptions) => call<void>("PUT", `/admin/api/matches/${segment(id)}/replays`, body, o),
  /** The admin of the session */
  me: (o?: CallOptions) => call<AdminOutBody>("GET", `/admin/api/me`, undefined, o),
  /** Change one's own password; other sessions end */
  changePassword: (body: AdminChangePasswordRequest, o?: CallOptions) => call<void>("POST", `/admin/api/me/password`, body, o),
  /** The packs in this server's folder */
  packs: (o?: CallOptions) => call<PacksOutBody>("GET", `/admin/api/packs`, undefined, o),
  /** Let lobbies choose a pack, in place of its other versions (admin) */
  publishPack: (hash: string, o?: CallOptions) => call<void>("POST", `/admin/api/packs/${segment(hash)}/publish`, undefined, o),
  /** Make a lobby that plays a scenario of a published pack (moderator) */
  openPackScenario: (hash: string, scenario: string, o?: CallOptions) => call<Opened>("POST", `/admin/api/packs/${segment(hash)}/scenarios/${segment(scenario)}`, undefined, o),
  /** Let lobbies choose no version of a pack any more (admin) */
  withdrawPack: (name: string, o?: CallOptions) => call<void>("POST", `/admin/api/packs/${segment(name)}/withdraw`, undefined, o),
  /** Make a lobby that plays a scenario (moderator) */
  openScenario: (body: { [key: string]: unknown }, o?: CallOptions) => call<Opened>("POST", `/admin/api/scenarios`, body, o),
  /** Webhook endpoints, newest first */
  webhooks: (o?: CallOptions) => call<WebhooksOutBody>("GET", `/admin/api/webhooks`, undefined, o),
  /** Register a webhook endpoint (admin) */
  addWebhook: (body: NewWebhookEndpoint, o?: CallOptions) => call<NewWebhookOutBody>("POST", `/admin/api/webhooks`, body, o),
  /** Events that endpoints did not take, newest first */
  deadEvents: (search: { before?: number } = {}, o?: CallOptions) => call<DeadOutBody>("GET", `/admin/api/webhooks/dead${query(search)}`, undefined, o),
  /** Try a dead event again (admin) */
  retryEvent: (num: number, o?: CallOptions) => call<void>("POST", `/admin/api/webhooks/dead/${segment(num)}/retry`, undefined, o),
  /** Delete a webhook endpoint, with its waiting events (admin) */
  deleteWebhook: (id: string, o?: CallOptions) => call<void>("DELETE", `/admin/api/webhooks/${segment(id)}`, undefined, o),
  /** Give a webhook endpoint a new secret (admin) */
  rotateWebhook: (id: string, body?: AdminRotateWebhookRequest, o?: CallOptions) => call<NewWebhookOutBody>("POST", `/admin/api/webhooks/${segment(id)}/rotate`, body, o),
});
