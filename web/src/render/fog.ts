// The fog on the screen. Values ease towards the mask's, so that changes do not
// pop. There are two channels, since one would draw a false ring of explored
// ground around visible ground. The graphics card is sent only the blocks of the
// map in which a value changed.

import type { Mask } from "@fogkeep/client";
import {
  Box2,
  ClampToEdgeWrapping,
  DataTexture,
  LinearFilter,
  NoColorSpace,
  RGFormat,
  UnsignedByteType,
  Vector2,
  type WebGLRenderer,
} from "three";

/** A full swing from dark to light, and back. Linear: an exponential stalls short of its end in eight bits. */
export const FOG_IN_MS = 150;
export const FOG_OUT_MS = 400;
/** Changes of the mask between two frames that are taken in one by one; it keeps no more. */
const CHANGES_MAX = 1 << 16;
/** A block is so many tiles a side. */
const BLOCK = 32;
/** With so many rectangles, or more of the map than this share, it is sent whole. */
const RECTANGLES_MAX = 64;
const SHARE_MAX = 0.6;

/** Which blocks of the map changed. */
export class ChangedBlocks {
  /** Blocks along a side. */
  readonly wide: number;
  readonly high: number;
  /** Blocks that changed. */
  count = 0;
  private readonly changed: Uint8Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.wide = Math.ceil(width / BLOCK);
    this.high = Math.ceil(height / BLOCK);
    this.changed = new Uint8Array(this.wide * this.high);
  }

  /** A tile changed. */
  add(tile: number): void {
    const y = Math.floor(tile / this.width);
    const block = Math.floor(y / BLOCK) * this.wide + Math.floor((tile - y * this.width) / BLOCK);
    if (this.changed[block] !== 0) return;
    this.changed[block] = 1;
    this.count++;
  }

  clear(): void {
    if (this.count === 0) return;
    this.changed.fill(0);
    this.count = 0;
  }

  /** Whether single rectangles are better than the whole map. */
  get few(): boolean {
    return this.count <= SHARE_MAX * this.changed.length && this.rectangles() <= RECTANGLES_MAX;
  }

  /** How many rectangles {@link next} has. */
  private rectangles(): number {
    let n = 0;
    for (let at = this.next(0, BOX); at >= 0; at = this.next(at, BOX)) n++;
    return n;
  }

  /**
   * The next rectangle of changed tiles from a block on: blocks of one row, with single blocks between them that did not
   * change. Returns from where on to ask for the one after it; -1 at the end.
   */
  next(from: number, out: Box2): number {
    const { changed, wide } = this;
    let at = from;
    while (at < changed.length && changed[at] === 0) at++;
    if (at === changed.length) return -1;
    const j = Math.floor(at / wide);
    const i = at - j * wide;
    const rowEnd = (j + 1) * wide;
    let end = at + 1;
    while (end < rowEnd && (changed[end] !== 0 || (end + 1 < rowEnd && changed[end + 1] !== 0))) end++;
    out.min.set(i * BLOCK, j * BLOCK);
    out.max.set(Math.min(this.width, (i + end - at) * BLOCK), Math.min(this.height, (j + 1) * BLOCK));
    return end;
  }
}

const BOX = new Box2();

/** Eases bytes towards the mask's. Pure: no texture, no clock. */
export class FogEase {
  readonly bytes: Uint8Array;
  /** Kept with fractions; bytes are shown. */
  private readonly value: Float32Array;
  private active: Uint32Array;
  private readonly isActive: Uint8Array;
  private activeCount = 0;
  private revision = 0;
  private readonly changed = new Uint32Array(CHANGES_MAX);
  /** The blocks that changed since the last clearing. */
  readonly blocks: ChangedBlocks;

  constructor(private readonly mask: Mask) {
    this.blocks = new ChangedBlocks(mask.width, mask.height);
    const tiles = mask.width * mask.height;
    this.bytes = new Uint8Array(tiles * 2);
    this.value = new Float32Array(tiles * 2);
    this.isActive = new Uint8Array(tiles);
    this.active = new Uint32Array(1024);
    this.snap();
  }

  /** Tiles that are still easing. */
  get moving(): number {
    return this.activeCount;
  }

  /** Steps by a time; returns whether any byte changed. */
  step(dtMs: number): boolean {
    this.collect();
    if (this.activeCount === 0) return false;
    const up = (255 * dtMs) / FOG_IN_MS;
    const down = (255 * dtMs) / FOG_OUT_MS;
    let kept = 0;
    for (let k = 0; k < this.activeCount; k++) {
      const tile = this.active[k];
      let still = false;
      this.blocks.add(tile);
      for (let i = 2 * tile; i < 2 * tile + 2; i++) {
        const target = this.mask.bytes[i];
        const v = this.value[i];
        if (v === target) continue;
        const next = v < target ? Math.min(target, v + up) : Math.max(target, v - down);
        this.value[i] = next;
        this.bytes[i] = next;
        if (next !== target) still = true;
      }
      if (still) this.active[kept++] = tile;
      else this.isActive[tile] = 0;
    }
    this.activeCount = kept;
    return true;
  }

  /** Takes the mask as it is, without easing. */
  snap(): void {
    this.bytes.set(this.mask.bytes);
    this.value.set(this.mask.bytes);
    this.isActive.fill(0);
    this.activeCount = 0;
    this.revision = this.mask.revision;
  }

  private collect(): void {
    const n = this.mask.changed(this.revision, this.changed);
    this.revision = this.mask.revision;
    if (n >= 0) {
      for (let k = 0; k < n; k++) this.add(this.changed[k]);
      return;
    }
    for (let t = 0; t < this.isActive.length; t++) {
      if (
        this.value[2 * t] !== this.mask.bytes[2 * t] ||
        this.value[2 * t + 1] !== this.mask.bytes[2 * t + 1]
      ) {
        this.add(t);
      }
    }
  }

  private add(tile: number): void {
    if (this.isActive[tile]) return;
    this.isActive[tile] = 1;
    if (this.activeCount === this.active.length) {
      const wider = new Uint32Array(this.active.length * 2);
      wider.set(this.active);
      this.active = wider;
    }
    this.active[this.activeCount++] = tile;
  }
}

/** The part of the renderer that sends a part of a texture. */
export type Uploader = Pick<WebGLRenderer, "copyTextureToTexture">;

/** The eased fog as a texture that every material samples. */
export class FogTexture {
  readonly texture: DataTexture;
  /** How often some of the texture was uploaded; without a change there is no upload. */
  uploads = 0;
  /** Bytes of all uploads. */
  uploadedBytes = 0;
  private ease: FogEase;
  /** The same bytes: no shader samples it, so three.js reads from it the parts that are to be sent. */
  private readonly source: DataTexture;
  private whole = true;
  private readonly part = new Box2();
  private readonly at = new Vector2();

  constructor(public mask: Mask) {
    this.ease = new FogEase(mask);
    this.source = new DataTexture(this.ease.bytes, mask.width, mask.height, RGFormat, UnsignedByteType);
    this.texture = new DataTexture(this.ease.bytes, mask.width, mask.height, RGFormat, UnsignedByteType);
    this.texture.magFilter = LinearFilter;
    this.texture.minFilter = LinearFilter;
    this.texture.wrapS = ClampToEdgeWrapping;
    this.texture.wrapT = ClampToEdgeWrapping;
    this.texture.generateMipmaps = false;
    this.texture.colorSpace = NoColorSpace;
    this.texture.needsUpdate = true;
  }

  /** Shows another mask of the same size, at once. */
  show(mask: Mask): void {
    if (mask === this.mask) return;
    this.mask = mask;
    this.ease = new FogEase(mask);
    this.texture.image.data = this.ease.bytes;
    this.source.image.data = this.ease.bytes;
    this.whole = true;
  }

  /** The shown bytes: R visible, G explored, row by row. */
  get bytes(): Uint8Array {
    return this.ease.bytes;
  }

  step(dtMs: number): void {
    this.ease.step(dtMs);
  }

  snap(): void {
    this.ease.snap();
    this.whole = true;
  }

  /** Sends what changed since the last time to the graphics card. */
  upload(to: Uploader): void {
    const { blocks } = this.ease;
    if (!this.whole && blocks.count === 0) return;
    this.uploads++;
    if (this.whole || !blocks.few) {
      this.texture.needsUpdate = true; // sent as it is drawn next
      this.uploadedBytes += this.ease.bytes.length;
    } else {
      const { part } = this;
      for (let from = blocks.next(0, part); from >= 0; from = blocks.next(from, part)) {
        this.at.copy(part.min);
        to.copyTextureToTexture(this.source, this.texture, part, this.at);
        this.uploadedBytes += 2 * (part.max.x - part.min.x) * (part.max.y - part.min.y);
      }
    }
    this.whole = false;
    blocks.clear();
  }

  dispose(): void {
    this.texture.dispose();
    this.source.dispose();
  }
}
