// The kinds of orders on the page: how units answer, and the button of the command card. The
// texts are `action.NAME`, and `target.KIND` while a click is awaited.

import type { Doing, OrderName } from "@fogkeep/client";

export type Click = "now" | "point" | "target" | "special";

/** The button of a kind. */
interface Button {
  /** The units that have it on their card. */
  readonly of:
    | "mobile"
    | "armed"
    | "shooters"
    | "harvesters"
    | "builders"
    | "producers"
    | "repairers"
    | "transports";
  /** On the card, 0 to 14. */
  readonly place: number;
  /** In the presets classic, grid and wasd. */
  readonly keys: readonly [string, string, string];
  /** Path data, 24 px. */
  readonly icon: string;
  /** It waits for nothing, a place or an entity; or the card and targetOrders have code for it. */
  readonly click: Click;
}

interface Row {
  /** The tune of the answer; attacks are red. */
  readonly answer?: "move" | "attack" | "stop" | "work" | "ability";
  /** Its action (keys, title, button), if that is not named as the kind. */
  readonly action?: string;
  readonly button?: Button;
}

/** In the order of the keys in the settings. `together` and `stance` are no orders: the one goes with the orders of groups,
 * the other is an order `fire`. */
const ROWS = {
  attackMove: {
    answer: "attack",
    action: "attack",
    button: {
      of: "armed",
      place: 5,
      keys: ["KeyA", "KeyA", "KeyQ"],
      icon: "M4 20l7-7M20 4l-8 8M15 4h5v5M4 15v5h5M9 12l3 3",
      click: "special",
    },
  },
  attack: { answer: "attack" },
  attackGround: { answer: "attack", action: "attack" },
  move: {
    answer: "move",
    button: {
      of: "mobile",
      place: 0,
      keys: ["KeyM", "KeyQ", "KeyE"],
      icon: "M5 12h13M13 6l6 6-6 6",
      click: "point",
    },
  },
  stop: {
    answer: "stop",
    button: {
      of: "mobile",
      place: 6,
      keys: ["KeyS", "KeyS", "KeyX"],
      icon: "M7 7h10v10H7z",
      click: "now",
    },
  },
  hold: {
    answer: "stop",
    button: {
      of: "mobile",
      place: 7,
      keys: ["KeyH", "KeyD", "KeyH"],
      icon: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
      click: "now",
    },
  },
  patrol: {
    answer: "move",
    button: {
      of: "mobile",
      place: 8,
      keys: ["KeyP", "KeyF", "KeyP"],
      icon: "M4 9h14l-4-4M20 15H6l4 4",
      click: "point",
    },
  },
  together: {
    button: {
      of: "mobile",
      place: 3,
      keys: ["KeyT", "KeyR", "KeyT"],
      icon: "M4 7h9M4 12h9M4 17h9M16 5l4 7-4 7",
      click: "special",
    },
  },
  follow: {
    answer: "move",
    button: {
      of: "mobile",
      place: 1,
      keys: ["KeyG", "KeyW", "KeyG"],
      icon: "M5 12h6M14 12h5M9 8l4 4-4 4M16 8l4 4-4 4",
      click: "target",
    },
  },
  harvest: {
    answer: "work",
    button: {
      of: "harvesters",
      place: 2,
      keys: ["KeyE", "KeyE", "KeyC"],
      icon: "M4 20L14 10M11 5c4-1 7 0 9 3-3-1-5-1-7 1-1 2-1 4 0 6-3-2-4-6-2-10z",
      click: "target",
    },
  },
  build: {
    answer: "work",
    button: {
      of: "builders",
      place: 4,
      keys: ["KeyB", "KeyT", "KeyB"],
      icon: "M4 20h16M6 20V10l6-5 6 5v10M10 20v-6h4v6",
      click: "special",
    },
  },
  rally: {
    answer: "move",
    button: {
      of: "producers",
      place: 3,
      keys: ["KeyY", "KeyR", "KeyY"],
      icon: "M6 21V4M6 4h11l-3 4 3 4H6",
      click: "special",
    },
  },
  train: { answer: "work" },
  ability: { answer: "ability" },
  stopAbility: { answer: "stop" },
  cancel: {},
  surrender: {},
  fire: {
    answer: "stop",
    action: "holdFire",
    button: {
      of: "shooters",
      place: 2,
      keys: ["KeyE", "KeyE", "KeyC"],
      icon: "M4 20l7-7M20 4l-8 8M15 4h5v5M4 15v5h5M5 5l14 14",
      click: "special",
    },
  },
  repair: {
    answer: "work",
    button: {
      of: "repairers",
      place: 10,
      keys: ["KeyR", "KeyZ", "KeyR"],
      icon: "M5 19l8-8M14 4a5 5 0 0 0-2 7 5 5 0 0 0 7-2l-3 1-3-3z",
      click: "target",
    },
  },
  board: { answer: "move" },
  unload: {
    answer: "move",
    button: {
      of: "transports",
      place: 10,
      keys: ["KeyR", "KeyZ", "KeyR"],
      icon: "M4 13h16v6H4zM12 3v7M8 7l4 4 4-4",
      click: "special",
    },
  },
  stance: {
    button: {
      of: "shooters",
      place: 4,
      keys: ["KeyB", "KeyT", "KeyB"],
      icon: "M12 4v16M5 8l7-4 7 4M7 20h10M5 8l-2 6h4zM19 8l-2 6h4z",
      click: "special",
    },
  },
} as const satisfies Record<OrderName | "together" | "stance", Row>;

type Kind = keyof typeof ROWS;
/** The kinds whose button waits for such a click. */
export type Clicked<C extends Click> = {
  [K in Kind]: (typeof ROWS)[K] extends { button: { click: C } } ? K : never;
}[Kind];
/** The actions of the buttons. */
export type OrderAction = {
  [K in Kind]: (typeof ROWS)[K] extends { button: object }
    ? (typeof ROWS)[K] extends { action: infer A }
      ? A
      : K
    : never;
}[Kind];

export const ORDERS: Readonly<Record<Kind, Row>> = ROWS;

/** The kinds with a button, each with its action. */
export const BUTTONS = (Object.entries(ORDERS) as [Clicked<Click>, Row][]).flatMap(
  ([kind, { action, button }]) =>
    button ? [{ kind, action: (action ?? kind) as OrderAction, ...button }] : [],
);

/** The action of a unit's task. */
export const actionDone = (doing: Doing): string => (doing === "idle" ? "" : (ORDERS[doing].action ?? doing));

export const fights = (doing: Doing): boolean => doing !== "idle" && ORDERS[doing].answer === "attack";

export function waitsFor<C extends Click>(kind: Kind, click: C): kind is Clicked<C> {
  return ORDERS[kind].button?.click === click;
}
