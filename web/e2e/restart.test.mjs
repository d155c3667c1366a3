// A server that is killed in the middle of a match comes back with it, and the
// page plays on by itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { playBot } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { BIN, setUp } from "./setup.mjs";

const stage = setUp();

test("a page outlives the kill of its server, and plays on", { timeout: 240_000 }, async () => {
  const page = await stage.open("ada", 720, 480);
  await playBot(page);
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
  await stage.server.kill();
  await page.waitForSelector(".banner:not([hidden])");
  assert.match((await page.textContent(".banner")) ?? "", /Connection lost, reconnecting/);
  await page.keyboard.press("KeyS"); // given while no server hears it
  await stage.shot(page, "12-lost");
  stage.server = await startServer(BIN, undefined, stage.server);
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
  await stage.shot(page, "13-again");
});
