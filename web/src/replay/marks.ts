// Which events have a mark on the time bar, and how large: a lost scout is no fight,
// and a skirmish does not hide a battle. Pure.

import type { ReplayEvent, Tick } from "@fogkeep/client";

/** Marks nearer than this, of a thousandth of the bar, become one: the strongest. */
const NEAR = 0.007;
/** A fight in which less is lost than this share of the largest one has a small mark. */
const SMALL = 0.25;

export interface Mark {
  readonly event: ReplayEvent;
  /** On the bar, 0 to 1. */
  readonly at: number;
  readonly small: boolean;
}

/** Which of several marks at one place is shown. */
const WEIGHT: Partial<Record<ReplayEvent["kind"], number>> = {
  ended: 9,
  surrendered: 8,
  out: 7,
  fight: 6,
  contact: 5,
  captured: 5,
  expansion: 4,
  structureLost: 3,
};

/** The losses of a fight. */
const lossOf = (e: ReplayEvent): number => e.losses.reduce((sum, l) => sum + l.value, 0);

/** Whether an event is worth a mark, and a stop on the way from event to event: one lost unit is not. */
export function isMarked(e: ReplayEvent): boolean {
  if (e.kind === "back" || e.kind === "takenOver") return false;
  return e.kind !== "fight" || e.losses.reduce((sum, l) => sum + l.count, 0) > 1;
}

/** The marks of events that come in the order of their ticks. */
export function marksOf(events: readonly ReplayEvent[], share: (tick: Tick) => number): Mark[] {
  const largest = Math.max(0, ...events.map(lossOf));
  const marks: (Mark & { readonly weight: number })[] = [];
  for (const event of events.filter(isMarked)) {
    const at = share(event.tick);
    const value = lossOf(event);
    const small = event.kind === "fight" && value < SMALL * largest;
    // A share of 1 at most decides between two fights.
    const weight = (small ? 2 : (WEIGHT[event.kind] ?? 1)) + value / (largest + 1);
    const before = marks.at(-1);
    if (!before || at - before.at >= NEAR) marks.push({ event, at, small, weight });
    else if (weight > before.weight) marks[marks.length - 1] = { event, at: before.at, small, weight };
  }
  return marks;
}
