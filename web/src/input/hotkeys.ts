// Keys by their position on the keyboard (`KeyboardEvent.code`), in three
// presets. Presets do not change; a player's keys are a preset with changes.

import { t } from "../text/text";
import { layout } from "./layout";
import { BUTTONS, type OrderAction } from "./orderkinds";

/** The actions of keys, in the order of the settings. Numbers and modifiers of groups are fixed. */
export const ACTIONS = [
  ...BUTTONS.map((b) => b.action),
  "nextPage",
  "cancel",
  "panUp",
  "panDown",
  "panLeft",
  "panRight",
  "zoomIn",
  "zoomOut",
  "lastAlert",
  "nextBase",
  "toSelection",
  "idleWorker",
  "army",
  "pingMode",
  "clickHere",
  "orderHere",
  "nextPanel",
  "chat",
  "menu",
  "pause",
  "faster",
  "slower",
  "voteYes",
  "voteNo",
  "bars",
  "debug",
  "subgroup",
  "replayPlay",
  "replayStepBack",
  "replayStepOn",
  "replayBack",
  "replayOn",
  "replayPrevious",
  "replayNext",
  "replayDifference",
  "replayFollow",
  "replayTable",
  "replayGraphs",
  "replayLink",
  "replayHide",
  "replayHelp",
] as const;
export type Action = (typeof ACTIONS)[number];

/** Actions in a replay alone. There, their keys come before the keys of {@link Action}s that give orders. */
export const REPLAY_ACTIONS: readonly Action[] = ACTIONS.filter((a) => a.startsWith("replay"));

export const actionTitle = (action: Action): string => t(`action.${action}`);

export type Bindings = Record<Action, readonly string[]>;
/** A player's changes over a preset. */
export type OwnKeys = Partial<Record<Action, string[]>>;
export type PresetName = "classic" | "grid" | "wasd";

const COMMON = {
  cancel: ["Escape"],
  nextPage: ["KeyO"],
  zoomIn: ["PageUp"],
  zoomOut: ["PageDown"],
  lastAlert: ["Space"],
  nextBase: ["Backspace"],
  toSelection: ["Home"],
  idleWorker: ["Period"],
  army: ["Comma"],
  pingMode: ["KeyN"],
  clickHere: ["KeyK"],
  orderHere: ["KeyL"],
  nextPanel: ["F6"],
  chat: ["Enter"],
  menu: ["F10"],
  pause: ["F9"],
  faster: ["Equal", "NumpadAdd"],
  slower: ["Minus", "NumpadSubtract"],
  voteYes: ["Insert"],
  voteNo: ["Delete"],
  bars: ["AltLeft"],
  debug: ["F8"],
  subgroup: ["Tab"],
  replayPlay: ["Space"],
  replayStepBack: ["Comma"],
  replayStepOn: ["Period"],
  replayBack: ["KeyJ"],
  replayOn: ["KeyL"],
  replayPrevious: ["KeyB"],
  replayNext: ["KeyN"],
  replayDifference: ["KeyV"],
  replayFollow: ["KeyF"],
  replayTable: ["KeyT"],
  replayGraphs: ["KeyG"],
  replayLink: ["KeyC"],
  replayHide: ["KeyH"],
  replayHelp: ["Slash"],
} as const;

/** The keys of orders in a preset. */
const orderKeys = (preset: number) =>
  Object.fromEntries(BUTTONS.map((b) => [b.action, [b.keys[preset]]])) as Record<OrderAction, string[]>;

export const PRESETS: Readonly<Record<PresetName, Readonly<Bindings>>> = {
  classic: {
    ...COMMON,
    ...orderKeys(0),
    panUp: ["ArrowUp"],
    panDown: ["ArrowDown"],
    panLeft: ["ArrowLeft"],
    panRight: ["ArrowRight"],
  },
  // The card's fifteen places are the keys; one command is always in one place.
  grid: {
    ...COMMON,
    cancel: ["Escape", "KeyZ"],
    ...orderKeys(1),
    panUp: ["ArrowUp"],
    panDown: ["ArrowDown"],
    panLeft: ["ArrowLeft"],
    panRight: ["ArrowRight"],
  },
  wasd: {
    ...COMMON,
    ...orderKeys(2),
    panUp: ["KeyW", "ArrowUp"],
    panDown: ["KeyS", "ArrowDown"],
    panLeft: ["KeyA", "ArrowLeft"],
    panRight: ["KeyD", "ArrowRight"],
  },
};

/** The fifteen places of the card, row by row. */
export const GRID_CODES = [
  ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyT"],
  ["KeyA", "KeyS", "KeyD", "KeyF", "KeyG"],
  ["KeyZ", "KeyX", "KeyC", "KeyV", "KeyB"],
].flat();

/** Keys that are reserved for the browser. */
const RESERVED = new Set(["F11", "F12"]);

/** Actions that may share a key: no card has two. Structures have the first and units the second; workers and others. */
const APART: readonly ReadonlySet<Action>[] = [
  new Set(["rally", "together"]),
  new Set(["harvest", "holdFire"]),
  new Set(["cancel", "repair", "unload"]),
  new Set(["build", "stance"]),
];

/** Actions of a match that work in a replay too. */
const BOTH: ReadonlySet<Action> = new Set<Action>([
  "cancel",
  "panUp",
  "panDown",
  "panLeft",
  "panRight",
  "zoomIn",
  "zoomOut",
  "toSelection",
  "clickHere",
  "nextPanel",
  "menu",
  "pause",
  "faster",
  "slower",
  "bars",
  "debug",
  "subgroup",
]);

/** Whether actions that share a key are all of one kind of page: of a match, or of a replay. */
const clash = (actions: readonly Action[]): boolean =>
  [
    actions.filter((a) => !REPLAY_ACTIONS.includes(a)),
    actions.filter((a) => REPLAY_ACTIONS.includes(a) || BOTH.has(a)),
  ].some((on) => on.length > 1 && !APART.some((pair) => on.every((a) => pair.has(a))));

/** Keys with two actions on one page, and keys that the browser reserves. */
export function conflicts(b: Bindings): { code: string; actions: Action[] }[] {
  const by = new Map<string, Action[]>();
  for (const [action, codes] of Object.entries(b) as [Action, readonly string[]][]) {
    for (const code of codes) by.set(code, [...(by.get(code) ?? []), action]);
  }
  return [...by]
    .filter(([code, actions]) => clash(actions) || RESERVED.has(code))
    .map(([code, actions]) => ({ code, actions }));
}

/** A preset with the player's changes. */
export function bindingsOf(preset: PresetName, own: Partial<Record<PresetName, OwnKeys>>): Bindings {
  return { ...PRESETS[preset], ...own[preset] };
}

/** The action of a key in a match, or null. */
export function actionOf(b: Bindings, code: string): Action | null {
  for (const action of Object.keys(b) as Action[])
    if (b[action].includes(code) && !REPLAY_ACTIONS.includes(action)) return action;
  return null;
}

/** The action that a key has in a replay alone, or null. */
export function replayActionOf(b: Bindings, code: string): Action | null {
  return REPLAY_ACTIONS.find((action) => b[action].includes(code)) ?? null;
}

/** The print on the key, if it is known; else by the code. */
export function keyLabel(code: string, keys: { get(code: string): string | undefined } = layout): string {
  const local = keys.get(code);
  if (local) return local.toUpperCase();
  if (code.startsWith("Key")) return code.slice(3);
  if (code.startsWith("Digit")) return code.slice(5);
  const named = NAMED_KEYS.find((k) => k === code);
  return named ? t(`keys.key.${named}`) : (SIGNS[code] ?? code);
}

/** Keys with a word on them, which depends on the language. */
const NAMED_KEYS = [
  "Space",
  "Enter",
  "Escape",
  "PageUp",
  "PageDown",
  "Home",
  "End",
  "Insert",
  "Delete",
  "Tab",
] as const;

const SIGNS: Record<string, string> = {
  Period: ".",
  Equal: "=",
  Minus: "-",
  NumpadAdd: "+",
  NumpadSubtract: "-",
  Comma: ",",
  Slash: "/",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  AltLeft: "Alt",
  Backspace: "⌫",
};
