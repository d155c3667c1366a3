import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { OrderKind, OrderSchema } from "../gen/fogkeep/v1/client_pb.js";
import { AbilityGrant, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { ability, info } from "./fixture.js";
import { MatchState } from "./match.js";
import type { AbilityInfo } from "./rules.js";

const SOLDIER = 1;

/** A match with an own soldier (1) and a foe's (2), both with the abilities sprint and slow. */
function field(more: Partial<AbilityInfo> = {}): {
  state: MatchState;
  said: string[];
  frame: (f: object) => void;
} {
  const base = info();
  const effect = { title: "", kind: "slow" as const, durationTicks: 40, strength: 50, changes: [] };
  const state = new MatchState({
    ...base,
    rules: {
      ...base.rules,
      types: base.rules.types.map((t) => (t.id === SOLDIER ? { ...t, abilities: [4, 3] } : t)),
      abilities: Array.from({ length: 5 }, (_, id) => ability(id, `a${id}`, more)),
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
      { index: 0, ability: 4, since: 10, request: 0 },
      { index: 1, ability: 3, since: 7, request: 0 },
    ]);
    expect(state.actions.of(2), "begun out of sight").toEqual([
      { index: 0, ability: 4, since: 0, request: 0 },
    ]);
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

describe("own abilities at once", () => {
  const ask = (kind: OrderKind, seq: number, more: object = {}) =>
    create(OrderSchema, { kind, seq, units: [1], what: 4, ...more });
  const START = OrderKind.ABILITY;
  const STOP = OrderKind.STOP_ABILITY;

  it("start once: the server's word of it has the number of the request", () => {
    const { state, said, frame } = field();
    expect(state.actions.give(ask(START, 1), 70)).toBe(true);
    expect([said, state.actions.on(1, 0)]).toEqual([["1 starts 4"], true]);
    frame({ answers: [{ seq: 1 }] });
    frame({});
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 41, 70] } });
    expect([said, state.actions.of(1)]).toEqual([[], [{ index: 0, ability: 4, since: 4, request: 70 }]]);
    for (let k = 0; k < 20; k++) frame({});
    frame({ actions: [1, 0, 0] });
    expect(said).toEqual(["1 ends 4"]);
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 41, 0] } });
    expect(said, "started by something else").toEqual(["1 starts 4"]);
  });

  it("start at once in the tick of the snapshot too", () => {
    const { state, said } = field();
    state.world.tick = 0; // in which both came into sight
    state.actions.give(create(OrderSchema, { seq: 1, kind: OrderKind.ABILITY, units: [1], what: 4 }), 7);
    expect(said).toEqual(["1 starts 4"]);
  });

  it("stop once, also when the stop overtakes the server's word of the start", () => {
    const { state, said, frame } = field();
    state.actions.give(ask(START, 1), 70);
    state.actions.give(ask(STOP, 2), 0);
    expect(said).toEqual(["1 starts 4", "1 ends 4"]);
    frame({ answers: [{ seq: 1 }] });
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 41, 70] } });
    for (let k = 0; k < 20; k++) {
      expect([said, state.actions.on(1, 0)], "it was stopped already").toEqual([[], false]);
      frame({});
    }
    frame({ answers: [{ seq: 2 }] });
    frame({ actions: [1, 0, 0] });
    frame({});
    expect([said, state.actions.on(1, 0)]).toEqual([[], false]);
  });

  it("start twice when they are asked twice, whatever is on its way", () => {
    const { state, said, frame } = field();
    const all: string[] = [];
    const told = (f: object): void => {
      frame(f);
      all.push(...said);
    };
    state.actions.give(ask(START, 1), 70);
    state.actions.give(ask(STOP, 2), 0);
    state.actions.give(ask(START, 3), 71);
    all.push(...said);
    expect(all).toEqual(["1 starts 4", "1 ends 4", "1 starts 4"]);
    told({ answers: [{ seq: 1, more: 2 }], actions: [1, 1, 1], own: { running: [1, 0, 0, 70] } });
    told({ actions: [1, 0, 0] });
    expect(state.actions.on(1, 0), "the end of the first is not that of the second").toBe(true);
    told({ actions: [1, 1, 1], own: { running: [1, 0, 0, 71] } });
    expect(all).toHaveLength(3);
    told({ actions: [1, 0, 0] });
    expect(all).toEqual(["1 starts 4", "1 ends 4", "1 starts 4", "1 ends 4"]);
  });

  it("stop what an earlier connection started", () => {
    const { state, said, frame } = field();
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 0, 9] } });
    state.actions.give(ask(STOP, 2), 0);
    expect(said).toEqual(["1 starts 4", "1 ends 4"]);
    frame({ answers: [{ seq: 2 }] });
    expect(state.actions.on(1, 0)).toBe(false);
    for (let k = 0; k < 10; k++) frame({});
    expect(state.actions.on(1, 0), "the server did not stop it").toBe(true);
  });

  it("take back what is refused, and what never comes", () => {
    const { state, said, frame } = field();
    state.actions.give(ask(START, 1), 70);
    frame({ answers: [{ seq: 1, code: 1 }] });
    expect(said).toEqual(["1 ends 4"]);
    state.actions.give(ask(START, 2), 71);
    frame({ answers: [{ seq: 2, leftOut: [1], leftOutCode: [1] }] });
    expect(said).toEqual(["1 ends 4"]);
    state.actions.give(ask(START, 3), 72);
    frame({ answers: [{ seq: 3 }] });
    for (let k = 0; k < 5; k++) frame({});
    expect([said, state.actions.on(1, 0)]).toEqual([[], true]);
    frame({});
    expect(said).toEqual(["1 ends 4"]);
    state.actions.give(ask(START, 4), 73);
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 0, 73] } });
    state.actions.give(ask(STOP, 5), 0);
    frame({ answers: [{ seq: 5, code: 1 }] });
    expect([said, state.actions.on(1, 0)], "the stop was refused").toEqual([["1 starts 4"], true]);
  });

  const KINDS: [string, Partial<AbilityInfo>, object][] = [
    ["lasts", { cooldownTicks: 40 }, {}],
    ["is over at once", { cooldownTicks: 40, lasting: false }, {}],
    ["is aimed", { cooldownTicks: 40, lasting: false, target: "unit" as const }, { target: 2 }],
  ];
  it.each(KINDS)("cool down from the order on, where one %s, until it is refused", (_, more, aim) => {
    const { state, frame } = field(more);
    const { actions } = state;
    expect([actions.canStart(1, 0), actions.readyAt(1, 0)]).toEqual([true, 0]);
    actions.give(ask(START, 1, aim), 70);
    expect([actions.canStart(1, 0), actions.readyAt(1, 0)]).toEqual([false, state.tick + 40]);
    expect(actions.give(ask(START, 2, aim), 71), "a second start").toBe(false);
    expect(actions.canStart(1, 1), "another ability").toBe(true);
    frame({ answers: [{ seq: 1, code: 1 }] });
    expect([actions.canStart(1, 0), actions.readyAt(1, 0)]).toEqual([true, 0]);

    actions.give(ask(START, 3, aim), 72);
    frame({ answers: [{ seq: 3 }], own: { ready: [1, 0, 38] } });
    const ready = state.tick + 38;
    for (let k = 0; k < 6; k++) frame({});
    expect(actions.readyAt(1, 0), "as told").toBe(ready);
  });

  it("cool down from their stop on", () => {
    const { state, frame } = field({ cooldownTicks: 40 });
    frame({ actions: [1, 1, 1], own: { running: [1, 0, 0, 9] } });
    expect(state.actions.canStart(1, 0), "it runs").toBe(false);
    state.actions.give(ask(STOP, 2), 0);
    expect(state.actions.readyAt(1, 0)).toBe(state.tick + 40);
    frame({ answers: [{ seq: 2 }], actions: [1, 0, 0], own: { ready: [1, 0, 39] } });
    expect(state.actions.readyAt(1, 0)).toBe(state.tick + 39);
  });

  it("show no start that the server would refuse, and nothing of others", () => {
    const { state, said, frame } = field();
    expect(state.actions.give(ask(START, 1, { units: [2] }), 70)).toBe(false);
    expect(state.actions.give(ask(START, 1, { queued: true }), 70)).toBe(false);
    expect(state.actions.give(ask(START, 1, { what: 2 }), 70), "not of its type").toBe(false);
    frame({ own: { ready: [1, 0, 30] } });
    expect(state.actions.give(ask(START, 1), 70)).toBe(false);
    frame({ own: { ready: [1, 0, 0], grants: [1, 0, AbilityGrant.DENIED] } });
    expect(state.actions.give(ask(START, 1), 70)).toBe(false);
    frame({ own: { grants: [1, 0, AbilityGrant.UNIT] } });
    expect(state.actions.give(ask(START, 1), 70)).toBe(true);
    expect(state.actions.give(ask(START, 2), 71), "it runs").toBe(false);
    frame({ leave: [1] });
    expect([said, [...state.actions]]).toEqual([[], []]);
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
