import { describe, expect, it } from "vitest";
import { DANGER, GOOD } from "../../draw/palette";
import { entitiesAt, fileOf, knownAt, orders, tileOf } from "./fixture";
import { LACKS, type Mark, marksOfEntity, marksOfKnown, marksOfOrder, marksOfTile } from "./marks";

const kinds = (marks: readonly Mark[]) =>
  marks.map((m) => `${m.kind} ${m.color === GOOD ? "good" : m.color === DANGER ? "bad" : ""}`.trim());

describe("what is drawn of what clients lack", () => {
  const find = (id: number) => entitiesAt(900).find((e) => e.id === id) ?? null;
  it("is what is held back where it is, and what is not applied yet", () => {
    const unit = find(33)!;
    expect(marksOfKnown(knownAt(1, 900), find)).toEqual([
      { kind: "circle", x: 30, y: 30, radius: 0.9, color: LACKS.change },
      { kind: "circle", x: unit.x, y: unit.y, radius: 0.6, color: LACKS.behind },
    ]);
  });
  it("has a colour for each kind, once for all clients, and nothing for what is in no world", () => {
    const known = knownAt(1, 900);
    const row = known.clients[0].rows[0];
    const rows = (["enter", "change", "gone"] as const).map((what, x) => ({ ...row, what, x }));
    const client = {
      ...known.clients[0],
      rows,
      behind: { from: 1, entered: [], changed: [4711], left: [5] },
    };
    const marks = marksOfKnown({ ...known, clients: [client, { ...client, slot: 2 }] }, find);
    expect(marks.map((m) => m.color)).toEqual([LACKS.enter, LACKS.change, LACKS.gone]);
    expect(marksOfKnown({ ...known, clients: [] }, find)).toEqual([]);
  });
});

describe("what is drawn for a selection", () => {
  const at = (tick: number, id: number) => entitiesAt(tick).find((e) => e.id === id)!;
  it("is the circle of who sees an entity, and the line from the middle of its tile", () => {
    const marks = marksOfEntity(fileOf(33, 900), at(900, 33), 1);
    expect(kinds(marks)).toEqual(["tiles good", "circle good", "line good"]);
    expect(marks[1]).toMatchObject({ x: 36.5, y: 32.5, radius: 10 });
    expect(marks[2]).toMatchObject({ from: { x: 36.5, y: 32.5 }, to: { x: 29, y: 30 }, dashed: false });
  });
  it("is what is in the way of who does not see it", () => {
    const marks = marksOfEntity(fileOf(33, 100), at(100, 33), 1);
    expect(kinds(marks)).toEqual(["tiles bad", "circle bad", "line bad", "tiles bad", "words bad"]);
    expect(marks[3]).toMatchObject({ tiles: [{ x: 31, y: 31 }], fill: true });
    expect(marks[4]).toMatchObject({ words: "blocked: 3 high" });
  });
  it("is nothing for the team that owns it, or for a team that is none", () => {
    expect(marksOfEntity(fileOf(33, 900), at(900, 33), 0)).toEqual([]);
    expect(marksOfEntity(fileOf(33, 900), at(900, 33), 5)).toEqual([]);
  });
  it("is every source of a tile, or why the nearest do not light it", () => {
    expect(kinds(marksOfTile(tileOf(35, 33, 1, 900)))).toEqual([
      "tiles good",
      "circle good",
      "line good",
      "tiles",
    ]);
    expect(kinds(marksOfTile(tileOf(2, 2, 1, 900)))).toEqual(["circle bad", "line bad", "tiles"]);
  });
  it("is where an order sends its units, red if it was refused", () => {
    const find = (id: number) => entitiesAt(900).find((e) => e.id === id) ?? null;
    expect(kinds(marksOfOrder(orders[0], find))).toEqual(["line good", "circle good", "words good"]);
    const refused = marksOfOrder(orders[3], find);
    expect(kinds(refused)).toEqual(["line bad", "circle bad", "words bad"]);
    expect(refused[2]).toMatchObject({ words: "BUILD: UNAFFORDABLE" });
    expect(marksOfOrder({ ...orders[0], x: undefined, y: undefined, target: 999 }, find)).toEqual([]);
  });
});
