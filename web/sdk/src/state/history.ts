// Samples of the match over time, for the last screen: how much of the map is visible and explored, and which
// resources the player has not spent. The figures of all players come from the server at the end.

import type { MatchState } from "./match.js";

/** The most samples. When it is reached, every other one is removed and the step doubles. */
const SAMPLES_MAX = 240;

export class History {
  /** Ticks between samples. */
  step: number;
  /** Ticks of the samples. */
  readonly ticks: number[] = [];
  /** Tiles. */
  readonly visible: number[] = [];
  readonly explored: number[] = [];
  /** The player's resources, by kind. */
  readonly unspent: (readonly number[])[] = [];

  constructor(private readonly state: MatchState) {
    this.step = Math.max(1, Math.round(1000 / state.info.tickMs));
  }

  /** Takes a sample when one is due; called with each frame. */
  frame(): void {
    const { tick, mask, own, endTick } = this.state;
    if (endTick !== null) return; // frames after the end do not count
    const last = this.ticks[this.ticks.length - 1];
    // A restarted server may continue from an earlier tick.
    if (last !== undefined && tick < last) this.cut(tick);
    if (last !== undefined && tick - last < this.step && tick >= last) return;
    this.ticks.push(tick);
    this.visible.push(mask.visibleCount);
    this.explored.push(mask.exploredCount);
    this.unspent.push([...own.resources]);
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

  private columns(): unknown[][] {
    return [this.ticks, this.visible, this.explored, this.unspent];
  }
}
