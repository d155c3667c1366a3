// Words of the inspector for what the server names.

import { clock } from "../words";
import { ALL } from "./link";
import type { Entity, Eye, Facts, OrderRow, TeamWhy } from "./shapes";

/** An entity's name in the match, as the server writes it: its slot and that slot's own counter, `1.33`. */
export const idName = (id: number): string => `${id >>> 24}.${id & 0xff_ff_ff}`;

/** `Team 2: Ben and Cleo`, `All eyes`. */
export function eyesName(facts: Facts, eyes: number): string {
  if (eyes === ALL) return "All eyes";
  const names = facts.players.filter((p) => p.team === eyes).map((p) => p.name);
  return `Team ${eyes + 1}: ${names.join(", ") || "nobody"}`;
}

export const teamName = (team: number): string => `Team ${team + 1}`;

/** The name of an entity's owner. */
export const ownerName = (facts: Facts, slot: number): string =>
  slot < 0 ? "nobody" : (facts.players.find((p) => p.slot === slot)?.name ?? `slot ${slot}`);

/** `1204 (1:00)`. */
export const tickWords = (tick: number, rate: number): string => `${tick} (${clock(tick, rate)})`;

/** How long ago, in match time: `0:42`. */
export const ago = (ticks: number, rate: number): string => clock(Math.max(0, ticks), rate);

/** The name of a looker: `scout 0.33`, `the last sight of scout 0.33`, `a scan or reveal`. */
export function eyeName(e: Eye): string {
  const name = [e.type, e.id && idName(e.id)].filter(Boolean).join(" ");
  if (e.what === "entity") return name;
  if (e.what === "dying") return `the last sight of ${name || "something that died"}`;
  return name ? `timed sight of ${name}` : "a scan or reveal";
}

/** The record of a refused order may lack its kind. */
export const orderName = (o: OrderRow): string => o.kind ?? "order";

/** The heading of a team's answer. */
export function verdict(w: TeamWhy): string {
  if (w.seen) return "Sees it";
  return w.reason === "ghost" ? "Remembers it" : "Does not see it";
}

/** The name of a server's reason in a row. */
export const REASONS: Readonly<Record<string, string>> = {
  own: "its own",
  always: "always visible",
  captured: "just captured",
  sight: "in sight",
  above: "seen from above",
  detected: "detected",
  revealed: "revealed",
  ghost: "as it was last seen",
  owner_only: "shown to its owner alone",
  range: "out of range",
  level: "on higher ground",
  blocked: "line blocked",
  cloaked: "cloaked",
  no_eyes: "no eyes left",
  gone: "gone",
};

export const describe = (facts: Facts, e: Entity): string =>
  `${e.type} ${idName(e.id)} of ${ownerName(facts, e.slot)}`;

/** A number of bytes for people: `1.2 kB`. */
export function bytes(n: number): string {
  if (n < 1000) return `${Math.round(n)} B`;
  return n < 1e6 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

/** With a capital letter and a full stop, as a sentence stands on its own. */
export const upper = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
