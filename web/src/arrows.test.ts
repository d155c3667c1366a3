// Which folder of web/src and of web/sdk/src may import which, as internal/arch
// holds it for Go. The pages know the SDK by its name alone, as any guest does.
// Type imports count too: who needs to know a type depends on its file.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Panels and screens of Preact have texts. */
const COMPONENTS = ["text", "preact", "@preact/signals"];
/** All that the pages know of the server and of a match. */
const SDK = "@fogkeep/client";

/**
 * For each folder: the folders, files (`state/map`) and packages that it may
 * import. Itself is always allowed. docs/contributing/client.md says what each folder is.
 */
type Arrows = Record<string, readonly string[]>;

const PAGES: Arrows = {
  gen: [SDK],
  text: [],
  draw: [SDK],
  pack: ["draw", "text", SDK],
  ui: ["draw", ...COMPONENTS],
  render: ["draw", SDK, "three"],
  input: ["render", SDK, "text"],
  hud: ["draw", "input", "render", "ui", SDK, ...COMPONENTS],
  game: ["draw", "hud", "input", "render", "ui", SDK, ...COMPONENTS],
  replay: ["draw", "game", "hud", "input", "render", "ui", SDK, "three", ...COMPONENTS],
  app: ["draw", "game", "input", "pack", "render", "replay", "ui", SDK, "@bufbuild/protobuf", ...COMPONENTS],
  admin: ["draw", "gen", "ui", SDK, ...COMPONENTS],
  demo: ["admin", "app", "game", "gen", "ui", SDK, "fogkeep-wasm", "wasm_exec", ...COMPONENTS],
};

/** The folders of the SDK, and its entries, which are files. */
const CLIENT: Arrows = {
  base: ["gen/codes"],
  gen: ["base", "@bufbuild/protobuf"],
  vision: [],
  state: ["base", "gen", "vision", "@bufbuild/protobuf"],
  net: ["base", "gen", "vision", "@bufbuild/protobuf"],
  match: ["base", "gen", "net", "state", "@bufbuild/protobuf"],
  client: ["base", "gen", "match", "net"],
  index: ["base", "client", "gen", "match", "net", "state"],
  node: ["index", "net/socket", "node:module"],
  testing: ["state/fixture"],
  wire: ["gen", "net/packed", "state"],
};

/** The imports of each file, both as paths below src without `.ts`; packages by their name. */
type Imports = Map<string, readonly string[]>;

const PAGES_SRC = dirname(fileURLToPath(import.meta.url));
const CLIENT_SRC = join(PAGES_SRC, "../sdk/src");

function sources(src: string): Imports {
  const all: Imports = new Map();
  for (const path of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    const file = path.replaceAll("\\", "/");
    if (/\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      all.set(file.replace(/\.tsx?$/, ""), importsOf(file, readFileSync(join(src, path), "utf8")));
  }
  return all;
}

/** The files that a file imports, exports from or loads; styles do not count. */
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

function wrongArrows(imports: Imports, arrows: Arrows): string[] {
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    const folder = folderOf(file);
    const may = arrows[folder];
    if (!may) {
      wrong.push(`${file}: the folder ${folder} has no row in the table: say there what it may import`);
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

/** Imports of folders of the same sources that are no files. */
function unknown(imports: Imports, arrows: Arrows): string[] {
  return [...imports].flatMap(([file, to]) =>
    to
      .filter((t) => arrows[folderOf(t)] && !imports.has(t) && !imports.has(`${t}/index`))
      .map((t) => `${file} imports ${t}, which is no file`),
  );
}

describe.each([
  { src: "web/src", imports: sources(PAGES_SRC), arrows: PAGES, least: 80, known: ["app/main", "app/app"] },
  {
    src: "web/sdk/src",
    imports: sources(CLIENT_SRC),
    arrows: CLIENT,
    least: 30,
    known: ["index", "match/match"],
  },
])("imports of $src", ({ imports, arrows, least, known: [file, target] }) => {
  it("are all read", () => {
    expect(imports.size).toBeGreaterThan(least);
    expect(imports.get(file)).toContain(target);
    expect(unknown(imports, arrows)).toEqual([]);
  });
  it("follow the table of folders", () => {
    expect(wrongArrows(imports, arrows)).toEqual([]);
  });
  it("go in no circle", () => {
    expect(cycles(imports)).toEqual([]);
  });
  it("leave their sources only for a package by its name", () => {
    const leaving = [...imports].flatMap(([file, to]) =>
      to.filter((t) => t.startsWith("..")).map((t) => `${file}: ${t}`),
    );
    expect(leaving).toEqual([]);
  });
});

describe("imports of the pages", () => {
  it("of app/app are only app/main's: screens get a Navigation", () => {
    const importers = [...sources(PAGES_SRC)]
      .filter(([, to]) => to.includes("app/app"))
      .map(([file]) => file);
    expect(importers).toEqual(["app/main"]);
  });
});

describe("the checks of imports find", () => {
  it("an arrow against the table, a folder without a row, a package that is not allowed", () => {
    expect(
      wrongArrows(
        new Map([
          ["hud/hud", ["game/game", "ui/dom"]],
          ["admin/table", ["draw/palette", "game/game", "three", SDK]],
          ["net/link", ["net/socket"]],
        ]),
        PAGES,
      ).map((w) => w.split(":")[0]),
    ).toEqual([
      "hud/hud imports game/game",
      "admin/table imports game/game",
      "admin/table imports three",
      "net/link",
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
