// One canvas with a match from above. Several may share a camera, so that two
// teams' eyes are looked at side by side. It redraws once a frame at most, and
// only if something changed.
//
// Mouse: drag moves, the wheel zooms, a click selects. Touch: one finger moves,
// two zoom. Keys are the page's.

import { effect, type Signal } from "@preact/signals";
import { h } from "../../ui/dom";
import { type Camera, frame, type Point, pan, reveal, toMap, wholeMap, zoomAt } from "./camera";
import { drawScene, type Scene, widthOf } from "./scene";
import type { Entity } from "./shapes";

/** A pointer that moved less is a click, in CSS pixels. */
const SLOP = 4;
/** How far from an entity a click still hits it, in CSS pixels. */
const PICK = 8;
/** Of buttons and keys. */
export const ZOOM_STEP = 1.5;
const WHEEL_STEP = 1.0015;

export interface MapEvents {
  /** It is about to draw for the first time. */
  drawn(): void;
  /** The thing under the pointer; null: the pointer left. */
  hover(tile: Point | null, entity: Entity | null): void;
  select(tile: Point, entity: Entity | null): void;
}

export class MapView {
  readonly element: HTMLCanvasElement;
  private scene: Scene | null = null;
  private waiting = 0;
  private drawn = false;
  private readonly pointers = new Map<number, Point>();
  private moved = 0;
  private readonly resized: ResizeObserver;
  private readonly unwatch: () => void;

  constructor(
    /** Null: the whole map, whatever the size of the view. */
    private readonly camera: Signal<Camera | null>,
    label: string,
    private readonly on: MapEvents,
  ) {
    const el = h("canvas", { class: "map-canvas", "aria-label": label, role: "img" });
    this.element = el;
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(el);
    this.unwatch = effect(() => {
      camera.value;
      this.draw();
    });
    el.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    el.addEventListener("pointerdown", (e) => this.down(e));
    el.addEventListener("pointermove", (e) => this.move(e));
    el.addEventListener("pointerup", (e) => this.up(e));
    el.addEventListener("pointercancel", (e) => this.pointers.delete(e.pointerId));
    el.addEventListener("pointerleave", () => this.on.hover(null, null));
  }

  close(): void {
    this.resized.disconnect();
    this.unwatch();
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.draw();
  }

  get size() {
    return { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  /** The camera as it is; null: nothing is shown yet. */
  get at(): Camera | null {
    return (
      this.camera.peek() ?? (this.scene && this.size.width > 0 ? wholeMap(this.scene.map, this.size) : null)
    );
  }

  // The actions of buttons and keys.

  zoom(factor: number): void {
    const { width, height } = this.size;
    this.zoomTo(factor, { x: width / 2, y: height / 2 });
  }

  pan(dx: number, dy: number): void {
    const c = this.at;
    if (c && this.scene) this.camera.value = pan(c, dx, dy, this.scene.map);
  }

  whole(): void {
    this.camera.value = null;
  }

  /** Moves so that a point is in sight. */
  reveal(p: Point): void {
    const c = this.at;
    if (!c || !this.scene) return;
    const to = reveal(c, p, this.size, this.scene.map);
    if (to !== c) this.camera.value = to;
  }

  /** Shows some points large. */
  frame(points: readonly Point[]): void {
    if (this.scene && this.size.width > 0 && points.length > 0)
      this.camera.value = frame(points, this.size, this.scene.map);
  }

  private zoomTo(factor: number, at: Point): void {
    const c = this.at;
    if (c && this.scene) this.camera.value = zoomAt(c, factor, at, this.size, this.scene.map);
  }

  /** Draws with the next frame. */
  private draw(): void {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.now();
    });
  }

  private now(): void {
    const { scene, size, element: el } = this;
    if (!scene || size.width === 0 || size.height === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (el.width !== width || el.height !== height) {
      el.width = width;
      el.height = height;
    }
    const ctx = el.getContext("2d");
    if (!ctx) return;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (!this.drawn) this.on.drawn();
    this.drawn = true;
    drawScene(ctx, scene, this.camera.peek() ?? wholeMap(scene.map, size), size);
  }

  private pointOf(e: PointerEvent | WheelEvent): Point {
    const box = this.element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    // A page of a wheel that counts in lines; trackpads pinch with the control key and small steps.
    const dy = e.deltaY * (e.deltaMode === 1 ? 20 : 1) * (e.ctrlKey ? 6 : 1);
    this.zoomTo(WHEEL_STEP ** -dy, this.pointOf(e));
  }

  private down(e: PointerEvent): void {
    if (e.button > 1) return;
    this.element.setPointerCapture(e.pointerId);
    if (this.pointers.size === 0) this.moved = 0;
    this.pointers.set(e.pointerId, this.pointOf(e));
  }

  private move(e: PointerEvent): void {
    const to = this.pointOf(e);
    const from = this.pointers.get(e.pointerId);
    const c = this.at;
    if (!c || !this.scene) return;
    if (!from) {
      this.on.hover(...this.under(to));
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    this.moved += Math.hypot(to.x - from.x, to.y - from.y);
    this.pointers.set(e.pointerId, to);
    const { map } = this.scene;
    if (others.length === 0) {
      if (this.moved > SLOP) this.camera.value = pan(c, to.x - from.x, to.y - from.y, map);
      return;
    }
    const [other] = others;
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    this.moved += SLOP; // two fingers never click
    const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
    const moved = pan(c, (to.x - from.x) / 2, (to.y - from.y) / 2, map);
    this.camera.value = zoomAt(moved, after / Math.max(1, before), middle, this.size, map);
  }

  private up(e: PointerEvent): void {
    if (!this.pointers.delete(e.pointerId) || this.pointers.size > 0) return;
    if (this.moved > SLOP) return;
    const [tile, entity] = this.under(this.pointOf(e));
    if (tile) this.on.select(tile, entity);
  }

  /** The tile and the entity at a point of the view. */
  private under(p: Point): [Point | null, Entity | null] {
    const c = this.at;
    if (!c || !this.scene) return [null, null];
    const at = toMap(c, this.size, p);
    const { map } = this.scene;
    const tile = { x: Math.floor(at.x), y: Math.floor(at.y) };
    if (tile.x < 0 || tile.y < 0 || tile.x >= map.width || tile.y >= map.height) return [null, null];
    return [tile, pick(this.scene.entities, at, PICK / c.zoom)];
  }
}

/** The entity at a point of the map, or the nearest within `slop` tiles. A unit goes before what it stands on. */
export function pick(entities: readonly Entity[], at: Point, slop: number): Entity | null {
  let best: Entity | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const e of entities) {
    const [dx, dy] = [Math.abs(e.x - at.x), Math.abs(e.y - at.y)];
    const unit = e.shape === "unit" || e.shape === "projectile";
    const away = (unit ? Math.hypot(dx, dy) : Math.max(dx, dy)) - widthOf(e) / 2;
    if (away > slop) continue;
    const order = unit && away <= slop / 2 ? away - 1e6 : Math.max(0, away);
    if (order < least) {
      least = order;
      best = e;
    }
  }
  return best;
}
