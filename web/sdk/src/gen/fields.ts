// Made by go test ./proto/wire -update from match/view/fields.go: the fields of
// the messages. docs/reference/protocol.md says how each is sent.

/** Classes of entities; the index is the number of the wire's TypeClass. */
export const CLASSES = ["none", "unit", "structure", "projectile", "resource"] as const;
export type ClassName = (typeof CLASSES)[number];

/** A part of a message, by which traffic is counted. */
export interface Part {
  /** Of the field on the wire; tick, span and skipped of a frame are `clock` together. */
  readonly name: string;
  /** Of parts that belong together. */
  readonly group: string;
  readonly from: "server" | "client";
  /** Numbers of its fields in the message. */
  readonly fields: readonly number[];
  /** Numbers of a row, for a packed field whose rows name an entity each. */
  readonly row?: number;
  /** Packed fields inside it of which each number counts as a row. Without, each time it occurs is one. */
  readonly lists?: readonly number[];
  /** Class that all of it counts for. */
  readonly cls?: ClassName;
}

/** Index 0 is for fields that this build does not know. */
export const PARTS: readonly Part[] = [
  { name: "other", group: "other", from: "server", fields: [] },
  { name: "clock", group: "clock", from: "server", fields: [1, 2, 34, 40] },
  { name: "packed", group: "packed", from: "server", fields: [41] },
  { name: "packed_values", group: "packed", from: "server", fields: [43] },
  { name: "leave", group: "presence", from: "server", fields: [3], row: 1 },
  { name: "destroyed", group: "presence", from: "server", fields: [8], row: 1 },
  { name: "enter", group: "presence", from: "server", fields: [4], row: 3 },
  { name: "owner", group: "presence", from: "server", fields: [28], row: 2 },
  { name: "motion", group: "motion", from: "server", fields: [5], row: 3 },
  { name: "exact", group: "motion", from: "server", fields: [19], row: 3 },
  { name: "health", group: "values", from: "server", fields: [6], row: 2 },
  { name: "health_changes", group: "values", from: "server", fields: [23], row: 2 },
  { name: "shield", group: "values", from: "server", fields: [24], row: 2 },
  { name: "shield_changes", group: "values", from: "server", fields: [25], row: 2 },
  { name: "flags", group: "values", from: "server", fields: [7], row: 2 },
  { name: "amount", group: "values", from: "server", fields: [9], row: 2 },
  { name: "burst", group: "values", from: "server", fields: [10], row: 2 },
  { name: "burst_second", group: "values", from: "server", fields: [29], row: 2 },
  { name: "last_bursts", group: "presence", from: "server", fields: [36], row: 3 },
  { name: "actions", group: "actions", from: "server", fields: [26], row: 3 },
  { name: "effects", group: "actions", from: "server", fields: [27], row: 4 },
  { name: "values", group: "values", from: "server", fields: [42], row: 3 },
  { name: "ghosts", group: "fog", from: "server", fields: [11], lists: [1, 8], cls: "structure" },
  { name: "mask", group: "fog", from: "server", fields: [12], lists: [1] },
  { name: "mask_hash", group: "fog", from: "server", fields: [13] },
  { name: "sights", group: "fog", from: "server", fields: [15] },
  { name: "contacts", group: "fog", from: "server", fields: [44], lists: [2] },
  { name: "fire", group: "effects", from: "server", fields: [22], row: 2 },
  { name: "events", group: "effects", from: "server", fields: [14], lists: [1] },
  { name: "answers", group: "own", from: "server", fields: [20] },
  { name: "own", group: "own", from: "server", fields: [21] },
  { name: "said", group: "talk", from: "server", fields: [17] },
  { name: "pinged", group: "talk", from: "server", fields: [18] },
  { name: "players", group: "match", from: "server", fields: [16] },
  { name: "welcome", group: "match", from: "server", fields: [30] },
  { name: "ended", group: "match", from: "server", fields: [31] },
  { name: "closing", group: "match", from: "server", fields: [32] },
  { name: "waiting", group: "match", from: "server", fields: [33] },
  { name: "budget", group: "match", from: "server", fields: [35] },
  { name: "speed", group: "match", from: "server", fields: [37] },
  { name: "votes", group: "match", from: "server", fields: [45] },
  { name: "replay", group: "replay", from: "server", fields: [38] },
  { name: "timeline", group: "replay", from: "server", fields: [39] },
  { name: "hello", group: "connection", from: "client", fields: [1] },
  { name: "applied", group: "connection", from: "client", fields: [2] },
  { name: "orders", group: "orders", from: "client", fields: [3] },
  { name: "camera", group: "connection", from: "client", fields: [4] },
  { name: "says", group: "talk", from: "client", fields: [5] },
  { name: "pings", group: "talk", from: "client", fields: [6] },
  { name: "pace", group: "connection", from: "client", fields: [7] },
  { name: "resync", group: "connection", from: "client", fields: [8] },
  { name: "set_speed", group: "connection", from: "client", fields: [9] },
  { name: "replay", group: "connection", from: "client", fields: [10] },
  { name: "vote", group: "connection", from: "client", fields: [11] },
  { name: "network", group: "connection", from: "client", fields: [12] },
];

/** Fields of a frame that are rows: their property in the message, how many numbers a row has, the code of each in a packed frame, and whether the packed rows are in a field of their own. */
export const ROWS = [
  { name: "leave", key: "leave", length: 1, codes: "g", apart: false },
  { name: "destroyed", key: "destroyed", length: 1, codes: "g", apart: false },
  { name: "enter", key: "enter", length: 3, codes: "epn", apart: false },
  { name: "owner", key: "owner", length: 2, codes: "gd", apart: false },
  { name: "motion", key: "motion", length: 3, codes: "dmc", apart: false },
  { name: "exact", key: "exact", length: 3, codes: "dnn", apart: false },
  { name: "health", key: "health", length: 2, codes: "dh", apart: false },
  { name: "health_changes", key: "healthChanges", length: 2, codes: "gd", apart: false },
  { name: "shield", key: "shield", length: 2, codes: "dh", apart: false },
  { name: "shield_changes", key: "shieldChanges", length: 2, codes: "gd", apart: false },
  { name: "flags", key: "flags", length: 2, codes: "gh", apart: false },
  { name: "amount", key: "amount", length: 2, codes: "gn", apart: false },
  { name: "burst", key: "burst", length: 2, codes: "gd", apart: false },
  { name: "burst_second", key: "burstSecond", length: 2, codes: "gd", apart: false },
  { name: "last_bursts", key: "lastBursts", length: 3, codes: "tdn", apart: false },
  { name: "actions", key: "actions", length: 3, codes: "gss", apart: false },
  { name: "effects", key: "effects", length: 4, codes: "gssn", apart: false },
  { name: "values", key: "values", length: 3, codes: "gsn", apart: true },
  { name: "fire", key: "fire", length: 2, codes: "gt", apart: false },
] as const;

/** The codes of a packed frame: for each number of bits from 0 to 32, how long its prefix is, in base 36. */
export const CODES: Readonly<Record<string, string>> = {
  r: "13433577aaaaabbbbbbbbbbbbbbbbbbaa",
  d: "a44232345689bbbccccccbbbbbbbbbbbb",
  g: "946443332358bbccbbbbbbbbbbbbbbbbb",
  e: "bbbba94434443333568bbbbbbbbbbbbbb",
  p: "aaaaaaaaaaaaaaaaaa996413268aaaaaa",
  m: "897553228abba559976aa9347bbbccccb",
  c: "77666554367543289876539bccccbbbbb",
  h: "776532228877677bbccccbbbbbbbbbbbb",
  t: "b99877643126abccccccccccccccbbbbb",
  s: "312566889999999999999999999999888",
  n: "38ab766647653228accca4abccccccccc",
};

/** The codes of a sight of a packed frame: of its fields by their numbers. */
export const SIGHT_CODES = "ggdrrd";

/** The values of entities, in the order in which a frame's rows of them are applied. */
export const VALUES = [
  { name: "health", key: "health" },
  { name: "health_changes", key: "healthChanges" },
  { name: "shield", key: "shield" },
  { name: "shield_changes", key: "shieldChanges" },
  { name: "flags", key: "flags" },
  { name: "amount", key: "amount" },
  { name: "burst", key: "burst" },
  { name: "burst_second", key: "burstSecond" },
] as const;
export type ValueKey = (typeof VALUES)[number]["key"];

/** A column for each value: what the client has of it, by row of the world. */
export class ValueColumns {
  health = new Uint32Array(0);
  healthChanges = new Uint32Array(0);
  shield = new Uint32Array(0);
  shieldChanges = new Uint32Array(0);
  flags = new Uint32Array(0);
  amount = new Uint32Array(0);
  burst = new Uint32Array(0);
  burstSecond = new Uint32Array(0);

  /** All values are 0 until told otherwise. */
  protected clearValues(row: number): void {
    this.health[row] = 0;
    this.healthChanges[row] = 0;
    this.shield[row] = 0;
    this.shieldChanges[row] = 0;
    this.flags[row] = 0;
    this.amount[row] = 0;
    this.burst[row] = 0;
    this.burstSecond[row] = 0;
  }

  protected growValues(wider: (column: Uint32Array<ArrayBuffer>) => Uint32Array<ArrayBuffer>): void {
    this.health = wider(this.health);
    this.healthChanges = wider(this.healthChanges);
    this.shield = wider(this.shield);
    this.shieldChanges = wider(this.shieldChanges);
    this.flags = wider(this.flags);
    this.amount = wider(this.amount);
    this.burst = wider(this.burst);
    this.burstSecond = wider(this.burstSecond);
  }
}

/** Attributes of entities: a value (what is missing to the full one), and the value that counts its changes. */
export const ATTRIBUTES = [
  { value: "health", changes: "healthChanges" },
  { value: "shield", changes: "shieldChanges" },
] as const;
export type AttributeKey = (typeof ATTRIBUTES)[number]["value"];

/** Bits of the column flags; the wire's EntityFlag. */
export const FLAG = {
  cloaked: 1,
  alternate: 2,
  carrying: 32,
  building: 64,
  repairing: 256,
} as const;

/** The values of units that only their owner knows; 0 until told otherwise. */
export const OWN_VALUES = [
  { name: "energy", key: "energy" },
  { name: "energy_changes", key: "energyChanges" },
  { name: "firing", key: "firing" },
] as const;
export type OwnValueKey = (typeof OWN_VALUES)[number]["key"];
export type OwnValues = Record<OwnValueKey, number>;
export const NO_OWN_VALUES: Readonly<OwnValues> = { energy: 0, energyChanges: 0, firing: 0 };

/** The role that computes a field of an own thing between two updates: the server alone, its owner's client by prediction, or every client. */
export const ROLES = {
  leave: "server",
  destroyed: "server",
  enter: "server",
  owner: "server",
  motion: "owner",
  exact: "all",
  health: "server",
  healthChanges: "all",
  shield: "server",
  shieldChanges: "all",
  flags: "server",
  amount: "server",
  burst: "all",
  burstSecond: "all",
  lastBursts: "server",
  actions: "server",
  effects: "server",
  values: "server",
  ghosts: "server",
  mask: "all",
  maskHash: "server",
  sights: "all",
  contacts: "all",
  fire: "all",
  events: "server",
  answers: "server",
  said: "server",
  pinged: "server",
  players: "server",
  ended: "server",
  resources: "server",
  population: "server",
  queues: "owner",
  rallies: "owner",
  tasks: "owner",
  energy: "server",
  energyChanges: "server",
  firing: "server",
  ready: "owner",
  running: "owner",
  grants: "server",
  passengers: "server",
  ownerValues: "server",
  upgrades: "server",
  started: "owner",
  cancelled: "server",
} as const;
/** Fields of which a client may show its own guess, for things of its own. */
export type Predicted = {
  [K in keyof typeof ROLES]: (typeof ROLES)[K] extends "owner" ? K : never;
}[keyof typeof ROLES];

/** Attributes of units that only their owner knows: a value (what is there), and the value that counts its changes. */
export const OWN_ATTRIBUTES = [
  { value: "energy", changes: "energyChanges" },
] as const;
export type OwnAttributeKey = (typeof OWN_ATTRIBUTES)[number]["value"];
