// The course of a finished match in words, from the graphs of its result: the cause of its end in one sentence, and
// the moments at which the armies shifted most.

import type { History, MatchInfo, MatchResult, Series, Tick } from "@fogkeep/client";
import { resourceName } from "../text/names";
import { language, t } from "../text/text";

export type Outcome = "won" | "lost" | "draw" | "watched";

export function outcomeOf(info: MatchInfo, result: MatchResult): Outcome {
  if (info.spectator) return "watched";
  if (result.winners.length === 0) return "draw";
  return result.winners.includes(info.team) ? "won" : "lost";
}

/** A stretch of time in which the armies shifted: both changes are in worth of resources. */
export interface Moment {
  readonly fromTick: Tick;
  readonly toTick: Tick;
  readonly own: number;
  readonly other: number;
}

/** A lead counts as the cause if it stays at least so large until the end. */
const ARMY_LEAD = 1.5;
const ECONOMY_LEAD = 1.25;
/** Less than so much of a resource is not called unspent. */
const UNSPENT_MIN = 300;
/** A shift below this share of the largest army is no decisive moment. */
const SHIFT_MIN = 0.1;
const MOMENTS_MAX = 3;

/** The figures of two sides, point by point. The last point is left out: a defeat takes all that a side has left. */
interface Sides {
  readonly own: readonly number[];
  readonly other: readonly number[];
}

/**
 * The own team against the strongest other, after a defeat against the winners. Spectators, and players of a draw,
 * get the winners or else the first team as their own.
 */
function sidesOf(info: MatchInfo, result: MatchResult, what: keyof Series): Sides {
  const points = Math.max(0, (result.series[0]?.[what].length ?? 0) - 1);
  const outcome = outcomeOf(info, result);
  const own = outcome === "watched" ? (result.winners[0] ?? 0) : info.team;
  const ofTeam = (team: number, k: number) =>
    info.players.reduce((sum, p) => sum + (p.team === team ? (result.series[p.slot]?.[what][k] ?? 0) : 0), 0);
  const teams = [...new Set(info.players.map((p) => p.team))];
  const others = outcome === "lost" ? result.winners : teams.filter((team) => team !== own);
  const at = Array.from({ length: points }, (_, k) => k);
  return {
    own: at.map((k) => ofTeam(own, k)),
    other: at.map((k) => Math.max(0, ...others.map((team) => ofTeam(team, k)))),
  };
}

/** The point from which on `ahead` was at least `lead` times `behind` until the end; -1: it was not at the end. */
function lastingLead(ahead: readonly number[], behind: readonly number[], lead: number): number {
  let from = ahead.length;
  while (from > 0 && ahead[from - 1] > 0 && ahead[from - 1] >= lead * behind[from - 1]) from--;
  return from < ahead.length ? from : -1;
}

/** The samples of a match that the sentences need. */
type Heaps = Pick<History, "ticks" | "unspent">;

/** The cause of the end, as this player sees it; null if no figure explains it. */
export function causeText(info: MatchInfo, result: MatchResult, history: Heaps): string | null {
  const outcome = outcomeOf(info, result);
  if (outcome === "draw") return null;
  for (const [what, lead] of [
    ["army", ARMY_LEAD],
    ["gathered", ECONOMY_LEAD],
  ] as const) {
    const { own, other } = sidesOf(info, result, what);
    const [ahead, behind] = outcome === "lost" ? [other, own] : [own, other];
    const k = lastingLead(ahead, behind, lead);
    if (k < 1) continue; // also a lead from the start on: a scenario's
    const values = {
      time: timeText(info, k * result.seriesTicks),
      times: number(ahead[k] / behind[k], 1),
      worth: number(ahead[k], 0),
    };
    const sentence = t(`verdict.${what}.${outcome}${behind[k] > 0 ? "" : "None"}`, values);
    return sentence + (outcome === "lost" ? unspentText(info, history, k * result.seriesTicks) : "");
  }
  return null;
}

/** The largest heap of one resource that the player had at a tick, as the end of a sentence. */
function unspentText(info: MatchInfo, history: Heaps, tick: Tick): string {
  const k = history.ticks.filter((at) => at <= tick).length - 1;
  const heaps = history.unspent[k] ?? [];
  const most = Math.max(0, ...heaps);
  if (most < UNSPENT_MIN) return ".";
  const resource = resourceName(info.rules.resources[heaps.indexOf(most)] ?? "");
  return t("verdict.unspent", { amount: number(most, 0), resource });
}

/** The moments at which the balance of the armies shifted most, by time. */
export function decisiveMoments(info: MatchInfo, result: MatchResult): Moment[] {
  const { own, other } = sidesOf(info, result, "army");
  const largest = Math.max(0, ...own, ...other);
  const moments = own.slice(1).map((_, i) => ({
    k: i + 1,
    own: own[i + 1] - own[i],
    other: other[i + 1] - other[i],
  }));
  const shift = (m: (typeof moments)[number]) => Math.abs(m.own - m.other);
  const chosen: typeof moments = [];
  for (const m of moments.sort((a, b) => shift(b) - shift(a))) {
    if (chosen.length === MOMENTS_MAX || shift(m) < SHIFT_MIN * largest || shift(m) === 0) break;
    if (chosen.every((c) => Math.abs(c.k - m.k) > 1)) chosen.push(m);
  }
  return chosen
    .sort((a, b) => a.k - b.k)
    .map(({ k, own, other }) => ({
      fromTick: (k - 1) * result.seriesTicks,
      toTick: k * result.seriesTicks,
      own,
      other,
    }));
}

export function momentText(info: MatchInfo, result: MatchResult, { own, other }: Moment): string {
  const watched = outcomeOf(info, result) === "watched";
  return t(watched ? "verdict.momentWatched" : "verdict.moment", { own: change(own), other: change(other) });
}

export function timeText(info: MatchInfo, tick: Tick): string {
  const seconds = Math.floor((tick * info.tickMs) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const number = (n: number, digits: number): string =>
  new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(n);

const change = (n: number): string =>
  new Intl.NumberFormat(language(), { signDisplay: "exceptZero" }).format(n).replace("-", "−");
