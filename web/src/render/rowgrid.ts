// The rows of a drawn frame by their places: squares of the map, each with the rows
// in it. It is made when it is first asked for after the places changed, by
// counting, and allocates only when there are more entities.

/** A square is so many tiles a side, or more on a large map. */
const CELL_TILES = 4;
/** The most squares along a side. */
const CELLS_MAX = 128;

/** Where rows are, in tiles. */
export interface Places {
  readonly x: Float32Array;
  readonly z: Float32Array;
}

export class RowGrid {
  /** Rows of the last {@link inRect}, the first {@link count}. */
  found = new Uint32Array(64);
  count = 0;
  private readonly cell: number;
  private readonly wide: number;
  private readonly high: number;
  /** Where the rows of a square begin in {@link sorted}; one more than there are squares. */
  private readonly start: Uint32Array;
  private sorted = new Uint32Array(64);
  private cellOf = new Uint32Array(64);
  private places: Places | null = null;
  private rows = 0;
  private stale = true;

  constructor(width: number, height: number) {
    this.cell = Math.max(CELL_TILES, Math.ceil(Math.max(width, height) / CELLS_MAX));
    this.wide = Math.ceil(width / this.cell);
    this.high = Math.ceil(height / this.cell);
    this.start = new Uint32Array(this.wide * this.high + 1);
  }

  /** The first rows of some columns are the ones to look at from now on. */
  set(places: Places, rows: number): void {
    this.places = places;
    this.rows = rows;
    this.stale = true;
  }

  /**
   * Finds the rows whose places may lie in a rectangle: all that do, and others near it. Places outside of the map
   * count to its edge.
   */
  inRect(x0: number, z0: number, x1: number, z1: number): number {
    if (this.stale) this.build();
    this.count = 0;
    const { start, sorted, found } = this;
    const from = this.column(x0);
    const to = this.column(x1);
    for (let j = this.row(z0); j <= this.row(z1); j++) {
      const end = start[j * this.wide + to + 1];
      for (let k = start[j * this.wide + from]; k < end; k++) found[this.count++] = sorted[k];
    }
    return this.count;
  }

  private column(x: number): number {
    return Math.max(0, Math.min(this.wide - 1, Math.floor(x / this.cell)));
  }

  private row(z: number): number {
    return Math.max(0, Math.min(this.high - 1, Math.floor(z / this.cell)));
  }

  private build(): void {
    this.stale = false;
    const { start, rows, places } = this;
    if (this.sorted.length < rows) {
      this.sorted = new Uint32Array(2 * rows);
      this.cellOf = new Uint32Array(2 * rows);
      this.found = new Uint32Array(2 * rows);
    }
    start.fill(0);
    if (!places) return;
    const { sorted, cellOf } = this;
    for (let r = 0; r < rows; r++) {
      const c = this.row(places.z[r]) * this.wide + this.column(places.x[r]);
      cellOf[r] = c;
      start[c]++;
    }
    for (let c = 1; c < start.length; c++) start[c] += start[c - 1];
    // Now start has the ends. Filled from the back they become the beginnings, and rows stay in their order.
    for (let r = rows - 1; r >= 0; r--) sorted[--start[cellOf[r]]] = r;
  }
}
