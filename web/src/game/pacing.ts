// Decides when the picture gets coarser or finer: by the slowest of the frames of
// some seconds, not by their mean. A mean hides a stutter: nine frames of 10 ms and
// one of 100 are 50 a second.

/** So long frames are collected. */
export const WINDOW_MS = 3000;
/** The share of frames that have to come in time. */
const SHARE = 0.95;
/** With more, frames come late; with less, there is time to spare. Milliseconds from frame to frame. */
export const LATE_MS = 42;
export const FAST_MS = 20;
/** So many fast windows in a row make the picture finer. */
export const FAST_WINDOWS = 10;
/** If frames come late again within so many windows after that, it takes twice as many the next time, up to this. */
const TAKEN_BACK_WITHIN = 10;
const FAST_WINDOWS_MAX = 160;
/** Longer frames count as this long. */
const FRAME_MS_MAX = 250;

export class Pacing {
  /** Frames by their milliseconds. */
  private readonly frames = new Uint32Array(FRAME_MS_MAX + 1);
  private count = 0;
  private ms = 0;
  private fast = 0;
  private needed = FAST_WINDOWS;
  /** Windows since the picture was made finer. */
  private sinceFiner = Number.POSITIVE_INFINITY;

  /** Takes in the time from a frame to the next, and says how the picture is to change. */
  frame(dtMs: number): "coarser" | "finer" | null {
    this.frames[Math.min(FRAME_MS_MAX, Math.round(dtMs))]++;
    this.count++;
    this.ms += dtMs;
    if (this.ms < WINDOW_MS) return null;
    const p95 = this.percentile();
    this.clear();
    this.sinceFiner++;
    if (p95 > LATE_MS) {
      this.fast = 0;
      if (this.sinceFiner <= TAKEN_BACK_WITHIN) {
        this.needed = Math.min(FAST_WINDOWS_MAX, this.needed * 2);
        this.sinceFiner = Number.POSITIVE_INFINITY;
      }
      return "coarser";
    }
    this.fast = p95 < FAST_MS ? this.fast + 1 : 0;
    if (this.fast < this.needed) return null;
    this.fast = 0;
    this.sinceFiner = 0;
    return "finer";
  }

  /** Drops the samples of this window: the page was hidden. */
  clear(): void {
    this.frames.fill(0);
    this.count = 0;
    this.ms = 0;
  }

  private percentile(): number {
    let left = Math.ceil(this.count * SHARE);
    for (let ms = 0; ms <= FRAME_MS_MAX; ms++) {
      left -= this.frames[ms];
      if (left <= 0) return ms;
    }
    return FRAME_MS_MAX;
  }
}
