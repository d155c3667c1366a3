// The hash of a mask, as visibility.Mask.Hash has it. It guards against
// mistakes, not against forgers.

/** Of a mask in half blocks. Unsigned, 32 bits. */
export function hashMask(words: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < words.length; i++) {
    if (words[i] !== 0) sum = (sum + mixHalf(i, words[i])) | 0;
  }
  return sum >>> 0;
}

/** One hash of the hashes of a visible and an explored mask. */
export function joinHashes(visible: number, explored: number): number {
  return mixHalf(visible, (explored ^ 0x5bd1e995) >>> 0);
}

/** Scatters place and content; the constants are MurmurHash3's (Austin Appleby, public domain). */
function mixHalf(place: number, half: number): number {
  if (half === 0) return 0;
  let h = Math.imul(half, 0xcc9e2d51) ^ Math.imul(place, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
