// Every page and dialog, looked at by axe-core: no serious obstacle for a person with the keyboard, a screen reader or
// high contrast. On the way the player chooses another language. With FOGKEEP_TEST_LONG=1 the walk is made in two
// languages and two sizes, with a picture of every screen (screens/ among the artefacts).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { live } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const stage = setUp();
const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const LONG = process.env.FOGKEEP_TEST_LONG === "1";

const WALKS = LONG
  ? ["en", "de"].flatMap((language) => [
      { language, size: "desk", width: 1280, height: 800 },
      { language, size: "phone", width: 390, height: 844 },
    ])
  : [{ language: "en", size: "desk", width: 1024, height: 640, chooses: "de" }];

/** The serious findings of axe on a page, each as `rule: element`. */
async function serious(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter((v) => v.impact === "serious" || v.impact === "critical")
      .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
  });
}

/** Collects the findings on the screens of a walk. */
function looker(walk) {
  const found = [];
  return {
    found,
    async look(page, screen) {
      for (const f of await serious(page)) found.push(`${screen}: ${f}`);
      if (LONG) await stage.shot(page, `screens/${walk.language}-${walk.size}-${screen}`);
    },
  };
}

/** A page in a language, as a browser in that language requests it. */
const inLanguage = (walk, name, url) =>
  stage.open(name, walk.width, walk.height, { locale: walk.language === "de" ? "de-DE" : "en-GB" }, url);

const closeDialog = async (page) => {
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
};

/** Chooses a language in the settings that are open: the page comes anew in it, and keeps it. */
async function choose(page, language) {
  const before = await page.textContent("dialog h2");
  await page.selectOption('select[data-setting="language"]', language);
  await page.waitForFunction((l) => document.documentElement.lang === l, language);
  await page.reload();
  await page.click('[data-do="settings"]');
  assert.equal(await page.evaluate(() => document.documentElement.lang), language);
  assert.notEqual(await page.textContent("dialog h2"), before);
  await closeDialog(page);
}

for (const walk of WALKS) {
  test(`axe finds nothing serious for players: ${walk.language}, ${walk.size}`, {
    timeout: 240_000,
  }, async () => {
    const { found, look } = looker(walk);
    const page = await inLanguage(walk, `access-${walk.language}`);
    await page.waitForSelector('[data-do="play-bot"]');
    assert.equal(await page.evaluate(() => document.documentElement.lang), walk.language);
    await look(page, "title");
    await page.click('[data-do="play-bot"]');
    await page.waitForSelector(".choice");
    await look(page, "play-bot");
    await closeDialog(page);

    await page.click('[data-do="guest"]');
    await page.waitForSelector('[data-do="create"]');
    await page.click(".create summary");
    await look(page, "home");
    await page.click('[data-do="account"]');
    await look(page, "account");
    await closeDialog(page);
    await page.click('[data-do="leaderboard"]');
    await page.waitForSelector("dialog.leaderboard");
    await look(page, "leaderboard");
    await closeDialog(page);
    await page.click('[data-do="catalogue"]');
    await page.selectOption('dialog.catalogue [data-field="sharing"]', "replays");
    await page.waitForSelector("dialog.catalogue .empty");
    await look(page, "catalogue");
    const kept = await page.evaluate(async () => (await (await fetch("/api/me")).json()).sharing);
    assert.equal(kept, "replays");
    await closeDialog(page);
    await page.click('[data-do="quick-match"]');
    await page.waitForSelector("dialog.quick .choice");
    await look(page, "quick-match");
    await page.click('[data-do="invite-friends"]');
    await page.waitForSelector("dialog.party");
    await look(page, "party");
    await closeDialog(page);
    await look(page, "queue-bar");
    await page.click('.queue-bar [data-do="party"]');
    await page.click('[data-do="leave-party"]');
    await page.waitForFunction(() => !document.querySelector(".queue-bar"));
    await page.click('[data-do="settings"]');
    await page.waitForSelector("dialog.menu");
    await look(page, "settings");
    if (walk.chooses) await choose(page, walk.chooses);
    else await closeDialog(page);

    await page.click('button[data-do="create"]');
    await page.waitForSelector('[data-do="add-bot"]');
    await page.click('[data-do="add-bot"]');
    await look(page, "lobby");
    const visitor = await inLanguage(walk, "visitor", await page.inputValue("input[readonly]"));
    await visitor.waitForSelector(".join");
    await look(visitor, "invitation");
    await visitor.context().close();
    await page.click('[data-do="configure"]');
    await page.waitForFunction(() => document.querySelectorAll("#change-map option").length > 0);
    await look(page, "edit-lobby");
    await closeDialog(page);

    await page.click('[data-do="start"]');
    await live(page);
    await page.keyboard.press("Comma"); // the army
    await page.waitForTimeout(300);
    await look(page, "match");
    await page.keyboard.press("F10");
    await page.waitForSelector("dialog.menu");
    await look(page, "menu");
    await page.click('[data-do="options"]');
    await look(page, "options");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog.settings", { state: "detached" });
    await page.click("dialog button.danger");
    await page.click("dialog button.danger");
    await page.waitForSelector(".end-panel");
    await look(page, "end");
    await page.click('[data-do="to-lobby"]');
    await page.waitForSelector('[data-do="again"]');
    await look(page, "lobby-again");
    assert.deepEqual(found, []);
  });
}

test("axe finds nothing serious for admins", { timeout: 240_000 }, async () => {
  const walk = { language: "en", size: "desk", width: 1180, height: 760 };
  const { found, look } = looker(walk);
  const page = await inLanguage(walk, "access-admin", stage.server.adminUrl);
  await page.waitForSelector("#password");
  await look(page, "admin-login");
  await page.fill("#name", "admin");
  await page.fill("#password", stage.server.adminPassword);
  await page.click("button[type=submit]");
  await page.waitForSelector("[data-page]");
  await look(page, "admin-first");
  const pages = await page.$$eval("[data-page]", (all) => all.map((b) => b.dataset.page));
  for (const name of pages) {
    await page.click(`[data-page="${name}"]`);
    await page.waitForSelector(".admin-body");
    await page.waitForTimeout(200);
    await look(page, `admin-${name}`);
    if (name === "lobbies") {
      await page.click('[data-do="open-scenario"]');
      await look(page, "admin-scenario");
      await page.keyboard.press("Escape");
    }
  }
  // The inspector, with each of its panels.
  const guest = await fetch(`${stage.server.playUrl}/api/guest`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"bearer":true}',
  }).then((r) => r.json());
  await fetch(`${stage.server.playUrl}/api/play/bot`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${guest.token}` },
    body: "{}",
  });
  await page.click('[data-page="matches"]');
  await page.click("tr:has(.chip.live) [data-inspect]");
  await page.waitForFunction(() => window.fogkeepAdmin.inspect?.world?.entities.length > 0);
  for (const tab of await page.$$eval("[data-tab]", (all) => all.map((b) => b.dataset.tab))) {
    await page.click(`[data-tab="${tab}"]`);
    await page.waitForTimeout(300);
    if (tab === "entities") {
      await page.click("[data-entity]");
      await look(page, "inspect-entities");
      await page.click('[data-tab="selection"]');
      await page.waitForSelector("[data-why]");
    }
    await look(page, `inspect-${tab}`);
  }
  await page.click('[data-mode="beside"]');
  await page.waitForTimeout(300);
  await look(page, "inspect-beside");
  assert.deepEqual(found, []);
});
