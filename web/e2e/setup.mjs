// The parts that all files of browser tests have: a server, a browser, and a folder for pictures.
//
//	FOGKEEP_BIN  the built binary (required)
//	ARTIFACTS    where the pictures go, ../artefacts if not said
//	CHROMIUM     the browser, /usr/bin/chromium if not said

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { launch, open } from "./browser.mjs";
import { startServer } from "./server.mjs";

export const BIN = process.env.FOGKEEP_BIN;

const ARTIFACTS = resolve(process.env.ARTIFACTS ?? "../artefacts");

/**
 * Starts a server and a browser before the tests of a file, and ends them after the last. A page that
 * threw an error, and a server that does not stop cleanly, fail the file.
 *
 * @param {object} [options]
 * @param {string} [options.maps] a folder of maps to import one of
 * @param {() => Promise<void>} [options.begin] steps before the first test
 * @param {() => Promise<void>} [options.end] steps after the last test, while the server is up
 */
export function setUp({ maps, begin, end } = {}) {
  const stage = {
    server: undefined,
    browser: undefined,
    /** The errors of pages. */
    errors: [],
    /** A page of its own on the players' address, or on another; see browser.mjs. */
    open: (name, width, height, more, url = stage.server.playUrl) =>
      open(stage.browser, stage.errors, url, name, width, height, more),
    shot: (page, name) => page.screenshot({ path: join(ARTIFACTS, `${name}.png`) }),
  };
  before(
    async () => {
      assert.ok(BIN, "FOGKEEP_BIN names the built binary");
      mkdirSync(ARTIFACTS, { recursive: true });
      const starts = await Promise.allSettled([startServer(BIN, maps), launch()]);
      [stage.server, stage.browser] = starts.map((s) => s.value); // the end of the file ends what did start
      for (const s of starts) if (s.status === "rejected") throw s.reason;
      await begin?.();
    },
    { timeout: 240_000 },
  );
  after(
    async () => {
      await stage.browser?.close();
      await end?.();
      const how = await stage.server?.stop();
      if (how)
        assert.deepEqual(how, { code: 0, signal: null }, `the server stops cleanly:\n${stage.server.log()}`);
      assert.deepEqual(stage.errors, [], "errors of the pages");
    },
    { timeout: 240_000 },
  );
  return stage;
}
