// The title scene behind the pages before a match. It is loaded some time after the
// first screen is shown, so that a player who knows where to press does not wait for
// it; without it the screens work.

import { h } from "../ui/dom";
import { scenePart } from "./parts";
import type { DrawnScene } from "./scenepart";

/** So long a page is left to its player before the scene takes the processor. */
const LATER_MS = 700;
/** The same while the player chooses a match. */
const CHOOSING_MS = 5000;

export class Backdrop {
  readonly element = h("div", { class: "backdrop", "aria-hidden": "true" });
  private wanted = false;
  private scene: DrawnScene | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.later(LATER_MS);
  }

  /** The player chooses a match: a scene that is not there yet comes later. */
  postpone(): void {
    if (this.wanted && !this.scene) this.later(CHOOSING_MS);
  }

  /** A match is about to begin: a scene that is not there yet is left out. */
  hold(): void {
    if (!this.scene) this.stop();
  }

  stop(): void {
    this.wanted = false;
    clearTimeout(this.timer);
    this.scene?.stop();
    this.scene = null;
    this.element.replaceChildren();
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), ms);
  }

  private async load(): Promise<void> {
    try {
      const { DrawnScene } = await scenePart();
      if (this.wanted && !this.scene) this.scene = new DrawnScene(this.element);
    } catch {
      // It could not be loaded, or there is no WebGL. A match shows the error.
      this.element.replaceChildren();
    }
  }
}
