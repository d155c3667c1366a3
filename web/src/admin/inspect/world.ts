// The view of one pair of eyes on a match at a tick, kept up to date by
// differences: the server sends the whole state once, then what changed.

import { unpackSight } from "../tilesight";
import type { Changes, Entity, State } from "./shapes";

/** Never changed: each state of a tick is a new one. */
export interface World {
  readonly tick: number;
  readonly eyes: number;
  readonly entities: readonly Entity[];
  readonly byId: ReadonlyMap<number, Entity>;
  /** A value of {@link ./layers} for each tile, row by row; null: it was not sent. */
  readonly sight: Uint8Array | null;
}

export function worldOf(s: State, tiles: number): World {
  return make(
    s.tick,
    s.eyes,
    new Map(s.entities.map((e) => [e.id, e])),
    s.sight ? unpackSight(s.sight, tiles) : null,
  );
}

/** The world after a change, or null if the change is not from this world's tick: ask for the whole state. */
export function changed(w: World, c: Changes): World | null {
  if (c.from !== w.tick || c.eyes !== w.eyes) return null;
  const byId = new Map(w.byId);
  for (const id of c.left) byId.delete(id);
  for (const e of c.entered) byId.set(e.id, e);
  for (const e of c.changed) byId.set(e.id, e);
  let sight = w.sight;
  if (sight && c.sight.length > 0) {
    sight = sight.slice();
    for (const { tile, now } of c.sight) sight[tile] = now;
  }
  return make(c.tick, w.eyes, byId, sight);
}

const make = (tick: number, eyes: number, byId: Map<number, Entity>, sight: Uint8Array | null): World => ({
  tick,
  eyes,
  entities: [...byId.values()],
  byId,
  sight,
});
