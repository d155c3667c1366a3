// A host opens the bot's seat of a running match, and another player joins from the
// list of lobbies into the match.
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

const live = (page) =>
  page.waitForFunction(() => window.fogkeep.game?.frames > 3 && window.fogkeep.match.state.world.count > 3);

test("a player takes the bot's place in a running match", { timeout: 120_000 }, async () => {
  const ada = await open(browser, errors, server.playUrl, "ada", 900, 560);
  await ada.click('[data-do="play-bot"]');
  await live(ada);
  await ada.keyboard.press("F10");
  await ada.click("text=Leave match");
  await ada.click('[data-do="open-seat"]');
  await ada.waitForSelector('[data-do="open-seat"][aria-pressed="true"]');
  await ada.screenshot({ path: join(ARTIFACTS, "14-open-seat.png") });
  await ada.click('[data-do="enter"]');
  await live(ada);

  const ben = await open(browser, errors, server.playUrl, "ben", 900, 560);
  await ben.click('[data-do="guest"]');
  await ben.waitForSelector('.lobby-row [data-do="join"]:enabled');
  assert.equal(await ben.textContent('.lobby-row [data-do="join"]'), "Join match");
  await ben.screenshot({ path: join(ARTIFACTS, "15-join-the-match.png") });
  await ben.click('.lobby-row [data-do="join"]');
  await live(ben);
  const { slot, name, bot } = await ben.evaluate(() => {
    const { info } = window.fogkeep.match;
    return { slot: info.slot, ...info.players[info.slot] };
  });
  assert.deepEqual([slot, bot], [1, false]);
  await ada.waitForFunction(
    (n) => [...document.querySelectorAll(".players .player")].some((p) => p.textContent?.includes(n)),
    name,
  );
  await ada.screenshot({ path: join(ARTIFACTS, "16-taken-over.png") });
  assert.deepEqual(errors, []);
});
