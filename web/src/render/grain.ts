// A small texture of noise, made in code, that gives the ground its grain. Its
// edges join. R rises and falls softly, G is fine grain, B has ridges like cracks,
// A has streaks like blades of grass.

import {
  DataTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  NoColorSpace,
  RepeatWrapping,
  RGBAFormat,
  UnsignedByteType,
} from "three";
import { hash01 } from "../draw/hash";

export const GRAIN_SIDE = 128;

/** The bytes of the texture, row by row. */
export function grainBytes(side = GRAIN_SIDE): Uint8Array {
  const out = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const u = x / side;
      const v = y / side;
      const soft = 0.55 * noise(u, v, 4, 4, 1) + 0.3 * noise(u, v, 8, 8, 2) + 0.15 * noise(u, v, 16, 16, 3);
      const fine = 0.6 * noise(u, v, 32, 32, 4) + 0.4 * noise(u, v, 64, 64, 5);
      const ridge =
        1 - Math.abs(2 * noise(u, v, 7, 7, 6) - 1) * 0.6 - Math.abs(2 * noise(u, v, 17, 17, 7) - 1) * 0.4;
      const streak = 0.6 * noise(u, v, 48, 10, 8) + 0.4 * noise(u, v, 64, 24, 9);
      const i = 4 * (y * side + x);
      out[i] = soft * 255;
      out[i + 1] = fine * 255;
      out[i + 2] = ridge * 255;
      out[i + 3] = streak * 255;
    }
  }
  return out;
}

export function grainTexture(): DataTexture {
  const t = new DataTexture(grainBytes(), GRAIN_SIDE, GRAIN_SIDE, RGBAFormat, UnsignedByteType);
  t.wrapS = RepeatWrapping;
  t.wrapT = RepeatWrapping;
  t.magFilter = LinearFilter;
  t.minFilter = LinearMipmapLinearFilter;
  t.generateMipmaps = true;
  t.colorSpace = NoColorSpace;
  t.needsUpdate = true;
  return t;
}

/** Smooth noise of 0 to 1 with so many cells along each side; it joins at the edges. */
function noise(u: number, v: number, nx: number, ny: number, salt: number): number {
  const x = u * nx;
  const y = v * ny;
  const i = Math.floor(x);
  const j = Math.floor(y);
  const fx = ease(x - i);
  const fy = ease(y - j);
  const at = (a: number, b: number) => hash01(a % nx, b % ny, salt);
  const low = at(i, j) * (1 - fx) + at(i + 1, j) * fx;
  const high = at(i, j + 1) * (1 - fx) + at(i + 1, j + 1) * fx;
  return low * (1 - fy) + high * fy;
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}
