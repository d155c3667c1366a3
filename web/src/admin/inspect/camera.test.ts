import { describe, expect, it } from "vitest";
import { frame, pan, reveal, toMap, toView, wholeMap, ZOOM_MAX, zoomAt } from "./camera";

const map = { width: 512, height: 256 };
const view = { width: 800, height: 600 };

describe("the camera", () => {
  it("begins with the whole map in the middle", () => {
    const c = wholeMap(map, view);
    const corners = [toView(c, view, { x: 0, y: 0 }), toView(c, view, { x: 512, y: 256 })];
    expect(corners[0].x).toBeCloseTo(8);
    expect(corners[1].x).toBeCloseTo(792);
    expect(corners[0].y + corners[1].y).toBeCloseTo(600);
    expect(wholeMap({ width: 16, height: 16 }, { width: 4000, height: 4000 }).zoom).toBe(ZOOM_MAX);
    expect(wholeMap(map, { width: 0, height: 0 }).zoom).toBeGreaterThan(0);
  });
  it("keeps what is under the pointer as it zooms", () => {
    const at = { x: 123, y: 456 };
    const c = zoomAt(wholeMap(map, view), 3, { x: 400, y: 300 }, view, map);
    const before = toMap(c, view, at);
    const after = toMap(zoomAt(c, 1.7, at, view, map), view, at);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });
  it("does not zoom past a tile of 64 pixels, nor to less than half of the map", () => {
    const c = wholeMap(map, view);
    const middle = { x: 400, y: 300 };
    expect(zoomAt(c, 1e9, middle, view, map).zoom).toBe(ZOOM_MAX);
    expect(zoomAt(c, 1e-9, middle, view, map).zoom).toBeCloseTo(c.zoom / 2);
  });
  it("moves as a hand moves paper, and its middle stays on the map", () => {
    const c = { x: 100, y: 100, zoom: 4 };
    expect(pan(c, 40, -20, map)).toEqual({ x: 90, y: 105, zoom: 4 });
    expect(pan(c, 1e6, 1e6, map)).toEqual({ x: 0, y: 0, zoom: 4 });
    expect(pan(c, -1e6, -1e6, map)).toEqual({ x: 512, y: 256, zoom: 4 });
  });
  it("goes to a point that is out of sight, and stays if it is in sight", () => {
    const c = { x: 100, y: 100, zoom: 8 };
    expect(reveal(c, { x: 110, y: 95 }, view, map)).toBe(c);
    expect(reveal(c, { x: 300, y: 20 }, view, map)).toEqual({ x: 300, y: 20, zoom: 8 });
    // Just at the edge counts as out of sight.
    expect(reveal(c, { x: 149.9, y: 100 }, view, map).x).toBe(149.9);
  });
  it("frames points, not nearer than 24 pixels a tile, and not further than the whole map", () => {
    const c = frame(
      [
        { x: 100, y: 50 },
        { x: 120, y: 60 },
      ],
      view,
      map,
    );
    expect([c.x, c.y]).toEqual([110, 55]);
    for (const p of [
      { x: 100, y: 50 },
      { x: 120, y: 60 },
    ]) {
      const at = toView(c, view, p);
      expect(at.x > 80 && at.x < 720 && at.y > 60 && at.y < 540).toBe(true);
    }
    expect(frame([{ x: 5, y: 5 }], view, map).zoom).toBe(24);
    expect(
      frame(
        [
          { x: 0, y: 0 },
          { x: 512, y: 256 },
        ],
        view,
        map,
      ).zoom,
    ).toBeCloseTo(wholeMap(map, view).zoom);
  });
});
