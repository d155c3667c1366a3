// A team's mask from its sources of sight, by the server's rule.
//
//   begin, add, add, … end ──► visible, explored ──► changed tiles, hash
//   Ground.set ──────────────┘
//
// visibility/doc.go in the server states the rule; shared vectors hold the
// two together. Pure: no clock, no DOM, no dependencies. All arithmetic is in 32
// bits, and a step allocates only for viewsheds that are not cached.

import { EYE_ALL, type Ground, OCCLUSION_LINE_OF_SIGHT } from "./ground.js";
import { hashMask, joinHashes } from "./hash.js";
import { circle, linesOf } from "./shapes.js";

/** Viewsheds that are cached before all are dropped: about 8 MB at radius 16. */
const VIEWSHEDS_MAX = 8192;

export class Vision {
  /** Masks, as {@link Ground} lays them out. Read only. */
  visible: Uint32Array;
  readonly explored: Uint32Array;
  private before: Uint32Array;

  /** The sight of one tile with one radius from one height: pairs of a half block's place and its bits. */
  private readonly viewsheds = new Map<number, Uint32Array>();
  private viewshedsRevision = 0;

  constructor(readonly ground: Ground) {
    this.visible = new Uint32Array(ground.words);
    this.before = new Uint32Array(ground.words);
    this.explored = new Uint32Array(ground.words);
  }

  /** Begins a step without sources. */
  begin(): void {
    const mask = this.before;
    this.before = this.visible;
    this.visible = mask.fill(0);
    if (this.viewshedsRevision !== this.ground.revision || this.viewsheds.size > VIEWSHEDS_MAX) {
      this.viewsheds.clear();
      this.viewshedsRevision = this.ground.revision;
    }
  }

  /**
   * Adds the sight of a source.
   * @param radius in half tiles, 0 to 64
   */
  add(x: number, y: number, radius: number, flyer: boolean, levelBonus: number): void {
    const { ground } = this;
    if (x < 0 || y < 0 || x >= ground.width || y >= ground.height) return;
    const eye = ground.eye(x, y, flyer, levelBonus);
    if (eye !== EYE_ALL && ground.occlusion === OCCLUSION_LINE_OF_SIGHT) {
      const viewshed = this.viewshed(x, y, radius, eye);
      for (let i = 0; i < viewshed.length; i += 2) this.visible[viewshed[i]] |= viewshed[i + 1];
      return;
    }
    this.addCircle(x, y, radius, eye === EYE_ALL ? null : ground.seenFrom(eye));
  }

  /** Ends a step: visible tiles become explored. */
  end(): void {
    for (let i = 0; i < this.visible.length; i++) this.explored[i] |= this.visible[i];
  }

  /** Forgets everything but the ground. */
  clear(): void {
    this.visible.fill(0);
    this.before.fill(0);
    this.explored.fill(0);
  }

  /** Sets a tile as the server sent it; a visible tile is explored too. */
  set(x: number, y: number, visible: boolean, explored: boolean): void {
    const i = this.ground.word(x, y);
    const bit = this.ground.bit(x, y);
    this.visible[i] = visible ? this.visible[i] | bit : this.visible[i] & ~bit;
    this.explored[i] = visible || explored ? this.explored[i] | bit : this.explored[i] & ~bit;
  }

  isVisible(x: number, y: number): boolean {
    return (this.visible[this.ground.word(x, y)] & this.ground.bit(x, y)) !== 0;
  }

  isExplored(x: number, y: number): boolean {
    return (this.explored[this.ground.word(x, y)] & this.ground.bit(x, y)) !== 0;
  }

  /** Calls `f` for each tile that became visible or hidden in the last step. */
  eachChange(f: (x: number, y: number, visible: boolean) => void): void {
    const { blocksWide } = this.ground;
    for (let i = 0; i < this.visible.length; i++) {
      const now = this.visible[i];
      for (let diff = now ^ this.before[i]; diff !== 0; diff &= diff - 1) {
        const k = 31 - Math.clz32(diff & -diff);
        const block = i >> 1;
        const x = ((block % blocksWide) << 3) | (k & 7);
        const y = (Math.floor(block / blocksWide) << 3) | ((i & 1) << 2) | (k >> 3);
        f(x, y, ((now >>> k) & 1) !== 0);
      }
    }
  }

  /** The hash of visible and explored tiles, as the server sends it. */
  hash(): number {
    return joinHashes(hashMask(this.visible), hashMask(this.explored));
  }

  /** Adds the circle's tiles that lie in the mask `within`, or all tiles. */
  private addCircle(x: number, y: number, radius: number, within: Uint32Array | null): void {
    const { width, height } = this.ground;
    const { reach, half } = circle(radius);
    const { visible } = this;
    for (let ty = Math.max(0, y - reach); ty <= Math.min(height - 1, y + reach); ty++) {
      const wide = half[ty - y + reach];
      const from = Math.max(0, x - wide);
      const to = Math.min(width - 1, x + wide);
      const row = (ty & 3) << 3;
      let i = this.ground.word(from, ty);
      for (let bx = from >> 3; bx <= to >> 3; bx++, i += 2) {
        const first = Math.max(from - (bx << 3), 0);
        const last = Math.min(to - (bx << 3), 7);
        const bits = ((0xff >> (7 - last)) & (0xff << first)) << row;
        visible[i] |= within ? bits & within[i] : bits;
      }
    }
  }

  private viewshed(x: number, y: number, radius: number, eye: number): Uint32Array {
    const key = (((y << 10) | x) * 16 + eye) * 65 + radius; // below 2^53
    let viewshed = this.viewsheds.get(key);
    if (!viewshed) {
      viewshed = this.makeViewshed(x, y, radius, eye);
      this.viewsheds.set(key, viewshed);
    }
    return viewshed;
  }

  private makeViewshed(x: number, y: number, radius: number, eye: number): Uint32Array {
    const { ground } = this;
    const { width, height } = ground;
    const lines = linesOf(radius);
    const words = new Map<number, number>();
    for (let k = 0; k < lines.length; ) {
      const tx = x + lines[k];
      const ty = y + lines[k + 1];
      const end = k + 3 + 2 * lines[k + 2];
      let seen = tx >= 0 && ty >= 0 && tx < width && ty < height && ground.level(ty * width + tx) <= eye;
      for (let j = k + 3; seen && j < end; j += 2) {
        seen = !ground.blocks((y + lines[j + 1]) * width + x + lines[j], eye);
      }
      if (seen) {
        const i = ground.word(tx, ty);
        words.set(i, (words.get(i) ?? 0) | ground.bit(tx, ty));
      }
      k = end;
    }
    const viewshed = new Uint32Array(2 * words.size);
    let n = 0;
    for (const [i, bits] of words) {
      viewshed[n++] = i;
      viewshed[n++] = bits;
    }
    return viewshed;
  }
}
