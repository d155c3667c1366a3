// Says in words which part of a match was slow in the last minute: the network,
// the server, or the player's own computer.

import type { Match, NetworkFigures } from "@fogkeep/client";
import { t } from "../text/text";

/** With a larger share of late frames, the connection is named. */
const LATE_SHARE = 0.05;
/** With a larger share of slow pictures, the computer is named. */
const SLOW_SHARE = 0.1;
/** Slower answers are named. */
const TRIP_MS = 300;

/** The sentences about a match, never empty. */
export function lagWords(match: Pick<Match, "network" | "speed">): string {
  return sentences(match.network.recent(performance.now()), match.speed.held).join(" ");
}

/** `held` is the share of its speed that a busy server reaches, in percent. */
export function sentences(n: NetworkFigures, held: number): string[] {
  const out: string[] = [];
  const percent = (share: number) => Math.round(share * 100);
  if (held < 100) out.push(t("lag.server", { percent: held }));
  if (n.gaps > 0) out.push(t("lag.gaps", { count: n.gaps, seconds: (n.longestMs / 1000).toFixed(1) }));
  else if (n.late > n.frames * LATE_SHARE) out.push(t("lag.late", { percent: percent(n.late / n.frames) }));
  else if (n.tripMs > TRIP_MS) out.push(t("lag.trip", { ms: n.tripMs }));
  if (n.slow > n.drawn * SLOW_SHARE) out.push(t("lag.computer", { percent: percent(n.slow / n.drawn) }));
  return out.length > 0 ? out : [t("lag.none")];
}
