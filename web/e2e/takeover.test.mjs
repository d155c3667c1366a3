// How players meet. A player makes a lobby of people against bots and sends the link; a visitor without an account
// opens it, gives a name and joins. Changes in the lobby do not disturb a player's input there. And a host opens the
// bot's seat of a running match, and a friend joins from the list of friends into the match.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const { open, shot } = setUp();

const PHONE = { hasTouch: true, isMobile: true };

test("a visitor without account joins by the link; an open list and a text stay as things happen", {
  timeout: 240_000,
}, async () => {
  const ada = await open("ada", 390, 844, PHONE);
  await ada.click('[data-do="guest"]');
  await ada.click('[data-do="play-coop"]');
  await ada.click('dialog .choice:has([value="easy"])');
  await ada.click('[data-do="create-coop"]');
  await ada.waitForSelector('[data-do="copy-link"]');
  const seats = (page) =>
    page.$$eval(".seat", (all) => all.map((s) => s.querySelector(".team")?.value ?? s.textContent));
  assert.deepEqual(
    await seats(ada),
    ["0", "1", "1", "Open seatTake this seat"],
    "people in one team, bots in the other",
  );
  const host = await ada.textContent(".seat.mine b");
  const link = await ada.inputValue("input[readonly]");
  await ada.click('[data-do="copy-link"]');
  await ada.waitForFunction(
    () => document.querySelector('[data-do="copy-link"]').textContent === "Link copied",
  );

  const ben = await open("ben", 390, 844, PHONE, link);
  await ben.waitForSelector(".join");
  assert.equal(await ben.textContent("h1"), `${host} invites you`);
  assert.equal(await ben.$('[data-do="play-bot"]'), null, "nothing here starts another game");
  await ben.fill("#guest-name", "Ben");
  await shot(ben, "12-invitation");
  await ben.click('.join [data-do="join"]');
  await ben.waitForSelector('[data-do="ready"]');
  const benTeam = '[data-seat="3"] .team';
  assert.match(await ben.textContent('[data-seat="3"]'), /Ben.*Not ready/);

  // Ada has a list open, and wrote half a line.
  await ada.waitForSelector(benTeam);
  await ada.fill(".lobby-chat input", "half a li");
  await ada.evaluate(() => {
    window.kept = document.querySelector(".lobby-chat input");
    window.kept.setSelectionRange(2, 4);
  });
  await ada.focus('[data-seat="1"] .team');
  await ada.keyboard.press("Space");
  const list = () =>
    ada.evaluate(() => {
      const el = document.querySelector('[data-seat="1"] .team');
      window.list ??= el;
      const { kept } = window;
      return {
        same: el === window.list && document.activeElement === el,
        open: el.matches(":open"),
        line: [kept.isConnected, kept.value, kept.selectionStart, kept.selectionEnd],
      };
    });
  const before = await list();
  assert.deepEqual(before, { same: true, open: true, line: [true, "half a li", 2, 4] });
  await ben.fill(".lobby-chat input", "hello");
  await ben.keyboard.press("Enter");
  await ben.selectOption(benTeam, "2");
  await ada.waitForFunction((s) => document.querySelector(s).value === "2", benTeam);
  await ada.waitForSelector(".talk p");
  await ben.click('[data-do="ready"]');
  await ada.waitForSelector('[data-seat="3"] .chip.ready');
  assert.deepEqual(await list(), before, "after a line, another team and a ready");

  // The host sets every seat's team: Ben's, which takes his ready back, and a bot's.
  await ada.keyboard.press("Escape");
  await ada.selectOption(benTeam, "0");
  await ben.waitForFunction((s) => document.querySelector(s).value === "0", benTeam);
  await ben.waitForSelector('[data-do="ready"][aria-pressed="false"]');
  await ada.selectOption('[data-seat="2"] .team', "3");
  await ben.waitForFunction(() => /Team 4/.test(document.querySelector('[data-seat="2"]').textContent));

  // The host lets the players vote, and Ben asks for another speed.
  const id = link.split("lobby=")[1];
  await ada.evaluate(
    (id) =>
      fetch(`/api/lobbies/${id}`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ options: { votes: "lobby", leavers: "bot-easy", countdownSeconds: 0 } }),
      }),
    id,
  );
  await ben.click('[data-do="ask-settings"]');
  await ben.selectOption("#change-speedPercent", "200");
  await ben.click('[data-do="change"]');
  await ada.waitForSelector('[data-poll="settings"] [data-answer="yes"]');
  await ben.waitForSelector('[data-answer="yes"][aria-pressed="true"]');

  // Everything on a phone is in reach of a finger.
  for (const page of [ada, ben]) {
    const narrow = await page.evaluate(() => ({
      over: document.documentElement.scrollWidth > screen.width,
      small: [...document.querySelectorAll("button, select, .colors label, input:not([type=radio])")]
        .filter((el) => el.checkVisibility())
        .map((el) => ({ el, box: el.getBoundingClientRect() }))
        .filter(({ box }) => box.width < 48 || box.height < 48 || box.left < 0 || box.right > screen.width)
        .map(({ el, box }) => `${el.outerHTML.slice(0, 80)} ${box.width} by ${box.height}`),
    }));
    assert.deepEqual(narrow, { over: false, small: [] });
  }
  await shot(ada, "13-coop");
  assert.match(await ada.textContent("[data-poll]"), /^Change to Speed: Double\?1 of 2 votes · \d+ sYesNo$/);
  await ada.click('[data-answer="yes"]');
  await ben.waitForSelector('[data-poll="passed"]');
  await ben.waitForFunction(() => /Speed: Double/.test(document.querySelector("[data-rules]").textContent));
  assert.deepEqual(await ben.$$eval(".talk .announce", (all) => all.map((p) => p.textContent)), [
    "Server Ben asks: Change to Speed: Double?",
    "Server Decided: Change to Speed: Double?",
  ]);

  // They play. A bot takes the seat of Ben, who is away, and gives it back.
  await ben.click('[data-do="ready"]');
  await ada.click('[data-do="start"]');
  await Promise.all([live(ada), live(ben)]);
  const slot = await ben.evaluate(() => window.fogkeep.match.info.slot);
  const plays = (state) =>
    ada.waitForFunction(
      ([slot, state]) => window.fogkeep.match.info.players[slot].state === state,
      [slot, state],
      {
        polling: 100,
      },
    );
  await ben.goto(new URL("/api/maps", link).href);
  await plays("standIn");
  await ada.waitForFunction(
    () => /A bot plays for Ben until Ben is back/.test(document.body.textContent),
    undefined,
    { polling: 100 },
  );
  await shot(ada, "13-stand-in");
  await ben.goto(link);
  await live(ben);
  await plays("playing");
  assert.equal(await ben.evaluate(() => window.fogkeep.match.info.slot), slot);
  await ben.context().close();
  await ada.context().close();
});

test("a friend takes the bot's place in a running match", { timeout: 240_000 }, async () => {
  const ada = await open("ada", 900, 560);
  await playBot(ada);
  await ada.keyboard.press("F10");
  await ada.click("text=Leave match");
  await ada.click('[data-do="open-seat"]');
  await ada.waitForSelector('[data-do="open-seat"][aria-pressed="true"]');
  // The host limits the bytes of the match that runs; the lobby says so.
  await ada.selectOption("#now-bytesPerS", "8000");
  await ada.waitForFunction(() => /8 KB/.test(document.querySelector("[data-rules]")?.textContent ?? ""));
  await shot(ada, "14-open-seat");
  await ada.click('[data-do="enter"]');
  await live(ada);

  const ben = await open("ben", 900, 560);
  await ben.click('[data-do="guest"]');
  await ben.waitForSelector('.lobby-row [data-do="join"]:enabled');
  assert.equal(await ben.textContent('.lobby-row [data-do="join"]'), "Join match");
  await shot(ben, "15-join-the-match");
  const nameOf = (page) => page.evaluate(async () => (await (await fetch("/api/me")).json()).account.name);
  for (const [page, friend] of [
    [ada, await nameOf(ben)],
    [ben, await nameOf(ada)],
  ])
    assert.ok(
      await page.evaluate(
        async (name) =>
          (
            await fetch("/api/friends", {
              method: "POST",
              headers: { "Content-Type": "application/json" },
              body: JSON.stringify({ name }),
            })
          ).ok,
        friend,
      ),
    );
  await ben.click('[data-do="friends"]');
  await ben.waitForSelector("dialog .chip.playing");
  await shot(ben, "15-join-a-friend");
  await ben.click('dialog [data-do="join-friend"]');
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
