// The team's mask: two bytes a tile, visible and explored, 0 or 255, in the form
// of a texture.

/** Changed tiles that are remembered for readers that are slower than frames. */
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

  /** Whether the tile with this index is visible. */
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

  /** Makes all tiles hidden; explored tiles stay explored. */
  hideAll(): void {
    for (let i = 0; i < this.width * this.height; i++) this.setVisible(i, false);
  }

  /** Makes all tiles hidden and unexplored. */
  forget(): void {
    this.hideAll();
    for (let i = 0; i < this.width * this.height; i++) this.setExplored(i, false);
  }

  /** Makes all tiles visible. */
  reveal(): void {
    for (let i = 0; i < this.width * this.height; i++) this.setVisible(i, true);
  }

  /**
   * Tiles changed since a revision, into `out` (a tile may come twice).
   * Returns how many, or -1 when the revision is too old: then read all tiles.
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
 * Reads rows of runs: off, on, off, and so on from x = 0; the rest of a row is
 * off. A row without runs is not sent. Runs past a row's end are cut.
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
