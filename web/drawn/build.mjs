// The page of the staged scenes: built in memory, and served on loopback.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, loadConfigFromFile } from "vite";
import { launch } from "../e2e/browser.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const WEB = join(HERE, "..");
/** The pictures that rows are held to. */
export const PICTURES = new URL("./pictures/", import.meta.url);
const SIZE = { width: 1280, height: 720 };
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png" };

/**
 * Builds the page and serves it, with the reference pictures below `/pictures/`.
 *
 * @param {import("vite").Plugin[]} [plugins] what changes the sources, for the mutation tests
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function servePage(plugins = []) {
  const { config } = await loadConfigFromFile(
    { command: "build", mode: "drawn" },
    join(WEB, "vite.config.ts"),
  );
  const { output } = await build({
    root: WEB,
    configFile: false,
    logLevel: "error",
    resolve: config.resolve,
    oxc: config.oxc,
    plugins,
    build: {
      write: false,
      minify: false,
      target: "es2022",
      chunkSizeWarningLimit: 8000,
      rolldownOptions: { input: join(HERE, "index.html") },
    },
  });
  const files = new Map(output.map((f) => [`/${f.fileName}`, f.type === "chunk" ? f.code : f.source]));
  const server = createServer((req, res) => {
    const path = new URL(req.url, "http://x").pathname;
    let body = files.get(path);
    if (!body && /^\/pictures\/[\w-]+\.(png|txt)$/.test(path)) {
      try {
        body = readFileSync(join(HERE, path));
      } catch {
        // A row that has no picture yet.
      }
    }
    res.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "text/plain" });
    res.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/drawn/index.html`,
    close: () => server.close(),
  };
}

/** Opens the page in a browser. `errors` has the page's errors; `script` is a file that it runs before all else. */
export async function openDrawn(plugins = [], script = null) {
  const [served, browser] = await Promise.all([servePage(plugins), launch()]);
  const close = async () => {
    await browser.close();
    served.close();
  };
  const errors = [];
  try {
    const context = await browser.newContext({
      viewport: SIZE,
      reducedMotion: "no-preference",
      locale: "en-US",
    });
    if (script) await context.addInitScript({ path: script });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000); // other programs may have the processors
    page.on("pageerror", (e) => errors.push(e.stack ?? e.message));
    await page.goto(served.url);
    await page.waitForFunction(() => window.drawn);
    return { page, errors, close };
  } catch (err) {
    await close(); // else the process would wait for both
    throw new Error(`the page of the drawn rows does not open: ${errors.join("; ")}`, { cause: err });
  }
}
