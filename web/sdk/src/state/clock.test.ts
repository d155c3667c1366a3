import { describe, expect, it } from "vitest";
import { MatchClock } from "./clock.js";

const TICK_MS = 50;

/** Numbers from 0 to 1, the same in each run. */
function dice(seed: number): () => number {
  let s = seed | 0;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface Link {
  /** How long a frame is on its way, ms, beyond the quickest. */
  late: (tick: number, random: () => number) => number;
  /** Ticks that have no frame. */
  silent?: (tick: number) => boolean;
  /** When the server's tick begins, ms, if not at its due time. */
  begins?: (tick: number) => number;
  /** Local ms a ms of the server's. */
  drift?: number;
  /** How long it is listened to before it is held to anything, ms. */
  warmUp?: number;
}

interface Played {
  /** How far the estimate was from the server's tick, ticks: the most. */
  off: number;
  /** The same in a window of server time, ms. */
  offIn: (from: number, to: number) => number;
  /** Least and most that drawing moved, against real time. */
  slowest: number;
  fastest: number;
  /** Share of drawn moments for which no frame had come yet. */
  ahead: number;
  /** How far behind the server drawing was in the mean, ms. */
  behind: number;
}

/**
 * Plays a link for a while and a client that draws at 60 Hz. The quickest frame
 * takes no time: how long the quickest takes, no client can know.
 */
function play(seed: number, seconds: number, link: Link): Played {
  const random = dice(seed);
  const clock = new MatchClock(TICK_MS);
  const drift = link.drift ?? 1;
  const warmUp = link.warmUp ?? 2000;
  const begins = link.begins ?? ((t) => t * TICK_MS);
  const frames: { at: number; tick: number }[] = [];
  let last = 0;
  for (let tick = 1; tick <= (seconds * 1000) / TICK_MS; tick++) {
    const late = link.late(tick, random);
    if (link.silent?.(tick)) continue;
    last = Math.max(last, begins(tick) + late); // one never overtakes another
    frames.push({ at: last, tick });
  }
  const samples: { at: number; off: number }[] = [];
  let [slowest, fastest, drawn, draws, ahead, behind, newest, next] = [9, 0, Number.NaN, 0, 0, 0, 0, 0];
  let tick = 0;
  for (let at = 0; at < seconds * 1000 - 200; at += 1000 / 60) {
    for (; next < frames.length && frames[next].at <= at; next++) {
      newest = frames[next].tick;
      clock.frame(newest, 5000 + frames[next].at * drift);
    }
    while (begins(tick + 1) <= at) tick++;
    if (!clock.ready) continue;
    const now = 5000 + at * drift;
    const server = tick + Math.min(1, (at - begins(tick)) / TICK_MS);
    if (at > warmUp) samples.push({ at, off: Math.abs(clock.serverTick(now) - server) });
    const d = clock.drawTick(now);
    if (at > warmUp) {
      const speed = ((d - drawn) * TICK_MS * 60) / 1000;
      slowest = Math.min(slowest, speed);
      fastest = Math.max(fastest, speed);
      draws++;
      if (d > newest) ahead++;
      behind += (server - d) * TICK_MS;
    }
    drawn = d;
  }
  const offIn = (from: number, to: number) =>
    Math.max(...samples.filter((s) => s.at >= from && s.at < to).map((s) => s.off));
  return { off: offIn(0, 1e9), offIn, slowest, fastest, ahead: ahead / draws, behind: behind / draws };
}

const uniform =
  (ms: number): Link["late"] =>
  (_, random) =>
    random() * ms;
/** Mostly quick, now and then very late. */
const heavy =
  (ms: number): Link["late"] =>
  (_, random) =>
    -Math.log(1 - random()) * ms;
/** The link stands still for a while, then all that waited comes at once. */
const stalls = (every: number, ms: number, jitter: number): Link["late"] => {
  return (tick, random) => {
    const into = (tick * TICK_MS) % every;
    return Math.max(0, into < ms ? ms - into : 0) + random() * jitter;
  };
};

const links: Record<string, Link> = {
  "no jitter": { late: () => 0 },
  "40 ms of jitter": { late: uniform(40) },
  "120 ms of jitter": { late: uniform(120) },
  "jitter with a long tail": { late: heavy(25) },
  "half a second's stall every four": { late: stalls(4000, 500, 20) },
  "a clock that runs 200 millionths fast": { late: uniform(30), drift: 1.0002 },
  "a clock that runs 200 millionths slow": { late: uniform(30), drift: 0.9998 },
  "an idle match, a frame a second": {
    late: uniform(30),
    silent: (t) => t % 20 !== 0,
    warmUp: 6000,
  },
};

describe("MatchClock", () => {
  for (const [name, link] of Object.entries(links)) {
    it(`knows the server's tick within half a tick: ${name}`, () => {
      for (let seed = 1; seed <= 10; seed++) expect(play(seed, 40, link).off).toBeLessThan(0.5);
    });

    it(`draws steadily, never back, not far behind: ${name}`, () => {
      for (let seed = 1; seed <= 10; seed++) {
        const p = play(seed, 40, link);
        expect(p.slowest).toBeGreaterThan(0.94);
        expect(p.fastest).toBeLessThan(1.06);
        expect(p.behind).toBeLessThan(300);
        expect(p.behind).toBeGreaterThan(TICK_MS / 2);
        if (!link.silent) expect(p.ahead).toBeLessThan(0.15);
      }
    });
  }

  it("knows it again soon after the server stood still", () => {
    // It was late by two seconds, and says so: all ticks come two seconds later from then on.
    const begins = (t: number) => t * TICK_MS + (t > 200 ? 2000 : 0);
    for (let seed = 1; seed <= 10; seed++) {
      const p = play(seed, 40, { late: uniform(40), begins });
      expect(p.offIn(2000, 10_000)).toBeLessThan(0.5);
      expect(p.offIn(15_000, 40_000)).toBeLessThan(0.5);
      expect(p.slowest).toBeGreaterThanOrEqual(0);
    }
  });

  it("knows it again soon after the way became longer", () => {
    const late: Link["late"] = (t, random) => random() * 20 + (t > 300 ? 400 : 0);
    for (let seed = 1; seed <= 10; seed++) {
      const p = play(seed, 40, { late });
      expect(p.offIn(2000, 15_000)).toBeLessThan(0.5);
      // From then on the quickest frame takes 400 ms: that is the server's tick, as far as one can tell.
      expect(p.offIn(20_000, 39_000) - 400 / TICK_MS).toBeLessThan(0.5);
      expect(p.slowest).toBeGreaterThanOrEqual(0);
    }
  });

  it("follows another speed at once, without a jump of what is drawn", () => {
    for (const percent of [50, 150, 200, 300]) {
      const c = new MatchClock(50);
      let at = 0;
      c.frame(0, 0);
      let drawn = c.drawTick(0);
      let drawnAt = 0;
      let tick = 0;
      /** The largest lead of drawing over the ticks, with this length of a tick. */
      const play = (ticks: number, ms: number) => {
        let most = 0;
        for (const end = tick + ticks; tick < end; ) {
          for (let k = 1; k <= 3; k++) {
            const now = at + (k * ms) / 3;
            const next = c.drawTick(now);
            if (tick > 5) {
              expect(next).toBeGreaterThanOrEqual(drawn);
              most = Math.max(most, ((next - drawn) * ms) / (now - drawnAt));
            }
            drawn = next;
            drawnAt = now;
          }
          at += ms;
          c.frame(++tick, at);
        }
        return most;
      };
      play(100, 50);
      c.setSpeed(percent, tick, at);
      expect(play(200, 5000 / percent)).toBeLessThan(1.06);
      expect(Math.abs(c.serverTick(at) - tick)).toBeLessThan(0.01);
      expect(tick - drawn).toBeLessThan(2.5);
    }
  });

  it("stands still in a pause, and goes on from there", () => {
    const c = new MatchClock(50);
    for (let t = 1; t <= 100; t++) {
      c.frame(t, t * 50);
      c.drawTick(t * 50);
    }
    c.hold(100);
    for (let ms = 5000; ms < 65_000; ms += 16) expect(c.drawTick(ms)).toBeLessThanOrEqual(100);
    expect([c.drawTick(65_000), c.serverTick(65_000)]).toEqual([100, 100]);
    c.frame(101, 65_000);
    c.setSpeed(100, 101, 65_000);
    let last = 100;
    for (let t = 102; t < 160; t++) {
      const now = 65_000 + (t - 101) * 50;
      c.frame(t, now);
      const drawn = c.drawTick(now);
      expect(drawn).toBeGreaterThanOrEqual(last);
      expect(t - drawn).toBeLessThan(2.5);
      last = drawn;
    }
    expect(last).toBeGreaterThan(155);
  });

  it("starts over after the local clock stood still", () => {
    const c = new MatchClock(50);
    for (let t = 0; t < 40; t++) c.frame(t, t * 50);
    c.drawTick(2000);
    for (let t = 1000; t < 1040; t++) c.frame(t, 2050 + (t - 1000) * 50); // 48 s went by, the clock says none
    expect(c.drawTick(4100)).toBeGreaterThan(1030);
  });
});
