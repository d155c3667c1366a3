// The costs of a page, measured in a real browser: the bytes of a first visit, the time of a frame with 8,000 units in
// sight, and the allocations while it draws a battle of 600 units: no object, array or string per unit. Numbers that go
// from function to function are boxed by the engine as it likes, which is what is left to see.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { firstLoad, playBot } from "./browser.mjs";
import { BIN, setUp } from "./setup.mjs";

const UNITS = 600;
const FRAMES = 600;
/** The bytes on the wire of a first visit until a match can be played. */
const LOAD_MAX = 300_000;
/** On a machine that runs other tests and has no GPU; `npm run bench -- --open` measures it. */
const PLAYABLE_MS_MAX = 45_000;
const STREAM = fileURLToPath(new URL("../bench/stream.mjs", import.meta.url));
const stage = setUp();
const { open } = stage;

test("a first visit loads less than 300 kB until a match is played", { timeout: 240_000 }, async (t) => {
  const load = await firstLoad(stage.browser, stage.server.playUrl);
  t.diagnostic(
    `the first screen is ${load.screenBytes} bytes, usable after ${load.usableMs.toFixed(0)} ms; ` +
      `playable after ${load.playableBytes} bytes and ${load.playableMs.toFixed(0)} ms`,
  );
  assert.ok(
    load.screenBytes > 20_000 && load.screenBytes < 80_000,
    `${load.screenBytes} bytes until it is usable`,
  );
  assert.ok(load.playableBytes < LOAD_MAX, `${load.playableBytes} bytes until it is playable`);
  assert.ok(load.playableMs < PLAYABLE_MS_MAX, `playable after ${load.playableMs} ms`);
});

// The bench, short: bytes and instances are the same on each machine; times have room for a busy machine.
test("a frame with 8,000 units in sight fills what is in view, and makes little garbage", {
  timeout: 240_000,
}, async (t) => {
  const flags = [
    "--bin",
    BIN,
    "--sight",
    "8000",
    "--quality",
    "low",
    "--distance",
    "26",
    "--frames",
    "60",
    "--json",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", STREAM, ...flags]);
  const [row] = JSON.parse(stdout.trim().split("\n").at(-1));
  t.diagnostic(JSON.stringify(row));
  assert.ok(row.in_sight > 7000, `${row.in_sight} units in sight`);
  assert.ok(
    row.instances > 20 && row.instances < 1500,
    `${row.instances} instances, of what is not in view too`,
  );
  assert.ok(row.bytes_a_frame.sample < 5000, `sampling makes ${row.bytes_a_frame.sample} bytes a frame`);
  // 45 KB; 1,170 with the entities out of view, and 230 with numbers that are boxed for each entity.
  assert.ok(row.bytes_a_frame_all < 120_000, `a frame makes ${row.bytes_a_frame_all} bytes`);
  assert.ok(row.frame_p50_ms < 150, `a frame takes ${row.frame_p50_ms} ms of script`);
});

test("a battle's frames make next to no garbage", { timeout: 240_000 }, async (t) => {
  const page = await open("ada", 800, 500);
  await playBot(page);
  // A battle of our own, without a server and without the GPU's part.
  const effects = await page.evaluate((units) => {
    const { game, match } = window.fogkeep;
    const { state } = match;
    const { world, info } = state;
    match.link.close();
    game.loop.stop();
    game.renderer.webgl.render = () => {};
    const army = info.rules.types.filter((type) => type.class === "unit");
    const FIRST = 5000;
    for (let k = 0; k < units; k++) {
      const type = army[k % army.length].id;
      const x = (5 + (k % 30)) * 1024;
      const y = (5 + Math.floor(k / 30)) * 1024;
      world.enter({ handle: FIRST + k, type, owner: k % 2, x, y, vx: 64, vy: 32, facing: 10 }, 0);
    }
    game.selection.set(Array.from({ length: 40 }, (_, k) => FIRST + 2 * k));
    game.renderer.camera.jump(20, 15);
    let n = 0;
    const shot = { slot: 0, id: 0, index: 0, weapon: 0, target: 0, x: Number.NaN, y: Number.NaN };
    const shotOf = (id) => {
      shot.id = id;
      shot.slot = world.slot(id);
      shot.weapon = info.rules.types[world.type[shot.slot]].weapons[0] ?? -1;
      return shot;
    };
    // The clock of the page goes by frames, so that a slow machine measures the same.
    let clock = performance.now();
    performance.now = () => clock;
    window.drawFrames = (count) => {
      for (let k = 0; k < count; k++) {
        n++;
        clock += 16;
        // Forty-eight shots a frame fill most of the pool of effects.
        for (let shot = 0; shot < 48; shot++)
          state.events.emit("shot", shotOf(FIRST + ((n * 48 + shot) % units)));
        game.panels.minimap.lastMs = -1e9; // drawn with each frame here, ten times a second in a match
        game.loop.drawField(performance.now(), 16);
      }
    };
    window.drawFrames(500); // until the engine has compiled it
    return game.renderer.effects.kind.filter((kind) => kind !== 0).length;
  }, UNITS);
  assert.ok(effects > 400, `${effects} effects are drawn`);

  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.enable");
  await cdp.send("HeapProfiler.startSampling", {
    samplingInterval: 256,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await page.evaluate((n) => window.drawFrames(n), FRAMES);
  const { profile } = await cdp.send("HeapProfiler.stopSampling");
  let all = 0;
  const by = new Map(); // methods keep their names in what is built
  const walk = (node) => {
    all += node.selfSize;
    const { functionName } = node.callFrame;
    by.set(functionName, (by.get(functionName) ?? 0) + node.selfSize);
    node.children.forEach(walk);
  };
  walk(profile.head);
  const perFrame = all / FRAMES;
  const of = (...names) => names.reduce((sum, name) => sum + (by.get(name) ?? 0), 0) / FRAMES;
  const perUnit = of("paintUnits", "listUnits", "listClass", "list", "add", "hexOf") / UNITS;
  const perEffect = of("drawOne") / effects;
  t.diagnostic(
    `${(perFrame / 1024).toFixed(1)} KiB a frame with ${UNITS} units and ${effects} effects; ` +
      `the minimap ${perUnit.toFixed(1)} bytes a unit, effects ${perEffect.toFixed(1)} bytes each`,
  );
  assert.ok(perUnit < 8, `the minimap makes ${perUnit.toFixed(1)} bytes a unit: a string has more`);
  // 47 with numbers alone; an array for each tracer would make it 59.
  assert.ok(perEffect < 53, `an effect makes ${perEffect.toFixed(1)} bytes`);
  const perThing = perFrame / (UNITS + effects);
  assert.ok(perThing < 150, `a frame makes ${perThing.toFixed(0)} bytes a unit or effect`);
});
