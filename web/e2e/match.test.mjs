// The whole path in a real browser against the real binary: two players and a
// bot meet, fight their way to each other, and an admin looks on.
//
//	FOGKEEP_TEST_MAPS  a folder of real maps; without it a shipped map is played

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, live } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const stage = setUp({ maps: process.env.FOGKEEP_TEST_MAPS });
const { open, shot } = stage;
let ada;
let ben;
let admin;
let cleo;

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

async function register(page, name) {
  await page.fill("#name", name);
  await page.fill("#password", "a lamp in the valley");
  await page.click('[data-do="register"]');
  await page.waitForSelector('[data-do="create"]');
}

/** How many things of a slot this player is told of now. */
const seenOf = (page, slot) =>
  page.evaluate((slot) => {
    const { world } = window.fogkeep.match.state;
    let n = 0;
    for (let s = 0; s < world.high; s++) if (world.ids[s] !== 0 && world.owner[s] === slot) n++;
    return n;
  }, slot);

/** Waits until every order was answered; prints the client's state when an answer is missing. */
async function answered(page) {
  try {
    await page.waitForFunction(() => window.fogkeep.match.unanswered === 0, null, {
      polling: 100,
      timeout: 240_000,
    });
  } catch {
    const state = await page.evaluate(() => {
      const m = window.fogkeep.match;
      return {
        unanswered: m.unanswered,
        status: m.status,
        tick: m.state.tick,
        live: m.link.live,
        sent: m.traffic.sent.total("match"),
      };
    });
    assert.fail(`orders were not answered: ${JSON.stringify(state)}\n${stage.server.log()}`);
  }
}

const slotOf = (page) => page.evaluate(() => window.fogkeep.match.info.slot);

step("two players register, meet in a lobby with a bot, and start", { timeout: 240_000 }, async () => {
  ada = await open("ada", 880, 560, { backdrop: true });
  await ada.waitForFunction(() => window.fogkeep.backdrop.scene?.stands);
  await shot(ada, "1-title");
  ben = await open("ben", 480, 320); // smaller: a machine without a GPU draws for all
  await Promise.all([register(ada, "Ada"), register(ben, "Ben")]);

  await ada.waitForFunction(() => document.querySelectorAll("#lobby-map option").length > 0);
  const maps = await ada.$$eval("#lobby-map option", (all) =>
    all.map((o) => ({ id: o.value, words: o.textContent ?? "" })),
  );
  const wanted = stage.server.imported
    ? maps.find(
        (m) => m.words.includes(stage.server.imported) || m.id.includes(stage.server.imported.toLowerCase()),
      )
    : maps.find((m) => /\(4\)/.test(m.words));
  assert.ok(
    wanted,
    `the lobby offers ${stage.server.imported ?? "a shipped map with 4 starts"}: ${JSON.stringify(maps)}`,
  );
  await ada.selectOption("#lobby-map", wanted.id);
  await ada.fill("#lobby-name", "Lamps");
  await ada.fill("#lobby-limit", "3");
  await ada.click(".create summary");
  await ada.fill("#lobby-spectatorDelay", "30");
  await shot(ada, "2-lobbies");
  await ada.click('button[data-do="create"]');
  await ada.waitForSelector('[data-do="add-bot"]').catch(async (err) => {
    const page = await ada.evaluate(() => document.body.textContent);
    assert.fail(`the lobby does not open: ${err.message}\n${page}\n${stage.server.log()}`);
  });

  // The host thinks again: half a minute would be too late to look on.
  await ada.click('[data-do="configure"]');
  await ada.waitForFunction(() => document.querySelectorAll("#change-map option").length > 0);
  await ada.fill("#change-spectatorDelay", "2");
  await ada.click('[data-do="change"]');
  await ada.waitForFunction(() =>
    /2 s delayed/.test(document.querySelector("[data-rules]")?.textContent ?? ""),
  );

  await ben.click('.lobby-row [data-do="join"]');
  await ben.waitForSelector('[data-do="ready"]');
  // A stronger bot ends the match within five minutes, and a slow machine takes longer for these steps.
  await ada.selectOption(".add-bot select", "beginner");
  await ada.click('[data-do="add-bot"]');
  for (const page of [ada, ben]) {
    // ready agrees to the lobby as it is shown
    await page.waitForFunction(() => document.querySelectorAll(".seat[data-seat]").length === 3);
  }
  await ben.click('[data-do="ready"]');
  await ben.waitForFunction(
    () => document.querySelector('[data-do="ready"]')?.getAttribute("aria-pressed") === "true",
  );
  await shot(ada, "3-lobby");
  await ada.click('[data-do="start"]');
  for (const page of [ada, ben]) await live(page);
  assert.notEqual(await slotOf(ada), await slotOf(ben), "each has a seat of its own");
});

step("at first neither is told of the other", { timeout: 240_000 }, async () => {
  assert.ok((await seenOf(ada, await slotOf(ada))) > 3, "Ada is told of her own units");
  assert.ok((await seenOf(ben, await slotOf(ben))) > 3, "Ben is told of his own units");
  assert.equal(await seenOf(ada, await slotOf(ben)), 0, "Ada is told of none of Ben's");
  assert.equal(await seenOf(ben, await slotOf(ada)), 0, "Ben is told of none of Ada's");
});

step("the field is drawn, bright where the mask is, dark where it is not", { timeout: 240_000 }, async () => {
  await ada.evaluate(() => {
    window.fogkeep.game.renderer.camera.distance = 40;
  });
  await drawn(ada);
  const read = await ada.evaluate(() => {
    const { renderer } = window.fogkeep.game;
    const { mask } = window.fogkeep.match.state;
    const { world } = window.fogkeep.match.state;
    const near = (x, y) => {
      for (let s = 0; s < world.high; s++) {
        if (world.ids[s] && Math.hypot(world.posX(s) / 1024 - x, world.posY(s) / 1024 - y) < 3.5) return true;
      }
      return false;
    };
    const lit = [];
    const dark = [];
    const r = 2; // tiles around must agree, so that no rim is measured
    for (let y = r; y < mask.height - r; y++) {
      for (let x = r; x < mask.width - r; x++) {
        let seen = 0;
        let known = 0;
        for (let dy = -r; dy <= r; dy++) {
          for (let dx = -r; dx <= r; dx++) {
            if (mask.visibleAt(x + dx, y + dy)) seen++;
            if (mask.exploredAt(x + dx, y + dy)) known++;
          }
        }
        const at = { x: x + 0.5, z: y + 0.5 };
        if (seen === 25 && !near(x, y)) lit.push(at);
        if (known === 0) dark.push(at);
      }
    }
    const onScreen = (points) => renderer.brightnessAt(points).filter((v) => v >= 0);
    return { lit: onScreen(lit), dark: onScreen(dark), tiles: [lit.length, dark.length] };
  });
  await shot(ada, "4-field");
  const mean = (a) => a.reduce((s, v) => s + v, 0) / a.length;
  assert.ok(read.lit.length >= 10, `lit tiles on the screen: ${read.lit.length} of ${read.tiles[0]}`);
  assert.ok(read.dark.length >= 10, `dark tiles on the screen: ${read.dark.length} of ${read.tiles[1]}`);
  assert.ok(mean(read.lit) > 45, `what is seen is bright: ${mean(read.lit).toFixed(1)}`);
  assert.ok(Math.max(...read.dark) < 30, `what was never seen is dark: ${Math.max(...read.dark).toFixed(1)}`);
  assert.ok(mean(read.lit) > 4 * mean(read.dark), "and the two are far apart");
});

// Before the fight, in which the army may fall.
step("all of it can be reached by keys", { timeout: 240_000 }, async () => {
  const focused = () =>
    ben.evaluate(
      () => document.activeElement?.getAttribute("data-command") ?? document.activeElement?.className,
    );
  await ben.keyboard.press("Comma"); // the army
  await ben.waitForSelector('[data-command="stop"]');
  await ben.keyboard.press("F6");
  assert.equal(await focused(), "move", "the first button of the card");
  await ben.keyboard.press("Tab");
  await ben.keyboard.press("Enter");
  await ben.waitForSelector(".mode-hint:not([hidden])");
  await ben.keyboard.press("Escape");
  assert.equal(await focused(), "world", "back on the field");
  await ben.waitForSelector(".mode-hint", { state: "hidden" });
  // A click by key, without a mouse: in the middle of the page.
  await ben.keyboard.press("KeyM");
  await ben.keyboard.press("KeyK");
  await ben.waitForSelector(".mode-hint", { state: "hidden" });
  await answered(ben);
  await ben.keyboard.press("F10");
  await ben.click('[data-do="options"]');
  const save = ben.waitForEvent("download");
  await ben.click('[data-do="export-keys"]');
  assert.equal((await save).suggestedFilename(), "fogkeep-keys.json");
  await ben.setInputFiles(".keys-section input[type=file]", {
    name: "keys.json",
    mimeType: "application/json",
    buffer: Buffer.from('{"format":"fogkeep-keys","version":1,"preset":"classic","own":{"stop":["KeyJ"]}}'),
  });
  await ben.waitForFunction(() => document.querySelector('[data-action="stop"]')?.textContent === "J");
  await ben.keyboard.press("Escape");
  await ben.waitForSelector("dialog.settings", { state: "detached" });
  await ben.keyboard.press("Escape");
});

step("orders by mouse move units, and the teams come to see each other", { timeout: 240_000 }, async () => {
  const meeting = await ada.evaluate(() => {
    const { map, players } = window.fogkeep.match.info;
    const [a, b] = players.filter((p) => !p.bot).map((p) => map.starts[p.start] ?? map.starts[p.slot]);
    // The passable tile nearest to the middle of the two bases.
    const mid = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    let best = a;
    let bestD = Number.POSITIVE_INFINITY;
    for (let y = 0; y < map.height; y++) {
      for (let x = 0; x < map.width; x++) {
        const d = Math.hypot(x - mid.x, y - mid.y);
        if (d < bestD && map.pass[y * map.width + x] & 1) {
          best = { x, y };
          bestD = d;
        }
      }
    }
    return best;
  });
  for (const page of [ada, ben]) {
    // The army by its key, the meeting place by a right click on the minimap.
    await page.keyboard.press("Comma");
    await page.waitForFunction(() => window.fogkeep.game.selection.handles.size > 2);
    const box = await page.locator(".minimap-canvas").boundingBox();
    const side = await page.evaluate(() => {
      const { map } = window.fogkeep.match.info;
      return { w: map.width, h: map.height, max: Math.max(map.width, map.height) };
    });
    await page.mouse.click(
      box.x + ((meeting.x + 0.5 + (side.max - side.w) / 2) / side.max) * box.width,
      box.y + ((meeting.y + 0.5 + (side.max - side.h) / 2) / side.max) * box.height,
      { button: "right" },
    );
  }
  await shot(ada, "5-marching");
  await answered(ada);
  const met = async (page, other) => {
    await page.waitForFunction(
      (slot) => {
        const { world } = window.fogkeep.match.state;
        for (let s = 0; s < world.high; s++) {
          if (world.ids[s] === 0 || world.owner[s] !== slot) continue;
          window.fogkeep.game.renderer.camera.distance = 26;
          window.fogkeep.game.renderer.camera.jump(world.posX(s) / 1024, world.posY(s) / 1024);
          return true;
        }
        return false;
      },
      other,
      { timeout: 240_000, polling: 100 },
    );
    await drawn(page);
  };
  await Promise.all([met(ada, await slotOf(ben)), met(ben, await slotOf(ada))]);
  await Promise.all([shot(ada, "6-ada-sees"), shot(ben, "6-ben-sees")]);
});

step("a ping by key says what was chosen, to the own team alone", { timeout: 240_000 }, async () => {
  for (const page of [ada, ben]) {
    await page.evaluate(() => {
      window.pinged = [];
      window.fogkeep.match.state.events.on("ping", (p) => window.pinged.push(p.kind));
    });
  }
  await ada.mouse.move(440, 220);
  await ada.keyboard.press("KeyN");
  await ada.waitForSelector(".ping-wheel [data-ping=danger]");
  await shot(ada, "6-ping-wheel");
  await ada.keyboard.press("Digit2");
  await ada.waitForFunction(() => window.pinged.length > 0);
  assert.deepEqual(await ada.evaluate(() => window.pinged), ["danger"]);
  assert.equal(await ada.$(".ping-wheel"), null, "the wheel is gone");
  assert.deepEqual(await ben.evaluate(() => window.pinged), [], "the other team is told nothing");
});

step("a lost connection goes on from the frame that was applied last", { timeout: 240_000 }, async () => {
  await ada.evaluate(() => window.fogkeep.match.state.events.on("reset", () => window.snapshots++));
  let before;
  let now;
  // A page that is behind, as on a busy machine, rightly gets a snapshot.
  for (let attempt = 0; attempt < 5 && now?.snapshots !== 0; attempt++) {
    before = await ada.evaluate(() => {
      const m = window.fogkeep.match;
      window.snapshots = 0;
      m.link.drop();
      return { status: m.status, tick: m.state.tick, things: m.state.world.count };
    });
    assert.equal(before.status, "resuming");
    await ada.waitForFunction((t) => {
      const m = window.fogkeep.match;
      return m.status === "live" && m.state.tick > t + 20;
    }, before.tick);
    now = await ada.evaluate(() => ({
      snapshots: window.snapshots,
      things: window.fogkeep.match.state.world.count,
    }));
  }
  assert.equal(now.snapshots, 0, "no snapshot was needed");
  assert.ok(now.things > 3, `${now.things} of ${before.things} things are in sight`);
});

step("a pause is what both ask for, and one of them ends it", { timeout: 240_000 }, async () => {
  const tick = () => ada.evaluate(() => window.fogkeep.match.state.tick);
  await ada.keyboard.press("F9");
  await ben.click(".speed-bar button");
  await ada.waitForSelector(".speed-bar .paused");
  // The pause is told before the last ticks come.
  await ada.waitForFunction(
    () => {
      const { tick } = window.fogkeep.match.state;
      const stands = tick === window.stoodAt;
      window.stoodAt = tick;
      return stands;
    },
    null,
    { polling: 250 },
  );
  const at = await tick();
  await shot(ada, "6-paused");
  assert.equal(await tick(), at);
  await ben.click(".speed-bar .paused button");
  await ada.waitForFunction((at) => window.fogkeep.match.state.tick > at + 5, at);
});

step(
  "the inspector shows everyone, and one team's eyes show what that team is told",
  {
    timeout: 240_000,
  },
  async () => {
    admin = await open("admin", 1280, 860, {}, stage.server.adminUrl);
    await admin.fill("#password", stage.server.adminPassword);
    await admin.click("button[type=submit]");
    await admin.click("[data-inspect]");
    await admin.waitForFunction(() => window.fogkeepAdmin.inspect?.world?.entities.length > 0);
    const all = await admin.evaluate(() => {
      const w = window.fogkeepAdmin.inspect.world;
      return {
        eyes: w.eyes,
        slots: [...new Set(w.entities.map((e) => e.slot))].filter((s) => s >= 0).sort(),
        n: w.entities.length,
      };
    });
    assert.equal(all.eyes, -1);
    assert.deepEqual(all.slots, [0, 1, 2], "both players and the bot");
    // The match goes on, and the page with it, by differences.
    const at = await admin.evaluate(() => window.fogkeepAdmin.inspect.world.tick);
    await admin
      .waitForFunction((t) => window.fogkeepAdmin.inspect.world.tick > t + 60, at)
      .catch(async (err) => {
        const said = await admin.evaluate(() => {
          const { world, model } = window.fogkeepAdmin.inspect;
          return JSON.stringify([world.tick, model.notice.value]);
        });
        throw new Error(`from tick ${at} the page came to ${said}`, { cause: err });
      });
    await admin.click('[data-tab="traffic"]');
    const slot = await ada.evaluate(() => window.fogkeep.match.info.slot);
    await admin.click(`.traffic [data-client="${slot}"] button`);
    await admin.waitForFunction(
      (s) => document.querySelector(`.traffic tr.chosen`)?.dataset.client === String(s),
      slot,
    );
    const told = await admin.evaluate(() =>
      ["motion", "own", "applied", "unit"].map((n) =>
        Number(
          document
            .querySelector(`.traffic [data-name="${n}"] td:nth-last-child(2)`)
            ?.textContent.replaceAll(",", ""),
        ),
      ),
    );
    assert.ok(
      told.every((n) => n > 0),
      `bytes of motion, own, applied and units in the match: ${told}`,
    );
    await shot(admin, "7-inspect-all");
    const before = await admin.evaluate(() => document.querySelector(".map-canvas").toDataURL());
    const team = await ada.evaluate(() => window.fogkeep.match.info.team);
    await admin.click(`[data-eyes="${team}"]`);
    await admin.waitForFunction((t) => window.fogkeepAdmin.inspect.world?.eyes === t, team);
    const eyes = await admin.evaluate(() => {
      const { entities, sight } = window.fogkeepAdmin.inspect.world;
      const { width } = window.fogkeepAdmin.inspect.model.facts.value.map;
      const hidden = entities.filter(
        (e) =>
          e.shape !== "ghost" &&
          (e.size ?? 0) < 1.5 &&
          sight[Math.floor(e.y) * width + Math.floor(e.x)] !== 2,
      );
      return {
        n: entities.length,
        hidden: hidden.map((e) => `${e.type} of ${e.slot} at ${e.x},${e.y}`),
        dark: sight.filter((v) => v === 0).length,
      };
    });
    // The page draws twice per second here: the picture follows the state by up to half a second.
    await admin.waitForFunction(
      (before) => document.querySelector(".map-canvas").toDataURL() !== before,
      before,
      { polling: 100 },
    );
    await shot(admin, "8-inspect-eyes");
    assert.ok(eyes.n > 0 && eyes.n < all.n, `a team is told of less (${eyes.n}) than there is (${all.n})`);
    assert.deepEqual(eyes.hidden, [], "and of nothing that stands in its dark");
    assert.ok(eyes.dark > 0, "part of the map is dark to it");
    // The bytes sent to the team's client by purpose, and the duration of ticks.
    await admin.click('[data-tab="known"]');
    await admin.waitForSelector(`[data-known-client="${slot}"] .verdict`).catch(async (err) => {
      const page = await admin.evaluate(() => document.body.textContent);
      assert.fail(`what the client was sent is not shown: ${err.message}\n${page}\n${stage.server.log()}`);
    });
    const held = await admin.evaluate(() => window.fogkeepAdmin.inspect.model.known.value.clients);
    assert.deepEqual(
      held.map((c) => [c.slot, c.source]),
      [[slot, "live"]],
    );
    assert.ok(held[0].sent > at && held[0].acked > at, `frames sent and applied: ${JSON.stringify(held[0])}`);
    await admin.click('[data-mode="heat"]');
    await admin.waitForFunction(() => window.fogkeepAdmin.inspect.model.bytes.value?.tiles.length > 0);
    await shot(admin, "8-inspect-bytes");
    await admin.waitForFunction(() => window.fogkeepAdmin.inspect.model.times.value?.rows.length > 5);
    const { rows, links } = await admin.evaluate(() => window.fogkeepAdmin.inspect.model.times.value);
    assert.ok(
      rows.every((r) => r.step.max >= r.step.p50 && r.step.max > 0),
      "times of ticks",
    );
    assert.ok(
      links.find((l) => l.slot === slot)?.rows.some((r) => r.bytes > 0),
      "bytes of the player's client",
    );
    await admin.click('[data-do="back-to-list"]');
  },
);

step("the mask that each page derives is the server's", { timeout: 240_000 }, async () => {
  for (const page of [ada, ben]) {
    const fog = await page.evaluate(() => {
      const m = window.fogkeep.match;
      return {
        resyncs: m.resyncs,
        compared: m.traffic.received.by("part", "match").get("mask_hash")?.rows ?? 0,
        lit: m.state.mask.visibleCount,
      };
    });
    assert.ok(fog.compared >= 5, "the server sent hashes to compare");
    assert.equal(fog.resyncs, 0, "and none differed");
    assert.ok(fog.lit > 50, `the team sees ${fog.lit} tiles`);
  }
});

step(
  "a guest looks on, late, with all eyes and with one team's, and nobody listens",
  {
    timeout: 240_000,
  },
  async () => {
    await ada.setViewportSize({ width: 320, height: 200 }); // its turn comes again
    cleo = await open("cleo", 640, 400);
    await cleo.click('[data-do="guest"]');
    await cleo.click('.lobby-row [data-do="watch"]');
    await cleo.click('[data-do="enter"]');
    const seen = () =>
      cleo.evaluate(() => {
        const { world, mask, tick, info } = window.fogkeep.match.state;
        const owners = new Set();
        for (let s = 0; s < world.high; s++)
          if (world.ids[s] && world.owner[s] < 16) owners.add(world.owner[s]);
        return {
          tick,
          team: info.team,
          delayMs: info.delayMs,
          owners: [...owners].sort(),
          lit: mask.visibleCount,
          resyncs: window.fogkeep.match.resyncs,
        };
      });
    await cleo.waitForFunction(() => window.fogkeep.match?.state?.world.count > 3);
    const all = await seen();
    const ticks = await Promise.all([ada, ben].map((p) => p.evaluate(() => window.fogkeep.match.state.tick)));
    const live = Math.max(...ticks);
    assert.deepEqual(all.owners, [0, 1, 2], "everybody's units are told");
    assert.equal(all.delayMs, 2000);
    // Two seconds are 40 ticks. The players' pages lag on a busy machine, by less than one.
    assert.ok(all.tick <= live - 20, `tick ${all.tick} is far behind ${live}`);
    assert.match((await cleo.textContent(".watch")) ?? "", /Spectating, 2 s delayed/);
    assert.equal(await cleo.$(".card"), null, "no commands");
    const refused = await cleo.evaluate(() => window.fogkeep.match.order({ do: "stop", units: [1] }).answer);
    assert.deepEqual([refused.ok, refused.code], [false, "NOT_ALIVE"]);
    await drawn(cleo);
    await shot(cleo, "8-spectator");

    await cleo.keyboard.press("Digit1");
    await cleo.waitForFunction(
      () => window.fogkeep.match?.state?.info.team === 0 && window.fogkeep.match.state.world.count > 3,
    );
    const one = await seen();
    assert.ok(one.owners.includes(0), "with a team's eyes its own are seen");
    assert.ok(one.lit < all.lit, `one team sees less (${one.lit}) than all do (${all.lit})`);
    assert.deepEqual([all.resyncs, one.resyncs], [0, 0], "the fog that it derives is the server's");
  },
);

step(
  "who looks on late rewinds with the same eyes, and comes back to the newest moment that the delay allows",
  { timeout: 240_000 },
  async () => {
    await cleo.click('[data-do="rewind"]');
    await cleo.waitForFunction(
      () => window.fogkeep.replay && window.fogkeep.game?.frames > 3 && window.fogkeep.match.state.tick > 0,
    );
    /** Its state, and the newest tick that it may go to: each far behind the players' view. */
    const held = async () => {
      const got = await cleo.evaluate(() => {
        const { world, tick, info } = window.fogkeep.match.state;
        const owners = new Set();
        for (let s = 0; s < world.high; s++)
          if (world.ids[s] && world.owner[s] < 16) owners.add(world.owner[s]);
        return { tick, last: window.fogkeep.replay.status.last, team: info.team, owners: [...owners].sort() };
      });
      const ticks = await Promise.all(
        [ada, ben].map((p) => p.evaluate(() => window.fogkeep.match.state.tick)),
      );
      const live = Math.max(...ticks);
      assert.ok(
        Math.max(got.tick, got.last) <= live - 20,
        `tick ${got.tick} of ${got.last} is far behind ${live}`,
      );
      assert.equal(got.team, 0, "the eyes of its seat");
      return got;
    };
    const at = (from, to) =>
      cleo.waitForFunction(
        ([a, b]) => window.fogkeep.match.state.tick >= a && window.fogkeep.match.state.tick <= b,
        [from, to],
      );
    const newest = (await held()).last;
    await cleo.keyboard.press("Digit0");
    assert.equal(await cleo.isDisabled('[data-eyes="255"]'), true, "other eyes are not to be chosen");
    // Paused, the page holds the first tick however slowly the machine goes on to look at it.
    await cleo.click('[data-do="replay-play"]');
    await cleo.waitForFunction(() => window.fogkeep.replay.status.paused);
    await cleo.focus(".replay-time");
    await cleo.keyboard.press("Home");
    await at(1, 2); // the first beat
    const early = await held();
    assert.deepEqual(early.owners, [0], "the team sees only its own units at the start");
    assert.equal(await cleo.$('[data-do="replay-live"].on'), null, "it says that this is the past");
    const over = await cleo.$$eval(".replay-buttons > *", (parts) => {
      const boxes = parts.map((p) => p.getBoundingClientRect()).filter((b) => b.width > 0);
      return boxes.some((a, i) =>
        boxes.some(
          (b, k) =>
            k > i &&
            a.right > b.left + 1 &&
            b.right > a.left + 1 &&
            a.bottom > b.top + 1 &&
            b.bottom > a.top + 1,
        ),
      );
    });
    assert.equal(over, false, "no control lies over another");
    assert.equal(
      await cleo.$eval('[data-do="replay-live"]', (b) => b.scrollWidth > b.clientWidth),
      false,
      "how far it is behind can be read",
    );
    await shot(cleo, "8b-rewound");
    // Of a match that runs the page shows what frames tell, and says that the rest comes later.
    if (!(await cleo.$(".replay-table"))) await cleo.click('[data-do="replay-table"]');
    await cleo.$eval('[data-table="economy"]', (b) => b.click());
    await cleo.waitForFunction(() =>
      /after the match/.test(document.querySelector(".replay-table").textContent),
    );
    const known = await cleo.evaluate(() => {
      const { timeline, cameras, production } = window.fogkeep.replay;
      return [
        timeline.heldAt(0, timeline.tickOf(1)).length,
        timeline.of(0).orders.length,
        cameras.size,
        production.length,
      ];
    });
    assert.deepEqual(known, [0, 0, 0, 0], "resources, orders, cameras and production are not told");
    assert.equal(await cleo.$(".replay-follow"), null, "there is no camera to follow");
    await cleo.$eval(".replay-table .grow + button", (b) => b.click());
    await cleo.click('[data-do="replay-live"]');
    await at(newest, Number.MAX_SAFE_INTEGER);
    await cleo.waitForSelector('[data-do="replay-live"].on');
    const back = await held();
    for (let now = back; now.tick < back.tick + 5; now = await held()) await cleo.waitForTimeout(100);
    // Asking for more than there is gets no more.
    await cleo.evaluate(() => window.fogkeep.replay.seek(window.fogkeep.replay.status.last + 1000));
    await held();
    await shot(cleo, "8c-newest");
    await cleo.click('[data-do="replay-leave"]');
    await cleo.waitForSelector('[data-do="enter"]');
    await cleo.context().close();
    await ada.setViewportSize({ width: 880, height: 560 });
  },
);

step(
  "the admin's tables list who plays, where, and what the admin looked at",
  {
    timeout: 240_000,
  },
  async () => {
    // The page draws the table of the last tab until the answer for the next one is there.
    const shown = async (name, ...words) => {
      await admin.click(`[data-page="${name}"]`);
      await admin.waitForFunction(
        (all) => {
          const rows = [...document.querySelectorAll(".admin-body tbody tr")].map((tr) => tr.textContent);
          return (
            rows.length > 0 && all.every((row) => rows.some((r) => row.every((word) => r.includes(word))))
          );
        },
        words,
        { polling: 100 },
      );
    };
    await shown("accounts", ["Ada"], ["Ben"]);
    await shown("lobbies", ["Lamps", "playing"]);
    await shown("matches", ["Ada, Ben", "live"]);
    await shot(admin, "9-matches");
    await shown("audit", ["match.fog", "eyes"]);
  },
);

step("who gives up sees the end, and comes back to the lobby", { timeout: 240_000 }, async () => {
  for (const page of [ada, ben]) {
    await page.keyboard.press("F10");
    await page.click("dialog button.danger");
    await page.click("dialog button.danger");
  }
  for (const page of [ada, ben]) await page.waitForSelector(".end-panel");
  assert.match((await ada.textContent(".end-panel h1")) ?? "", /Defeat/);
  assert.equal(
    await ada.$$eval(".end-panel .chart", (all) => all.length),
    3,
    "graphs of economy, army and sight",
  );
  await shot(ada, "10-end");
  // To the lobby: "play again", the first button, would open it for the next match as soon as the result is there.
  await ada.click('.end-panel [data-do="to-lobby"]');
  await ada.waitForSelector('[data-do="again"]');
  await ada.waitForFunction(() =>
    /won the last match/.test(document.querySelector(".lobby-state")?.textContent ?? ""),
  );
  await shot(ada, "11-back");
});

step("the next match begins in the same lobby, with those who want it", { timeout: 240_000 }, async () => {
  await ben.click('.end-panel [data-do="play-again"]');
  await ben.waitForSelector(".lobby-state");
  assert.equal(await ben.$('[data-do="ready"]'), null, "the host has not opened the lobby yet");
  await ada.click('[data-do="again"]');
  await ben.click('[data-do="ready"]');
  await ada.waitForSelector('[data-do="start"]');
  assert.equal(await ada.$$eval(".seat[data-seat]", (all) => all.length), 3, "everybody has kept the seat");
});

step("a remake that both vote for ends the match without a winner", { timeout: 240_000 }, async () => {
  await ada.click('[data-do="start"]');
  await Promise.all([live(ada), live(ben)]);
  await ada.keyboard.press("F10");
  await ada.selectOption('[data-do="vote"]', { index: 1 });
  await ben.waitForSelector('[data-vote="remake"] [data-answer="yes"]');
  await ben.keyboard.press("Insert");
  for (const page of [ada, ben]) {
    await page.waitForSelector(".end-panel");
    assert.match(await page.textContent(".end-panel"), /The players voted for a remake/);
  }
  await shot(ada, "12-remake");
});
