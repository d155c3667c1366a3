// The demo: web/dist/demo from a server of files alone, which is gone once the page has loaded. With
// FOGKEEP_TEST_LONG=1 it plays for five minutes.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { launch, live, open } from "./browser.mjs";

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
  server.closeAllConnections();
  await new Promise((r) => server.close(r));
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

test("the menu leads back to the first screen, and to another match", { timeout: 240_000 }, async () => {
  await page.click("text=Menu");
  await page.click('[data-do="leave-match"]');
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
  await page.waitForFunction(() => window.fogkeep.match.state.tick >= 20 && window.fogkeep.game.frames > 20);
  await page.screenshot({ path: join(ARTIFACTS, "demo-replay.png") });
});
