// A client's account of its connection and its page: counts of the last minute,
// which the server shows to admins and the page explains to its player.

/** Counts of a time. */
export interface NetworkFigures {
  /** Seconds of the account. */
  seconds: number;
  /** Received frames. */
  frames: number;
  /** Frames that came more than 100 ms later than the earliest frames of ten seconds. */
  late: number;
  /** Times without a frame for more than 1.5 seconds. */
  gaps: number;
  /** The longest time without a frame. */
  longestMs: number;
  /** From an order to its answer, the median; 0: no order was answered. */
  tripMs: number;
  /** Units whose drawn place was more than a tile wrong. */
  corrections: number;
  /** Pictures that the page drew. */
  drawn: number;
  /** Pictures that took more than 50 ms. */
  slow: number;
}

const PERIOD_MS = 60_000;
const LATE_MS = 100;
const GAP_MS = 1500;
const SLOW_MS = 50;
/** How many answers the median is of, at most. */
const TRIPS_MAX = 64;
/** The largest number of an account: a computer may sleep for months. */
const NUMBER_MAX = 1 << 17;

export class Network {
  private now: NetworkFigures;
  private last: NetworkFigures | null = null;
  private startMs = Number.NaN;
  private frameMs = 0;
  private correctionsBefore = 0;
  private trips: number[] = [];

  constructor() {
    this.now = zero();
  }

  /** The connection gave a sign at a local time: a frame, or the message that there is none. */
  alive(nowMs: number): void {
    if (Number.isNaN(this.startMs)) this.startMs = this.frameMs = nowMs;
    const silent = nowMs - this.frameMs;
    this.frameMs = nowMs;
    this.now.longestMs = Math.max(this.now.longestMs, Math.min(NUMBER_MAX, Math.round(silent)));
    if (silent > GAP_MS) this.now.gaps++;
  }

  /** Counts a frame. `lateMs` is its delay after the earliest frame, `corrections` the total of the match so far. */
  frame(nowMs: number, lateMs: number, corrections: number): void {
    this.alive(nowMs);
    this.now.frames++;
    if (lateMs > LATE_MS) this.now.late++;
    this.now.corrections = corrections - this.correctionsBefore;
  }

  /** An order was answered after a time. */
  answered(ms: number): void {
    if (this.trips.length < TRIPS_MAX) this.trips.push(ms);
  }

  /** The page drew a picture, so long after the one before. */
  drew(ms: number): void {
    this.now.drawn++;
    if (ms > SLOW_MS) this.now.slow++;
  }

  /** The account of a minute that is over, once; null before. */
  take(nowMs: number): NetworkFigures | null {
    if (!(nowMs - this.startMs >= PERIOD_MS)) return null;
    this.last = this.current(nowMs);
    this.startMs = nowMs;
    this.correctionsBefore += this.now.corrections;
    this.now = zero();
    this.trips = [];
    return this.last;
  }

  /** The account of the last minute: before its end, of the time since the last report and the minute before. */
  recent(nowMs: number): NetworkFigures {
    const now = this.current(nowMs);
    const { last } = this;
    if (!last) return now;
    return {
      seconds: now.seconds + last.seconds,
      frames: now.frames + last.frames,
      late: now.late + last.late,
      gaps: now.gaps + last.gaps,
      longestMs: Math.max(now.longestMs, last.longestMs),
      tripMs: now.tripMs || last.tripMs,
      corrections: now.corrections + last.corrections,
      drawn: now.drawn + last.drawn,
      slow: now.slow + last.slow,
    };
  }

  private current(nowMs: number): NetworkFigures {
    const trips = [...this.trips].sort((a, b) => a - b);
    const seconds = Number.isNaN(this.startMs) ? 0 : Math.round((nowMs - this.startMs) / 1000);
    return {
      ...this.now,
      seconds: Math.min(NUMBER_MAX, seconds),
      tripMs: Math.min(NUMBER_MAX, Math.round(trips[trips.length >> 1] ?? 0)),
    };
  }
}

function zero(): NetworkFigures {
  return {
    seconds: 0,
    frames: 0,
    late: 0,
    gaps: 0,
    longestMs: 0,
    tripMs: 0,
    corrections: 0,
    drawn: 0,
    slow: 0,
  };
}
