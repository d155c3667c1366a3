// Every gesture of the mouse and of a finger over the field and the minimap:
// the selection, the orders, and the server's answers. One
// match against a bot on one page. Moments are said with each event, so that a
// busy machine's hand is no slower than a quick one's.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

const BUTTONS = { none: 0, left: 1, right: 2, middle: 4 };
const SHIFT = 8;
let page;
let cdp;

const stage = setUp({
  begin: async () => {
    page = await stage.open("ada", 800, 600, { hasTouch: true, frameMs: 100 });
    await playBot(page, "beginner"); // stronger ones attack before the last test of a busy machine
    cdp = await page.context().newCDPSession(page);
    await page.evaluate(() => {
      const { match, game } = window.fogkeep;
      const { state } = match;
      window.answers = [];
      match.events.on("answered", (a) => window.answers.push({ order: a.order, answer: a.answer }));
      /** Own units of a kind. */
      window.units = (kind) => {
        const out = [];
        for (let s = 0; s < state.world.high; s++) {
          const type = state.info.rules.types[state.world.type[s]];
          if (!state.world.ids[s] || state.world.owner[s] !== state.info.slot || type?.class !== "unit")
            continue;
          if (
            kind === "worker" ? type.worker : kind === "army" ? type.weapons.length > 0 && !type.worker : true
          )
            out.push(state.world.ids[s]);
        }
        return out;
      };
      /** Where an entity is on the page. */
      window.pointOf = (handle) => {
        const { entities } = game.renderer;
        for (let row = 0; row < entities.drawn; row++) {
          const at = { x: 0, y: 0, r: 0 };
          if (state.world.ids[entities.poses.slot[row]] === handle && game.renderer.screen.toScreen(row, at))
            return at;
        }
        return null;
      };
    });
  },
});

/** No selection, no waiting orders, no answers yet, all units stand, the camera over the own base. */
beforeEach(async () => {
  await page.keyboard.press("Escape");
  await page.evaluate(() => window.fogkeep.game.send({ do: "stop", units: window.units() }));
  await page.waitForFunction(
    () => {
      const { state, unanswered } = window.fogkeep.match;
      const at = window
        .units()
        .map((h) => [state.world.posX(state.world.slot(h)), state.world.posY(state.world.slot(h))])
        .join();
      const still = at === window.stoodAt && unanswered === 0;
      window.stoodAt = at;
      return still;
    },
    null,
    { polling: 150 },
  );
  await page.evaluate(() => {
    const { game, match } = window.fogkeep;
    window.answers.length = 0;
    game.selection.clear();
    const { world, info } = match.state;
    for (let s = 0; s < world.high; s++) {
      const type = info.rules.types[world.type[s]];
      if (!world.ids[s] || world.owner[s] !== info.slot || !type?.trains.length) continue;
      game.renderer.camera.distance = 34;
      game.renderer.camera.jump(world.posX(s) / 1024, world.posY(s) / 1024 + 2);
      break;
    }
  });
  await frames(2);
});

const shot = (name) => stage.shot(page, name);
const selected = () => page.evaluate(() => [...window.fogkeep.game.selection.handles].sort((a, b) => a - b));
const units = (kind) => page.evaluate((kind) => window.units(kind), kind);
const pointOf = (handle) => page.evaluate((h) => window.pointOf(h), handle);
const frames = async (n) =>
  page.waitForFunction(
    (n) => window.fogkeep.game.frames >= n,
    (await page.evaluate(() => window.fogkeep.game.frames)) + n,
    { polling: 20 },
  );

/** Waits for the panels, which the page updates ten times per second with its frames: they cover part of the field. */
const panels = () => frames(3);

/** The time of the hand, seconds. */
let now = 0;
const later = (s) => {
  now += s;
};
/** A new gesture: no click of an earlier one makes it a double click. */
const begin = () => {
  now = Math.max(now + 0.5, Date.now() / 1000);
};

const mouse = (type, { x, y }, button, modifiers = 0) =>
  cdp.send("Input.dispatchMouseEvent", {
    type,
    x,
    y,
    button, // also while it moves: else the browser takes the pointer from what captured it
    buttons: type === "mouseReleased" ? 0 : BUTTONS[button],
    clickCount: 1,
    modifiers,
    timestamp: now,
  });

async function click(at, { button = "left", modifiers = 0, times = 1 } = {}) {
  begin();
  await mouse("mouseMoved", at, "none");
  for (let k = 0; k < times; k++) {
    await mouse("mousePressed", at, button, modifiers);
    later(0.05);
    await mouse("mouseReleased", at, button, modifiers);
    later(0.1);
  }
}

async function drag(from, to, { button = "left", modifiers = 0, before: look } = {}) {
  begin();
  await mouse("mouseMoved", from, "none");
  await mouse("mousePressed", from, button, modifiers);
  for (const at of between(from, to)) {
    later(0.03);
    await mouse("mouseMoved", at, button, modifiers);
  }
  await look?.();
  await mouse("mouseReleased", to, button, modifiers);
}

const finger = (type, at) =>
  cdp.send("Input.dispatchTouchEvent", {
    type,
    touchPoints: at ? [{ x: at.x, y: at.y }] : [],
    timestamp: now,
  });

async function tap(at, { times = 1, restS = 0.05 } = {}) {
  begin();
  for (let k = 0; k < times; k++) {
    await finger("touchStart", at);
    later(restS);
    await finger("touchEnd");
    later(0.1);
  }
}

/** A finger that is dragged; it rests first for so long. */
async function slide(from, to, { restS = 0, before: look } = {}) {
  begin();
  await finger("touchStart", from);
  later(restS);
  for (const at of between(from, to)) {
    later(0.03);
    await finger("touchMove", at);
  }
  await look?.();
  await finger("touchEnd");
}

const between = (from, to) =>
  [0.25, 0.5, 0.75, 1].map((t) => ({ x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t }));

/** Points of the page with bare, visible, passable ground, away from everything; at least so many. */
async function groundPoints(n) {
  await panels();
  const found = await page.evaluate(() => {
    const { game, match } = window.fogkeep;
    const { map } = match.info;
    const out = [];
    for (let y = 70; y < innerHeight - 40; y += 20) {
      for (let x = 60; x < innerWidth - 40; x += 20) {
        if (document.elementFromPoint(x, y)?.className !== "world") continue;
        const p = game.renderer.groundAt(x, y);
        const t = p ? Math.floor(p.z) * map.width + Math.floor(p.x) : -1;
        if (
          !p ||
          t < 0 ||
          !(map.pass[t] & 1) ||
          !match.state.mask.visibleAt(Math.floor(p.x), Math.floor(p.z))
        )
          continue;
        const { world } = match.state;
        let near = 99;
        for (let s = 0; s < world.high; s++) {
          if (world.ids[s])
            near = Math.min(near, Math.hypot(world.posX(s) / 1024 - p.x, world.posY(s) / 1024 - p.z));
        }
        if (near > 3) out.push({ x, y, tile: p });
      }
    }
    return out;
  });
  assert.ok(found.length >= n, `${found.length} points of bare ground on the page`);
  return found;
}

/** Waits until the server answered so many orders, and returns them. */
async function answers(n = 1) {
  await page.waitForFunction((n) => window.answers.length >= n, n, { polling: 30 });
  const all = await page.evaluate(() => window.answers.splice(0));
  for (const { answer, order } of all)
    assert.equal(answer.ok, true, `${JSON.stringify(order)}: ${answer.code}`);
  return all.map((a) => a.order);
}

/** Waits until the server says of each unit that it goes to its place (tiles), or has it there. */
const goTo = (places, within) =>
  page.waitForFunction(
    ([places, within]) => {
      const { own, world } = window.fogkeep.match.state;
      return places.every(({ units, x, z }) =>
        units.every((h) => {
          const slot = world.slot(h);
          const to = own.units.get(h)?.to ?? { x: world.posX(slot), y: world.posY(slot) };
          return Math.hypot(to.x / 1024 - x, to.y / 1024 - z) < within;
        }),
      );
    },
    [places, within],
    { polling: 30, timeout: 15_000 },
  );

/** The rectangle of the page around some units, and a little more. */
async function boxAround(handles) {
  const all = await Promise.all(handles.map(pointOf));
  const pad = 12;
  return [
    { x: Math.min(...all.map((p) => p.x)) - pad, y: Math.min(...all.map((p) => p.y)) - pad },
    { x: Math.max(...all.map((p) => p.x)) + pad, y: Math.max(...all.map((p) => p.y)) + pad },
  ];
}

const select = (handles) => page.evaluate((all) => window.fogkeep.game.selection.set(all), handles);

/** A unit that a click on its middle picks: no panel is over it, and no other thing has its middle there. */
async function lone(handles) {
  const found = await page.evaluate(
    (handles) =>
      handles.find((h) => {
        const p = window.pointOf(h);
        if (!p || document.elementFromPoint(p.x, p.y)?.className !== "world") return false;
        const { world } = window.fogkeep.match.state;
        for (let s = 0; s < world.high; s++) {
          const q = world.ids[s] && world.ids[s] !== h ? window.pointOf(world.ids[s]) : null;
          if (q && Math.hypot(q.x - p.x, q.y - p.y) < 6) return false;
        }
        return true;
      }),
    handles,
  );
  assert.ok(found, "a unit can be clicked");
  return found;
}

/** A resource in sight, on the page, with no unit before it: workers mine from the start. */
async function resource() {
  await panels();
  const found = await page.evaluate(() => {
    const { world, info } = window.fogkeep.match.state;
    for (let s = 0; s < world.high; s++) {
      if (!world.ids[s] || info.rules.types[world.type[s]]?.class !== "resource") continue;
      const p = window.pointOf(world.ids[s]);
      const near = window.units().some((h) => {
        const q = window.pointOf(h);
        return q && p && Math.hypot(q.x - p.x, q.y - p.y) < q.r + 14;
      });
      if (p && !near && document.elementFromPoint(p.x, p.y)?.className === "world")
        return { handle: world.ids[s], ...p };
    }
    return null;
  });
  assert.ok(found, "a resource is in view");
  return found;
}

/** The two free points of the page that are farthest from each other to the side. */
async function lineOfGround() {
  const all = await groundPoints(8);
  let best = null;
  for (const a of all) {
    for (const b of all) if (a.y === b.y && b.x - a.x > (best ? best[1].x - best[0].x : 0)) best = [a, b];
  }
  assert.ok(best && best[1].x - best[0].x > 80, "room for a line");
  return best;
}

/** The orders of a line are one for each unit, and their places lie on the line in the units' order. */
function checkLine(orders, army, [from, to]) {
  assert.deepEqual(
    orders.flatMap((o) => o.units).sort((a, b) => a - b),
    army,
    "each unit has one order",
  );
  const places = orders.map((o) => o.to).sort((a, b) => a.x - b.x);
  assert.equal(new Set(places.map((p) => p.x)).size, army.length, "and a place of its own");
  const [a, b] = [from.tile, to.tile].sort((p, q) => p.x - q.x);
  for (const p of places) {
    const t = (p.x / 1024 - a.x) / (b.x - a.x);
    assert.ok(t > -0.01 && t < 1.01, `a place is ${t} along the line`);
    assert.ok(Math.abs(p.y / 1024 - (a.z + (b.z - a.z) * t)) < 0.05, "a place is on the line");
  }
  return places;
}

test("mouse: a click selects, with Shift one more, on the ground nothing", { timeout: 240_000 }, async () => {
  const all = await units();
  const one = await lone(all);
  await click(await pointOf(one));
  assert.deepEqual(await selected(), [one]);
  const two = await lone(all.filter((h) => h !== one));
  await click(await pointOf(two), { modifiers: SHIFT });
  assert.deepEqual(
    await selected(),
    [one, two].sort((a, b) => a - b),
  );
  await click(await pointOf(one), { modifiers: SHIFT });
  assert.deepEqual(await selected(), [two]);
  const [free] = await groundPoints(1);
  await click(free);
  assert.deepEqual(await selected(), []);
  assert.equal(await page.evaluate(() => window.answers.length), 0, "nothing was ordered");
});

test("mouse: a box selects the army in it, with Shift adds", { timeout: 240_000 }, async () => {
  const [army, workers] = [await units("army"), await units("worker")];
  const [from, to] = await boxAround([...army, ...workers]);
  await drag(from, to, { before: () => page.waitForSelector(".box:not([hidden])") });
  assert.deepEqual(await selected(), army, "the army, and no worker");
  await page.waitForSelector(".box", { state: "hidden" });
  await select([workers[0]]);
  await drag(from, to, { modifiers: SHIFT });
  assert.deepEqual(
    await selected(),
    [...army, workers[0]].sort((a, b) => a - b),
  );
});

test("mouse: a double click selects all of a kind in view", { timeout: 240_000 }, async () => {
  for (const kind of ["worker", "army"]) {
    const one = await lone(await units(kind));
    const same = await page.evaluate((one) => {
      const { world } = window.fogkeep.match.state;
      const type = world.type[world.slot(one)];
      return window.units().filter((h) => world.type[world.slot(h)] === type && window.pointOf(h));
    }, one);
    await click(await pointOf(one), { times: 2 });
    assert.deepEqual(await selected(), same, kind);
  }
});

test("mouse: a right click orders, and the server says where they go", { timeout: 240_000 }, async () => {
  const army = await units("army");
  await select(army);
  const free = (await groundPoints(4)).at(-1);
  await click(free, { button: "right" });
  const [order] = await answers();
  assert.deepEqual([order.do, order.units, order.queued], ["move", army, false]);
  await goTo([{ units: army, ...free.tile }], 3);
  assert.deepEqual(await selected(), army, "they stay selected");
  await select(await units("worker"));
  const ore = await resource();
  await click(ore, { button: "right" });
  const [harvest] = await answers();
  assert.deepEqual([harvest.do, harvest.target], ["harvest", ore.handle]);
});

test("mouse: a line drawn with the right button has a place for each unit", {
  timeout: 240_000,
}, async () => {
  const army = await units("army");
  await select(army);
  const line = await lineOfGround();
  await drag(line[0], line[1], { button: "right", before: () => shot("17-line") });
  const orders = await answers(army.length);
  assert.deepEqual(new Set(orders.map((o) => o.do)), new Set(["move"]));
  checkLine(orders, army, line);
  await goTo(
    orders.map((o) => ({ units: o.units, x: o.to.x / 1024, z: o.to.y / 1024 })),
    0.5,
  );
  // The left button draws one while a command waits that goes to a place.
  await page.keyboard.press("KeyA");
  await page.waitForSelector(".mode-hint:not([hidden])");
  await drag(line[1], line[0]);
  const attacks = await answers(army.length);
  assert.deepEqual(new Set(attacks.map((o) => o.do)), new Set(["attackMove"]));
  checkLine(attacks, army, line);
  await page.waitForSelector(".mode-hint", { state: "hidden" });
});

test("mouse: a right button that shakes is a click, and no line", { timeout: 240_000 }, async () => {
  const army = await units("army");
  await select(army);
  const free = (await groundPoints(4)).at(-1);
  await drag(free, { x: free.x + 9, y: free.y + 8 }, { button: "right" });
  const orders = await answers();
  assert.deepEqual(
    orders.map((o) => o.units),
    [army],
  );
});

test("touch: a tap selects, and orders what is selected", { timeout: 240_000 }, async () => {
  const one = await lone(await units("army"));
  await tap(await pointOf(one));
  assert.deepEqual(await selected(), [one]);
  const free = (await groundPoints(4)).at(-1);
  await tap(free);
  const [order] = await answers();
  assert.deepEqual([order.do, order.units], ["move", [one]]);
  await goTo([{ units: [one], ...free.tile }], 0.5);
  const worker = await lone((await units("worker")).filter((h) => h !== one));
  await tap(await pointOf(worker));
  assert.deepEqual(await selected(), [worker], "a tap on an own unit selects it");
  const ore = await resource();
  await tap(ore);
  const [harvest] = await answers();
  assert.deepEqual([harvest.do, harvest.units, harvest.target], ["harvest", [worker], ore.handle]);
});

test("touch: a finger that rests selects what is there, and orders nothing", {
  timeout: 240_000,
}, async () => {
  await select(await units("worker"));
  const ore = await resource();
  await tap(ore, { restS: 0.5 });
  assert.deepEqual(await selected(), [ore.handle], "the resource is looked at");
  await select(await units("army"));
  const [free] = await groundPoints(1);
  await tap(free, { restS: 0.5 });
  assert.deepEqual(await selected(), [], "on bare ground the selection is given up");
  await frames(2);
  assert.deepEqual(
    await page.evaluate(() => [window.answers.length, window.fogkeep.match.unanswered]),
    [0, 0],
  );
});

test("touch: two taps select all of a kind in view", { timeout: 240_000 }, async () => {
  const workers = await units("worker");
  await tap(await pointOf(await lone(workers)), { times: 2 });
  assert.deepEqual(await selected(), workers);
});

test("touch: a finger that rests and moves draws a box; one that moves at once moves the map", {
  timeout: 240_000,
}, async () => {
  const army = await units("army");
  const [from, to] = await boxAround(army);
  const was = await look();
  await slide(from, to, { restS: 0.5, before: () => page.waitForSelector(".box:not([hidden])") });
  assert.deepEqual(await selected(), army);
  assert.deepEqual(await look(), was, "the map stays");
  const [free] = await groundPoints(1);
  await slide(free, { x: free.x + 90, y: free.y + 60 });
  const moved = await look();
  assert.ok(
    was.x - moved.x > 1 && was.z - moved.z > 1,
    `the camera went from ${JSON.stringify(was)} to ${JSON.stringify(moved)}`,
  );
  assert.deepEqual(await selected(), army, "and nothing else happens");
  assert.equal(await page.evaluate(() => window.answers.length), 0);
});

test("touch: Move, and a finger that rests and moves, draw a line", { timeout: 240_000 }, async () => {
  const army = await units("army");
  await select(army);
  await page.waitForSelector('[data-command="move"]');
  await page.tap('[data-command="move"]');
  await page.waitForSelector(".mode-hint:not([hidden])");
  const line = await lineOfGround();
  await slide(line[0], line[1], { restS: 0.5, before: () => shot("18-touch-line") });
  const orders = await answers(army.length);
  assert.deepEqual(new Set(orders.map((o) => o.do)), new Set(["move"]));
  checkLine(orders, army, line);
  await page.waitForSelector(".mode-hint", { state: "hidden" });
});

/** Where a place of the map (tiles) is on the minimap, as a point of the page. */
const onMinimap = (x, z) =>
  page.evaluate(
    ([x, z]) => {
      const box = document.querySelector(".minimap-canvas").getBoundingClientRect();
      const { width, height } = window.fogkeep.match.info.map;
      const side = Math.max(width, height);
      return {
        x: box.left + ((x + (side - width) / 2) / side) * box.width,
        y: box.top + ((z + (side - height) / 2) / side) * box.height,
      };
    },
    [x, z],
  );

const look = () => page.evaluate(() => ({ ...window.fogkeep.game.look }));

/** Waits until the camera is set to look at a place, up to a pixel of the minimap. */
async function looksAt({ x, z }) {
  const there = ([x, z]) => {
    const { look } = window.fogkeep.game;
    return Math.hypot(look.x - x, look.z - z) < 1.5;
  };
  await page.waitForFunction(there, [x, z], { polling: 30, timeout: 5000 }).catch(async () => {
    assert.fail(`the camera looks at ${JSON.stringify(await look())}, not at ${x}, ${z}`);
  });
}

/** The rectangle, in pixels of the minimap, around the camera's outline as it is drawn, and around the ground that is on the screen. */
const outlines = () =>
  page.evaluate(() => {
    const { minimap } = window.fogkeep.game.panels;
    const { canvas, ctx, ox, oy, k } = minimap;
    const around = () => ({ box: [1e9, 1e9, -1e9, -1e9] });
    const grow = (r, x, y) => {
      r.box = [Math.min(r.box[0], x), Math.min(r.box[1], y), Math.max(r.box[2], x), Math.max(r.box[3], y)];
    };
    const drawn = around();
    const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
    for (let p = 0; p < data.length; p += 4) {
      if (Math.min(data[p], data[p + 1], data[p + 2]) > 225)
        grow(drawn, (p / 4) % canvas.width, Math.floor(p / 4 / canvas.width));
    }
    const want = around();
    const { width, height } = window.fogkeep.match.info.map;
    for (let a = 0; a <= 150; a++) {
      for (let b = 0; b <= 150; b++) {
        const p = window.fogkeep.game.renderer.groundAt((a / 150) * innerWidth, (b / 150) * innerHeight);
        if (p && p.x >= 0 && p.z >= 0 && p.x <= width && p.z <= height)
          grow(want, ox + p.x * k, oy + p.z * k);
      }
    }
    return { drawn: drawn.box, want: want.box };
  });

/** The outline on the minimap is where the screen's border is on the ground. */
async function outlineFits() {
  await page.waitForFunction(
    () => {
      const { camera } = window.fogkeep.game.renderer;
      return Math.hypot(camera.focusX - camera.x, camera.focusZ - camera.z) < 0.02;
    },
    null,
    { polling: 50 },
  );
  await frames(3);
  const { drawn, want } = await outlines();
  for (let n = 0; n < 4; n++)
    assert.ok(Math.abs(drawn[n] - want[n]) <= 4, `the outline is drawn at ${drawn}, and is at ${want}`);
}

/** Places to look at: the middle, a corner, and the highest ground. */
const places = () =>
  page.evaluate(() => {
    const { map } = window.fogkeep.match.info;
    let top = 0;
    for (let t = 0; t < map.levels.length; t++) if (map.levels[t] > map.levels[top]) top = t;
    return [
      { x: map.width / 2, z: map.height / 2 },
      { x: map.width - 1, z: 1 },
      { x: (top % map.width) + 0.5, z: Math.floor(top / map.width) + 0.5 },
    ];
  });

test("mouse: a click on the minimap looks there, a drag takes the view along", {
  timeout: 240_000,
}, async () => {
  const [middle, corner, high] = await places();
  for (const place of [middle, corner, high]) {
    await click(await onMinimap(place.x, place.z));
    await looksAt(place);
    await outlineFits();
  }
  await drag(await onMinimap(high.x, high.z), await onMinimap(middle.x, middle.z));
  await looksAt(middle);
  // Out over the border: the view stays on the map.
  const { width } = await page.evaluate(() => ({ width: window.fogkeep.match.info.map.width }));
  const out = await onMinimap(width, 5);
  await drag(await onMinimap(middle.x, middle.z), { x: out.x + 80, y: out.y });
  await looksAt({ x: width, z: 5 });
  await outlineFits();
  await mouse("mouseMoved", await onMinimap(middle.x, middle.z), "none");
  await looksAt({ x: width, z: 5 });
});

test("touch: a tap on the minimap looks there, a finger takes the view along", {
  timeout: 240_000,
}, async () => {
  const [middle, corner] = await places();
  await tap(await onMinimap(middle.x, middle.z));
  await looksAt(middle);
  await slide(await onMinimap(middle.x, middle.z), await onMinimap(corner.x, corner.z));
  await looksAt(corner);
  await outlineFits();
  assert.deepEqual(
    await page.evaluate(() => [window.answers.length, window.fogkeep.match.unanswered]),
    [0, 0],
  );
});

test("the minimap orders: by right click, and by touch while a command waits", {
  timeout: 240_000,
}, async () => {
  const army = await units("army");
  await select(army);
  const was = await look();
  const { tile } = (await groundPoints(4)).at(-1);
  await click(await onMinimap(tile.x, tile.z), { button: "right" });
  const [move] = await answers();
  assert.deepEqual([move.do, move.units], ["move", army]);
  assert.ok(Math.hypot(move.to.x / 1024 - tile.x, move.to.y / 1024 - tile.z) < 1.5, JSON.stringify(move.to));
  await page.waitForSelector('[data-command="attackMove"], [data-command="attack"]');
  await page.keyboard.press("KeyA");
  await page.waitForSelector(".mode-hint:not([hidden])");
  await tap(await onMinimap(tile.x, tile.z));
  const [attack] = await answers();
  assert.deepEqual([attack.do, attack.units], ["attackMove", army]);
  await page.waitForSelector(".mode-hint", { state: "hidden" });
  assert.deepEqual(await look(), was, "the view stays");
});

test("panels by mouse: tooltip, tabs, shortcuts, groups, bookmarks", { timeout: 240_000 }, async () => {
  const [army, workers] = [await units("army"), await units("worker")];
  await select([...army, ...workers]);
  await page.hover('[data-command="attack"]');
  assert.match(await page.textContent(".tip"), /damage.*Strong against.*Weak against/s);
  await page.click(".tab:last-child");
  await page.waitForSelector('[data-command="harvest"]');
  await page.dblclick(".tab:last-child");
  assert.deepEqual(await selected(), workers, "all of a type alone");
  await page.click(".army");
  assert.deepEqual(await selected(), army);
  await page.click(".idle-worker");
  assert.equal((await selected()).length, 1);
  await select(army);
  await page.click('[data-group="new"]');
  await select([]);
  await page.evaluate(() => window.fogkeep.game.renderer.camera.jump(30, 30));
  await page.dblclick('[data-group="1"]');
  assert.deepEqual(await selected(), army);
  const look = () => page.evaluate(() => ({ ...window.fogkeep.game.look }));
  const there = await look();
  assert.ok(Math.hypot(there.x - 30, there.z - 30) > 3, "the second click goes to the group");
  const marked = () =>
    page.evaluate(() => {
      const { minimap } = window.fogkeep.game.panels;
      const { x, z } = window.fogkeep.game.look;
      const at = [minimap.ox + x * minimap.k - 13, minimap.oy + z * minimap.k - 13];
      const { data } = minimap.ctx.getImageData(...at, 26, 26);
      let n = 0; // pixels in the colour of marks
      for (let k = 0; k < data.length; k += 4)
        if (data[k] > 200 && data[k + 1] > 160 && data[k + 2] < 90) n++;
      return n;
    });
  const without = await marked();
  await page.click('[data-view="2"]');
  await page.waitForSelector('[data-view="2"].on');
  await frames(3);
  assert.ok((await marked()) >= without + 50, "the minimap shows where the saved view is");
  await page.evaluate(() => window.fogkeep.game.renderer.camera.jump(30, 30));
  await page.click('[data-view="2"].on');
  const back = await look();
  assert.ok(Math.hypot(back.x - there.x, back.z - there.z) < 0.1);
});

test("panels by keys: tooltip, next type, idle worker, groups, bookmarks, the coach", {
  timeout: 240_000,
}, async () => {
  const army = await units("army");
  const key = (k) => page.keyboard.press(k);
  await key("Comma");
  assert.deepEqual(await selected(), army);
  await key("Control+2");
  await page.waitForSelector('[data-group="2"]');
  const type = () => page.evaluate(() => window.fogkeep.game.selection.active().type);
  const was = await type();
  await key("Tab");
  assert.notEqual(await type(), was);
  await panels(); // the card is another
  await key("F6"); // to the card
  await page.waitForSelector(".command:focus-visible");
  await page.waitForSelector(".tip");
  await key("Escape");
  await page.waitForSelector(".tip", { state: "detached" });
  await key("Period");
  assert.equal((await selected()).length, 1, "an idle worker");
  await key("Digit2");
  assert.deepEqual(await selected(), army);
  await key("Control+F3");
  await page.waitForSelector('[data-view="3"].on');
  // Alone, the speed changes at once.
  const runs = (n) => page.waitForFunction((n) => window.fogkeep.match.speed.percent === n, n);
  await key("Equal");
  await runs(150);
  await page.waitForFunction(() => /150/.test(document.querySelector(".speed-bar")?.textContent ?? ""));
  await key("Minus");
  await runs(100);
  await key("Minus");
  await runs(50);
  await key("NumpadAdd");
  await runs(100);
  // The coach is switched on in the menu, finds the idle worker, and goes.
  await key("F10");
  await page.click('[data-do="options"]');
  await page.getByText("Coach", { exact: false }).first().click();
  await key("Escape");
  await page.waitForSelector("dialog.settings", { state: "detached" });
  await key("Escape");
  const coach = await page.waitForSelector(".coach");
  await page.waitForSelector('.coach[data-advice="idle"]');
  assert.match(await coach.textContent(), /workers? stands? idle. \[\.\]/);
  await shot("19-coach");
  await page.evaluate(() => window.fogkeep.game.selection.set([]));
  await page.click('[data-do="coach-go"]');
  assert.equal((await selected()).length, 1, "it selects the worker");
  await page.click('[data-do="coach-close"]');
  await page.waitForSelector(".coach", { state: "detached" });
});

test("the minimap draws a layer when it changed, and shows what a full drawing shows", {
  timeout: 240_000,
}, async () => {
  const drawn = () => page.evaluate(() => ({ ...window.fogkeep.game.panels.minimap.layers.drawn }));
  let before = await drawn();
  for (let last; JSON.stringify(last) !== JSON.stringify(before); before = await drawn()) {
    last = before; // until the fog of the last steps is drawn
    await frames(6);
  }
  await frames(12);
  assert.deepEqual(await drawn(), before, "nothing moves, nothing is drawn");
  await page.evaluate(() => window.fogkeep.game.renderer.camera.pan(4, 0));
  await page.waitForFunction(
    (n) => window.fogkeep.game.panels.minimap.layers.drawn.composition > n,
    before.composition,
  );
  const panned = await drawn();
  assert.deepEqual([panned.fog, panned.units], [before.fog, before.units], "the camera moved, and no layer");
  const army = await units("army");
  await select(army);
  const free = (await groundPoints(4)).at(-1);
  await click(free, { button: "right" });
  await answers();
  await page.waitForFunction((n) => window.fogkeep.game.panels.minimap.layers.drawn.units > n, panned.units);
  const differing = await page.evaluate(() => {
    const { panels, loop } = window.fogkeep.game;
    const { minimap } = panels;
    const read = () => minimap.ctx.getImageData(0, 0, minimap.canvas.width, minimap.canvas.height).data;
    loop.stop();
    const draw = () => {
      minimap.lastMs = -1e9;
      minimap.draw(performance.now());
    };
    draw();
    const kept = read();
    Object.assign(minimap.layers, { fogRevision: -1, colorRevision: -1 });
    draw();
    const full = read();
    loop.start();
    let n = 0;
    for (let k = 0; k < full.length; k++) if (full[k] !== kept[k]) n++;
    return n;
  });
  assert.equal(differing, 0);
});
