// A match of three nodes: the page goes with it when it is moved, and plays on when
// its node dies, though the page came from that very node.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, playBot } from "./browser.mjs";
import { startNodes } from "./nodes.mjs";

const BIN = process.env.FOGKEEP_BIN;
const ARTIFACTS = resolve(process.env.ARTIFACTS ?? "../artefacts");
/** The page does not report a shorter loss of its connection. */
const QUIET_MS = 1000;
/**
 * From the kill to the next frame. It takes about two seconds. But if the match has just come to the node whose log
 * server leads its stream, it waits for an election: 4 to 9 s, and as long again if both survivors stand at once.
 * Then the page waits up to 5 s for its next attempt. That makes 25 s, and the machine may be busy.
 */
const BACK_WITHIN_MS = 60_000;
const errors = [];
let browser;
let cluster;

before(
  async () => {
    assert.ok(BIN, "FOGKEEP_BIN names the built binary");
    mkdirSync(ARTIFACTS, { recursive: true });
    const [nodes, chromium] = await Promise.allSettled([startNodes(BIN, 3), launch()]);
    cluster = nodes.value; // what did start is ended
    browser = chromium.value;
    for (const start of [nodes, chromium]) if (start.status === "rejected") throw start.reason;
  },
  { timeout: 240_000 },
);

after(
  async () => {
    await browser?.close();
    await cluster?.stop();
    assert.deepEqual(errors, [], "errors of the page");
  },
  { timeout: 240_000 },
);

/** The page's data about its match. */
const look = (page) =>
  page.evaluate(() => {
    const { match } = window.fogkeep;
    const { ids, owner, type } = match.state.world;
    const { types } = match.info.rules;
    return {
      id: match.info.matchId,
      tick: match.state.tick,
      place: match.place,
      status: match.status,
      resyncs: match.resyncs,
      own: [...ids].filter(
        (id, s) => id && owner[s] === match.info.slot && types[type[s]].class !== "projectile",
      ).length,
    };
  });

/** Waits until the page has frames from another socket than it had. */
async function elsewhere(page, was, within) {
  await page.waitForFunction(
    ({ place, tick }) => {
      const { match } = window.fogkeep;
      return match.place !== place && match.status === "live" && match.state.tick > tick;
    },
    was,
    { timeout: within, polling: 20 },
  );
  return look(page);
}

/** Sends the scouts somewhere, and waits until the server took the order and a unit moved. */
async function unitsObey(page, dx) {
  const answer = await page.evaluate(async (dx) => {
    const { match } = window.fogkeep;
    const { world } = match.state;
    const at = (h) => ({ x: world.posX(world.slot(h)), y: world.posY(world.slot(h)) });
    const { types } = match.info.rules;
    const units = [...world.ids].filter(
      (id, s) => id && world.owner[s] === match.info.slot && types[world.type[s]].name === "scout",
    );
    const [first] = units;
    const was = at(first);
    const answer = await match.order({ do: "move", units, to: { x: was.x + dx, y: was.y } }).answer;
    window.moved = () => world.has(first) && Math.abs(at(first).x - was.x) > 512;
    return answer;
  }, dx);
  assert.equal(answer.ok, true, JSON.stringify(answer));
  await page.waitForFunction(() => window.moved());
}

test("a page goes with its match, and plays on over the death of its node", {
  timeout: 240_000,
}, async (t) => {
  const [home, other] = cluster.nodes();
  const page = await open(browser, errors, home.playUrl, "ada", 720, 480);
  await playBot(page);
  let was = await look(page);
  await unitsObey(page, 4096);

  // Planned moves, until the match is on the node that the page came from.
  for (const to of cluster.at(was.place) === home ? [other, home] : [home]) {
    const begun = Date.now();
    await cluster.move(was.id, to);
    const now = await elsewhere(page, was, BACK_WITHIN_MS);
    t.diagnostic(`moved to ${to.name}: live there ${Date.now() - begun} ms after the command`);
    assert.equal(cluster.at(now.place), to);
    assert.equal(now.id, was.id);
    was = now;
  }
  await unitsObey(page, -4096);
  await page.screenshot({ path: join(ARTIFACTS, "cluster-moved.png") });

  // The node dies, and with it the server of the page.
  // How long that is, and whether the page draws a banner meanwhile, the machine decides.
  was = await look(page);
  await page.evaluate(() => {
    for (const alert of document.querySelectorAll(".alert")) alert.remove(); // of a move on a busy machine
    window.lostMs = 0;
    let since = 0;
    window.fogkeep.match.events.on("status", ({ now }) => {
      if (now === "resuming") since ||= performance.now();
      else if (since) {
        window.lostMs = Math.max(window.lostMs, performance.now() - since);
        since = 0;
      }
    });
  });
  const killed = Date.now();
  await home.kill();
  const now = await elsewhere(page, was, BACK_WITHIN_MS);
  const lostMs = await page.evaluate(() => window.lostMs);
  assert.ok(lostMs > 0, "the page knows how long it was alone");
  const said = page.getByRole("button", { name: "Connected again" });
  if (lostMs > QUIET_MS + 100) await said.waitFor({ state: "attached" });
  await page.screenshot({ path: join(ARTIFACTS, "cluster-lost.png") });
  t.diagnostic(`killed: the first frame ${Date.now() - killed} ms after`);
  assert.equal(now.id, was.id);
  assert.notEqual(cluster.at(now.place), home);
  assert.equal(now.own, was.own);
  await page.waitForSelector(".banner", { state: "hidden" });
  await unitsObey(page, 4096);
  await page.waitForFunction((tick) => window.fogkeep.match.state.tick > tick + 60, now.tick); // three hashes
  assert.equal((await look(page)).resyncs, 0, "what the page holds is what its team sees");
  await page.screenshot({ path: join(ARTIFACTS, "cluster-again.png") });
});
