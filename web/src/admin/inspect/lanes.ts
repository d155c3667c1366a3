// The lanes of the three time lines, made of what the server answered.

import { ACCENT, DANGER, GOOD, playerColor, SHIELD } from "../../draw/palette";
import type { Facts, OrderRow, Times } from "./shapes";
import { type AxisItem, ceiling } from "./timescale";
import type { Lane } from "./timeview";
import { bytes } from "./words";

const PHASES = { step: "#7cc7ff", view: "#5fd38d", encode: "#c79bff", write: "#f4ae00" } as const;
/** The colours of the phases, for the legend. */
export const PHASE_COLORS: readonly (readonly [name: string, color: string])[] = Object.entries(PHASES);

const ms = (v: number): string => `${v < 10 ? v.toFixed(1) : Math.round(v)} ms`;

/** Along ticks: what each player asked for, the phases of the ticks, and each client's traffic. */
export function tickLanes(facts: Facts, times: Times | null): Lane[] {
  const lanes: Lane[] = [];
  if (!times) return lanes;
  const { density } = times;
  for (const p of facts.players) {
    const d = density.slots.find((x) => x.slot === p.slot);
    if (!d) continue;
    lanes.push({
      name: p.name,
      color: playerColor(p.color),
      from: density.first,
      step: density.step,
      series: [
        { color: "#5d7186", values: d.orders },
        { color: ACCENT, values: d.losses },
        { color: DANGER, values: d.refused },
      ],
      full: ceiling([...d.orders, ...d.losses, ...d.refused]),
      unit: (v) => `${v}`,
    });
  }
  const { rows } = times;
  if (rows.length > 0) {
    const step = rows.length > 1 ? rows[1].tick - rows[0].tick : facts.tickRate;
    const names = Object.keys(PHASES) as (keyof typeof PHASES)[];
    // Over each other: the highest bar is the sum of all phases, and is drawn first.
    const sums = names.map((_, k) =>
      rows.map((r) => names.slice(0, k + 1).reduce((n, name) => n + r[name].max, 0)),
    );
    lanes.push({
      name: "Tick time",
      from: rows[0].tick - step,
      step,
      series: names.map((name, k) => ({ color: PHASES[name], values: sums[k] })).reverse(),
      full: ceiling(sums[sums.length - 1]),
      points: rows.filter((r) => r.missed > 0).map((r) => ({ at: r.tick, color: DANGER, tall: true })),
      unit: ms,
    });
  }
  for (const l of times.links) {
    if (l.rows.length === 0) continue;
    const step = l.rows.length > 1 ? l.rows[1].tick - l.rows[0].tick : facts.tickRate;
    const player = facts.players.find((p) => p.slot === l.slot);
    lanes.push({
      name: player ? `↓ ${player.name}` : "↓ spectators",
      color: player ? playerColor(player.color) : undefined,
      from: l.rows[0].tick - step,
      step,
      series: [
        { color: SHIELD, values: l.rows.map((r) => r.bytes) },
        { color: DANGER, values: l.rows.map((r) => (r.pending > 0 ? r.bytes : 0)) },
      ],
      full: ceiling(l.rows.map((r) => r.bytes)),
      unit: bytes,
    });
  }
  return lanes;
}

/** Along orders: one lane a player, one mark an order. */
export function orderLanes(facts: Facts, orders: readonly OrderRow[]): Lane[] {
  return facts.players.map((p) => ({
    name: p.name,
    color: playerColor(p.color),
    from: 0,
    step: 1,
    series: [],
    points: orders
      .filter((o) => o.slot === p.slot)
      .map((o) => ({ at: o.n + 0.5, color: o.code === "OK" ? GOOD : DANGER, tall: o.code !== "OK" })),
  }));
}

/** A frame that a client was sent. Its share of the bytes and its tick cover one second. */
export interface FrameItem extends AxisItem {
  readonly bytes: number;
  readonly pending: number;
  readonly lateMs: number;
}

/** The most frames of one line: hours of a match. */
const FRAMES_MAX = 200_000;

/** The frames that a client was sent, counted from the first that was noted. */
export function framesOf(facts: Facts, times: Times | null, slot: number): FrameItem[] {
  const out: FrameItem[] = [];
  for (const r of times?.links.find((l) => l.slot === slot)?.rows ?? []) {
    if (out.length + r.messages > FRAMES_MAX) break;
    for (let i = 0; i < r.messages; i++)
      out.push({
        n: out.length + 1,
        tick: Math.max(
          facts.first,
          r.tick - facts.tickRate + Math.ceil(((i + 1) * facts.tickRate) / r.messages),
        ),
        bytes: r.bytes / r.messages,
        pending: r.pending,
        lateMs: r.lateMs,
      });
  }
  return out;
}

export function frameLanes(frames: readonly FrameItem[]): Lane[] {
  if (frames.length === 0) return [];
  const lane = (
    name: string,
    color: string,
    of: (f: FrameItem) => number,
    unit: (v: number) => string,
  ): Lane => ({
    name,
    from: frames[0].n,
    step: 1,
    series: [{ color, values: frames.map(of) }],
    full: ceiling(frames.map(of)),
    unit,
  });
  return [
    lane("Bytes", SHIELD, (f) => f.bytes, bytes),
    lane(
      "Held back",
      DANGER,
      (f) => f.pending,
      (v) => `${v}`,
    ),
    lane("Behind", ACCENT, (f) => f.lateMs, ms),
  ];
}
