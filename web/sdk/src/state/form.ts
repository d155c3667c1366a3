// The places of a group at its goal, by the rule of the server
// (match/sim/form.go): a block whose rows lie across the direction of travel.

import { type Pos, WU_PER_TILE } from "../base/ids.js";

/** A unit of a group: its place, and its radius in world units. */
export interface Member extends Pos {
  readonly radius: number;
}

/** The space between two units, world units. */
const GAP = WU_PER_TILE / 8;

/** Where each unit of a group stands when it arrives at `to`, in the order of the group. */
export function formationOf(group: readonly Member[], to: Pos): Pos[] {
  const n = group.length;
  if (n < 2) return group.map(() => ({ ...to }));
  const mid = { x: sum(group, (m) => m.x) / n, y: sum(group, (m) => m.y) / n };
  const away = Math.hypot(to.x - mid.x, to.y - mid.y);
  const ahead = away > 0 ? { x: (to.x - mid.x) / away, y: (to.y - mid.y) / away } : { x: 1, y: 0 };
  const cols = Math.ceil(Math.sqrt(n));
  const rows = Math.ceil(n / cols);
  const step = Math.floor((2 * sum(group, (m) => m.radius)) / n) + GAP;
  // The foremost units go into the first row. Within a row each keeps its side.
  const rank = group
    .map((m, i) => {
      const dx = m.x - mid.x;
      const dy = m.y - mid.y;
      return { i, along: dx * ahead.x + dy * ahead.y, across: dy * ahead.x - dx * ahead.y };
    })
    .sort((a, b) => b.along - a.along || a.i - b.i);
  const out: Pos[] = group.map(() => ({ ...to }));
  for (let row = 0; row < rows; row++) {
    const line = rank.slice(row * cols, (row + 1) * cols).sort((a, b) => a.across - b.across || a.i - b.i);
    line.forEach(({ i }, col) => {
      const x = ((rows - 1) / 2 - row) * step;
      const y = (col - (line.length - 1) / 2) * step;
      out[i] = { x: to.x + x * ahead.x - y * ahead.y, y: to.y + x * ahead.y + y * ahead.x };
    });
  }
  return out;
}

function sum(group: readonly Member[], of: (m: Member) => number): number {
  return group.reduce((s, m) => s + of(m), 0);
}
