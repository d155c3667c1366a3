// The traffic meter counts the bytes of encoded messages by part and by class of
// entity. It reads only the bytes, and learns from enters which class a handle
// has. It counts each byte once, for any bytes.

import { CLASSES, PARTS, type Part } from "../gen/fields.js";
import { PackedRows, ROW_FIELDS, type RowField, SIGHT, VALUE_FIELDS } from "./packed.js";

/** Called for each piece of a message; handle: the entity that the row names, 0: none. */
export type Measured = (part: number, cls: number, bytes: number, rows: number, handle: number) => void;

/** Handles whose class is kept; no match has so many entities. */
const HANDLES_MAX = 1 << 17;
const ENTER = PARTS.findIndex((p) => p.name === "enter");
const SIGHTS = PARTS.findIndex((p) => p.name === "sights");
const PACKED = PARTS.findIndex((p) => p.name === "packed");
const PACKED_VALUES = PARTS.findIndex((p) => p.name === "packed_values");
const CLASS_OF_PART = PARTS.map((p) => Math.max(0, CLASSES.indexOf(p.cls ?? "none")));

/** Index of a part by the number of its field; 0 for a field that is in no row of the table. */
export const SERVER_PARTS = byField("server");
export const CLIENT_PARTS = byField("client");

function byField(from: Part["from"]): readonly number[] {
  const out: number[] = [];
  PARTS.forEach((p, k) => {
    if (p.from === from) for (const f of p.fields) out[f] = k;
  });
  return out;
}

export class Meter {
  private kinds = 0;
  private classes: readonly number[] = [];
  /** By handle: the number of its type + 1; 0: unknown. */
  private named = new Uint16Array(1024);
  private readonly field: Field = { number: 0, end: 0, from: 0, packed: false };

  /** Takes from a welcome how many players there are, and the class of each type. */
  learn(players: number, classes: readonly number[]): void {
    this.kinds = (players + 1) * classes.length;
    this.classes = classes;
  }

  /** A message of the server. */
  server(bytes: Uint8Array, out: Measured): void {
    const f = this.field;
    for (let at = 0; at < bytes.length; at = f.end) {
      readField(bytes, at, f);
      const part = SERVER_PARTS[f.number] ?? 0;
      const { row, lists } = PARTS[part];
      if ((part === PACKED || part === PACKED_VALUES) && f.packed) {
        const fields = part === PACKED ? ROW_FIELDS : VALUE_FIELDS;
        out(part, 0, f.end - at - this.packed(bytes.subarray(f.from, f.end), fields, out), 1, 0);
      } else if (row && f.packed && f.end > f.from) {
        out(part, 0, f.from - at, 0, 0);
        this.rows(part, row, bytes, f.from, f.end, out);
      } else {
        const rows = !lists ? 1 : f.packed ? members(bytes, f.from, f.end, lists) : 0;
        out(part, CLASS_OF_PART[part], f.end - at, rows, 0);
      }
    }
  }

  /** A message of a client. */
  client(bytes: Uint8Array, out: Measured): void {
    const f = this.field;
    for (let at = 0; at < bytes.length; at = f.end) {
      readField(bytes, at, f);
      out(CLIENT_PARTS[f.number] ?? 0, 0, f.end - at, 1, 0);
    }
  }

  /** Packed rows, each for the class of the entity that it names. */
  private rows(part: number, length: number, b: Uint8Array, from: number, end: number, out: Measured): void {
    let handle = 0;
    for (let at = from; at < end; ) {
      const first = readVarint(b, at, end);
      let next = VARINT.end;
      handle += this.gap(part, first);
      const cls = this.classOf(part, handle, first);
      for (let k = 1; k < length; k++) {
        readVarint(b, next, end);
        next = VARINT.end;
      }
      out(part, cls, next - at, 1, handle);
      at = next;
    }
  }

  /** Packed rows; gives how many bytes they counted for. A byte counts for the row that has its last bit. */
  private packed(b: Uint8Array, fields: readonly RowField[], out: Measured): number {
    const r = new PackedRows(b);
    let counted = 0;
    for (const f of fields) {
      let handle = 0;
      const rows = r.rows(f.codes);
      if (rows < 0) return counted;
      for (let left = rows; left > 0; left--) {
        const begun = r.at >> 3;
        const first = r.number(f.codes[0]);
        for (let k = 1; k < f.codes.length; k++) r.number(f.codes[k]);
        if (r.left < 0) return counted;
        handle += this.gap(f.part, first);
        const bytes = (r.at >> 3) - begun;
        out(f.part, this.classOf(f.part, handle, first), bytes, 1, handle);
        counted += bytes;
      }
    }
    if (fields !== ROW_FIELDS) return counted; // sights follow these alone
    for (let left = r.rows(SIGHT); left > 0; left--) {
      const begun = r.at >> 3;
      for (const code of SIGHT) r.number(code);
      if (r.left < 0) return counted;
      out(SIGHTS, 0, (r.at >> 3) - begun, 1, 0);
      counted += (r.at >> 3) - begun;
    }
    return counted;
  }

  /** The difference of handles in the first number of a row. */
  private gap(part: number, first: number): number {
    return part === ENTER && this.kinds > 0 ? Math.floor(first / this.kinds) : first;
  }

  /** The class of the entity that a row names. */
  private classOf(part: number, handle: number, first: number): number {
    let type = this.typeOf(handle);
    if (part === ENTER && this.kinds > 0) {
      type = (first % this.kinds) % this.classes.length;
      this.remember(handle, type);
    }
    return this.classes[type] ?? 0;
  }

  /** The type of the entity that has a handle, as far as enters said it; -1: unknown. */
  typeOf(handle: number): number {
    return (this.named[handle] ?? 0) - 1;
  }

  private remember(handle: number, type: number): void {
    if (handle >= HANDLES_MAX) return;
    if (handle >= this.named.length) {
      const wider = new Uint16Array(Math.min(HANDLES_MAX, Math.max(handle + 1, this.named.length * 2)));
      wider.set(this.named);
      this.named = wider;
    }
    this.named[handle] = type + 1;
  }
}

interface Field {
  number: number;
  /** Behind its last byte. */
  end: number;
  /** Where its contents begin, for a field with a length; else where its value begins. */
  from: number;
  /** It has a length. */
  packed: boolean;
}

/** Reads the field at a place. Bytes that are no field count as one of number 0 that ends with the message. */
function readField(b: Uint8Array, at: number, out: Field): void {
  const tag = readVarint(b, at, b.length);
  const from = VARINT.end;
  let end = b.length;
  let whole = !VARINT.cut;
  out.packed = false;
  out.from = from;
  switch (tag & 7) {
    case 0:
      readVarint(b, from, b.length);
      end = VARINT.end;
      whole &&= !VARINT.cut;
      break;
    case 1:
      end = from + 8;
      break;
    case 5:
      end = from + 4;
      break;
    case 2: {
      const length = readVarint(b, from, b.length);
      whole &&= !VARINT.cut;
      out.packed = true;
      out.from = VARINT.end;
      end = VARINT.end + length;
      break;
    }
    default:
      whole = false;
  }
  const number = Math.floor(tag / 8);
  if (whole && number > 0 && end <= b.length) {
    out.number = number;
    out.end = end;
    return;
  }
  out.number = 0;
  out.end = b.length;
  out.from = b.length;
  out.packed = false;
}

/** Members of packed fields inside a message: bytes that end a number. */
function members(b: Uint8Array, from: number, end: number, lists: readonly number[]): number {
  const inside = b.subarray(from, end);
  const f: Field = { number: 0, end: 0, from: 0, packed: false };
  let n = 0;
  for (let at = 0; at < inside.length; at = f.end) {
    readField(inside, at, f);
    if (!f.packed || !lists.includes(f.number)) continue;
    for (let k = f.from; k < f.end; k++) if (inside[k] < 0x80) n++;
  }
  return n;
}

/** Where the last number read ended, and whether the bytes ended before it did. */
const VARINT = { end: 0, cut: false };

function readVarint(b: Uint8Array, from: number, end: number): number {
  let v = 0;
  let scale = 1;
  for (let at = from; at < end && at < from + 10; at++) {
    const byte = b[at];
    v += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      VARINT.end = at + 1;
      VARINT.cut = false;
      return v;
    }
    scale *= 128;
  }
  VARINT.end = end;
  VARINT.cut = true;
  return v;
}
