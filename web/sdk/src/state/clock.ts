// Estimates the server's tick from frames that arrive with a varying delay. The
// frame with the least delay of the last ten seconds counts. If all frames of
// the last second were much later, their least delay counts: the server paused,
// or the connection got slower. Drawing stays behind the estimate by the usual
// delay, and never goes backwards.
//
// The match may run faster or slower than usual, or stand still. The estimate starts
// again at such a change, from the current tick, and drawing goes on from where it is.

const WINDOW_MS = 10_000;
const BUCKETS = 10;
/** A jump of the local clock by more than this resets the estimate. */
const JUMP_MS = 250;
const SLEW = 0.05;
/** Drawing that is ahead by at most this waits for the server; beyond, it is reset. */
const WAIT_MS = 10_000;
/** If so many frames over so long all were later by so much, earlier frames do not count. */
const STEP_FRAMES = 8;
const STEP_SPAN_MS = 1000;
const STEP_MS = 150;
const LATENESS_KEPT = 64;

export class MatchClock {
  /** Local ms of tick 0, by the frame with the least delay. */
  private origin = Number.NaN;
  private readonly bucketMin = new Float64Array(BUCKETS).fill(Number.POSITIVE_INFINITY);
  private bucketAt = -1;
  private readonly lateness = new Float64Array(LATENESS_KEPT);
  private readonly sorted = new Float64Array(LATENESS_KEPT);
  private late = 0;
  private readonly bases = new Float64Array(LATENESS_KEPT);
  private readonly stamps = new Float64Array(LATENESS_KEPT);
  private frames = 0;
  private drawn = Number.NaN;
  private drawnAtMs = 0;
  private percent = 100;
  /** While the match stands still: its tick. */
  private held = Number.NaN;
  jitterMs = 0;
  /** How much later than the earliest the last frame came. */
  lateMs = 0;

  /** `usualMs` is the time of a tick at normal speed. */
  constructor(private readonly usualMs: number) {}

  /** The time of a tick at the present speed. */
  get tickMs(): number {
    return (this.usualMs * 100) / this.percent;
  }

  get ready(): boolean {
    return this.frames > 0;
  }
  /** How far behind the server entities are drawn. */
  get delayMs(): number {
    return Math.min(250, this.tickMs + this.jitterMs);
  }

  /** The match runs at a speed from a tick on, in percent of the normal one. */
  setSpeed(percent: number, tick: number, nowMs: number): void {
    if (percent === this.percent && Number.isNaN(this.held)) return;
    this.percent = percent;
    this.held = Number.NaN;
    this.startAt(tick, nowMs);
  }

  /** The match stands still at a tick. */
  hold(tick: number): void {
    this.held = tick;
  }

  /** The match is at another tick now, before or after: drawing goes there at once. */
  jump(tick: number, nowMs: number): void {
    if (!Number.isNaN(this.held)) this.held = tick;
    this.drawn = Number.NaN;
    this.jitterMs = 0;
    this.startAt(tick, nowMs);
  }

  /** Starts the estimate again: the server is at a tick now. Drawing goes on. */
  private startAt(tick: number, nowMs: number): void {
    this.bucketMin.fill(Number.POSITIVE_INFINITY);
    this.bucketAt = -1;
    this.frames = 0;
    this.late = 0;
    this.frame(tick, nowMs);
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
    this.bases[this.frames % LATENESS_KEPT] = base;
    this.stamps[this.frames % LATENESS_KEPT] = nowMs;
    this.frames++;
    const recent = this.recentLeast(nowMs);
    if (recent - least > STEP_MS) {
      this.bucketMin.fill(Number.POSITIVE_INFINITY);
      this.bucketMin[bucket % BUCKETS] = least = recent;
      this.late = 0;
    }
    this.origin = least;

    this.lateMs = base - least;
    this.lateness[this.late++ % LATENESS_KEPT] = this.lateMs;
    const n = Math.min(this.late, LATENESS_KEPT);
    const part = this.sorted.subarray(0, n);
    part.set(this.lateness.subarray(0, n));
    part.sort();
    this.jitterMs = part[Math.floor((n - 1) * 0.95)];
  }

  /** The least delay of the newest frames, if they are enough. */
  private recentLeast(nowMs: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let back = 1; back <= Math.min(this.frames, LATENESS_KEPT); back++) {
      const i = (this.frames - back) % LATENESS_KEPT;
      least = Math.min(least, this.bases[i]);
      if (back >= STEP_FRAMES && nowMs - this.stamps[i] >= STEP_SPAN_MS) return least;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** The server's tick now, with a fraction. */
  serverTick(nowMs: number): number {
    if (!Number.isNaN(this.held)) return this.held;
    return (nowMs - this.origin) / this.tickMs;
  }

  /**
   * The tick to draw now: at most 5 % faster or slower than time. It jumps when it
   * is far behind. It waits when it is far ahead because the server paused.
   */
  drawTick(nowMs: number): number {
    if (!Number.isNaN(this.held)) {
      const next = this.drawn + (nowMs - this.drawnAtMs) / this.tickMs;
      if (!(this.drawn > this.held))
        this.drawn = Number.isNaN(this.drawn) ? this.held : Math.min(this.held, next);
      this.drawnAtMs = nowMs;
      return Math.max(0, this.drawn);
    }
    const want = (nowMs - this.origin - this.delayMs) / this.tickMs;
    const aheadMs = (this.drawn - want) * this.tickMs;
    const jump = JUMP_MS + (nowMs - this.drawnAtMs);
    if (Number.isNaN(this.drawn) || -aheadMs > jump || aheadMs > WAIT_MS) {
      this.drawn = want;
    } else if (aheadMs <= JUMP_MS) {
      const step = (nowMs - this.drawnAtMs) / this.tickMs;
      const off = want - (this.drawn + step);
      this.drawn += step + Math.max(-SLEW * step, Math.min(SLEW * step, off));
    }
    this.drawnAtMs = nowMs;
    return Math.max(0, this.drawn);
  }

  /** After a pause of the local clock or a new socket: starts the estimate again. */
  reset(): void {
    this.bucketMin.fill(Number.POSITIVE_INFINITY);
    this.bucketAt = -1;
    this.frames = 0;
    this.late = 0;
    this.jitterMs = 0;
    this.drawn = Number.NaN;
    this.held = Number.NaN;
    this.percent = 100;
  }
}
