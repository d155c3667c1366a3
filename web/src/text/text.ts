// The texts of the pages, by key. One JSON file a language lies beside this file;
// its name is the language's tag (BCP 47). English is part of the script, since it
// is what every other language falls back to. The others are loaded when they are
// chosen. A language is added by adding its file: nothing lists them.
//
// Keys are dotted paths (`lobby.ready`). Values are i18next's format: `{{name}}`
// stands for a value, and the endings `_one`, `_other`, … choose a plural by
// `count`. text.test.ts holds all files to the same keys and the same values.

import i18next, { type ParseKeys } from "i18next";
import en from "./en.json";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** A key of the text files. */
export type TextKey = ParseKeys;

/** Loads the file of each language but English. */
const files = import.meta.glob<Record<string, unknown>>(["./*.json", "!./en.json"], { import: "default" });

/** The tags of all languages that have a file, English first. */
export const LANGUAGES: readonly string[] = [
  "en",
  ...Object.keys(files)
    .map((path) => path.slice("./".length, -".json".length))
    .sort(),
];

void i18next.init({
  lng: "en",
  fallbackLng: "en",
  initAsync: false,
  // The texts become text nodes and attributes, never HTML.
  interpolation: { escapeValue: false },
  resources: { en: { translation: en } },
});

/**
 * Chooses the best language for what the reader prefers, most wanted first
 * (`navigator.languages`), and loads it. A language that cannot be loaded leaves
 * English. Returns the tag.
 */
export async function useLanguage(preferred: readonly string[]): Promise<string> {
  const tag = bestLanguage(preferred);
  const load = files[`./${tag}.json`];
  if (load && !i18next.hasResourceBundle(tag, "translation")) {
    try {
      i18next.addResourceBundle(tag, "translation", await load());
    } catch {
      return "en";
    }
  }
  await i18next.changeLanguage(tag);
  return tag;
}

/** The first of `preferred` that has a file, also without its region (`de-AT` is `de`); else English. */
export function bestLanguage(preferred: readonly string[]): string {
  for (const tag of preferred) {
    for (const t of [tag, tag.split("-")[0]]) if (LANGUAGES.includes(t)) return t;
  }
  return "en";
}

/** The text of a key in the chosen language. */
export const t = i18next.t;
