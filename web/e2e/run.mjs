// Runs files of browser tests with one browser for all: each start of a browser takes a processor three seconds. Each
// file has contexts of its own, whose pages, caches and cookies no other file sees.
//
//	node e2e/run.mjs --test-concurrency=3 e2e/replay.test.mjs …    the arguments are for `node --test`

import { spawn } from "node:child_process";
import { serve } from "./browser.mjs";

const browser = await serve();
const tests = spawn(process.execPath, ["--test", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, SHARED_BROWSER: browser.wsEndpoint() },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const code = await new Promise((ended) => tests.once("exit", ended));
await browser.close();
process.exitCode = code ?? 1;
