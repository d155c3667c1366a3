// The player's settings: one object, stored in the browser. Listeners get every
// change.

import {
  type Action,
  type Bindings,
  bindingsOf,
  type OwnKeys,
  PRESETS,
  type PresetName,
} from "../input/hotkeys";
import type { Quality } from "../render/quality";

export interface Settings {
  quality: Quality | "auto";
  /** Share of the default size of the HUD. */
  scale: number;
  bars: "all" | "hurt" | "selected";
  /** Colours by relation (own, ally, enemy) instead of by player. */
  relations: boolean;
  /** Off by default in a window, where the cursor leaves the page at its edge. */
  edgeScroll: "fullscreen" | "always" | "never";
  /** Tiles a second at the usual height. */
  panSpeed: number;
  reducedMotion: boolean;
  /** The most that a match may send a second, in bytes; 0: as much as the server allows. */
  bytesPerS: number;
  /** Numbers rise where health or a shield falls. */
  damage: boolean;
  preset: PresetName;
  /** The player's changes of keys, by preset. */
  own: Partial<Record<PresetName, OwnKeys>>;
  sound: number;
}

/** The limits that a player may choose, in bytes a second. */
export const DATA_LIMITS: readonly number[] = [0, 16000, 8000, 4000, 2000];

const KEY = "fogkeep.settings";

export function defaults(): Settings {
  const calm = typeof matchMedia !== "undefined" && matchMedia("(prefers-reduced-motion: reduce)").matches;
  return {
    quality: "auto",
    scale: 1,
    bars: "hurt",
    relations: false,
    edgeScroll: "fullscreen",
    panSpeed: 24,
    reducedMotion: calm,
    bytesPerS: 0,
    damage: false,
    preset: "classic",
    own: {},
    sound: 0.5,
  };
}

/** Reads stored settings; a value that is not valid gets its default. */
export function parse(text: string | null): Settings {
  const out = defaults();
  if (!text) return out;
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return out;
  }
  if (typeof raw !== "object" || raw === null) return out;
  const r = raw as Record<string, unknown>;
  const pick = <T>(v: unknown, of: readonly T[], or: T): T => (of.includes(v as T) ? (v as T) : or);
  const num = (v: unknown, lo: number, hi: number, or: number) =>
    typeof v === "number" && Number.isFinite(v) ? Math.max(lo, Math.min(hi, v)) : or;
  out.quality = pick(r.quality, ["auto", "low", "medium", "high"] as const, out.quality);
  out.bars = pick(r.bars, ["all", "hurt", "selected"] as const, out.bars);
  out.edgeScroll = pick(r.edgeScroll, ["fullscreen", "always", "never"] as const, out.edgeScroll);
  out.preset = pick(r.preset, Object.keys(PRESETS) as PresetName[], out.preset);
  out.bytesPerS = pick(r.bytesPerS, DATA_LIMITS, out.bytesPerS);
  out.scale = num(r.scale, 0.75, 1.6, out.scale);
  out.panSpeed = num(r.panSpeed, 6, 80, out.panSpeed);
  out.sound = num(r.sound, 0, 1, out.sound);
  for (const k of ["relations", "reducedMotion", "damage"] as const) {
    if (typeof r[k] === "boolean") out[k] = r[k];
  }
  if (typeof r.own === "object" && r.own !== null) {
    for (const preset of Object.keys(PRESETS) as PresetName[]) {
      const keys = ownKeys((r.own as Record<string, unknown>)[preset]);
      if (Object.keys(keys).length > 0) out.own[preset] = keys;
    }
  }
  return out;
}

function ownKeys(raw: unknown): OwnKeys {
  const out: OwnKeys = {};
  if (typeof raw !== "object" || raw === null) return out;
  for (const [action, codes] of Object.entries(raw)) {
    if (!Object.hasOwn(PRESETS.classic, action) || !Array.isArray(codes)) continue;
    if (codes.every((c) => typeof c === "string")) out[action as Action] = codes.slice(0, 4);
  }
  return out;
}

export class SettingsStore {
  value: Settings;
  /** The keys of the chosen preset with the player's changes. */
  bindings: Bindings;
  private readonly listeners = new Set<(s: Settings) => void>();

  constructor(private readonly storage: Pick<Storage, "getItem" | "setItem"> = localStorage) {
    let text: string | null = null;
    try {
      text = storage.getItem(KEY);
    } catch {
      // The page may not use storage: settings last until it is closed.
    }
    this.value = parse(text);
    this.bindings = bindingsOf(this.value.preset, this.value.own);
  }

  change(part: Partial<Settings>): void {
    this.value = { ...this.value, ...part };
    this.bindings = bindingsOf(this.value.preset, this.value.own);
    try {
      this.storage.setItem(KEY, JSON.stringify(this.value));
    } catch {
      // As above.
    }
    for (const fn of this.listeners) fn(this.value);
  }

  on(fn: (s: Settings) => void): () => void {
    this.listeners.add(fn);
    return () => this.listeners.delete(fn);
  }
}
