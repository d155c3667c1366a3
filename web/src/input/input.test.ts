import { create } from "@bufbuild/protobuf";
import { type Handle, MatchState, PASS_NAVAL, PoseColumns } from "@fogkeep/client";
import { ability, info } from "@fogkeep/client/testing";
import { AbilityGrant, OrderKind, OrderSchema, OwnSchema } from "@fogkeep/client/wire";
import { describe, expect, it } from "vitest";
import { hoverWords } from "../hud/tip";
import { commandsFor } from "./commands";
import { actionOf, bindingsOf, conflicts, keyLabel, PRESETS, type PresetName } from "./hotkeys";
import {
  footprint,
  lastQueued,
  lineOrder,
  placesOnLine,
  rightClickOrders,
  type Target,
  targetOrders,
} from "./intent";
import { boxPick, Selection } from "./selection";

const SOLDIER = 0;
const WORKER = 1;
const BARRACKS = 2;
const ORE = 4;

const VEIL = ability(0, "veil", { kind: "cloak" });

function field(): MatchState {
  const s = new MatchState(info());
  const put = (handle: number, type: number, owner: number, x: number, y: number) =>
    s.world.enter({ handle, type, owner, x: x * 1024, y: y * 1024, vx: 0, vy: 0, facing: 0 }, 0);
  put(1, SOLDIER, 0, 5, 5);
  put(2, SOLDIER, 0, 6, 5);
  put(3, WORKER, 0, 7, 5);
  put(4, BARRACKS, 0, 10, 10);
  put(5, SOLDIER, 1, 20, 5);
  put(6, ORE, 255, 15, 5);
  put(7, SOLDIER, 2, 8, 8);
  for (let t = 0; t < 32 * 24; t++) s.mask.setExplored(t, true);
  return s;
}

const ground: Target = { at: { x: 3000, y: 4000 }, handle: 0 };
const on = (handle: number): Target => ({ at: { x: 1, y: 1 }, handle });

describe("a right click", () => {
  it("on the ground moves what can move", () => {
    expect(rightClickOrders(field(), [1, 3, 4], ground, true)).toEqual([
      { do: "move", units: [1, 3], to: ground.at, queued: true },
    ]);
  });
  it("on an enemy attacks with the armed, and the others come along", () => {
    expect(rightClickOrders(field(), [1, 3], on(5), false)).toEqual([
      { do: "attack", units: [1], target: 5, queued: false },
      { do: "move", units: [3], to: { x: 1, y: 1 }, queued: false },
    ]);
  });
  it("on a resource harvests with workers", () => {
    const orders = rightClickOrders(field(), [1, 3], on(6), false);
    expect(orders.map((o) => [o.do, o.units])).toEqual([
      ["harvest", [3]],
      ["move", [1]],
    ]);
  });
  it("on an ally follows it, and never itself", () => {
    expect(rightClickOrders(field(), [1], on(7), false)).toEqual([
      { do: "follow", units: [1], target: 7, queued: false },
    ]);
    expect(rightClickOrders(field(), [1, 2], on(2), false)).toEqual([
      { do: "follow", units: [1], target: 2, queued: false },
    ]);
  });
  it("on something damaged repairs it with the units that do, also of an ally", () => {
    const s = field();
    Object.assign(s.info.rules.types[WORKER], { repairs: [SOLDIER] });
    const orders = () => rightClickOrders(s, [1, 3], on(7), false).map((o) => [o.do, o.units]);
    expect(orders()).toEqual([["follow", [1, 3]]]);
    s.world.health[s.world.slot(7)] = 1;
    expect(orders()).toEqual([
      ["repair", [3]],
      ["move", [1]],
    ]);
    expect(rightClickOrders(s, [3], on(5), false).map((o) => o.do)).toEqual(["move"]);
  });
  it("on an own transport boards it, as far as there is room", () => {
    const s = field();
    Object.assign(s.info.rules.types[BARRACKS], { slots: 2, carries: [SOLDIER] });
    const orders = () => rightClickOrders(s, [1, 3], on(4), false).map((o) => [o.do, o.units]);
    const boards = [
      ["board", [1]],
      ["move", [3]],
    ];
    expect(orders()).toEqual(boards);
    const inside = (n: number) =>
      s.own.apply(
        create(OwnSchema, {
          passengers: [
            [4, 0, 1 + SOLDIER, 0],
            [0, 1, 1 + SOLDIER, 5],
          ]
            .slice(0, n)
            .flat(),
        }),
      );
    inside(1);
    expect(orders()).toEqual(boards);
    inside(2);
    expect(s.own.units.get(4 as Handle)?.passengers.map((p) => [p.type, p.missing])).toEqual([
      [SOLDIER, 0],
      [SOLDIER, 5],
    ]);
    expect(orders().map(([kind]) => kind)).toEqual(["move"]);
    s.own.apply(create(OwnSchema, { passengers: [4, 0, 0, 0] }));
    expect(orders()).toEqual(boards);
    expect(targetOrders(s, { kind: "unload" }, [4], ground, false)).toEqual([
      { do: "unload", units: [4], what: 0, to: ground.at, queued: false },
    ]);
  });
  it("on a feature of the map moves there, also on a remembered one; only a breakable one is attacked", () => {
    const s = field();
    Object.assign(s.info.rules.types[BARRACKS], { feature: "bridge" });
    s.world.enter({ handle: 8, type: BARRACKS, owner: 255, x: 9000, y: 9000, vx: 0, vy: 0, facing: 0 }, 0);
    const ghost = { type: BARRACKS, owner: 255, x: 0, y: 0, facing: 0, hp: 1, amount: 0, tick: 1 };
    s.ghosts.set(30, { ...ghost, id: 30 });
    const move = [{ do: "move", units: [1], to: ground.at, queued: false }];
    for (const target of [{ handle: 8 }, { handle: 30, ghost: true }])
      expect(rightClickOrders(s, [1], { ...ground, ...target }, false)).toEqual(move);
    const attack = () => targetOrders(s, { kind: "attackMove" }, [1], { ...ground, handle: 8 }, false);
    expect(attack().map((o) => o.do)).toEqual(["attackMove"]);
    Object.assign(s.info.rules.types[BARRACKS], { breakable: true });
    expect(attack().map((o) => o.do)).toEqual(["attack"]);
  });
  it("with a structure alone sets its rally point", () => {
    expect(rightClickOrders(field(), [4], ground, false)).toEqual([
      { do: "rally", units: [4], to: ground.at, target: undefined },
    ]);
  });
  it("on a structure as last seen attacks its place, not a thing", () => {
    expect(
      rightClickOrders(field(), [1, 3], { ...ground, handle: 30, ghost: true }, false).map((o) => o.do),
    ).toEqual(["attackGround", "move"]);
  });
  it("on an own structure goes beside it, not into it", () => {
    const [o] = rightClickOrders(field(), [1], on(4), false);
    expect(o.do).toBe("move");
    if (!("to" in o) || !o.to) throw new Error("no place");
    const inside = Math.abs(o.to.x / 1024 - 10) < 1.5 && Math.abs(o.to.y / 1024 - 10) < 1.5;
    expect(inside).toBe(false);
  });
  it("never orders what belongs to others, and stays on the map", () => {
    expect(rightClickOrders(field(), [5, 7], ground, false)).toEqual([]);
    const [o] = rightClickOrders(field(), [1], { at: { x: -5, y: 9e9 }, handle: 0 }, false);
    expect("to" in o && o.to).toEqual({ x: 0, y: 24 * 1024 - 1 });
  });
});

describe("taking back what is being made", () => {
  const queues = new Map([
    [4, { types: [0, 1, 0] }],
    [5, { types: [1] }],
    [6, { types: [] }],
  ]);
  it("takes the last of its kind, from the longest queue", () => {
    expect(lastQueued(queues, [4, 5, 6])).toEqual({ unit: 4, at: 2 });
    expect(lastQueued(queues, [4, 5, 6], 1)).toEqual({ unit: 4, at: 1 });
    expect(lastQueued(queues, [5, 6], 1)).toEqual({ unit: 5, at: 0 });
  });
  it("takes nothing where there is nothing", () => {
    expect([lastQueued(queues, [6]), lastQueued(queues, [5], 0), lastQueued(queues, [99])]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe("a line", () => {
  it("gives each walker a place, in the order in which they stand along it", () => {
    const places = placesOnLine(field(), [1, 2, 3, 4], { x: 9000, y: 0 }, { x: 1000, y: 0 });
    expect(places).toEqual([
      { units: [3], at: { x: 9000, y: 0 } },
      { units: [2], at: { x: 5000, y: 0 } },
      { units: [1], at: { x: 1000, y: 0 } },
    ]);
  });
  it("leaves nobody out: of more units than places, neighbours share one", () => {
    const s = field();
    const army = Array.from({ length: 69 }, (_, k) => 100 + k);
    for (const [k, handle] of army.entries())
      s.world.enter({ handle, type: SOLDIER, owner: 0, x: k * 400, y: 6000, vx: 0, vy: 0, facing: 0 }, 0);
    const places = placesOnLine(s, army, { x: 0, y: 9000 }, { x: 30_000, y: 9000 });
    expect(places.length).toBe(40);
    expect(places.flatMap((p) => p.units)).toEqual(army);
    expect(new Set(places.map((p) => p.units.length))).toEqual(new Set([1, 2]));
    expect([places[0].at.x, places[39].at.x]).toEqual([0, 30_000]);
  });
  it("puts one in the middle, and nobody off the map", () => {
    expect(placesOnLine(field(), [1], { x: -4000, y: -10 }, { x: 2000, y: -10 })[0].at).toEqual({
      x: 0,
      y: 0,
    });
  });
});

describe("a line while a command waits", () => {
  it("is taken by the commands that go to a place", () => {
    const of = (kind: "move" | "attackMove" | "patrol" | "follow" | "rally") => lineOrder({ kind });
    expect((["move", "attackMove", "patrol"] as const).map(of)).toEqual(["move", "attackMove", "patrol"]);
    expect([of("follow"), of("rally"), lineOrder({ kind: "build", what: 1 }), lineOrder(null)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("a waiting command", () => {
  it("attack-moves on ground and attacks on a unit", () => {
    const s = field();
    expect(targetOrders(s, { kind: "attackMove" }, [1, 3], ground, false)[0]).toMatchObject({
      do: "attackMove",
      units: [1, 3],
    });
    expect(targetOrders(s, { kind: "attackMove" }, [1, 3], on(5), false)[0]).toMatchObject({
      do: "attack",
      units: [1],
      target: 5,
    });
  });
  it("asks the nearest builder alone", () => {
    const s = field();
    expect(
      targetOrders(s, { kind: "build", what: 3 }, [1, 3], { at: { x: 8000, y: 5000 }, handle: 0 }, false),
    ).toEqual([{ do: "build", units: [3], what: 3, to: { x: 8000, y: 5000 }, queued: false }]);
  });
});

describe("a footprint", () => {
  it("is free on known, flat, empty heightfield", () => {
    const f = footprint(field(), { width: 2, depth: 2 }, { x: 20_480, y: 15_360 });
    expect([f.why, f.tiles.length, f.center]).toEqual(["", 4, { x: 20_480, y: 15_360 }]);
  });
  it("of a dock is free beside water only", () => {
    const s = field();
    const ok = () =>
      footprint(s, { width: 2, depth: 2, shore: true }, { x: 20 * 1024, y: 15 * 1024 }).why === "";
    expect(ok()).toBe(false);
    s.info.map.pass[15 * s.info.map.width + 21] = PASS_NAVAL;
    expect(ok()).toBe(true);
  });
  it("names the tiles that are not", () => {
    const s = field();
    expect(footprint(s, { width: 3, depth: 2 }, { x: 10_240, y: 10_240 }).why).toBe("taken");
    expect(footprint(s, { width: 2, depth: 2 }, { x: 0, y: 0 }).tiles.filter((t) => !t.ok)).toHaveLength(3);
    expect(footprint(s, { width: 2, depth: 2 }, { x: 0, y: 0 }).why).toBe("off");
    s.info.map.levels[15 * 32 + 20] = 1;
    expect(footprint(s, { width: 2, depth: 2 }, { x: 20_480, y: 15_360 }).why).toBe("uneven");
  });
});

describe("a box", () => {
  it("prefers the army to workers to structures, and own to foreign", () => {
    const s = field();
    const slots = (...h: number[]) => h.map((x) => s.world.slot(x));
    expect(boxPick(s, slots(1, 3, 4, 5))).toEqual([1]);
    expect(boxPick(s, slots(3, 4))).toEqual([3]);
    expect(boxPick(s, slots(4, 6))).toEqual([4]);
    expect(boxPick(s, slots(5, 6))).toEqual([]);
  });
});

describe("Selection", () => {
  it("drops what the player lost, and keeps what it gained only where that is selected alone", () => {
    const s = field();
    const sel = new Selection(s);
    const give = (id: number, slot: number) => {
      const row = s.world.slot(id);
      const was = s.world.owner[row];
      s.world.owner[row] = slot;
      s.events.emit("owner", { id, slot: row, was });
    };
    sel.set([1, 2]);
    sel.assign(3);
    give(1, 2);
    expect([[...sel.handles], [...sel.groups[3]]]).toEqual([[2], [2]]);
    sel.set([7]);
    give(7, 0);
    expect([sel.own(), sel.active()?.type]).toEqual([[7], SOLDIER]);
    give(7, 2);
    expect([...sel.handles]).toEqual([]);
    sel.dispose();
  });

  it("loses who dies, in groups too", () => {
    const s = field();
    const sel = new Selection(s);
    sel.set([1, 2]);
    sel.assign(3);
    s.events.emit("leave", { id: 1, slot: s.world.slot(1), why: "dead" });
    expect([[...sel.handles], [...sel.groups[3]]]).toEqual([[2], [2]]);
  });
  it("loses who is not in a snapshot", () => {
    const s = field();
    const sel = new Selection(s);
    sel.set([1, 2]);
    sel.assign(3);
    s.world.leave(2);
    s.events.emit("reset", { why: "snapshot" });
    expect([[...sel.handles], [...sel.groups[3]]]).toEqual([[1], [1]]);
  });
  it("a unit may be in several groups; an empty one recalls nothing", () => {
    const sel = new Selection(field());
    sel.set([1]);
    sel.assign(1);
    sel.join(2);
    sel.clear();
    expect([sel.recall(2), [...sel.handles], sel.recall(5)]).toEqual([true, [1], false]);
  });
  it("cycles through the kinds, the army first", () => {
    const sel = new Selection(field());
    sel.set([1, 3, 4]);
    expect(sel.active()?.type).toBe(SOLDIER);
    sel.cycle(1);
    expect(sel.active()?.type).toBe(WORKER);
    sel.cycle(-1);
    sel.cycle(-1);
    expect(sel.active()?.type).toBe(BARRACKS);
  });
  it("is shown by kind, as the card goes through it", () => {
    const sel = new Selection(field());
    sel.set([4, 3, 2, 1]);
    expect(sel.sorted()).toEqual([1, 2, 3, 4]);
    sel.set([5]);
    expect(sel.sorted()).toEqual([5]);
  });
  it("never mixes own and foreign", () => {
    const sel = new Selection(field());
    sel.set([5]);
    sel.toggle(1);
    expect([...sel.handles]).toEqual([1]);
  });
});

describe("what the cursor is over", () => {
  it("is named with its owner; what is remembered, with when it was seen", () => {
    const s = field();
    s.world.tick = 2000;
    s.ghosts.set(30, {
      id: 30,
      type: BARRACKS,
      owner: 1,
      x: 0,
      y: 0,
      facing: 0,
      hp: 50,
      amount: 0,
      tick: 740,
    });
    expect(hoverWords(s, 30)).toBe("Barracks · P1 · last seen 1:03 ago");
    expect(hoverWords(s, 5)).toBe("Soldier · P1 · 100 / 100");
    expect(hoverWords(s, 6)).toBe("Ore · 0 left");
    expect([hoverWords(s, 1), hoverWords(s, 0), hoverWords(s, 99)]).toEqual(["", "", ""]);
  });
});

describe("keys", () => {
  it("no preset has one key for two things", () => {
    for (const name of Object.keys(PRESETS) as PresetName[])
      expect(conflicts(PRESETS[name]), name).toEqual([]);
  });
  it("names conflicts of a player's own set", () => {
    const b = bindingsOf("classic", { classic: { stop: ["KeyA"] } });
    expect(conflicts(b)).toEqual([{ code: "KeyA", actions: ["attack", "stop"] }]);
    expect(actionOf(b, "KeyA")).toBe("attack");
    expect(conflicts(bindingsOf("classic", { classic: { menu: ["F11"] } }))).toHaveLength(1);
  });
  it("changes of one preset say nothing in another", () => {
    const own = { classic: { stop: ["KeyJ"] } };
    expect(bindingsOf("classic", own).stop).toEqual(["KeyJ"]);
    expect(bindingsOf("grid", own)).toEqual(PRESETS.grid);
  });
  it("shows the local letter where it is known", () => {
    expect(keyLabel("KeyQ")).toBe("Q");
    expect(keyLabel("KeyQ", new Map([["KeyQ", "a"]]))).toBe("A");
    expect(keyLabel("Escape")).toBe("Esc");
  });
});

describe("the card", () => {
  const keys = PRESETS.classic;
  it("has one command a place and a key for each", () => {
    const s = field();
    for (const t of s.info.rules.types) {
      const c = commandsFor(s, t, [1], keys, false, false);
      expect(new Set(c.map((x) => x.place)).size, t.name).toBe(c.length);
      expect(c.every((x) => x.codes.length > 0 && x.place >= 0 && x.place < 15)).toBe(true);
    }
  });
  it("has a switch that lets groups keep together", () => {
    const s = field();
    const type = s.info.rules.types[SOLDIER];
    for (const on of [false, true]) {
      const c = commandsFor(s, type, [1], keys, false, false, 0, on).find((x) => x.id === "together");
      expect([c?.active, c?.effect, c?.codes]).toEqual([on, { kind: "together", on: !on }, ["KeyT"]]);
    }
    expect(
      commandsFor(s, s.info.rules.types[BARRACKS], [4], keys, false, false).map((x) => x.id),
    ).not.toContain("together");
  });
  it("says why something cannot be made", () => {
    const s = field();
    const barracks = s.info.rules.types[BARRACKS];
    const why = () => commandsFor(s, barracks, [4], keys, false, false).find((c) => c.id === "make-0")?.why;
    expect(why()).toBe("Needs 75 more ore");
    s.own.resources = [100, 0];
    expect(why()).toBe("");
    s.own.population = s.own.populationMax = 4;
    expect(why()).toMatch(/Supply limit/);
  });
  it("knows what has to be there first", () => {
    const s = field();
    const build = () =>
      commandsFor(s, s.info.rules.types[WORKER], [3], keys, true, false).find((c) => c.id === "make-3");
    expect(build()?.why).toBe("");
    s.world.leave(4);
    expect(build()?.why).toBe("Requires Barracks");
  });
  it("shows nothing for what is still being built", () => {
    const s = field();
    s.world.flags[s.world.slot(4)] = 64;
    expect(commandsFor(s, s.info.rules.types[BARRACKS], [4], keys, false, false)).toEqual([]);
  });
  it("has a page more for what does not fit, and a key for it", () => {
    const s = field();
    const { types } = s.info.rules;
    const many = (n: number) => Array.from({ length: n }, (_, k) => k % types.length);
    const rules = {
      ...s.info.rules,
      abilities: Array.from({ length: 7 }, (_, id) => ({ ...VEIL, id })),
    };
    const full = new MatchState({ ...s.info, rules });
    full.world.enter({ handle: 3, type: WORKER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    const cases = [
      { what: "builds", menu: true, type: { ...types[WORKER], builds: many(23) }, pages: 3, id: /^make-/ },
      { what: "trains", menu: false, type: { ...types[BARRACKS], trains: many(9) }, pages: 2, id: /^make-/ },
      {
        what: "abilities",
        menu: false,
        type: { ...types[SOLDIER], abilities: [0, 1, 2, 3, 4, 5, 6] },
        pages: 2,
        id: /^ability-/,
      },
    ];
    for (const c of cases) {
      const all =
        c.what === "abilities" ? c.type.abilities : c.what === "trains" ? c.type.trains : c.type.builds;
      let seen = 0;
      for (let page = 0; page < c.pages; page++) {
        for (const grid of [false, true]) {
          const list = commandsFor(full, c.type, [3], grid ? PRESETS.grid : keys, c.menu, grid, page);
          expect(new Set(list.map((x) => x.place)).size, `${c.what}: places`).toBe(list.length);
          const codes = list.flatMap((x) => x.codes);
          expect(new Set(codes).size, `${c.what}: keys ${codes}`).toBe(codes.length);
          const more = list.find((x) => x.id === "more");
          expect(more?.detail).toBe(`Page ${page + 1} of ${c.pages}`);
          expect(more?.effect).toEqual({ kind: "page", to: (page + 1) % c.pages });
          if (!grid) seen += list.filter((x) => c.id.test(x.id)).length;
        }
      }
      expect(seen, c.what).toBe(all.length);
    }
    // Contents that fit need no page.
    for (const t of types)
      expect(commandsFor(s, t, [1], keys, true, false).some((x) => x.id === "more")).toBe(false);
  });
  it("has the choices between weapons, and shows what their player chose", () => {
    const base = info();
    const types = base.rules.types.map((t) => (t.id === SOLDIER ? { ...t, weapons: [0, 0] } : t));
    const [rifle] = base.rules.weapons;
    const weapons = [
      { ...rifle, alternate: 1 },
      { ...rifle, range: 2048 },
    ];
    const s = new MatchState({ ...base, rules: { ...base.rules, types, weapons } });
    for (const handle of [1, 2])
      s.world.enter({ handle, type: SOLDIER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    const said = (id: string) => {
      const c = commandsFor(s, types[SOLDIER], [1, 2], PRESETS.classic, false, false).find(
        (x) => x.id === id,
      );
      return c && [c.title, c.active, c.effect.kind === "fire" ? c.effect.what : null];
    };
    const all = () => ["holdFire", "alternate", "weapons"].map(said);
    expect(said("stance")).toEqual(["Stance: defensive", false, 8]);
    const firing = (...bits: number[]) =>
      s.own.apply(create(OwnSchema, { firing: bits.flatMap((n) => [1, n]) }));
    expect(all()).toEqual([
      ["Hold fire", false, 1],
      ["Alternate fire", false, 3],
      ["All weapons", false, 5],
    ]);
    firing(1 + 2 + 4, 0); // not all selected units: nothing is active
    expect(all().map((x) => x?.[1])).toEqual([false, false, false]);
    firing(1 + 2 + 4, 1 + 2 + 4);
    expect(all()).toEqual([
      ["Hold fire", true, 0],
      ["Alternate fire", true, 2],
      ["First weapon", true, 6],
    ]);
    firing(8, 8);
    expect(said("weapons")).toEqual(["Second weapon", true, 4]);
    firing(16, 16);
    expect(said("stance")).toEqual(["Stance: aggressive", true, 9]);
    firing(16, 32); // two stances
    expect(said("stance")).toEqual(["Stance: defensive", false, 8]);
    firing(32, 32);
    expect(said("stance")).toEqual(["Stance: hold ground", true, 7]);
    const plain = commandsFor(s, base.rules.types[WORKER], [], PRESETS.classic, false, false);
    expect(plain.filter((c) => c.effect.kind === "fire")).toEqual([]);
  });
  it("shows at once what was ordered, and no more when it is refused", () => {
    const base = info();
    const types = base.rules.types.map((t) => (t.id === SOLDIER ? { ...t, abilities: [0] } : t));
    const abilities = [{ ...VEIL, cooldownTicks: 40 }];
    const s = new MatchState({ ...base, rules: { ...base.rules, types, abilities } });
    s.world.enter({ handle: 1, type: SOLDIER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    s.world.sample(1, 16, new PoseColumns());
    const command = (id: string) =>
      commandsFor(s, types[SOLDIER], [1], keys, false, false).find((c) => c.id === id);
    const give = (seq: number, kind: OrderKind) => {
      const order = create(OrderSchema, { seq, kind, units: [1] });
      s.prediction.give(order, 2);
      s.actions.give(order, 10 + seq);
    };
    expect([command("hold")?.active, command("ability-0")?.title]).toEqual([false, "Veil"]);
    give(1, OrderKind.HOLD);
    expect([command("hold")?.active, command("move")?.active]).toEqual([true, false]);
    give(2, OrderKind.ABILITY);
    expect(command("ability-0")).toMatchObject({ title: "Stop Veil", why: "", cooling: 0 });
    give(3, OrderKind.STOP_ABILITY);
    expect(command("ability-0"), "its cooldown begins").toMatchObject({ title: "Veil", cooling: 1 });
    for (const seq of [1, 2, 3]) {
      s.prediction.answered(seq, false, []);
      s.actions.answered(seq, false, []);
    }
    expect(command("ability-0")).toMatchObject({ why: "", cooling: 0 });
    expect([command("hold")?.active, command("ability-0")?.title]).toEqual([false, "Veil"]);
  });
  it("stops what is on, and says why something is not granted", () => {
    const s = field();
    const types = s.info.rules.types.map((t) => (t.id === SOLDIER ? { ...t, abilities: [0] } : t));
    const abilities = [{ ...VEIL, needs: [BARRACKS] }];
    const state = new MatchState({ ...s.info, rules: { ...s.info.rules, types, abilities } });
    state.world.enter({ handle: 1, type: SOLDIER, owner: 0, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    const button = () =>
      commandsFor(state, types[SOLDIER], [1], keys, false, false).find((c) => c.id === "ability-0");
    expect(button()?.effect).toEqual({ kind: "ability", what: 0, on: true });
    state.actions.apply([1, 1, 0], []);
    state.actions.settle();
    expect(button()?.effect).toEqual({ kind: "ability", what: 0, on: false });
    expect(button()?.title).toBe("Stop Veil");
    state.actions.apply([1, 0, 0], []);
    state.actions.settle();
    expect(button()?.why).toBe("");
    state.own.apply(create(OwnSchema, { grants: [1, 0, AbilityGrant.LACKS_NEEDS] }));
    expect(button()?.why).toBe("Requires Barracks");
    state.own.apply(create(OwnSchema, { grants: [1, 0, AbilityGrant.DENIED] }));
    expect(button()?.why).toBe("This unit may not use it");
    state.own.apply(create(OwnSchema, { grants: [1, 0, AbilityGrant.UNIT] }));
    expect(button()?.why).toBe("");
  });
  it("aims at units in sight that the ability works on, with one unit that is ready", () => {
    const s = field();
    const types = s.info.rules.types.map((t) => (t.id === SOLDIER ? { ...t, abilities: [0] } : t));
    const aimed = { ...VEIL, target: "unit" as const, lasting: false, enemies: true };
    const state = new MatchState({ ...s.info, rules: { ...s.info.rules, types, abilities: [aimed] } });
    const put = (handle: number, type: number, owner: number, x: number) =>
      state.world.enter({ handle, type, owner, x: x * 1024, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
    put(1, SOLDIER, 0, 9);
    put(2, SOLDIER, 0, 2);
    put(5, SOLDIER, 1, 10);
    put(6, BARRACKS, 1, 12);
    const at = (handle: number) =>
      targetOrders(
        state,
        { kind: "ability", what: 0 },
        [1, 2],
        { handle, at: { x: 10240, y: 0 }, ghost: false },
        false,
      );
    expect(at(5)).toEqual([{ do: "ability", units: [1], what: 0, target: 5, queued: false }]);
    state.own.apply(create(OwnSchema, { ready: [1, 0, 40] }));
    expect(at(5)).toEqual([{ do: "ability", units: [2], what: 0, target: 5, queued: false }]);
    expect([at(6), at(2), at(77)], "a structure, an own unit, nothing").toEqual([[], [], []]);
  });
});
