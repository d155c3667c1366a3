// The unit tests with all mutants inside.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitest } from "vitest/node";
import { swap, WEB } from "./sources.mjs";

export async function openUnits(codes) {
  const reachedDir = mkdtempSync(join(tmpdir(), "mutation-"));
  const vitest = await createVitest(
    "test",
    {
      root: WEB,
      watch: false,
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["mutation/setup.mjs", "src/text/testsetup.ts"],
      reporters: [{}],
      fileParallelism: false,
      isolate: false,
      testTimeout: 20_000,
    },
    { plugins: [swap(codes)], logLevel: "silent", server: { watch: null } },
  );
  const specs = await vitest.globTestSpecifications();
  const byFile = new Map(specs.map((s) => [s.moduleId, s]));
  const run = async (which, mutant) => {
    vitest.state.clearErrors();
    vitest.getRootProject().provide("mutation", { mutant, reachedDir });
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(which, false);
    return testModules.every((m) => m.ok()) && unhandledErrors.length === 0;
  };
  return {
    /** Which files of tests come to which mutants. */
    async measure() {
      if (!(await run(specs, -1))) throw new Error("the unit tests fail without a mutant");
      const by = new Map();
      for (const name of readdirSync(reachedDir)) {
        const [file, ids] = JSON.parse(readFileSync(join(reachedDir, name), "utf8"));
        for (const id of ids) by.set(id, [...(by.get(id) ?? []), file]);
      }
      return by;
    },
    /** Whether some of the files notice a mutant. */
    notice: async (mutant, files) =>
      !(await run(
        files.map((f) => byFile.get(f)),
        mutant,
      )),
    async close() {
      await vitest.close();
      rmSync(reachedDir, { recursive: true });
    },
  };
}
