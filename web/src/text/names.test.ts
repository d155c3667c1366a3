import { readFileSync } from "node:fs";
import { FogkeepError, optionWishesForm } from "@fogkeep/client";
import { afterEach, describe, expect, it } from "vitest";
import { PLAYER_COLOR_NAMES } from "../draw/palette";
import en from "./en.json";
import match from "./match/en.json";
import {
  abilityName,
  colorName,
  errorText,
  optionLabel,
  optionValue,
  reasonText,
  rejectText,
  resourceName,
  typeName,
} from "./names";
import { useLanguage } from "./text";

const go = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((m) => m[1]);
const missing = (wanted: readonly string[], texts: object) => wanted.filter((key) => !(key in texts));

afterEach(() => useLanguage(["en"]));

describe("what the server names has a text", () => {
  it("refusals of orders", () => {
    const codes = all(go("orders/reject.go"), /\{\w+, "([A-Z_]+)", "/g).filter((c) => c !== "OK");
    expect(codes.length).toBeGreaterThan(15);
    expect(missing(codes, en.reject)).toEqual([]);
  });
  it("refusals of the lobby", () => {
    const codes = all(go("lobby/model/code.go"), /^\t\w+\s+Code = "(\w+)"$/gm);
    expect(codes.length).toBeGreaterThan(40);
    expect(missing(codes, en.error)).toEqual([]);
  });
  it("reasons to close a connection", () => {
    const codes = all(go("match/link/closing.go"), /^\t\{"(\w+)", websocket\./gm);
    expect(codes.length).toBeGreaterThan(20);
    expect(missing(codes, en.error)).toEqual([]);
  });
  it("units, structures, resources and abilities of the shipped rules", () => {
    for (const file of ["skirmish", "arsenal"]) {
      const rules = JSON.parse(go(`match/rules/shipped/${file}.json`)) as {
        types: { name: string; class: string }[];
        abilities: { name: string }[];
        resources: string[];
      };
      const shown = rules.types.filter((t) => t.class !== "projectile").map((t) => t.name);
      expect(missing(shown, en.type)).toEqual([]);
      const abilities = rules.abilities.map((a) => a.name);
      expect(missing(abilities, en.ability)).toEqual([]);
      expect(missing(rules.resources, en.resource)).toEqual([]);
    }
    const { factions } = JSON.parse(go("match/rules/shipped/arsenal.json")) as {
      factions: { name: string }[];
    };
    expect(factions.length).toBe(3);
    expect(
      missing(
        factions.map((f) => f.name),
        en.faction,
      ),
    ).toEqual([]);
    const { signatures, sounds, values } = JSON.parse(go("match/rules/shipped/arsenal.json")) as {
      signatures: string[];
      sounds: string[];
      values: { name: string }[];
    };
    expect(values.length).toBeGreaterThan(0);
    expect(
      missing(
        values.map((v) => v.name),
        en.value,
      ),
    ).toEqual([]);
    expect(sounds.length).toBeGreaterThan(2);
    expect(missing(sounds, en.sound)).toEqual([]);
    expect(signatures.length).toBeGreaterThan(1);
    expect(missing(signatures, match.signature)).toEqual([]);
  });
  it("options of lobbies and their values, modes of shipped rulesets, and colours", () => {
    const { modes } = JSON.parse(go("match/rules/shipped/arsenal.json")) as {
      modes: { name: string; values?: { name: string }[] }[];
    };
    expect(
      missing(
        modes.flatMap((m) => m.values?.map((v) => v.name) ?? []),
        match.modeValue,
      ),
    ).toEqual([]);
    for (const f of optionWishesForm) {
      const texts = (en.option as Record<string, { label: string; value?: object }>)[f.name];
      expect(texts?.label, f.name).toBe(f.label);
      const values = Object.fromEntries((f.choices ?? []).map(([v, label]) => [v, label]));
      if (f.name === "mode") for (const m of modes) values[m.name] = expect.any(String);
      expect(texts.value ?? {}, f.name).toEqual(values);
    }
    expect(missing(PLAYER_COLOR_NAMES, en.color)).toEqual([]);
  });
});

describe("texts of names and codes", () => {
  it("are in the chosen language; what the files do not have is in the server's words", async () => {
    await useLanguage(["de"]);
    expect([typeName("worker"), typeName("siege-tank")]).toEqual(["Arbeiter", "Siege tank"]);
    expect([abilityName("cloak"), abilityName("time_warp")]).toEqual(["Tarnung", "Time warp"]);
    expect([resourceName("ore"), resourceName("spice")]).toEqual(["Erz", "spice"]);
    expect(colorName("mint")).toBe("Minze");
    expect([rejectText("STUCK"), rejectText("NO_MANA"), rejectText("")]).toEqual([
      "Der Weg ist versperrt",
      "No mana",
      "Nicht möglich",
    ]);
    expect([optionLabel("mode", "Mode"), optionLabel("weather", "Weather")]).toEqual(["Modus", "Weather"]);
    expect([optionValue("mode", "skirmish", "Skirmish"), optionValue("mode", "race", "Race")]).toEqual([
      "Gefecht",
      "Race",
    ]);
    expect(reasonText("time-limit")).toBe("Die Zeit war um");
    expect(reasonText("hill_held")).toBe("Hill held");
    expect(reasonText("aborted: maintenance")).toBe("Von einem Admin abgebrochen: maintenance");
  });
  it("of errors go by the code, and keep what the server adds", async () => {
    const notReady = new FogkeepError("not_ready", "Ada is not ready.");
    expect(errorText(notReady)).toBe("Ada is not ready.");
    expect(errorText(new FogkeepError("lobby_full", "the server's own words"))).toBe(en.error.lobby_full);
    expect(errorText(new FogkeepError("new_code", "A new reason."))).toBe("A new reason.");
    expect(errorText(new Error(""))).toBe(en.error.unknown);
    expect(errorText(undefined)).toBe(en.error.unknown);
    await useLanguage(["de"]);
    expect(errorText(notReady)).toBe("Nicht alle sind bereit. (Ada is not ready.)");
  });
});
