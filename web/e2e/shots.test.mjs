// Shots that the page draws before the server tells of them, over a bad network: as
// many as the server fired, each one forwards only, and none that hits by itself.
// The server's own count is that of the journal, played again.
//
//	FOGKEEP_BIN  the built binary (required)
//	ARTIFACTS    where the screenshots go

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { startProxy } from "./proxy.mjs";
import { startServer } from "./server.mjs";

const BIN = process.env.FOGKEEP_BIN;
const ARTIFACTS = resolve(process.env.ARTIFACTS ?? "../artefacts");
/** Orders to fire, one shot each. */
const ROUNDS = 8;
/** In this one nothing passes for longer than the flight takes. */
const STALLED = 4;
/** The howitzer takes three seconds from shot to shot. */
const COOLDOWN_MS = 3000;
const errors = [];
let server;
let proxy;
let browser;

before(
  async () => {
    assert.ok(BIN, "FOGKEEP_BIN names the built binary");
    mkdirSync(ARTIFACTS, { recursive: true });
    server = await startServer(BIN);
    proxy = await startProxy(server.playUrl, { delayMs: 75, jitterMs: 50, lateShare: 0.02, lateMs: 400 });
    browser = await launch();
  },
  { timeout: 60_000 },
);

after(async () => {
  await browser?.close();
  await proxy?.close();
  await server?.stop();
});

test("drawn shots are the server's, one for one", { timeout: 150_000 }, async (t) => {
  const page = await open(browser, errors, proxy.url, "ada", 640, 420);
  await page.click('[data-do="play-bot"]');
  await page.waitForFunction(
    () => window.fogkeep.game?.frames > 3 && window.fogkeep.match.state.world.count > 3,
  );
  const matchId = await page.evaluate(() => {
    const { game, match } = window.fogkeep;
    const { state } = match;
    const { world, info, shots } = state;
    const { types } = info.rules;
    const rowOf = (name) =>
      world.ids.findIndex(
        (id, s) => id !== 0 && world.owner[s] === info.slot && types[world.type[s]].name === name,
      );
    const gun = rowOf("artillery");
    const unit = world.ids[gun];
    const x = world.posX(gun);
    const y = world.posY(gun);
    const middle = Math.atan2(info.map.height * 512 - y, info.map.width * 512 - x);
    game.renderer.camera.distance = 16;
    game.renderer.camera.jump(x / 1024 + 3 * Math.cos(middle), y / 1024 + 3 * Math.sin(middle));
    const seen = { entered: 0, blasts: 0, back: 0, drawn: 0, wound: 0, gap: 0 };
    const shell = types.findIndex((type) => type.name === "shell");
    state.events.on("enter", (e) => {
      if (world.type[e.slot] === shell && world.owner[e.slot] === info.slot) seen.entered++;
    });
    // What each frame draws: how far each shot has come, and that its model is in the batch.
    const way = new Map();
    const push = game.renderer.units.batches[shell].push;
    game.renderer.units.batches[shell].push = function (...args) {
      for (const s of shots.values())
        if (s.x === args[0] && s.z === args[2] && s.phase !== "glide") seen.drawn++;
      push.apply(this, args);
    };
    const sample = shots.sample.bind(shots);
    shots.sample = (...args) => {
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
      const a = middle + (round % 2 === 0 ? 0.2 : -0.2);
      match.order({
        do: "attackGround",
        units: [unit],
        to: { x: x + 7168 * Math.cos(a), y: y + 7168 * Math.sin(a) },
      });
    };
    window.cease = () => match.order({ do: "stop", units: [unit] });
    return info.matchId;
  });
  for (let round = 0; round < ROUNDS; round++) {
    const began = Date.now();
    await page.evaluate((n) => window.fire(n), round);
    if (round === STALLED) {
      await page.waitForTimeout(150);
      await proxy.stall(2500);
    }
    // A slow machine may miss them: the pictures are for people.
    for (const phase of round === 1 ? ["windUp", "flight"] : []) {
      const shows = page.waitForFunction(
        (p) => [...window.fogkeep.match.state.shots.values()].some((s) => s.phase === p),
        phase,
        { polling: 20, timeout: 1000 },
      );
      await shows.then(
        () => page.screenshot({ path: join(ARTIFACTS, `shot-${phase}.png`) }),
        () => t.diagnostic(`no picture of ${phase}`),
      );
    }
    // The shot has left when its number was told; then the gun is told to stop, before its next.
    await page.waitForTimeout(Math.max(0, began + 2200 - Date.now()));
    await page.evaluate(() => window.cease());
    await page.waitForTimeout(Math.max(0, began + COOLDOWN_MS + 1200 - Date.now()));
  }
  await page.waitForFunction(
    () => window.fogkeep.match.state.shots.size === 0 && window.fogkeep.match.unanswered === 0,
  );
  const { seen, counts, slot, weapons } = await page.evaluate(() => {
    const { state, info } = window.fogkeep.match;
    const weapons = info.rules.weapons.flatMap((w, k) => (/howitzer/.test(w.name) ? [k] : []));
    return { seen: window.seen, counts: state.shots.counts, slot: info.slot, weapons };
  });
  await page.evaluate(() => window.fogkeep.match.order({ do: "surrender", units: [] }));
  const journal = join(server.data, "journals", "past", `${matchId}.journal`);
  for (let waited = 0; !existsSync(journal); waited += 100) {
    assert.ok(waited < 30_000, `there is no ${journal}:\n${server.log()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  const replayed = JSON.parse(
    execFileSync(BIN, ["replay", "verify", "--json", journal], { encoding: "utf8" }),
  );
  const fired = weapons.reduce((sum, w) => sum + (replayed.shots[slot]?.[w] ?? 0), 0);
  t.diagnostic(JSON.stringify({ fired, seen, counts, stalls: proxy.stats }));
  assert.ok(fired >= ROUNDS - 1, `the server fired ${fired} shots`);
  // An entity that a drawn shot became is the same shot; one that faded was drawn alone.
  assert.equal(seen.entered + counts.faded, fired, "as many shots were drawn as fired");
  // Where frames come slowly, the server's may be there before the wind-up is over.
  assert.ok(counts.launched >= 1, `${counts.launched} shots were drawn ahead`);
  assert.ok(counts.matched >= counts.launched - counts.faded, `${counts.matched} became the server's`);
  assert.ok(seen.wound > 0 && seen.drawn > 0, "wind-ups and projectiles are in the picture");
  assert.ok(seen.gap > 0, "what was drawn ahead glided");
  assert.equal(seen.back, 0, "no shot flew backwards");
});

test("no page threw an error", () => {
  assert.deepEqual(errors, []);
});
