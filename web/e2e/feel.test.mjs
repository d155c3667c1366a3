// The measurement of `make feel`, short: one delay, and no figure that depends on
// how fast the machine is.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BIN = process.env.FOGKEEP_BIN;
const FEEL = fileURLToPath(new URL("../bench/feel.mjs", import.meta.url));
const KEYS = [
  "reaction_frames",
  "snap_max_tiles",
  "blend_p99_ms",
  "shots_drawn_minus_fired",
  "projectile_gap_p99_tiles",
];

/** Runs the measurement; its last line, and how it ended. */
async function feel(...args) {
  const flags = ["--experimental-websocket", "--no-warnings", FEEL, "--bin", BIN, ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    return { code: 0, last: stdout.trim().split("\n").at(-1), err: "" };
  } catch (e) {
    return { code: e.code, last: "", err: e.stderr };
  }
}

test("the client answers in the next frame over a slow network", { timeout: 240_000 }, async () => {
  assert.ok(BIN, "FOGKEEP_BIN names the built binary");
  const { code, last, err } = await feel("--delays", "150", "--seconds", "10", "--least", "0.5");
  assert.equal(code, 0, err);
  const report = JSON.parse(last);
  assert.deepEqual(Object.keys(report), ["150"]);
  assert.deepEqual(Object.keys(report["150"]), KEYS);
  for (const key of KEYS) assert.ok(Number.isFinite(report["150"][key]), key);
  assert.equal(report["150"].reaction_frames, 1);
  assert.equal(report["150"].shots_drawn_minus_fired, 0);
});

test("a measurement that saw too little fails", { timeout: 240_000 }, async () => {
  const { code, err } = await feel("--delays", "0", "--seconds", "5", "--least", "100");
  assert.equal(code, 1);
  assert.match(err, /only \d+ orders, not \d+/);
});
