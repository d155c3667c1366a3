// Where short texts over the field go: each at its point, without overlaps, all on the page.

/** A text on the page: the middle of its lower edge, and its size, in pixels. */
export interface Word {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const EDGE_PX = 4;

/** The place for a text that wants to be at `word`, above the `taken` ones. */
export function placeWord(word: Word, taken: readonly Word[], pageWidth: number): { x: number; y: number } {
  const half = word.width / 2 + EDGE_PX;
  const x = Math.max(half, Math.min(pageWidth - half, word.x));
  let y = Math.max(word.height, word.y);
  const over = (w: Word) =>
    Math.abs(w.x - x) < (w.width + word.width) / 2 && w.y > y - word.height && w.y - w.height < y;
  for (let hit = taken.find(over); hit; hit = taken.find(over)) y = hit.y - hit.height;
  return { x, y };
}
