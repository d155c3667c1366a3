// Quick match: two pages find each other, accept, and play with the factions of their choice; and the link to a
// party brings a friend into it, without an account.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { live } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const folder = mkdtempSync(join(tmpdir(), "fogkeep-queues-"));
process.env.FOGKEEP_QUEUES = join(folder, "queues.json");
const maps = ["twin-fords", "water-gates", "four-winds"];
const ladder = {
  placements: 1,
  keepPercent: 50,
  divisions: [
    { name: "Iron", from: 0 },
    { name: "Gold", from: 1500 },
  ],
};
const queue = { options: { ruleset: "arsenal", teams: "sides" } };
writeFileSync(
  process.env.FOGKEEP_QUEUES,
  JSON.stringify({
    queues: [
      { ...queue, id: "1v1", name: "1 v 1", teamSize: 1, vetoes: 1, maps, ladder },
      { ...queue, id: "2v2", name: "2 v 2", teamSize: 2 },
    ],
  }),
);
let token;
const stage = setUp({
  begin: async () => {
    const login = { name: "admin", password: stage.server.adminPassword, bearer: true };
    ({ token } = await (await ask("POST", "login", login)).json());
    await season();
  },
  end: async () => rmSync(folder, { recursive: true }),
});
const { open, shot } = stage;

const ask = (method, path, body) =>
  fetch(`${stage.server.adminUrl}/admin/api/${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: body && JSON.stringify(body),
  });

/** Begins the first season of the queue. */
async function season() {
  const answer = await ask("POST", "leaderboards/1v1/season", {});
  assert.ok(answer.ok, `season: ${answer.status}`);
}

const PHONE = { hasTouch: true, isMobile: true };

/** Whether anything sticks out of the page, or is too small for a finger. */
const misfits = (page, selector) =>
  page.evaluate((selector) => {
    const found =
      document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the screen"] : [];
    for (const el of document.querySelectorAll(selector)) {
      const b = el.getBoundingClientRect();
      if (b.left < 0 || b.right > innerWidth || b.height < 36)
        found.push(`${el.textContent}: ${b.left} to ${b.right}, ${b.height} high`);
    }
    return found;
  }, selector);

async function admin() {
  const page = await open("mod", 1280, 800, {}, stage.server.adminUrl);
  await page.fill("#name", "admin");
  await page.fill("#password", stage.server.adminPassword);
  await page.click("button[type=submit]");
  return page;
}

/** An admin ends the season and begins the next one, each behind a question. */
async function seasonEnds() {
  const chief = await admin();
  await chief.click('[data-page="seasons"]');
  for (const [button, now] of [
    ["end-season-1v1", "over"],
    ["start-season-1v1", "runs until an admin ends it"],
  ]) {
    await chief.click(`[data-do="${button}"]`);
    await shot(chief, `14-${button}`);
    await chief.click("dialog:last-of-type button[type=submit]");
    await chief.waitForFunction((now) => document.querySelector("tbody").textContent.includes(now), now, {
      polling: 100,
    });
  }
  await chief.close();
}

/** A moderator opens ada's report at its tick, and mutes ben, who appeals; both read of it on their open pages. */
async function moderates(ada, ben) {
  const mod = await admin();
  const list = async (state) => {
    await mod.click('[data-page="cases"]');
    await mod.selectOption('[name="state"]', state);
    await mod.click("[data-case]");
    await mod.waitForSelector(".report-row");
  };
  await list("open");
  assert.match(await mod.textContent(".report-row"), /you cheat/);
  await shot(mod, "14-case");
  await mod.click('[data-do="open-at-tick"]');
  await mod.waitForFunction(() => window.fogkeepAdmin.inspect?.world);
  const link = await mod.evaluate(() => location.hash);
  assert.match(link, /^#inspect\/.*tick=[1-9]\d*&eyes=[01]$/);
  await shot(mod, "14-case-inspect");
  // Then any other view: with all eyes.
  await mod.click('[data-eyes="-1"]');
  await mod.waitForFunction(() => !/eyes=/.test(location.hash), undefined, { polling: 100 });
  await shot(mod, "14-case-inspect-all");
  await list("open");
  await mod.click('[data-do="decide-case"]');
  await mod.selectOption('dialog:last-of-type [name="outcome"]', "mute");
  await mod.check('dialog:last-of-type [name="lobby"]');
  await mod.fill('dialog:last-of-type [name="reason"]', "insults");
  await shot(mod, "14-case-decide");
  await mod.click("dialog:last-of-type button[type=submit]");
  await mod.waitForSelector('[data-decision="mute"]');
  await mod.click(".case-file > .stack > .row.end > button:last-child");

  await ben.waitForSelector(".notice");
  assert.match(await ben.textContent(".notice"), /muted until .*: chat in lobbies.*insults/);
  await ben.click('[data-do="appeal"]');
  await ben.fill('[data-field="appeal-text"]', "He began.");
  await shot(ben, "14-notice-phone");
  assert.deepEqual(await misfits(ben, ".notice button"), []);
  await ben.click('[data-do="send-appeal"]');
  await ben.waitForFunction(() => /appeal waits/.test(document.querySelector(".notice").textContent));

  await list("appealed");
  assert.match(await mod.textContent(".case-file blockquote"), /He began/);
  await mod.click('[data-do="decide-case"]');
  await mod.selectOption('dialog:last-of-type [name="outcome"]', "keep");
  await mod.fill('dialog:last-of-type [name="reason"]', "we read all of it");
  await mod.click("dialog:last-of-type button[type=submit]");
  await mod.waitForFunction(() => /we read all/.test(document.querySelector(".case-file").textContent));
  await mod.close();
  await ben.waitForFunction(() => /we read all/.test(document.querySelector(".notice")?.textContent));

  await ada.waitForSelector('[data-notice="closed"]');
  assert.doesNotMatch(await ada.textContent("main"), /muted|insults/);
  await shot(ada, "14-closed");
  await ada.click('[data-do="dismiss-closed"]');
  await ada.reload();
  await ada.waitForSelector('[data-do="report"]'); // the history
  assert.equal(await ada.$('[data-notice="closed"]'), null, "a dismissed notice comes back");
}

test("two pages search, are asked, accept and play against each other", { timeout: 240_000 }, async () => {
  const ada = await open("ada");
  await ada.click('[data-do="quick-match"]');
  await ada.waitForSelector("dialog.quick .choice");
  await shot(ada, "14-quick-match");
  await ada.selectOption('dialog.quick [data-do="faction"]', "veil");
  // A second veto takes the first one back.
  for (const map of ["twin-fords", "four-winds"]) await ada.check(`[data-veto="${map}"]`, { force: true });
  await ada.waitForFunction(() => document.querySelectorAll("[data-veto]:checked").length === 1);
  await shot(ada, "14-veto");
  // By keys alone: the first queue is chosen, Enter sends the form.
  await ada.focus('dialog.quick input[value="1v1"]');
  await ada.keyboard.press("Enter");
  await ada.waitForSelector('[data-do="leave-queue"]');
  assert.match(await ada.textContent(".queue-bar"), /Searching: 1 v 1.*rating within/);
  // A page that is loaded again keeps the place.
  await ada.reload();
  await ada.waitForSelector('[data-do="leave-queue"]');
  await shot(ada, "14-searching");

  const ben = await open("ben", 390, 844, PHONE);
  await ben.click('[data-do="quick-match"]');
  await ben.waitForSelector(".vetoes .map-picture");
  await shot(ben, "14-veto-phone");
  await ben.click('[data-do="find-match"]');
  await Promise.all([ada, ben].map((p) => p.waitForSelector('dialog.accept [data-do="accept"]')));
  await ben.waitForFunction(() =>
    /Map: (Twin Fords|Water Gates)\. Vetoed: Four Winds\./.test(
      document.querySelector("dialog.accept").textContent,
    ),
  );
  await shot(ben, "14-accept-phone");
  assert.deepEqual(await misfits(ben, "dialog.accept button, .queue-bar button"), []);
  await ada.keyboard.press("Escape");
  assert.ok(await ada.$("dialog.accept"), "Escape is no answer");
  assert.equal(await ada.evaluate(() => document.activeElement.dataset.do), "accept", "Enter accepts");
  let mapComes;
  const map = new Promise((resolve) => {
    mapComes = resolve;
  });
  await ada.route("**/maps/*", (r) => map.then(() => r.continue()));
  await ada.keyboard.press("Enter");
  await ada.waitForFunction(() =>
    /Waiting for the other/.test(document.querySelector("dialog.accept").textContent),
  );
  await ben.click('[data-do="accept"]');
  // The screen before the match names the players and their factions, here until the map comes.
  await ada.waitForFunction(() => /Veil/.test(document.querySelector(".loading ul")?.textContent ?? ""));
  await shot(ada, "14-loading");
  mapComes();
  await Promise.all([live(ada), live(ben)]);
  const sides = await Promise.all(
    [ada, ben].map((p) =>
      p.evaluate(() => {
        const { players, slot } = window.fogkeep.match.info;
        return { all: players.map((x) => x.faction), own: players[slot].faction };
      }),
    ),
  );
  assert.deepEqual(sides[0].all, sides[1].all);
  assert.equal(sides[0].own, "veil");
  assert.match(sides[1].own, /^(veil|ironclad|circle)$/);
  assert.match(await ada.textContent(".players .self"), /Veil/);
  await shot(ada, "14-factions");
  await shot(ben, "14-factions-phone");
  // Ada reports a line of Ben's.
  await ben.evaluate(() => window.fogkeep.match.say("you cheat", true));
  await ada.click('[data-do="report-line"]');
  await ada.waitForSelector('dialog.report [name="moment"]:checked');
  assert.equal(await ada.locator('[data-field="report-player"] option').count(), 1, "not the reporter");
  await ada.selectOption('[data-field="report-kind"]', "chat");
  await ada.fill('[data-field="report-text"]', "Insults from the first minute on.");
  await shot(ada, "14-report");
  await ada.click('[data-do="send-report"]');
  await ada.waitForFunction(() => /moderator/.test(document.querySelector(".toasts").textContent));
  // Ada asks for a remake, and Ben is against it.
  await ada.keyboard.press("F10");
  await ada.selectOption('[data-do="vote"]', { index: 1 });
  await Promise.all([ada, ben].map((p) => p.waitForSelector('[data-vote="remake"]')));
  assert.match(await ben.textContent('[data-vote="remake"]'), /1 of 2 votes/);
  await Promise.all([shot(ada, "14-vote"), shot(ben, "14-vote-phone")]);
  assert.deepEqual(await misfits(ben, "[data-vote] button"), []);
  await ben.click('[data-vote="remake"] [data-answer="no"]');
  await ada.waitForFunction(() =>
    /Rejected/.test(document.querySelector('[data-vote="remake"]')?.textContent),
  );
  // The match ends, and both are told their ratings.
  await ben.evaluate(() => window.fogkeep.match.order({ do: "surrender", units: [] }));
  for (const page of [ada, ben])
    await page.waitForFunction(
      () => window.fogkeep.match?.state.result !== null && window.fogkeep.match?.state.result !== undefined,
    );
  await ben.waitForSelector("dialog.end-panel");
  assert.match(await ben.textContent("dialog.end-panel .scores"), /\(Veil\)/);
  await shot(ben, "14-end-phone");
  await ben.click('dialog.end-panel [data-do="befriend"]');
  await ben.waitForSelector('dialog.end-panel [data-do="befriend"]:disabled');
  await ben.click('dialog.end-panel [data-do="report"]');
  await ben.waitForSelector('[data-field="report-player"] option', { state: "attached" });
  await shot(ben, "14-report-phone");
  assert.deepEqual(await misfits(ben, "dialog.report button, dialog.report select"), []);
  await ben.keyboard.press("Escape");
  await ada.evaluate(() => window.fogkeep.endMatch());
  await ada.waitForFunction(() =>
    /Rating 1[5-9]\d\d \(\+\d+\)/.test(document.querySelector(".toasts").textContent),
  );
  await ada.click('[data-do="account"]');
  await ada.waitForSelector('[data-rating="1v1"]');
  assert.match(
    await ada.textContent('[data-rating="1v1"]'),
    /Gold · Rating 1\d\d\d.*1 won, 0 lost.*Veil: 1 won, 0 lost, 0 drawn/,
  );
  await shot(ada, "14-rating");
  await ada.click('[data-do="rated-matches"] summary');
  await ada.waitForFunction(() =>
    /Guest.*1[5-9]\d\d \(\+\d+\)/.test(document.querySelector('[data-do="rated-matches"]').textContent),
  );
  // An admin ends the season, and the next one hides the rating until it is placed anew.
  await seasonEnds();
  await ada.keyboard.press("Escape");
  await ada.click('[data-do="account"]');
  await ada.waitForFunction(() =>
    /1 placement match left.*Season 1: 1[5-9]\d\d Gold/.test(
      document.querySelector('[data-rating="1v1"]')?.textContent,
    ),
  );
  await ada.click('[data-do="rated-matches"] summary');
  await ada.waitForSelector('[data-do="rated-matches"] li');
  await shot(ada, "14-season");
  await ada.keyboard.press("Escape");
  await ada.click('[data-do="leaderboard"]');
  await ada.waitForFunction(() =>
    /Season 2\./.test(document.querySelector("dialog.leaderboard")?.textContent),
  );
  await ada.waitForSelector("dialog.leaderboard .empty");
  await ada.keyboard.press("Escape");
  await ben.evaluate(() => window.fogkeep.endMatch());
  await moderates(ada, ben);
  await ada.close();
  await ben.close();
});

test("the link to a party brings a friend into it; its leader searches", { timeout: 240_000 }, async () => {
  const ada = await open("cid", 390, 844, PHONE);
  await ada.click('[data-do="quick-match"]');
  await ada.click('[data-do="invite-friends"]');
  const link = await ada.inputValue("dialog.party input[readonly]");
  await shot(ada, "14-party-phone");
  assert.deepEqual(await misfits(ada, "dialog.party button"), []);
  const ben = await open("dan", 880, 560, {}, link);
  await ben.waitForSelector(".join");
  assert.match(await ben.textContent("h1"), /invites you/);
  await ben.fill("#guest-name", "Dan");
  await shot(ben, "14-party-invitation");
  await ben.click('.join [data-do="join"]');
  await ada.waitForSelector('dialog.party [data-member="Dan"]');
  await ben.waitForSelector('.queue-bar [data-do="party"]');
  assert.equal(await ben.$('.queue-bar [data-do="quick-match"]'), null, "only the leader searches");
  await ada.selectOption('dialog.party [data-do="faction"]', "circle");
  await ben.click('.queue-bar [data-do="party"]');
  await ben.waitForFunction(
    () => document.querySelector("dialog.party .members li > .dim")?.textContent === "Circle",
  );
  await shot(ben, "14-party-factions");
  await ben.click("dialog.party .primary");
  await ada.click("dialog.party .primary");
  // The dialog opens with the queues. A second reading, which gets no answer here, would keep the form busy.
  let reads = 0;
  await ada.route("**/api/queues", (r) => (++reads === 1 ? r.continue() : undefined));
  await ada.click('.queue-bar [data-do="quick-match"]');
  assert.ok(await ada.isDisabled('dialog.quick input[value="1v1"]'), "two are too many for 1 v 1");
  await ada.click('[data-do="find-match"]');
  await ben.waitForSelector('[data-do="leave-queue"]');
  await shot(ben, "14-party-searching");
  await ben.click('[data-do="leave-queue"]');
  await ada.waitForSelector('.queue-bar [data-do="quick-match"]');
  await ada.close();
  await ben.close();
});

test("two friends find each other, talk, and meet in a lobby; a block silences", {
  timeout: 240_000,
}, async () => {
  const member = async (name, width, height, more) => {
    const page = await open(name, width, height, more);
    await page.evaluate(
      (name) =>
        fetch("/api/guest", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ name }),
        }),
      name,
    );
    await page.reload();
    await page.waitForSelector('[data-do="friends"]');
    return page;
  };
  const ada = await member("Fay");
  const ben = await member("Gus", 390, 844, PHONE);
  await ada.click('[data-do="friends"]');
  await ada.fill("dialog.friends form input", "gus");
  await ada.keyboard.press("Enter");
  await ada.waitForSelector('[data-person="Gus"] [data-do="withdraw"]');
  await ben.reload(); // the next look would come within half a minute
  await ben.waitForSelector('[data-do="friends"] .badge');
  await ben.click('[data-do="friends"]');
  await ben.click('[data-person="Fay"] [data-do="accept"]');
  await ben.waitForSelector('[data-person="Fay"] [data-do="talk"]');
  assert.deepEqual(await misfits(ben, "dialog.friends button"), []);
  await shot(ben, "14-friends-phone");
  await ben.click('[data-do="talk"]');
  await ben.fill("dialog.friends form input", "Shall we play?");
  await ben.keyboard.press("Enter");
  await ben.waitForFunction(() => /Shall we play/.test(document.querySelector("dialog .talk").textContent));
  await ben.click('[data-do="back"]');
  await ben.click("dialog.friends .close-dialog"); // a phone has no Escape
  await ben.waitForFunction(() => !document.querySelector("dialog"));

  await ada.keyboard.press("Escape");
  await ada.click('[data-do="create"]');
  await ada.waitForSelector('[data-seat="0"]');
  await ada.click('[data-do="friends"]');
  await ada.waitForSelector('[data-do="talk"] .badge');
  await shot(ada, "14-friends");
  await ada.click('[data-do="talk"]');
  await ada.waitForFunction(() => /Shall we play/.test(document.querySelector("dialog .talk").textContent));
  await shot(ada, "14-messages");
  await ada.click('[data-do="back"]');
  await ada.keyboard.press("Escape");
  await ben.click('[data-do="friends"]');
  await ben.waitForSelector('[data-person="Fay"] .chip.open');
  await ben.click('[data-do="join-friend"]');
  await Promise.all([ada, ben].map((p) => p.waitForSelector('[data-seat="1"]')));

  // The host gives Gus a handicap; he lowers it further, and both see it.
  await ada.click('[data-seat="1"] [data-do="handicap"]');
  await ada.fill('dialog.handicap input[name="start"]', "150");
  await shot(ada, "14-handicap");
  await ada.keyboard.press("Enter");
  await ben.waitForFunction(() => /start 150 %/.test(document.querySelector('[data-seat="1"]').textContent));
  await ben.click('[data-seat="1"] [data-do="handicap"]');
  await ben.fill('dialog.handicap input[name="damage"]', "80");
  await shot(ben, "14-handicap-phone");
  assert.deepEqual(await misfits(ben, "dialog.handicap form button, dialog.handicap input"), []);
  await ben.click('dialog.handicap [type="submit"]');
  await ada.waitForFunction(() =>
    /start 150 %, damage 80 %/.test(document.querySelector('[data-seat="1"]').textContent),
  );
  await shot(ada, "14-handicap-lobby");
  await shot(ben, "14-handicap-lobby-phone");

  await ada.click('[data-seat="1"] [data-do="person"]');
  await shot(ada, "14-person");
  await ada.click('dialog.person [data-do="block"]');
  await ada.waitForSelector("dialog.person", { state: "detached" });
  for (const [page, text] of [
    [ben, "unheard"],
    [ada, "heard by herself"],
  ]) {
    await page.fill(".lobby-chat input", text);
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (text) => document.querySelector(".lobby-chat .talk").textContent.includes(text),
      text,
    );
  }
  assert.doesNotMatch(await ada.textContent(".lobby-chat .talk"), /unheard/);
  assert.doesNotMatch(await ben.textContent(".lobby-chat .talk"), /heard by herself/);
  await ada.close();
  await ben.close();
});

test("a player who searches can play a bot, and the search ends as that match starts", {
  timeout: 240_000,
}, async () => {
  const gus = await open("gus", 880, 560);
  await gus.click('[data-do="guest"]');
  await gus.click('[data-do="quick-match"]');
  await gus.click('[data-do="find-match"]');
  const queued = () =>
    gus.evaluate(async () => (await (await fetch("/api/queue")).json()).party?.queue ?? "none");
  await gus.waitForSelector('[data-do="missions-instead"]');
  await gus.click('[data-do="bot-instead"]');
  await gus.waitForSelector('[data-do="start-bot"]:not([disabled])');
  assert.equal(await queued(), "1v1", "the search goes on beside the dialog");
  await gus.click('[data-do="start-bot"]');
  await live(gus);
  assert.equal(await queued(), "none");
  await gus.close();
});
