import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { OwnSchema, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { info } from "./fixture.js";
import { MatchState } from "./match.js";

const SOLDIER = 1;

/** A match with an own soldier (1) and a foe's (2). Soldiers have the values rage and chill. */
function field(): { state: MatchState; said: string[]; frame: (f: object, own?: object) => void } {
  const base = info();
  const value = { min: -100, max: 100, when: "change" };
  const values = [
    { value: 0, start: 20 },
    { value: 1, start: -5 },
  ];
  const state = new MatchState({
    ...base,
    rules: {
      ...base.rules,
      types: base.rules.types.map((t) => (t.id === SOLDIER ? { ...t, values } : t)),
      values: [
        { ...value, name: "rage", class: "owner" as const },
        { ...value, name: "chill", class: "seeing" as const },
      ],
    },
  });
  for (const [handle, owner] of [
    [1, 0],
    [2, 1],
  ])
    state.world.enter({ handle, type: SOLDIER, owner, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
  const said: string[] = [];
  state.events.on("value", (e) => said.push(`${e.id} ${e.name} ${e.was} ${e.now}`));
  state.events.on("mismatch", () => said.push("mismatch"));
  state.world.tick = 1; // they are there already
  const frame = (f: object, own?: object): void => {
    said.length = 0;
    state.apply(create(ServerFrameSchema, { ...f, own: own && create(OwnSchema, own) }), 0);
  };
  return { state, said, frame };
}

describe("declared values", () => {
  it("begin at the start of the type, as far as the client may know them", () => {
    const { state } = field();
    expect(state.values.get(1, "rage")).toBe(20);
    expect(state.values.get(1, "chill")).toBe(-5);
    expect(state.values.get(2, "rage"), "its owner's alone").toBeUndefined();
    expect(state.values.get(2, "hope")).toBeUndefined();
    expect(state.values.get(9, "rage")).toBeUndefined();
    expect(state.values.of(2).map((v) => v.info.name)).toEqual(["chill"]);
  });

  it("change by rows, and say so", () => {
    const { state, said, frame } = field();
    frame({ values: [1, 1, 3, 1, 1, 4] }, { ownerValues: [1, 0, 6] });
    expect(state.values.of(1).map((v) => v.now)).toEqual([23, -7]);
    expect(state.values.get(2, "chill")).toBe(-3);
    expect(said).toEqual(["1 chill -5 -7", "2 chill -5 -3", "1 rage 20 23"]);
    frame({ values: [2, 1, 0] });
    expect(said, "back at its start").toEqual(["2 chill -3 -5"]);
    frame({ values: [9, 1, 4] });
    expect(said).toEqual(["mismatch"]);
  });

  it("of the owner go as the unit changes hands, and all as it leaves", () => {
    const { state, frame } = field();
    frame({ values: [1, 1, 3] }, { ownerValues: [1, 0, 6] });
    frame({ owner: [1, 2] });
    frame({ owner: [1, 1] });
    expect(state.values.of(1).map((v) => v.now)).toEqual([20, -7]);
    frame({ leave: [1] });
    state.world.enter({ handle: 1, type: SOLDIER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    expect(state.values.of(1).map((v) => v.now)).toEqual([20, -5]);
  });

  it("of own units that come later are kept for them", () => {
    const { state, frame } = field();
    frame({}, { ownerValues: [7, 0, 8] });
    state.world.enter({ handle: 7, type: SOLDIER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    expect(state.values.get(7, "rage")).toBe(24);
  });
});
