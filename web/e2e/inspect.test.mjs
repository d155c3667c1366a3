// The inspector against the real binary, on a staged match whose answers an obvious
// scan has computed (match/inspect/testdata): why each team sees each entity, the differences between teams, refused
// orders and the reasons, links and keys.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setUp } from "./setup.mjs";

const MATCH = "staged";
const STAGED = join(import.meta.dirname, "../../match/inspect/testdata");
const golden = JSON.parse(readFileSync(join(STAGED, "staged.golden.json"), "utf8"));

/** The words of reasons on the page. */
const REASONS = {
  own: "its own",
  always: "always visible",
  captured: "just captured",
  sight: "in sight",
  above: "seen from above",
  detected: "detected",
  revealed: "revealed",
  ghost: "as it was last seen",
  owner_only: "shown to its owner alone",
  range: "out of range",
  level: "on higher ground",
  blocked: "line blocked",
  cloaked: "cloaked",
  no_eyes: "no eyes left",
};

let page;

const stage = setUp({
  begin: async () => {
    const past = join(stage.server.data, "journals", "past");
    mkdirSync(past, { recursive: true });
    copyFileSync(join(STAGED, "staged.journal"), join(past, `${MATCH}.journal`));
    page = await openLink("chief", `#inspect/${MATCH}`);
  },
});

/** A page of its own that opens a link, and logs in for it. */
async function openLink(name, hash, width = 1280, height = 820) {
  const p = await stage.open(name, width, height, { everyPixel: true }, `${stage.server.adminUrl}/${hash}`);
  await p.fill("#password", stage.server.adminPassword);
  await p.click("button[type=submit]");
  await p.waitForFunction(() => window.fogkeepAdmin.inspect?.world?.entities.length > 0);
  return p;
}

const shot = (name, of = page) => stage.shot(of, `inspect-${name}`);
const api = (path) =>
  page.evaluate((p) => fetch(p).then((r) => r.json()), `/admin/api/inspect/${MATCH}${path}`);

/** Goes to a tick by the field, as a person does. */
async function goTo(tick, of = page) {
  await of.fill('[name="tick"]', String(tick));
  await of.press('[name="tick"]', "Enter");
  await of.waitForFunction((t) => window.fogkeepAdmin.inspect.world?.tick === t, tick);
}

/** Where a point of the map is on the page. */
const onPage = (x, y, of = page) =>
  of.evaluate(
    ([x, y]) => {
      const el = document.querySelector(".map-canvas");
      const box = el.getBoundingClientRect();
      const { map } = window.fogkeepAdmin.inspect.model;
      const c = map.at;
      return {
        x: box.left + (x - c.x) * c.zoom + box.width / 2,
        y: box.top + (y - c.y) * c.zoom + box.height / 2,
      };
    },
    [x, y],
  );

/** A team's card for the selected entity. */
async function card(team, id, tick, of = page) {
  await of.waitForFunction(
    ([id, tick]) => {
      const f = window.fogkeepAdmin.inspect.model.entity.value;
      return f?.id === id && f.tick === tick;
    },
    [id, tick],
  );
  return of.evaluate((team) => {
    const el = document.querySelector(`[data-why="${team}"]`);
    const row = window.fogkeepAdmin.inspect.model.entity.value.teams.find((t) => t.team === team);
    return {
      chip: el.querySelector(".chip").textContent,
      verdict: el.querySelector(".verdict").textContent,
      blocked: /Blocked by\s*tile (\d+), (\d+)/.exec(el.textContent)?.slice(1).map(Number) ?? null,
      line: row.line?.map((p) => [p.x, p.y]) ?? null,
    };
  }, team);
}

const model = (fn, arg) => page.evaluate(fn, arg);

test("why each team sees each entity is what the obvious scan says", { timeout: 240_000 }, async () => {
  // Two rows of each reason: of the latest tick that has it, and of the first.
  const rows = new Map();
  for (const r of [...golden, ...golden.toReversed()]) {
    const key = `${r.reason} ${r.now ?? ""} ${rows.size === 0 || r.tick > golden[0].tick}`;
    if (!rows.has(key)) rows.set(key, r);
  }
  for (const reason of ["sight", "blocked", "range", "cloaked", "ghost"])
    assert.ok(
      [...rows.values()].some((r) => r.reason === reason),
      `the staged match has ${reason}`,
    );
  for (const r of [...rows.values()].sort((a, b) => a.tick - b.tick)) {
    await goTo(r.tick);
    await model((id) => window.fogkeepAdmin.inspect.model.select({ kind: "entity", id }), r.id);
    const got = await card(r.team, r.id, r.tick);
    const what = `tick ${r.tick}: why team ${r.team} ${r.seen ? "sees" : "does not see"} ${r.type} ${r.id}`;
    assert.equal(got.chip, REASONS[r.reason], what);
    assert.equal(
      got.verdict,
      r.seen ? "Sees it" : r.reason === "ghost" ? "Remembers it" : "Does not see it",
      what,
    );
    assert.deepEqual(got.blocked, r.blocked ? [r.blocked.x, r.blocked.y] : null, what);
    assert.deepEqual(got.line, r.line?.map((p) => [p.x, p.y]) ?? null, what);
  }
});

test("a click asks for a unit, and its line is drawn; the map zooms and moves", {
  timeout: 240_000,
}, async () => {
  const hidden = golden.find((r) => r.reason === "blocked");
  await goTo(hidden.tick);
  await page.click('[data-do="zoom-all"]');
  const e = await model((id) => window.fogkeepAdmin.inspect.world.byId.get(id), hidden.id);
  const at = await onPage(e.x, e.y);
  await page.mouse.move(at.x, at.y);
  const zoom = () => model(() => window.fogkeepAdmin.inspect.model.map.at);
  const before = await zoom();
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((z) => window.fogkeepAdmin.inspect.model.map.at.zoom > z, before.zoom);
  const there = await onPage(e.x, e.y);
  assert.ok(Math.hypot(there.x - at.x, there.y - at.y) < 1, "what is under the pointer stays there");
  await page.mouse.click(at.x, at.y);
  await card(hidden.team, hidden.id, hidden.tick);
  assert.match(await page.textContent(".selection-head h3"), new RegExp(hidden.type));
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y + 30, { steps: 4 });
  await page.mouse.up();
  const moved = await onPage(e.x, e.y);
  assert.ok(
    Math.abs(moved.x - at.x - 60) < 2 && Math.abs(moved.y - at.y - 30) < 2,
    "the map moves with the hand",
  );
  // With the eyes of the team that does not see it, it is still asked about, and drawn hollow.
  await page.click(`[data-eyes="${hidden.team}"]`);
  await page.waitForFunction((t) => window.fogkeepAdmin.inspect.world?.eyes === t, hidden.team);
  assert.equal(await model((id) => window.fogkeepAdmin.inspect.world.byId.has(id), hidden.id), false);
  await page.click('[title="Move the map there (C)"]');
  await shot("1-blocked");
});

test("two teams beside each other are at one tick, and their difference is the server's", {
  timeout: 240_000,
}, async () => {
  await page.click('[data-mode="beside"]');
  await page.click('[data-other="1"]');
  const { tick } = golden[0];
  await goTo(tick);
  await page.keyboard.press(".");
  await page.waitForFunction(
    (t) =>
      window.fogkeepAdmin.inspect.world?.tick > t &&
      window.fogkeepAdmin.inspect.other?.tick === window.fogkeepAdmin.inspect.world.tick,
    tick,
  );
  assert.equal(await page.locator(".map-canvas").count(), 2);
  await shot("2-beside");
  await page.click('[data-mode="difference"]');
  await page.click('[data-eyes="0"]');
  await page.waitForFunction(
    () => window.fogkeepAdmin.inspect.world?.eyes === 0 && window.fogkeepAdmin.inspect.other?.eyes === 1,
  );
  const now = await model(() => window.fogkeepAdmin.inspect.world.tick);
  const { onlyA, onlyB } = await api(`/difference?tick=${now}&a=0&b=1`);
  const legend = await page.textContent('[data-legend="difference"]');
  const [a, b] = [...legend.matchAll(/: (\d+) tiles, (\d+) entities/g)].map((m) => [
    Number(m[1]),
    Number(m[2]),
  ]);
  assert.deepEqual(a, [onlyA.counts.tiles, onlyA.counts.entities + onlyA.counts.ghosts]);
  assert.deepEqual(b, [onlyB.counts.tiles, onlyB.counts.entities + onlyB.counts.ghosts]);
  await shot("3-difference");
  await page.click('[data-mode="eyes"]');
});

test("a refused order is found, with its place, its tick and the rule", { timeout: 240_000 }, async () => {
  const { rows } = await api("/orders?refused=1&limit=500");
  assert.ok(rows.length > 0, "the staged match has a refused order");
  await page.click('[data-tab="orders"]');
  await page.click("text=From the start");
  await page.selectOption('.order-filter [name="code"]', "refused");
  await page.waitForFunction(
    (n) =>
      document.querySelectorAll(".order-line.refused").length === n &&
      !document.querySelector(".order-line:not(.refused)"),
    rows.length,
  );
  const [first] = rows;
  await page.click(`[data-order-row="${first.n}"]`);
  await page.waitForFunction((t) => window.fogkeepAdmin.inspect.world?.tick === t, first.tick);
  await page.click('[data-tab="selection"]');
  const told = await page.textContent(`[data-order="${first.n}"]`);
  for (const words of ["Refused", first.code, first.rule.slice(1)])
    assert.ok(told.includes(words), `${words} in ${told}`);
  await shot("4-refused");
});

test("a tile says who lights it, and who does not", { timeout: 240_000 }, async () => {
  await page.click('[data-eyes="-1"]');
  await page.click('[data-do="zoom-all"]');
  await goTo(golden[0].tick);
  const at = await onPage(26.5, 30.5);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector('[data-tile="0"]');
  const file = await api(`/tile?tick=${golden[0].tick}&x=26&y=30&team=0`);
  const words = await page.textContent('[data-tile="0"]');
  assert.ok(
    words.includes(file.visible ? "Sees it now" : file.explored ? "not in sight" : "Never explored"),
    words,
  );
  assert.equal(await page.locator(".side .sources li").count(), file.sources.length + file.not.length);
});

test("a link opens the same on another page, keys move in time, and a phone shows all of it", {
  timeout: 240_000,
}, async () => {
  const r = golden.find((x) => x.reason === "blocked");
  await page.click(`[data-eyes="${r.team}"]`);
  await model((id) => window.fogkeepAdmin.inspect.model.select({ kind: "entity", id }), r.id);
  await page.keyboard.press("p");
  await page.keyboard.press("l");
  await page.waitForFunction(
    (id) => location.hash.includes(`entity=${id}`) && location.hash.includes("pins="),
    r.id,
  );
  const hash = await model(() => location.hash);
  const phone = await openLink("phone", hash, 390, 800);
  const shown = (of) =>
    of.evaluate(() => {
      const { tick, eyes, selection, pins } = window.fogkeepAdmin.inspect.model;
      return [tick.value, eyes.value, selection.value, pins.value];
    });
  assert.deepEqual(await shown(phone), await shown(page));
  await card(r.team, r.id, r.tick, phone);
  assert.ok(
    await phone.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth),
    "nothing is beside the page",
  );
  await stage.shot(phone, "inspect-5-phone");
  await phone.context().close();

  await page
    .locator(".map-canvas")
    .focus()
    .catch(() => undefined);
  const { first, last } = await model(() => window.fogkeepAdmin.inspect.model.facts.value);
  const at = (t) => page.waitForFunction((t) => window.fogkeepAdmin.inspect.world?.tick === t, t);
  await page.keyboard.press("End");
  await at(last);
  await page.keyboard.press(",");
  await at(last - 1);
  await page.keyboard.press("Home");
  await at(first);
  await page.keyboard.press(".");
  await at(first + 1);
  await page.keyboard.press("Escape"); // nothing is selected
  assert.equal(await model(() => window.fogkeepAdmin.inspect.model.selection.value), null);
  await page.keyboard.press("Escape"); // and then the list
  await page.waitForSelector(".match-filter");
});
