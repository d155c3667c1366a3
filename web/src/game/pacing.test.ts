import { describe, expect, it } from "vitest";
import { FAST_WINDOWS, Pacing, WINDOW_MS } from "./pacing";

/** Draws windows of frames with these lengths in turn, and returns each window's outcome. */
function windows(p: Pacing, count: number, ...frames: number[]): (string | null)[] {
  const out: (string | null)[] = [];
  let ms = 0;
  for (let k = 0; out.length < count; k++) {
    const change = p.frame(frames[k % frames.length]);
    ms += frames[k % frames.length];
    if (ms < WINDOW_MS) expect(change).toBe(null);
    else {
      out.push(change);
      ms = 0;
    }
  }
  return out;
}

describe("Pacing", () => {
  it("makes the picture coarser where more than one frame of twenty is late, whatever their mean is", () => {
    const stutter = [...new Array(18).fill(10), 100, 100];
    expect(stutter.reduce((a, b) => a + b) / stutter.length).toBeLessThan(20); // fast in the mean
    expect(windows(new Pacing(), 2, ...stutter)).toEqual(["coarser", "coarser"]);
    expect(windows(new Pacing(), 1, 60)).toEqual(["coarser"]);
    expect(windows(new Pacing(), 1, 900)).toEqual(["coarser"]); // few frames are a window too
  });

  it("leaves a picture with few late frames, or frames that are neither late nor fast, as it is", () => {
    const few = [...new Array(40).fill(16), 200];
    expect(windows(new Pacing(), 5, ...few)).toEqual([null, null, null, null, null]);
    expect(windows(new Pacing(), 3 * FAST_WINDOWS, 30).every((c) => c === null)).toBe(true);
  });

  it("makes it finer after fast windows in a row, and begins to count again after another", () => {
    const p = new Pacing();
    expect(windows(p, FAST_WINDOWS - 1, 10).every((c) => c === null)).toBe(true);
    expect(windows(p, 1, 30)).toEqual([null]);
    expect(windows(p, FAST_WINDOWS - 1, 10).every((c) => c === null)).toBe(true);
    expect(windows(p, 1, 10)).toEqual(["finer"]);
  });

  it("waits longer each time that finer was too fine", () => {
    const p = new Pacing();
    const until = (): number => {
      for (let n = 1; n < 1000; n++) if (windows(p, 1, 10)[0] === "finer") return n;
      return -1;
    };
    expect(until()).toBe(FAST_WINDOWS);
    expect(windows(p, 1, 60)).toEqual(["coarser"]);
    expect(until()).toBe(2 * FAST_WINDOWS);
    expect(windows(p, 1, 60)).toEqual(["coarser"]);
    expect(until()).toBe(4 * FAST_WINDOWS);
    // It was not too fine: later late frames do not count against it.
    expect(windows(p, 20, 30).every((c) => c === null)).toBe(true);
    expect(windows(p, 1, 60)).toEqual(["coarser"]);
    expect(until()).toBe(4 * FAST_WINDOWS);
  });

  it("forgets a window in which the page was hidden", () => {
    const p = new Pacing();
    for (let k = 0; k < 40; k++) p.frame(60);
    p.clear();
    expect(windows(p, 1, 10)).toEqual([null]);
  });
});
