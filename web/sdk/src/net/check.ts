// Checks the counts and ranges of a message once, before anything is built from
// it. A message that passes can be applied safely, whether or not its contents
// are true. The server's decoder (proto/wire/decode.go) has the same bounds.

import { FogkeepError } from "../base/errors.js";
import { SLOTS_MAX, WU_PER_TILE } from "../base/ids.js";
import { OWN_VALUES, ROWS } from "../gen/fields.js";
import {
  type Ended,
  type Ghosts,
  type MaskRows,
  type Own,
  type ReplayStatus,
  type ReplayTimeline,
  type ServerFrame,
  TypeClass,
  type Welcome,
} from "../gen/fogkeep/v1/server_pb.js";
import { RADIUS_MAX } from "../vision/shapes.js";
import { ROWS_MAX } from "./packed.js";

/** The most bytes of one message. A snapshot of a whole map is far smaller. */
export const MESSAGE_MAX = 4 << 20;
/** The lowest free handle is used first, and no match has so many entities. */
const HANDLE_MAX = 1 << 17;
const SIDE_MAX = 1024;
const TYPES_MAX = 1 << 16;
/** The most abilities, weapons, resources or codes of a ruleset. */
const NAMES_MAX = 4096;
const FACTIONS_MAX = 16;
/** In percent. */
const HANDICAP_MAX = 400;
/** Areas and values that a mode shows. */
const MODE_AREAS_MAX = 16;
const MODE_VALUES_MAX = 8;
/** Tiles a side of a structure's footprint. */
const FOOTPRINT_MAX = 64;
const TICK_RATE_MAX = 1000;
const SPAN_MAX = 1 << 24;
/** Points of a timeline. */
const POINTS_MAX = 1 << 17;
/** Percent of the normal speed. */
const SPEED_MAX = 1600;
/** The most kinds of resources in a timeline. */
const HELD_MAX = 16;
/** Points of a player's series. */
const SERIES_MAX = 512;

/** Throws {@link FogkeepError} `bad_frame` for an invalid welcome. */
export function checkWelcome(w: Welcome): void {
  within("players", w.players.length, 1, SLOTS_MAX);
  within("mode values", w.modeValues.length, 0, MODE_VALUES_MAX);
  within("mode areas", w.modeAreas.length, 0, MODE_AREAS_MAX);
  within("factions", w.factions.length, 0, FACTIONS_MAX);
  for (const p of w.players)
    for (const percent of [p.handicapStart, p.handicapIncome, p.handicapDamage])
      within("handicap", percent, 0, HANDICAP_MAX);
  within("types", w.types.length, 1, TYPES_MAX);
  within("ticks per second", w.tickRate, 1, TICK_RATE_MAX);
  if (!/^[0-9a-f]{0,128}$/i.test(w.mapHash)) throw bad("the map's hash is invalid");
  for (const [name, list] of [
    ["codes", w.codes],
    ["resources", w.resources],
    ["armours", w.armours],
    ["abilities", w.abilities],
    ["effects", w.effects],
    ["weapons", w.weapons],
    ["values", w.values],
    ["displays", w.displays],
  ] as const) {
    within(name, list.length, 0, NAMES_MAX);
  }
  w.types.forEach((t, k) => {
    within(`sight of type ${k}`, t.sight, 0, RADIUS_MAX);
    within(`level bonus of type ${k}`, t.levelBonus, 0, 255);
    const placed = t.class === TypeClass.STRUCTURE || t.class === TypeClass.RESOURCE;
    // The size is a footprint in tiles for structures and resources, else a radius in world units.
    const most = placed ? FOOTPRINT_MAX : FOOTPRINT_MAX * WU_PER_TILE;
    within(`size of type ${k}`, t.size, 0, most);
    within(`depth of type ${k}`, t.sizeY, 0, most);
    within(`values of type ${k}`, t.values.length, 0, NAMES_MAX);
  });
}

/** The counts of a welcome that rows of frames depend on. */
export interface Counts {
  readonly players: number;
  readonly types: number;
}

/** Throws {@link FogkeepError} `bad_frame` for an invalid frame. */
export function checkFrame(f: ServerFrame, counts: Counts): void {
  within("span", f.span, 0, SPAN_MAX);
  within("skipped", f.skipped, 0, SPAN_MAX);
  const kinds = (counts.players + 1) * counts.types;
  for (let at = 1; at < f.owner.length; at += 2) within("owner", f.owner[at], 0, counts.players);
  for (const { name, key, length } of ROWS) rows(name, f[key], length, key === "enter" ? kinds : 1);
  if (f.ghosts) ghosts(f.ghosts, counts);
  if (f.mask) mask(f.mask);
  if (f.events) within("events", f.events.kind.length, 0, ROWS_MAX);
  within("contacts", f.contacts?.x.length ?? 0, 0, ROWS_MAX);
  for (const cell of [...(f.contacts?.x ?? []), ...(f.contacts?.y ?? [])]) {
    within("cell of a contact", cell, 0, SIDE_MAX / 8 - 1);
  }
  for (const what of f.contacts?.class ?? []) within("class of a contact", what, 0, 255);
  within("sights", f.sights.length, 0, ROWS_MAX);
  for (const s of f.sights) {
    if (s.x >= SIDE_MAX || s.y >= SIDE_MAX) throw bad(`a sight at ${s.x},${s.y} is beyond any map`);
    within("radius of a sight", s.radius, 0, RADIUS_MAX);
    within("level bonus of a sight", s.levelBonus, 0, 255);
  }
  within("players", f.players.length, 0, ROWS_MAX);
  for (const p of f.players) within("values of a player", p.values.length, 0, MODE_VALUES_MAX);
  let answers = 0;
  for (const a of f.answers) answers += 1 + a.more;
  within("answers", answers, 0, ROWS_MAX);
  if (f.own) own(f.own);
  if (f.ended) ended(f.ended);
  if (f.replay) replay(f.replay, counts);
  if (f.timeline) timeline(f.timeline);
}

function replay(s: ReplayStatus, counts: Counts): void {
  within("eyes", s.eyes, 0, SLOTS_MAX);
  within("speed", s.percent, 0, SPEED_MAX);
  within("cameras", s.cameras.length, 0, SLOTS_MAX);
  within("production", s.production.length, 0, NAMES_MAX);
  for (const c of s.cameras) within("slot of a camera", c.slot, 0, counts.players - 1);
  for (const p of s.production) {
    within("slot of a production", p.slot, 0, counts.players - 1);
    within("type of a production", p.type, 0, counts.types - 1);
  }
}

function timeline(part: ReplayTimeline): void {
  within("series", part.series.length, 0, SLOTS_MAX);
  within("first point", part.point, 0, POINTS_MAX);
  within("ticks of a point", part.pointTicks, 0, SPAN_MAX);
  within("events of a timeline", part.events.length, 0, ROWS_MAX);
  for (const s of part.series) {
    for (const [name, list] of Object.entries(s)) {
      if (Array.isArray(list)) within(name, list.length, 0, POINTS_MAX * HELD_MAX);
    }
  }
  for (const e of part.events) {
    within("losses of an event", e.losses.length, 0, SLOTS_MAX);
  }
}

function ended(e: Ended): void {
  within("winners", e.winners.length, 0, SLOTS_MAX);
  within("scores", e.scores.length, 0, SLOTS_MAX);
  within("series", e.series.length, 0, SLOTS_MAX);
  for (const s of e.series)
    within("points of a series", Math.max(s.gathered.length, s.army.length), 0, SERIES_MAX);
}

/** Rows of `length` numbers. The first is the difference of handles times `per`, plus a value below `per`. */
function rows(name: string, list: readonly number[], length: number, per = 1): void {
  if (list.length % length !== 0) throw bad(`${name}: ${list.length} numbers are no rows of ${length}`);
  within(name, list.length / length, 0, ROWS_MAX);
  let handle = 0;
  for (let at = 0; at < list.length; at += length) {
    handle += Math.floor(list[at] / per);
    if (handle >= HANDLE_MAX) throw bad(`${name}: handle ${handle} of less than ${HANDLE_MAX}`);
  }
}

function ghosts(g: Ghosts, counts: Counts): void {
  rows("ghosts", g.handle, 1);
  rows("ghosts that are gone", g.gone, 1);
  for (const owner of g.owner) within("owner of a ghost", owner, 0, counts.players);
  for (const type of g.type) within("type of a ghost", type, 0, counts.types - 1);
}

function own(o: Own): void {
  within("resources", o.resources.length, 0, NAMES_MAX);
  rows("rallies", o.rallies, 2);
  for (const { name, key } of OWN_VALUES) rows(name, o[key], 2);
  rows("ready", o.ready, 3);
  rows("running", o.running, 4);
  rows("grants", o.grants, 3);
  rows("passengers", o.passengers, 4);
  rows("owner values", o.ownerValues, 3);
  within("cancelled", o.cancelled.length, 0, ROWS_MAX);
  // Rows whose second number says how many more they have.
  rowsOf("queues", o.queues, (n) => (n > 0 ? n + 1 : 0));
  rowsOf("tasks", o.tasks, (kind) => (kind % 3 === 1 ? 1 : 0));
}

/** Rows of a difference of handles, a number, and as many more numbers as `more` gives for it. */
function rowsOf(name: string, list: readonly number[], more: (second: number) => number): void {
  let handle = 0;
  let count = 0;
  for (let at = 0; at < list.length; count++) {
    handle += list[at];
    if (handle >= HANDLE_MAX) throw bad(`${name}: handle ${handle} of less than ${HANDLE_MAX}`);
    at += 2 + more(list[at + 1] ?? 0);
    if (at > list.length) throw bad(`${name}: row ${count} has ${at - list.length} numbers too few`);
  }
  within(name, count, 0, ROWS_MAX);
}

function mask(m: MaskRows): void {
  let y = 0;
  let visible = 0;
  let explored = 0;
  m.row.forEach((gap, k) => {
    y += gap;
    if (y >= SIDE_MAX) throw bad(`mask: row ${y} is beyond any map`);
    if (k > 0 && gap === 0) throw bad(`mask: row ${y} comes twice`);
    visible += m.visibleRuns[k] ?? 0;
    explored += m.exploredRuns[k] ?? 0;
    if (visible > m.visible.length || explored > m.explored.length)
      throw bad(`mask: row ${y} has more runs than are left`);
  });
}

function within(what: string, n: number, least: number, most: number): void {
  if (n >= least && n <= most) return;
  throw bad(`${what}: ${n} is not between ${least} and ${most}`);
}

function bad(what: string): FogkeepError {
  return new FogkeepError("bad_frame", `The server sent an invalid message: ${what}.`, true);
}
