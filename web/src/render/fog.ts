// The fog on the screen. Values ease towards the mask's, so that changes do not
// pop. There are two channels, since one would draw a false ring of explored
// ground around visible ground.

import type { Mask } from "@fogkeep/client";
import {
  ClampToEdgeWrapping,
  DataTexture,
  LinearFilter,
  NoColorSpace,
  RGFormat,
  UnsignedByteType,
} from "three";

/** A full swing from dark to light, and back. Linear: an exponential stalls short of its end in eight bits. */
export const FOG_IN_MS = 150;
export const FOG_OUT_MS = 400;

/** Eases bytes towards the mask's. Pure: no texture, no clock. */
export class FogEase {
  readonly bytes: Uint8Array;
  /** Kept with fractions; bytes are what is shown. */
  private readonly value: Float32Array;
  private active: Uint32Array;
  private readonly isActive: Uint8Array;
  private activeCount = 0;
  private revision = 0;
  private readonly changed = new Uint32Array(1 << 14);

  constructor(private readonly mask: Mask) {
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

/** The eased fog as a texture that every material samples. */
export class FogTexture {
  readonly texture: DataTexture;
  /** How often the texture was uploaded; without a change it is not. */
  uploads = 0;
  private readonly ease: FogEase;

  constructor(readonly mask: Mask) {
    this.ease = new FogEase(mask);
    this.texture = new DataTexture(this.ease.bytes, mask.width, mask.height, RGFormat, UnsignedByteType);
    this.texture.magFilter = LinearFilter;
    this.texture.minFilter = LinearFilter;
    this.texture.wrapS = ClampToEdgeWrapping;
    this.texture.wrapT = ClampToEdgeWrapping;
    this.texture.generateMipmaps = false;
    this.texture.colorSpace = NoColorSpace;
    this.texture.needsUpdate = true;
  }

  /** The shown bytes: R visible, G explored, row by row. */
  get bytes(): Uint8Array {
    return this.ease.bytes;
  }

  step(dtMs: number): void {
    if (!this.ease.step(dtMs)) return;
    this.upload();
  }

  snap(): void {
    this.ease.snap();
    this.upload();
  }

  private upload(): void {
    this.uploads++;
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}
