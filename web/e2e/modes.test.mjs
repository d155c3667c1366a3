// Modes of a pack, chosen in lobbies and played to their ends: king of the hill with live scores, and wave defence by two
// players together.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { live } from "./browser.mjs";
import { BIN, setUp } from "./setup.mjs";

const stage = setUp();

/** A pack of the shipped arsenal with modes that end soon, and with a faction for bots that contests no hill. */
const SHORT = mkdtempSync(join(tmpdir(), "fogkeep-short-"));
after(() => rmSync(SHORT, { recursive: true }));

/** The points that win the hill. */
const GOAL = 15;

function writeShort() {
  const shipped = new URL("../../match/rules/shipped/", import.meta.url).pathname;
  const write = (path, text) => writeFileSync(join(SHORT, path), text);
  const rules = JSON.parse(readFileSync(join(shipped, "arsenal.json"), "utf8"));
  rules.name = "short";
  rules.factions.push({
    name: "hermits",
    trains: ["worker"],
    builds: ["command-centre"],
    start: [{ type: "command-centre" }, { type: "worker", count: 4 }],
  });
  const waves = rules.modes.find((m) => m.name === "wave-defence");
  for (const trigger of waves.triggers) if (trigger.every) trigger.every = 3;
  waves.triggers.at(-1).if.find((c) => c.kind === "time").min = 15;
  cpSync(join(shipped, "arsenal"), join(SHORT, "rules/short"), { recursive: true });
  write("rules/short.json", JSON.stringify(rules));
  const hill = readFileSync(join(SHORT, "rules/short/hill.star"), "utf8");
  assert.match(hill, /GOAL = 180/);
  write("rules/short/hill.star", hill.replace("GOAL = 180", `GOAL = ${GOAL}`));
  write("pack.json", JSON.stringify({ name: "short", title: "Short", version: "1.0.0", licence: "CC0-1.0" }));
}

/** Asks the admins' API until the answer is as wanted. */
async function admin(method, path, body, done = () => true) {
  for (let tries = 0; ; tries++) {
    const r = await fetch(`${stage.server.adminUrl}/admin/api/${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(admin.token && { authorization: `Bearer ${admin.token}` }),
      },
      body: body && JSON.stringify(body),
    });
    assert.ok(r.ok, `${path}: ${r.status} ${await r.clone().text()}`);
    const answer = r.status === 204 ? null : await r.json();
    if (done(answer)) return answer;
    assert.ok(tries < 200, `${path}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50)); // no event says that the server has read its folder
  }
}

test("a pack is published", async () => {
  writeShort();
  execFileSync(BIN, ["pack", "add", SHORT, "--data-dir", stage.server.data]);
  stage.server.reload();
  const login = { name: "admin", password: stage.server.adminPassword, bearer: true };
  admin.token = (await admin("POST", "login", login)).token;
  const { packs } = await admin("GET", "packs", undefined, (list) => list.packs.length === 1);
  await admin("POST", `packs/${packs[0].hash}/publish`);
});

async function register(page, name) {
  await page.fill("#name", name);
  await page.fill("#password", "a lamp in the valley");
  await page.click('[data-do="register"]');
}

/** Makes a lobby with rules of the pack for a new player and a bot, and selects their factions. */
async function lobby(page, name, { map, mode, faction, against }) {
  await register(page, name);
  await page.waitForFunction((m) => document.querySelector(`#lobby-map option[value="${m}"]`), map);
  await page.selectOption("#lobby-map", map);
  await page.fill("#lobby-name", mode);
  await page.click(".create summary");
  await page.selectOption("#lobby-ruleset", "short");
  await page.selectOption("#lobby-mode", mode);
  await page.selectOption("#lobby-speedPercent", "300");
  await page.click('button[data-do="create"]');
  await page.click('[data-do="add-bot"]');
  await page.selectOption('.seat.mine [data-do="faction"]', faction);
  await page.selectOption('.seat:not(.mine) [data-do="faction"]', against);
}

/** Records the texts of the players' panel from now on. */
const record = (page) =>
  page.evaluate(() => {
    const panel = document.querySelector(".players");
    const texts = new Set();
    const add = () => {
      for (const player of panel.querySelectorAll(".self")) texts.add(player.textContent);
    };
    new MutationObserver(add).observe(panel, { childList: true, characterData: true, subtree: true });
    add();
    window.texts = texts;
  });

/** The recorded numbers after a word, in their order. */
const recorded = async (page, word) =>
  (await page.evaluate(() => [...window.texts])).map((s) => Number(s.match(`${word} (\\d+)`)[1]));

/** Waits until the page's own player has so many of a mode's value. */
const reach = (page, word, count) =>
  page.waitForFunction(
    (re) => new RegExp(re).test(document.querySelector(".players .self").textContent),
    `${word} (${count}|\\d\\d)`,
    { polling: 50 },
  );

/** Waits for the result, and returns the winners' rows. */
async function winners(page) {
  await page.waitForSelector("table.scores tr.winner");
  return page.$$eval("tr.winner", (rows) => rows.map((r) => r.textContent));
}

// Side by side: both wait for their matches more than they work.
describe("the modes of the pack", { concurrency: true }, () => {
  test("king of the hill ends as the goal is reached, with live scores", { timeout: 240_000 }, async () => {
    const page = await stage.open("hill", 1280, 720);
    const what = { map: "twin-fords", mode: "king-of-the-hill", faction: "veil", against: "hermits" };
    await lobby(page, "Hilda", what);
    await stage.shot(page, "hill-lobby");
    await page.click('[data-do="start"]');
    await live(page);
    await record(page);
    const sent = await page.evaluate(async () => {
      const { match, game } = window.fogkeep;
      const { world, info } = match.state;
      const units = [];
      const kinds = [];
      for (let s = 0; s < world.high; s++) {
        const type = info.rules.types[world.type[s]];
        if (world.ids[s] === 0 || world.owner[s] !== info.slot || type.class !== "unit" || type.worker)
          continue;
        units.push(world.ids[s]);
        kinds.push(type.name);
      }
      game.renderer.camera.jump(info.map.width / 2, info.map.height / 2);
      const to = { x: 33 * 1024, y: 25 * 1024 }; // on the hill, whose middle is the river
      return { kinds, code: (await match.order({ do: "move", units, to }).answer).code };
    });
    assert.equal(sent.code, undefined, "the order is taken");
    assert.equal(
      sent.kinds.filter((k) => k === "raider").length,
      2,
      `the veil begins with raiders: ${sent.kinds}`,
    );
    await reach(page, "Held", "[3-9]");
    await stage.shot(page, "hill-held");
    const won = await winners(page);
    assert.equal(won.length, 1);
    assert.match(won[0], /Hilda.*15/);
    const held = await recorded(page, "Held");
    assert.ok(held.length > 1 && held[0] === 0, `the points rise as the match goes on: ${held}`);
    assert.deepEqual(
      held,
      held.toSorted((a, b) => a - b),
    );
    await stage.shot(page, "hill-end");
  });

  test("two players hold out against waves together", { timeout: 240_000 }, async () => {
    const ada = await stage.open("waves", 1280, 720);
    await lobby(ada, "Ada", {
      map: "four-winds",
      mode: "wave-defence",
      faction: "ironclad",
      against: "veil",
    });
    const ben = await stage.open("waves-phone", 390, 844, { hasTouch: true, isMobile: true });
    await register(ben, "Ben");
    await ben.click('.lobby-row:has-text("wave-defence") [data-do="join"]');
    await ben.selectOption('.seat.mine [data-do="faction"]', "circle");
    await ben.selectOption('.seat.mine [data-do="team"]', "0");
    await ben.click('[data-do="ready"]');
    await ada.waitForSelector(".chip.ready");
    await stage.shot(ben, "waves-lobby-phone");
    await ada.click('[data-do="start"]');
    const pages = [ada, ben];
    await Promise.all(pages.map(live));
    for (const page of pages) {
      await reach(page, "Wave", "[2-9]");
      const allies = await page.evaluate(() => {
        const { world, info } = window.fogkeep.match.state;
        const seen = world.owner.slice(0, world.high).filter((_, s) => world.ids[s] !== 0);
        const owners = info.players.filter((p) => p.team === info.team && seen.includes(p.slot));
        return owners.map((p) => `${p.name} ${p.faction}`).sort();
      });
      assert.deepEqual(allies, ["Ada ironclad", "Ben circle"], "both see the units of both");
    }
    await Promise.all([stage.shot(ada, "waves"), stage.shot(ben, "waves-phone")]);
    for (const page of pages) {
      const won = await winners(page);
      assert.deepEqual(won.map((row) => row.match(/Ada|Bot|Ben/)[0]).sort(), ["Ada", "Ben"]);
    }
    await Promise.all([stage.shot(ada, "waves-end"), stage.shot(ben, "waves-end-phone")]);
  });
});

test("a mission is won by mouse: objectives in sight, stars kept, the next one begins", {
  timeout: 240_000,
}, async () => {
  const page = await stage.open("eve", 1280, 720);
  await page.click('[data-do="guest"]');
  await page.click('[data-do="missions"]');
  await page.waitForSelector(".mission-list li:nth-child(8)", { state: "attached" });
  assert.equal(await page.$$eval("[data-mission]", (all) => all.length), 8);
  await stage.shot(page, "15-missions");
  await page.click('[data-mission="missions/dark-roads"] [data-do="play-mission"]');
  await live(page);
  await page.waitForSelector(".goals:has-text('Find camps0 / 3'):has-text('Bring a scout home')");
  assert.equal(await page.$(".goals .reached"), null, "no goal is reached yet");
  await stage.shot(page, "15-mission");
  await page.evaluate(() => window.fogkeep.match.setSpeed(300, false));
  await page.keyboard.press("Comma"); // the scouts
  await page.waitForFunction(() => window.fogkeep.game.selection.own().length === 3, null, { polling: 100 });
  const { tiles, box } = await page.evaluate(() => ({
    tiles: window.fogkeep.match.info.map.width,
    box: document.querySelector(".minimap-canvas").getBoundingClientRect().toJSON(),
  }));
  const route = [
    [68, 11],
    [73, 13],
    [62, 47],
    [52, 42],
    [35, 75],
    [23, 82],
    [15, 15],
  ];
  for (const [x, y] of route) {
    const at = (n, from, size) => from + ((n + 0.5) / tiles) * size;
    await page.mouse.click(at(x, box.x, box.width), at(y, box.y, box.height), { button: "right" });
    await page.keyboard.down("Shift"); // the rest of the way is queued
  }
  await page.keyboard.up("Shift");
  await page.waitForSelector(".goals .reached:has-text('Find camps')");
  const earned = await page.waitForSelector(".earned");
  const stars = (await earned.$eval(".stars", (e) => e.textContent.match(/★/g)))?.length;
  assert.ok(stars > 0, "the scouts that live are stars");
  assert.match(await earned.textContent(), /Dark roads.*A star for each scout that lives.*Your best/);
  await stage.shot(page, "15-mission-end");
  const kept = () =>
    page.evaluate(async () => {
      const { missions } = await (await fetch("/api/missions")).json();
      return missions.find((m) => m.scenario === "dark-roads");
    });
  while ((await kept()).stars === 0); // the result is on its way to the lobby
  const { stars: keptStars, seconds } = await kept();
  assert.equal(keptStars, stars);
  assert.ok(seconds > 30 && seconds < 600, `${seconds} s`);
  await page.click('[data-do="next-mission"]:has-text("High ground")');
  await page.waitForSelector(".goals:has-text('Destroy towers0 / 4')");
  await page.close();
});
