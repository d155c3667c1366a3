// The shots that the page draws over a bad network, against the shots that the server fired. The server's count comes
// from the journal, played again.
//
// Soldiers fire at their own command centre: their rifles hit at once. Muzzle flashes
// are counted as they come to the picture. A howitzer fires one shell an order, which
// the page draws before the server tells of it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { playBot } from "./browser.mjs";
import { startProxy } from "./proxy.mjs";
import { BIN, setUp } from "./setup.mjs";

/** In each the howitzer and the soldiers are told to fire, and then to stop. */
const ROUNDS = 6;
/** So long they fire: the howitzer takes three seconds from shot to shot. */
const FIRE_MS = 2200;
/** So long they do not: in the next round the howitzer is ready before it is told to stop. */
const PAUSE_MS = 1900;
/**
 * In these rounds the server's bytes stop for so long, in ms, as soon as the order is answered. The short stalls end
 * while the shell flies. A server that gets no answer for two seconds skips ticks.
 */
const STALLS = new Map([
  [0, 800],
  [2, 2700],
  [4, 2700],
  [5, 800],
]);
/** In this round the connection stalls once the stop is on its way: the page counts on, and is wrong. */
const LATE_STOP = 3;
const LATE_STOP_MS = 1500;
/** The cases that the test must meet to prove its point. */
const FLASHES_MIN = 50;
const AHEAD_MIN = 2;
const SKIPPED_MIN = 10;
/** The soldiers of a start, who fire together. */
const VOLLEY = 6;
let proxy;

const stage = setUp({
  begin: async () => {
    proxy = await startProxy(stage.server.playUrl, {
      delayMs: 75,
      jitterMs: 50,
      loss: 0.02,
    });
  },
  end: () => proxy?.close(),
});

/** Runs in the page: notes the drawn shots in `window.seen`, and gives the test's orders. */
function watch() {
  const { game, match } = window.fogkeep;
  const { state } = match;
  const { world, info, shots } = state;
  const { types, weapons } = info.rules;
  const { layers } = game.renderer;
  const { effects } = layers;
  const own = (name) =>
    world.ids.filter(
      (id, s) => id !== 0 && world.owner[s] === info.slot && types[world.type[s]].name === name,
    );
  const [gun] = own("artillery");
  const [centre] = own("command-centre");
  const soldiers = [...own("soldier")];
  let x = world.posX(world.slot(gun));
  let y = world.posY(world.slot(gun));
  const middle = Math.atan2(info.map.height * 512 - y, info.map.width * 512 - x);
  game.renderer.camera.distance = 16;
  game.renderer.camera.jump(x / 1024 + 3 * Math.cos(middle), y / 1024 + 3 * Math.sin(middle));
  const seen = {
    skipped: 0,
    snapshots: 0,
    flashes: {},
    entered: 0,
    after: 0,
    back: 0,
    drawn: 0,
    atOnce: 0,
    wound: 0,
    gap: 0,
  };

  // The network's faults.
  const apply = state.apply.bind(state);
  state.apply = (frame, nowMs) => {
    seen.skipped += frame.skipped;
    if (frame.tick !== 0) seen.snapshots++;
    apply(frame, nowMs);
  };

  // A flash of an own weapon counts when a frame first draws it.
  const flashes = new Map();
  let shooting = "";
  const { shot, add, drawOne } = effects;
  effects.shot = function (e) {
    if (world.owner[e.slot] === info.slot) shooting = weapons[e.weapon].name;
    shot.call(this, e);
    shooting = "";
  };
  effects.add = function (...args) {
    const i = add.apply(this, args);
    flashes.delete(i);
    if (shooting) flashes.set(i, shooting); // the first that a shot adds; a tracer may follow
    shooting = "";
    return i;
  };
  effects.drawOne = function (i, ...args) {
    const weapon = flashes.get(i);
    if (weapon) seen.flashes[weapon] = (seen.flashes[weapon] ?? 0) + 1;
    flashes.delete(i);
    drawOne.call(this, i, ...args);
  };

  // The shells in each frame: how far each has come, and that its model is in the batch.
  const shell = types.findIndex((type) => type.name === "shell");
  // The entity of a shot that has faded altogether may come after all, from a server that was held up.
  const faded = new Set();
  const named = new Map();
  const { fade, started, entered } = shots;
  shots.fade = function (s) {
    faded.add(s);
    fade.call(this, s);
  };
  shots.started = function (request, handle) {
    for (const s of faded) if (s.request === request) named.set(handle, s);
    started.call(this, request, handle);
    if (world.slot(handle) >= 0) late(handle);
  };
  shots.entered = function (handle, slot) {
    const s = this.byHandle.get(handle);
    if (s?.phase === "fade") faded.delete(s); // it glides on
    entered.call(this, handle, slot);
  };
  const late = (handle) => {
    const s = named.get(handle);
    if (s && faded.delete(s)) seen.after++;
  };
  state.events.on("enter", (e) => {
    if (world.type[e.slot] !== shell || world.owner[e.slot] !== info.slot) return;
    seen.entered++;
    for (const s of faded) if (s.handle === world.ids[e.slot]) named.set(s.handle, s);
    late(world.ids[e.slot]);
  });
  const way = new Map();
  let models = 0;
  const { push } = layers.units.batches[shell];
  layers.units.batches[shell].push = function (...args) {
    for (const s of shots.values())
      if (s.x === args[0] && s.z === args[2] && s.phase !== "glide") seen.drawn++;
    seen.atOnce = Math.max(seen.atOnce, ++models);
    push.apply(this, args);
  };
  const sample = shots.sample.bind(shots);
  shots.sample = (...args) => {
    models = 0;
    sample(...args);
    seen.gap = Math.max(seen.gap, shots.projectileGap);
    for (const s of shots.values()) {
      if (s.phase === "windUp" && s.wound > 0) seen.wound++;
      if (s.phase === "windUp" || s.phase === "fade") continue;
      const far = Math.hypot(s.x - x / 1024, s.z - y / 1024);
      if (far < (way.get(s) ?? 0) - 0.01) seen.back++;
      way.set(s, far);
    }
  };

  window.seen = seen;
  window.fire = (round) => {
    x = world.posX(world.slot(gun));
    y = world.posY(world.slot(gun));
    const a = middle + (round % 2 === 0 ? 0.2 : -0.2);
    const to = { x: x + 7168 * Math.cos(a), y: y + 7168 * Math.sin(a) };
    const sent = [
      match.order({ do: "attackGround", units: [gun], to }),
      match.order({ do: "attack", units: soldiers, target: centre }),
    ];
    return Promise.all(sent.map((s) => s.answer)).then(() => undefined);
  };
  window.cease = () => {
    match.order({ do: "stop", units: soldiers });
    // An idle gun would fire at the bot's scouts as it likes, and not when it is told to.
    match.order({ do: "follow", units: [gun], target: centre });
  };
  window.cease();
  return info.matchId;
}

test("drawn shots are the server's, one for one", { timeout: 240_000 }, async (t) => {
  const page = await stage.open("ada", 640, 420, { frameMs: 50 }, proxy.url);
  await playBot(page);
  const matchId = await page.evaluate(watch);
  for (let round = 0; round < ROUNDS; round++) {
    const began = Date.now();
    const answered = page.evaluate((n) => window.fire(n), round);
    let stalled;
    const stallMs = STALLS.get(round);
    if (stallMs) {
      await answered;
      stalled = proxy.stall(stallMs, "server");
    }
    // A slow machine may miss them: the pictures are for people.
    for (const phase of round === 1 ? ["windUp", "flight"] : []) {
      const shows = page.waitForFunction(
        (p) => [...window.fogkeep.match.state.shots.values()].some((s) => s.phase === p),
        phase,
        { polling: 20, timeout: 1000 },
      );
      await shows.then(
        () => stage.shot(page, `shot-${phase}`),
        () => t.diagnostic(`no picture of ${phase}`),
      );
    }
    // The shell has left when its number was told; then the gun is told to stop, before its next.
    await page.waitForTimeout(Math.max(0, began + FIRE_MS - Date.now()));
    await page.evaluate(() => window.cease());
    const pause = page.waitForTimeout(PAUSE_MS);
    if (round === LATE_STOP) {
      await page.waitForTimeout(150);
      stalled = proxy.stall(LATE_STOP_MS);
    }
    await Promise.all([answered, stalled, pause]);
  }
  await page.waitForFunction(
    () => window.fogkeep.match.state.shots.size === 0 && window.fogkeep.match.unanswered === 0,
  );
  // The fight is over when no flash was drawn for a second.
  for (let flashes = "", last = null; flashes !== last; await page.waitForTimeout(1000)) {
    last = flashes;
    flashes = await page.evaluate(() => JSON.stringify(window.seen.flashes));
  }
  const { seen, counts, wrong, slot, weapons } = await page.evaluate(() => {
    const { state, info } = window.fogkeep.match;
    const { wrong } = state.fire;
    const weapons = info.rules.weapons.map(({ name, projectile }) => ({ name, projectile }));
    return { seen: window.seen, counts: state.shots.counts, wrong, slot: info.slot, weapons };
  });
  await page.evaluate(() => {
    window.fogkeep.match.order({ do: "surrender", units: [] });
  });
  const journal = join(stage.server.data, "journals", "past", `${matchId}.journal`);
  for (let waited = 0; !existsSync(journal); waited += 100) {
    assert.ok(waited < 30_000, `there is no ${journal}:\n${stage.server.log()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  const replayed = JSON.parse(
    execFileSync(BIN, ["replay", "verify", "--json", journal], { encoding: "utf8" }),
  );
  const fired = Object.fromEntries(
    weapons.map(({ name }, k) => [name, replayed.shots[slot]?.[k] ?? 0]).filter(([, n]) => n > 0),
  );
  t.diagnostic(JSON.stringify({ fired, seen, counts, wrong, network: proxy.stats }));

  // A fight without shots, or a network without faults, would prove nothing.
  const atOnce = weapons.reduce((sum, w) => sum + (w.projectile ? 0 : (fired[w.name] ?? 0)), 0);
  assert.ok(atOnce >= FLASHES_MIN, `the server fired ${atOnce} shots that hit at once`);
  assert.ok(seen.skipped >= SKIPPED_MIN, `the server skipped ${seen.skipped} ticks`);
  assert.equal(seen.snapshots, 0, "what was skipped came as differences");
  // For a unit that ceases fire in a stall, the page may have drawn half a second of shots that were not fired, until
  // the unit fires again. Units under the test's orders go on after each stall; units that fire by themselves may not.
  const ordered = (of) => ({ rifle: of.rifle, howitzer: of.howitzer });
  // On a busy machine an order and the stop after it may reach the server in one tick. The soldiers do not fire then, but the
  // page has drawn the first shot of each. It takes these shots back in its count, and draws the next ones.
  assert.ok(wrong <= 2 * VOLLEY, `${wrong} shots were drawn ahead and not fired`);
  const confirmed = { ...seen.flashes, rifle: seen.flashes.rifle - wrong };
  assert.deepEqual(ordered(confirmed), ordered(fired), "a muzzle flash was drawn for each shot");
  for (const name of new Set([...Object.keys(fired), ...Object.keys(confirmed)])) {
    const more = (confirmed[name] ?? 0) - (fired[name] ?? 0);
    assert.ok(more >= 0 && more <= 1, `${name}: ${more} flashes more than shots`);
  }

  const shells = Object.entries(fired).reduce((n, [name, k]) => n + (/howitzer/.test(name) ? k : 0), 0);
  assert.ok(shells >= ROUNDS - 1, `the server fired ${shells} shells`);
  // An entity that a drawn shell became is the same shell; a faded shell was only drawn, unless its entity came after
  // all.
  assert.equal(seen.entered + counts.faded - seen.after, shells, "as many shells were drawn as fired");
  assert.equal(seen.atOnce, 1, "no shell was drawn twice in a frame");
  // Where frames come slowly, the server's may be there before the wind-up is over; not so in a stall.
  assert.ok(counts.launched >= AHEAD_MIN, `${counts.launched} shells were drawn ahead`);
  assert.ok(counts.matched >= AHEAD_MIN, `${counts.matched} became the server's`);
  assert.ok(counts.matched >= counts.launched - counts.faded, `${counts.matched} became the server's`);
  assert.ok(seen.wound > 0 && seen.drawn > 0, "wind-ups and projectiles are in the picture");
  assert.ok(seen.gap > 0, "what was drawn ahead glided");
  assert.equal(seen.back, 0, "no shell flew backwards");
});
