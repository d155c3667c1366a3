// The parts that messages are counted by: their top-level fields, under the
// names and in the groups of the server's table (proto/wire/traffic.go), so
// that the two sides' figures can be laid side by side.

import { ClientFrameSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";

export interface Part {
  /** Of the field on the wire; tick, span and skipped of a frame are `clock` together. */
  readonly name: string;
  /** Of fields that belong together. */
  readonly group: string;
  readonly from: "server" | "client";
  /** Numbers of a row, for a packed field whose rows name an entity each. */
  readonly row?: number;
  /** Packed fields inside it whose members are its rows. Without, each time it occurs is one. */
  readonly lists?: readonly number[];
  /** Class that all of it counts for. */
  readonly cls?: ClassName;
}

export const CLASSES = ["none", "unit", "structure", "projectile", "resource"] as const;
export type ClassName = (typeof CLASSES)[number];

const server = (group: string, name: string, more: Partial<Part> = {}): Part => ({
  name,
  group,
  from: "server",
  ...more,
});
const client = (group: string, name: string): Part => ({ name, group, from: "client" });

/** Index 0 is what this build does not know. */
export const PARTS: readonly Part[] = [
  server("other", "other"),
  server("clock", "clock"),
  server("presence", "leave", { row: 1 }),
  server("presence", "destroyed", { row: 1 }),
  server("presence", "enter", { row: 3 }),
  server("motion", "motion", { row: 3 }),
  server("motion", "exact", { row: 3 }),
  server("values", "health", { row: 2 }),
  server("values", "health_changes", { row: 2 }),
  server("values", "flags", { row: 2 }),
  server("values", "amount", { row: 2 }),
  server("values", "burst", { row: 2 }),
  server("fog", "ghosts", { lists: [1, 8], cls: "structure" }),
  server("fog", "mask", { lists: [1] }),
  server("fog", "mask_hash"),
  server("fog", "sights"),
  server("effects", "fire", { row: 2 }),
  server("effects", "events", { lists: [1] }),
  server("own", "answers"),
  server("own", "own"),
  server("talk", "said"),
  server("talk", "pinged"),
  server("match", "players"),
  server("match", "welcome"),
  server("match", "ended"),
  server("match", "closing"),
  server("match", "waiting"),
  client("session", "hello"),
  client("session", "applied"),
  client("orders", "orders"),
  client("session", "camera"),
  client("talk", "says"),
  client("talk", "pings"),
  client("session", "pace"),
  client("session", "resync"),
];

/** Index of a part by the number of its field; 0 for a field that is in no row of the table. */
export const SERVER_PARTS = byField(ServerFrameSchema.fields, "server", {
  tick: "clock",
  span: "clock",
  skipped: "clock",
});
export const CLIENT_PARTS = byField(ClientFrameSchema.fields, "client", {});

function byField(
  fields: readonly { readonly name: string; readonly number: number }[],
  from: Part["from"],
  renamed: Readonly<Record<string, string>>,
): readonly number[] {
  const out: number[] = [];
  for (const f of fields) {
    const name = renamed[f.name] ?? f.name;
    out[f.number] = Math.max(
      0,
      PARTS.findIndex((p) => p.from === from && p.name === name),
    );
  }
  return out;
}
