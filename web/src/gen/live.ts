// Made by internal/tools/apiclient from minimap/page/openapi.json. Do not edit.

import { query, segment, type Call, type CallOptions } from "@fogkeep/client";

export interface Class {
  bytes: number;
  name: string;
  rows: number;
}

export interface LiveClientTraffic {
  /** since the match began */
  match: Sums;
  /** the last 60 full seconds */
  minute: Sums;
  /** the last full second */
  second: Sums;
  /** -1: the spectators */
  slot: number;
  spectators: boolean;
}

export interface LiveEnd {
  reason: string;
}

export interface LiveEntity {
  /** its order or action */
  doing?: string;
  /** 0 to 255; 0 east, 64 south */
  facing: number;
  hp: number;
  hpMax: number;
  /** the entity's id with all eyes, the team's handle with a team's */
  key: number;
  /** the teams that see it; with all eyes only */
  seen?: number[];
  shape: "unit" | "structure" | "resource" | "projectile" | "ghost" | "start";
  /** width of a structure, tiles */
  size?: number;
  /** -1: nobody */
  slot: number;
  /** -1: nobody */
  team: number;
  type: string;
  /** tiles */
  x: number;
  /** tiles */
  y: number;
}

export interface LiveMap {
  /** of the map's bytes, at GET /maps/{hash} */
  hash: string;
  /** tiles */
  height: number;
  name: string;
  /** tiles */
  width: number;
}

export interface LiveMatch {
  id: string;
  map: LiveMap;
  paused: boolean;
  players: Player[];
  /** running, paused or ended */
  state: string;
  tick: number;
  /** ticks a second */
  tickRate: number;
}

export interface LiveMatches {
  /** newest first */
  matches: LiveMatch[];
}

export interface LiveState {
  /** entities by shape */
  counts: { [key: string]: number };
  entities: LiveEntity[];
  /** all, or a team's number */
  eyes: unknown;
  /** tiles */
  height: number;
  id: string;
  /** base64, 2 bits a tile, row by row, the lowest bits first: 0 unexplored, 1 explored, 2 visible; only with a team's eyes and sight=1 */
  sight?: string;
  tick: number;
  /** tiles */
  width: number;
}

export interface LiveTraffic {
  /** of all clients */
  all: Spans;
  /** the players by slot, then all spectators together */
  clients: LiveClientTraffic[];
  id: string;
  tick: number;
}

export interface Messages {
  /** of payload */
  bytes: number;
  messages: number;
}

export interface Part {
  bytes: number;
  /** clients send it */
  client: boolean;
  group: string;
  name: string;
  rows: number;
}

export interface Player {
  alive: boolean;
  bot: boolean;
  /** its number among the colours of players */
  color: number;
  connected: boolean;
  name: string;
  slot: number;
  team: number;
}

export interface Spans {
  /** since the match began */
  match: Sums;
  /** the last 60 full seconds */
  minute: Sums;
  /** the last full second */
  second: Sums;
}

export interface Sums {
  /** classes of entities, of what was sent */
  classes: Class[];
  /** parts of the messages, both ways, those that there were */
  parts: Part[];
  /** from clients */
  received: Messages;
  /** to clients */
  sent: Messages;
}

export interface TraceLine {
  /** who was sent it; absent: a bot */
  account?: string;
  /** of payload */
  bytes: number;
  /** false: a welcome, a pause or an end */
  frame: boolean;
  /** lines just before this one that are missing, as they were read too slowly */
  lost?: number;
  /** the parts of the message */
  parts: Part[];
  snapshot: boolean;
  /** that the message tells of */
  tick: number;
}

/** The operations. `call` sends a request and reads its answer. */
export const client = (call: Call) => ({
  /** The live matches */
  liveMatches: (o?: CallOptions) => call<LiveMatches>("GET", `/admin/api/live/matches`, undefined, o),
  /** Its states as server-sent events, the last of them `end` */
  liveStatesUrl: (id: string, search: { eyes?: string; sight?: number; everyMs?: number } = {}) => `/admin/api/live/matches/${segment(id)}/live${query(search)}`,
  /** A match at its newest tick */
  liveState: (id: string, search: { eyes?: string; sight?: number } = {}, o?: CallOptions) => call<LiveState>("GET", `/admin/api/live/matches/${segment(id)}/state${query(search)}`, undefined, o),
  /** The packet log: a TraceLine for each message that is sent from now on */
  liveTrace: (id: string, search: { slot?: string; seconds?: number } = {}, o?: CallOptions) => call<void>("GET", `/admin/api/live/matches/${segment(id)}/trace${query(search)}`, undefined, o),
  /** What went over the sockets of its clients */
  liveTraffic: (id: string, o?: CallOptions) => call<LiveTraffic>("GET", `/admin/api/live/matches/${segment(id)}/traffic`, undefined, o),
});
