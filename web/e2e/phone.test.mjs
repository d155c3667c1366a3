// The parts of a match on a phone that need a real browser: the panels fit an upright
// page, a slow finger moves the map, a refused site keeps build mode, and the
// summary is not gone once the field was looked at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, playBot } from "./browser.mjs";
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

test("the panels of a match fit the page, upright and sideways", { timeout: 240_000 }, async () => {
  for (const [name, width, height, least] of [
    ["upright", 390, 844, 0.6],
    ["sideways", 844, 390, 0.75],
  ]) {
    await page.setViewportSize({ width, height });
    await drawn(page);
    for (const kind of ["worker", "maker"]) {
      await select(kind);
      await page.waitForSelector(".single");
      await page.waitForSelector(kind === "worker" ? '[data-command="build"]' : '[data-command^="make-"]');
      await shot(`13-phone-${name}-${kind}`);
      const found = await page.evaluate(() => {
        const boxOf = (el) => el.getBoundingClientRect();
        const named = (selector) =>
          [...document.querySelectorAll(selector)]
            .filter((el) => el.checkVisibility())
            .map((el) => ({
              name: el.dataset.command ?? el.dataset.view ?? el.className,
              box: boxOf(el),
            }));
        const panels = named(".card, .selection, .minimap, .resources, .players, .hud-right .ghost-button");
        const buttons = named(
          "[data-command], .quick, .hud-right .ghost-button, .ping-button, .queued, .tab",
        );
        // The share of the page that no panel covers, by points.
        let free = 0;
        let all = 0;
        for (let x = 2; x < innerWidth; x += 6) {
          for (let y = 2; y < innerHeight; y += 6) {
            all++;
            const at = document.elementsFromPoint(x, y).find((el) => el.matches(".hud *, canvas.world"));
            if (!at?.closest(".panel, .hud button")) free++;
          }
        }
        return {
          share: free / all,
          empty: named(".card > .cell:empty").length,
          useless: named(".command.cannot:not([style])").length,
          over: document.documentElement.scrollWidth > innerWidth,
          out: [...panels, ...named("[data-command], .idle-worker, .army")]
            .filter(
              ({ box: b }) => b.width === 0 || b.left < 0 || b.right > innerWidth || b.bottom > innerHeight,
            )
            .map(({ name, box }) => `${name}: ${Math.round(box.left)} to ${Math.round(box.right)}`),
          small: buttons
            .filter(({ box: b }) => b.width < 47.5 || b.height < 47.5)
            .map(({ name, box: b }) => `${name}: ${b.width} by ${b.height}`),
          overlaps: panels.flatMap((a, k) =>
            panels
              .slice(k + 1)
              .filter(
                ({ box: b }) =>
                  a.box.left < b.right - 1 &&
                  b.left < a.box.right - 1 &&
                  a.box.top < b.bottom - 1 &&
                  b.top < a.box.bottom - 1,
              )
              .map((b) => `${a.name} and ${b.name}`),
          ),
          unnamed: [...document.querySelectorAll("[data-command] .command-name")].filter(
            (el) => boxOf(el).height < 8 || !el.textContent,
          ).length,
          unpriced: [...document.querySelectorAll('[data-command^="make-"]')].filter(
            (el) => !/[0-9]/.test(el.querySelector(".price")?.textContent ?? ""),
          ).length,
        };
      });
      const { share, ...rest } = found;
      assert.ok(share >= least, `${name}, ${kind}: the field has ${share.toFixed(3)} of the page`);
      const fine = {
        empty: 0,
        useless: 0,
        over: false,
        out: [],
        small: [],
        overlaps: [],
        unnamed: 0,
        unpriced: 0,
      };
      assert.deepEqual(rest, fine, `${name}, ${kind}`);
    }
  }
});

test("a finger reaches every control", { timeout: 240_000 }, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  /** Where a control is, in one look: panels are drawn anew meanwhile. */
  const middle = async (selector) => {
    const found = await page.waitForFunction((selector) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      const at = box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      return at && document.elementFromPoint(at.x, at.y)?.closest(selector) ? at : null; // nothing covers it
    }, selector);
    return found.jsonValue();
  };
  const tap = async (selector) => {
    const at = await middle(selector);
    await page.touchscreen.tap(at.x, at.y);
  };
  const rest = async (selector) => {
    const at = await middle(selector);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
    await page.waitForSelector(".tip");
    return () => cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  // The build menu, what a building is for, its site, and not after all.
  await select("worker");
  await tap('[data-command="build"]');
  const lift = await rest('[data-command^="make-"]:not(.cannot)');
  assert.match(await page.textContent(".tip"), /\d+ ore.*\d+ s.*health/s, "a long press tells all");
  await lift();
  await page.waitForSelector(".tip", { state: "detached" });
  assert.equal(await page.isVisible(".mode-hint"), false, "and chooses nothing");
  await tap('[data-command^="make-"]:not(.cannot)');
  await page.waitForSelector(".mode-hint:not([hidden])");
  await tap('[data-do="cancel-command"]');
  await page.waitForSelector(".mode-hint", { state: "hidden" });
  await tap('[data-command="cancel"]');
  await page.waitForSelector('[data-command="build"]');
  // The queue.
  await select("maker");
  await page.waitForSelector('[data-command="rally"]');
  await tap('[data-command^="make-"]:not(.cannot)');
  await tap(".queued");
  await page.waitForSelector(".queued", { state: "detached" });
  assert.equal(await page.isVisible(".mode-hint"), false, "nothing else was hit");
  // The army, its types, a group of it.
  await tap(".army");
  await page.waitForSelector(".tab");
  const selected = () => page.evaluate(() => [...window.fogkeep.game.selection.handles]);
  const army = await selected();
  assert.ok(army.length > 2, `${army.length} units`);
  await tap(".tab:not(.on)");
  await page.waitForFunction(() => window.fogkeep.game.selection.types().length > 1);
  await page.waitForSelector(".tab:nth-child(2).on");
  assert.equal(await page.$$eval(".wire", (all) => all.length), army.length, "each has its portrait");
  await tap('[data-group="new"]');
  await select("worker");
  await tap('[data-group="1"]');
  await page.waitForFunction((n) => window.fogkeep.game.selection.handles.size === n, army.length);
  assert.deepEqual(await selected(), army);
  // Bookmarks, in the drawer: saved by the first tap, gone to by the next.
  await tap(".drawer-button");
  await page.waitForSelector(".players");
  await tap('[data-view="1"]');
  await page.waitForSelector('[data-view="1"].on');
  const was = await camera();
  await page.evaluate(() => window.fogkeep.game.renderer.camera.jump(30, 30));
  await tap('[data-view="1"]'); // its click comes after the finger is lifted
  await page.waitForFunction(({ x, z }) => {
    const { look } = window.fogkeep.game;
    return Math.hypot(look.x - x, look.z - z) < 0.1;
  }, was);
  const now = await camera();
  await tap(".drawer-button");
  await page.waitForSelector(".players", { state: "hidden" });
  // Two fingers zoom.
  const cdp = await page.context().newCDPSession(page);
  const fingers = (type, gap) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: gap ? [-gap, gap].map((d, id) => ({ x: 195 + d, y: 300, id })) : [],
    });
  await fingers("touchStart", 20);
  for (const gap of [30, 50, 70, 90]) await fingers("touchMove", gap);
  await fingers("touchEnd", 0);
  assert.ok((await camera()).distance < now.distance, "nearer");
  // The menu, with everything in it within the page.
  await tap(".hud-right .ghost-button:last-child");
  await page.waitForSelector("dialog[open] .danger");
  const over = await page.$eval("dialog[open]", (d) => d.scrollWidth - d.clientWidth);
  assert.ok(over <= 0, "the menu is as wide as the page at most");
  await (await page.$("dialog[open] .danger")).scrollIntoViewIfNeeded();
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
});

test("a slow finger moves the map and draws no box", { timeout: 240_000 }, async () => {
  const was = await camera();
  const cdp = await page.context().newCDPSession(page);
  // Moments are said, so that a busy machine's finger is no slower than this one.
  let start = Date.now() / 1000;
  const finger = (type, y, s) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: 195, y }],
      timestamp: start + s,
    });
  await finger("touchStart", 440, 0);
  for (let k = 1; k <= 16; k++) {
    await finger("touchMove", 440 - 10 * k, 0.06 * k); // longer in all than the rest that begins a box
    // A press is a drag from its second step on.
    if (k > 1) assert.equal(await page.isVisible(".box"), false, `no box after ${10 * k} pixels`);
  }
  await finger("touchEnd", 280, 1);
  const now = await camera();
  assert.ok(now.z - was.z > 1, `the camera went from ${was.z} to ${now.z}`);
  // A finger that rests first draws one.
  start = Math.max(start + 2, Date.now() / 1000);
  await finger("touchStart", 330, 0);
  await page.waitForSelector(".box:not([hidden])");
  await finger("touchMove", 370, Math.max(0.45, Date.now() / 1000 - start));
  await finger("touchEnd", 370, Math.max(0.6, Date.now() / 1000 - start));
  await page.waitForSelector(".box", { state: "hidden" });
});

test("a refused site keeps build mode, and says why", { timeout: 240_000 }, async () => {
  // A refusal stands for seconds only.
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
  await drawn(page);
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
        // Units make way.
        if (!world.ids[s] || window.fogkeep.match.info.rules.types[world.type[s]].class === "unit") continue;
        if (Math.hypot(world.posX(s) / 1024 - x, world.posY(s) / 1024 - y) < 5) return true;
      }
      return false;
    };
    let best = null;
    for (let y = 3; y < map.height - 3; y++) {
      for (let x = 3; x < map.width - 3; x++) {
        let free = !taken(x, y);
        for (let dy = -2; dy <= 2 && free; dy++) {
          for (let dx = -2; dx <= 2 && free; dx++) {
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
  await drawn(page);
  const there = await pointOf(free.x, free.y);
  await page.mouse.click(there.x, there.y);
  await page.waitForSelector(".mode-hint", { state: "hidden" });
});

test("after the end the field stays lit, the clock stands, and the summary comes back", {
  timeout: 240_000,
}, async () => {
  // A graph needs three points, and the server notes one per ten seconds.
  await page.waitForFunction(() => {
    const { tick, info } = window.fogkeep.match.state;
    return tick * info.tickMs > 21_000;
  });
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
  const charts = await page.$$eval(".end-panel .chart", (all) => all.map((c) => c.ariaLabel));
  assert.equal(charts.length, 3, "with its graphs");
  for (const chart of charts.slice(0, 2)) assert.match(chart, /Bot/, "of both players, with the fog lifted");
  assert.match(await page.textContent(".end-why"), /surrendered\..*min/s, "and says why it ended");
  // The moments of a match with these armies, and the way to play on from one.
  await page.click('[data-do="look"]');
  await page.evaluate(() => {
    const { series } = window.fogkeep.match.state.result;
    series.forEach((of, slot) => {
      of.army.fill(500);
      if (slot === 0) of.army.fill(200, 2);
    });
  });
  await page.click(".banner button");
  await page.waitForSelector(".moments li");
  await shot("17-phone-moments");
  assert.match(
    await page.textContent(".end-cause"),
    /^From 0:20 on the other army was worth 2.5 times yours/,
  );
  assert.match(await page.textContent(".moments li"), /0:10.*Your army −300, the other 0/);
  const match = await page.evaluate(() => window.fogkeep.match.info.matchId);
  await page.click('[data-do="branch-moment"]');
  await page.waitForFunction(
    (was) =>
      window.fogkeep.game?.frames > 3 &&
      window.fogkeep.match.info.matchId !== was &&
      window.fogkeep.match.state.tick > 200, // played on, not begun
    match,
  );
});
