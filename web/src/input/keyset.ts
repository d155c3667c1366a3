// A player's keys as a file, to save and to share. A file is checked when it is
// read; an invalid one is refused.

import { FogkeepError } from "@fogkeep/client";
import { t } from "../text/text";
import { ACTIONS, type Action, type OwnKeys, PRESETS, type PresetName } from "./hotkeys";

/** A preset and the player's changes. */
export interface KeySet {
  preset: PresetName;
  own: OwnKeys;
}

const FORMAT = "fogkeep-keys";
const VERSION = 1;
const CODES_MAX = 4;
const TEXT_MAX = 64 * 1024;

export function writeKeySet(set: KeySet): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, preset: set.preset, own: set.own }, null, 2)}\n`;
}

/** Reads a file of keys. Throws {@link FogkeepError} `key_set`, naming the error and its place. */
export function readKeySet(text: string): KeySet {
  if (text.length > TEXT_MAX) throw bad(t("keys.bad.long"));
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw bad(t("keys.bad.json"));
  }
  if (typeof raw !== "object" || raw === null) throw bad(t("keys.bad.object"));
  const { format, version, preset, own } = raw as Record<string, unknown>;
  if (format !== FORMAT) throw bad(t("keys.bad.format", { format: FORMAT }));
  if (version !== VERSION) throw bad(t("keys.bad.version", { version: VERSION }));
  if (typeof preset !== "string" || !Object.hasOwn(PRESETS, preset)) {
    throw bad(t("keys.bad.preset", { presets: Object.keys(PRESETS).join(", ") }));
  }
  const set: KeySet = { preset: preset as PresetName, own: {} };
  if (own === undefined) return set;
  if (typeof own !== "object" || own === null || Array.isArray(own)) throw bad(t("keys.bad.own"));
  for (const [action, codes] of Object.entries(own)) {
    if (!ACTIONS.some((a) => a === action)) throw bad(t("keys.bad.action", { action: short(action) }));
    const fits =
      Array.isArray(codes) &&
      codes.length > 0 &&
      codes.length <= CODES_MAX &&
      codes.every((c) => typeof c === "string" && /^[A-Za-z0-9]{1,32}$/.test(c));
    if (!fits) throw bad(t("keys.bad.codes", { action, max: CODES_MAX }));
    set.own[action as Action] = codes as string[];
  }
  return set;
}

function short(s: string): string {
  return s.length > 40 ? `${s.slice(0, 40)}…` : s;
}

function bad(what: string): FogkeepError {
  return new FogkeepError("key_set", t("keys.bad.text", { what }));
}
