// Draws the time line on one canvas: lanes below a ruler, and the shown tick across all lanes. Pure but for the canvas:
// what a lane shows is data.

import { ACCENT, TEXT } from "../../draw/palette";
import { buckets, type Range, steps } from "./timescale";

/** Values of one kind along the axis. Row k covers `from + k·step` to the next. */
export interface Series {
  readonly color: string;
  readonly values: readonly number[];
}

export interface Lane {
  readonly name: string;
  readonly color?: string;
  readonly from: number;
  readonly step: number;
  /** Drawn over each other from the first to the last, as bars. */
  readonly series: readonly Series[];
  /** The value of a full bar; absent: the largest there is. */
  readonly full?: number;
  /** Single points along the axis, as orders are. */
  readonly points?: readonly { readonly at: number; readonly color: string; readonly tall?: boolean }[];
  /** Of the largest value, for the label. */
  readonly unit?: (v: number) => string;
}

export interface TimePicture {
  readonly range: Range;
  readonly lanes: readonly Lane[];
  /** Where the match is looked at. */
  readonly at: number;
  /** Behind it there is nothing yet. */
  readonly end: number;
  readonly hover: number | null;
  /** One second, in the axis' numbers; 1: it counts orders or frames. */
  readonly unit: number;
  readonly label: (at: number) => string;
}

export const LABELS = 112;
export const RULER = 20;
export const LANE = 26;

export const heightOf = (lanes: number): number => RULER + lanes * LANE + 4;

const DIM = "#9fb0bf";
const LINE = "#2a3440";
const FONT = "500 11px Inter, 'Segoe UI', system-ui, sans-serif";

/** Where a point of the axis is drawn. */
export const xOf = (at: number, r: Range, width: number): number =>
  LABELS + ((at - r.from) / Math.max(1e-9, r.to - r.from)) * (width - LABELS);

export const atOf = (x: number, r: Range, width: number): number =>
  r.from + ((x - LABELS) / Math.max(1, width - LABELS)) * (r.to - r.from);

export function drawTime(ctx: CanvasRenderingContext2D, p: TimePicture, width: number, height: number): void {
  ctx.fillStyle = "#11161c";
  ctx.fillRect(0, 0, width, height);
  const x = (at: number) => xOf(at, p.range, width);
  ctx.font = FONT;
  ctx.textBaseline = "middle";
  drawRuler(ctx, p, width, height, x);
  p.lanes.forEach((lane, i) => {
    drawLane(ctx, lane, p.range, RULER + i * LANE, width);
  });
  const end = x(p.end);
  if (end < width) {
    ctx.fillStyle = "rgba(7, 10, 14, 0.75)";
    ctx.fillRect(Math.max(LABELS, end), RULER, width - end, height - RULER);
  }
  if (p.hover !== null) cursor(ctx, x(p.hover), height, "rgba(230, 235, 240, 0.35)");
  cursor(ctx, x(p.at), height, ACCENT);
}

function cursor(ctx: CanvasRenderingContext2D, x: number, height: number, color: string): void {
  if (x < LABELS - 1) return;
  ctx.fillStyle = color;
  ctx.fillRect(Math.round(x) - 0.75, 4, 1.5, height - 4);
  ctx.beginPath();
  ctx.moveTo(x - 5, 4);
  ctx.lineTo(x + 5, 4);
  ctx.lineTo(x, 11);
  ctx.closePath();
  ctx.fill();
}

function drawRuler(
  ctx: CanvasRenderingContext2D,
  p: TimePicture,
  width: number,
  height: number,
  x: (at: number) => number,
): void {
  ctx.textAlign = "center";
  for (const at of steps(p.range, (width - LABELS) / 80, p.unit)) {
    const px = Math.round(x(at)) + 0.5;
    ctx.fillStyle = LINE;
    ctx.fillRect(px, RULER - 4, 1, height - RULER + 4);
    ctx.fillStyle = DIM;
    if (px > LABELS + 16 && px < width - 16) ctx.fillText(p.label(at), px, RULER / 2);
  }
}

function drawLane(ctx: CanvasRenderingContext2D, lane: Lane, r: Range, top: number, width: number): void {
  const bottom = top + LANE - 2;
  const room = LANE - 6;
  ctx.fillStyle = LINE;
  ctx.fillRect(0, bottom + 1, width, 1);
  const wide = Math.max(0, width - LABELS);
  const all = lane.series.map((s) => buckets(s.values, lane.from, lane.step, r, wide));
  let full = lane.full ?? 0;
  if (lane.full === undefined) for (const b of all) for (const v of b) full = Math.max(full, v);
  lane.series.forEach((s, k) => {
    ctx.fillStyle = s.color;
    const values = all[k];
    for (let px = 0; px < values.length; px++) {
      if (values[px] <= 0) continue;
      const h = Math.max(2, Math.min(1, values[px] / Math.max(1e-9, full)) * room);
      ctx.fillRect(LABELS + px, bottom - h, 1, h);
    }
  });
  for (const { at, color, tall } of lane.points ?? []) {
    if (at < r.from || at > r.to) continue;
    ctx.fillStyle = color;
    const px = xOf(at, r, width);
    ctx.fillRect(px - 1, top + (tall ? 2 : 8), 2.5, LANE - (tall ? 6 : 12));
  }
  ctx.fillStyle = "#11161c";
  ctx.fillRect(0, top, LABELS - 4, LANE - 2);
  ctx.textAlign = "left";
  if (lane.color) {
    ctx.fillStyle = lane.color;
    ctx.fillRect(4, top + LANE / 2 - 5, 6, 8);
  }
  ctx.fillStyle = TEXT;
  ctx.fillText(
    clip(ctx, lane.name, LABELS - (lane.color ? 54 : 44)),
    lane.color ? 15 : 4,
    top + LANE / 2 - 1,
  );
  if (lane.unit && full > 0) {
    ctx.fillStyle = DIM;
    ctx.textAlign = "right";
    ctx.fillText(lane.unit(full), LABELS - 6, top + LANE / 2 - 1);
  }
}

function clip(ctx: CanvasRenderingContext2D, words: string, room: number): string {
  if (ctx.measureText(words).width <= room) return words;
  let n = words.length - 1;
  while (n > 1 && ctx.measureText(`${words.slice(0, n)}…`).width > room) n--;
  return `${words.slice(0, n)}…`;
}
