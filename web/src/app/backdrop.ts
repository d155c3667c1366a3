// The title scene behind the pages before a match. It is loaded after the first
// screen is shown; without it the screens work.

import { h } from "../ui/dom";
import { scenePart } from "./parts";
import type { DrawnScene } from "./scenepart";

export class Backdrop {
  readonly element = h("div", { class: "backdrop", "aria-hidden": "true" });
  private wanted = false;
  private scene: DrawnScene | null = null;

  start(): void {
    if (this.wanted) return;
    this.wanted = true;
    void this.load();
  }

  stop(): void {
    this.wanted = false;
    this.scene?.stop();
    this.scene = null;
    this.element.replaceChildren();
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
