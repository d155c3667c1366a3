import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bestLanguage, LANGUAGES, language, TEXT_PARTS, type TextKey, t, textOf, useLanguage } from "./text";

type Texts = { [key: string]: string | Texts };

/** All texts of a file by their dotted keys. */
function flat(texts: Texts, prefix = ""): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === "string") out.set(prefix + key, value);
    else for (const [k, v] of flat(value, `${prefix}${key}.`)) out.set(k, v);
  }
  return out;
}

const read = (tag: string, folder = "") =>
  flat(JSON.parse(readFileSync(join(import.meta.dirname, folder, `${tag}.json`), "utf8")) as Texts);

/** The key without the ending of a plural: languages have different plurals. */
const stem = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, "");
const values = (text: string) => [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map((m) => m[1]).sort();

describe("no group of texts", () => {
  it("is in the files of two parts", () => {
    const groups = (folder: string) => new Set([...read("en", folder).keys()].map((k) => k.split(".")[0]));
    const all = ["", ...TEXT_PARTS].flatMap((part) => [...groups(part)]);
    expect(all.filter((g, i) => all.indexOf(g) !== i)).toEqual([]);
  });
});

describe.each(["", ...TEXT_PARTS])("text files of the folder '%s'", (folder) => {
  const english = read("en", folder);
  const stems = (texts: Map<string, string>) => [...new Set([...texts.keys()].map(stem))].sort();

  it("are one a language", () => {
    const names = readdirSync(join(import.meta.dirname, folder)).filter((n) => n.endsWith(".json"));
    expect(names.map((n) => n.replace(".json", "")).sort()).toEqual([...LANGUAGES].sort());
  });

  for (const tag of LANGUAGES.filter((l) => l !== "en")) {
    it(`${tag} has the keys of English, with the same values, and no empty text`, () => {
      const other = read(tag, folder);
      expect(stems(other)).toEqual(stems(english));
      const rules = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
      for (const [key, text] of other) {
        expect(text, key).not.toBe("");
        const same = english.get(key) ?? english.get(`${stem(key)}_other`);
        if (!key.endsWith("_one") && same !== undefined) expect(values(text), key).toEqual(values(same));
      }
      for (const key of english.keys()) {
        if (!key.endsWith("_other")) continue;
        for (const rule of rules)
          expect(other.has(`${stem(key)}_${rule}`), `${stem(key)}_${rule}`).toBe(true);
      }
    });
  }
});

describe("a text", () => {
  it("has its values, and the plural of its count", async () => {
    for (const [tag, one, many] of [
      ["en", "1 idle worker", "0 idle workers"],
      ["de", "1 untätiger Arbeiter", "0 untätige Arbeiter"],
    ]) {
      await useLanguage([tag]);
      expect([t("quick.idle", { count: 1 }), t("quick.idle", { count: 0 })]).toEqual([one, many]);
    }
    await useLanguage(["en"]);
    expect(t("account.with", { names: "$& {{names}} <b>" }), "as it is").toBe("with $& {{names}} <b>");
  });
  it("without a file is its key, or nothing where it is asked for", () => {
    expect(t("no.such" as TextKey)).toBe("no.such");
    expect([textOf("no.such"), textOf("lobby"), textOf("lobby.constructor")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("languages", () => {
  it("are chosen by preference, without region if need be", () => {
    expect(bestLanguage(["xx", "de-AT", "en"])).toBe("de");
    expect(bestLanguage(["xx"])).toBe("en");
  });
  it("are loaded when chosen", async () => {
    expect(await useLanguage(["de-CH"])).toBe("de");
    expect([t("language"), language()]).toEqual(["Deutsch", "de"]);
    expect(await useLanguage(["en-GB"])).toBe("en");
    expect(t("language")).toBe("English");
  });
});
