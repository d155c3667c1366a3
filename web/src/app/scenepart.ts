// Draws the title scene: with fewer frames on a slow machine.

import { Renderer } from "../render/renderer";
import { h } from "../ui/dom";
import { TitleScene, titleView } from "./titlescene";

const NOTHING = { selected: new Set<number>(), hover: 0, bars: "selected" } as const;

export class DrawnScene {
  private readonly renderer: Renderer;
  private readonly scene = new TitleScene();
  private raf = 0;
  private last = Number.NEGATIVE_INFINITY;
  /** For players who prefer reduced motion one picture stays: it was drawn, at this size of the page. */
  private stands = false;

  /** Draws into an element, until it is stopped. Throws without WebGL. */
  constructor(element: HTMLElement) {
    const canvas = h("canvas");
    element.replaceChildren(canvas);
    this.renderer = new Renderer(canvas, this.scene.state);
    const view = titleView(innerWidth, performance.now());
    this.renderer.camera.distance = view.distance;
    this.renderer.camera.jump(view.x, view.z);
    this.resize();
    window.addEventListener("resize", this.resize);
    this.raf = requestAnimationFrame(this.frame);
  }

  stop(): void {
    cancelAnimationFrame(this.raf);
    window.removeEventListener("resize", this.resize);
    this.renderer.dispose();
    this.renderer.webgl.forceContextLoss();
  }

  private readonly resize = (): void => {
    this.renderer.resize(innerWidth, innerHeight);
    this.stands = false;
  };

  private readonly frame = (now: number): void => {
    this.raf = requestAnimationFrame(this.frame);
    const { renderer, scene } = this;
    // The device asks for it, or the player's settings do.
    const still =
      matchMedia("(prefers-reduced-motion: reduce)").matches ||
      document.documentElement.classList.contains("calm");
    if (still && this.stands) return;
    // Few frames on a slow machine.
    const period = renderer.quality === "low" ? 150 : 0;
    const dt = now - this.last;
    if (dt < period) return;
    this.last = now;
    this.stands = still;
    // The camera sways slowly beside the base. With reduced motion it is always the same moment.
    const at = still ? 0 : now;
    const view = titleView(innerWidth, at);
    renderer.camera.go(view.x, view.z);
    const tick = scene.step(performance.now());
    if (still) {
      renderer.camera.jump(view.x, view.z);
      renderer.snap();
    }
    renderer.draw(tick, Math.min(100, dt), NOTHING);
  };
}
