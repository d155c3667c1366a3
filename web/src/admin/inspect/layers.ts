// Layers over the map's landscape, one pixel a tile: what one team sees and the
// other does not, and where the bytes go.

import { rgb } from "../../draw/palette";
import { blank } from "../../draw/topdown";

/** Two bits a tile, as the server packs sight. */
export const UNEXPLORED = 0;
export const EXPLORED = 1;
export const VISIBLE = 2;

/** A canvas of the map's size whose pixels are computed anew. */
export class TileLayer {
  readonly canvas: HTMLCanvasElement;
  private readonly image: ImageData;

  constructor(width: number, height: number) {
    this.canvas = blank(width, height);
    this.image = new ImageData(width, height);
  }

  /** `rgba` of a tile: 4 numbers of 0 to 255, written at an index. */
  paint(write: (tile: number, out: Uint8ClampedArray, at: number) => void): void {
    const { data } = this.image;
    for (let t = 0; t < data.length / 4; t++) write(t, data, 4 * t);
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
  }
}

/** The sight of two teams on a tile. */
export type Both = "neither" | "a" | "b" | "both";

export const seesOf = (a: Uint8Array, b: Uint8Array, t: number): Both =>
  a[t] === VISIBLE ? (b[t] === VISIBLE ? "both" : "a") : b[t] === VISIBLE ? "b" : "neither";

/** How many tiles each sees. */
export function countBoth(a: Uint8Array, b: Uint8Array): Record<Both, number> {
  const n = { neither: 0, a: 0, b: 0, both: 0 };
  for (let t = 0; t < a.length; t++) n[seesOf(a, b, t)]++;
  return n;
}

/** Of a difference: what A alone sees, and what B alone sees. */
export const ONLY_A = "#ffb13d";
export const ONLY_B = "#4fb4ff";

const DIFFERENCE: Record<Both, [number, number, number, number]> = {
  neither: [7, 10, 16, 215],
  both: [7, 10, 16, 90],
  a: pixel(ONLY_A, 120),
  b: pixel(ONLY_B, 120),
};

export const paintDifference = (layer: TileLayer, a: Uint8Array, b: Uint8Array): void =>
  layer.paint((t, out, at) => out.set(DIFFERENCE[seesOf(a, b, t)], at));

/** Colours of a heat map, from little to much. */
export const HEAT = ["#2c1e5c", "#8a2378", "#d8455a", "#f98e3f", "#fcf0a0"] as const;

/** The colour of a share of the most, 0 to 1. */
export function heat(share: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, share)) * (HEAT.length - 1);
  const i = Math.min(HEAT.length - 2, Math.floor(at));
  const from = rgb(HEAT[i]);
  const to = rgb(HEAT[i + 1]);
  return [0, 1, 2].map((c) => Math.round(255 * (from[c] + (to[c] - from[c]) * (at - i)))) as [
    number,
    number,
    number,
  ];
}

/** Shades tiles by bytes; the shade grows with the logarithm, since a few tiles take most. */
export function paintHeat(
  layer: TileLayer,
  tiles: readonly { readonly tile: number; readonly bytes: number }[],
): void {
  const bytes = new Map(tiles.map((t) => [t.tile, t.bytes]));
  const most = tiles.reduce((n, t) => Math.max(n, t.bytes), 1);
  layer.paint((t, out, at) => {
    const n = bytes.get(t) ?? 0;
    if (n <= 0) out.set([7, 10, 16, 175], at);
    else out.set([...heat(Math.log1p(n) / Math.log1p(most)), 225], at);
  });
}

function pixel(color: string, alpha: number): [number, number, number, number] {
  const [r, g, b] = rgb(color).map((c) => Math.round(c * 255));
  return [r, g, b, alpha];
}
