// Keys by their position on the keyboard (`KeyboardEvent.code`), in three
// presets. Presets do not change; a player's keys are a preset with changes.

import { layout } from "./layout";

/** What a key can do. Numbers and modifiers of groups are fixed. */
export type Action =
  | "attack"
  | "move"
  | "stop"
  | "hold"
  | "patrol"
  | "follow"
  | "harvest"
  | "build"
  | "rally"
  | "nextPage"
  | "cancel"
  | "panUp"
  | "panDown"
  | "panLeft"
  | "panRight"
  | "zoomIn"
  | "zoomOut"
  | "lastAlert"
  | "nextBase"
  | "toSelection"
  | "idleWorker"
  | "army"
  | "pingMode"
  | "clickHere"
  | "orderHere"
  | "nextPanel"
  | "chat"
  | "menu"
  | "bars"
  | "debug"
  | "subgroup";

export const ACTION_TITLES: Record<Action, string> = {
  attack: "Attack, attack-move",
  move: "Move",
  stop: "Stop",
  hold: "Hold position",
  patrol: "Patrol",
  follow: "Follow",
  harvest: "Harvest",
  build: "Build menu",
  rally: "Set rally point",
  nextPage: "More commands (next page of the card)",
  cancel: "Cancel",
  panUp: "Camera up",
  panDown: "Camera down",
  panLeft: "Camera left",
  panRight: "Camera right",
  zoomIn: "Camera nearer",
  zoomOut: "Camera farther",
  lastAlert: "Go to the last alert",
  nextBase: "Go to the next base",
  toSelection: "Go to the selection",
  idleWorker: "Next idle worker",
  army: "Select the army",
  pingMode: "Ping the map",
  clickHere: "Click at the cursor (twice: all of that kind)",
  orderHere: "Right click at the cursor",
  nextPanel: "Go through the panels",
  chat: "Chat",
  menu: "Menu",
  bars: "Show all health bars (hold)",
  debug: "Figures",
  subgroup: "Next kind among the selected",
};

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
  bars: ["AltLeft"],
  debug: ["F8"],
  subgroup: ["Tab"],
} as const;

export const PRESETS: Readonly<Record<PresetName, Readonly<Bindings>>> = {
  classic: {
    ...COMMON,
    attack: ["KeyA"],
    move: ["KeyM"],
    stop: ["KeyS"],
    hold: ["KeyH"],
    patrol: ["KeyP"],
    follow: ["KeyG"],
    harvest: ["KeyE"],
    build: ["KeyB"],
    rally: ["KeyY"],
    panUp: ["ArrowUp"],
    panDown: ["ArrowDown"],
    panLeft: ["ArrowLeft"],
    panRight: ["ArrowRight"],
  },
  // The card's fifteen places are the keys; one command is always in one place.
  grid: {
    ...COMMON,
    cancel: ["Escape", "KeyZ"],
    attack: ["KeyA"],
    move: ["KeyQ"],
    stop: ["KeyS"],
    hold: ["KeyD"],
    patrol: ["KeyF"],
    follow: ["KeyW"],
    harvest: ["KeyE"],
    build: ["KeyT"],
    rally: ["KeyR"],
    panUp: ["ArrowUp"],
    panDown: ["ArrowDown"],
    panLeft: ["ArrowLeft"],
    panRight: ["ArrowRight"],
  },
  wasd: {
    ...COMMON,
    attack: ["KeyQ"],
    move: ["KeyE"],
    stop: ["KeyX"],
    hold: ["KeyH"],
    patrol: ["KeyP"],
    follow: ["KeyG"],
    harvest: ["KeyC"],
    build: ["KeyB"],
    rally: ["KeyY"],
    panUp: ["KeyW", "ArrowUp"],
    panDown: ["KeyS", "ArrowDown"],
    panLeft: ["KeyA", "ArrowLeft"],
    panRight: ["KeyD", "ArrowRight"],
  },
};

export const PRESET_TITLES: Record<PresetName, string> = {
  classic: "Classic (letters)",
  grid: "Grid (places on the card)",
  wasd: "WASD camera",
};

/** The fifteen places of the card, row by row. */
export const GRID_CODES = [
  ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyT"],
  ["KeyA", "KeyS", "KeyD", "KeyF", "KeyG"],
  ["KeyZ", "KeyX", "KeyC", "KeyV", "KeyB"],
].flat();

/** Keys that are reserved for the browser. */
const RESERVED = new Set(["F11", "F12"]);

/** Keys with two actions, and keys that the browser reserves. */
export function conflicts(b: Bindings): { code: string; actions: Action[] }[] {
  const by = new Map<string, Action[]>();
  for (const [action, codes] of Object.entries(b) as [Action, readonly string[]][]) {
    for (const code of codes) by.set(code, [...(by.get(code) ?? []), action]);
  }
  return [...by]
    .filter(([code, actions]) => actions.length > 1 || RESERVED.has(code))
    .map(([code, actions]) => ({ code, actions }));
}

/** A preset with the player's changes of it. */
export function bindingsOf(preset: PresetName, own: Partial<Record<PresetName, OwnKeys>>): Bindings {
  return { ...PRESETS[preset], ...own[preset] };
}

/** The action of a key, or null. */
export function actionOf(b: Bindings, code: string): Action | null {
  for (const action of Object.keys(b) as Action[]) if (b[action].includes(code)) return action;
  return null;
}

/** What is printed on the key, if that is known; else by the code. */
export function keyLabel(code: string, keys: { get(code: string): string | undefined } = layout): string {
  const local = keys.get(code);
  if (local) return local.toUpperCase();
  if (code.startsWith("Key")) return code.slice(3);
  if (code.startsWith("Digit")) return code.slice(5);
  return LABELS[code] ?? code;
}

const LABELS: Record<string, string> = {
  Escape: "Esc",
  Space: "Space",
  Period: ".",
  Comma: ",",
  Enter: "Enter",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  AltLeft: "Alt",
  PageUp: "Page ↑",
  PageDown: "Page ↓",
  Backspace: "⌫",
};
