// Writes docs/sdk-reference.md: what @fogkeep/client exports, from its declarations.
//
//	node web/sdk/reference.mjs           writes it
//	node web/sdk/reference.mjs --check   fails if it is not what the declarations give
//
// It exists because the usual generators, typedoc among them, need the compiler API
// that TypeScript 7 no longer has, and so a second compiler.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { argv, exit } from "node:process";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PAGE = join(HERE, "../../docs/sdk-reference.md");

/** The sections, and the files whose exports each has: the first that fits. */
const SECTIONS = [
  ["A server", /^client\//],
  ["A replay", /^(match\/replay|state\/timeline)/],
  ["A match", /^match\//],
  [
    "The state of a match",
    /^state\/(match|world|mask|ownerstate|actions|events|queries|doing|history|clock|motion|shots)/,
  ],
  ["What a match is played by", /^state\//],
  ["The connection", /^net\//],
  ["Codes", /^(gen\/codes|base\/errors)/],
  ["Ids, units and listeners", /^(base|gen\/(colors|fields))/],
  ["Shapes of the HTTP API", /^gen\/player/],
];

const read = new Map();

/** A file of declarations: its text, and what it declares or passes on. */
function fileOf(path) {
  if (read.has(path)) return read.get(path);
  const text = readFileSync(path, "utf8");
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const file = { path, text, own: new Map(), passed: [] };
  read.set(path, file);
  for (const node of program.body) {
    const from = node.source && join(dirname(path), node.source.value.replace(/\.js$/, ".d.ts"));
    if (node.type === "ExportAllDeclaration") file.passed.push({ from });
    if (node.type !== "ExportNamedDeclaration") continue;
    if (from) {
      for (const s of node.specifiers) file.passed.push({ from, name: s.local.name, as: s.exported.name });
      continue;
    }
    const names = node.declaration?.declarations?.map((d) => d.id.name) ?? [node.declaration?.id.name];
    for (const name of names)
      if (name) file.own.set(name, (file.own.get(name) ?? "") + sourceOf(text, comments, node));
  }
  return file;
}

/** The text of a declaration with the comment above it, without what is private. */
function sourceOf(text, comments, node) {
  const above = comments.find(
    (c) => c.value.startsWith("*") && /^\s*$/.test(text.slice(c.end, node.start)) && c.end <= node.start,
  );
  const whole = text.slice(above ? above.start : node.start, node.end);
  return `${whole
    .replace(/(\n\s*\/\*\*(?:(?!\*\/)[\s\S])*\*\/)?\n\s*private [^\n]*;/g, "")
    .replace(/^(\/\*\*[\s\S]*?\*\/\s*)?export (declare )?/, "$1")
    .trim()}\n`;
}

/** What a file exports, by name: an own declaration comes before what it passes on. */
function exportsOf(path) {
  const file = fileOf(path);
  const all = new Map();
  for (const { from, name } of file.passed) {
    const there = exportsOf(from);
    if (name === undefined) for (const [n, d] of there) all.set(n, all.get(n) ?? d);
  }
  for (const { from, name, as } of file.passed)
    if (name !== undefined) {
      const d = exportsOf(from).get(name);
      if (!d) throw new Error(`${path}: ${from} has no ${name}`);
      all.set(as, d);
    }
  for (const [name, source] of file.own) all.set(name, { path, source });
  return all;
}

function page(dist) {
  const all = [...exportsOf(join(dist, "index.d.ts"))].sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = SECTIONS.map(([title]) => ({ title, of: [] }));
  for (const [name, { path, source }] of all) {
    const at = SECTIONS.findIndex(([, files]) => files.test(relative(dist, path)));
    if (at < 0) throw new Error(`${name} of ${path} has no section`);
    parts[at].of.push({ name, source });
  }
  // The operations have no name of their own in the package: they are what Client.api has.
  const operations = fileOf(join(dist, "gen/player.d.ts")).own.get("client");
  parts.at(-1).of.unshift({ name: "The operations of an Api", source: operations });
  const lines = [
    "# Reference of @fogkeep/client",
    "",
    "Made by `web/sdk/reference.mjs` from the declarations of the package. Do not edit.",
    "[write-a-client.md](how-to/write-a-client.md#in-typescript) says how to begin.",
    "`@fogkeep/client/wire` has the messages of the [protocol](protocol.md) besides, `@fogkeep/client/testing` a small match for tests.",
    "",
  ];
  for (const { title, of } of parts) {
    lines.push(`## ${title}`, "");
    for (const { name, source } of of) lines.push(`### ${name}`, "", "```text", source.trimEnd(), "```", "");
  }
  return lines.join("\n");
}

const dist = mkdtempSync(join(tmpdir(), "fogkeep-reference-"));
try {
  const tsc = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "lib/tsc.js");
  execFileSync(process.execPath, [tsc, "--project", HERE, "--outDir", dist], { stdio: "inherit" });
  const want = page(dist);
  if (argv[2] !== "--check") writeFileSync(PAGE, want);
  else if (readFileSync(PAGE, "utf8") !== want) {
    console.error("stale: docs/sdk-reference.md (run make gen)");
    exit(1);
  }
} finally {
  rmSync(dist, { recursive: true, force: true });
}
