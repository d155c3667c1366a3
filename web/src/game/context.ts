// The context that all parts of a running match share.

import type { Match, Slot, Tick } from "@fogkeep/client";
import type { Hud } from "../hud/hud";
import type { Selection } from "../input/selection";
import type { Renderer } from "../render/renderer";
import type { SettingsStore } from "./settings";
import type { Sound } from "./sound";

/** A line of chat in a match. */
export interface Said {
  readonly slot: Slot;
  readonly tick: Tick;
  readonly text: string;
}

export interface GameContext {
  readonly match: Match;
  readonly settings: SettingsStore;
  readonly canvas: HTMLCanvasElement;
  readonly renderer: Renderer;
  readonly selection: Selection;
  readonly hud: Hud;
  readonly sound: Sound;
  /** The players' last lines of chat, the oldest first. */
  readonly said: Said[];
}

/** A point of the page, in pixels. */
export interface PagePoint {
  readonly x: number;
  readonly y: number;
}

/** Whether a point of the ground (tiles) shows: it is on the page, and no panel or dialog lies over it. */
export function showsGround(
  context: GameContext,
  x: number,
  z: number,
  out: { x: number; y: number },
): boolean {
  const { renderer, canvas } = context;
  return renderer.groundToPage(x, z, out) && document.elementFromPoint(out.x, out.y) === canvas;
}

/** Gives the keyboard back to the battlefield. */
export function focusField(context: GameContext): void {
  context.canvas.focus({ preventScroll: true });
}
