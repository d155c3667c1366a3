// The rows of activity above the time bar: for each pixel column how many orders a
// player gave, and its losses. Pure.

import type { ReplayTimeline } from "@fogkeep/client";

/** One row: a number for each column of pixels, 0 to 1. */
export interface DensityRow {
  readonly orders: Float32Array;
  readonly losses: Float32Array;
}

/** The row of a player between two ticks. Columns behind the known points are empty. */
export function densityRow(
  timeline: ReplayTimeline,
  slot: number,
  from: number,
  to: number,
  columns: number,
): DensityRow {
  const orders = new Float32Array(columns);
  const losses = new Float32Array(columns);
  const { points, pointTicks } = timeline;
  const span = Math.max(1, to - from);
  for (let k = 1; k < points; k++) {
    const ordered = timeline.growth(slot, "orders", k) + timeline.growth(slot, "refused", k);
    const lost = timeline.growth(slot, "lostValue", k);
    if (ordered === 0 && lost === 0) continue;
    // A point tells of the time since the point before: it may be wider than a column, or narrower.
    const a = ((timeline.tickOf(k) - pointTicks - from) / span) * columns;
    const b = ((timeline.tickOf(k) - from) / span) * columns;
    spread(orders, a, b, ordered);
    spread(losses, a, b, lost);
  }
  return { orders: scaled(orders), losses: scaled(losses) };
}

/** Adds an amount to the columns from a to b, each by its share. */
function spread(row: Float32Array, a: number, b: number, amount: number): void {
  if (amount === 0 || b <= a) return;
  for (let c = Math.max(0, Math.floor(a)); c < Math.min(row.length, Math.ceil(b)); c++) {
    const share = (Math.min(b, c + 1) - Math.max(a, c)) / (b - a);
    row[c] += amount * share;
  }
}

/** In shares of the highest. The root lets small values show beside large ones. */
function scaled(row: Float32Array): Float32Array {
  const most = Math.max(0, ...row);
  return most > 0 ? row.map((v) => Math.sqrt(v / most)) : row;
}
