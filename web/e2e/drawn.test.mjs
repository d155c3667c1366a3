// All that the client draws, scene by scene (../drawn/rows.ts): its pixels on the field
// and the minimap, and the accessible outline of its panels. One page, without a server.
//
//	node --test e2e/drawn.test.mjs
//	UPDATE=1 node --test e2e/drawn.test.mjs    writes the pictures anew: look at them

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { openDrawn, PICTURES } from "../drawn/build.mjs";

/** The folder for the pictures of failed cases. */
const SEEN = resolve(process.env.ARTIFACTS ?? "../artefacts", "drawn");
const UPDATE = process.env.UPDATE === "1";
let drawn;
before(
  async () => {
    drawn = await openDrawn();
  },
  { timeout: 240_000 },
);
after(() => drawn?.close());

test("each row of what the client draws", { timeout: 300_000 }, async (t) => {
  const { page, errors } = drawn;
  const names = await page.evaluate(() => window.drawn.names);
  const files = new Set();
  for (const dir of [PICTURES, SEEN]) mkdirSync(dir, { recursive: true });
  for (const name of names) {
    await t.test(name, async () => {
      const { error, made, ms, file } = await page.evaluate(
        async ([name, update]) => ({
          ...(await window.drawn.run(name, update)),
          file: window.drawn.file(name),
        }),
        [name, UPDATE],
      );
      files.add(file);
      if (process.env.TIMES) t.diagnostic(`${ms.toFixed(0)} ms ${name}`);
      const bytes = made.startsWith("data:") ? Buffer.from(made.split(",")[1], "base64") : made;
      if (UPDATE) writeFileSync(new URL(file, PICTURES), bytes);
      else if (error !== "") writeFileSync(join(SEEN, file), bytes);
      assert.equal(error, "", `${name}: ${error}`);
    });
  }
  await t.test("all that the renderer can draw has a row", async () => {
    assert.deepEqual(await page.evaluate(() => window.drawn.missing()), []);
  });
  await t.test("no picture is left over", () => {
    for (const file of readdirSync(PICTURES)) {
      if (UPDATE && !files.has(file)) rmSync(new URL(file, PICTURES));
      else assert.ok(files.has(file), `${file} belongs to no row`);
    }
  });
  assert.deepEqual(errors, [], "errors of the page");
});
