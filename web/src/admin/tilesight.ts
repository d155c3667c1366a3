/** Unpacks 2 bits a tile (0 unexplored, 1 explored, 2 visible), the lowest bits first. */
export function unpackSight(base64: string, tiles: number): Uint8Array {
  const raw = atob(base64);
  const out = new Uint8Array(tiles);
  for (let t = 0; t < tiles; t++) out[t] = (raw.charCodeAt(t >> 2) >> (2 * (t & 3))) & 3;
  return out;
}
