// The packet log: a line for each message of a match's connection, as the server's own log has it.

import type { Handle } from "../base/ids.js";
import { PARTS } from "../gen/fields.js";
import type { ClientFrame } from "../gen/fogkeep/v1/client_pb.js";
import type { ServerFrame } from "../gen/fogkeep/v1/server_pb.js";
import { ORDER_KINDS, type OrderName } from "../gen/orders.js";
import type { Match } from "./match.js";

/** An entity by the player's number, and the name of its type; "": unknown. */
export interface PacketName {
  readonly handle: Handle;
  readonly type: string;
}
/** One message. Chat, tickets and tokens are not in it. */
export interface Packet {
  /** When it came, or was sent: milliseconds since 1970. */
  readonly timeMs: number;
  /** Of a frame its tick, else the newest tick. */
  readonly tick: number;
  readonly from: "server" | "client";
  /** Of payload. */
  readonly bytes: number;
  /** False: a message of the client, a welcome, a pause or an end. */
  readonly frame: boolean;
  readonly snapshot: boolean;
  /** docs/reference/protocol.md lists the parts. */
  readonly parts: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[];
  /** The entities that rows of the message name. */
  readonly entities: readonly (PacketName & { readonly parts: readonly { name: string; bytes: number }[] })[];
  /** The orders in it. Their answers have the same numbers. */
  readonly calls: readonly {
    readonly number: number;
    readonly kind: OrderName | "";
    readonly units: readonly PacketName[];
    readonly target?: PacketName;
  }[];
  readonly answers: readonly { readonly number: number; readonly code: string }[];
}
/** Chooses messages. */
export interface PacketFilter {
  readonly from?: "server" | "client";
  /** Only messages with this part, and its rows. */
  readonly part?: string;
  /** Only messages with a row of the entity, or an order that names it. */
  readonly entity?: Handle;
}

const KIND_NAMES = new Map(Object.entries(ORDER_KINDS).map(([name, n]) => [n as number, name as OrderName]));

/** Calls `each` with every message from now on. The result ends the log. A match has one log at a time. */
export function logPackets(match: Match, each: (p: Packet) => void, filter: PacketFilter = {}): () => void {
  const { link } = match;
  const log = (bytes: Uint8Array, message: ServerFrame | ClientFrame): void => {
    const p = packetOf(match, bytes, message);
    const kept = filtered(p, filter);
    if (kept) each(kept);
  };
  link.log = log;
  return () => {
    if (link.log === log) link.log = null;
  };
}

function packetOf(match: Match, bytes: Uint8Array, message: ServerFrame | ClientFrame): Packet {
  const { meter } = match.link.traffic;
  const state = match.state as Match["state"] | undefined; // none before the welcome
  const parts = new Map<number, { name: string; bytes: number; rows: number }>();
  const entities = new Map<number, PacketName & { parts: { name: string; bytes: number }[] }>();
  const named = (handle: number): PacketName => ({
    handle: handle as Handle,
    type: state?.info.rules.types[meter.typeOf(handle)]?.name ?? "",
  });
  const count = (part: number, _cls: number, n: number, rows: number, handle: number): void => {
    const { name } = PARTS[part];
    const sum = parts.get(part) ?? { name, bytes: 0, rows: 0 };
    parts.set(part, { name, bytes: sum.bytes + n, rows: sum.rows + rows });
    if (handle === 0) return;
    const e = entities.get(handle) ?? { ...named(handle), parts: [] };
    e.parts.push({ name, bytes: n });
    entities.set(handle, e);
  };
  const base = { timeMs: Date.now(), bytes: bytes.length, tick: state?.tick ?? 0 };
  const client = message.$typeName === "fogkeep.v1.ClientFrame";
  if (client) meter.client(bytes, count);
  else meter.server(bytes, count);
  const contents = {
    parts: [...parts.values()],
    entities: [...entities.values()].sort((a, b) => a.handle - b.handle),
  };
  if (client) {
    const calls = message.orders.map((o) => ({
      number: o.seq,
      kind: KIND_NAMES.get(o.kind) ?? ("" as const),
      units: o.units.map(named),
      ...(o.target ? { target: named(o.target) } : {}),
    }));
    return { ...base, from: "client", frame: false, snapshot: false, ...contents, calls, answers: [] };
  }
  const frame = !(
    message.welcome ||
    message.waiting ||
    message.closing ||
    message.replay ||
    message.timeline
  );
  const answers = message.answers.flatMap((a) =>
    Array.from({ length: Math.min(a.more, 1023) + 1 }, (_, k) => ({
      number: a.seq + k,
      code: state?.info.rules.codes[a.code] ?? `CODE_${a.code}`,
    })),
  );
  const tick = !frame ? base.tick : message.tick || base.tick + (message.span || 1);
  return {
    ...base,
    tick,
    from: "server",
    frame,
    snapshot: message.tick !== 0,
    ...contents,
    calls: [],
    answers,
  };
}

function filtered(p: Packet, f: PacketFilter): Packet | null {
  if (f.from && f.from !== p.from) return null;
  let { entities, calls } = p;
  if (f.part) {
    if (!p.parts.some((x) => x.name === f.part)) return null;
    entities = entities
      .map((e) => ({ ...e, parts: e.parts.filter((x) => x.name === f.part) }))
      .filter((e) => e.parts.length > 0);
  }
  if (f.entity) {
    const is = (n: PacketName): boolean => n.handle === f.entity;
    entities = entities.filter(is);
    calls = calls.filter((c) => c.units.some(is) || (c.target && is(c.target)));
    if (entities.length + calls.length === 0) return null;
  }
  return { ...p, entities, calls };
}
