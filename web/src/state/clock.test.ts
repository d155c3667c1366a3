import { describe, expect, it } from "vitest";
import { MatchClock } from "./clock";

describe("MatchClock", () => {
  it("knows the server's tick within half a tick under jitter", () => {
    const c = new MatchClock(50);
    let seed = 7;
    const random = () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return seed / 0x7fffffff;
    };
    for (let tick = 1; tick < 300; tick++) c.frame(tick, 1000 + tick * 50 + 20 + random() * 60);
    const now = 1000 + 300 * 50;
    expect(Math.abs(c.serverTick(now + 20) - 300)).toBeLessThan(0.5);
  });

  it("draws steadily and never backwards", () => {
    const c = new MatchClock(50);
    let last = -1;
    for (let ms = 0; ms < 8000; ms += 16) {
      if (ms % 48 === 0) c.frame(Math.floor(ms / 50), ms + (ms % 7) * 10);
      if (!c.ready) continue;
      const tick = c.drawTick(ms);
      expect(tick).toBeGreaterThanOrEqual(last);
      last = tick;
    }
    expect(last).toBeGreaterThan(140);
  });

  it("starts over after the local clock stood still", () => {
    const c = new MatchClock(50);
    for (let t = 0; t < 40; t++) c.frame(t, t * 50);
    c.drawTick(2000);
    for (let t = 1000; t < 1040; t++) c.frame(t, 2050 + (t - 1000) * 50); // 48 s went by, the clock says none
    expect(c.drawTick(4100)).toBeGreaterThan(1030);
  });
});
