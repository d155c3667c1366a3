// The animation of the front page: one match at the ford, twice in each frame. Left the sight of both players; right the same
// ticks with the same camera, from all that the violet player's browser receives.
//
//	node --experimental-websocket bench/film.mjs BINARY [--out FILE] [--frames DIR]
//
// The match is the scenario bench/film.json. Two pages show its replay, all teams' and violet's, and go from tick to tick
// by a clock that this program turns. The file is an animated WebP of the pictures that the browser encodes.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch, live, open } from "../e2e/browser.mjs";
import { startServer } from "../e2e/server.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: join(HERE, "../../docs/ford.webp") },
    frames: { type: "string" },
  },
});
const [WIDTH, HEIGHT] = [480, 380];
const GAP = 8;
/** Ticks of the film, and between two of its frames. */
const [FROM, TO, EVERY] = [22, 214, 3];
const TICK_MS = 50;
const QUALITY = 0.6;
const HEADINGS = ["What happens", "All that the violet player's browser received"];
const CAMERA = { x: 20, z: 43, distance: 25 };
const ALL_TEAMS = 255;

/** Before the page's own scripts: its clock and its frames stand still once `hold` is called, and `turn` moves them. */
function turnable() {
  const realFrame = window.requestAnimationFrame.bind(window);
  const realNow = performance.now.bind(performance);
  let heldMs = -1;
  let waiting = [];
  performance.now = () => (heldMs < 0 ? realNow() : heldMs);
  window.requestAnimationFrame = (f) => (heldMs < 0 ? setTimeout(realFrame, 300, f) : waiting.push(f));
  window.hold = () => {
    heldMs = realNow();
  };
  window.turn = (ms) => {
    heldMs += ms;
    const due = waiting;
    waiting = [];
    for (const f of due) f(heldMs);
  };
}

const chunk = (name, body) => {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
};

/** An animated WebP of still ones, by the container's specification (RFC 9649). */
function animation(stills, width, height, frameMs) {
  const size = Buffer.alloc(6);
  size.writeUIntLE(width - 1, 0, 3);
  size.writeUIntLE(height - 1, 3, 3);
  const frames = stills.map((still) => {
    let at = 12;
    while (still.toString("latin1", at, at + 4) !== "VP8 ") at += 8 + still.readUInt32LE(at + 4);
    const head = Buffer.alloc(16);
    size.copy(head, 6);
    head.writeUIntLE(frameMs, 12, 3);
    head[15] = 2; // it does not blend with the frame before
    return chunk("ANMF", Buffer.concat([head, still.subarray(at)]));
  });
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", Buffer.concat([Buffer.from([2, 0, 0, 0]), size])),
    chunk("ANIM", Buffer.from([0, 0, 0, 255, 0, 0])), // black behind, for ever
    ...frames,
  ]);
  return chunk("RIFF", body);
}

async function json(url, cookies, body) {
  const r = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", cookie: cookies.value ?? "" },
    body: body && JSON.stringify(body),
  });
  const text = await r.text();
  if (!r.ok) throw new Error(`${url}: ${r.status} ${text}`);
  cookies.value ||= r.headers
    .getSetCookie()
    .map((c) => c.split(";")[0])
    .join("; ");
  return text ? JSON.parse(text) : null;
}

/** Plays the scenario and returns the match's id. */
async function play(server, page) {
  const admin = {};
  await json(`${server.adminUrl}/admin/api/login`, admin, { name: "admin", password: server.adminPassword });
  const scenario = JSON.parse(readFileSync(join(HERE, "film.json"), "utf8"));
  const lobby = await json(`${server.adminUrl}/admin/api/scenarios`, admin, scenario);
  const id = /lobby=([^&]+)/.exec(lobby.link)[1];
  const ask = (path, body, method = "POST") =>
    page.evaluate(
      async ([path, body, method]) => {
        const r = await fetch(path, {
          method,
          headers: { "content-type": "application/json" },
          body: body && JSON.stringify(body),
        });
        const text = await r.text();
        if (!r.ok) throw new Error(`${path}: ${r.status} ${text}`);
        return text ? JSON.parse(text) : null;
      },
      [path, body, method],
    );
  await ask("/api/guest", { name: "Witness" });
  await ask(`/api/lobbies/${id}/join`, {});
  await ask(`/api/lobbies/${id}/seat`, { slot: 0 }, "PATCH");
  await page.goto(lobby.link);
  await page.reload(); // the address alone loads no page
  await page.click('[data-do="start"]:not([disabled])');
  await live(page);
  await page.waitForFunction((to) => window.fogkeep.match.state.tick > to + 20, TO);
  const match = await page.evaluate(() => window.fogkeep.match.info.matchId);
  await json(`${server.adminUrl}/admin/api/matches/${match}/end`, admin, { reason: "filmed" });
  return match;
}

/** Opens the replay with a team's eyes at the film's first tick; from then on its clock is ours. */
async function watch(page, url, match, eyes) {
  await page.goto(`${url}/#replay=${match}&tick=${FROM}`);
  await page.waitForFunction(
    (from) =>
      window.fogkeep?.game?.frames > 2 && window.fogkeep.replay && window.fogkeep.match.state.tick >= from,
    FROM,
    { polling: 100 },
  );
  await page.evaluate((eyes) => {
    const { replay, game } = window.fogkeep;
    replay.pause();
    void replay.setEyes(eyes);
    for (let k = 0; k < 4; k++) game.renderer.changeResolution(1);
    game.renderer.changeResolution = () => {}; // a slow machine draws fewer pixels otherwise
  }, eyes);
  await page.waitForFunction(
    (eyes) => window.fogkeep.replay.status.paused && window.fogkeep.match.info.team === eyes,
    eyes,
    { polling: 100 },
  );
  await page.evaluate(() => window.hold());
  await next(page, FROM, 1000);
}

/** Goes to a tick and returns the field, drawn so much later, as a PNG. */
const next = (page, tick, ms) =>
  page.evaluate(
    async ([tick, ms, camera]) => {
      const { replay, game, match } = window.fogkeep;
      Object.assign(game.renderer.camera, camera);
      if (match.state.tick !== tick) void replay.step(tick - match.state.tick);
      while (match.state.tick !== tick) {
        window.turn(0); // messages are applied between two frames
        await new Promise((go) => setTimeout(go, 50));
      }
      window.turn(ms);
      return game.renderer.canvas.toDataURL("image/png"); // in the turn in which it was drawn
    },
    [tick, ms, CAMERA],
  );

/** Draws two fields beside each other, with their headings, and returns a WebP. */
const beside = (page, pictures, headings) =>
  page.evaluate(
    async ([pictures, headings, width, height, gap, quality]) => {
      const canvas = new OffscreenCanvas(2 * width + gap, height);
      const c = canvas.getContext("2d");
      c.font = "600 17px sans-serif";
      for (const [k, url] of pictures.entries()) {
        const x = k * (width + gap);
        c.drawImage(await createImageBitmap(await (await fetch(url)).blob()), x, 0, width, height);
        c.fillStyle = "#000a";
        c.fillRect(x, 0, c.measureText(headings[k]).width + 24, 32);
        c.fillStyle = "#fff";
        c.fillText(headings[k], x + 12, 22);
      }
      const bytes = new Uint8Array(
        await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer(),
      );
      return Array.from(bytes);
    },
    [pictures, headings, WIDTH, HEIGHT, GAP, QUALITY],
  );

const server = await startServer(resolve(positionals[0]));
const browser = await launch();
const errors = [];
try {
  const player = await open(browser, errors, server.playUrl, "player", WIDTH, HEIGHT, { everyPixel: true });
  const match = await play(server, player);
  const context = player.context();
  await player.close();
  await context.addInitScript(turnable);
  await context.addInitScript(() => {
    localStorage["fogkeep.settings"] = JSON.stringify({
      quality: "medium",
      volumes: { master: 0 },
      coach: false,
    });
  });
  const pages = [];
  for (const eyes of [ALL_TEAMS, 0]) {
    const page = await context.newPage();
    page.on("pageerror", (e) => errors.push(e.stack ?? e.message));
    page.setDefaultTimeout(120_000);
    await watch(page, server.playUrl, match, eyes);
    pages.push(page);
  }
  const paper = await browser.newPage();
  const stills = [];
  for (let tick = FROM; tick <= TO; tick += EVERY) {
    const pictures = [];
    for (const page of pages) pictures.push(await next(page, tick, EVERY * TICK_MS));
    const still = Buffer.from(await beside(paper, pictures, HEADINGS));
    if (args.frames) {
      mkdirSync(args.frames, { recursive: true });
      writeFileSync(join(args.frames, `${tick}.webp`), still);
      for (const [k, url] of pictures.entries())
        writeFileSync(join(args.frames, `${tick}-${k}.png`), Buffer.from(url.split(",")[1], "base64"));
    }
    stills.push(still);
  }
  const film = animation(stills, 2 * WIDTH + GAP, HEIGHT, EVERY * TICK_MS);
  writeFileSync(args.out, film);
  console.log(`${args.out}: ${stills.length} frames, ${film.length} bytes`);
} finally {
  await browser.close();
  await server.stop();
}
if (errors.length > 0) throw new Error(errors.join("\n"));
