// Draws each ability and effect in a real browser, from rows as a server sends
// them to pixels: it begins, is on, ends; who comes into sight with it shows it at
// once and without a begin. In all three qualities.
//
//	FOGKEEP_STRIP  a folder: a strip of pictures of each is written there, a file a quality

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { playBot } from "./browser.mjs";
import { setUp } from "./setup.mjs";

/** The drawing for each type of unit. `moves`: it runs. */
const CASES = [
  { name: "sprint", type: "scout", ability: "sprint", moves: true },
  { name: "deploy", type: "artillery", ability: "deploy" },
  { name: "rage", type: "soldier", ability: "rage" },
  { name: "burn", type: "caster", ability: "burn", area: true },
  { name: "cloak", type: "raider", flag: 1 },
  { name: "scan", type: "caster", scan: true },
  { name: "burning", type: "soldier", effect: "damage" },
  { name: "slowed", type: "scout", effect: "slow" },
  { name: "shielded", type: "artillery", effect: "shield" },
  { name: "shield hit", type: "detector", hits: true },
];
/** Milliseconds after the begin, and after the end. */
const ON_MS = [90, 260, 900, 1500];
const OFF_MS = [120, 900];

const { open } = setUp();

/** Runs in the page: a stage of its own on the page's match, without the server. */
function stage() {
  const { game, match } = window.fogkeep;
  const { state } = match;
  const { world, info, mask } = state;
  const { renderer } = game;
  match.link.close();
  game.loop.stop();
  state.fog = null; // all is visible here
  mask.reveal();
  renderer.effects.reducedMotion = false;
  renderer.abilities.reducedMotion = false;
  renderer.numbers.shown = true;
  const STEP_MS = 90;
  let clock = performance.now();
  performance.now = () => clock;
  const single = new Set(["tick", "span", "skipped"]);
  const whole = new Set([
    "ghosts",
    "mask",
    "events",
    "own",
    "ended",
    "maskHash",
    "welcome",
    "closing",
    "waiting",
  ]);
  /** Applies a frame in which all but `parts` is empty. */
  const apply = (parts) =>
    state.apply(
      new Proxy(parts, {
        get: (of, key) => (key in of ? of[key] : single.has(key) ? 0 : whole.has(key) ? undefined : []),
      }),
      clock,
    );
  apply({ leave: rows([...world.ids.filter((id) => id !== 0)].sort((a, b) => a - b)) });
  function rows(ids) {
    let last = 0;
    return ids.map((id) => {
      const d = id - last;
      last = id;
      return d;
    });
  }
  /** Lets time pass as the loop does. Only the pictures that are looked at reach the GPU, which most machines have not. */
  const { webgl } = renderer;
  const { render } = webgl;
  const draw = (ms) => {
    webgl.render = () => {};
    for (let left = ms; left > 0; left -= STEP_MS) {
      clock += Math.min(STEP_MS, left);
      renderer.draw(state.tick, Math.min(STEP_MS, left), game.loop.options);
    }
    webgl.render = render;
  };
  const typeOf = (name) => info.rules.types.find((t) => t.name === name);
  const kinds = (info.players.length + 1) * info.rules.types.length;
  let handle = 4000;
  // It moves, and yet stays in the picture.
  const SLOWLY_EAST = 1_064_960 + 2016;
  /** Brings a unit of this player's into sight, with more rows in the same frame. */
  const enter = (name, x, z, more = () => ({}), moves = false) => {
    handle++;
    const kind = (info.slot + 1) * info.rules.types.length + typeOf(name).id;
    const cell = Math.floor(z * 16) * 16 * mask.width + Math.floor(x * 16);
    apply({ enter: [handle * kinds + kind, cell, moves ? SLOWLY_EAST : 0], ...more(handle) });
    return handle;
  };
  const W = 190;
  const H = 150;
  /** The picture around a place as it was drawn last: a canvas, and its pixels. */
  const shot = (x, z) => {
    renderer.draw(state.tick, 1, game.loop.options);
    const at = { x: 0, y: 0 };
    renderer.groundToPage(x, z, at);
    const ratio = renderer.canvas.width / renderer.canvas.clientWidth;
    const out = document.createElement("canvas");
    out.width = W;
    out.height = H;
    const c = out.getContext("2d");
    c.drawImage(
      renderer.canvas,
      (at.x - W / 2) * ratio,
      (at.y - H * 0.58) * ratio,
      W * ratio,
      H * ratio,
      0,
      0,
      W,
      H,
    );
    return { canvas: out, pixels: c.getImageData(0, 0, W, H).data };
  };
  /** How many pixels differ clearly between two pictures. */
  const differ = (a, b) => {
    let n = 0;
    for (let i = 0; i < a.pixels.length; i += 4) {
      const d =
        Math.abs(a.pixels[i] - b.pixels[i]) +
        Math.abs(a.pixels[i + 1] - b.pixels[i + 1]) +
        Math.abs(a.pixels[i + 2] - b.pixels[i + 2]);
      if (d > 40) n++;
    }
    return n;
  };
  window.stage = { apply, draw, enter, shot, differ, typeOf, state, world, info, renderer, W, H };
}

/** Runs in the page: one case; returns the measured values, and keeps its pictures. */
function play(c, onMs, offMs) {
  const { apply, draw, enter, shot, differ, typeOf, state, info, renderer } = window.stage;
  const { abilities, effects } = info.rules;
  const x = info.map.starts[info.players[info.slot].start ?? 0]?.x ?? 20;
  const spot = { x: Math.min(info.map.width - 12, Math.max(12, x)) + 6, z: 0 };
  spot.z = Math.min(info.map.height - 12, Math.max(12, info.map.starts[0].y)) + 7;
  renderer.camera.jump(spot.x, spot.z);
  renderer.snap();
  const index = () => typeOf(c.type).abilities.findIndex((a) => abilities[a].kind === c.ability) + 1;
  const effect = () => effects.findIndex((e) => e.kind === c.effect) + 1;
  const number = (kind) => abilities.findIndex((a) => a.kind === kind);
  const parts = (id, on, when) => {
    if (c.flag) return { flags: [id, on ? c.flag : 0] };
    if (c.effect) return { effects: [id, on ? effect() : 0, on ? when : 0, 0] };
    if (c.ability) return { actions: [id, on ? index() : 0, on ? when : 0] };
    return {};
  };
  const place = (px, pz) => ({ x: [Math.floor(px * 1024)], y: [Math.floor(pz * 1024)] });
  const begin = (id) => {
    const frame = parts(id, true, 1);
    if (c.area)
      frame.events = {
        kind: [8],
        ...place(spot.x + 2.6, spot.z),
        what: [number("burn")],
        source: [0],
        target: [0],
      };
    if (c.scan) {
      frame.events = {
        kind: [8],
        ...place(spot.x, spot.z),
        what: [number("scan")],
        source: [id],
        target: [0],
      };
      const { sight } = abilities[number("scan")];
      frame.sights = [
        {
          x: Math.floor(spot.x) + 2,
          y: Math.floor(spot.z),
          radius: sight,
          flyer: true,
          levelBonus: 0,
          ticks: 40,
        },
      ];
    }
    if (c.hits) frame.shield = [id, 25];
    return frame;
  };
  const pictures = [];
  const id = enter(c.type, spot.x, spot.z, () => ({}), c.moves);
  draw(600);
  const before = shot(spot.x, spot.z);
  pictures.push(before);
  const marks = renderer.abilities.begun;
  apply(begin(id));
  let clock = 0;
  for (const ms of onMs) {
    draw(ms - clock);
    if (c.hits && ms > 200 && clock <= 200) apply({ shield: [id, typeOf(c.type).shield], health: [id, 12] });
    clock = ms;
    pictures.push(shot(spot.x, spot.z));
  }
  const begun = renderer.abilities.begun - marks;
  const on = pictures.slice(1).map((p) => differ(before, p));
  apply(parts(id, false, 0));
  if (c.area || c.scan) draw(2400);
  clock = 0;
  for (const ms of offMs) {
    draw(ms - clock);
    clock = ms;
    pictures.push(shot(spot.x, spot.z));
  }
  const ended = renderer.abilities.begun - marks - begun;
  const gone = differ(before, pictures.at(-1));
  apply({ leave: [id] });
  draw(900);
  // Another comes into sight with it.
  const marksThen = renderer.abilities.begun;
  let seen = 0;
  const other = enter(c.type, spot.x, spot.z, (h) => parts(h, true, 0), c.moves);
  if (c.ability || c.flag || c.effect) {
    draw(200);
    const entered = shot(spot.x, spot.z);
    pictures.push(entered);
    seen = differ(before, entered);
  }
  const beganThen = renderer.abilities.begun - marksThen;
  apply({ leave: [other] });
  draw(900);
  const { W, H } = window.stage;
  window.strips ??= [];
  window.strips.push({ name: c.name, pictures: pictures.map((p) => p.canvas) });
  return {
    quality: renderer.quality,
    on,
    begun,
    ended,
    gone,
    seen,
    beganThen,
    pixels: W * H,
    tick: state.tick,
  };
}

/** Runs in the page: all pictures, a row a case. */
function sheet(heads) {
  const { W, H } = window.stage;
  const columns = Math.max(...window.strips.map((s) => s.pictures.length));
  const out = document.createElement("canvas");
  out.width = 90 + columns * (W + 4);
  out.height = 22 + window.strips.length * (H + 4);
  const c = out.getContext("2d");
  c.fillStyle = "#0b1016";
  c.fillRect(0, 0, out.width, out.height);
  c.fillStyle = "#e6ebf0";
  c.font = "13px sans-serif";
  for (const [k, text] of heads.entries()) c.fillText(text, 94 + k * (W + 4), 15);
  window.strips.forEach((s, row) => {
    c.fillText(s.name, 6, 22 + row * (H + 4) + H / 2);
    for (const [k, p] of s.pictures.entries()) c.drawImage(p, 90 + k * (W + 4), 22 + row * (H + 4));
  });
  return out.toDataURL("image/png");
}

// Each takes half a minute: the other two are in the long form.
for (const quality of process.env.FOGKEEP_TEST_LONG ? ["low", "medium", "high"] : ["low"]) {
  test(`each ability and effect is drawn, ${quality}`, { timeout: 240_000 }, async (t) => {
    const page = await open(`ann-${quality}`, 480, 400, {
      reducedMotion: "no-preference",
      frameMs: 0,
      everyPixel: true,
      quality,
    });
    await playBot(page);
    await page.evaluate(stage);
    const measured = [];
    for (const c of CASES) {
      const m = await page.evaluate(
        ([fn, ...args]) => new Function(`return ${fn}`)()(...args),
        [play.toString(), c, ON_MS, OFF_MS],
      );
      measured.push([c, m]);
    }
    if (process.env.FOGKEEP_STRIP) {
      const heads = [
        "before",
        ...ON_MS.map((ms) => `${ms} ms`),
        ...OFF_MS.map((ms) => `end + ${ms} ms`),
        "into sight",
      ];
      const png = await page.evaluate(
        ([fn, ...args]) => new Function(`return ${fn}`)()(...args),
        [sheet.toString(), heads],
      );
      writeFileSync(
        join(process.env.FOGKEEP_STRIP, `abilities-${quality}.png`),
        Buffer.from(png.split(",")[1], "base64"),
      );
    }
    for (const [c, m] of measured) {
      t.diagnostic(`${c.name}: ${JSON.stringify(m)}`);
      assert.equal(m.quality, quality);
      assert.ok(m.begun > 0, `${c.name}: its begin is shown`);
      assert.ok(Math.max(...m.on) > 150, `${c.name}: it shows while it is on: ${m.on} pixels`);
      assert.ok(c.hits || m.gone < 60, `${c.name}: ${m.gone} pixels stay when it is over`);
      if (c.ability || c.flag || c.effect) {
        assert.ok(m.ended > 0, `${c.name}: its end is shown`);
        assert.ok(m.seen > 120, `${c.name}: who comes into sight with it shows it: ${m.seen} pixels`);
        assert.equal(m.beganThen, 0, `${c.name}: who comes into sight with it does not begin it`);
      }
    }
    await page.context().close();
  });
}

test("orders of a match that runs show on the field, and their ends too", { timeout: 240_000 }, async () => {
  const page = await open("bea", 480, 400);
  await playBot(page);
  const answers = await page.evaluate(async () => {
    const { game, match } = window.fogkeep;
    const { world, info } = match.state;
    const { types, abilities } = info.rules;
    const own = (name) =>
      [...world.ids].filter(
        (id, s) => id && world.owner[s] === info.slot && types[world.type[s]].name === name,
      );
    const number = (kind) => abilities.findIndex((a) => a.kind === kind);
    window.units = {
      scout: own("scout")[0],
      artillery: own("artillery")[0],
      centre: own("command-centre")[0],
    };
    window.strength = (id, look) => game.renderer.abilities.looks.of(world.slot(id), look);
    window.begun = game.renderer.abilities.begun;
    const { scout, artillery, centre } = window.units;
    const at = { x: world.posX(world.slot(centre)), y: world.posY(world.slot(centre)) };
    const sent = [
      match.order({ do: "ability", units: [scout], what: number("sprint") }),
      match.order({ do: "ability", units: [artillery], what: number("deploy") }),
      match.order({ do: "ability", units: [centre], what: number("scan"), to: at }),
    ];
    return Promise.all(sent.map((x) => x.answer));
  });
  assert.ok(
    answers.every((a) => a.ok),
    JSON.stringify(answers),
  );
  const DEPLOY = 1;
  const SPRINT = 2;
  await page.waitForFunction(
    ([deploy, sprint]) =>
      window.strength(window.units.artillery, deploy) === 1 &&
      window.strength(window.units.scout, sprint) === 1,
    [DEPLOY, SPRINT],
  );
  // A ring each for sprint and deploy; rings at the centre, and the circle that the scan shows.
  await page.waitForFunction(() => window.fogkeep.game.renderer.abilities.begun - window.begun >= 4);
  if (process.env.FOGKEEP_STRIP) {
    await page.evaluate(() => {
      const { world } = window.fogkeep.match.state;
      const s = world.slot(window.units.artillery);
      window.fogkeep.game.renderer.camera.jump(world.posX(s) / 1024, world.posY(s) / 1024);
    });
    await page.screenshot({ path: join(process.env.FOGKEEP_STRIP, "abilities-match.png") });
  }
  await page.evaluate(() => {
    const { match } = window.fogkeep;
    const what = match.info.rules.abilities.findIndex((a) => a.kind === "deploy");
    match.order({ do: "stopAbility", units: [window.units.artillery], what });
  });
  await page.waitForFunction(
    ([deploy, sprint]) =>
      window.strength(window.units.artillery, deploy) === 0 &&
      window.strength(window.units.scout, sprint) === 0,
    [DEPLOY, SPRINT],
  );
  await page.context().close();
});
