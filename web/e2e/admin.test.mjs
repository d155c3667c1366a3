// The admin page in a real browser against the real binary: the first log-in,
// one's own password, other admins and their rights, an account's file, bans, a reset link that works once, and the
// audit entries for all that.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setUp } from "./setup.mjs";

/** A map that a lobby can play. */
const SCENARIO = join(import.meta.dirname, "../../match/scenario/testdata/lobby.json");

let page;

const stage = setUp({
  begin: async () => {
    page = await openAdmin("chief");
  },
});

const open = (url, name) => stage.open(name, 1180, 760, {}, url);
const openAdmin = (name) => open(stage.server.adminUrl, name);
const shot = (name, of = page) => stage.shot(of, `admin-${name}`);

async function logIn(of, name, password) {
  await of.fill("#name", name);
  await of.fill("#password", password);
  await of.click("button[type=submit]");
}

/** The requests of a player's browser, without a browser. */
async function player(path, body, token) {
  const res = await fetch(`${stage.server.playUrl}/api${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const text = await res.text();
  return { status: res.status, ...(text ? JSON.parse(text) : {}) };
}

/** Fills the dialog that is open and does it. */
async function answer(fields, of = page) {
  for (const [name, value] of Object.entries(fields)) {
    const control = of.locator(`dialog:last-of-type [name="${name}"]`);
    if (typeof value === "boolean") await control.setChecked(value);
    else if ((await control.evaluate((e) => e.tagName)) === "SELECT") await control.selectOption(value);
    else await control.fill(value);
  }
  await of.click("dialog:last-of-type button[type=submit]");
}

const gone = (of = page) => of.waitForFunction(() => document.querySelectorAll("dialog").length === 0);

async function go(name, of = page) {
  await of.click(`[data-page="${name}"]`);
  await of.waitForSelector(".admin-body table");
}

/** The text of the one row of the table that holds some words. */
async function row(words, of = page) {
  const found = of.locator(".admin-body tbody tr", { hasText: words });
  await found.first().waitFor();
  return found.first();
}

const secret = async (of = page) => {
  await of.waitForSelector("dialog .secret");
  const told = await of.textContent("dialog .secret");
  await of.click("dialog .primary");
  await gone(of);
  return told;
};

let mo;

test("the first admin logs in, and chooses a password of its own", { timeout: 240_000 }, async () => {
  await logIn(page, "admin", "a wrong password");
  await page.waitForFunction(() => document.querySelector(".error")?.textContent.includes("wrong"));
  await shot("1-login");
  await logIn(page, "admin", stage.server.adminPassword);
  await page.waitForSelector('[data-do="password"]');
  await page.click('[data-do="password"]');
  await answer({ old: stage.server.adminPassword, next: "hall of mirrors", again: "hall of mirror" });
  await page.waitForFunction(() =>
    document.querySelector("dialog .error")?.textContent.includes("same twice"),
  );
  await answer({ again: "hall of mirrors" });
  await gone();
  await page.reload();
  await page.waitForSelector('[data-do="password"]'); // this session stays
});

test("it makes a moderator, who may do what moderators may", { timeout: 240_000 }, async () => {
  await go("admins");
  await page.click('[data-do="add-admin"]');
  await answer({ name: "Mo", role: "moderator", fog: false });
  const password = await secret();
  assert.match(password, /^\S{20}$/);
  await row("Mo");
  await shot("2-admins");
  mo = await openAdmin("mo");
  await logIn(mo, "Mo", password);
  const guest = await player("/guest", { bearer: true });
  await player("/play/bot", {}, guest.token);
  await mo.waitForSelector(".chip.live");
  assert.equal(await mo.locator("[data-inspect]").count(), 0, "it has no right to look through the fog");
  const { matches } = await mo.evaluate(() => fetch("/admin/api/matches").then((r) => r.json()));
  await mo.evaluate((id) => {
    location.hash = `#inspect/${id}`;
  }, matches[0].id); // with a link it is told so
  await mo.waitForFunction(() => document.querySelector(".admin-body .error")?.textContent.includes("right"));
  await go("admins", mo);
  await row("admin", mo);
  assert.equal(await mo.locator('[data-do="add-admin"]').count(), 0, "a moderator makes no admins");
  assert.equal(await mo.getByRole("button", { name: "Drain" }).count(), 0, "nor does it drain");
  assert.equal(await mo.getByRole("button", { name: "Announce" }).count(), 1);
});

test("it says who may watch a match, and opens a scenario", { timeout: 240_000 }, async () => {
  await go("matches", mo);
  const access = () =>
    mo.evaluate(() =>
      fetch("/admin/api/matches")
        .then((r) => r.json())
        .then((r) => r.matches[0].options.replays),
    );
  assert.equal(await access(), "participants");
  await mo.getByRole("button", { name: "Replay" }).first().click();
  assert.equal(await mo.inputValue('dialog [name="access"]'), "participants");
  await shot("2b-replay", mo);
  await answer({ access: "off" }, mo);
  await gone(mo);
  assert.equal(await access(), "off");

  await go("lobbies", mo);
  const file = JSON.parse(readFileSync(SCENARIO, "utf8"));
  const choose = (what) =>
    mo.setInputFiles('dialog [name="file"]', {
      name: "scenario.json",
      mimeType: "application/json",
      buffer: Buffer.from(what),
    });
  await mo.click('[data-do="open-scenario"]');
  await choose(JSON.stringify({ ...file, units: [{ ...file.units[0], type: "dragon" }] }));
  await mo.click("dialog button[type=submit]");
  await mo.waitForFunction(() => document.querySelector("dialog .error")?.textContent.includes("/units/0"));
  await shot("2c-scenario-wrong", mo);
  await choose(JSON.stringify(file));
  await mo.click("dialog button[type=submit]");
  assert.match(await secret(mo), /^http:\/\/127\.0\.0\.1:\d+\/#lobby=[0-9a-f-]{36}$/);
  await row(file.name, mo);
  await shot("2d-scenario", mo);
});

test("an account's file says what there is, and what is done to it holds", { timeout: 240_000 }, async () => {
  const made = await player("/register", {
    name: "Ada",
    email: "ada@example.org",
    password: "difference engine",
    bearer: true,
  });
  await player("/play/bot", {}, made.token);
  await go("accounts");
  await page.fill('input[type="search"]', "ad");
  await (await row("Ada")).getByRole("button", { name: "Open" }).click();
  await page.waitForSelector(".account-file .sessions tbody tr");
  const told = await page.textContent(".account-file");
  for (const words of ["Ada", "ada@example.org", "lobby", "127.0.0.1"])
    assert.ok(told.includes(words), `${words} in ${told}`);
  await shot("3-account");

  await page.getByRole("button", { name: "Reset link" }).click();
  await answer({});
  await page.waitForSelector("dialog .secret");
  const link = await page.textContent("dialog .secret");
  await shot("4-reset-link");
  await page.click("dialog:last-of-type .primary");
  const visitor = await open(new URL(link, stage.server.playUrl).href, "visitor");
  await visitor.fill("#password", "analytical engine");
  await visitor.click("button");
  await visitor.waitForFunction(() => document.querySelector("#answer").textContent.includes("is set"));
  await shot("5-reset-page", visitor);
  assert.equal((await player("/login", { name: "Ada", password: "difference engine" })).status, 401);
  assert.equal((await player("/login", { name: "ada", password: "analytical engine" })).status, 200);

  await page.getByRole("button", { name: "Ban", exact: true }).click();
  await answer({ reason: "wall hacks", hours: "168" });
  await page.waitForSelector(".account-file .chip.banned");
  const fresh = await player("/login", { name: "Ada", password: "analytical engine", bearer: true });
  const refused = await player("/play/bot", {}, fresh.token);
  assert.equal(refused.code, "banned_account");
  assert.ok(refused.detail.includes("wall hacks"));
  await page.getByRole("button", { name: "Lift the ban" }).click();
  await answer({});
  await page.waitForFunction(() => !document.querySelector(".account-file .chip.banned"));

  await page.getByRole("button", { name: "Delete" }).click();
  await answer({ name: "Somebody" });
  await page.waitForFunction(() =>
    document.querySelector("dialog:last-of-type .error")?.textContent.includes("another name"),
  );
  await answer({ name: "Ada" });
  await gone();
  assert.equal((await player("/login", { name: "Ada", password: "analytical engine" })).status, 401);
});

test("a moderator bans addresses, and lifts it", { timeout: 240_000 }, async () => {
  await go("bans", mo);
  await mo.click('[data-do="ban"]');
  await answer({ who: "127.0.0.1", reason: "a flood", hours: "0" }, mo);
  await gone(mo);
  await shot("6-bans", mo);
  const refused = await player("/guest", {});
  assert.equal(refused.code, "banned_address");
  await (await row("127.0.0.1", mo)).getByRole("button", { name: "Lift" }).click();
  // The list has another ban that was lifted, of an account.
  await mo.locator("tr", { hasText: "127.0.0.1" }).filter({ hasText: "lifted" }).waitFor();
  assert.equal((await player("/guest", {})).status, 200);
});

test("a service key is made, rotated and revoked; a webhook endpoint is registered", {
  timeout: 240_000,
}, async () => {
  await go("service", mo);
  assert.equal(await mo.locator('[data-do="add-key"], [data-do="add-webhook"]').count(), 0, "admins alone");
  await go("service");
  await page.click('[data-do="add-key"]');
  await answer({ name: "Tournaments", issuer: "studio", hours: "720" });
  await page.waitForFunction(() => document.querySelector("dialog .error")?.textContent.includes("scope"));
  await shot("9-new-key");
  await answer({ "matches:write": true, "players:read": true });
  const made = await secret();
  assert.match(made, /^fks_\S{40,}$/);
  const told = await (await row("Tournaments")).textContent();
  for (const words of ["studio", "matches:write, players:read", "by admin", "never"])
    assert.ok(told.includes(words), `${words} in ${told}`);
  await (await row("Tournaments")).getByRole("button", { name: "Rotate" }).click();
  await answer({ overlap: "168" });
  assert.notEqual(await secret(), made);
  await row("old secret until");

  await page.click('[data-do="add-webhook"]');
  await answer({ url: "ftp://hooks.example.org" });
  await page.waitForFunction(() => document.querySelector("dialog .error")?.textContent);
  await answer({ url: "https://hooks.example.org/fogkeep", "player.left": false });
  assert.match(await secret(), /^whsec_/);
  await row("hooks.example.org");

  // An event dies after 30 hours of tries. The test answers the pages with one dead event, and keeps their requests.
  const { endpoints } = await page.evaluate(() => fetch("/admin/api/webhooks").then((r) => r.json()));
  const at = new Date().toISOString();
  let events = [
    {
      num: 7,
      id: "e7",
      endpoint: endpoints[0].id,
      kind: "match.ended",
      created: at,
      dead: at,
      tries: 15,
      failure: "status 500",
    },
  ];
  let retried = "";
  await page.route("**/admin/api/webhooks/dead**", (route) => {
    if (route.request().method() === "GET") return route.fulfill({ json: { events } });
    events = [];
    retried = new URL(route.request().url()).pathname;
    return route.fulfill({ status: 204 });
  });
  const dead = await row("status 500");
  assert.ok((await dead.textContent()).includes("https://hooks.example.org/fogkeep"));
  await shot("9-service");
  await dead.getByRole("button", { name: "Retry" }).click();
  await answer({});
  await gone();
  await dead.waitFor({ state: "detached" });
  assert.equal(retried, "/admin/api/webhooks/dead/7/retry");
  await (await row("hooks.example.org")).getByRole("button", { name: "Delete" }).click();
  await answer({});
  await gone();

  await (await row("Tournaments")).getByRole("button", { name: "Revoke" }).click();
  await answer({});
  await gone();
  const revoked = await row("revoked");
  assert.equal(await revoked.getByRole("button").count(), 0);
});

test("the server drains and goes on; an admin who is disabled is out at once", {
  timeout: 240_000,
}, async () => {
  await page.getByRole("button", { name: "Drain" }).click();
  await answer({});
  await page.waitForFunction(() =>
    document.querySelector(".admin-top.server").textContent.includes("draining"),
  );
  const guest = await player("/guest", { bearer: true });
  assert.equal((await player("/play/bot", {}, guest.token)).code, "draining");
  await page.getByRole("button", { name: "Allow matches" }).click();
  await answer({});
  await page.waitForFunction(
    () => !document.querySelector(".admin-top.server").textContent.includes("draining"),
  );
  assert.equal((await player("/play/bot", {}, guest.token)).status, 200);

  await mo.getByRole("button", { name: "Announce" }).click();
  await go("admins");
  await (await row("Mo")).getByRole("button", { name: "Disable" }).click();
  await answer({});
  await gone();
  await mo.waitForSelector("#password"); // its page asks who it is
  assert.ok((await mo.textContent(".error")).includes("ended"));
  assert.equal(await mo.locator("dialog").count(), 0, "no dialog stays over the log-in");
});

test("the audit has a row for each of it", { timeout: 240_000 }, async () => {
  await go("audit");
  await row("admin.change");
  const rows = await page.$$eval(".admin-body tbody tr", (all) =>
    all.map((tr) => `${tr.children[1].textContent} ${tr.children[2].textContent}`),
  );
  await shot("7-audit");
  assert.deepEqual(rows.reverse(), [
    "first start admin.add",
    "admin login",
    "admin admin.password",
    "admin admin.add",
    "Mo login",
    "Mo match.replays",
    "Mo scenario.open",
    "admin account.reset",
    "admin ban.add",
    "admin ban.lift",
    "admin account.delete",
    "Mo ban.add",
    "Mo ban.lift",
    "admin key.add",
    "admin key.rotate",
    "admin webhook.add",
    "admin webhook.delete",
    "admin key.revoke",
    "admin house.drain",
    "admin house.drain",
    "admin admin.change",
  ]);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForSelector("#password");
});

test("both API pages show every operation", { timeout: 240_000 }, async () => {
  for (const [url, name, least] of [
    [`${stage.server.playUrl}/api/docs`, "players", 25],
    [`${stage.server.adminUrl}/admin/api/docs`, "admins", 22],
  ]) {
    const docs = await open(url, name);
    await docs.waitForSelector("details");
    const n = await docs.locator("details").count();
    assert.ok(n >= least, `${n} operations of ${name}`);
    await docs.locator("details").nth(1).click();
    await shot(`8-docs-${name}`, docs);
  }
});
