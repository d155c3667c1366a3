// The page around the fight, in a real browser: the panels' cover, the places of messages, the menu's choices and
// stops, and the targets of dead links.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { drawn, live, playBot } from "./browser.mjs";
import { BIN, setUp } from "./setup.mjs";

let page;

const stage = setUp({
  begin: async () => {
    page = await stage.open("ada", 1280, 720);
    await playBot(page, "easy");
    await page.evaluate(helpers);
  },
});

const shot = (name) => stage.shot(page, `playing-${name}`);

/** Puts the tests' helpers into a page. */
function helpers() {
  const { game, match, settings } = window.fogkeep;
  const { world, info } = match.state;
  const { renderer } = game;
  const own = (passes) => {
    for (let s = 0; s < world.high; s++) {
      const type = info.rules.types[world.type[s]];
      if (world.ids[s] && world.owner[s] === info.slot && passes(type)) return s;
    }
    throw new Error("the player has none");
  };
  const centre = own((type) => type.centre);
  window.t = {
    settings,
    centre: () => world.ids[centre],
    worker: () => world.ids[own((type) => type.worker)],
    /** Own units are under attack at the ground under a point of the page. */
    attackedAt(x, y) {
      const p = renderer.groundAt(x, y);
      const { events } = match.state;
      const at = { x: Math.round(p.x * 1024), y: Math.round(p.z * 1024) };
      events.emit("attacked", { ...at, what: 0, source: 0, target: world.ids[centre] });
    },
    box(selector) {
      const b = document.querySelector(selector).getBoundingClientRect();
      return { left: b.left, top: b.top, right: b.right, bottom: b.bottom };
    },
  };
}

const box = (selector) => page.evaluate((s) => window.t.box(s), selector);
const select = (what) => page.evaluate((w) => window.fogkeep.game.selection.set([window.t[w]()]), what);
const middle = (b) => ({ x: (b.left + b.right) / 2, y: (b.top + b.bottom) / 2 });
const within = (p, b, by = 0) =>
  p.x > b.left - by && p.x < b.right + by && p.y > b.top - by && p.y < b.bottom + by;
const dangers = () => page.$$eval(".alert.danger", (all) => all.length);

test("a fight that a panel or a dialog hides is announced, one in sight is not", {
  timeout: 240_000,
}, async () => {
  const attack = (at) => page.evaluate(({ x, y }) => window.t.attackedAt(x, y), at);
  await attack({ x: 640, y: 330 });
  assert.equal(await dangers(), 0, "the player sees it");
  await attack(middle(await box(".card")));
  assert.equal(await dangers(), 1, "the command card is over it");
  await page.waitForSelector(".edge-arrow:not([hidden])");
  await shot("hidden-fight");
});

test("the menu is short, stops the match of a player alone, and goes with its end", {
  timeout: 240_000,
}, async () => {
  await page.keyboard.press("F10");
  await page.waitForSelector("dialog.menu");
  const entries = await page.$$eval("dialog.menu :is(button, select)", (all) =>
    all.map((b) => ({ what: b.dataset.do ?? b.tagName, bottom: b.getBoundingClientRect().bottom })),
  );
  assert.ok(entries.length >= 6 && entries.length <= 8, JSON.stringify(entries));
  assert.ok(
    entries.every((e) => e.bottom <= 720),
    "everything is above the fold",
  );
  const paused = (on) => page.waitForFunction((on) => window.fogkeep.match.speed.paused === on, on);
  await paused(true);
  await shot("menu");
  await page.click('[data-do="options"]');
  await page.waitForSelector("dialog.settings");
  const { bottom } = await box("dialog.settings .primary");
  assert.ok(bottom <= 720, "the options' button too");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.settings", { state: "detached" });
  assert.ok(await page.$("dialog.menu"), "back in the menu");
  await page.keyboard.press("Escape");
  await paused(false);
  // A player who presses Pause gets a pause, and sees the orders that wait for its end.
  await page.keyboard.press("F10");
  await paused(true);
  await page.click('dialog.menu [data-do="pause"]');
  await page.waitForSelector("dialog.menu", { state: "detached" });
  await page.evaluate(() => {
    const { match } = window.fogkeep;
    const to = { x: match.info.map.width * 512, y: match.info.map.height * 512 };
    void match.order({ do: "move", units: [window.t.worker()], to });
  });
  assert.match(await page.textContent(".paused [data-waiting]"), /1 order waits/);
  assert.equal(await page.evaluate(() => window.fogkeep.match.speed.paused), true);
  await page.click(".paused button");
  await paused(false);
  await page.waitForFunction(() => window.fogkeep.match.unanswered === 0);
});

test("colours by relation change every picture of the player's units", { timeout: 240_000 }, async () => {
  await select("centre");
  await page.waitForSelector('.card [data-command^="make-"] img');
  await page.evaluate(() => {
    const places = [
      ".army img",
      ".idle-worker img",
      ".selection .portrait",
      '.card [data-command^="make-"] img',
    ];
    window.pictures = () => places.map((s) => document.querySelector(s).src);
    window.before = window.pictures();
  });
  await page.evaluate(() => window.t.settings.change({ relations: true }));
  await page.waitForFunction(() => window.pictures().every((src, k) => src !== window.before[k]));
  await page.evaluate(() => window.t.settings.change({ relations: false }));
});

test("a hint gives way to what is placed, and prices stay in their cells", { timeout: 240_000 }, async () => {
  await select("worker");
  await page.mouse.move(640, 420);
  await page.click('[data-command="build"]');
  await page.waitForSelector('[data-command^="make-"]');
  const over = await page.$$eval(".command:has(.price)", (all) =>
    all.flatMap((b) => {
      const cell = b.getBoundingClientRect();
      const parts = [...b.querySelectorAll(".price > span")].map((p) => p.getBoundingClientRect());
      return parts.some((p) => p.left < cell.left || p.right > cell.right || p.top < cell.top)
        ? [b.ariaLabel]
        : [];
    }),
  );
  assert.deepEqual(over, []);
  await page.click('[data-command^="make-"]:not(.cannot)');
  await page.mouse.move(640, 420);
  const hint = await page.waitForSelector(".mode-hint:not([hidden])");
  const place = await box(".mode-hint");
  assert.ok(
    !within({ x: 640, y: 420 }, place, 60),
    `the hint is off the field's middle: ${JSON.stringify(place)}`,
  );
  await shot("hint");
  await page.mouse.move(place.left - 20, middle(place).y);
  await page.waitForFunction((el) => Number(getComputedStyle(el).opacity) < 0.3, hint);
  await page.mouse.move(640, 300);
  await page.waitForFunction((el) => getComputedStyle(el).opacity === "1", hint);
  await page.mouse.click(640, 300, { button: "right" });
  await page.waitForSelector(".mode-hint", { state: "hidden" });
});

test("refusals have one place, above the card, and the last one is alone", { timeout: 240_000 }, async () => {
  await page.evaluate(() => {
    window.fogkeep.game.selection.set([window.t.centre()]);
  });
  const button = await page.waitForSelector('[data-command^="make-"] kbd');
  const letter = await button.textContent();
  await page.mouse.move(200, 300);
  // Too much for the queue, the supply or the purse, whatever comes first.
  for (let k = 0; k < 12; k++) await page.keyboard.press(`Key${letter}`);
  const shown = await page.waitForFunction(() => {
    const all = [...document.querySelectorAll(".words .word")];
    const { left, right, bottom } = all[0]?.getBoundingClientRect() ?? {};
    return all.length > 0 && { count: all.length, text: all[0].textContent, left, right, bottom };
  });
  const word = await shown.jsonValue();
  const card = await box(".card");
  assert.equal(word.count, 1);
  assert.match(word.text, /\w+ \w+/, "a reason");
  assert.ok(word.right <= 1280 && word.left > card.left - 340, JSON.stringify(word));
  assert.ok(word.bottom <= card.top && word.bottom > card.top - 90, JSON.stringify({ word, card }));
  await shot("refusals");
});

test("the coach lies at the edge, over no ore, and lets clicks through", { timeout: 240_000 }, async () => {
  const start = await page.evaluate(() => {
    const { match, game } = window.fogkeep;
    const { x, y } = match.info.map.starts[match.info.players[match.info.slot].start];
    game.renderer.camera.jump(x + 0.5, y + 1.5); // as a match begins
    window.t.settings.change({ coach: true });
    const { world, info } = match.state;
    const units = [...world.ids].filter(
      (id, s) => id && world.owner[s] === info.slot && info.rules.types[world.type[s]].worker,
    );
    match.order({ do: "stop", units }); // it advises on idle workers
    return { x, y };
  });
  await page.waitForSelector(".coach");
  await drawn(page);
  const coach = await box(".coach");
  assert.ok(coach.bottom - coach.top < 100 && coach.top < 20, JSON.stringify(coach));
  const under = await page.evaluate(() => {
    const { match, game } = window.fogkeep;
    const { world, info } = match.state;
    const b = window.t.box(".coach");
    const at = { x: 0, y: 0 };
    const found = [];
    for (let s = 0; s < world.high; s++) {
      if (!world.ids[s] || info.rules.types[world.type[s]].class !== "resource") continue;
      if (!game.renderer.groundToPage(world.posX(s) / 1024, world.posY(s) / 1024, at)) continue;
      if (at.x > b.left && at.x < b.right && at.y > b.top && at.y < b.bottom) found.push({ ...at });
    }
    return found;
  });
  assert.deepEqual(under, [], `the base is at ${JSON.stringify(start)}`);
  const hit = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y).className, {
    x: coach.left + 60,
    y: coach.bottom - 14,
  });
  assert.equal(hit, "world", "a click goes to the field");
  await shot("coach");
  await page.click('[data-do="coach-close"]');
  await page.waitForSelector(".coach", { state: "detached" });
});

test("the admins' tables and filters are whole", { timeout: 240_000 }, async () => {
  const admin = await stage.open("admin", 1280, 720, {}, `${stage.server.adminUrl}/#matches`);
  await admin.fill("#password", stage.server.adminPassword);
  await admin.click("button[type=submit]");
  const filter = await admin.waitForSelector('.match-filter [name="account"]');
  const needed = await filter.evaluate((el) => {
    const style = getComputedStyle(el);
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.font = style.font;
    const pads = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
    return { text: ctx.measureText(el.placeholder).width, room: el.clientWidth - pads };
  });
  assert.ok(needed.text <= needed.room, JSON.stringify(needed));
  const match = await page.evaluate(() => window.fogkeep.match.info.matchId);
  await admin.goto(`${stage.server.adminUrl}/#inspect/${match}`);
  await admin.click('[data-tab="traffic"]');
  await admin.waitForSelector(".traffic [data-name] td");
  const wide = await admin.$$eval(".side-body, .side-body .traffic", (all) =>
    all.map((e) => [e.className, e.scrollWidth - e.clientWidth]).filter(([, more]) => more > 0),
  );
  await stage.shot(admin, "playing-traffic");
  assert.deepEqual(wide, []);
  await admin.context().close();
});

test("the end of the match closes the menu", { timeout: 240_000 }, async () => {
  await page.keyboard.press("F10");
  await page.waitForSelector("dialog.menu");
  await page.evaluate(() => {
    const { match } = window.fogkeep;
    match.setSpeed(100, false);
    void match.order({ do: "surrender", units: [] });
  });
  await page.waitForSelector(".end-panel");
  assert.equal(await page.$("dialog.menu"), null);
  const lost = await page.$$eval(".scores tbody tr", (rows) =>
    rows.map((r) => r.lastElementChild.textContent),
  );
  assert.equal(lost[0], "0", "what goes with the defeat was not lost in a fight");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".end-panel", { state: "detached" });
  assert.equal(await page.$("dialog"), null, "nothing lies behind it");
  await page.keyboard.press("F10");
  await page.waitForSelector("dialog.menu");
  assert.equal(await page.$("dialog.menu .danger"), null, "there is nothing to surrender any more");
});

test("the labels of a phone's card are whole", { timeout: 240_000 }, async () => {
  // In German, whose labels are the longest.
  const phone = await stage.open("phone", 390, 844, { hasTouch: true, locale: "de-DE" });
  await playBot(phone, "easy");
  await phone.evaluate(helpers);
  await phone.evaluate(() => window.fogkeep.game.selection.set([window.t.centre()]));
  await phone.waitForSelector('[data-command^="make-"]');
  const cut = await phone.$$eval(".command-name", (all) =>
    all
      .filter((n) => n.scrollHeight > n.clientHeight + 1 || n.scrollWidth > n.clientWidth)
      .map((n) => n.textContent),
  );
  assert.deepEqual(cut, []);
  await stage.shot(phone, "playing-phone");
  await phone.context().close();
});

test("a link to a game that is gone says so, with a way on", { timeout: 240_000 }, async () => {
  for (const link of ["#lobby=0190aaaa-0000-7000-8000-000000000000", "#party=ABCDEFGH"]) {
    const guest = await stage.open("guest", 900, 560, {}, `${stage.server.playUrl}/${link}`);
    await guest.waitForSelector('[data-do="elsewhere"]');
    assert.match(await guest.textContent("h1"), /leads nowhere/);
    assert.match(await guest.textContent(".lead"), /no longer exists/);
    assert.equal(await guest.evaluate(() => location.hash), "", "a reload does not lead there again");
    await guest.click('[data-do="elsewhere"]');
    await guest.waitForSelector('[data-do="play-bot"]');
    await guest.context().close();
  }
});

test("teams are marked, levels of bots change, and an invitation says what runs", {
  timeout: 240_000,
}, async () => {
  const host = await stage.open("host", 1280, 720);
  await host.click('[data-do="guest"]');
  await host.waitForSelector('[data-do="create"]');
  const id = await host.evaluate(async () => {
    const { maps } = await (await fetch("/api/maps")).json();
    const body = {
      name: "Teams",
      map: maps.find((m) => m.starts >= 4).id,
      limit: 3,
      bots: 2,
      options: { teams: "coop", countdownSeconds: 0 },
    };
    const made = await fetch("/api/lobbies", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const lobby = await made.json();
    await window.fogkeep.openLobby(lobby.id);
    return lobby.id;
  });
  await host.waitForSelector(".seat select.level");
  await host.selectOption('[data-seat="1"] select.level', "hard");
  await host.waitForFunction(async (id) => {
    const lobby = await (await fetch(`/api/lobbies/${id}`)).json();
    return lobby.seats[1].level === "hard" && lobby.seats[2].level === "medium";
  }, id);
  await stage.shot(host, "playing-levels");
  await host.click('[data-do="start"]');
  await live(host);
  const marks = await host.$$eval(".players > *", (all) =>
    all.map((e) => (e.matches(".team") ? e.textContent : "-")),
  );
  assert.deepEqual(marks, ["Team 1", "-", "Team 2", "-", "-"]);
  await stage.shot(host, "playing-teams");
  const guest = await stage.open("guest", 900, 700, {}, `${stage.server.playUrl}/#lobby=${id}`);
  await guest.waitForSelector("[data-standing]");
  assert.match(await guest.textContent("[data-standing]"), /The match is running/);
  await stage.shot(guest, "playing-invited");
  await guest.context().close();
  await host.context().close();
});

test("the title stands still for players who prefer that", { timeout: 240_000 }, async () => {
  const still = await stage.open("still", 640, 400, { frameMs: 0, backdrop: true });
  await still.waitForFunction(() => window.fogkeep.backdrop.scene?.last > 0);
  const drawn = () =>
    still.evaluate(async () => {
      const { scene } = window.fogkeep.backdrop;
      let draws = 0;
      const { draw } = scene.renderer;
      scene.renderer.draw = (...args) => {
        draws++;
        return draw.apply(scene.renderer, args);
      };
      scene.last = Number.NEGATIVE_INFINITY; // as if the last frame were long ago
      for (let k = 0; k < 6; k++) await new Promise((done) => requestAnimationFrame(done));
      scene.renderer.draw = draw;
      return { draws, x: scene.renderer.camera.x, tick: scene.scene.state.world.tick };
    });
  const first = await drawn();
  assert.equal(first.draws, 0);
  assert.deepEqual(await drawn(), first);
  await still.setViewportSize({ width: 690, height: 420 }); // as narrow: the camera looks at the same place
  await still.waitForFunction(() => window.fogkeep.backdrop.scene.stands);
  assert.ok(Math.abs((await drawn()).x - first.x) < 0.01, "after a resize the same moment is drawn");
  await still.context().close();
});

test("a banned player reads why and until when after the log-in", { timeout: 240_000 }, async () => {
  const eve = await stage.open("eve", 1024, 640);
  const enter = async (how) => {
    await eve.fill("#name", "Eve");
    await eve.fill("#password", "a lamp in the valley");
    await eve.click(`[data-do="${how}"]`);
    await eve.waitForSelector('[data-do="create"]');
  };
  await enter("register");
  assert.equal(await eve.$(".banned"), null);
  const admin = (...args) => execFileSync(BIN, ["admin", ...args, "--data-dir", stage.server.data]);
  admin("ban", "Eve", "--reason", "insults in chat", "--for", "72h");
  await eve.reload();
  await enter("login");
  const said = await eve.textContent(".banned");
  assert.match(said, /banned until .*\d/);
  assert.match(said, /insults in chat/);
  await stage.shot(eve, "playing-banned");
  await eve.context().close();
});
