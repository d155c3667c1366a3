// Arrows at the edge of the screen that point to alerts outside it, for as long
// as the alert's line is shown. A click moves the camera there.

import { emblem, h } from "../ui/dom";

const LIFE_MS = 7000;
const ARROWS_MAX = 6;

export interface View {
  width: number;
  height: number;
  /** Where a point of the ground (tiles) is on the page; false when it does not show there. */
  toPage(x: number, z: number, out: { x: number; y: number }): boolean;
  /** The camera's focus, tiles. */
  focusX: number;
  focusZ: number;
  /** How far the panels reach in from the page's edges, pixels. */
  inset: { top: number; bottom: number; side: number };
}

interface Arrow {
  readonly x: number;
  readonly z: number;
  readonly untilMs: number;
  readonly element: HTMLElement;
}

export class EdgeArrows {
  private arrows: Arrow[] = [];
  private readonly spot = { x: 0, y: 0 };

  constructor(private readonly parent: HTMLElement) {}

  get any(): boolean {
    return this.arrows.length > 0;
  }

  /** The words of the newest arrow that is drawn: its place is off the page. */
  get words(): string | null {
    return this.arrows.filter((a) => !a.element.hidden).at(-1)?.element.title ?? null;
  }

  /** Points to a place (tiles) for some seconds. */
  show(
    x: number,
    z: number,
    words: string,
    look: { color: string; emblem?: number },
    nowMs: number,
    go: () => void,
  ): void {
    while (this.arrows.length >= ARROWS_MAX) this.arrows.shift()?.element.remove();
    const element = h(
      "button",
      {
        type: "button",
        class: "edge-arrow",
        hidden: true,
        // By keyboard, the alert's line is used instead.
        tabIndex: -1,
        "aria-hidden": "true",
        title: words,
        style: `--arrow:${look.color}`,
        onclick: go,
      },
      h("i", null),
      look.emblem === undefined ? h("b", null, "!") : emblem(look.color, look.emblem),
    );
    this.parent.append(element);
    this.arrows.push({ x, z, untilMs: nowMs + LIFE_MS, element });
  }

  clear(): void {
    for (const a of this.arrows) a.element.remove();
    this.arrows = [];
  }

  update(nowMs: number, view: View): void {
    this.arrows = this.arrows.filter((a) => {
      if (nowMs < a.untilMs) return true;
      a.element.remove();
      return false;
    });
    for (const a of this.arrows) {
      const seen = view.toPage(a.x, a.z, this.spot);
      a.element.hidden = seen;
      if (seen) continue;
      const p = edgePoint(a.x - view.focusX, a.z - view.focusZ, view);
      const s = a.element.style;
      s.left = `${Math.round(p.x)}px`;
      s.top = `${Math.round(p.y)}px`;
      s.setProperty("--turn", `${p.angle.toFixed(3)}rad`);
    }
  }
}

/** The camera looks down at an angle: a tile to the north is shorter on the page than one to the east. */
const FORESHORTENING = 0.8;

/** Where a ray from the middle of the page leaves the part that is free of panels, and its angle (0 east, growing south). */
export function edgePoint(
  dx: number,
  dz: number,
  page: { width: number; height: number; inset: { top: number; bottom: number; side: number } },
): { x: number; y: number; angle: number } {
  const { width, height, inset } = page;
  const dy = dz * FORESHORTENING;
  const angle = Math.atan2(dy, dx);
  const cx = width / 2;
  const top = Math.min(inset.top, height / 2 - 1);
  const bottom = Math.max(top + 1, height - inset.bottom);
  const cy = (top + bottom) / 2;
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const reachX = (width / 2 - inset.side) / Math.max(1e-6, Math.abs(c));
  const reachY = (bottom - top) / 2 / Math.max(1e-6, Math.abs(s));
  const reach = Math.max(0, Math.min(reachX, reachY));
  return { x: cx + c * reach, y: cy + s * reach, angle };
}
