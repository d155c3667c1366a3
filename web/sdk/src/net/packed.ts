// Reads the packed rows of a frame: bits, in which a prefix says how long each
// number is. docs/reference/protocol.md ("Packed rows") has the coding.

import { create, fromBinary } from "@bufbuild/protobuf";
import { CODES, PARTS, ROWS, SIGHT_CODES } from "../gen/fields.js";
import { type ServerFrame, ServerFrameSchema, SightSchema } from "../gen/fogkeep/v1/server_pb.js";

/** The most rows of one field: no map holds so many entities. */
export const ROWS_MAX = 1 << 16;
const PREFIX_MAX = 15;

interface Code {
  /** How many prefixes have each length. */
  readonly count: readonly number[];
  /** Numbers of bits, in the order of their prefixes. */
  readonly symbols: readonly number[];
}

const CODE_OF = Object.fromEntries(
  Object.entries(CODES).map(([letter, lengths]) => [letter, codeOf(lengths)]),
);

function codeOf(lengths: string): Code {
  const count = [0];
  const symbols: number[] = [];
  for (let length = 1; length <= PREFIX_MAX; length++) {
    const before = symbols.length;
    for (let bits = 0; bits < lengths.length; bits++)
      if (parseInt(lengths[bits], 36) === length) symbols.push(bits);
    count.push(symbols.length - before);
  }
  return { count, symbols };
}

/** A field that can be packed. */
export interface RowField {
  readonly key: (typeof ROWS)[number]["key"];
  /** Its part of the traffic. */
  readonly part: number;
  /** Of each number of a row. */
  readonly codes: readonly Code[];
}

/** In the order in which they are packed. */
export const ROW_FIELDS = rowFields(false);
/** The field of declared values, whose rows are packed in a field of their own. */
export const VALUE_FIELDS = rowFields(true);

function rowFields(apart: boolean): readonly RowField[] {
  return ROWS.filter((r) => r.apart === apart).map(({ name, key, codes }) => ({
    key,
    part: PARTS.findIndex((p) => p.name === name && p.from === "server"),
    codes: codesOf(codes),
  }));
}

/** Of a sight; sights follow the rows. */
export const SIGHT = codesOf(SIGHT_CODES);

function codesOf(letters: string): Code[] {
  return [...letters].map((letter) => CODE_OF[letter]);
}

export class PackedRows {
  /** The next bit. Behind the end all are 0. */
  at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** How many bits are left; less than 0 after a number that was cut off. */
  get left(): number {
    return 8 * this.bytes.length - this.at;
  }

  /** How many rows the next field has; -1: more than there can be. */
  rows(codes: readonly Code[]): number {
    const n = this.number(CODE_OF.r);
    return n <= ROWS_MAX && n * codes.length <= this.left ? n : -1; // a number takes a bit at least
  }

  number({ count, symbols }: Code): number {
    let prefix = 0;
    let first = 0;
    let n = 0;
    for (let length = 1; length <= PREFIX_MAX; length++) {
      prefix = 2 * prefix + this.bits(1);
      first *= 2;
      if (prefix - first < count[length]) {
        const bits = symbols[n + prefix - first];
        return bits < 2 ? bits : 2 ** (bits - 1) + this.bits(bits - 1);
      }
      first += count[length];
      n += count[length];
    }
    return 0; // no code has a longer prefix
  }

  bits(n: number): number {
    let v = 0;
    for (let k = n; k > 0; ) {
      const free = 8 - (this.at & 7);
      const take = Math.min(free, k);
      const byte = this.bytes[this.at >> 3] ?? 0;
      v = v * 2 ** take + ((byte >> (free - take)) & (2 ** take - 1));
      this.at += take;
      k -= take;
    }
    return v;
  }
}

/** Reads a message of the server, with its rows unpacked. Throws an Error for invalid bytes. */
export function readFrame(bytes: Uint8Array): ServerFrame {
  const f = fromBinary(ServerFrameSchema, bytes);
  unpack(f.packedValues, f, VALUE_FIELDS, () => {});
  unpack(f.packed, f, ROW_FIELDS, (r) => {
    eachOf(r, SIGHT, f.sights.length, () => {
      const [x, y, radius, flyer, levelBonus, ticks] = SIGHT.map((code) => r.number(code));
      f.sights.push(create(SightSchema, { x, y, radius, flyer: flyer !== 0, levelBonus, ticks }));
    });
  });
  f.packed = f.packedValues = new Uint8Array();
  return f;
}

/** Reads the rows of fields, and what follows them. */
function unpack(
  bytes: Uint8Array,
  f: ServerFrame,
  fields: readonly RowField[],
  rest: (r: PackedRows) => void,
): void {
  if (bytes.length === 0) return;
  const r = new PackedRows(bytes);
  for (const { key, codes } of fields) {
    const list = f[key];
    eachOf(r, codes, list.length, () => {
      for (const code of codes) list.push(r.number(code));
    });
  }
  rest(r);
  if (r.left >= 8 || r.bits(r.left) !== 0) throw new Error("something follows the packed rows");
}

function eachOf(r: PackedRows, codes: readonly Code[], there: number, read: () => void): void {
  if (there > 0) throw new Error("rows besides packed ones");
  const n = r.rows(codes);
  for (let row = 0; row < n; row++) read();
  if (n < 0 || r.left < 0) throw new Error("packed rows are cut off");
}
