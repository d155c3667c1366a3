import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { info } from "./fixture";
import { MatchState } from "./match";

const SOLDIER = 1;

/** A match with an own soldier (1) and a foe's (2), both with the abilities sprint and slow. */
function field(): { state: MatchState; said: string[]; frame: (f: object) => void } {
  const base = info();
  const ability = {
    title: "",
    kind: "sprint",
    target: "none" as const,
    range: 0,
    cooldownTicks: 0,
    energy: 0,
    lasting: true,
    passive: false,
    sight: 0,
    radius: 0,
    weapon: 0,
    durationTicks: 0,
    effect: -1,
    friends: false,
    enemies: false,
    needs: [],
  };
  const effect = { title: "", kind: "slow" as const, durationTicks: 40, strength: 50 };
  const state = new MatchState({
    ...base,
    rules: {
      ...base.rules,
      types: base.rules.types.map((t) => (t.id === SOLDIER ? { ...t, abilities: [4, 3] } : t)),
      abilities: Array.from({ length: 5 }, (_, id) => ({ ...ability, id, name: `a${id}` })),
      effects: [
        { ...effect, name: "burning" },
        { ...effect, name: "slowed" },
      ],
    },
  });
  for (const [handle, owner] of [
    [1, 0],
    [2, 1],
  ])
    state.world.enter({ handle, type: SOLDIER, owner, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
  const said: string[] = [];
  state.events.on("abilityStart", (e) => said.push(`${e.id} starts ${e.ability}`));
  state.events.on("abilityStop", (e) => said.push(`${e.id} ends ${e.ability}`));
  state.events.on("effectStart", (e) => said.push(`${e.id} gets ${e.effect} of ${e.source}`));
  state.events.on("effectStop", (e) => said.push(`${e.id} loses ${e.effect}`));
  state.events.on("mismatch", () => said.push("mismatch"));
  state.world.tick = 1; // they are there already
  let now = 0;
  const frame = (f: object): void => {
    said.length = 0;
    now += 50;
    state.apply(create(ServerFrameSchema, f), now);
  };
  return { state, said, frame };
}

describe("abilities that run", () => {
  it("are all that the rows of an entity say", () => {
    const { state, said, frame } = field();
    frame({ span: 9, actions: [1, 1, 1, 0, 2, 4, 1, 1, 0] });
    expect(state.actions.of(1)).toEqual([
      { index: 0, ability: 4, since: 10 },
      { index: 1, ability: 3, since: 7 },
    ]);
    expect(state.actions.of(2), "begun out of sight").toEqual([{ index: 0, ability: 4, since: 0 }]);
    expect(said).toEqual(["1 starts 4", "1 starts 3", "2 starts 4"]);
    frame({ actions: [1, 2, 5] });
    expect(said, "the other goes on").toEqual(["1 ends 4"]);
    expect(state.actions.on(1, 1)).toBe(true);
    frame({ actions: [1, 0, 0] });
    expect(said).toEqual(["1 ends 3"]);
    expect([...state.actions].length).toBe(1);
  });
  it("start anew with another tick", () => {
    const { said, frame } = field();
    frame({ actions: [1, 1, 1] });
    frame({ actions: [1, 1, 2] });
    expect(said, "told again").toEqual([]);
    frame({ actions: [1, 1, 1] });
    expect(said).toEqual(["1 ends 4", "1 starts 4"]);
  });
  it("are forgotten as their entity leaves", () => {
    const { state, said, frame } = field();
    frame({ actions: [2, 1, 1], effects: [2, 2, 1, 1] });
    frame({ leave: [2] });
    expect([state.actions.of(2), state.actions.effectsOn(2), said]).toEqual([[], [], []]);
    frame({ tick: 50 });
    expect([...state.actions, ...state.actions.affected()]).toEqual([]);
  });
  it("of what is not there are a mismatch, and numbers beyond the rules nothing", () => {
    const { state, said, frame } = field();
    frame({ actions: [9, 1, 1] });
    expect(said).toEqual(["mismatch"]);
    frame({ actions: [1, 7, 1], effects: [1, 9, 1, 0] });
    expect([state.actions.of(1), state.actions.effectsOn(1), said]).toEqual([[], [], []]);
  });
});

describe("effects", () => {
  it("have a begin and a source where the team saw them", () => {
    const { state, said, frame } = field();
    frame({ span: 9, effects: [1, 1, 3, 2, 0, 2, 0, 0] });
    expect(state.actions.effectsOn(1)).toEqual([
      { kind: 0, since: 8, source: 2 },
      { kind: 1, since: 0, source: 0 },
    ]);
    expect(state.actions.effectsOn(1).map((e) => state.actions.endOf(e))).toEqual([48, 0]);
    expect(said).toEqual(["1 gets 0 of 2", "1 gets 1 of 0"]);
    frame({ effects: [1, 1, 1, 2] });
    expect(said, "renewed").toEqual(["1 loses 1"]);
    frame({ effects: [1, 0, 0, 0] });
    expect(said).toEqual(["1 loses 0"]);
  });
});
