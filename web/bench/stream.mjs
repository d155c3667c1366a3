// npm run bench: what a frame of the client costs, with 1,600, 8,000 and 15,000
// units in sight. The frames come from the real server's code, are recorded, and are played in Chromium, without a
// server (stream.ts).
//
//	node bench/stream.mjs [--bin PATH] [--sight 1600,8000,15000] [--quality low,medium,high] [--distance 26,96]
//	                      [--frames 400] [--side 256] [--json] [--shots DIR] [--by 20]
//	node bench/stream.mjs --open [--bin PATH] [--json]
//
// With --json the last line is one JSON value. With --by it lists the functions that
// allocate most. With --open it starts a server instead, and measures a first visit: what
// is loaded and how long it takes until a match is played. It ends with status 1 if a
// stream does not play.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer, loadConfigFromFile } from "vite";
import { firstLoad, launch } from "../e2e/browser.mjs";
import { startServer } from "../e2e/server.mjs";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Units a team of the walking workload with which the first team sees about so many, on 256 x 256 tiles. */
const UNITS = { 1600: 305, 8000: 1040, 15000: 1880 };
/** Until all is compiled. */
const WARM_FRAMES = 240;
/** Frames that are drawn once because the view changes: buffers that grow. */
const SETTLE_FRAMES = 60;

const { values: args } = parseArgs({
  options: {
    bin: { type: "string", default: join(WEB, "../bin/fogkeep") },
    sight: { type: "string", default: "1600,8000,15000" },
    quality: { type: "string", default: "low,medium,high" },
    distance: { type: "string", default: "26,96" },
    frames: { type: "string", default: "400" },
    json: { type: "boolean", default: false },
    shots: { type: "string" },
    by: { type: "string", default: "0" },
    // Tiles a side of the map. On a larger one less is in sight.
    side: { type: "string", default: "256" },
    open: { type: "boolean", default: false },
  },
});
if (args.open) {
  await measureOpening();
  process.exit();
}
const sights = args.sight.split(",").map(Number);
const distances = args.distance.split(",").map(Number);
const frames = Number(args.frames);
if (sights.some((n) => !(n in UNITS)) || distances.some((d) => !(d > 0)) || !(frames >= 60)) {
  console.error(`in sight are ${Object.keys(UNITS).join(", ")}; distances are tiles; 60 frames or more`);
  process.exit(2);
}
if (args.shots) mkdirSync(args.shots, { recursive: true });

const folder = mkdtempSync(join(tmpdir(), "fogkeep-stream-"));
const pages = await loadConfigFromFile({ command: "serve", mode: "bench" }, join(WEB, "vite.config.ts"));
const vite = await createServer({
  resolve: pages.config.resolve,
  oxc: pages.config.oxc,
  root: WEB,
  configFile: false,
  logLevel: "error",
  server: { port: 0, host: "127.0.0.1", fs: { allow: [join(WEB, "..")] }, hmr: false, watch: null },
  plugins: [recordings()],
});
await vite.listen();
const browser = await launch(["--enable-precise-memory-info"]);
const report = [];
try {
  for (const sight of sights) {
    const all = (WARM_FRAMES + distances.length * (SETTLE_FRAMES + 2 * frames)) / 60;
    const file = join(folder, `${sight}.stream`);
    const record = [
      "record",
      "--units",
      UNITS[sight],
      "--side",
      args.side,
      "--seconds",
      Math.ceil(all) + 2,
      file,
    ];
    execFileSync(join(dirname(resolve(args.bin)), "fogkeep-bench"), record.map(String), {
      stdio: ["ignore", "ignore", "inherit"],
    });
    for (const quality of args.quality.split(",")) report.push(...(await play(sight, quality)));
  }
} finally {
  await browser.close();
  await vite.close();
  rmSync(folder, { recursive: true, force: true });
}
if (args.json) console.log(JSON.stringify(report));

/** A first visit, three times: the least times count, since other programs take their share. */
async function measureOpening() {
  const server = await startServer(resolve(args.bin));
  const browser = await launch();
  try {
    const loads = [];
    for (let k = 0; k < 3; k++) loads.push(await firstLoad(browser, server.playUrl));
    const least = (key) => Math.round(Math.min(...loads.map((l) => l[key])));
    const report = {
      first_screen_bytes: least("screenBytes"),
      playable_bytes: least("playableBytes"),
      usable_ms: least("usableMs"),
      playable_ms: least("playableMs"),
    };
    if (args.json) console.log(JSON.stringify(report));
    else
      console.log(
        `first screen ${report.first_screen_bytes} bytes, usable after ${report.usable_ms} ms; playable after ${report.playable_bytes} bytes and ${report.playable_ms} ms`,
      );
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Serves the recordings, with the headers that give the page a fine clock. */
function recordings() {
  return {
    name: "recordings",
    configureServer(server) {
      server.middlewares.use((req, res, next) => {
        res.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        res.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
        const name = /^\/recorded\/(\d+)$/.exec(req.url ?? "")?.[1];
        if (!name) return next();
        res.end(readFileSync(join(folder, `${name}.stream`)));
      });
    },
  };
}

async function play(sight, quality) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const errors = [];
  page.setDefaultTimeout(120_000);
  page.on("pageerror", (e) => errors.push(e.stack ?? e.message));
  await page.goto(`http://127.0.0.1:${vite.httpServer.address().port}/bench/stream.html`);
  await page.waitForFunction(() => window.stream);
  await page.evaluate(([url, q]) => window.stream.open(url, q), [`/recorded/${sight}`, quality]);
  await page.evaluate((n) => window.stream.play(n), WARM_FRAMES);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.enable");
  const rows = [];
  for (const distance of distances) {
    await page.evaluate((d) => window.stream.look(d), distance);
    await page.evaluate((n) => window.stream.play(n), SETTLE_FRAMES);
    const measured = await page.evaluate((n) => window.stream.measure(n), frames);
    const bytes = await allocated(page, cdp);
    if (args.shots) {
      await page.evaluate(() => {
        window.stream.draws(true);
        window.stream.play(1);
        window.stream.draws(false);
      });
      await page.screenshot({ path: join(args.shots, `stream-${sight}-${quality}-${distance}.png`) });
    }
    if (errors.length > 0) throw new Error(errors.join("\n"));
    rows.push(row(sight, quality, distance, measured, bytes));
    say(rows.at(-1));
  }
  await page.close();
  return rows;
}

/** Bytes a frame that each part allocates. */
async function allocated(page, cdp) {
  await cdp.send("HeapProfiler.startSampling", {
    samplingInterval: 256,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await page.evaluate((n) => window.stream.play(n), frames);
  const { profile } = await cdp.send("HeapProfiler.stopSampling");
  const by = {};
  const functions = new Map();
  const walk = (node, part) => {
    const { functionName, url, lineNumber } = node.callFrame;
    const inner = /^part_(\w+)$/.exec(functionName)?.[1] ?? part;
    by[inner] = (by[inner] ?? 0) + node.selfSize / frames;
    const name = `${inner}: ${functionName || "?"} ${url.split("/").at(-1)?.split("?")[0]}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + node.selfSize / frames);
    for (const child of node.children) walk(child, inner);
  };
  walk(profile.head, "rest");
  const most = [...functions].sort((a, b) => b[1] - a[1]).slice(0, Number(args.by));
  for (const [name, n] of most) if (n > 0) console.error(`  ${n.toFixed(0).padStart(8)} ${name}`);
  return by;
}

function row(sight, quality, distance, m, bytes) {
  const round = (n, digits = 3) => Number(n.toFixed(digits));
  const ms = { ...m.ms, message: m.ms.message - m.ms.apply };
  const each = (of, digits) => Object.fromEntries(Object.entries(of).map(([k, v]) => [k, round(v, digits)]));
  return {
    sight,
    quality,
    distance,
    in_sight: m.inSight,
    ms_a_frame: each({ decode: ms.message, ...without(ms, "message") }, 3),
    frame_p50_ms: round(m.p50),
    frame_p95_ms: round(m.p95),
    bytes_a_frame: each({ decode: bytes.message ?? 0, ...without(bytes, "message", "rest") }, 0),
    bytes_a_frame_all: round(
      Object.values(bytes).reduce((a, b) => a + b, 0),
      0,
    ),
    draw_calls: m.draws,
    instances: m.filled,
    fog_upload_bytes_a_frame: round(m.fogBytes, 0),
  };
}

function without(of, ...keys) {
  return Object.fromEntries(Object.entries(of).filter(([k]) => !keys.includes(k)));
}

function say(r) {
  const list = (of) =>
    Object.entries(of)
      .map(([k, v]) => `${k} ${v}`)
      .join(", ");
  console.error(
    `${r.in_sight} in sight, ${r.quality}, from ${r.distance} tiles: script p50 ${r.frame_p50_ms}, p95 ${r.frame_p95_ms} ms a frame ` +
      `(${list(r.ms_a_frame)}); ${r.bytes_a_frame_all} bytes a frame (${list(r.bytes_a_frame)}); ` +
      `${r.draw_calls} draws of ${r.instances} instances; fog ${r.fog_upload_bytes_a_frame} bytes a frame`,
  );
}
