// What the team sees and has seen, tile by tile, as targets for the fog: two
// bytes a tile, visible then explored, 0 or 255, ready to be a texture.

/** Changed tiles remembered for readers that come by less often than frames do. */
const LOG_SIZE = 1 << 16;

export class Mask {
  /** RG: visible, explored. */
  readonly bytes: Uint8Array;
  /** Grows with each changed tile. */
  revision = 0;
  visibleCount = 0;
  exploredCount = 0;
  private readonly log = new Uint32Array(LOG_SIZE);

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.bytes = new Uint8Array(width * height * 2);
  }

  /** Whether the tile with this index is seen now. */
  visible(i: number): boolean {
    return this.bytes[2 * i] !== 0;
  }
  explored(i: number): boolean {
    return this.bytes[2 * i + 1] !== 0;
  }
  visibleAt(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.visible(y * this.width + x);
  }
  exploredAt(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.explored(y * this.width + x);
  }

  setVisible(i: number, on: boolean): void {
    if (this.visible(i) === on) return;
    this.bytes[2 * i] = on ? 255 : 0;
    this.visibleCount += on ? 1 : -1;
    this.touch(i);
    if (on) this.setExplored(i, true);
  }

  setExplored(i: number, on: boolean): void {
    if (this.explored(i) === on) return;
    this.bytes[2 * i + 1] = on ? 255 : 0;
    this.exploredCount += on ? 1 : -1;
    this.touch(i);
  }

  /** Nothing is seen now; what was explored stays so. */
  hideAll(): void {
    for (let i = 0; i < this.width * this.height; i++) this.setVisible(i, false);
  }

  /** Everything bright: spectators that see all, and the end of a match. */
  reveal(): void {
    for (let i = 0; i < this.width * this.height; i++) this.setVisible(i, true);
  }

  /**
   * Tiles changed since a revision, into `out` (a tile may come twice).
   * Returns how many, or -1 when that is too long ago: then look at all.
   */
  changed(since: number, out: Uint32Array): number {
    const n = this.revision - since;
    if (n > LOG_SIZE || n > out.length) return -1;
    for (let k = 0; k < n; k++) out[k] = this.log[(since + k) % LOG_SIZE];
    return n;
  }

  private touch(i: number): void {
    this.log[this.revision % LOG_SIZE] = i;
    this.revision++;
  }
}

/**
 * Reads rows of runs: dark, lit, dark, and so on from x = 0; what is left of a
 * row is dark. A row of no runs is not told. Runs past a row's end are cut.
 */
export function readRows(
  width: number,
  height: number,
  rows: readonly number[],
  runCounts: readonly number[],
  runs: readonly number[],
  set: (tile: number, on: boolean) => void,
): void {
  let row = 0;
  let at = 0;
  for (let k = 0; k < rows.length; k++) {
    row += rows[k];
    const n = runCounts[k] ?? 0;
    if (n === 0) continue;
    let x = 0;
    for (let r = 0; r < n && at < runs.length; r++, at++) {
      const end = Math.min(width, x + (runs[at] ?? 0));
      if (row < height) for (; x < end; x++) set(row * width + x, r % 2 === 1);
      x = end;
    }
    if (row < height) for (; x < width; x++) set(row * width + x, false);
  }
}
