import { describe, expect, it } from "vitest";
import { listed } from "./entities";
import { entitiesAt } from "./fixture";

const owner = (slot: number) => (slot < 0 ? "nobody" : ["Ada", "Ben"][slot]);

describe("the table of entities", () => {
  const all = entitiesAt(900);
  const ids = (find: string, sort: Parameters<typeof listed>[2] = "id") =>
    listed(all, find, sort, owner).map((e) => e.id);
  it("finds by type, id, owner and shape, all words at once", () => {
    expect(ids("tank")).toEqual([34, 41]);
    expect(ids("ben TANK")).toEqual([41]);
    expect(ids("0.33")).toEqual([33]);
    expect(ids("resource nobody")).toEqual([50]);
    expect(ids("nothing")).toEqual([]);
    expect(ids("  ")).toHaveLength(all.length);
  });
  it("sorts by each column, then by id, and leaves the list of the view alone", () => {
    const before = all.map((e) => e.id);
    expect(ids("", "health").slice(0, 2)).toEqual([34, 1]);
    expect(ids("", "owner")[0]).toBe(50);
    expect(ids("", "seen").slice(0, 2)).toEqual([33, 50]);
    expect(all.map((e) => e.id)).toEqual(before);
  });
});
