// The player's settings: one object, stored in the browser. Listeners get every
// change. app/accountsettings.ts keeps an account's settings on the server too.

import {
  type Action,
  type Bindings,
  bindingsOf,
  type OwnKeys,
  PRESETS,
  type PresetName,
} from "../input/hotkeys";
import type { Quality } from "../render/quality";

/** The kinds of sound, each with a volume of its own. */
export const BUSES = ["effects", "interface", "units", "alerts", "music"] as const;
export type Bus = (typeof BUSES)[number];
/** Volumes, 0 to 1; `master` is over all. */
export type Volumes = Readonly<Record<Bus | "master", number>>;

export interface Settings {
  /** Tag of the language of the page; "": as the browser prefers. */
  language: string;
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
  /** New workers gather without an order. */
  gather: boolean;
  /** Numbers rise where health or a shield falls. */
  damage: boolean;
  preset: PresetName;
  /** The player's changes of keys, by preset. */
  own: Partial<Record<PresetName, OwnKeys>>;
  volumes: Volumes;
  /** No sound while the page is hidden. */
  muteHidden: boolean;
  /** The coach gives advice in matches. */
  coach: boolean;
}

/** The limits that a player may choose, in bytes a second. */
export const DATA_LIMITS: readonly number[] = [0, 16000, 8000, 4000, 2000];

/** Settings that suit a device: they do not follow the account to others. */
export const DEVICE_SETTINGS = ["quality", "scale", "bytesPerS"] as const satisfies (keyof Settings)[];

const KEY = "fogkeep.settings";
const OWNER_KEY = "fogkeep.settings.owner";

export function defaults(): Settings {
  const calm = typeof matchMedia !== "undefined" && matchMedia("(prefers-reduced-motion: reduce)").matches;
  return {
    language: "",
    quality: "auto",
    scale: 1,
    bars: "hurt",
    relations: false,
    edgeScroll: "fullscreen",
    panSpeed: 24,
    reducedMotion: calm,
    bytesPerS: 0,
    damage: false,
    gather: true,
    preset: "classic",
    own: {},
    volumes: { master: 0.5, effects: 0.8, interface: 0.8, units: 0.7, alerts: 1, music: 0.25 },
    muteHidden: false,
    coach: true,
  };
}

/** Reads stored settings; a value that is not valid gets its default. */
export function parse(text: string | null): Settings {
  try {
    return settingsOf(JSON.parse(text ?? "{}"));
  } catch {
    return defaults();
  }
}

/** The same of a value. */
export function settingsOf(raw: unknown): Settings {
  const out = defaults();
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
  if (typeof r.language === "string" && /^[A-Za-z0-9-]{0,35}$/.test(r.language)) out.language = r.language;
  const volumes = (typeof r.volumes === "object" ? r.volumes : null) as Partial<Volumes> | null;
  const volume = (bus: Bus | "master") => num(volumes?.[bus], 0, 1, out.volumes[bus]);
  out.volumes = Object.fromEntries((["master", ...BUSES] as const).map((b) => [b, volume(b)])) as Volumes;
  for (const k of ["relations", "reducedMotion", "damage", "gather", "coach", "muteHidden"] as const) {
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
  /** When they were changed last, by the clock of the device that did; 0: never. */
  changedMs = 0;
  /** The account of their last owner, or "". */
  owner = "";
  /** The keys of the chosen preset with the player's changes. */
  bindings: Bindings;
  private readonly listeners = new Set<(s: Settings) => void>();

  constructor(
    private readonly storage: Pick<Storage, "getItem" | "setItem"> = localStorage,
    private readonly now: () => number = Date.now,
  ) {
    let text: string | null = null;
    try {
      text = storage.getItem(KEY);
      this.owner = storage.getItem(OWNER_KEY) ?? "";
    } catch {
      // The page may not use storage: settings last until it is closed.
    }
    this.value = parse(text);
    this.changedMs = changedOf(text);
    this.bindings = bindingsOf(this.value.preset, this.value.own);
  }

  change(part: Partial<Settings>): void {
    this.take({ ...this.value, ...part }, this.now());
  }

  /** Takes settings that were changed at a time. */
  take(value: Settings, changedMs: number): void {
    this.value = value;
    this.changedMs = changedMs;
    this.bindings = bindingsOf(this.value.preset, this.value.own);
    this.store(KEY, JSON.stringify({ ...this.value, changedMs }));
    for (const fn of this.listeners) fn(this.value);
  }

  belongTo(account: string): void {
    this.owner = account;
    this.store(OWNER_KEY, account);
  }

  on(fn: (s: Settings) => void): () => void {
    this.listeners.add(fn);
    return () => this.listeners.delete(fn);
  }

  private store(key: string, text: string): void {
    try {
      this.storage.setItem(key, text);
    } catch {
      // As above.
    }
  }
}

/** The time in stored settings. */
function changedOf(text: string | null): number {
  try {
    const { changedMs } = JSON.parse(text ?? "{}");
    return typeof changedMs === "number" && changedMs > 0 ? changedMs : 0;
  } catch {
    return 0;
  }
}
