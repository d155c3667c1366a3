// What only a browser shows of a match on a phone: the panels fit an upright
// page, a slow finger moves the map, a refused site keeps build mode, and the
// summary is not gone once the field was looked at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

let page;

const stage = setUp({
  begin: async () => {
    page = await stage.open("ada", 390, 844, { hasTouch: true });
    await playBot(page);
  },
});

const shot = (name) => stage.shot(page, name);
const camera = () => page.evaluate(() => ({ ...window.fogkeep.game.look }));

/** Selects the first own thing of a kind. */
const select = (kind) =>
  page.evaluate((kind) => {
    const { world, info } = window.fogkeep.match.state;
    for (let s = 0; s < world.high; s++) {
      const type = info.rules.types[world.type[s]];
      if (!world.ids[s] || world.owner[s] !== info.slot || !type) continue;
      if (kind === "worker" ? !type.builds.length : !type.trains.length) continue;
      window.fogkeep.game.selection.set([world.ids[s]]);
      window.fogkeep.game.renderer.camera.jump(world.posX(s) / 1024, world.posY(s) / 1024);
      return;
    }
  }, kind);

/** Where a tile is on the page. */
const pointOf = (x, y) =>
  page.evaluate(
    ([x, y]) => {
      const at = { x: 0, y: 0 };
      window.fogkeep.game.renderer.groundToPage(x, y, at);
      return at;
    },
    [x, y],
  );

test("the panels of a match fit an upright page", { timeout: 60_000 }, async () => {
  for (const kind of ["worker", "maker"]) {
    await select(kind);
    await page.waitForSelector("[data-command]");
    await page.waitForSelector(".single");
    await shot(`13-phone-${kind}`);
    const page390 = await page.evaluate(() => ({
      over: document.documentElement.scrollWidth > innerWidth,
      out: [
        ...document.querySelectorAll(
          ".card, .selection, .minimap, .resources, .players, .hud-right, [data-command]",
        ),
      ]
        .map((el) => ({ name: el.dataset.command ?? el.className, box: el.getBoundingClientRect() }))
        .filter(
          ({ box }) => box.width === 0 || box.left < 0 || box.right > innerWidth || box.bottom > innerHeight,
        )
        .map(({ name, box }) => `${name}: ${Math.round(box.left)} to ${Math.round(box.right)}`),
    }));
    assert.deepEqual(page390, { over: false, out: [] }, kind);
    const panels = await page.evaluate(() =>
      [".card", ".minimap", ".selection"].map((s) =>
        document.querySelector(s).getBoundingClientRect().toJSON(),
      ),
    );
    const [card, map, selection] = panels;
    assert.ok(
      selection.bottom <= Math.min(card.top, map.top) + 1,
      "what is selected stands above the others",
    );
    assert.ok(map.right <= card.left + 1, "the minimap stands beside the card");
  }
});

test("a slow finger moves the map and draws no box", { timeout: 60_000 }, async () => {
  const was = await camera();
  const cdp = await page.context().newCDPSession(page);
  // Moments are said, so that a busy machine's finger is no slower than this one.
  const start = Date.now() / 1000;
  const finger = (type, y, s) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: 195, y }],
      timestamp: start + s,
    });
  await finger("touchStart", 500, 0);
  for (let k = 1; k <= 16; k++) {
    await finger("touchMove", 500 - 10 * k, 0.06 * k); // longer in all than the rest that begins a box
    assert.equal(await page.isVisible(".box"), false, `no box after ${10 * k} pixels`);
  }
  await finger("touchEnd", 340, 1);
  const now = await camera();
  assert.ok(now.z - was.z > 1, `the camera went from ${was.z} to ${now.z}`);
  // A finger that rests first draws one.
  await finger("touchStart", 300, 3);
  await finger("touchMove", 340, 3.45);
  await page.waitForSelector(".box:not([hidden])");
  await finger("touchEnd", 340, 3.6);
  await page.waitForSelector(".box", { state: "hidden" });
});

test("a refused site keeps build mode, and says why", { timeout: 60_000 }, async () => {
  // Words beside the cursor stand for a moment only.
  await page.evaluate(() => {
    window.words = [];
    new MutationObserver((all) => {
      for (const m of all) for (const el of m.addedNodes) window.words.push(el.textContent);
    }).observe(document.querySelector(".words"), { childList: true });
  });
  await select("worker");
  await page.waitForSelector('[data-command="build"]');
  await page.click('[data-command="build"]');
  await page.click('[data-command^="make-"]:not(.cannot)');
  await page.waitForSelector(".mode-hint:not([hidden])");
  // On top of the own base.
  const base = await page.evaluate(() => {
    const { world, info } = window.fogkeep.match.state;
    for (let s = 0; s < world.high; s++) {
      const type = info.rules.types[world.type[s]];
      if (world.ids[s] && world.owner[s] === info.slot && type?.trains.length) {
        window.fogkeep.game.renderer.camera.jump(world.posX(s) / 1024, world.posY(s) / 1024);
        return { x: world.posX(s) / 1024, y: world.posY(s) / 1024 };
      }
    }
  });
  await page.waitForTimeout(300);
  const at = await pointOf(base.x, base.y);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => window.words.length > 0, null, { polling: 100 });
  assert.match((await page.evaluate(() => window.words))[0], /\w+ \w+/, "the reason is told");
  await shot("14-phone-refused");
  assert.equal(await page.isVisible(".mode-hint"), true, "and another place can be clicked");
  const free = await page.evaluate((base) => {
    // The nearest place of five by five free tiles beside the base.
    const { map } = window.fogkeep.match.info;
    const { mask, world } = window.fogkeep.match.state;
    const taken = (x, y) => {
      for (let s = 0; s < world.high; s++) {
        if (!world.ids[s]) continue;
        if (Math.hypot(world.posX(s) / 1024 - x, world.posY(s) / 1024 - y) < 3.5) return true;
      }
      return false;
    };
    let best = null;
    for (let y = 3; y < map.height - 3; y++) {
      for (let x = 3; x < map.width - 3; x++) {
        let free = !taken(x, y);
        for (let dy = -3; dy <= 3 && free; dy++) {
          for (let dx = -3; dx <= 3 && free; dx++) {
            const t = (y + dy) * map.width + x + dx;
            free =
              mask.visibleAt(x + dx, y + dy) &&
              (map.pass[t] & 1) !== 0 &&
              map.levels[t] === map.levels[y * map.width + x];
          }
        }
        const d = Math.hypot(x - base.x, y - base.y);
        if (free && (!best || d < best.d)) best = { x, y, d };
      }
    }
    if (best) window.fogkeep.game.renderer.camera.jump(best.x, best.y);
    return best;
  }, base);
  assert.ok(free, "there is room beside the base");
  await page.waitForTimeout(300);
  const there = await pointOf(free.x, free.y);
  await page.mouse.click(there.x, there.y);
  await page.waitForSelector(".mode-hint", { state: "hidden" });
});

test("after the end the field stays lit, the clock stands, and the summary comes back", {
  timeout: 60_000,
}, async () => {
  await page.evaluate(() => {
    const { state } = window.fogkeep.match;
    state.events.on("end", () => {
      window.atEnd = { lit: state.mask.visibleCount, things: state.world.count };
    });
    window.fogkeep.game.send({ do: "surrender", units: [] });
  });
  await page.waitForSelector(".end-panel");
  await shot("15-phone-end");
  const dialog = await page.evaluate(() => {
    const d = document.querySelector(".end-panel");
    return { box: d.getBoundingClientRect().toJSON(), over: d.scrollWidth - d.clientWidth };
  });
  assert.ok(dialog.box.left >= 0 && dialog.box.right <= 390 && dialog.over <= 0, JSON.stringify(dialog));
  await page.click('[data-do="look"]');
  // The server goes on for a while, in which who gave up goes blind, and lets the page go then.
  await page.waitForFunction(() => !window.fogkeep.match.link.live, null, { polling: 100 });
  const [was, now, later, clock] = await page.evaluate(() => {
    const { mask, world, tick, endTick, info } = window.fogkeep.match.state;
    const s = Math.floor((endTick * info.tickMs) / 1000);
    return [
      window.atEnd,
      { lit: mask.visibleCount, things: world.count },
      tick - endTick,
      [
        `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`,
        document.querySelector(".clock").textContent,
      ],
    ];
  });
  assert.ok(later > 60, `ticks went on for ${later} after the end`);
  assert.deepEqual(now, was);
  assert.equal(clock[1], clock[0], "the clock shows the end");
  assert.ok(was.lit > 50, `${was.lit} tiles are lit`);
  await shot("16-phone-field");
  await page.click(".banner button");
  await page.waitForSelector(".end-panel");
  assert.equal(await page.$$eval(".end-panel .chart", (all) => all.length), 2, "with its graphs");
  await page.click('[data-do="to-lobby"]');
  await page.waitForSelector('[data-do="again"]');
});
