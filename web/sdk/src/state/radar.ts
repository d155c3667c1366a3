// The contacts of the team's radar: things beyond sight, by class and cell of the map. Each ends by itself.

import { type Tick, WU_PER_TILE } from "../base/ids.js";
import type { Contacts as Columns } from "../gen/fogkeep/v1/server_pb.js";

/** A side of the cells that place contacts, in tiles. */
export const CONTACT_CELL = 8;
/** The most contacts; a server keeps 256 of a team. */
const CONTACTS_MAX = 4096;

/** A thing that the team's radar found beyond sight. */
export interface Contact {
  /** Its class: index into {@link Rules.signatures}. */
  readonly what: number;
  /** The middle of its cell of 8 x 8 tiles, world units. */
  readonly x: number;
  readonly y: number;
  /** When radar found it last. */
  readonly tick: Tick;
}

export class Radar {
  /** The contacts that have not ended, by class and cell. */
  list: readonly Contact[] = [];
  private readonly held = new Map<number, Contact>();

  /** `lasts` is how many ticks a contact lasts. */
  constructor(private readonly lasts: number) {}

  /** The part of its time that a contact still has, from 1 to 0. */
  left(c: Contact, now: Tick): number {
    return Math.max(0, 1 - (now - c.tick) / this.lasts);
  }

  /** @internal Takes in the contacts of a frame, forgets ended ones, and returns the new ones. */
  apply(c: Columns | undefined, now: Tick): Contact[] {
    const found = (c?.x ?? []).map((x, i): Contact => {
      const middle = (cell: number) => (cell + 0.5) * CONTACT_CELL * WU_PER_TILE;
      const [what, y] = [c?.class[i] ?? 0, c?.y[i] ?? 0];
      const contact = { what, x: middle(x), y: middle(y), tick: now - (c?.ago[i] ?? 0) };
      const key = (what * 256 + y) * 256 + x;
      if (this.held.has(key) || this.held.size < CONTACTS_MAX) this.held.set(key, contact);
      return contact;
    });
    if (this.held.size > 0 || this.list.length > 0) {
      for (const [key, { tick }] of this.held) if (tick + this.lasts <= now) this.held.delete(key);
      this.list = [...this.held].sort(([a], [b]) => a - b).map(([, c]) => c);
    }
    return found;
  }

  /** @internal */
  clear(): void {
    this.held.clear();
    this.list = [];
  }
}
