// The page of the staged scenes: `window.drawn` runs rows of the table.

import "../src/ui/theme.css";
import "../src/hud/hud.css";
import "../src/hud/field.css";
import { LOOKS } from "../src/render/looks";
import { BILLBOARD, Billboards, DECAL, Decals, LINE } from "../src/render/sprites";
import { useLanguage, useTexts } from "../src/text/text";
import { Picture } from "./picture";
import { ROWS, type Row } from "./rows";
import { realNow, Stage } from "./stage";

/** Page time from scene to scene. Each row has a time of its own, by its name: a new row changes no other. */
const SLOT_MS = 100_000;
const SLOTS = 1_000_000;
/** Pictures are kept in blocks of so many pixels a side, by their mean. */
const BLOCK = 4;
/** A block differs from its picture if a channel is farther than this; so many may, for another driver's rounding. */
const FAR = 3;
const DIFFERENT_MAX = 2;

export interface Ran {
  readonly name: string;
  /** Why the row failed; "" if it did not. */
  readonly error: string;
  readonly ms: number;
  /** The result: the picture as a data URL, whole or as it is kept; or the outline. */
  readonly made: string;
}

function slotOf(name: string): number {
  let n = 7;
  for (let k = 0; k < name.length; k++) n = (Math.imul(n, 31) + name.charCodeAt(k)) >>> 0;
  return n % SLOTS;
}

export const fileOf = (row: Row): string =>
  `${row.name.replace(/[^\w]+/g, "-")}.${isPage(row) ? "txt" : "png"}`;
const isPage = (row: Row): boolean => typeof row.part === "object" && "page" in row.part;

// Rows with the shared match run in the order of their times.
const rows = [...ROWS].sort((a, b) => slotOf(a.name) - slotOf(b.name));
const kept = new Map<string, Promise<ImageData | string | null>>();
/** Stages by their options. */
const shared = new Map<string, Stage>();
const drawn = new Set<string>();

for (const [of, method, at, word] of [
  [Decals.prototype, "add", 4, "decal"],
  [Billboards.prototype, "add", 3, "billboard"],
] as const) {
  const methods = of as unknown as Record<string, (...args: number[]) => void>;
  const add = methods[method];
  methods[method] = function (...args: number[]) {
    drawn.add(`${word} ${args[at]}`);
    add.apply(this, args);
  };
}

/** Drawable kinds that no executed row has drawn. */
function missing(): string[] {
  const names = (word: string, of: Readonly<Record<string, number>>) =>
    Object.entries(of).flatMap(([name, n]) => (drawn.has(`${word} ${n}`) ? [] : [`${word} ${name}`]));
  // Icons are added in a way of their own; their row is in the table.
  const { icon: _, ...billboards } = BILLBOARD;
  const types = shared.values().next().value?.state.info.rules.types ?? [];
  return [
    ...names("decal", DECAL),
    ...names("billboard", { ...billboards, ...LINE }),
    ...types.flatMap((t) =>
      ROWS.some((r) => r.name === `model of ${t.name}`) ? [] : [`model of ${t.name}`],
    ),
    ...LOOKS.flatMap((l) => (ROWS.some((r) => r.name === `${l} is on`) ? [] : [`look ${l}`])),
  ];
}

async function read(row: Row): Promise<ImageData | string | null> {
  const url = `/pictures/${fileOf(row)}`;
  const answer = await fetch(url);
  if (!answer.ok) return null;
  if (isPage(row)) return answer.text();
  const bitmap = await createImageBitmap(await answer.blob());
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  ctx.drawImage(bitmap, 0, 0);
  return ctx.getImageData(0, 0, canvas.width, canvas.height);
}

function reference(row: Row): Promise<ImageData | string | null> {
  let is = kept.get(row.name);
  if (!is) {
    is = read(row);
    kept.set(row.name, is);
  }
  return is;
}

const keyOf = (row: Row): string => JSON.stringify(row.options ?? {});

/** Opens the match of a row, if it is not open; returns its key if it was not. */
async function open(name: string): Promise<string | null> {
  const row = ROWS.find((r) => r.name === name);
  if (!row || row.alone || shared.has(keyOf(row))) return null;
  shared.set(keyOf(row), await Stage.open(row.options ?? {}));
  return keyOf(row);
}

/** Runs a row; with `update` it is not compared with its picture. */
async function run(name: string, update = false): Promise<Ran> {
  const row = ROWS.find((r) => r.name === name);
  if (!row) throw new Error(`no row "${name}"`);
  const begun = realNow();
  const was = update ? null : await reference(row);
  let made = "";
  let error = "";
  let stage: Stage | null = null;
  try {
    stage = (row.alone ? null : shared.get(keyOf(row))) ?? (await Stage.open(row.options ?? {}));
    if (!row.alone) shared.set(keyOf(row), stage);
    stage.reset(SLOT_MS * (2 + slotOf(name)), row.settings, row.fine);
    await row.play(stage);
    const { part } = row;
    const canvas =
      part === "minimap"
        ? stage.root.querySelector<HTMLCanvasElement>(".minimap-canvas")!
        : stage.renderer.canvas;
    const picture = new Picture(stage, canvas);
    const page = isPage(row) ? stage.text((part as { page: string }).page) : "";
    if (isPage(row)) made = page;
    else {
      const [w, h] = Array.isArray(part) ? part : [picture.width, picture.height];
      const is = picture.blocks(picture.middle(w, h), BLOCK);
      made = urlOf(update ? is : picture.cut(picture.middle(w, h)));
      if (was && typeof was !== "string") error = differs(was, is);
    }
    if (!update && error === "") {
      if (was === null) error = "it has no picture: run with --update, and look at it";
      else if (typeof was === "string" && was !== page) error = `another page:\n${firstOther(was, page)}`;
    }
    row.check(picture, stage, page);
  } catch (e) {
    error = e instanceof Error ? `${e.message}${e.constructor === Error ? "" : `\n${e.stack}`}` : String(e);
  }
  // A browser keeps about 16 scenes, and blanks the oldest for the next one.
  if (row.alone || row === rows.filter((r) => !r.alone && keyOf(r) === keyOf(row)).at(-1)) {
    stage?.close();
    if (!row.alone) shared.delete(keyOf(row));
  }
  return { name, error, ms: realNow() - begun, made };
}

function urlOf(picture: ImageData): string {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d")!.putImageData(picture, 0, 0);
  return canvas.toDataURL("image/png");
}

function differs(was: ImageData, is: ImageData): string {
  if (was.width !== is.width || was.height !== is.height) return "the picture has another size";
  let n = 0;
  for (let k = 0; k < is.data.length; k += 4)
    for (let c = 0; c < 3; c++)
      if (Math.abs(was.data[k + c] - is.data[k + c]) > FAR) {
        n++;
        break;
      }
  return n > DIFFERENT_MAX ? `${n} of ${is.width * is.height} blocks differ from the picture` : "";
}

function firstOther(was: string, is: string): string {
  const [a, b] = [was.split("\n"), is.split("\n")];
  const k = a.findIndex((line, n) => line !== b[n]);
  return `line ${k + 1}\n- ${a[k]}\n+ ${b[k] ?? "(no more)"}`;
}

/** Drops the shared matches: a mutant has been at them. */
function forget(): void {
  for (const stage of shared.values()) stage.close();
  shared.clear();
}

await useLanguage(["en"]);
await useTexts("match", "replay");

const page = {
  names: rows.map((r) => r.name),
  file: (name: string) => fileOf(ROWS.find((r) => r.name === name)!),
  run,
  missing,
  open,
  /** The rows of a match. */
  like: (key: string) => rows.filter((r) => keyOf(r) === key).map((r) => r.name),
  forget,
};
declare global {
  interface Window {
    drawn: typeof page;
  }
}
window.drawn = page;
