// Turns events of mouse and touch over a canvas into gestures: click, box, line,
// order, drag, zoom. It knows pixels, not units.

/** A press that moves less than this is a click. */
const SLOP_PX = 4;
const TOUCH_SLOP_PX = 10;
const LONG_PRESS_MS = 350;
const DOUBLE_MS = 300;

export interface PointerHandlers {
  hover(x: number, y: number): void;
  click(x: number, y: number, keys: ClickKeys): void;
  /** While the box is drawn; null when it is gone. */
  drawingBox(box: Box | null): void;
  box(box: Box, keys: { shift: boolean; ctrl: boolean }): void;
  /** While a line is drawn with the right button; null when it is gone. */
  drawingLine(line: Box | null): void;
  /** A line from (x0, y0) to (x1, y1), with the right button. */
  line(line: Box, keys: { shift: boolean }): void;
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
}

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

interface Press {
  x: number;
  y: number;
  button: number;
  ms: number;
  touch: boolean;
  moved: boolean;
  /** It draws a box. Decided when the press begins to move, so that a slow pan does not become a box. */
  boxes: boolean;
}

export class PointerInput {
  /** Last place of the mouse, page pixels over the canvas, or null when outside. */
  at: { x: number; y: number } | null = null;
  private press: Press | null = null;
  private lastClick = { x: 0, y: 0, ms: -1e9 };
  private readonly touches = new Map<number, { x: number; y: number }>();
  private pinch = 0;
  private readonly abort = new AbortController();

  constructor(
    private readonly canvas: HTMLElement,
    private readonly handlers: PointerHandlers,
  ) {
    const o = { signal: this.abort.signal };
    canvas.addEventListener("pointerdown", (e) => this.down(e), o);
    window.addEventListener("pointermove", (e) => this.move(e), o);
    window.addEventListener("pointerup", (e) => this.up(e), o);
    window.addEventListener("pointercancel", () => this.cancel(), o);
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
      if (this.touches.size === 2) {
        this.pinch = this.spread();
        this.cancel();
        return;
      }
    }
    if (e.button === 1) e.preventDefault();
    this.press = { ...p, button: e.button, ms: e.timeStamp, touch, moved: false, boxes: false };
    this.at = p; // a touch has no earlier position
    this.canvas.setPointerCapture?.(e.pointerId);
  }

  private move(e: PointerEvent): void {
    const p = this.point(e);
    const last = this.at ?? p;
    this.at = p;
    if (e.pointerType === "touch" && this.touches.has(e.pointerId)) {
      const before = this.touches.get(e.pointerId) ?? p;
      this.touches.set(e.pointerId, p);
      if (this.touches.size === 2) {
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
    const slop = press.touch ? TOUCH_SLOP_PX : SLOP_PX;
    if (!press.moved && Math.hypot(p.x - press.x, p.y - press.y) > slop) {
      press.moved = true;
      // A finger that rested before it moved draws a box; any other moves the map.
      press.boxes = press.button === 0 && (!press.touch || e.timeStamp - press.ms > LONG_PRESS_MS);
    }
    if (!press.moved) return;
    if (press.boxes) this.handlers.drawingBox(boxOf(press, p));
    else if (press.button === 2) this.handlers.drawingLine({ x0: press.x, y0: press.y, x1: p.x, y1: p.y });
    else if (press.button === 1 || press.touch) this.handlers.drag(p.x - last.x, p.y - last.y);
  }

  private up(e: PointerEvent): void {
    this.touches.delete(e.pointerId);
    const press = this.press;
    this.press = null;
    if (!press) return;
    const p = this.point(e);
    const keys = { shift: e.shiftKey, ctrl: e.ctrlKey || e.metaKey };
    this.handlers.drawingBox(null);
    this.handlers.drawingLine(null);
    if (press.moved) {
      if (press.boxes) {
        this.handlers.box(boxOf(press, p), keys);
      } else if (press.button === 2) {
        this.handlers.line({ x0: press.x, y0: press.y, x1: p.x, y1: p.y }, keys);
      }
      return;
    }
    if (press.button === 2) {
      this.handlers.order(p.x, p.y, keys);
      return;
    }
    if (press.button !== 0) return;
    const near = Math.hypot(p.x - this.lastClick.x, p.y - this.lastClick.y) <= SLOP_PX;
    const double = near && e.timeStamp - this.lastClick.ms <= DOUBLE_MS;
    this.lastClick = { ...p, ms: double ? -1e9 : e.timeStamp };
    this.handlers.click(p.x, p.y, { ...keys, alt: e.altKey, double, touch: press.touch });
  }

  private cancel(): void {
    this.press = null;
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
