// Samples of the match over time, for the charts of the last screen: units of
// each player in sight, and how much of the map is visible and explored. It has
// only what this client was sent; other players may have had more units.

import type { MatchState } from "./match";
import { typeOf } from "./rules";

/** The most samples. When it is reached, every other one is removed and the step doubles. */
const SAMPLES_MAX = 240;

export class History {
  /** Ticks between samples. */
  step: number;
  /** Ticks of the samples. */
  readonly ticks: number[] = [];
  /** By player: units in sight. */
  readonly units: number[][];
  /** Tiles. */
  readonly visible: number[] = [];
  readonly explored: number[] = [];

  constructor(private readonly state: MatchState) {
    this.step = Math.max(1, Math.round(1000 / state.info.tickMs));
    this.units = state.info.players.map(() => []);
  }

  /** Takes a sample when one is due; called with each frame. */
  frame(): void {
    const { tick, world, info, mask, endTick } = this.state;
    if (endTick !== null) return; // frames after the end do not count
    const last = this.ticks[this.ticks.length - 1];
    // A restarted server may continue from an earlier tick.
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
    this.visible.push(mask.visibleCount);
    this.explored.push(mask.exploredCount);
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
    return [this.ticks, ...this.units, this.visible, this.explored];
  }
}
