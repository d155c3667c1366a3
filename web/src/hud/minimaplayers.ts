// Decides which layers of the minimap have to be drawn again. It knows whole
// pixels and no canvas.
//
//	mask ──► fog ─────┐
//	units ─► marks ───┼─► composition     the landscape is drawn once, below
//	camera ► outline ─┘

import { clippedMax } from "../draw/clip";
import { OUTLINE_POINTS } from "../render/camera";

/** The look of a mark. */
export const MARK = { unit: 0, structure: 1, resource: 2, ghost: 3, feature: 4, open: 5 } as const;

const COLUMNS = 5;

/** The marks of the units' layer in the order in which they are drawn, in whole pixels. Their columns are reused. */
export class Marks {
  count = 0;
  private cells = new Int16Array(COLUMNS * 64);
  private before = new Int16Array(COLUMNS * 64);
  private countBefore = -1;

  /** Begins a new list. */
  begin(): void {
    [this.cells, this.before] = [this.before, this.cells];
    this.countBefore = this.count;
    this.count = 0;
  }

  add(mark: number, x: number, y: number, size: number, owner: number): void {
    const at = this.count * COLUMNS;
    if (at === this.cells.length) {
      const larger = new Int16Array(2 * at);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells[at] = mark;
    this.cells[at + 1] = x;
    this.cells[at + 2] = y;
    this.cells[at + 3] = size;
    this.cells[at + 4] = owner;
    this.count++;
  }

  /** Whether the list differs from the one before. */
  get differs(): boolean {
    if (this.count !== this.countBefore) return true;
    for (let k = 0; k < this.count * COLUMNS; k++) if (this.cells[k] !== this.before[k]) return true;
    return false;
  }

  mark(k: number): number {
    return this.cells[k * COLUMNS];
  }
  x(k: number): number {
    return this.cells[k * COLUMNS + 1];
  }
  y(k: number): number {
    return this.cells[k * COLUMNS + 2];
  }
  size(k: number): number {
    return this.cells[k * COLUMNS + 3];
  }
  owner(k: number): number {
    return this.cells[k * COLUMNS + 4];
  }
}

/** The corners of the camera's outline on the minimap: x and y, in whole pixels. */
export class OutlinePixels {
  count = 0;
  readonly cells = new Int16Array(2 * clippedMax(OUTLINE_POINTS));
  private changed = false;
  private countBefore = 0;

  begin(): void {
    this.changed = false;
    this.countBefore = this.count;
    this.count = 0;
  }

  add(x: number, y: number): void {
    const at = 2 * this.count++;
    this.changed ||= this.cells[at] !== x || this.cells[at + 1] !== y;
    this.cells[at] = x;
    this.cells[at + 1] = y;
  }

  get differs(): boolean {
    return this.changed || this.count !== this.countBefore;
  }
}

/** Draws the layers, and names their content. */
export interface MinimapPainter {
  listUnits(out: Marks): void;
  listOutline(out: OutlinePixels): void;
  paintFog(): void;
  paintUnits(marks: Marks): void;
  /** All layers, and over them the pings and the outline. */
  compose(outline: OutlinePixels): void;
}

export class MinimapLayers {
  /** How often each layer was drawn. */
  readonly drawn = { fog: 0, units: 0, composition: 0 };
  private readonly marks = new Marks();
  private readonly outline = new OutlinePixels();
  private fogRevision = -1;
  private colorRevision = -1;
  private pinged = false;
  private stale = false;

  constructor(private readonly painter: MinimapPainter) {}

  /** The overlay changed: the composition is drawn with the next drawing. */
  invalidate(): void {
    this.stale = true;
  }

  /** Draws what changed. The revisions belong to the mask and to the players' colours. */
  draw(fogRevision: number, colorRevision: number, pings: boolean): void {
    let changed = false;
    if (fogRevision !== this.fogRevision) {
      this.fogRevision = fogRevision;
      this.painter.paintFog();
      this.drawn.fog++;
      changed = true;
    }
    this.marks.begin();
    this.painter.listUnits(this.marks);
    if (this.marks.differs || colorRevision !== this.colorRevision) {
      this.colorRevision = colorRevision;
      this.painter.paintUnits(this.marks);
      this.drawn.units++;
      changed = true;
    }
    this.drawOver(pings, changed);
  }

  /** Draws the composition again if the overlay changed, or `changed` says that a layer did. */
  drawOver(pings: boolean, changed = false): void {
    this.outline.begin();
    this.painter.listOutline(this.outline);
    // A ping moves with each drawing; after the last one the minimap is drawn without it.
    if (!changed && !this.outline.differs && !pings && !this.pinged && !this.stale) return;
    this.pinged = pings;
    this.stale = false;
    this.painter.compose(this.outline);
    this.drawn.composition++;
  }
}
