// The page of the staged scenes with all mutants inside.

import { openDrawn } from "../drawn/build.mjs";
import { swap, WEB } from "./sources.mjs";

/** Rows that are run first: they noticed most of the file's mutants. */
const FIRST = 6;
/** A page that does not answer for so long is in the hands of its mutant. */
const ANSWER_MS = 120_000;

export async function openPage(codes) {
  const drawn = await openDrawn([swap(codes)], `${WEB}mutation/switch.js`);
  const { page } = drawn;
  const noticed = new Map(); // by file and row
  let shaderErrors = 0;
  page.on("console", (m) => {
    if (/THREE\.WebGLProgram: Shader Error/.test(m.text())) shaderErrors++;
  });
  page.setDefaultTimeout(ANSWER_MS);
  let names = [];
  let loadedWith = -1;
  const load = async (id) => {
    await page.evaluate((n) => sessionStorage.setItem("mutant", n), String(id));
    await page.reload();
    await page.waitForFunction(() => window.drawn);
    loadedWith = id;
  };
  /** Runs rows until one fails; returns its name, or null. */
  const run = (rows, id) =>
    page.evaluate(
      async ([rows, id]) => {
        const { drawn } = window;
        __mutation.turn(id);
        try {
          drawn.forget();
          for (const name of rows) if ((await drawn.run(name)).error !== "") return name;
        } catch {
          return "?";
        } finally {
          __mutation.turn(-1);
          try {
            drawn.forget();
          } catch {
            // The mutant broke what takes a match off the page.
          }
        }
        return null;
      },
      [rows, id],
    );

  return {
    /** Which rows come to which mutants: as they run, or as their match is made. */
    async measure() {
      names = await page.evaluate(() => window.drawn.names);
      const by = new Map();
      for (const name of names) {
        const { error, ids, made } = await page.evaluate(async (name) => {
          const made = await window.drawn.open(name);
          const atStart = __mutation.reached();
          const { error } = await window.drawn.run(name);
          return {
            error,
            ids: __mutation.reached(),
            made: made === null ? null : { key: made, ids: atStart },
          };
        }, name);
        if (error !== "") throw new Error(`${name} fails without a mutant: ${error}`);
        for (const id of ids) by.set(id, (by.get(id) ?? new Set()).add(name));
        if (!made) continue;
        const like = await page.evaluate((key) => window.drawn.like(key), made.key);
        for (const id of made.ids) for (const n of like) by.set(id, (by.get(id) ?? new Set()).add(n));
      }
      return by;
    },
    async notice(m, by) {
      const reach = m.shader ? names.filter((n) => n) : names.filter((n) => by.get(m.id)?.has(n));
      if (reach.length === 0) return "not reached";
      if (m.shader || loadedWith >= 0) await load(m.shader ? m.id : -1);
      const before = shaderErrors;
      const seen = noticed.get(m.file) ?? new Map();
      noticed.set(m.file, seen);
      const best = reach
        .map((n) => [seen.get(n) ?? 0, n])
        .sort((a, b) => b[0] - a[0])
        .slice(0, FIRST)
        .map(([, n]) => n);
      // Rows of one match run in the order of the table.
      for (const rows of [reach.filter((n) => best.includes(n)), reach.filter((n) => !best.includes(n))]) {
        if (rows.length === 0) continue;
        let failed;
        try {
          failed = await run(rows, m.id);
        } catch {
          // It crashed or hangs: the next mutant gets a new page.
          await load(-1);
          return "noticed";
        }
        if (shaderErrors > before) return "invalid";
        if (failed === null) continue;
        seen.set(failed, (seen.get(failed) ?? 0) + 1);
        return "noticed";
      }
      return "survived";
    },
    close: drawn.close,
  };
}
