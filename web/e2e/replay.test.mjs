// A match is played, and watched again: from the end screen, at any tick, with any
// eyes, by a link, and played on from a tick.

import assert from "node:assert/strict";
import { test } from "node:test";
import { playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const stage = setUp();
const { open, shot } = stage;
let ada;
let link;

/** One step of the way: after a failed step, the steps that build on it fail at once. */
let broken = "";
function step(name, options, work) {
  test(name, options, async () => {
    assert.equal(broken, "", "an earlier step failed");
    try {
      await work();
    } catch (err) {
      broken = name;
      throw err;
    }
  });
}

const tickOf = (page) => page.evaluate(() => window.fogkeep.match.state.tick);
const eyesOf = (page) => page.evaluate(() => window.fogkeep.match.info.team);

/** Waits until a page shows a replay. */
const watching = (page) =>
  page.waitForFunction(
    () =>
      window.fogkeep.game?.frames > 3 && window.fogkeep.match.replayed && window.fogkeep.match.state.tick > 0,
  );

/** How many units and structures of players the page is told of, by slot. */
const things = (page) =>
  page.evaluate(() => {
    const { world, info } = window.fogkeep.match.state;
    const count = info.players.map(() => 0);
    for (let s = 0; s < world.high; s++)
      if (world.ids[s] !== 0 && world.owner[s] < count.length) count[world.owner[s]]++;
    return count;
  });

/** A seek is there when the state is at its tick. */
const at = (page, from, to) =>
  page.waitForFunction(
    ([a, b]) => window.fogkeep.match.state.tick >= a && window.fogkeep.match.state.tick <= b,
    [from, to],
  );

step("a match that was given up is opened from its end screen", { timeout: 240_000 }, async () => {
  ada = await open("ada");
  await playBot(ada, "easy");
  await ada.waitForFunction(() => window.fogkeep.match.state.tick > 160);
  await ada.keyboard.press("Comma");
  await ada.keyboard.press("KeyH"); // an order, for the row of activity
  await ada.waitForFunction(() => window.fogkeep.match.unanswered === 0);
  await ada.evaluate(() => window.fogkeep.game.send({ do: "surrender", units: [] }));
  await ada.click('[data-do="watch-replay"]');
  await watching(ada);
  assert.match(await ada.evaluate(() => location.hash), /^#replay=/);
  await ada.waitForSelector(".replay-density canvas");
  await ada.waitForSelector('[data-event="ended"]');
});

step(
  "it goes to a tick by the bar and by keys, back too, and stands still when paused",
  { timeout: 240_000 },
  async () => {
    const box = await ada.locator(".replay-time").boundingBox();
    const last = await ada.evaluate(() => window.fogkeep.replay.status.last);
    await ada.mouse.move(box.x + box.width * 0.2, box.y + box.height - 9);
    await ada.mouse.down();
    await ada.mouse.move(box.x + box.width * 0.75, box.y + box.height - 9, { steps: 4 });
    await ada.waitForSelector(".replay-preview");
    await ada.mouse.up();
    await at(ada, Math.floor(last * 0.7), last);
    await ada.keyboard.press("Space");
    await ada.waitForFunction(() => window.fogkeep.replay.status.paused);
    const there = await tickOf(ada);
    await ada.keyboard.press("Comma");
    await at(ada, there - 1, there - 1);
    await ada.keyboard.press("Period");
    await at(ada, there, there);
    assert.equal(
      await ada.evaluate(() => window.fogkeep.match.drawTick <= window.fogkeep.match.state.tick),
      true,
    );
    await ada.focus(".replay-time");
    await ada.keyboard.press("Home");
    await at(ada, 1, 1);
    await ada.waitForFunction(() => document.querySelector(".replay-clock b")?.textContent === "0:00");
    await ada.keyboard.press("End");
    await at(ada, last, last);
    await ada.keyboard.press("Home");
    await at(ada, 1, 1);
    await ada.evaluate(() => window.fogkeep.game.canvasElement.focus());
    await ada.selectOption(".replay-speed", "1600");
    await ada.keyboard.press("Space");
    await at(ada, 60, last);
    await ada.waitForFunction(() => window.fogkeep.replay.status.phase === "ended");
    // From the beginning again, and so slowly that a busy machine pauses before the end.
    await ada.selectOption(".replay-speed", "25");
    await ada.keyboard.press("Space");
    await at(ada, 2, last - 1);
    await ada.keyboard.press("Space");
    await ada.waitForFunction(() => window.fogkeep.replay.status.paused);
  },
);

step(
  "each team's eyes see what that team knew, all see both, and a difference tells them apart",
  { timeout: 240_000 },
  async () => {
    // Early in the match, before the armies meet, when all units still live.
    await ada.focus(".replay-time");
    await ada.keyboard.press("Home");
    await at(ada, 1, 1);
    await ada.keyboard.press("ArrowRight");
    await at(ada, 101, 101);
    await ada.evaluate(() => window.fogkeep.game.canvasElement.focus());
    const seen = {};
    for (const [key, team] of [
      ["Digit1", 0],
      ["Digit2", 1],
      ["Digit0", 255],
    ]) {
      await ada.keyboard.press(key);
      await ada.waitForFunction(
        (t) => window.fogkeep.match.info.team === t && window.fogkeep.match.state.world.count > 3,
        team,
      );
      await ada.waitForFunction(
        (key) => document.querySelector(`[data-eyes="${key}"]`)?.getAttribute("aria-pressed") === "true",
        team,
      );
      seen[team] = await things(ada);
    }
    assert.ok(seen[0][0] > 0 && seen[0][1] === 0, `team 1 saw none of the other: ${seen[0]}`);
    assert.ok(seen[1][1] > 0 && seen[1][0] === 0, `team 2 saw none of the other: ${seen[1]}`);
    assert.deepEqual(seen[255], [seen[0][0], seen[1][1]], "together they see both");
    await ada.keyboard.press("KeyV");
    await ada.waitForFunction(() =>
      /[1-9]/.test(document.querySelector('[data-only="1"] b')?.textContent ?? ""),
    );
    const counts = await ada.$$eval(".replay-only b", (all) => all.map((b) => Number(b.textContent)));
    assert.deepEqual(counts, [seen[0][0], seen[1][1], 0]);
    await shot(ada, "replay-1-difference");
  },
);

step(
  "events, tables, graphs and a followed camera are there by keys; the interface can be hidden",
  { timeout: 240_000 },
  async () => {
    await ada.keyboard.press("Digit0");
    await ada.waitForFunction(() => window.fogkeep.match.info.team === 255);
    const event = await ada.evaluate(() => window.fogkeep.replay.timeline.next(121)?.tick);
    await ada.keyboard.press("KeyN");
    await at(ada, event - 20, event - 20);
    await ada.waitForFunction(() => document.querySelector(".unseen[role=status]")?.textContent !== "");
    for (const table of ["army", "making", "events", "economy"]) {
      await ada.keyboard.press("KeyT");
      if (await ada.$(".replay-table")) await ada.waitForSelector(`[data-table="${table}"]`);
    }
    await ada.keyboard.press("KeyG");
    await ada.waitForSelector(".replay-chart polyline", { state: "attached" });
    await shot(ada, "replay-2-graphs");
    await ada.keyboard.press("KeyG");
    await ada.keyboard.press("KeyF");
    await ada.waitForFunction(() => Number(document.querySelector(".replay-follow")?.value) === 0);
    await ada.keyboard.press("KeyF");
    await ada.waitForFunction(() => Number(document.querySelector(".replay-follow")?.value) === -1);
    await ada.keyboard.press("KeyH");
    await ada.waitForSelector(".hud", { state: "hidden" });
    await ada.keyboard.press("Escape");
    await ada.waitForSelector(".hud", { state: "visible" });
  },
);

step(
  "a copied link opens there with the same eyes, once the host lets everyone with it",
  { timeout: 240_000 },
  async () => {
    await ada.keyboard.press("Digit2");
    await ada.waitForFunction(() => window.fogkeep.match.info.team === 1);
    await ada.focus(".replay-time");
    await ada.keyboard.press("Home");
    await at(ada, 1, 1);
    await ada.keyboard.press("ArrowRight");
    await at(ada, 101, 101);
    await ada.click('[data-do="replay-share"]');
    const text = () => ada.inputValue('[data-field="replay-link"]');
    const closed = await text();
    assert.doesNotMatch(closed, /key=/);
    const eve = await open("eve", 480, 800);
    await eve.goto(closed);
    await eve.click('[data-do="watch-replay"]');
    await eve.waitForSelector("[data-why]");
    await ada.selectOption('[data-field="replay-access"]', "link");
    await ada.waitForFunction(() => /key=/.test(document.querySelector('[data-field="replay-link"]')?.value));
    link = await text();
    await ada.keyboard.press("Escape");
    await eve.goto(link);
    await watching(eve);
    await at(eve, 101, 101);
    await eve.waitForFunction(() => window.fogkeep.match.info.team === 1);
    assert.deepEqual([await eyesOf(eve), await tickOf(eve)], [1, 101]);
    await shot(eve, "replay-3-phone");
    await eve.context().close();
  },
);

step("a new match goes on from a tick of it", { timeout: 240_000 }, async () => {
  await ada.click('[data-do="replay-branch"]');
  await ada.waitForSelector('[data-do="start"]');
  await ada.click('[data-do="add-bot"]');
  await ada.waitForSelector('[data-do="start"]:not([disabled])');
  await ada.click('[data-do="start"]');
  await ada.waitForFunction(
    () => window.fogkeep.game?.frames > 3 && !window.fogkeep.replay && window.fogkeep.match.state.tick > 101,
  );
  const [own, tick] = await ada.evaluate(() => {
    const { match } = window.fogkeep;
    const { world, info } = match.state;
    let own = 0;
    for (let s = 0; s < world.high; s++) if (world.ids[s] !== 0 && world.owner[s] === info.slot) own++;
    return [own, match.state.tick];
  });
  assert.ok(own > 3 && tick < 3000, `${own} things at tick ${tick}`);
  await shot(ada, "replay-4-played-on");
  await ada.keyboard.press("Comma");
  await ada.keyboard.press("KeyH");
  await ada.waitForFunction(() => window.fogkeep.match.unanswered === 0);
  await ada.evaluate(() => window.fogkeep.game.send({ do: "surrender", units: [] }));
  await ada.waitForSelector('[data-do="to-lobby"]');
});

step("the lobby and the history lead to it again", { timeout: 240_000 }, async () => {
  await ada.click('[data-do="to-lobby"]');
  await ada.click('.lobby-actions [data-do="replay"]');
  await watching(ada);
  const { first, tick } = await ada.evaluate(() => ({
    ...window.fogkeep.replay.info,
    tick: window.fogkeep.replay.status.tick,
  }));
  assert.ok(first >= 100 && tick > first, `it begins where the other was left: ${first}, ${tick}`);
  await ada.click('[data-do="replay-leave"]');
  await ada.click('.lobby-actions [data-do="leave"]');
  // A third one within a minute: the server has dropped the replay that was left.
  await ada.click('.played [data-do="replay"] >> nth=1');
  await watching(ada);
});
