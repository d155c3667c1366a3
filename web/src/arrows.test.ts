// Which folder of web/src may import which, as internal/arch holds it for Go.
// Type imports count too: who needs to know a type depends on its file.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** What folders with parts of a page may import. */
const COMPONENTS = ["text", "preact", "@preact/signals"];

/**
 * For each folder: the folders, files (`state/map`) and packages that it may
 * import. Itself is always allowed. docs/client.md says what each folder is.
 */
const ARROWS: Record<string, readonly string[]> = {
  base: [],
  text: ["i18next"],
  gen: ["base", "@bufbuild/protobuf"],
  vision: [],
  state: ["base", "gen", "vision", "@bufbuild/protobuf"],
  net: ["base", "gen", "vision", "@bufbuild/protobuf"],
  sdk: ["base", "gen", "net", "state", "@bufbuild/protobuf"],
  draw: ["base", "gen", "state/map"],
  ui: ["draw", ...COMPONENTS],
  render: ["base", "draw", "gen", "state", "three"],
  input: ["base", "gen", "render", "sdk", "state", "text"],
  hud: ["base", "draw", "gen", "input", "net", "render", "state", "ui", ...COMPONENTS],
  game: ["base", "draw", "gen", "hud", "input", "render", "sdk", "state", "ui", ...COMPONENTS],
  app: [
    "base",
    "draw",
    "game",
    "gen",
    "input",
    "net",
    "render",
    "sdk",
    "state",
    "ui",
    "@bufbuild/protobuf",
    ...COMPONENTS,
  ],
  admin: ["base", "draw", "gen", "net", "state/map", "ui", ...COMPONENTS],
};

/** The imports of each file, both as paths below src without `.ts`; packages by their name. */
type Imports = Map<string, readonly string[]>;

function sources(): Imports {
  const src = dirname(fileURLToPath(import.meta.url));
  const all: Imports = new Map();
  for (const path of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    const file = path.replaceAll("\\", "/");
    if (/\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      all.set(file.replace(/\.tsx?$/, ""), importsOf(file, readFileSync(join(src, path), "utf8")));
  }
  return all;
}

/** What a file imports, exports from elsewhere or loads; styles do not count. */
function importsOf(file: string, text: string): string[] {
  const statement =
    /^(?:import|export)\s+(?:[\w*{][\w\s,{}*$]*\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
  const found = text.matchAll(statement);
  return [...found]
    .map(([, a, b]) => a ?? b)
    .filter((to) => !/\.(css|json)$/.test(to))
    .map((to) => (to.startsWith(".") ? posix.join(posix.dirname(file), to).replace(/\.(js|tsx?)$/, "") : to));
}

const folderOf = (path: string): string => path.split("/")[0];

function wrongArrows(imports: Imports): string[] {
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    const folder = folderOf(file);
    const may = ARROWS[folder];
    if (!may) {
      wrong.push(`${file}: the folder ${folder} has no row in ARROWS: say there what it may import`);
      continue;
    }
    for (const to of targets) {
      if (folderOf(to) === folder || may.some((m) => to === m || to.startsWith(`${m}/`))) continue;
      wrong.push(
        `${file} imports ${to}: ${folder} may import ${may.join(", ") || "nothing"}. ` +
          "Move what both need into one of those, or let the caller pass it in",
      );
    }
  }
  return wrong;
}

/** Files that import each other in a circle, each circle once. */
function cycles(imports: Imports): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      found.push(
        `${[...path.slice(at), file].join(" → ")}: these files import each other in a circle. ` +
          "Move the types that they share into a file of their own, or pass a function in",
      );
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const to of imports.get(file) ?? imports.get(`${file}/index`) ?? []) {
      const target = imports.has(to) ? to : `${to}/index`;
      if (imports.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return found;
}

describe("imports of web/src", () => {
  const imports = sources();
  it("are all read", () => {
    expect(imports.size).toBeGreaterThan(80);
    expect(imports.get("app/main")).toContain("app/app");
    const unknown = [...imports].flatMap(([file, to]) =>
      to
        .filter((t) => ARROWS[folderOf(t)] && !imports.has(t) && !imports.has(`${t}/index`))
        .map((t) => `${file} imports ${t}, which is no file`),
    );
    expect(unknown).toEqual([]);
  });
  it("follow the table of folders", () => {
    expect(wrongArrows(imports)).toEqual([]);
  });
  it("go in no circle", () => {
    expect(cycles(imports)).toEqual([]);
  });
  it("of app/app are only app/main's: screens get a Navigation", () => {
    const importers = [...imports].filter(([, to]) => to.includes("app/app")).map(([file]) => file);
    expect(importers).toEqual(["app/main"]);
  });
});

describe("the checks of imports find", () => {
  it("an arrow against the table, a folder without a row, a package that is not allowed", () => {
    expect(
      wrongArrows(
        new Map([
          ["hud/hud", ["game/game", "ui/dom"]],
          ["admin/table", ["state/map", "state/match", "three"]],
          ["extra/one", []],
        ]),
      ).map((w) => w.split(":")[0]),
    ).toEqual([
      "hud/hud imports game/game",
      "admin/table imports state/match",
      "admin/table imports three",
      "extra/one",
    ]);
  });
  it("a circle, also through an index", () => {
    expect(
      cycles(
        new Map([
          ["a/x", ["b"]],
          ["b/index", ["b/y"]],
          ["b/y", ["a/x"]],
          ["b/z", ["b/y"]],
        ]),
      ).map((c) => c.split(":")[0]),
    ).toEqual(["a/x → b/index → b/y → a/x"]);
  });
  it("imports of every form", () => {
    const text = `import "./style.css";
import "./side";
import type { A } from "../b/a";
import {
  long,
  list,
} from "../b/list.js";
export { c } from './c';
const later = import("../d/e");
export const from = "./not";`;
    expect(importsOf("a/x.ts", text)).toEqual(["a/side", "b/a", "b/list", "a/c", "d/e"]);
  });
});
