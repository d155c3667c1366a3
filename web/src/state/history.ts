// What this client saw of the match, over time, for the graphs of its end:
// units of each player in sight, and how much of the map was seen and known.
// It is what the client was told; of others more may have been there.

import type { MatchState } from "./match";
import { typeOf } from "./rules";

/** Samples kept; when they are full every other goes, and the rest are taken half as often. */
const SAMPLES_MAX = 240;

export class History {
  /** Ticks between samples. */
  step: number;
  /** Ticks of the samples. */
  readonly ticks: number[] = [];
  /** By player: units in sight. */
  readonly units: number[][];
  /** Tiles. */
  readonly seen: number[] = [];
  readonly known: number[] = [];

  constructor(private readonly state: MatchState) {
    this.step = Math.max(1, Math.round(1000 / state.info.tickMs));
    this.units = state.info.players.map(() => []);
  }

  /** Takes a sample when one is due; called with each frame. */
  frame(): void {
    const { tick, world, info, mask, endTick } = this.state;
    if (endTick !== null) return; // what comes after the end is not part of the match
    const last = this.ticks[this.ticks.length - 1];
    // A server that was restarted may go on from an earlier tick.
    if (last !== undefined && tick < last) this.cut(tick);
    if (last !== undefined && tick - last < this.step && tick >= last) return;
    const counts = info.players.map(() => 0);
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0 || counts[world.owner[s]] === undefined) continue;
      if (typeOf(info.rules, world.type[s]).class === "unit") counts[world.owner[s]]++;
    }
    this.ticks.push(tick);
    counts.forEach((n, slot) => {
      this.units[slot].push(n);
    });
    this.seen.push(mask.visibleCount);
    this.known.push(mask.exploredCount);
    if (this.ticks.length < SAMPLES_MAX) return;
    this.step *= 2;
    for (const column of this.columns()) {
      for (let k = 0; 2 * k < column.length; k++) column[k] = column[2 * k];
      column.length = Math.ceil(column.length / 2);
    }
  }

  private cut(tick: number): void {
    const keep = this.ticks.findIndex((t) => t >= tick);
    for (const column of this.columns()) column.length = Math.max(0, keep);
  }

  private columns(): number[][] {
    return [this.ticks, ...this.units, this.seen, this.known];
  }
}
