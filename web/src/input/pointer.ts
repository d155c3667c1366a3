// Turns events of mouse and touch over a canvas into gestures: click, box, line,
// order, drag, zoom. It knows pixels, not units.

/** A press that moves less than this is a click. */
const SLOP_PX = 4;
const TOUCH_SLOP_PX = 10;
/** A shorter line is a click too: a hand that shakes does not line up an army on the spot. */
const LINE_SLOP_PX = 20;
export const LONG_PRESS_MS = 350;
const DOUBLE_MS = 300;
/** Half the side of the frame around a finger that rests. */
const REST_PX = 16;

export interface PointerHandlers {
  hover(x: number, y: number): void;
  click(x: number, y: number, keys: ClickKeys): void;
  /** While the box is drawn; null when it is gone. */
  drawingBox(box: Box | null): void;
  box(box: Box, keys: { shift: boolean; ctrl: boolean }): void;
  /** Whether the left button, or a finger that rested, draws a line now instead of a box. */
  aimsLine(): boolean;
  /** While a line is drawn; null when it is gone. */
  drawingLine(line: Line | null): void;
  line(line: Line, keys: { shift: boolean }): void;
  /** Right click. */
  order(x: number, y: number, keys: { shift: boolean; ctrl: boolean }): void;
  /** Middle drag or a finger: by pixels. */
  drag(dx: number, dy: number): void;
  zoom(notches: number, x: number, y: number): void;
}

export interface ClickKeys {
  shift: boolean;
  ctrl: boolean;
  alt: boolean;
  double: boolean;
  touch: boolean;
  /** The finger rested before it was lifted. */
  held: boolean;
}

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** From (x0, y0) to (x1, y1). */
export interface Line extends Box {
  /** Drawn with the right button. */
  right: boolean;
}

interface Press {
  x: number;
  y: number;
  button: number;
  ms: number;
  touch: boolean;
  /** Its effect. Decided when the press begins to move, so that a slow pan does not become a box. */
  drag: "" | "box" | "line" | "map";
}

export class PointerInput {
  /** Last place of the mouse or a finger, page pixels over the canvas, or null when outside. */
  at: { x: number; y: number } | null = null;
  /** The last place is a finger's. */
  byTouch = false;
  private press: Press | null = null;
  private lastClick = { x: 0, y: 0, ms: -1e9 };
  private readonly touches = new Map<number, { x: number; y: number }>();
  private pinch = 0;
  private restTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly abort = new AbortController();

  constructor(
    private readonly canvas: HTMLElement,
    private readonly handlers: PointerHandlers,
  ) {
    const o = { signal: this.abort.signal };
    canvas.addEventListener("pointerdown", (e) => this.down(e), o);
    window.addEventListener("pointermove", (e) => this.move(e), o);
    window.addEventListener("pointerup", (e) => this.up(e), o);
    window.addEventListener("pointercancel", (e) => this.cancelled(e), o);
    canvas.addEventListener("contextmenu", (e) => e.preventDefault(), o);
    canvas.addEventListener("wheel", (e) => this.wheel(e), { ...o, passive: false });
    document.addEventListener(
      "pointerleave",
      () => {
        this.at = null;
      },
      o,
    );
  }

  dispose(): void {
    clearTimeout(this.restTimer);
    this.abort.abort();
  }

  private point(e: MouseEvent): { x: number; y: number } {
    const r = this.canvas.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  }

  private down(e: PointerEvent): void {
    const p = this.point(e);
    const touch = e.pointerType === "touch";
    if (touch) {
      this.touches.set(e.pointerId, p);
      if (this.touches.size > 1) {
        this.pinch = this.spread();
        this.cancel();
        return;
      }
    }
    if (e.button === 1) e.preventDefault();
    this.press = { ...p, button: e.button, ms: e.timeStamp, touch, drag: "" };
    this.at = p; // a touch has no earlier position
    this.byTouch = touch;
    this.canvas.setPointerCapture?.(e.pointerId);
    if (touch) this.restTimer = setTimeout(() => this.showRest(), LONG_PRESS_MS);
  }

  private move(e: PointerEvent): void {
    const p = this.point(e);
    const last = this.at ?? p;
    this.at = p;
    this.byTouch = e.pointerType === "touch";
    if (this.byTouch && this.touches.has(e.pointerId)) {
      const before = this.touches.get(e.pointerId) ?? p;
      this.touches.set(e.pointerId, p);
      if (this.touches.size > 1) {
        const spread = this.spread();
        if (this.pinch > 0 && spread > 0) this.handlers.zoom(Math.log(this.pinch / spread) * 6, p.x, p.y);
        this.pinch = spread;
        this.handlers.drag((p.x - before.x) / 2, (p.y - before.y) / 2);
        return;
      }
    }
    const press = this.press;
    if (!press) {
      this.handlers.hover(p.x, p.y);
      return;
    }
    press.drag ||= this.dragOf(press, p, e.timeStamp);
    if (press.drag === "box") this.handlers.drawingBox(boxOf(press, p));
    else if (press.drag === "line") this.handlers.drawingLine(lineOf(press, p));
    else if (press.drag === "map") this.handlers.drag(p.x - last.x, p.y - last.y);
  }

  /** The effect of a press that has moved to a point; "" while it may still be a click. */
  private dragOf(press: Press, p: { x: number; y: number }, nowMs: number): Press["drag"] {
    const slop = press.touch ? TOUCH_SLOP_PX : SLOP_PX;
    const moved = Math.hypot(p.x - press.x, p.y - press.y);
    if (moved <= slop) return "";
    // A finger that rested before it moved draws; any other moves the map.
    if (press.button === 1 || (press.touch && nowMs - press.ms <= LONG_PRESS_MS)) {
      this.hideShapes(); // a busy page may have shown the rest before it learned of the move
      return "map";
    }
    if (press.button === 0 && !this.handlers.aimsLine()) return "box";
    return moved > LINE_SLOP_PX ? "line" : "";
  }

  /** A finger has rested: shows the line that it would draw. */
  private showRest(): void {
    const { press } = this;
    if (press?.drag !== "") return;
    const { x, y } = press;
    if (this.handlers.aimsLine()) this.handlers.drawingLine(lineOf(press, press));
    else this.handlers.drawingBox({ x0: x - REST_PX, y0: y - REST_PX, x1: x + REST_PX, y1: y + REST_PX });
  }

  private up(e: PointerEvent): void {
    this.touches.delete(e.pointerId);
    const press = this.press;
    if (!press) return;
    this.cancel();
    const p = this.point(e);
    const keys = { shift: e.shiftKey, ctrl: e.ctrlKey || e.metaKey };
    if (press.drag === "box") this.handlers.box(boxOf(press, p), keys);
    else if (press.drag === "line") this.handlers.line(lineOf(press, p), keys);
    else if (press.drag === "" && press.button === 2) this.handlers.order(p.x, p.y, keys);
    if (press.drag !== "" || press.button !== 0) return;
    const slop = press.touch ? TOUCH_SLOP_PX : SLOP_PX;
    const near = Math.hypot(p.x - this.lastClick.x, p.y - this.lastClick.y) <= slop;
    const double = near && e.timeStamp - this.lastClick.ms <= DOUBLE_MS;
    this.lastClick = { ...p, ms: double ? -1e9 : e.timeStamp };
    const held = press.touch && e.timeStamp - press.ms > LONG_PRESS_MS;
    this.handlers.click(p.x, p.y, { ...keys, alt: e.altKey, double, touch: press.touch, held });
  }

  private cancelled(e: PointerEvent): void {
    this.touches.delete(e.pointerId);
    this.cancel();
  }

  private cancel(): void {
    this.press = null;
    this.hideShapes();
  }

  private hideShapes(): void {
    clearTimeout(this.restTimer);
    this.handlers.drawingBox(null);
    this.handlers.drawingLine(null);
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    const p = this.point(e);
    // Trackpads send many small steps, and a pinch as a wheel with ctrl.
    const notches = e.deltaMode === 1 ? e.deltaY / 3 : e.deltaY / (e.ctrlKey ? 12 : 100);
    this.handlers.zoom(Math.max(-3, Math.min(3, notches)), p.x, p.y);
  }

  private spread(): number {
    const [a, b] = [...this.touches.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }
}

function boxOf(a: { x: number; y: number }, b: { x: number; y: number }): Box {
  return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

function lineOf(press: Press, to: { x: number; y: number }): Line {
  return { x0: press.x, y0: press.y, x1: to.x, y1: to.y, right: press.button === 2 };
}
