// The title scene behind the pages before a match: drawn seldom, where drawing
// is dear.

import { Renderer } from "../render/renderer";
import { h } from "../ui/dom";
import { Diorama } from "./diorama";

const NOTHING = { selected: new Set<number>(), hover: 0, bars: "selected" } as const;

export class Backdrop {
  readonly element = h("div", { class: "backdrop", "aria-hidden": "true" });
  private renderer: Renderer | null = null;
  private diorama: Diorama | null = null;
  private raf = 0;
  private last = Number.NEGATIVE_INFINITY;

  start(): void {
    if (this.renderer) return;
    const canvas = h("canvas", { class: "world" });
    this.element.replaceChildren(canvas);
    try {
      this.diorama = new Diorama();
      this.renderer = new Renderer(canvas, this.diorama.state);
    } catch {
      // No WebGL: the page works, and says so when a match is to be drawn.
      this.element.replaceChildren();
      return;
    }
    this.renderer.camera.distance = 34;
    this.renderer.camera.jump(37, 34.5);
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
    this.diorama = null;
    this.element.replaceChildren();
  }

  private readonly resize = (): void => this.renderer?.resize(innerWidth, innerHeight);

  private readonly frame = (now: number): void => {
    this.raf = requestAnimationFrame(this.frame);
    const { renderer, diorama } = this;
    if (!renderer || !diorama) return;
    // Who wants less motion gets a picture; where drawing is dear, few frames.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const period = still ? 3000 : renderer.quality === "low" ? 150 : 0;
    const dt = now - this.last;
    if (dt < period) return;
    this.last = now;
    // A slow walk around the base.
    const a = now / 60_000;
    renderer.camera.go(37 + Math.cos(a) * 4, 34.5 + Math.sin(a) * 2);
    const tick = diorama.step(performance.now());
    if (still) renderer.snap();
    renderer.draw(tick, Math.min(100, dt), NOTHING);
  };
}
