// The demo: web/dist/demo from a server of files alone. Once the page has loaded, its browser is offline. With
// FOGKEEP_TEST_LONG=1 it plays for five minutes.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { drawn, launch, live, open } from "./browser.mjs";

const DEMO = fileURLToPath(new URL("../dist/demo", import.meta.url));
const ARTIFACTS = resolve(process.env.ARTIFACTS ?? "../artefacts");
const LONG = process.env.FOGKEEP_TEST_LONG === "1";
/** Ticks of match time that are played. */
const TICKS = LONG ? 5 * 60 * 20 : 60;
/** A visitor loads at most so many bytes, by brotli. */
const BROTLI_MAX = 4_000_000;
/** The same by gzip, which takes seconds in place of minutes: measured, brotli makes 0.71 of it. */
const GZIP_MAX = BROTLI_MAX / 0.71;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** The demo's files by path. */
const files = new Map(
  readdirSync(DEMO, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile())
    .map((f) => join(f.parentPath, f.name))
    .map((path) => [path.slice(DEMO.length).replaceAll("\\", "/"), readFileSync(path)]),
);

const errors = [];
let browser;
let server;
let page;

before(
  async () => {
    mkdirSync(ARTIFACTS, { recursive: true });
    server = createServer((request, answer) => {
      const path = request.url === "/" ? "/index.html" : request.url;
      const body = files.get(path);
      answer.writeHead(body ? 200 : 404, {
        "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      });
      answer.end(body);
    });
    await new Promise((r) => server.listen(0, "127.0.0.1", r));
    browser = await launch();
    page = await open(browser, errors, `http://127.0.0.1:${server.address().port}/`, "demo", 1100, 700);
  },
  { timeout: 240_000 },
);

after(async () => {
  await browser?.close();
  server?.close();
  assert.deepEqual(errors, [], "errors of the page");
});

test("a visitor loads at most four megabytes", { timeout: 900_000 }, () => {
  const size = { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } };
  let bytes = 0;
  for (const [path, body] of files) {
    const plain = path.endsWith(".bin") ? gunzipSync(body) : body;
    if (LONG) bytes += brotliCompressSync(plain, size).length;
    else bytes += path.endsWith(".bin") ? body.length : gzipSync(plain).length;
  }
  const most = LONG ? BROTLI_MAX : GZIP_MAX;
  assert.ok(bytes > most / 2 && bytes < most, `${bytes} bytes of ${files.size} files, at most ${most}`);
});

test("a match against bots needs no server", { timeout: 2_400_000 }, async () => {
  await page.click('[data-do="play-bot"]');
  await page.click('dialog .choice:has([value="four-winds"])');
  await page.selectOption("#demo-bots", "3");
  await page.click('dialog .choice:has([value="hard"])');
  await page.screenshot({ path: join(ARTIFACTS, "demo-dialog.png") });
  await page.context().setOffline(true);
  assert.equal(await page.evaluate(() => fetch(location.href).catch(() => "offline")), "offline");
  await page.click('[data-do="start-bot"]');
  await live(page);
  const found = await page.evaluate(async () => {
    const { match } = window.fogkeep;
    const { world, info } = match.state;
    const own = (passes) => {
      for (let s = 0; s < world.high; s++)
        if (world.ids[s] && world.owner[s] === info.slot && passes(info.rules.types[world.type[s]])) return s;
      throw new Error("the player has none");
    };
    const worker = own((type) => type.worker);
    const to = { x: world.posX(worker) + 2048, y: world.posY(worker) };
    const answer = await match.order({ do: "move", units: [world.ids[worker]], to }).answer;
    const train = { do: "train", units: [world.ids[own((type) => type.centre)]], what: world.type[worker] };
    const trained = await match.order(train).answer;
    return { bots: info.players.filter((p) => p.bot).length, slot: info.slot, answer, trained };
  });
  assert.equal(found.bots, 3);
  assert.equal(found.slot, 0);
  assert.ok(found.answer.ok, JSON.stringify(found.answer));
  assert.ok(found.trained.ok, JSON.stringify(found.trained));
  await page.waitForFunction((ticks) => window.fogkeep.match.state.tick > ticks, TICKS, {
    timeout: 2_000_000,
  });
  await page.screenshot({ path: join(ARTIFACTS, "demo-match.png") });
});

test("the page has nothing that its player does not see", async () => {
  const hidden = await page.evaluate(() => {
    const { state } = window.fogkeep.match;
    const { world, info, mask } = state;
    const tileOf = (s) => (world.posY(s) >> 10) * info.map.width + (world.posX(s) >> 10);
    const foreign = [...Array(world.high).keys()].filter((s) => world.ids[s] && world.owner[s] !== info.slot);
    const shown = [...Array(info.map.width * info.map.height).keys()].filter((i) => mask.visible(i)).length;
    return {
      units: foreign.filter((s) => !mask.visible(tileOf(s))).map((s) => info.rules.types[world.type[s]].name),
      share: shown / (info.map.width * info.map.height),
    };
  });
  assert.deepEqual(hidden.units, []);
  assert.ok(hidden.share > 0 && hidden.share < 0.9, `${hidden.share} of the map is in sight`);
});

/** Opens the menu of the match, and chooses an entry. */
async function menu(entry) {
  await page.click("text=Menu");
  await page.click(`[data-do="${entry}"]`);
}

const shownTick = () => page.evaluate(() => window.fogkeep.match.state.tick);

test("a page that is loaded again goes on with the match", { timeout: 240_000 }, async () => {
  const { tick, id } = await page.evaluate(() => {
    const { match } = window.fogkeep;
    return { tick: match.state.tick, id: match.info.matchId };
  });
  await page.context().setOffline(false);
  await page.reload();
  await page.waitForSelector('[data-do="continue"]');
  assert.equal(await page.getAttribute("[data-storage]", "data-storage"), "saved");
  await page.screenshot({ path: join(ARTIFACTS, "demo-continue.png") });
  await page.click('[data-do="continue"]');
  await live(page);
  const found = await page.evaluate(async () => {
    const { state, info } = window.fogkeep.match;
    return { tick: state.tick, id: info.matchId, bots: info.players.filter((p) => p.bot).length };
  });
  assert.equal(found.id, id);
  assert.equal(found.bots, 3);
  // A second of match time may not have come to the disk.
  assert.ok(found.tick >= tick - 20 && found.tick < tick + 2000, `tick ${found.tick}, and ${tick} before`);
});

test("the inspector shows who sees what, and the match goes on after it", { timeout: 240_000 }, async () => {
  const tick = await shownTick();
  await menu("inspect");
  await page.waitForFunction(() => {
    const world = window.fogkeep.hook.inspect?.world;
    return world && [0, 1, 2, 3].every((slot) => world.entities.some((e) => e.slot === slot));
  });
  const seen = await page.evaluate(() => {
    const { world, model } = window.fogkeep.hook.inspect;
    const foreign = world.entities.find((e) => e.slot === 1);
    model.select({ kind: "entity", id: foreign.id });
    return { tick: world.tick, all: world.entities.length };
  });
  assert.ok(seen.tick >= tick, `tick ${seen.tick}, and ${tick} before`);
  await page.waitForSelector(".side-body .selection");
  await page.screenshot({ path: join(ARTIFACTS, "demo-inspector.png") });
  await page.click('[data-eyes="0"]');
  await page.waitForFunction((all) => window.fogkeep.hook.inspect.world.entities.length < all, seen.all);
  await page.click('[data-do="back-to-list"]');
  await page.click('[data-do="continue"]');
  await live(page);
  assert.ok((await shownTick()) >= seen.tick);
});

test("the menu leads back to the first screen, and to another match", { timeout: 240_000 }, async () => {
  await menu("leave-match");
  await page.click('[data-do="play-bot"]');
  await page.click('[data-do="start-bot"]');
  await live(page);
  assert.equal(await page.evaluate(() => window.fogkeep.match.state.info.players.length), 2);
});

test("a match that is over is shown again, with all eyes", { timeout: 240_000 }, async () => {
  await page.evaluate(() => void window.fogkeep.match.order({ do: "surrender", units: [] }));
  await page.click('[data-do="watch-replay"]');
  await page.waitForFunction(() => {
    const { replay } = window.fogkeep;
    if (!replay) return false;
    const { world } = replay.match.state;
    const owners = [...Array(world.high).keys()].filter((s) => world.ids[s]).map((s) => world.owner[s]);
    return owners.includes(0) && owners.includes(1);
  });
  assert.equal(await page.$$eval('[data-do="replay-share"]', (all) => all.length), 0, "no link leads here");
  await page.evaluate(() => window.fogkeep.replay.seek(20));
  await page.waitForFunction(() => window.fogkeep.match.state.tick >= 20);
  await drawn(page);
  await page.screenshot({ path: join(ARTIFACTS, "demo-replay.png") });
});

test("past matches are listed, shown again and deleted", { timeout: 240_000 }, async () => {
  await menu("leave-match");
  await page.waitForSelector('[data-do="watch-save"]');
  assert.equal(await page.locator('[data-do="watch-save"]').count(), 2);
  assert.equal(await page.locator('[data-do="continue"]').count(), 0);
  await page.screenshot({ path: join(ARTIFACTS, "demo-saves.png") });
  // The first match was given up for the second.
  await page.locator('[data-do="watch-save"]').last().click();
  await page.waitForFunction(() => window.fogkeep.replay?.match.info.players.length === 4);
  await menu("leave-match");
  await page.locator('[data-do="delete-save"]').last().click();
  await page.waitForFunction(() => document.querySelectorAll('[data-do="watch-save"]').length === 1);
});

test("another tab says that it saves nothing", { timeout: 240_000 }, async () => {
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector('[data-storage="elsewhere"]', { timeout: 90_000 });
  await other.close();
});

test("a page whose program has ended says so, and goes on when it is loaded again", {
  timeout: 240_000,
}, async () => {
  await page.click('[data-do="play-bot"]');
  await page.click('[data-do="start-bot"]');
  await live(page);
  await page.evaluate(() =>
    window.fogkeep.local.channel.dispatchEvent(new ErrorEvent("error", { message: "out of memory" })),
  );
  await page.waitForSelector(".demo-notice >> text=out of memory");
  await page.screenshot({ path: join(ARTIFACTS, "demo-ended.png") });
  await page.click('[data-do="reload"]');
  await page.click('[data-do="continue"]');
  await live(page);
});
