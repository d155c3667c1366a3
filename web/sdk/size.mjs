// The size of the package in a page: bundled, minified, brotli, in bytes.
//
//	node sdk/size.mjs [--write]
//
// With --write the figures in README.md and docs/contributing/client.md are made anew.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";

/** Programs with different needs, as their imports. */
const NEEDS = {
  everything: 'export * from "@fogkeep/client";',
  "a match": 'export { connect } from "@fogkeep/client";',
  "lobby alone": 'export { Client } from "@fogkeep/client";',
  "a map's bytes": 'export { decodeMap } from "@fogkeep/client";',
};
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** The sizes with a built package; parts that load later, with the first match, do not count. */
export async function measure(sdk) {
  const sizes = {};
  for (const [what, code] of Object.entries(NEEDS)) {
    const entry = "\0need";
    const { output } = [
      await build({
        configFile: false,
        logLevel: "error",
        root: sdk,
        plugins: [
          {
            name: "need",
            resolveId: (id) =>
              id === entry ? id : id === "@fogkeep/client" ? join(sdk, "dist/index.js") : null,
            load: (id) => (id === entry ? code : null),
          },
        ],
        build: {
          write: false,
          minify: true,
          target: "es2022",
          rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
        },
      }),
    ].flat()[0];
    sizes[what] = needed(output).reduce((sum, c) => sum + brotliCompressSync(c.code).length, 0);
  }
  return sizes;
}

/** The entry and its static imports. */
function needed(output) {
  const by = new Map(output.filter((c) => c.type === "chunk").map((c) => [c.fileName, c]));
  const found = new Set(output.filter((c) => c.isEntry).map((c) => c.fileName));
  for (const name of found) for (const to of by.get(name).imports) found.add(to);
  return [...found].map((name) => by.get(name));
}

const ROW = /^\| ([^|]+) \| ([\d,]+) bytes \|$/gm;

/** The figures that a page gives. */
export function sizesIn(page) {
  const rows = [...page.matchAll(ROW)].map(([, what, n]) => [what, Number(n.replaceAll(",", ""))]);
  if (rows.length !== Object.keys(NEEDS).length) throw new Error(`${rows.length} sizes in the page`);
  return Object.fromEntries(rows);
}

if (resolve(argv[1]) === fileURLToPath(import.meta.url)) {
  const sizes = await measure(HERE);
  console.log(sizes);
  for (const path of argv[2] === "--write" ? ["README.md", "../../docs/contributing/client.md"] : []) {
    const page = readFileSync(join(HERE, path), "utf8");
    writeFileSync(
      join(HERE, path),
      page.replace(ROW, (_, what) => `| ${what} | ${sizes[what].toLocaleString("en-US")} bytes |`),
    );
  }
}
