import { describe, expect, it } from "vitest";
import { formationOf } from "./form.js";

const soldier = (x: number, y: number) => ({ x, y, radius: 358 });

describe("formationOf", () => {
  it("sends one unit to the place itself", () => {
    expect(formationOf([soldier(0, 0)], { x: 5000, y: 70 })).toEqual([{ x: 5000, y: 70 }]);
    expect(formationOf([], { x: 5000, y: 70 })).toEqual([]);
  });

  it("puts the foremost into the first row, and keeps each on its side", () => {
    // They go east: a and b are ahead; b and d are south.
    const group = [soldier(1000, 0), soldier(1000, 900), soldier(0, 0), soldier(0, 900)];
    const step = 2 * 358 + 128;
    expect(formationOf(group, { x: 10_000, y: 450 }).map((p) => [p.x - 10_000, p.y - 450])).toEqual([
      [step / 2, -step / 2],
      [step / 2, step / 2],
      [-step / 2, -step / 2],
      [-step / 2, step / 2],
    ]);
  });

  it("keeps units of any group apart, around the place", () => {
    for (let n = 2; n < 40; n++) {
      const group = Array.from({ length: n }, (_, i) => soldier((i * 7919) % 9000, (i * 104_729) % 9000));
      const places = formationOf(group, { x: 40_000, y: -3000 });
      for (let i = 0; i < n; i++) {
        expect(Math.hypot(places[i].x - 40_000, places[i].y + 3000)).toBeLessThan(844 * n ** 0.5);
        for (let k = 0; k < i; k++)
          expect(Math.hypot(places[i].x - places[k].x, places[i].y - places[k].y)).toBeGreaterThan(2 * 358);
      }
    }
  });
});
