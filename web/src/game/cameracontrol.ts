// Moves the camera: by held keys, at the edges of the screen, to saved views
// and to entities.

import { type Handle, ownHandles } from "@fogkeep/client";
import { signal } from "@preact/signals";
import type { SavedView } from "../hud/quickbar";
import type { Action } from "../input/hotkeys";
import type { GameContext, PagePoint } from "./context";

const EDGE_PX = 6;
/** Views that can be saved. */
const VIEWS = 4;
/** Holding a zoom key for so long is one notch of the wheel. */
const NOTCH_MS = 90;

/** A place to look at, in tiles, and from how far. */
export interface Look extends SavedView {
  readonly distance: number;
}

export class CameraControl {
  /** The saved views, in the order of their numbers. */
  readonly views = signal<readonly (Look | null)[]>(Array.from({ length: VIEWS }, () => null));
  private nextBase = 0;

  constructor(private readonly context: GameContext) {}

  /** Moves for a frame; `held` says whether the key of an action is down. */
  move(dtMs: number, held: (action: Action) => boolean, pointer: PagePoint | null): void {
    const s = this.context.settings.value;
    const { camera } = this.context.renderer;
    if (held("zoomIn")) camera.zoom(-dtMs / NOTCH_MS, 0, 0);
    if (held("zoomOut")) camera.zoom(dtMs / NOTCH_MS, 0, 0);
    let dx = 0;
    let dz = 0;
    if (held("panLeft")) dx--;
    if (held("panRight")) dx++;
    if (held("panUp")) dz--;
    if (held("panDown")) dz++;
    const kept = document.fullscreenElement !== null || document.pointerLockElement !== null;
    const edges = s.edgeScroll === "always" || (s.edgeScroll === "fullscreen" && kept);
    if (edges && pointer) {
      if (pointer.x < EDGE_PX) dx--;
      if (pointer.x > innerWidth - EDGE_PX) dx++;
      if (pointer.y < EDGE_PX) dz--;
      if (pointer.y > innerHeight - EDGE_PX) dz++;
    }
    if (dx === 0 && dz === 0) return;
    const step = (s.panSpeed * (camera.height / 26) * dtMs) / 1000 / Math.hypot(dx, dz);
    camera.pan(dx * step, dz * step);
  }

  /** Where the camera is set to look. */
  get look(): Look {
    const { x, z, distance } = this.context.renderer.camera;
    return { x, z, distance };
  }

  save(n: number): void {
    this.views.value = this.views.value.map((was, k) => (k === n ? this.look : was));
  }

  restore(n: number): void {
    const view = this.views.value[n];
    if (!view) return;
    const { camera } = this.context.renderer;
    camera.distance = view.distance;
    camera.go(view.x, view.z);
  }

  /** Goes to the middle of some entities. */
  goTo(handles: Iterable<Handle>): void {
    const c = this.context.selection.center(handles);
    if (c) this.context.renderer.camera.go(c.x, c.z);
  }

  goToNextBase(): void {
    const { state } = this.context.match;
    const bases = ownHandles(state, (t) => t.class === "structure" && t.trains.length > 0);
    if (bases.length > 0) this.goTo([bases[this.nextBase++ % bases.length]]);
  }
}
