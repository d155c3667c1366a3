// The measurement of `make feel`, short: one network, and no figure that
// depends on how fast the machine is.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BIN = process.env.FOGKEEP_BIN;
const FEEL = fileURLToPath(new URL("../bench/feel.mjs", import.meta.url));
const KEYS = [
  "reaction_frames",
  "answer_p99_ms",
  "snap_max_tiles",
  "corrections",
  "blend_p99_ms",
  "shots_drawn_minus_fired",
  "projectile_gap_p99_tiles",
  "frame_late_p99_ms",
  "frame_late_max_ms",
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

test("the client answers in the next frame over a slow network that loses packets", {
  timeout: 240_000,
}, async () => {
  assert.ok(BIN, "FOGKEEP_BIN names the built binary");
  const { code, last, err } = await feel("--delays", "150/5", "--seconds", "10", "--least", "0.5");
  assert.equal(code, 0, err);
  const report = JSON.parse(last);
  assert.deepEqual(Object.keys(report), ["150/5"]);
  const figures = report["150/5"];
  assert.deepEqual(Object.keys(figures), KEYS);
  for (const key of KEYS) assert.ok(Number.isFinite(figures[key]), key);
  assert.equal(figures.reaction_frames, 1);
  // In a stall the page draws half a second of shots of a unit that has ceased fire meanwhile.
  const more = figures.shots_drawn_minus_fired;
  assert.ok(more >= 0 && more <= 2, `${more} shots were drawn and not fired`);
  // Some of about 200 frames are lost: three more, or a timer, pass until their second copies come.
  assert.ok(figures.frame_late_max_ms > 250, `the latest frame is late by ${figures.frame_late_max_ms} ms`);
});

// A second measurement for the share that it requires: in the long form.
if (process.env.FOGKEEP_TEST_LONG)
  test("a measurement that saw too little fails", { timeout: 240_000 }, async () => {
    const { code, err } = await feel("--delays", "0", "--seconds", "5", "--least", "100");
    assert.equal(code, 1);
    assert.match(err, /only \d+ orders, not \d+/);
  });
