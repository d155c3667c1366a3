// Of the unit tests while mutants are tried: turns the mutant on, or notes what each
// file of tests comes to.

import "./switch.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject } from "vitest";

const { mutant, reachedDir } = inject("mutation");
globalThis.__mutation.turn(mutant);
globalThis.__mutation.reached();

afterAll(() => {
  if (mutant >= 0) return;
  const name = expect.getState().testPath.replace(/[^\w]+/g, "-");
  writeFileSync(
    join(reachedDir, `${name}.json`),
    JSON.stringify([expect.getState().testPath, globalThis.__mutation.reached()]),
  );
});
