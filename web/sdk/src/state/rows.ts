// Packed rows, as the fields of a frame have them.

import type { Handle } from "../base/ids.js";

/**
 * Calls `fn` for each row of a packed field. Rows have a fixed length; the first
 * number is the handle's difference to the handle of the row before. An
 * incomplete row at the end is ignored.
 */
export function eachRow(list: readonly number[], length: number, fn: (id: Handle, at: number) => void): void {
  let id = 0;
  for (let at = 0; at + length <= list.length; at += length) {
    id += list[at];
    fn(id, at);
  }
}
