// The difference of what two teams know at one tick: whose the ground in sight is, and
// which things only one team sees. Two connections of one replay show the same ticks;
// this compares their states.
//
//	state of A ─┐
//	            ├─► mask of both, a colour for each tile, things of B alone
//	state of B ─┘

import { Mask, type MatchState, typeOf } from "@fogkeep/client";
import { DataTexture, LinearFilter, RGBAFormat, UnsignedByteType } from "three";
import { rgb } from "../draw/palette";
import { blank } from "../draw/topdown";

/** How strong the colours of the ground are, of 255. */
const STRENGTH = 105;
/** Two records of one thing are at most so far apart, world units: its frames may be of two ticks. */
const SAME_WU = 512;
/** World units of a cell in which the same thing is searched. */
const CELL_BITS = 10;

/** The things that two states share, and the things that only one state has. Pure. */
export class Compared {
  /** Rows of each world that the other does not have. */
  readonly alone: readonly [Set<number>, Set<number>] = [new Set(), new Set()];
  /** Things that only the first sees, only the second, and both: units and structures. */
  counts: readonly [number, number, number] = [0, 0, 0];
  private readonly cells = new Map<number, number[]>();

  constructor(
    private readonly a: MatchState,
    private readonly b: MatchState,
  ) {}

  update(): void {
    const { a, b, alone, cells } = this;
    cells.clear();
    for (const set of alone) set.clear();
    let both = 0;
    for (let s = 0; s < a.world.high; s++) {
      if (!counted(a, s)) continue;
      alone[0].add(s);
      const key = cellOf(a.world.posX(s) >> CELL_BITS, a.world.posY(s) >> CELL_BITS);
      const list = cells.get(key);
      if (list) list.push(s);
      else cells.set(key, [s]);
    }
    for (let s = 0; s < b.world.high; s++) {
      if (!counted(b, s)) continue;
      const same = this.find(s);
      if (same < 0) alone[1].add(s);
      else {
        alone[0].delete(same);
        both++;
      }
    }
    this.counts = [alone[0].size, alone[1].size, both];
  }

  /** The row of the first world that is the same thing as a row of the second, and not yet taken, or -1. */
  private find(slot: number): number {
    const { world } = this.b;
    const x = world.posX(slot);
    const y = world.posY(slot);
    let best = -1;
    let least = SAME_WU * SAME_WU;
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        for (const s of this.cells.get(cellOf((x >> CELL_BITS) + dx, (y >> CELL_BITS) + dy)) ?? []) {
          const w = this.a.world;
          if (!this.alone[0].has(s) || w.type[s] !== world.type[slot] || w.owner[s] !== world.owner[slot])
            continue;
          const d = (w.posX(s) - x) ** 2 + (w.posY(s) - y) ** 2;
          if (d > least) continue;
          least = d;
          best = s;
        }
      }
    }
    return best;
  }
}

const cellOf = (x: number, y: number): number => y * 4096 + x;

/** Units and structures of players; resources lie where they are for both. */
function counted(state: MatchState, slot: number): boolean {
  const { world, info } = state;
  if (world.ids[slot] === 0) return false;
  const cls = typeOf(info.rules, world.type[slot]).class;
  return cls === "unit" || (cls === "structure" && info.players[world.owner[slot]] !== undefined);
}

/** The ground of two states as pictures: what either sees, and in whose colour. */
export class Difference {
  /** The union of both teams' sight. */
  readonly mask: Mask;
  readonly texture: DataTexture;
  readonly canvas: HTMLCanvasElement;
  readonly compared: Compared;
  private readonly image: ImageData;
  private revisions = [-1, -1];

  constructor(
    private readonly a: MatchState,
    private readonly b: MatchState,
    /** `#rrggbb` */
    private readonly colors: readonly [string, string],
  ) {
    const { width, height } = a.mask;
    this.mask = new Mask(width, height);
    this.image = new ImageData(width, height);
    this.canvas = blank(width, height);
    this.texture = new DataTexture(
      new Uint8Array(4 * width * height),
      width,
      height,
      RGBAFormat,
      UnsignedByteType,
    );
    this.texture.magFilter = LinearFilter;
    this.texture.minFilter = LinearFilter;
    this.compared = new Compared(a, b);
    this.update();
  }

  /** Takes over the changes. */
  update(): void {
    this.compared.update();
    const { a, b } = this;
    if (a.mask.revision === this.revisions[0] && b.mask.revision === this.revisions[1]) return;
    this.revisions = [a.mask.revision, b.mask.revision];
    const { data } = this.image;
    const of = this.colors.map((hex) => rgb(hex).map((c) => Math.round(c * 255)));
    for (let i = 0; i < data.length / 4; i++) {
      const seenA = a.mask.visible(i);
      const seenB = b.mask.visible(i);
      this.mask.setVisible(i, seenA || seenB);
      this.mask.setExplored(i, a.mask.explored(i) || b.mask.explored(i));
      const color = seenA === seenB ? null : of[seenA ? 0 : 1];
      data[4 * i] = color?.[0] ?? 0;
      data[4 * i + 1] = color?.[1] ?? 0;
      data[4 * i + 2] = color?.[2] ?? 0;
      data[4 * i + 3] = color ? STRENGTH : 0;
    }
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
    const bytes = this.texture.image.data as Uint8Array;
    bytes.set(data);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}
