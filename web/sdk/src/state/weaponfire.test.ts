import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { noBurst, shotsAt, takeBurst } from "./burst.js";
import { ability, info } from "./fixture.js";
import type { MatchInfo } from "./info.js";
import { MatchState } from "./match.js";

const FIRES = 2;
const LARGE = 1;

/** The fixture's match, whose soldiers fire each `period` ticks, and have a second weapon that takes `second`. */
function matchOf(period: number, second = 0): MatchInfo {
  const base = info();
  const [rifle] = base.rules.weapons;
  const weapons = [
    { ...rifle, cooldownTicks: period },
    { ...rifle, cooldownTicks: second },
  ];
  const types = base.rules.types.map((t, i) => (i === 0 && second > 0 ? { ...t, weapons: [0, 1] } : t));
  return { ...base, rules: { ...base.rules, weapons, types } };
}

const frame = (f: MessageInitShape<typeof ServerFrameSchema>) => create(ServerFrameSchema, f);

/** A soldier of slot 1 comes into sight: the kinds are the fixture's six types. */
const enter = (handle: number) => [handle * 24 + 2 * 6, 512 * 8 + 8, 0];

/** A state that sees one soldier, and the ticks at which its shots are drawn. */
function watched(period: number, second = 0) {
  const s = new MatchState(matchOf(period, second));
  s.apply(frame({ tick: 100, enter: enter(3) }), 0);
  const drawn: number[] = [];
  let at = 100;
  s.events.on("shot", (e) => drawn.push(e.index === 0 ? at : -at));
  const draw = (to: number) => {
    for (; at <= to; at += 0.25) s.fire.draw(at, at * 50);
  };
  const apply = (f: MessageInitShape<typeof ServerFrameSchema>) => s.apply(frame(f), at * 50);
  return { s, drawn, draw, apply };
}

describe("a burst", () => {
  it("counts on by the rate from when it was true", () => {
    const b = noBurst();
    takeBurst(b, (5 << 2) | FIRES | (7 << 8), 107, 10);
    expect([shotsAt(b, 99), shotsAt(b, 100), shotsAt(b, 109), shotsAt(b, 110), shotsAt(b, 131)]).toEqual([
      5, 5, 5, 6, 8,
    ]);
    takeBurst(b, 8 << 2, 133, 10);
    expect(shotsAt(b, 500)).toBe(8);
  });

  it("counts modulo 64 and 16384, not one more or less", () => {
    for (const { size, form } of [
      { size: 64, form: 0 },
      { size: 16_384, form: LARGE },
    ]) {
      for (let more = 0; more < size; more += size === 64 ? 1 : 37) {
        const b = noBurst();
        takeBurst(b, ((60 % size) << 2) | form, 10, 5);
        const was = b.shots;
        takeBurst(b, (((was + more) % size) << 2) | form, 20, 5);
        expect(b.shots).toBe(was + more);
      }
    }
  });

  it("has fewer shots than were counted if the next one did not come", () => {
    const b = noBurst();
    takeBurst(b, (1 << 2) | FIRES, 100, 2);
    takeBurst(b, (101 % 64) << 2, 304, 2); // 103 were counted
    expect(b.shots).toBe(101);
  });
});

describe("weapon fire", () => {
  it("draws a single shot once", () => {
    const { s, drawn, draw, apply } = watched(16);
    draw(102);
    apply({ span: 4, burst: [3, (1 << 2) | FIRES] }); // at 104
    draw(118);
    apply({ span: 16, burst: [3, 1 << 2] }); // the next did not come by 120
    draw(200);
    expect(drawn).toEqual([104]);
    expect([s.fire.drawn, s.fire.fired]).toEqual([1, 1]);
  });

  it("leaves out what was fired before a frame that tells late of its shooter", () => {
    const s = new MatchState(matchOf(16));
    let drawn = 0;
    s.events.on("shot", () => drawn++);
    s.apply(frame({ tick: 100 }), 0);
    s.apply(frame({ enter: enter(3), burst: [3, (7 << 2) | FIRES] }), 50);
    for (let tick = 100; tick < 110; tick++) s.fire.draw(tick, 1000);
    expect([drawn, s.fire.fired], "in one tick it can have fired once").toEqual([1, 1]);
    s.apply(frame({ span: 34, leave: [3] }), 1700);
    s.apply(frame({ span: 40, enter: enter(3), burst: [3, (3 << 2) | FIRES] }), 3700);
    for (let tick = 176; tick < 190; tick++) s.fire.draw(tick, 4000);
    expect([drawn, s.fire.fired], "the shots since the frame before").toEqual([6, 6]);
  });

  it("knows when a weapon fired last, by what was told and not by what was drawn", () => {
    const { s, apply } = watched(16);
    expect(s.fire.lastShot(3, 0)).toBe(Number.NEGATIVE_INFINITY);
    apply({ span: 4, burst: [3, (1 << 2) | FIRES] }); // at 104
    apply({ span: 15 });
    expect(s.fire.lastShot(3, 0)).toBe(104);
    apply({ span: 3 });
    expect(s.fire.lastShot(3, 0), "one more, counted on").toBe(120);
    apply({ span: 18, burst: [3, 2 << 2] }); // the next did not come by 136
    expect(s.fire.lastShot(3, 0)).toBe(120);
    apply({ span: 9, burst: [3, 3 << 2] });
    expect(s.fire.lastShot(3, 0), "a single one").toBe(149);
  });

  it("draws by the weapon's rate between two frames", () => {
    const { drawn, draw, apply } = watched(5);
    apply({ span: 4, burst: [3, (1 << 2) | FIRES] });
    apply({ span: 12 });
    draw(115); // a frame of tick 116 has come
    expect(drawn).toEqual([104, 109, 114]);
    draw(130); // no frame since: the others wait for half a second
    expect(drawn).toEqual([104, 109, 114, 129]);
    apply({ span: 20, burst: [3, 5 << 2] });
    draw(140);
    expect(drawn.length).toBe(5);
  });

  it("shows a burst that begins and ends between two frames, within one period", () => {
    const { drawn, draw, apply } = watched(10);
    draw(110);
    apply({ span: 30, skipped: 29, burst: [3, 3 << 2] });
    draw(200);
    expect(drawn.length).toBe(3);
    expect(drawn[0]).toBe(130);
    expect(drawn[2] - drawn[0]).toBeLessThan(10);
  });

  it("draws none twice where a frame came late", () => {
    const { s, drawn, draw, apply } = watched(5);
    apply({ span: 4, burst: [3, (1 << 2) | FIRES] });
    draw(124); // 104, 109 and 114, the last two after a wait: 114 was not fired
    expect(drawn).toEqual([104, 119, 124]);
    apply({ span: 11, burst: [3, 2 << 2] }); // at 115
    apply({ span: 10, burst: [3, (3 << 2) | FIRES] }); // fired at 125
    apply({ span: 6 });
    draw(129.5);
    expect(drawn).toEqual([104, 119, 124]);
    expect([s.fire.drawn, s.fire.fired]).toEqual([3, 4]);
    draw(130.5);
    expect(drawn).toEqual([104, 119, 124, 130]);
  });

  it("sees a stop when the counter has wrapped", () => {
    const { s, drawn, draw, apply } = watched(1);
    apply({ span: 1, burst: [3, (1 << 2) | FIRES] });
    apply({ span: 50 });
    draw(164);
    apply({ span: 14, burst: [3, (64 % 64) << 2] }); // 64 shots by 165: the number is that of none
    draw(300);
    expect(drawn.length).toBe(64);
    expect(s.fire.fired).toBe(64);
  });

  it("draws no shot of before a snapshot, and those after it", () => {
    const { s, drawn, draw, apply } = watched(10);
    apply({ span: 4, burst: [3, (9 << 2) | FIRES] });
    draw(105);
    drawn.length = 0;
    draw(150);
    drawn.length = 0;
    apply({ tick: 150, enter: enter(3), burst: [3, (20 << 2) | FIRES | (4 << 8)] }); // fired at 146
    expect(s.fire.shotsOf(3, 0)).toBe(20);
    apply({ span: 20 });
    draw(170);
    expect(drawn).toEqual([156, 166]);
  });

  it("shows what came into sight and fired between two frames", () => {
    const { drawn, draw, apply } = watched(10);
    draw(120);
    apply({ span: 30, skipped: 29, enter: enter(5), burst: [5, (1 << 2) | FIRES | (3 << 8)] }); // fired at 127
    draw(133);
    apply({ span: 18, burst: [5, 2 << 2] });
    draw(200);
    expect(drawn).toEqual([127, 137]);
  });

  it("draws the last shots of what is gone", () => {
    const { s, drawn, draw, apply } = watched(10);
    draw(103);
    apply({ span: 6, lastBursts: [3, 1 << 2, 0], destroyed: [3] });
    expect(drawn.length).toBe(1);
    draw(200);
    expect([drawn.length, s.fire.drawn, s.fire.fired]).toEqual([1, 1, 1]);
  });

  it("counts each weapon by itself", () => {
    const { s, drawn, draw, apply } = watched(10, 4);
    apply({ span: 2, burst: [3, (1 << 2) | FIRES], burstSecond: [3, (1 << 2) | FIRES] });
    apply({ span: 13 });
    draw(115);
    apply({ span: 1, burst: [3, 2 << 2], burstSecond: [3, 4 << 2] });
    draw(200);
    expect(drawn).toEqual([102, -102, -106, -110, 112, -114]);
    expect([s.fire.shotsOf(3, 0), s.fire.shotsOf(3, 1)]).toEqual([2, 4]);
  });

  it("uses the rate of the weapon that an ability puts in place of the first", () => {
    const m = matchOf(10, 4);
    const deploy = ability(0, "deploy", { kind: "deploy", weapon: 2 });
    const types = m.rules.types.map((t, i) => (i === 0 ? { ...t, abilities: [0] } : t));
    const s = new MatchState({ ...m, rules: { ...m.rules, types, abilities: [deploy] } });
    s.apply(frame({ tick: 100, enter: enter(3) }), 0);
    s.apply(frame({ actions: [3, 1, 1], burst: [3, (1 << 2) | FIRES] }), 0);
    s.apply(frame({ span: 12 }), 0);
    expect(s.fire.shotsOf(3, 0)).toBe(4);
  });

  it("leaves out what was fired while the page was hidden", () => {
    const { s, drawn, draw, apply } = watched(10);
    apply({ span: 4, burst: [3, (1 << 2) | FIRES] });
    draw(105);
    apply({ span: 502 });
    s.fire.skip();
    draw(604);
    expect(drawn).toEqual([104]);
    expect(s.fire.drawn).toBe(s.fire.fired);
    apply({ span: 10 });
    draw(614.5);
    expect(drawn).toEqual([104, 614]);
  });
});

/** Numbers below n, the same for a seed. */
function dice(seed: number): (n: number) => number {
  let a = seed >>> 0;
  return (n) => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const EVERY = 2;
const TICKS = 1200;

interface Sent {
  arrives: number;
  frame: MessageInitShape<typeof ServerFrameSchema>;
}

/**
 * A soldier that fires as it likes, seen and unseen, and a server's frames about it: values every second tick, where a
 * client that counts on would count wrong. Some frames are skipped, some late.
 */
function play(seed: number, o: { stalls: boolean; large: boolean }) {
  const roll = dice(seed);
  const period = o.large ? 1 + roll(3) : [4, 5, 7, 16, 30][roll(5)];
  const size = o.large ? 16_384 : 64;
  const value = (shots: number, fires: boolean) =>
    ((shots % size) << 2) | (fires ? FIRES : 0) | (o.large ? LARGE : 0);
  const sent: Sent[] = [];
  let fired = 0;
  let stays = 0;
  // The soldier, and what those know who were told everything.
  let handle = 3;
  let seen = false;
  let entered = 0;
  let shots = 0;
  let before = 0;
  let told = { shots: 0, since: 0, fires: false };
  let changed = 0;
  let holds = 0; // the handle that the client holds
  const ended = new Map<number, { left: number; shots: number; changed: number; fires: boolean }>();
  const count = (t: number) => told.shots + (told.fires ? Math.floor((t - told.since) / period) : 0);
  let mode = "rest";
  let until = 0;
  let ready = 0;
  let base = 0;
  let skipUntil = 0;
  let last = 0;
  for (let t = 100; t < 100 + TICKS; t++) {
    const over = t > TICKS - 200;
    if (t >= until) {
      mode = ["rest", "fire", "fire", "odd", "single"][roll(5)];
      until = t + 1 + roll(mode === "fire" ? 30 * period : 40);
    }
    const fires =
      !over && t >= ready && (mode === "fire" || (mode === "odd" && roll(3) === 0) || mode === "single");
    if (fires) {
      ready = t + period;
      if (mode === "single") mode = "rest";
    }
    const inSight: boolean = over || (seen ? roll(90) !== 0 : roll(30) === 0);
    if (seen && !inSight) {
      const differs = shots !== count(t - 1);
      ended.set(handle, { left: t, shots, changed: differs ? t : changed, fires: told.fires });
    }
    if (inSight && !seen) {
      handle += 1;
      entered = t;
      shots = before = changed = 0;
      told = { shots: 0, since: 0, fires: false };
    } else if (inSight && fires) shots++;
    seen = inSight;
    if (seen && t % EVERY === 0) {
      const now = shots !== before;
      before = shots;
      const missed = told.fires && shots < count(t);
      if (missed || shots > count(t + EVERY - 1)) {
        told = { shots, since: t, fires: now && !missed };
        changed = t;
      }
    }
    if (t < skipUntil && !over) continue;
    if (roll(12) === 0) skipUntil = t + 1 + roll(o.stalls && roll(4) === 0 ? 120 : 7);
    const f: MessageInitShape<typeof ServerFrameSchema> =
      base === 0 ? { tick: t } : { span: t - base, skipped: t - base - 1 };
    if (base !== 0 && holds !== 0 && (!seen || holds !== handle)) {
      const end = ended.get(holds)!;
      if (end.changed > base || (end.fires && end.left < t))
        f.lastBursts = [holds, value(end.shots, false), 0];
      fired += end.shots;
      f.leave = [holds];
      holds = 0;
      stays++;
    }
    if (seen && holds === 0) {
      holds = handle;
      f.enter = enter(handle);
    }
    if (seen && changed > (f.enter ? 0 : base) && changed >= entered)
      f.burst = [
        handle,
        value(told.shots, told.fires) | (told.fires ? (t - changed) << (o.large ? 16 : 8) : 0),
      ];
    base = t;
    last = Math.max(last + 0.01, t + 2 + roll(10) / 10 + (roll(50) === 0 ? (t < skipUntil ? 2 : 8) : 0));
    sent.push({ arrives: last, frame: f });
  }
  return { period, sent, fired: fired + shots, stays };
}

/** Applies what arrives and draws two ticks and a half behind, as a page does. Returns how many shots were drawn. */
function show(period: number, sent: readonly Sent[]) {
  const s = new MatchState(matchOf(period));
  let drawn = 0;
  s.events.on("shot", () => drawn++);
  let i = 0;
  for (let now = 100; now < 100 + TICKS + 60; now += 0.3) {
    for (; i < sent.length && sent[i].arrives <= now; i++) s.apply(frame(sent[i].frame), now * 50);
    if (i > 0) s.fire.draw(Math.min(now - 3.5, s.tick + 20), now * 50);
  }
  expect(drawn).toBe(s.fire.drawn);
  return s;
}

describe("any sequence of shots, stops, sights, skips and wraps", () => {
  for (const large of [false, true]) {
    it(`draws what was fired in sight, ${large ? "large" : "small"} form; frames are skipped and late`, () => {
      let all = 0;
      for (let seed = 0; seed < 80; seed++) {
        const run = play(seed, { stalls: false, large });
        const s = show(run.period, run.sent);
        expect([seed, s.fire.fired, s.fire.drawn]).toEqual([seed, run.fired, run.fired]);
        all += run.fired;
      }
      expect(all).toBeGreaterThan(3000);
    }, 60_000);
  }

  it("after stalls counts all the same, and has drawn at most half a second too much at each", () => {
    for (let seed = 0; seed < 80; seed++) {
      const run = play(seed, { stalls: true, large: seed % 2 === 0 });
      const s = show(run.period, run.sent);
      expect([seed, s.fire.fired]).toEqual([seed, run.fired]);
      expect(s.fire.drawn).toBeGreaterThanOrEqual(run.fired);
      expect(s.fire.drawn - run.fired).toBeLessThanOrEqual((run.stays + 1) * Math.ceil(11 / run.period));
    }
  }, 60_000);
});
