// Bytes of one player in one match of bots, as fogkeep sends them, and as the state of a Colyseus room would take them.
// The player's client knows the entities in its sight. The same entities go into a state of @colyseus/schema, with a
// StateView that has what is in sight, and the bench counts the bytes of its patches. One JSON object is the last line.
//
//	node --experimental-websocket bench/schema.mjs [--bin PATH] [--seconds 150] [--least 1]
//
//	real server ──► client of the player, whose ally and foes are hard bots
//	                     │ each frame: type, owner, place, health of what is in sight
//	                     └──► @colyseus/schema: patches at 20 per second, and at 10
//
// Neither count has the headers of websocket, TCP and IP. The package is fetched into a temporary folder. It ends with
// status 1 when the match was shorter, or saw less, than asked.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadConfigFromFile, runnerImport } from "vite";
import { startServer } from "../e2e/server.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const VERSION = "5.0.34";
/** With fewer entities in sight on average the match was no match. */
const SEEN_LEAST = 40;
/** No map is wider, in tiles. */
const PLACE_MAX = 1024;

const { values: args } = parseArgs({
  options: {
    bin: { type: "string", default: join(HERE, "../../bin/fogkeep") },
    seconds: { type: "string", default: "150" },
    least: { type: "string", default: "1" },
  },
});
const seconds = Number(args.seconds);
const least = Number(args.least);
if (!(seconds >= 5 && seconds <= 600) || !(least >= 0)) {
  console.error("--seconds is 5 to 600, --least is a share of the usual sight");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "fogkeep-schema-"));
let server;
let status = 0;
try {
  execFileSync("npm", [
    "install",
    "--silent",
    "--no-audit",
    "--no-fund",
    "--prefix",
    folder,
    `@colyseus/schema@${VERSION}`,
  ]);
  server = await startServer(resolve(args.bin));
  const { frames, bytes, span } = await play(server.playUrl);
  const seen = frames.reduce((n, f) => n + f.rows.length, 0) / frames.length;
  const report = {
    seconds: Math.round(span),
    in_sight: round(seen),
    bytes_per_s: round(bytes / span),
    schema: VERSION,
    schema_20_bytes_per_s: round(patches(frames, 1, span)),
    schema_10_bytes_per_s: round(patches(frames, 2, span)),
  };
  console.log(JSON.stringify(report));
  if (span < seconds * 0.95 || seen < SEEN_LEAST * least) {
    console.error(`too little: ${report.seconds} s of ${seconds}, ${report.in_sight} entities in sight`);
    status = 1;
  }
} catch (err) {
  console.error(err instanceof Error ? err.stack : err);
  status = 1;
}
await server?.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(status);

/** Plays a match and returns the entities in sight at each frame, and the bytes of the messages that came. */
async function play(url) {
  const pages = await loadConfigFromFile(
    { command: "serve", mode: "bench" },
    join(HERE, "../vite.config.ts"),
  );
  const { module: sdk } = await runnerImport(join(HERE, "../sdk/src/index.ts"), {
    resolve: pages.config.resolve,
    logLevel: "error",
  });
  let bytes = 0;
  const Socket = globalThis.WebSocket;
  globalThis.WebSocket = class extends Socket {
    constructor(address) {
      super(address);
      this.addEventListener("message", (e) => {
        bytes += e.data.byteLength ?? e.data.length;
      });
    }
  };
  const client = new sdk.Client({ server: url });
  await client.guest("Grace");
  const map = (await client.api.maps()).maps.find((m) => m.starts >= 4);
  const options = { countdownSeconds: 0, spectators: 0 };
  const { id } = await client.api.createLobby({ name: "schema", map: map.id, limit: 4, options });
  await client.api.changeSeat(id, { team: 0 });
  for (const team of [0, 1, 1]) await client.api.addBot(id, { level: "hard", team });
  const { settingsVersion } = await client.api.getLobby(id);
  await client.api.changeSeat(id, { ready: true, settingsVersion });
  await client.api.startMatch(id);
  const match = await sdk.connect({
    url: `${url.replace("http", "ws")}/ws`,
    ticket: await client.ticket(id),
    fetchMap: (hash) => sdk.loadMap(hash, `${url}/maps`),
  });
  const { world } = match.state;
  const frames = [];
  await match.events.next("frame");
  const begun = { ms: Date.now(), bytes };
  match.events.on("frame", ({ tick }) => {
    const rows = [];
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0) continue;
      rows.push([
        world.ids[s],
        world.type[s],
        world.owner[s],
        world.posX(s) / 1024,
        world.posY(s) / 1024,
        world.hp[s],
      ]);
    }
    frames.push({ tick, rows });
  });
  const over = match.events.next("end");
  await Promise.race([over, new Promise((done) => setTimeout(done, seconds * 1000))]);
  const span = (Date.now() - begun.ms) / 1000;
  match.leave();
  return { frames, bytes: bytes - begun.bytes, span };
}

/** Bytes per second of the patches of a room whose state has these frames' entities, one patch for so many frames. */
function patches(frames, each, span) {
  const { Decoder, Encoder, MapSchema, schema, StateView, t } = createRequire(join(folder, "x.js"))(
    "@colyseus/schema",
  );
  const place = () => t.quantized({ min: 0, max: PLACE_MAX }); // 16 bits
  const Unit = schema({ type: t.uint8(), owner: t.uint8(), x: place(), y: place(), hp: t.uint16() }, "Unit");
  const State = schema({ units: t.map(Unit).view() }, "State");
  const state = new State();
  const shown = new State();
  state.units = new MapSchema();
  const encoder = new Encoder(state);
  const decoder = new Decoder(shown);
  const view = new StateView();
  view.add(state);
  const first = { offset: 0 };
  encoder.encodeAll(first);
  decoder.decode(encoder.encodeAllView(view, first.offset, first));
  encoder.discardChanges();
  let bytes = 0;
  for (let k = 0; k < frames.length; k += each) {
    const here = new Set();
    for (const [handle, type, owner, x, y, hp] of frames[k].rows) {
      const id = handle.toString(36);
      here.add(id);
      const unit = state.units.get(id);
      if (!unit) {
        const fresh = Object.assign(new Unit(), { type, owner, x, y, hp });
        state.units.set(id, fresh);
        view.add(fresh);
        continue;
      }
      if (unit.x !== x) unit.x = x;
      if (unit.y !== y) unit.y = y;
      if (unit.hp !== hp) unit.hp = hp;
    }
    for (const id of [...state.units.keys()]) if (!here.has(id)) state.units.delete(id);
    const it = { offset: 0 };
    encoder.encode(it);
    const patch = encoder.encodeView(view, it.offset, it);
    bytes += patch.length;
    decoder.decode(patch);
    encoder.discardChanges();
    if (shown.units.size !== here.size)
      throw new Error(`tick ${frames[k].tick}: the reader has ${shown.units.size} entities of ${here.size}`);
  }
  return bytes / span;
}

function round(n) {
  return Math.round(n * 10) / 10;
}
