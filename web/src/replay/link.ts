// The link to a moment of a replay: the match, the key if the host lets everyone with
// the link watch, the tick, whose eyes, and the place.
//
//	#replay=MATCH&key=…&tick=1200&eyes=0-1&x=40&y=52
//
// `eyes` is a team's number from 0, two numbers for their difference, or missing for all.

import { ALL_TEAMS, type Team, type Tick } from "@fogkeep/client";

/** Whose eyes: a team's, all teams' (ALL_TEAMS), or the difference of two. */
export interface Eyes {
  readonly team: Team;
  /** The second team of a difference; absent: no difference. */
  readonly against?: Team;
}

export interface ReplayLink {
  readonly match: string;
  readonly key?: string;
  readonly tick?: Tick;
  readonly eyes?: Eyes;
  /** Tiles. */
  readonly x?: number;
  readonly y?: number;
}

const NUMBER = /^\d{1,9}$/;

/** Reads the part of an address behind `#`; null if it names no replay. Invalid parts are left out. */
export function readLink(hash: string): ReplayLink | null {
  const all = new URLSearchParams(hash.replace(/^#/, ""));
  const match = all.get("replay");
  if (!match || !/^[\w-]{1,64}$/.test(match)) return null;
  const number = (name: string) => {
    const text = all.get(name) ?? "";
    return NUMBER.test(text) ? Number(text) : undefined;
  };
  const key = all.get("key") ?? "";
  const eyes = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(all.get("eyes") ?? "");
  return {
    match,
    key: /^[\w-]{1,128}$/.test(key) ? key : undefined,
    tick: number("tick"),
    eyes: eyes
      ? { team: Number(eyes[1]), against: eyes[2] === undefined ? undefined : Number(eyes[2]) }
      : undefined,
    x: number("x"),
    y: number("y"),
  };
}

/** The part of the address behind `#`. */
export function writeLink(link: ReplayLink): string {
  const out = [`replay=${encodeURIComponent(link.match)}`];
  if (link.key) out.push(`key=${encodeURIComponent(link.key)}`);
  if (link.tick !== undefined) out.push(`tick=${Math.round(link.tick)}`);
  const { eyes } = link;
  if (eyes && eyes.team !== ALL_TEAMS)
    out.push(`eyes=${eyes.team}${eyes.against === undefined ? "" : `-${eyes.against}`}`);
  if (link.x !== undefined && link.y !== undefined)
    out.push(`x=${Math.round(link.x)}`, `y=${Math.round(link.y)}`);
  return `#${out.join("&")}`;
}
