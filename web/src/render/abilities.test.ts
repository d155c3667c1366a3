import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { FLAG, MatchState } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { ServerFrameSchema } from "@fogkeep/client/wire";
import { describe, expect, it, onTestFinished } from "vitest";
import { AbilityLayer } from "./abilities";
import { HeightField } from "./heightfield";
import { LOOK, lookOfEffect } from "./looks";
import { DamageNumbers } from "./numbers";
import type { Billboards, Decals } from "./sprites";

const KINDS = 4 * RULES.types.length;
const SOLDIER = 0;
const TOWER = 3;
const enter = (gap: number, type: number, slot = 0) => [
  gap * KINDS + (slot + 1) * RULES.types.length + type,
  16 * 16 * 32 + 16,
  64,
];

/** A stage without a GPU: it counts the drawn models. */
function stage() {
  const state = new MatchState(info());
  const clock = { ms: 1000 };
  const now = () => clock.ms;
  const ground = new HeightField(state.info.map);
  const poses = {
    slot: new Uint32Array([0, 1, 2, 3]),
    x: new Float32Array(4),
    z: new Float32Array(4),
    facing: new Float32Array(4),
    reserve() {},
  };
  const rowOf = (slot: number) => (state.world.ids[slot] ? slot : -1);
  const entities = { poses, shown: { rows: new Uint32Array([0, 1, 2, 3]), count: 4 }, rowOf };
  const layer = new AbilityLayer(state, ground, entities, now);
  const numbers = new DamageNumbers(state, ground, () => ({ x: 1, z: 1 }), now);
  numbers.shown = true;
  const drawn = { decals: 0, billboards: 0, numbers: [] as number[] };
  const count = (key: "decals" | "billboards") => () => drawn[key]++;
  const decals = { push: count("decals") } as unknown as Decals;
  const one = count("billboards");
  const billboards = {
    spark: one,
    line: one,
    flame: one,
    bubble: one,
    chevron: one,
    number: (_x: number, _y: number, _z: number, n: number) => drawn.numbers.push(n),
  } as unknown as Billboards;
  const apply = (f: MessageInitShape<typeof ServerFrameSchema>) =>
    state.apply(create(ServerFrameSchema, f), clock.ms);
  const draw = (ms: number) => {
    clock.ms += ms;
    drawn.decals = 0;
    drawn.billboards = 0;
    drawn.numbers = [];
    layer.looks.step(ms);
    layer.draw(clock.ms, decals, billboards, 30);
    numbers.draw(clock.ms, billboards, 1);
    return { ...drawn };
  };
  apply({ tick: 10, enter: [...enter(3, SOLDIER), ...enter(4, TOWER)] });
  state.mask.reveal();
  return { state, layer, numbers, apply, draw, slot: (id: number) => state.world.slot(id) };
}

const NOTHING = { decals: 0, billboards: 0, numbers: [] };

describe("abilities and effects", () => {
  it("begin, last and end by what rows tell", () => {
    const s = stage();
    expect(s.draw(50)).toEqual(NOTHING);
    s.apply({ actions: [3, 1, 1] });
    expect(s.layer.begun).toBe(1);
    const first = s.draw(50);
    expect(s.layer.looks.of(s.slot(3), LOOK.sprint)).toBeGreaterThan(0);
    s.draw(1000);
    const later = s.draw(50);
    expect([first.decals > later.decals, later.decals > 0, later.billboards > 0]).toEqual([true, true, true]);
    s.apply({ actions: [3, 0, 0] });
    expect(s.layer.begun).toBe(2);
    expect(s.draw(50).decals).toBeGreaterThan(0);
    s.draw(1000);
    expect(s.draw(50)).toEqual(NOTHING);
  });

  it("are drawn in full, without a begin, on what comes into sight with them", () => {
    const s = stage();
    s.apply({
      enter: enter(9, SOLDIER),
      actions: [9, 1, 0],
      effects: [9, 1, 0, 0],
      flags: [9, FLAG.cloaked],
    });
    expect(s.draw(16).decals).toBeGreaterThan(0);
    expect(s.layer.begun).toBe(0);
    for (const look of [LOOK.sprint, LOOK.burning, LOOK.cloak])
      expect(s.layer.looks.of(s.slot(9), look)).toBe(1);
    const slot = s.slot(9);
    s.apply({ leave: [9] });
    expect([s.draw(16), s.layer.begun]).toEqual([NOTHING, 0]);
    s.apply({ enter: enter(11, SOLDIER) }); // another in the same row of the world
    expect([s.slot(11), s.layer.looks.any(slot)]).toEqual([slot, false]);
    expect(s.draw(16)).toEqual(NOTHING);
  });

  it("several effects of a kind look like one, until the last ends", () => {
    const s = stage();
    s.apply({ effects: [3, 1, 1, 0] });
    s.apply({ effects: [3, 1, 1, 0, 0, 2, 1, 7] });
    const begun = s.layer.begun;
    s.draw(500);
    s.apply({ effects: [3, 2, 1, 7] });
    s.draw(500);
    expect([s.layer.looks.of(s.slot(3), LOOK.burning), s.layer.begun]).toEqual([1, begun]);
    s.apply({ effects: [3, 0, 0, 0] });
    s.draw(500);
    expect(s.layer.looks.of(s.slot(3), LOOK.burning)).toBe(0);
  });

  it("that change attributes show what they do, for as long as they have an end", () => {
    const change = (attribute: string, percent: number, add = 0) => ({
      attribute,
      percent,
      add,
      capPercent: 0,
      cap: 0,
    });
    const look = (durationTicks: number, ...changes: ReturnType<typeof change>[]) => {
      const effect = { name: "x", title: "", kind: "modify", durationTicks, strength: 0, changes };
      return lookOfEffect({ ...RULES, effects: [effect] } as typeof RULES, 0);
    };
    expect(look(20, change("speed", -30))).toBe(LOOK.slowed);
    expect(look(20, change("speed", 30))).toBeUndefined();
    expect(look(20, change("armour", -10))).toBe(LOOK.shielded);
    expect(look(20, change("armour", 10))).toBeUndefined();
    expect(look(20, change("regen", 0, -4))).toBe(LOOK.burning);
    expect(look(0, change("speed", -30))).toBeUndefined();
  });

  it("burning ground goes out with who burns it, or in its time", () => {
    const s = stage();
    const fire = { kind: [8], x: [3000], y: [2000], what: [3], source: [0], target: [0] };
    s.apply({ actions: [3, 3, 1], events: fire });
    s.draw(600);
    expect(s.draw(50).billboards).toBeGreaterThan(15);
    s.apply({ destroyed: [3] });
    s.draw(500);
    expect(s.draw(50)).toEqual(NOTHING);
    s.apply({ events: fire }); // by a unit out of sight
    s.draw(600);
    expect(s.draw(50).billboards).toBeGreaterThan(10);
    s.draw(5000);
    expect(s.draw(50)).toEqual(NOTHING);
  });

  it("an area is a circle, and ends without a blast", () => {
    const s = stage();
    const area = RULES.types.findIndex((t) => t.class === "projectile");
    const type = s.state.info.rules.types[area] as { speed: number };
    const { speed } = type;
    type.speed = 0;
    onTestFinished(() => {
      type.speed = speed;
    });
    let blasts = 0;
    s.state.events.on("blast", () => blasts++);
    s.apply({ enter: enter(9, area) });
    expect(s.draw(500)).toEqual({ ...NOTHING, decals: 2 });
    s.apply({ destroyed: [9] });
    expect(blasts).toBe(0);
  });

  it("a shield flashes when it is hit, and breaks", () => {
    const s = stage();
    s.apply({ shield: [7, 20] });
    expect(s.draw(16).billboards).toBe(1);
    s.apply({ shield: [7, 60] });
    expect([s.layer.begun, s.draw(16).billboards]).toEqual([1, 2]);
    s.draw(1000);
    expect(s.draw(16)).toEqual(NOTHING);
  });
});

describe("damage numbers", () => {
  it("are the differences of what was told, and only losses", () => {
    const s = stage();
    s.apply({ health: [3, 30] });
    expect(s.draw(50).numbers).toEqual([-30]);
    s.apply({ health: [3, 42] }); // soon after: one number
    expect(s.draw(50).numbers).toEqual([-42]);
    s.draw(1000);
    s.apply({ health: [3, 10] });
    expect(s.draw(50).numbers).toEqual([]);
    s.apply({ shield: [7, 25], health: [7, 5] });
    expect(s.draw(50).numbers.sort((a, b) => a - b)).toEqual([-25, -5]);
    s.apply({ enter: enter(9, SOLDIER), health: [9, 60] });
    expect(s.draw(50).numbers).toHaveLength(2); // it came into sight with that
    s.draw(1000);
    s.numbers.shown = false;
    s.apply({ health: [3, 99] });
    expect(s.draw(50).numbers).toEqual([]);
  });
});
