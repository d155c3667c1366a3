// A host opens the bot's seat of a running match, and another player joins from the
// list of lobbies into the match.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const { open, shot } = setUp();

test("a player takes the bot's place in a running match", { timeout: 120_000 }, async () => {
  const ada = await open("ada", 900, 560);
  await playBot(ada);
  await ada.keyboard.press("F10");
  await ada.click("text=Leave match");
  await ada.click('[data-do="open-seat"]');
  await ada.waitForSelector('[data-do="open-seat"][aria-pressed="true"]');
  await shot(ada, "14-open-seat");
  await ada.click('[data-do="enter"]');
  await live(ada);

  const ben = await open("ben", 900, 560);
  await ben.click('[data-do="guest"]');
  await ben.waitForSelector('.lobby-row [data-do="join"]:enabled');
  assert.equal(await ben.textContent('.lobby-row [data-do="join"]'), "Join match");
  await shot(ben, "15-join-the-match");
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
  await shot(ada, "16-taken-over");
});
