// The arithmetic of the time line: which part is shown, what counts along it, and
// how many rows fall into a pixel. Pure.

/** The shown part, in the axis' own numbers; `to` is behind the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The least that fills the width. */
const LEAST = 20;

/** Larger or smaller by a factor around a point, and within `all`. */
export function zoomRange(r: Range, factor: number, at: number, all: Range): Range {
  const span = Math.min(all.to - all.from, Math.max(LEAST, (r.to - r.from) / factor));
  const share = (at - r.from) / Math.max(1e-9, r.to - r.from);
  return slide({ from: at - share * span, to: at - share * span + span }, 0, all);
}

/** Moved by so much, and within `all`. */
export function slide(r: Range, by: number, all: Range): Range {
  const span = Math.min(r.to - r.from, all.to - all.from);
  const from = Math.min(all.to - span, Math.max(all.from, r.from + by));
  return { from, to: from + span };
}

/** The same range if a point is in it, else one of the same length with it in the middle. */
export const keepInside = (r: Range, at: number, all: Range): Range =>
  at >= r.from && at <= r.to ? r : slide(r, at - (r.from + r.to) / 2, all);

/** Round distances of labels, so that no more than `most` fit; `unit` is one second, or one order. */
export function steps(r: Range, most: number, unit: number): number[] {
  const span = (r.to - r.from) / unit;
  const rough = span / Math.max(1, most);
  const nice =
    unit > 1
      ? [0.05, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]
      : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000];
  const step = Math.max(1, Math.round((nice.find((n) => n >= rough) ?? nice[nice.length - 1]) * unit));
  const first = Math.ceil(r.from / step) * step;
  const out: number[] = [];
  for (let t = first; t <= r.to; t += step) out.push(t);
  return out;
}

/**
 * For each pixel of the width the largest value of the rows in it, or the row's if a row is wider
 * than a pixel. Row k covers `from + k·step` to the next.
 */
export function buckets(
  values: readonly number[],
  from: number,
  step: number,
  range: Range,
  width: number,
): Float32Array {
  const out = new Float32Array(Math.max(0, Math.floor(width)));
  const perPixel = (range.to - range.from) / Math.max(1, out.length);
  for (let px = 0; px < out.length; px++) {
    const a = Math.floor((range.from + px * perPixel - from) / step);
    const b = Math.max(a + 1, Math.ceil((range.from + (px + 1) * perPixel - from) / step));
    let most = 0;
    for (let k = Math.max(0, a); k < Math.min(values.length, b); k++) most = Math.max(most, values[k]);
    out[px] = most;
  }
  return out;
}

/** Items along an axis that does not count ticks: orders or frames, ascending. */
export interface AxisItem {
  readonly n: number;
  readonly tick: number;
}

/** The last item that is not behind a tick; -1: all are. */
export function indexAt(items: readonly AxisItem[], tick: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const mid = (low + high) >> 1;
    if (items[mid].tick <= tick) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** The next item in a direction from a tick, skipping items of the same tick; null: there is none. */
export function neighbour<T extends AxisItem>(items: readonly T[], tick: number, by: 1 | -1): T | null {
  if (by === 1) return items[indexAt(items, tick) + 1] ?? null;
  return items[indexAt(items, tick - 1)] ?? null;
}

/** The last item whose number is not above `at`. */
export function numbered<T extends AxisItem>(items: readonly T[], at: number): T | undefined {
  for (let i = items.length - 1; i >= 0; i--) if (items[i].n <= at) return items[i];
  return undefined;
}

/** The value of a full bar: the largest, unless a few are far above all others, as the first second's often are. */
export function ceiling(values: readonly number[]): number {
  const sorted = values.filter((v) => v > 0).sort((a, b) => a - b);
  const most = sorted[sorted.length - 1] ?? 0;
  const usual = sorted[Math.floor((sorted.length - 1) * 0.95)] ?? 0;
  return most > 3 * usual ? 2 * usual : most;
}
