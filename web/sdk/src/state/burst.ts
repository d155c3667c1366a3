// How often a weapon has fired: the meaning of a row of `burst`, and how a client counts
// on until the next one. The server computes with the same integers
// (match/view/burst.go), and tells only where this count is wrong.

import type { Tick } from "../base/ids.js";

/** The known state of one weapon of an entity in sight. */
export interface Burst {
  /** Shots since the entity came into sight, as of `since`. */
  shots: number;
  since: Tick;
  /** One shot more each period. */
  fires: boolean;
  /** Ticks from shot to shot; 0: not known. */
  period: number;
}

const LARGE = 1;
const FIRES = 2;
const SMALL = { mask: 63, ageShift: 8, ahead: 8 } as const;
const WIDE = { mask: 16_383, ageShift: 16, ahead: 8192 } as const;

const formOf = (told: number) => (told & LARGE ? WIDE : SMALL);

/** A weapon that was not seen firing. */
export function noBurst(): Burst {
  return { shots: 0, since: 0, fires: false, period: 0 };
}

/** How many shots there have been by a tick from `since` on. */
export function shotsAt(b: Burst, tick: number): number {
  if (!b.fires || b.period === 0 || tick < b.since) return b.shots;
  return b.shots + Math.floor((tick - b.since) / b.period);
}

/** A told burst without its age. */
export function burstValue(told: number): number {
  return told & ((1 << formOf(told).ageShift) - 1);
}

/**
 * Takes over the row of a frame of tick `now`. Shots on the wire are modulo 64, or
 * 16384 in the large form. They are never fewer than those told before, and never
 * many more than are counted while the weapon fires.
 */
export function takeBurst(b: Burst, told: number, now: Tick, period: number): void {
  const form = formOf(told);
  const size = form.mask + 1;
  const since = now - Math.min(told >>> form.ageShift, now);
  const most = shotsAt(b, since) + form.ahead;
  const least = b.fires && most >= b.shots + size ? most - size + 1 : b.shots;
  const shots = (told >>> 2) & form.mask;
  b.shots = least + ((((shots - least) % size) + size) % size);
  b.since = since;
  b.fires = (told & FIRES) !== 0;
  b.period = period;
}
