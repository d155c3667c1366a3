// The public form of a map (see match/grid/bytes.go), read into typed arrays.

import { FogkeepError } from "../base/errors.js";
import type { Tile } from "../base/ids.js";

/** Kinds of ground, in the order of their numbers in the map's bytes. */
export const TERRAIN = ["grass", "dirt", "sand", "rock", "road", "rubble", "ice", "water", "cliff"] as const;
export const WATER = 7;
export const CLIFF = 8;

/** The bit of {@link GameMap.pass} for ground units; hover 2, naval 4, air 8. */
export const PASS_GROUND = 1;
export const PASS_NAVAL = 4;

export interface GameMap {
  readonly name: string;
  /** Tiles a side. */
  readonly width: number;
  readonly height: number;
  /** 0 off, 1 high ground, 2 line of sight. */
  readonly occlusion: number;
  /** One entry a tile, row by row. */
  readonly levels: Uint8Array;
  readonly terrain: Uint8Array;
  readonly pass: Uint8Array;
  readonly starts: readonly Tile[];
  readonly resources: readonly Tile[];
  readonly features: readonly MapFeature[];
}

/** A bridge, a gate, a tree, a pickup: what stands on the map as a match begins, if the ruleset has the type. */
export interface MapFeature extends Tile {
  readonly type: string;
  /** A switch moves the gates and bridges with its link; 0: no link. */
  readonly link: number;
}

const MAGIC = "fogkmap\x01";
const SIDE_MIN = 16;
const SIDE_MAX = 1024;
const LEVELS_MAX = 16;

/** Reads the public form of a map. Throws {@link FogkeepError} `map_format`, naming the offset. */
export function decodeMap(bytes: Uint8Array): GameMap {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (n: number, what: string): number => {
    if (bytes.length - at < n) {
      throw bad(at, `${what} needs ${n} bytes, ${bytes.length - at} are left`);
    }
    at += n;
    return at - n;
  };
  const u8 = (what: string) => view.getUint8(take(1, what));
  const u16 = (what: string) => view.getUint16(take(2, what), true);
  const tiles = (n: number, what: string): Tile[] => {
    const from = take(4 * n, what);
    const out: Tile[] = [];
    for (let i = 0; i < n; i++) {
      out.push({ x: view.getInt16(from + 4 * i, true), y: view.getInt16(from + 4 * i + 2, true) });
    }
    return out;
  };

  const head = take(MAGIC.length, "header");
  for (let i = 0; i < MAGIC.length; i++) {
    if (bytes[head + i] !== MAGIC.charCodeAt(i)) throw bad(0, "this is not a fogkeep map");
  }
  const width = u16("width");
  const height = u16("height");
  for (const side of [width, height]) {
    if (side < SIDE_MIN || side > SIDE_MAX) {
      throw bad(MAGIC.length, `size ${width}x${height}: a side has ${SIDE_MIN} to ${SIDE_MAX} tiles`);
    }
  }
  const occlusion = u8("occlusion");
  const nameBytes = u8("name length");
  const nameAt = take(nameBytes, "name");
  const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + nameBytes));
  const n = width * height;
  const column = (what: string): Uint8Array => {
    const from = take(n, what);
    return bytes.slice(from, from + n);
  };
  const levels = column("levels");
  const terrain = column("terrain");
  const pass = column("passability");
  for (let i = 0; i < n; i++) {
    if (levels[i] >= LEVELS_MAX) throw bad(at - 3 * n + i, `level ${levels[i]} is above ${LEVELS_MAX - 1}`);
    if (terrain[i] >= TERRAIN.length) throw bad(at - 2 * n + i, `terrain ${terrain[i]} is unknown`);
  }
  const starts = tiles(u8("number of starts"), "starts");
  const resources = tiles(u16("number of resources"), "resources");
  const features: MapFeature[] = [];
  const count = at < bytes.length ? u16("number of features") : 0; // a map without features ends here
  for (let i = 0; i < count; i++) {
    const [tile] = tiles(1, "a feature");
    const link = u8("link");
    const typeBytes = u8("length of a type's name");
    const typeAt = take(typeBytes, "a type's name");
    features.push({
      ...tile,
      link,
      type: new TextDecoder().decode(bytes.subarray(typeAt, typeAt + typeBytes)),
    });
  }
  if (at !== bytes.length) throw bad(at, `${bytes.length - at} bytes too many`);
  return { name, width, height, occlusion, levels, terrain, pass, starts, resources, features };
}

/** Writes the public form: the inverse of {@link decodeMap}, for tests. */
export function encodeMap(m: GameMap): Uint8Array {
  const name = new TextEncoder().encode(m.name);
  const out: number[] = [];
  const u16 = (v: number) => out.push(v & 0xff, (v >> 8) & 0xff);
  for (const c of MAGIC) out.push(c.charCodeAt(0));
  u16(m.width);
  u16(m.height);
  out.push(m.occlusion, name.length, ...name);
  for (const column of [m.levels, m.terrain, m.pass]) for (const v of column) out.push(v);
  out.push(m.starts.length);
  for (const t of m.starts) {
    u16(t.x);
    u16(t.y);
  }
  u16(m.resources.length);
  for (const t of m.resources) {
    u16(t.x);
    u16(t.y);
  }
  if (m.features.length > 0) u16(m.features.length);
  for (const f of m.features) {
    const type = new TextEncoder().encode(f.type);
    u16(f.x);
    u16(f.y);
    out.push(f.link, type.length, ...type);
  }
  return Uint8Array.from(out);
}

function bad(offset: number, what: string): FogkeepError {
  return new FogkeepError("map_format", `Map: offset ${offset}: ${what}.`);
}
