// The title scene, drawn behind the pages before a match: with fewer frames on
// a slow machine.

import { Renderer } from "../render/renderer";
import { h } from "../ui/dom";
import { TitleScene, titleView } from "./titlescene";

const NOTHING = { selected: new Set<number>(), hover: 0, bars: "selected" } as const;

export class Backdrop {
  readonly element = h("div", { class: "backdrop", "aria-hidden": "true" });
  private renderer: Renderer | null = null;
  private scene: TitleScene | null = null;
  private raf = 0;
  private last = Number.NEGATIVE_INFINITY;

  start(): void {
    if (this.renderer) return;
    const canvas = h("canvas", { class: "world" });
    this.element.replaceChildren(canvas);
    try {
      this.scene = new TitleScene();
      this.renderer = new Renderer(canvas, this.scene.state);
    } catch {
      // Without WebGL the screens work. A match shows the error.
      this.element.replaceChildren();
      return;
    }
    const view = titleView(innerWidth, performance.now());
    this.renderer.camera.distance = view.distance;
    this.renderer.camera.jump(view.x, view.z);
    this.resize();
    window.addEventListener("resize", this.resize);
    this.last = Number.NEGATIVE_INFINITY;
    this.raf = requestAnimationFrame(this.frame);
  }

  stop(): void {
    cancelAnimationFrame(this.raf);
    window.removeEventListener("resize", this.resize);
    this.renderer?.dispose();
    this.renderer?.webgl.forceContextLoss();
    this.renderer = null;
    this.scene = null;
    this.element.replaceChildren();
  }

  private readonly resize = (): void => this.renderer?.resize(innerWidth, innerHeight);

  private readonly frame = (now: number): void => {
    this.raf = requestAnimationFrame(this.frame);
    const { renderer, scene } = this;
    if (!renderer || !scene) return;
    // Hardly any frames for players who prefer reduced motion, and few on a slow machine.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const period = still ? 3000 : renderer.quality === "low" ? 150 : 0;
    const dt = now - this.last;
    if (dt < period) return;
    this.last = now;
    // The camera sways slowly beside the base.
    const view = titleView(innerWidth, now);
    renderer.camera.go(view.x, view.z);
    const tick = scene.step(performance.now());
    if (still) renderer.snap();
    renderer.draw(tick, Math.min(100, dt), NOTHING);
  };
}
