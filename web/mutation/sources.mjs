// The mutated sources, and the plugin that puts them in place of the files on disk.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { plan } from "./plan.mjs";

export const WEB = fileURLToPath(new URL("..", import.meta.url));
/** The folders whose mutants are tried. */
export const FOLDERS = ["src/render", "src/hud", "src/input"];

/**
 * Plans all files.
 *
 * @returns {{ mutants: import("./plan.mjs").Mutant[], codes: Map<string, string> }} codes by absolute path
 */
export function planAll() {
  const mutants = [];
  const codes = new Map();
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(WEB, folder)).sort()) {
      if (!/\.tsx?$/.test(name) || /\.test\.tsx?$/.test(name)) continue;
      const path = join(WEB, folder, name);
      const planned = plan(
        readFileSync(path, "utf8"),
        relative(WEB, path).split(sep).join("/"),
        mutants.length,
      );
      mutants.push(...planned.mutants);
      codes.set(path, planned.code);
    }
  }
  return { mutants, codes };
}

/** Gives a build these sources in place of the files on disk. */
export const swap = (codes) => ({
  name: "mutants",
  enforce: "pre",
  load: (id) => codes.get(id.split("?")[0]) ?? null,
});
