// Heights and obstacles for lines of sight, and the layout of masks.
//
// A mask is kept as the server keeps it (see visibility/doc.go): blocks of 8x8
// tiles, here in two halves of 32 bits, the upper four rows first. Bit
// 8*(y%4) + x%8 of a half is a tile; half h of the block at bx, by lies at
// 2*(by*blocksWide + bx) + h.

/** How terrain limits sight, by the numbers of the wire; 1 is high ground. */
export const OCCLUSION_NONE = 0;
export const OCCLUSION_LINE_OF_SIGHT = 2;

/** Levels are 0 to 15. */
export const LEVELS_MAX = 16;

/** The height of an eye that sees over all terrain. */
export const EYE_ALL = 255;

export class Ground {
  readonly blocksWide: number;
  readonly blocksHigh: number;
  /** Words of a mask. */
  readonly words: number;
  /** Grows with each change. */
  revision = 0;
  /** The height of a tile as an obstacle: its level, one more if it is opaque. */
  private readonly obstacles: Uint8Array;
  private readonly levels: Uint8Array;
  /** By eye: the tiles that the eye may see, as a mask; made when first asked for. */
  private readonly below: (Uint32Array | undefined)[] = [];

  /**
   * @param levels a level a tile, row by row; copied
   * @param opaque not 0 for cliffs and walls, a tile each; copied
   */
  constructor(
    readonly width: number,
    readonly height: number,
    readonly occlusion: number,
    levels: Uint8Array,
    opaque: Uint8Array,
  ) {
    this.blocksWide = (width + 7) >> 3;
    this.blocksHigh = (height + 7) >> 3;
    this.words = 2 * this.blocksWide * this.blocksHigh;
    this.levels = levels.slice();
    this.obstacles = levels.slice();
    for (let i = 0; i < opaque.length; i++) if (opaque[i] !== 0) this.obstacles[i]++;
  }

  /** The place of a tile's half block in a mask. */
  word(x: number, y: number): number {
    return 2 * ((y >> 3) * this.blocksWide + (x >> 3)) + ((y >> 2) & 1);
  }

  /** A tile's bit in its half block. */
  bit(x: number, y: number): number {
    return 1 << (((y & 3) << 3) | (x & 7));
  }

  /** The highest level that a source on the tile sees. */
  eye(x: number, y: number, flyer: boolean, levelBonus: number): number {
    if (flyer || this.occlusion === OCCLUSION_NONE) return EYE_ALL;
    return Math.min(this.levels[y * this.width + x] + levelBonus, LEVELS_MAX - 1);
  }

  /** Whether the tile blocks a line of sight from that height. */
  blocks(i: number, eye: number): boolean {
    return this.obstacles[i] > eye;
  }

  level(i: number): number {
    return this.levels[i];
  }

  /** The tiles at or below the eye's level, as a mask. */
  seenFrom(eye: number): Uint32Array {
    let mask = this.below[eye];
    if (!mask) {
      mask = new Uint32Array(this.words);
      for (let y = 0, i = 0; y < this.height; y++) {
        for (let x = 0; x < this.width; x++, i++) {
          if (this.levels[i] <= eye) mask[this.word(x, y)] |= this.bit(x, y);
        }
      }
      this.below[eye] = mask;
    }
    return mask;
  }

  /** Changes a tile. */
  set(x: number, y: number, level: number, opaque: boolean): void {
    const i = y * this.width + x;
    const stands = level + (opaque ? 1 : 0);
    if (this.levels[i] === level && this.obstacles[i] === stands) return;
    this.levels[i] = level;
    this.obstacles[i] = stands;
    for (let eye = 0; eye < this.below.length; eye++) {
      const mask = this.below[eye];
      if (!mask) continue;
      mask[this.word(x, y)] &= ~this.bit(x, y);
      if (level <= eye) mask[this.word(x, y)] |= this.bit(x, y);
    }
    this.revision++;
  }
}
