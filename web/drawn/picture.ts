// The picture of a scene: pixels of a canvas, and the accessible outline of panels.

import type { Stage } from "./stage";

export type Rgb = readonly [number, number, number];

/** Fails a row with words that name the missing drawing. */
export function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(words);
}

/** The pixels of a canvas, read in the turn in which it was drawn. */
export class Picture {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8ClampedArray;

  constructor(
    private readonly stage: Stage,
    canvas: HTMLCanvasElement,
  ) {
    this.width = canvas.width;
    this.height = canvas.height;
    const copy = document.createElement("canvas");
    copy.width = this.width;
    copy.height = this.height;
    const ctx = copy.getContext("2d", { willReadFrequently: true })!;
    ctx.drawImage(canvas, 0, 0);
    this.bytes = ctx.getImageData(0, 0, this.width, this.height).data;
  }

  rgb(x: number, y: number): Rgb {
    const i = 4 * (Math.round(y) * this.width + Math.round(x));
    return [this.bytes[i], this.bytes[i + 1], this.bytes[i + 2]];
  }

  /** The mean of 3 x 3 pixels over a point of the ground, in tiles. */
  at(x: number, z: number): Rgb {
    const page = { x: 0, y: 0 };
    must(this.stage.renderer.groundToPage(x, z, page), `${x}, ${z} is on the screen`);
    const k = this.width / innerWidth;
    const sum = [0, 0, 0];
    for (let j = -1; j <= 1; j++)
      for (let i = -1; i <= 1; i++) {
        const c = this.rgb(page.x * k + i, page.y * k + j);
        for (let n = 0; n < 3; n++) sum[n] += c[n] / 9;
      }
    return sum as unknown as Rgb;
  }

  /** How many pixels pass, of a part around the middle or of all. */
  count(passes: (c: Rgb) => boolean, part?: Part): number {
    const { x, y, w, h } = part ?? { x: 0, y: 0, w: this.width, h: this.height };
    let n = 0;
    for (let j = y; j < y + h; j++) for (let i = x; i < x + w; i++) if (passes(this.rgb(i, j))) n++;
    return n;
  }

  /** A part of the picture. */
  cut({ x, y, w, h }: Part): ImageData {
    const out = new ImageData(w, h);
    for (let j = 0; j < h; j++) {
      const from = 4 * ((y + j) * this.width + x);
      out.data.set(this.bytes.subarray(from, from + 4 * w), 4 * j * w);
    }
    return out;
  }

  /** A part of the picture, each block of some pixels as one. */
  blocks(part: Part, side: number): ImageData {
    const from = this.cut(part);
    const out = new ImageData(Math.floor(part.w / side), Math.floor(part.h / side));
    for (let k = 0; k < out.width * out.height; k++) {
      const sum = [0, 0, 0, 0];
      for (let j = 0; j < side * side; j++) {
        const x = (k % out.width) * side + (j % side);
        const y = Math.floor(k / out.width) * side + Math.floor(j / side);
        for (let c = 0; c < 4; c++) sum[c] += from.data[4 * (y * part.w + x) + c];
      }
      out.data.set(
        sum.map((n) => n / side / side),
        4 * k,
      );
    }
    return out;
  }

  /** A rectangle around the middle. */
  middle(w: number, h: number): Part {
    return { x: Math.round((this.width - w) / 2), y: Math.round((this.height - h) / 2), w, h };
  }
}

export interface Part {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const light = (c: Rgb): number => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
export const green = (c: Rgb): boolean => c[1] > c[0] + 40 && c[1] > c[2] + 25;
export const red = (c: Rgb): boolean => c[0] > c[1] + 50 && c[0] > c[2] + 50;
export const blue = (c: Rgb): boolean => c[2] > c[0] + 40 && c[2] > c[1] + 15;
export const yellow = (c: Rgb): boolean => c[0] > c[2] + 60 && c[1] > c[2] + 45;
export const white = (c: Rgb): boolean => Math.min(...c) > 200;
export const fire = (c: Rgb): boolean => c[0] > 150 && c[0] > c[2] + 60;
/** Lavender, the first player's colour, and rust, the second's. */
export const lavender = (c: Rgb): boolean => c[2] > c[1] + 25 && c[0] > c[1] + 5;
export const rust = (c: Rgb): boolean => c[0] > c[1] + 35 && c[0] > c[2] + 45;

/**
 * The outline of a part of the page, a line for each element with content: its role or tag, its classes and state,
 * its name, its own text. Pixels of the layout are left out: they depend on the fonts.
 */
export function outline(root: Element, depth = 0): string {
  const el = root as HTMLElement;
  if (el.hidden || getComputedStyle(el).display === "none") return "";
  const said = [el.getAttribute("role") ?? el.tagName.toLowerCase()];
  if (el.className && typeof el.className === "string")
    said.push(`.${el.className.trim().split(/\s+/).join(".")}`);
  for (const name of STATES) {
    const value = el.getAttribute(name);
    if (value !== null) said.push(`${name}=${value}`);
  }
  if ((el as HTMLButtonElement).disabled) said.push("disabled");
  if ("value" in el && el.tagName === "INPUT") said.push(`value=${el.value}`);
  if (el.tagName === "IMG") said.push((el as HTMLImageElement).src ? "picture" : "no picture");
  for (const [name, value] of Array.from(el.style, (n) => [n, el.style.getPropertyValue(n)] as const))
    if (name.startsWith("--") || name === "color") said.push(`${name}:${value.trim()}`);
  const own = Array.from(el.childNodes, (n) => (n.nodeType === Node.TEXT_NODE ? n.textContent : ""))
    .join("")
    .trim();
  if (own) said.push(JSON.stringify(own));
  const line = `${"  ".repeat(depth)}${said.join(" ")}\n`;
  return line + Array.from(el.children, (c) => outline(c, depth + 1)).join("");
}

const STATES = [
  "aria-label",
  "aria-pressed",
  "aria-live",
  "aria-hidden",
  "aria-keyshortcuts",
  "title",
  "placeholder",
  "data-command",
  "data-steps",
  "data-step",
  "data-do",
  "data-eyes",
  "d",
  "fill",
  "points",
  "stroke",
  "stroke-dasharray",
];
