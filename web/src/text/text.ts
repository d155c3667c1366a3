// The texts of the pages, by key. One JSON file a language lies beside this file;
// its name is the language's tag (BCP 47). English is part of the script, since it
// is what every other language falls back to. The others are loaded when they are
// chosen. A language is added by adding its file: there is no list.
//
// Keys are dotted paths (`lobby.ready`). `{{name}}` stands for a value, and the
// endings `_one`, `_other`, … choose a plural by `count`, as the language counts
// (Intl.PluralRules). text.test.ts holds all files to the same keys and the same
// values.
//
// The texts of some parts of the page are files of their own: `match` for matches and the settings, `replay` for
// replays, `rooms` for lobbies and friends, `demo` for the page of the demo. useTexts loads them with these parts. No other file has their
// groups of keys.

import type demo from "./demo/en.json";
import en from "./en.json";
import type match from "./match/en.json";
import type replay from "./replay/en.json";
import type rooms from "./rooms/en.json";

/** The endings by which a plural is chosen. */
type Plural = Intl.LDMLPluralRule;
type Stem<K extends string> = K extends `${infer S}_${Plural}` ? S : K;
type KeysOf<T, Prefix extends string = ""> = {
  [K in keyof T & string]: T[K] extends string ? Stem<`${Prefix}${K}`> : KeysOf<T[K], `${Prefix}${K}.`>;
}[keyof T & string];

/** A key of the text files. */
export type TextKey =
  | KeysOf<typeof en>
  | KeysOf<typeof match>
  | KeysOf<typeof rooms>
  | KeysOf<typeof replay>
  | KeysOf<typeof demo>;

/** The values of a text. `count` chooses its plural, too. */
export type TextValues = Readonly<Record<string, string | number>>;

type Texts = { readonly [key: string]: string | Texts };

/** Loads the file of each language but English. */
const files = import.meta.glob<Texts>(["./*.json", "!./en.json"], { import: "default" });

/** The parts of the page with texts of their own. */
export const TEXT_PARTS = ["match", "replay", "rooms", "demo"] as const;

/** The texts of these parts, English among them. */
const partFiles = import.meta.glob<Texts>(
  ["./match/*.json", "./replay/*.json", "./rooms/*.json", "./demo/*.json"],
  {
    import: "default",
  },
);

/** The tags of all languages that have a file, English first. */
export const LANGUAGES: readonly string[] = [
  "en",
  ...Object.keys(files)
    .map((path) => path.slice("./".length, -".json".length))
    .sort(),
];

interface Language {
  readonly tag: string;
  /** By whole keys, with the endings of plurals. */
  readonly texts: Map<string, string>;
  readonly plurals: Intl.PluralRules;
}

/** Names of the rules of the match's pack, by language; they come first. */
let packTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

export function setPackTexts(texts: typeof packTexts): void {
  packTexts = texts;
}

/** The parts whose texts are needed, in any language. */
const used = new Set<(typeof TEXT_PARTS)[number]>();
const english = languageOf("en", en);
let chosen = english;

function languageOf(tag: string, texts: Texts): Language {
  const all = new Map<string, string>();
  addTexts(all, texts, "");
  return { tag, texts: all, plurals: new Intl.PluralRules(tag) };
}

function addTexts(to: Map<string, string>, group: Texts, prefix: string): void {
  for (const [key, text] of Object.entries(group)) {
    if (typeof text === "string") to.set(prefix + key, text);
    else addTexts(to, text, `${prefix}${key}.`);
  }
}

/** Loads the texts of parts, in the chosen language and in English. */
export async function useTexts(...parts: (typeof TEXT_PARTS)[number][]): Promise<void> {
  for (const part of parts) used.add(part);
  await Promise.all(
    [...new Set([english, chosen])].flatMap(({ tag, texts }) =>
      parts.map(async (part) => {
        const load = partFiles[`./${part}/${tag}.json`];
        if (load) addTexts(texts, await load(), "");
      }),
    ),
  );
}

/**
 * Chooses the best language for the reader's preferences, most wanted first
 * (`navigator.languages`), and loads it. A language that cannot be loaded leaves
 * English. Returns the tag.
 */
export async function useLanguage(preferred: readonly string[]): Promise<string> {
  const tag = bestLanguage(preferred);
  const load = files[`./${tag}.json`];
  try {
    chosen = load ? languageOf(tag, await load()) : english;
  } catch {
    chosen = english;
  }
  await useTexts(...used);
  return chosen.tag;
}

/** The tag of the chosen language. */
export const language = (): string => chosen.tag;

/** The first of `preferred` that has a file, also without its region (`de-AT` is `de`); else English. */
export function bestLanguage(preferred: readonly string[]): string {
  for (const tag of preferred) {
    for (const t of [tag, tag.split("-")[0]]) if (LANGUAGES.includes(t)) return t;
  }
  return "en";
}

/** The text of a key in the chosen language. */
export const t = (key: TextKey, values: TextValues = {}): string => textOf(key, values) ?? key;

/** The text of a key that is put together; undefined if the text files do not have it. */
export function textOf(key: string, values: TextValues = {}): string | undefined {
  const ofPack = packTexts[chosen.tag]?.[key] ?? packTexts.en?.[key];
  if (ofPack !== undefined) return ofPack;
  for (const { texts, plurals } of [chosen, english]) {
    const count = Number(values.count);
    const plural = "count" in values ? texts.get(`${key}_${plurals.select(count)}`) : undefined;
    const text = plural ?? texts.get(key);
    if (text !== undefined) return text.replace(/\{\{(\w+)\}\}/g, (_, name) => String(values[name] ?? ""));
  }
  return undefined;
}
