// Signals of the panels. Panels are updated ten times a second; a signal is set
// only where its value differs, so that only this part is drawn anew.

import type { Signal } from "@preact/signals";

/** Sets a signal of plain data, if its value differs. */
export function setPlain<T>(signal: Signal<T>, value: T): void {
  if (!same(signal.peek(), value)) signal.value = value;
}

/** Whether two values of plain data (numbers, texts, arrays and objects) are equal. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (k) => Object.hasOwn(b, k) && same((a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k]),
  );
}
