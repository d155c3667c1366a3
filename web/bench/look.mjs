// make shots: pictures of a scene that has all that the renderer draws, in each
// quality and from several distances. They are for people: no test compares them.
//
//	node bench/look.mjs [--out DIR] [--quality low,medium,high] [--view fight,far,…] [--frames 15]
//
// With --frames it draws so many frames of each view more, and prints the least time.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer, loadConfigFromFile } from "vite";
import { launch } from "../e2e/browser.mjs";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values: args } = parseArgs({
  options: {
    out: { type: "string", default: join(WEB, "../artefacts/look") },
    quality: { type: "string", default: "low,medium,high" },
    view: { type: "string", default: "fight,close,building,shore,landmark,far,farthest" },
    width: { type: "string", default: "1440" },
    height: { type: "string", default: "900" },
    frames: { type: "string", default: "0" },
  },
});
const out = resolve(args.out);
mkdirSync(out, { recursive: true });

const pages = await loadConfigFromFile({ command: "serve", mode: "bench" }, join(WEB, "vite.config.ts"));
const vite = await createServer({
  resolve: pages.config.resolve,
  root: WEB,
  configFile: false,
  logLevel: "error",
  server: { port: 0, host: "127.0.0.1", fs: { allow: [join(WEB, "..")] }, hmr: false, watch: null },
});
await vite.listen();
const browser = await launch();
try {
  const page = await browser.newPage({
    viewport: { width: Number(args.width), height: Number(args.height) },
  });
  page.setDefaultTimeout(120_000);
  page.on("pageerror", (e) => console.error(e.stack ?? e.message));
  page.on("console", (m) => m.type() === "error" && console.error(m.text()));
  await page.goto(`http://127.0.0.1:${vite.httpServer.address().port}/bench/look.html`);
  await page.waitForFunction(() => window.look);
  for (const quality of args.quality.split(",")) {
    for (const view of args.view.split(",")) {
      await page.evaluate((q) => window.look.set(q), quality);
      const { png, calls } = await page.evaluate((v) => {
        const calls = window.look.draw(v, 200);
        // Read in the turn in which it was drawn.
        return { png: window.look.renderer.canvas.toDataURL("image/png"), calls };
      }, view);
      const frames = Number(args.frames);
      const ms = frames > 0 ? await page.evaluate(([v, n]) => window.look.measure(v, n), [view, frames]) : 0;
      writeFileSync(join(out, `${view}-${quality}.png`), Buffer.from(png.split(",")[1], "base64"));
      console.log(
        `${view}-${quality}.png  ${calls} draws${frames > 0 ? `, ${ms.toFixed(0)} ms a frame` : ""}`,
      );
    }
  }
} finally {
  await browser.close();
  await vite.close();
}
