import { describe, expect, it } from "vitest";
import { ALL, formatLink, keyOf, type Link, parseLink, same } from "./link";

describe("links of the inspector", () => {
  it("open what they were made of", () => {
    const all: Link[] = [
      { match: "01J" },
      { match: "a/b ?c", tick: 0, eyes: 0 },
      { match: "m", tick: 1204, eyes: 1, other: ALL, mode: "beside", selection: { kind: "entity", id: 33 } },
      {
        match: "m",
        selection: { kind: "tile", x: 3, y: 0 },
        at: { x: 3.5, y: 0.25, zoom: 12 },
        axis: "frame",
        slot: 2,
      },
      {
        match: "m",
        mode: "difference",
        other: 0,
        tab: "orders",
        selection: { kind: "order", n: 17 },
        pins: [
          { kind: "entity", id: 5 },
          { kind: "tile", x: 1, y: 2 },
        ],
      },
    ];
    for (const l of all) expect(parseLink(formatLink(l))).toEqual(l);
  });
  it("leave out what is the default, and can be read", () => {
    expect(formatLink({ match: "m", eyes: ALL, mode: "eyes", tab: "selection", axis: "tick" })).toBe(
      "#inspect/m",
    );
    expect(
      formatLink({ match: "m", tick: 7, at: { x: 1, y: 2, zoom: 3 }, pins: [{ kind: "tile", x: 4, y: 5 }] }),
    ).toBe("#inspect/m?tick=7&pins=tile:4,5&at=1,2,3");
  });
  it("from outside are bounded, and what they do not mean is left out", () => {
    expect(parseLink("#live")).toBeNull();
    expect(parseLink("#inspect")).toBeNull();
    expect(parseLink("#inspect/%E0%A4%A")).toBeNull();
    expect(
      parseLink("#inspect/m?tick=-1&eyes=x&mode=evil&tab=&entity=1e9&tile=1.5,2&at=1,2,0&other="),
    ).toEqual({ match: "m" });
    const many = Array.from({ length: 100 }, (_, i) => `entity:${i}`).join("~");
    expect(parseLink(`#inspect/m?pins=${many}`)?.pins).toHaveLength(8);
  });
  it("know selections of the same thing", () => {
    expect(same({ kind: "tile", x: 1, y: 2 }, { kind: "tile", x: 1, y: 2 })).toBe(true);
    expect(same({ kind: "entity", id: 1 }, { kind: "order", n: 1 })).toBe(false);
    expect(same(null, null)).toBe(false);
    expect(keyOf({ kind: "tile", x: 1, y: 2 })).toBe("tile:1,2");
  });
});
