// Which tick it is on the server, from frames that come late by a varying
// amount. The least late frame of the last ten seconds is the measure; drawing
// stays behind it by the usual lateness, and never runs backwards.

const WINDOW_MS = 10_000;
const BUCKETS = 10;
/** A jump of the local clock against the stamps of more than this starts over. */
const JUMP_MS = 250;
const SLEW = 0.05;
const LATENESS_KEPT = 64;

export class MatchClock {
  /** Local ms of tick 0, as the least late frame has it. */
  private origin = Number.NaN;
  private readonly bucketMin = new Float64Array(BUCKETS).fill(Number.POSITIVE_INFINITY);
  private bucketAt = -1;
  private readonly lateness = new Float64Array(LATENESS_KEPT);
  private readonly sorted = new Float64Array(LATENESS_KEPT);
  private frames = 0;
  private drawn = Number.NaN;
  private drawnAtMs = 0;
  jitterMs = 0;

  constructor(readonly tickMs: number) {}

  get ready(): boolean {
    return this.frames > 0;
  }
  /** How far behind the server things are drawn. */
  get delayMs(): number {
    return Math.min(250, this.tickMs + this.jitterMs);
  }

  /** A frame of a tick arrived at a local time. */
  frame(tick: number, nowMs: number): void {
    const base = nowMs - tick * this.tickMs;
    const bucket = Math.floor(nowMs / (WINDOW_MS / BUCKETS));
    if (this.bucketAt >= 0 && bucket - this.bucketAt >= BUCKETS)
      this.bucketMin.fill(Number.POSITIVE_INFINITY);
    else {
      for (let b = this.bucketAt + 1; b <= bucket && this.bucketAt >= 0; b++) {
        this.bucketMin[b % BUCKETS] = Number.POSITIVE_INFINITY;
      }
    }
    this.bucketAt = bucket;
    this.bucketMin[bucket % BUCKETS] = Math.min(this.bucketMin[bucket % BUCKETS], base);
    let least = Number.POSITIVE_INFINITY;
    for (const b of this.bucketMin) least = Math.min(least, b);
    this.origin = least;

    this.lateness[this.frames % LATENESS_KEPT] = base - least;
    this.frames++;
    const n = Math.min(this.frames, LATENESS_KEPT);
    const part = this.sorted.subarray(0, n);
    part.set(this.lateness.subarray(0, n));
    part.sort();
    this.jitterMs = part[Math.floor((n - 1) * 0.95)];
  }

  /** The server's tick now, with a fraction. */
  serverTick(nowMs: number): number {
    return (nowMs - this.origin) / this.tickMs;
  }

  /** The tick to draw now: steady, never back, at most 5 % faster or slower than time. */
  drawTick(nowMs: number): number {
    const want = (nowMs - this.origin - this.delayMs) / this.tickMs;
    if (
      Number.isNaN(this.drawn) ||
      Math.abs(want - this.drawn) * this.tickMs > JUMP_MS + (nowMs - this.drawnAtMs)
    ) {
      this.drawn = want;
    } else {
      const step = (nowMs - this.drawnAtMs) / this.tickMs;
      const off = want - (this.drawn + step);
      this.drawn += step + Math.max(-SLEW * step, Math.min(SLEW * step, off));
    }
    this.drawnAtMs = nowMs;
    return Math.max(0, this.drawn);
  }

  /** After a pause of the local clock or a new socket: measure anew. */
  reset(): void {
    this.bucketMin.fill(Number.POSITIVE_INFINITY);
    this.bucketAt = -1;
    this.frames = 0;
    this.jitterMs = 0;
    this.drawn = Number.NaN;
  }
}
