import { playerColor } from "../draw/palette";
import { h } from "../ui/dom";

/** A player's colour, by its number, as a small square. */
export const swatch = (color: number, style = ""): HTMLElement =>
  h("i", { class: "swatch", style: `background:${playerColor(color)};${style}` });
