import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EventKind, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { info, RULES } from "./fixture.js";
import { MatchState } from "./match.js";
import { PoseColumns } from "./world.js";

const frame = (f: MessageInitShape<typeof ServerFrameSchema>) => create(ServerFrameSchema, f);
const KINDS = 4 * RULES.types.length;
/** An enter row: distance of handles, type, owner, cell, course. */
const enter = (gap: number, type: number, slot: number, cellX: number, cellY: number, course: number) => [
  gap * KINDS + (slot + 1) * RULES.types.length + type,
  cellY * 16 * 32 + cellX,
  course,
];
const EAST = 256 + 2016;

function started(): MatchState {
  const s = new MatchState(info());
  s.apply(
    frame({
      tick: 10,
      enter: [...enter(3, 0, 0, 16, 16, 64), ...enter(4, 1, 1, 32, 16, EAST)],
      mask: { row: [1], visibleRuns: [2], visible: [0, 4] },
    }),
    0,
  );
  return s;
}

describe("apply", () => {
  it("takes a snapshot", () => {
    const s = started();
    expect(s.tick).toBe(10);
    expect(s.world.count).toBe(2);
    const a = s.world.slot(3);
    const b = s.world.slot(7);
    expect([s.world.type[a], s.world.owner[a], s.world.posX(a), s.world.posY(a)]).toEqual([0, 0, 1056, 1056]);
    expect([s.world.type[b], s.world.owner[b], s.relation(b)]).toEqual([1, 1, "enemy"]);
    expect(s.world.hp(a)).toBe(100);
    expect(s.mask.visibleCount).toBe(4);
    expect(s.mask.visibleAt(3, 1) && !s.mask.visibleAt(4, 1)).toBe(true);
  });

  it("tells once who takes a bot's seat over", () => {
    const s = started();
    const { bot, name } = s.info.players[1];
    const heard: string[] = [];
    s.events.on("taken", ({ player, was }) => heard.push(`${player.name} for ${was}`));
    s.apply(frame({ span: 1, players: [{ slot: 1, state: 2 }] }), 0);
    expect([s.info.players[1].name, heard]).toEqual([name, []]);
    s.info.players[1].bot = true;
    for (let i = 0; i < 2; i++) s.apply(frame({ span: 1, players: [{ slot: 1, state: 1, name: "Di" }] }), 0);
    expect([s.info.players[1].name, s.info.players[1].bot, heard]).toEqual(["Di", bot, [`Di for ${name}`]]);
  });

  it("keeps what was told with the end for who shows it, and hears on", () => {
    const endOf = (keeps: boolean) => {
      const s = started();
      s.keepsEnd = keeps;
      s.apply(frame({ span: 2, ended: { winners: [1], reason: "surrender" } }), 0);
      const said: string[] = [];
      s.events.on("chat", (c) => said.push(c.text));
      s.apply(
        frame({
          span: 100,
          leave: [3],
          mask: { row: [1], visibleRuns: [2], visible: [0, 1] },
          said: [{ slot: 1, all: true, text: "gg" }],
        }),
        0,
      );
      return { things: s.world.count, lit: s.mask.visibleCount, tick: s.tick, end: s.endTick, said };
    };
    expect(endOf(true)).toEqual({ things: 2, lit: 4, tick: 112, end: 12, said: ["gg"] });
    expect(endOf(false)).toEqual({ things: 1, lit: 1, tick: 112, end: 12, said: ["gg"] });
  });

  it("shows another owner, and forgets what only the former one knew", () => {
    const s = started();
    const a = s.world.slot(3);
    s.apply(frame({ own: { energy: [3, 40], tasks: [3, 3] } }), 0);
    expect(s.own.units.get(3)?.energy).toBe(40);
    const told: unknown[] = [];
    s.events.on("owner", (e) => told.push([e.id, e.was, s.world.owner[e.slot]]));
    s.apply(frame({ owner: [3, 3] }), 0);
    expect([s.world.owner[a], s.relation(a), s.own.units.has(3)]).toEqual([2, "ally", false]);
    s.apply(frame({ owner: [3, 1], own: { energy: [3, 7] } }), 0);
    expect([s.relation(a), s.own.units.get(3)?.energy]).toEqual(["own", 7]);
    s.apply(frame({ owner: [3, 0] }), 0);
    expect([s.relation(a), s.own.units.has(3)]).toEqual(["neutral", false]);
    expect(told).toEqual([
      [3, 0, 2],
      [3, 2, 0],
      [3, 0, 0xff],
    ]);
  });

  it("asks for a snapshot when it is told the owner of what it does not have", () => {
    const s = started();
    let asked = 0;
    s.events.on("mismatch", () => asked++);
    s.apply(frame({ owner: [99, 1] }), 0);
    expect(asked).toBe(1);
  });

  it("counts ticks by spans, one when none is said", () => {
    const s = started();
    s.apply(frame({}), 0);
    expect(s.tick).toBe(11);
    s.apply(frame({ span: 5 }), 0);
    expect(s.tick).toBe(16);
  });

  it("reckons courses, and refines cells by exact places of some ticks ago", () => {
    const s = started();
    const b = s.world.slot(7);
    s.apply(frame({ span: 2 }), 0);
    expect(s.world.posX(b)).toBe(32 * 64 + 32 + ((9830 * 2) >> 6));
    s.apply(frame({ exact: [7, 2, (10 << 6) | 20], motion: [7, 277_371 + 16 * 512 + 40, 64] }), 0);
    // A motion to a cell, then its exact place two ticks ago: it stands, so that is where it is.
    expect([s.world.posX(b), s.world.posY(b)]).toEqual([40 * 64 + 10, 16 * 64 + 20]);
  });

  it("keeps what is reckoned on the map", () => {
    const s = started();
    s.apply(frame({ span: 10_000 }), 0);
    expect(s.world.posX(s.world.slot(7))).toBe(32 * 1024 - 1);
  });

  it("gives handles away and takes them again in one frame", () => {
    const s = started();
    const left: string[] = [];
    s.events.on("leave", (e) => left.push(`${e.id} ${e.why}`));
    s.apply(frame({ leave: [3], destroyed: [7], enter: enter(3, 1, 2, 1, 1, 0) }), 0);
    expect(left).toEqual(["3 fog", "7 dead"]);
    expect(s.world.count).toBe(1);
    expect(s.world.type[s.world.slot(3)]).toBe(1);
    expect(s.relation(s.world.slot(3))).toBe("ally");
  });

  it("health, flags, amount and burst; a hit flashes, an enter does not", () => {
    const s = started();
    const a = s.world.slot(3);
    const fired: number[] = [];
    s.events.on("shot", (e) => fired.push(e.id));
    s.apply(frame({ health: [3, 30], flags: [3, 32], amount: [3, 7], burst: [3, (1 << 2) | 2] }), 777);
    expect([s.world.hp(a), s.world.flags[a], s.world.amount[a], s.world.hitMs[a]]).toEqual([70, 32, 7, 777]);
    expect(s.world.burst[a]).toBe((1 << 2) | 2);
    expect(fired).toEqual([]);
    s.fire.draw(s.tick, 800);
    expect(fired).toEqual([3]);
    const aims: number[] = [];
    s.events.on("aim", (e) => aims.push(e.id, e.target));
    s.apply(frame({ fire: [3, 99] }), 2600); // at what is not held
    s.apply(frame({ fire: [3, 3] }), 2600);
    expect(aims).toEqual([3, 3]);
    const b = s.world.slot(7);
    s.apply(frame({ motion: [3, 60, 0, 4, 60, 192], fire: [3, 7] }), 2650); // both stand
    const face = Math.atan2(s.world.posY(b) - s.world.posY(a), s.world.posX(b) - s.world.posX(a));
    const poses = new PoseColumns();
    const n = s.world.sample(s.tick, 1000, poses); // a second is enough to turn
    expect(poses.facing[poses.slot.subarray(0, n).indexOf(a)]).toBeCloseTo(face, 5);
    s.apply(frame({ enter: enter(9, 0, 0, 5, 5, 0), health: [9, 50] }), 900);
    const c = s.world.slot(9);
    expect([s.world.hp(c), s.world.hitMs[c] < 0]).toEqual([50, true]);
  });

  it("a projectile destroyed goes off on its last way; an own unit that enters was made", () => {
    const s = started();
    const got: unknown[] = [];
    s.events.on("blast", (e) => got.push(["blast", e.x, e.y]));
    s.events.on("trained", (e) => got.push(["trained", e.what, e.source]));
    s.apply(frame({ enter: [...enter(1, 5, 1, 16, 16, EAST), ...enter(8, 0, 0, 4, 4, 0)] }), 0);
    s.apply(frame({ destroyed: [1, 6] }), 0); // and one that is no projectile
    s.apply(frame({ enter: enter(8, 0, 1, 4, 4, 0) }), 0); // another's
    s.apply(frame({ tick: 50, enter: enter(9, 0, 0, 4, 4, 0) }), 0); // a snapshot makes nothing
    expect(got).toEqual([
      ["trained", 0, 9],
      ["blast", 16 * 64 + 32 + Math.floor(9830 / 64) / 2, 16 * 64 + 32],
    ]);
  });

  it("counts changes of health from the enter on, and is put right where frames hide some", () => {
    const s = started();
    const a = s.world.slot(3);
    s.apply(frame({ health: [3, 30] }), 100);
    s.apply(frame({ health: [3, 20] }), 200);
    expect(s.world.healthChanges[a]).toBe(2);
    s.apply(frame({ health: [3, 90], healthChanges: [3, 5] }), 300); // hit three times between two frames
    expect([s.world.hp(a), s.world.healthChanges[a]]).toEqual([10, 5]);
    s.apply(frame({ healthChanges: [3, 7] }), 400); // hit, and healed
    expect([s.world.healthChanges[a], s.world.hitMs[a]]).toEqual([7, 400]);
    s.apply(frame({ healthChanges: [3, 127] }), 500);
    s.apply(frame({ health: [3, 91] }), 600);
    expect(s.world.healthChanges[a]).toBe(0);
    s.apply(frame({ leave: [3] }), 700);
    s.apply(frame({ enter: enter(3, 0, 0, 5, 5, 0), health: [3, 50] }), 800);
    expect(s.world.healthChanges[s.world.slot(3)]).toBe(0);
    s.apply(frame({ leave: [3] }), 700);
    s.apply(frame({ enter: enter(3, 0, 0, 5, 5, 0), health: [3, 50], healthChanges: [3, 9] }), 800);
    const b = s.world.slot(3);
    expect([s.world.healthChanges[b], s.world.hitMs[b] < 0]).toEqual([9, true]); // it was in the team's sight before
  });

  it("tells of each attribute that changes, once a frame, and not of what an entity enters with", () => {
    const s = started();
    const got: unknown[] = [];
    s.events.on("attribute", (e) =>
      got.push([e.id, s.world.ids[e.slot], e.attribute, e.was, e.now, e.times]),
    );
    const enters = {
      enter: enter(9, 3, 0, 5, 5, 0),
      health: [9, 30],
      shield: [9, 20],
      shieldChanges: [9, 4],
    };
    s.apply(frame(enters), 100);
    expect(got).toEqual([]);
    const t = s.world.slot(9);
    expect([s.world.left(t, "health"), s.world.left(t, "shield"), s.world.shieldChanges[t]]).toEqual([
      70, 40, 4,
    ]);
    s.apply(frame({ shield: [9, 60], health: [9, 35] }), 200); // the shield breaks
    expect(got.splice(0)).toEqual([
      [9, 9, "health", 70, 65, 1],
      [9, 9, "shield", 40, 0, 1],
    ]);
    expect([s.world.hitMs[t], s.world.shieldHitMs[t]]).toEqual([200, 200]);
    s.apply(frame({ shield: [9, 57] }), 300); // it comes back, which is no hit
    expect(got.splice(0)).toEqual([[9, 9, "shield", 0, 3, 1]]);
    s.apply(frame({ shield: [9, 59], shieldChanges: [9, 9] }), 400); // three changes between two frames
    expect(got.splice(0)).toEqual([[9, 9, "shield", 3, 1, 3]]);
    expect([s.world.hitMs[t], s.world.shieldHitMs[t]]).toEqual([200, 400]);
    s.apply(frame({ shield: [9, 5000] }), 500); // more than there is
    expect(s.world.left(t, "shield")).toBe(0);
    got.splice(0);
    s.apply(frame({ own: { energy: [3, 50] } }), 600);
    s.apply(frame({ own: { energy: [3, 10], energyChanges: [3, 1] } }), 600);
    s.apply(frame({ own: { energyChanges: [3, 3] } }), 600); // spent twice, and come back
    s.apply(frame({ own: { energy: [77, 10] } }), 600); // of what is not held
    expect(got).toEqual([
      [3, 3, "energy", 0, 50, 0],
      [3, 3, "energy", 50, 10, 1],
      [3, 3, "energy", 10, 10, 2],
    ]);
  });

  it("tells of abilities that start and stop, and not of those that an entity enters or leaves with", () => {
    const s = started();
    const got: unknown[] = [];
    s.events.on("abilityStart", (e) => got.push(["start", e.id, e.kind]));
    s.events.on("abilityStop", (e) => got.push(["stop", e.id, e.kind]));
    s.apply(frame({ enter: enter(9, 0, 0, 5, 5, 0), actions: [9, 1, 0] }), 100);
    expect(got).toEqual([]);
    s.apply(frame({ actions: [3, 2, 1, 6, 0, 0] }), 200); // 3 and 9
    expect(got.splice(0)).toEqual([
      ["start", 3, "deploy"],
      ["stop", 9, "sprint"],
    ]);
    s.apply(
      frame({ events: { kind: [EventKind.ABILITY, EventKind.ABILITY], what: [1, 1], source: [3, 0] } }),
      300,
    );
    expect(got.splice(0)).toEqual([["start", 3, "scan"]]); // who did the other is not in sight
    s.apply(frame({ leave: [9] }), 400);
    s.apply(frame({ tick: 900, enter: enter(3, 0, 0, 5, 5, 0), actions: [3, 1, 0] }), 500);
    expect(got).toEqual([]);
  });

  it("forgets all but what is explored at the next snapshot", () => {
    const s = started();
    s.apply(
      frame({
        ghosts: { handle: [20], type: [2], owner: [2], x: [4096], y: [4096], facing: [0], hpMissing: [10] },
      }),
      0,
    );
    expect([...s.ghosts.values()][0]).toMatchObject({ id: 20, type: 2, owner: 1, hp: 90 });
    s.apply(frame({ tick: 50 }), 0);
    expect([s.tick, s.world.count, s.ghosts.size, s.mask.visibleCount, s.mask.exploredCount]).toEqual([
      50, 0, 0, 0, 4,
    ]);
  });

  it("rows of the mask are as they are now; a row without runs is not told", () => {
    const s = started();
    s.apply(
      frame({
        mask: {
          row: [1, 1],
          visibleRuns: [3, 0],
          visible: [1, 2, 1],
          exploredRuns: [0, 2],
          explored: [2, 3],
        },
      }),
      0,
    );
    expect([0, 1, 2, 3].map((x) => s.mask.visibleAt(x, 1))).toEqual([false, true, true, false]);
    expect([0, 1, 2, 3].every((x) => s.mask.exploredAt(x, 1))).toBe(true);
    expect([1, 2, 3, 4, 5].map((x) => s.mask.exploredAt(x, 2))).toEqual([false, true, true, true, false]);
  });

  it("rows that lie outside the map change nothing", () => {
    const s = started();
    s.apply(frame({ mask: { row: [400], visibleRuns: [2], visible: [0, 4000] } }), 0);
    expect(s.mask.visibleCount).toBe(4);
  });

  it("names unknown handles to nobody, and says that it is inconsistent", () => {
    const s = started();
    let inconsistent = 0;
    s.events.on("mismatch", () => inconsistent++);
    s.apply(frame({ health: [99, 1], burst: [99, 6], fire: [99, 3] }), 0);
    expect(inconsistent).toBe(0); // these may be dropped, or late
    s.apply(
      frame({ motion: [99, 60, 0], health: [99, 1], leave: [99], burst: [99, 6], exact: [99, 0, 0] }),
      0,
    );
    expect(s.world.count).toBe(2);
    expect(inconsistent).toBe(1);
    s.apply(frame({}), 0);
    expect(inconsistent).toBe(1);
  });

  it("tells events, answers and the own part", () => {
    const s = started();
    const got: unknown[] = [];
    s.events.on("attacked", (e) => got.push(["attacked", e.x, e.target]));
    s.events.on("answer", (e) => got.push(["answer", e.seq, e.code]));
    s.events.on("cancelled", (e) => got.push(["cancelled", e.unit, e.code]));
    s.apply(
      frame({
        events: { kind: [EventKind.ATTACKED], x: [2048], y: [1], what: [0], source: [0], target: [3] },
        answers: [{ seq: 4, code: 1, more: 1 }],
        own: {
          resources: [5, 6],
          population: 1,
          populationMax: 9,
          cancelled: [3],
          cancelledCode: [1],
        },
      }),
      0,
    );
    expect(got).toEqual([
      ["attacked", 2048, 3],
      ["answer", 4, 1],
      ["answer", 5, 1],
      ["cancelled", 3, 1],
    ]);
    expect([s.own.resources, s.own.population, s.own.populationMax]).toEqual([[5, 6], 1, 9]);
  });
});

describe("World.sample", () => {
  it("does not jump when a course is corrected, and settles on the new one", () => {
    const s = started();
    const poses = new PoseColumns();
    const x = (tick: number, dt: number) => {
      const n = s.world.sample(tick, dt, poses);
      for (let i = 0; i < n; i++) if (s.world.ids[poses.slot[i]] === 7) return poses.x[i];
      throw new Error("gone");
    };
    x(12, 16);
    s.apply(frame({ span: 2 }), 0);
    const before = x(12, 0);
    s.apply(frame({ motion: [7, 16_250 + 355 * 511 + 255, EAST] }), 0); // 100 units ahead
    expect(x(12, 0)).toBeCloseTo(before, 5);
    const after = x(13, 2000);
    expect(after).toBeCloseTo(s.world.posX(s.world.slot(7)) / 1024, 2);
  });

  it("fills as many rows as there are things, also when the army outgrew its columns", () => {
    const s = started();
    const more: number[] = [];
    for (let i = 0; i < 600; i++) more.push(...enter(i === 0 ? 100 : 1, 0, 0, i % 100, 3, 0));
    s.apply(frame({ enter: more }), 0);
    expect(s.world.sample(11, 16, new PoseColumns())).toBe(602);
  });
});
