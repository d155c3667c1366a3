// A map seen from above on 2D canvases, one pixel a tile: its landscape and the
// fog over it. The minimap, the inspector and the lobby use it.

import { type GameMap, WATER } from "@fogkeep/client";
import { hash01 } from "./hash";
import { FOG_FROM_ABOVE, GROUND, rgb, WATER_FROM_ABOVE } from "./palette";

/** The landscape, lit from the upper left. */
export function landscape(map: GameMap): HTMLCanvasElement {
  const canvas = blank(map.width, map.height);
  const image = new ImageData(map.width, map.height);
  const colors = GROUND.map(rgb);
  colors[WATER] = rgb(WATER_FROM_ABOVE);
  for (let y = 0; y < map.height; y++) {
    for (let x = 0; x < map.width; x++) {
      const t = y * map.width + x;
      const level = map.levels[t];
      const nw = map.levels[Math.max(0, y - 1) * map.width + Math.max(0, x - 1)];
      const light =
        1.35 + level * 0.07 + Math.max(-0.3, Math.min(0.3, (level - nw) * 0.22)) + hash01(x, y, 3) * 0.06;
      const c = colors[map.terrain[t]];
      for (let k = 0; k < 3; k++) image.data[4 * t + k] = Math.min(255, c[k] * 255 * light);
      image.data[4 * t + 3] = 255;
    }
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/** The knowledge of a tile: 0 never explored, 1 explored, 2 visible. */
export type TileSight = 0 | 1 | 2;

const OPACITY = [212, 138, 0]; // by TileSight

/** The fog to draw over a landscape. */
export class FogLayer {
  readonly canvas: HTMLCanvasElement;
  private readonly image: ImageData;

  constructor(width: number, height: number) {
    this.canvas = blank(width, height);
    this.image = new ImageData(width, height);
    const { data } = this.image;
    const fog = rgb(FOG_FROM_ABOVE).map((c) => c * 255);
    for (let i = 0; i < data.length; i++) data[i] = fog[i % 4] ?? 0;
  }

  paint(sightOf: (tile: number) => TileSight): void {
    const { data } = this.image;
    for (let t = 0; t < data.length / 4; t++) data[4 * t + 3] = OPACITY[sightOf(t)];
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
  }
}

/** A canvas that is on no page. */
export function blank(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
