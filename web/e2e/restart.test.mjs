// A server that is killed in the middle of a match comes back with it, and the
// page plays on by itself.
//
//	FOGKEEP_BIN  the built binary (required)
//	ARTIFACTS    where the screenshots go

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { startServer } from "./server.mjs";

const ARTIFACTS = resolve(process.env.ARTIFACTS ?? "../artefacts");
const errors = [];
let server;
let browser;

before(
  async () => {
    assert.ok(process.env.FOGKEEP_BIN, "FOGKEEP_BIN names the built binary");
    mkdirSync(ARTIFACTS, { recursive: true });
    server = await startServer(process.env.FOGKEEP_BIN);
    browser = await launch();
  },
  { timeout: 60_000 },
);

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a page outlives the kill of its server, and plays on", { timeout: 90_000 }, async () => {
  const page = await open(browser, errors, server.playUrl, "ada", 720, 480);
  await page.click('[data-do="play-bot"]');
  await page.waitForFunction(
    () => window.fogkeep.game?.frames > 3 && window.fogkeep.match.state.world.count > 3,
  );
  await page.keyboard.press("Comma"); // the army
  await page.waitForFunction(() => window.fogkeep.game.selection.handles.size > 0);
  await page.keyboard.press("KeyH");
  await page.waitForFunction(
    () => window.fogkeep.match.unanswered === 0 && window.fogkeep.match.state.tick > 60,
  );
  const was = await page.evaluate(() => ({
    tick: window.fogkeep.match.state.tick,
    id: window.fogkeep.match.info.matchId,
    things: window.fogkeep.match.state.world.count,
  }));
  await server.kill();
  await page.waitForSelector(".banner:not([hidden])");
  assert.match((await page.textContent(".banner")) ?? "", /Connection lost, reconnecting/);
  await page.keyboard.press("KeyS"); // given while nobody hears it
  await page.screenshot({ path: join(ARTIFACTS, "12-lost.png") });
  server = await startServer(process.env.FOGKEEP_BIN, undefined, server);
  await page.waitForFunction(() => window.fogkeep.match.status === "live");
  await page.waitForSelector(".banner", { state: "hidden" });
  // It is the same match, a moment before or after, and it goes on.
  const now = await page.evaluate(() => ({
    tick: window.fogkeep.match.state.tick,
    id: window.fogkeep.match.info.matchId,
    things: window.fogkeep.match.state.world.count,
  }));
  assert.equal(now.id, was.id);
  assert.ok(now.tick > was.tick - 40, `taken up at tick ${now.tick}, was at ${was.tick}`);
  assert.ok(now.things > 3, `${now.things} things in sight, were ${was.things}`);
  await page.waitForFunction(
    (t) => window.fogkeep.match.state.tick > t + 20 && window.fogkeep.match.unanswered === 0,
    now.tick,
  );
  assert.equal(await page.evaluate(() => window.fogkeep.match.resyncs), 0);
  await page.screenshot({ path: join(ARTIFACTS, "13-again.png") });
  assert.deepEqual(errors, []);
});
