// make feel: plays matches with the real client over slow networks, and measures the player's picture. The last line is
// one JSON object with a member for each network: its delay in ms, and after a slash the loss in percent.
//
//	node --experimental-websocket bench/feel.mjs [--bin PATH] [--delays 0,50,150,300,150/1,150/5,150/10] [--seconds 40] [--seed 1] [--least 1]
//
//	real server ◄── delaying proxy ◄── client that is measured   (feel.ts, field.ts)
//	     ▲  └────────────────────────► team-mate, not delayed    (truth.ts: the server's places)
//	     └── journal, replayed: the shots that were fired
//
// It ends with status 1 when it could not take the requested measurements.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadConfigFromFile, runnerImport } from "vite";
import { startProxy } from "../e2e/proxy.mjs";
import { startServer } from "../e2e/server.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
/** So many matches are played at once, and each lot has an end. */
const AT_ONCE = 4;
const END_MS = 175_000;
/** How long the journal of a match that ended may take to be complete. */
const JOURNAL_MS = 15_000;

const { values: args } = parseArgs({
  options: {
    bin: { type: "string", default: join(HERE, "../../bin/fogkeep") },
    delays: { type: "string", default: "0,50,150,300,150/1,150/5,150/10" },
    seconds: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    // The share of the usual number of orders, shots and projectiles without which a run does not count.
    least: { type: "string", default: "1" },
  },
});
/** @type {{ name: string, delayMs: number, loss: number }[]} */
const networks = args.delays.split(",").map((name) => {
  const [delayMs, loss = 0, ...rest] = name.split("/").map(Number);
  return { name, delayMs: rest.length > 0 ? Number.NaN : delayMs, loss: loss / 100 };
});
const seconds = Number(args.seconds);
const seed = Number(args.seed);
const least = Number(args.least);
const wrong = networks.some((n) => !(n.delayMs >= 0 && n.loss >= 0 && n.loss < 1));
if (wrong || !(seconds >= 5) || !Number.isInteger(seed) || !(least >= 0)) {
  console.error(
    "delays are milliseconds, with /percent of loss; seconds are 5 or more, the seed is a whole number",
  );
  process.exit(2);
}

const pages = await loadConfigFromFile({ command: "serve", mode: "bench" }, join(HERE, "../vite.config.ts"));
const { module: feel } = await runnerImport(join(HERE, "feel.ts"), {
  resolve: pages.config.resolve,
  logLevel: "error",
});
const server = await startServer(resolve(args.bin));
const proxies = [];
let status = 0;
let overdue;
process.on("uncaughtException", (err) => end(1, err.stack));
try {
  const report = {};
  for (let k = 0; k < networks.length; k += AT_ONCE) {
    clearTimeout(overdue);
    overdue = setTimeout(() => end(1, `not done after ${END_MS} ms`), END_MS);
    const lot = networks.slice(k, k + AT_ONCE);
    const runs = await Promise.all(lot.map((network, i) => measure(network, seed * 1000 + k + i)));
    for (const { name, run, fired } of runs) {
      const { figures, short } = feel.figuresOf(run, fired, seconds * least);
      report[name] = figures;
      for (const what of short) {
        status = 1;
        console.error(`${name}: ${what}`);
      }
    }
  }
  console.log(JSON.stringify(report));
} catch (err) {
  console.error(err instanceof Error ? err.stack : err);
  status = 1;
}
await end(status);

async function measure({ name, delayMs, loss }, dice) {
  // The delay is the way there and back; each way takes half, and up to a third more.
  const network = { delayMs: delayMs / 2, jitterMs: delayMs / 2 / 3, loss, seed: dice };
  const proxy = await startProxy(server.playUrl, network);
  proxies.push(proxy);
  const run = await feel.play({
    serverUrl: server.playUrl,
    delayedUrl: proxy.url,
    seconds,
    seed: dice,
    name: `${delayMs} ms, ${100 * loss} % lost`,
    log: (text) =>
      console.error(`${text}, ${proxy.stats.lost} segments lost of ${proxy.stats.pieces} pieces`),
  });
  return { name, run, fired: await firedIn(run.matchId) };
}

/** The shots of each slot in a match that ended, as its journal replays. */
async function firedIn(matchId) {
  const file = join(server.data, "journals", "past", `${matchId}.journal`);
  for (let waited = 0; !existsSync(file); waited += 100) {
    if (waited > JOURNAL_MS) throw new Error(`there is no ${file}:\n${server.log()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  const out = execFileSync(resolve(args.bin), ["replay", "verify", "--json", file], { encoding: "utf8" });
  return (JSON.parse(out).shots ?? []).map((weapons) => weapons.reduce((a, b) => a + b, 0));
}

async function end(code, why) {
  clearTimeout(overdue);
  if (why) console.error(why);
  for (const p of proxies) await p.close();
  await server.stop();
  process.exit(code);
}
