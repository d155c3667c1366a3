// Changes the client in small ways and counts how many of the changes its tests notice:
// the unit tests, and the scenes of ../drawn. `make mutation ARGS='--web …'` runs it.
//
//	src/render, hud, input ──► mutants (plan.mjs) ──► one page and one set of unit tests with all mutants
//	                                                   │ of each mutant, the tests that come to it
//	survivors.txt (the ones with a reason) ───────────►┴──► score, survivors
//
// Stryker does the same for TypeScript. It does not change shaders, has no runner for
// a page of one's own, and draws no sample.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { tryNamed } from "./named.mjs";
import { openPage } from "./page.mjs";
import { keyOf } from "./plan.mjs";
import { planAll } from "./sources.mjs";
import { openUnits } from "./units.mjs";

const { values: args } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] }, // folders or files
    sample: { type: "string", default: "0" }, // so many mutants, drawn at random; 0: all
    seed: { type: "string", default: "1" }, // which sample
    keys: { type: "string" }, // try only the mutants that this file names: lines that end in a key
    named: { type: "boolean", default: false }, // the mutants of named.txt, and no others
    list: { type: "boolean", default: false }, // print the mutants and try none
    goal: { type: "string", default: "0" }, // fail below this percentage
    minutes: { type: "string", default: "0" }, // stop after so many; 0: not
    skip: { type: "string", default: "0" }, // so many of the sample, tried before
  },
});

/** The mutants that no test notices, with the reason, by key. */
function listed() {
  const text = readFileSync(new URL("survivors.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" # ");
      if (at < 0) throw new Error(`survivors.txt: a mutant without a reason: ${line}`);
      return [line.slice(0, at), line.slice(at + 3)];
    }),
  );
}

/** Numbers from 0 to 1 that a seed chooses. */
function dice(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), s | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw(list, n, seed) {
  const roll = dice(seed);
  const left = [...list];
  const out = [];
  while (out.length < n && left.length > 0) out.push(...left.splice(Math.floor(roll() * left.length), 1));
  return out;
}

if (args.named) process.exit((await tryNamed(args.only)) ? 0 : 1);
const known = listed();
const { mutants, codes } = planAll();
let list = mutants.filter((m) => args.only.length === 0 || args.only.some((o) => m.file.includes(o)));
if (args.keys) {
  const keys = new Set(
    readFileSync(args.keys, "utf8")
      .split("\n")
      .map((line) => line.split("\t").at(-1).trim()),
  );
  list = list.filter((m) => keys.has(keyOf(m)));
}
if (args.sample !== "0") list = draw(list, Number(args.sample), Number(args.seed)).slice(Number(args.skip));
if (args.list) {
  for (const m of list) console.log(`${m.file}:${m.line}\t${keyOf(m)}`);
  process.exit(0);
}

const begun = Date.now();
const seconds = () => ((Date.now() - begun) / 1000).toFixed(0);
const units = await openUnits(codes);
const page = await openPage(codes);
const byUnits = await units.measure();
const byPage = await page.measure();
console.error(`${mutants.length} mutants, ${list.length} to try; tests measured in ${seconds()} s`);

/** The fate of a mutant: "invalid" is a shader that does not compile. */
async function tryOne(m) {
  const files = m.shader ? [] : (byUnits.get(m.id) ?? []);
  const byTests = async () => files.length > 0 && (await units.notice(m.id, files));
  // The cheaper tests come first: scenes for code that draws, unit tests for input.
  const input = m.file.startsWith("src/input/");
  if (input && (await byTests())) return "noticed";
  const verdict = await page.notice(m, byPage);
  if (verdict === "noticed" || verdict === "invalid") return verdict;
  if (!input && (await byTests())) return "noticed";
  return files.length > 0 ? "survived" : verdict;
}

const count = { noticed: 0, survived: 0, "not reached": 0, invalid: 0, listed: 0 };
let tried = 0;
for (const m of list) {
  if (args.minutes !== "0" && Date.now() - begun > 60_000 * Number(args.minutes)) {
    console.error(`stopped after ${tried} of ${list.length}`);
    break;
  }
  tried++;
  const from = Date.now();
  let verdict = await tryOne(m);
  if (verdict === "noticed" && known.has(keyOf(m)))
    console.error(`noticed, but listed in survivors.txt: ${keyOf(m)}`);
  if (verdict !== "noticed" && verdict !== "invalid" && known.has(keyOf(m))) verdict = "listed";
  count[verdict]++;
  if (verdict !== "noticed" || process.env.VERBOSE)
    console.error(
      `${verdict}\t${m.file}:${m.line}\t${((Date.now() - from) / 1000).toFixed(1)} s\t${keyOf(m)}`,
    );
}
await Promise.all([units.close(), page.close()]);
const of = tried - count.listed - count.invalid;
const percent = of === 0 ? 100 : (100 * count.noticed) / of;
console.log("mutants\ttried\tnoticed\tsurvived\tnot reached\tlisted\tinvalid\tpercent");
console.log(
  `${mutants.length}\t${tried}\t${count.noticed}\t${count.survived}\t${count["not reached"]}\t${count.listed}\t${count.invalid}\t${percent.toFixed(1)}`,
);
console.error(`${seconds()} s`);
process.exit(tried === 0 || percent < Number(args.goal) ? 1 : 0);
