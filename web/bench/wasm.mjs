// Runs BenchmarkTicks of cmd/fogkeep-wasm/solo in a worker of Chromium, as the demo runs the match service: a match of a
// person and seven bots with 100 soldiers each. It prints the ticks per second, of 20, and the time from frame to frame.
//
//	node bench/wasm.mjs [SECONDS]

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { launch } from "../e2e/browser.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const seconds = Number(process.argv[2] ?? 60);
if (!(seconds >= 1 && seconds <= 600)) throw new Error(`${process.argv[2]} seconds: want 1 to 600`);

/** The worker, over the file system of the demo's. */
const WORKER = `
import { Files } from "/files.js";
Object.assign(globalThis, { fs: new Files((line) => postMessage(line)) });
await import("/wasm_exec.js");
const go = new Go();
go.argv = ["solo.test", "-test.run=^$", "-test.bench=Ticks", "-test.benchtime=${seconds}x"];
go.env = { TMPDIR: "/tmp" };
fs.mkdir("/tmp", 0o755, () => {});
const { instance } = await WebAssembly.instantiateStreaming(fetch("/solo.wasm"), go.importObject);
await go.run(instance);
postMessage(null);
`;
const PAGE = `<script type="module">
window.lines = [];
const worker = new Worker("/worker.js", { type: "module" });
worker.onmessage = (e) => e.data === null ? (window.over = true) : window.lines.push(e.data);
worker.onerror = (e) => { window.lines.push(e.message); window.over = true; };
</script>`;

const folder = mkdtempSync(join(tmpdir(), "fogkeep-wasm-"));
const go = (args, env) =>
  execFileSync("go", args, { cwd: ROOT, env: { ...process.env, ...env }, encoding: "utf8" });
go(["test", "-c", "-o", join(folder, "solo.wasm"), "./cmd/fogkeep-wasm/solo"], {
  GOOS: "js",
  GOARCH: "wasm",
});
const [built] = await build({
  configFile: false,
  logLevel: "warn",
  build: { write: false, lib: { entry: join(ROOT, "web/src/demo/files.ts"), formats: ["es"] } },
});
const script = "text/javascript";
const files = {
  "/": ["text/html", PAGE],
  "/worker.js": [script, WORKER],
  "/files.js": [script, built.output[0].code],
  "/wasm_exec.js": [script, readFileSync(join(go(["env", "GOROOT"]).trim(), "lib/wasm/wasm_exec.js"))],
  "/solo.wasm": ["application/wasm", readFileSync(join(folder, "solo.wasm"))],
};
rmSync(folder, { recursive: true });
const server = createServer((request, answer) => {
  const [type, body] = files[request.url] ?? ["text/plain", ""];
  answer.writeHead(files[request.url] ? 200 : 404, { "content-type": type });
  answer.end(body);
});
await new Promise((r) => server.listen(0, "127.0.0.1", r));
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.over, null, { timeout: (seconds * 4 + 120) * 1000 });
  const lines = await page.evaluate(() => window.lines);
  const ran = lines.some((line) => line.includes("ticks/s"));
  console.log((ran ? lines.filter((line) => !line.startsWith(" ")) : lines).join("\n"));
  if (!ran) process.exitCode = 1;
} finally {
  await browser.close();
  server.close();
}
