import { describe, expect, it } from "vitest";
import { buckets, ceiling, indexAt, keepInside, neighbour, slide, steps, zoomRange } from "./timescale";

const all = { from: 0, to: 10_000 };

describe("the range of the time line", () => {
  it("zooms around a point, and stays within the match", () => {
    expect(zoomRange(all, 2, 5000, all)).toEqual({ from: 2500, to: 7500 });
    expect(zoomRange({ from: 2500, to: 7500 }, 2, 2500, all)).toEqual({ from: 2500, to: 5000 });
    expect(zoomRange({ from: 0, to: 100 }, 0.001, 50, all)).toEqual(all);
    const least = zoomRange({ from: 0, to: 100 }, 1e6, 50, all);
    expect(least.to - least.from).toBe(20);
  });
  it("slides, not over an end", () => {
    expect(slide({ from: 0, to: 100 }, 50, all)).toEqual({ from: 50, to: 150 });
    expect(slide({ from: 0, to: 100 }, -50, all)).toEqual({ from: 0, to: 100 });
    expect(slide({ from: 0, to: 100 }, 1e9, all)).toEqual({ from: 9900, to: 10_000 });
  });
  it("follows a tick that leaves it", () => {
    const r = { from: 0, to: 100 };
    expect(keepInside(r, 100, all)).toBe(r);
    expect(keepInside(r, 500, all)).toEqual({ from: 450, to: 550 });
  });
});

describe("labels", () => {
  it("lie at round times", () => {
    expect(steps({ from: 0, to: 2400 }, 5, 20)).toEqual([0, 600, 1200, 1800, 2400]);
    expect(steps({ from: 95, to: 130 }, 8, 1)).toEqual([95, 100, 105, 110, 115, 120, 125, 130]);
    expect(steps({ from: 0, to: 20 }, 40, 20)).toHaveLength(21);
  });
});

describe("rows in pixels", () => {
  it("show the largest of those that share a pixel", () => {
    expect([...buckets([1, 5, 2, 7], 0, 10, { from: 0, to: 40 }, 2)]).toEqual([5, 7]);
  });
  it("fill the pixels of a wide row, and none outside", () => {
    expect([...buckets([3, 4], 10, 10, { from: 0, to: 40 }, 4)]).toEqual([0, 3, 4, 0]);
    expect([...buckets([3, 4], 0, 10, { from: 0, to: 20 }, 4)]).toEqual([3, 3, 4, 4]);
  });
});

describe("orders and frames", () => {
  const items = [5, 5, 9, 20].map((tick, i) => ({ n: i + 1, tick }));
  it("are found by their tick", () => {
    expect([4, 5, 8, 9, 100].map((t) => indexAt(items, t))).toEqual([-1, 1, 1, 2, 3]);
  });
  it("follow each other", () => {
    expect(neighbour(items, 5, 1)?.n).toBe(3);
    expect(neighbour(items, 4, 1)?.n).toBe(1);
    expect(neighbour(items, 20, 1)).toBeNull();
    expect(neighbour(items, 9, -1)?.n).toBe(2);
    expect(neighbour(items, 12, -1)?.n).toBe(3);
    expect(neighbour(items, 5, -1)).toBeNull();
  });
});

describe("a full bar", () => {
  it("is the largest value, and not that of a few that are far above the others", () => {
    expect(ceiling([1, 2, 3])).toBe(3);
    expect(ceiling([...Array(99).fill(10), 500])).toBe(20);
    expect(ceiling([])).toBe(0);
    expect(ceiling([0, 0, 7])).toBe(7);
  });
});
