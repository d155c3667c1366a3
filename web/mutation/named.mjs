// Tries the mutants of internal/tools/mutation/named.txt, which were found by hand: each
// has to be noticed by the test that it names, which passes without it.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openDrawn } from "../drawn/build.mjs";
import { swap, WEB } from "./sources.mjs";

const ROOT = join(WEB, "..");
const run = promisify(execFile);

/** Reads the list. A text that does not stand in its file once is an error. */
export function namedMutants() {
  const text = readFileSync(join(ROOT, "internal/tools/mutation/named.txt"), "utf8");
  return text
    .split(/^= /m)
    .slice(1)
    .map((block) => {
      const [name, file, ...lines] = block.split("\n");
      const of = (mark) =>
        lines
          .filter((l) => l[0] === mark)
          .map((l) => l.slice(2))
          .join("\n");
      const source = readFileSync(join(ROOT, file), "utf8");
      const find = of("-");
      if (source.split(find).length !== 2)
        throw new Error(`${name}: its text does not stand once in ${file}`);
      const [kind, ...test] = of("?").split(" ");
      return { name, path: join(ROOT, file), code: source.replace(find, () => of("+")), kind, test };
    });
}

/** Whether the mutant's test passes, with the mutant or without. */
const passes = {
  async rows({ path, code, test }, on) {
    const drawn = await openDrawn(on ? [swap(new Map([[path, code]]))] : []);
    try {
      return (await drawn.page.evaluate((name) => window.drawn.run(name), test.join(" "))).error === "";
    } finally {
      await drawn.close();
    }
  },
  async units({ path, code, test }, on) {
    const { createVitest } = await import("vitest/node");
    const options = { root: WEB, watch: false, reporters: [{}] };
    const plugins = on ? [swap(new Map([[path, code]]))] : [];
    const vitest = await createVitest("test", options, { plugins, logLevel: "silent" });
    const { testModules } = await vitest.start(test);
    await vitest.close();
    if (testModules.length === 0) throw new Error(`no tests in ${test}`);
    return testModules.every((m) => m.ok());
  },
  async go({ path, code, test: [pkg, name] }, on) {
    const dir = mkdtempSync(join(tmpdir(), "mutant-"));
    try {
      const changed = join(dir, "changed.go");
      const overlay = join(dir, "overlay.json");
      writeFileSync(changed, code);
      writeFileSync(overlay, JSON.stringify({ Replace: on ? { [path]: changed } : {} }));
      const args = ["test", "-count=1", "-vet=off", "-overlay", overlay, "-run", `^${name}$`, pkg];
      const { stdout } = await run("go", args, { cwd: ROOT });
      if (stdout.includes("no tests to run")) throw new Error(`no test ${name} in ${pkg}`);
      return true;
    } catch (e) {
      if (!/^--- FAIL/m.test(e.stdout ?? "")) throw e; // it does not compile
      return false;
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
};

/** Tries the mutants of files whose path has one of the texts, of all files without a text. */
export async function tryNamed(only) {
  let missed = 0;
  for (const m of namedMutants()) {
    if (only.length > 0 && !only.some((o) => m.path.includes(o))) continue;
    const without = await passes[m.kind](m, false);
    const noticed = without && !(await passes[m.kind](m, true));
    if (!noticed) missed++;
    console.log(
      `${noticed ? "noticed" : without ? "survived" : "its test fails without it"}\t${m.name}\t${m.kind} ${m.test.join(" ")}`,
    );
  }
  return missed === 0;
}
