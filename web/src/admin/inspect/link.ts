// The address of what the inspector shows: match, tick, eyes, selection, place.
// It is the part of the page's address after the `#`, so that a link opens the same.
//
//	#inspect/MATCH?tick=1204&eyes=1&entity=33&tab=entity&at=64.5,20,12

/** Everybody's eyes. */
export const ALL = -1;

export const MODES = ["eyes", "beside", "difference", "heat"] as const;
/** The content of the map: one view, two side by side, what one team sees and the other does not, bytes by tile. */
export type Mode = (typeof MODES)[number];

export const TABS = ["selection", "entities", "orders", "known", "traffic"] as const;
export type Tab = (typeof TABS)[number];

export const AXES = ["tick", "order", "frame"] as const;
/** The unit of the time line: ticks, orders, or frames of one client. */
export type Axis = (typeof AXES)[number];

export type Selection =
  | { readonly kind: "entity"; readonly id: number }
  | { readonly kind: "tile"; readonly x: number; readonly y: number }
  | { readonly kind: "order"; readonly n: number };

/** The view that a link opens. An absent part has its default: the newest tick, all eyes. */
export interface Link {
  readonly match: string;
  readonly tick?: number;
  /** A team, or {@link ALL}. */
  readonly eyes?: number;
  /** The second pair of eyes, side by side and in a difference. */
  readonly other?: number;
  readonly mode?: Mode;
  readonly tab?: Tab;
  readonly axis?: Axis;
  /** Whose frames the axis of frames counts. */
  readonly slot?: number;
  readonly selection?: Selection;
  readonly pins?: readonly Selection[];
  /** Middle of the view in tiles, and CSS pixels a tile. */
  readonly at?: { readonly x: number; readonly y: number; readonly zoom: number };
}

const PAGE = "inspect";
const PINS_MAX = 8;

/** The address, with its `#`. */
export function formatLink(l: Link): string {
  const q = new URLSearchParams();
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) q.set(name, String(value));
  };
  set("tick", l.tick);
  set("eyes", l.eyes === ALL ? undefined : l.eyes);
  set("other", l.other === ALL ? "all" : l.other);
  set("mode", l.mode === "eyes" ? undefined : l.mode);
  set("tab", l.tab === "selection" ? undefined : l.tab);
  set("axis", l.axis === "tick" ? undefined : l.axis);
  set("slot", l.slot);
  if (l.selection) set(l.selection.kind, nameOf(l.selection));
  if (l.pins?.length) set("pins", l.pins.map((p) => `${p.kind}:${nameOf(p)}`).join("~"));
  if (l.at) set("at", [short(l.at.x), short(l.at.y), short(l.at.zoom)].join(","));
  const search = q.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return `#${PAGE}/${encodeURIComponent(l.match)}${search ? `?${search}` : ""}`;
}

/** Reads an address; null if it is none of the inspector's. It ignores parts that it does not know. */
export function parseLink(hash: string): Link | null {
  const [path, search = ""] = hash.replace(/^#/, "").split("?", 2);
  const [page, match = ""] = path.split("/", 2);
  if (page !== PAGE || match === "") return null;
  let id: string;
  try {
    id = decodeURIComponent(match);
  } catch {
    return null;
  }
  const q = new URLSearchParams(search);
  const other = q.get("other") === "all" ? ALL : count(q.get("other"));
  const selections = [...["entity", "tile", "order"].map((kind) => selection(kind, q.get(kind)))];
  const at = numbers(q.get("at"), 3);
  const pins = (q.get("pins") ?? "")
    .split("~")
    .slice(0, PINS_MAX)
    .map((p) => selection(...(p.split(":", 2) as [string, string?])))
    .filter((p) => p !== undefined);
  return drop({
    match: id,
    tick: count(q.get("tick")),
    eyes: count(q.get("eyes")),
    other,
    mode: oneOf(MODES, q.get("mode")),
    tab: oneOf(TABS, q.get("tab")),
    axis: oneOf(AXES, q.get("axis")),
    slot: count(q.get("slot")),
    selection: selections.find((s) => s !== undefined),
    pins: pins.length > 0 ? pins : undefined,
    at: at && at[2] > 0 ? { x: at[0], y: at[1], zoom: at[2] } : undefined,
  });
}

/** Whether two selections are of the same thing. */
export const same = (a: Selection | null | undefined, b: Selection | null | undefined): boolean =>
  !!a && !!b && a.kind === b.kind && nameOf(a) === nameOf(b);

/** One word for a selection, for keys of lists. */
export const keyOf = (s: Selection): string => `${s.kind}:${nameOf(s)}`;

const nameOf = (s: Selection): string =>
  s.kind === "entity" ? String(s.id) : s.kind === "tile" ? `${s.x},${s.y}` : String(s.n);

function selection(kind: string, value: string | null | undefined): Selection | undefined {
  if (value === null || value === undefined) return undefined;
  if (kind === "tile") {
    const at = numbers(value, 2);
    return at?.every((n) => Number.isInteger(n) && n >= 0) ? { kind, x: at[0], y: at[1] } : undefined;
  }
  const n = count(value);
  if (n === undefined) return undefined;
  return kind === "entity" ? { kind, id: n } : kind === "order" ? { kind, n } : undefined;
}

function count(text: string | null | undefined): number | undefined {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function numbers(text: string | null, n: number): number[] | undefined {
  const all = text?.split(",").map((t) => (t.trim() === "" ? Number.NaN : Number(t)));
  return all?.length === n && all.every(Number.isFinite) ? all : undefined;
}

const oneOf = <T extends string>(all: readonly T[], text: string | null): T | undefined =>
  all.find((a) => a === text);

const short = (n: number): string => String(Math.round(n * 100) / 100);

/** Without the members that are undefined. */
function drop(l: Link): Link {
  return Object.fromEntries(Object.entries(l).filter(([, v]) => v !== undefined)) as unknown as Link;
}
