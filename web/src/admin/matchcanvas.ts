// A live match from above on a 2D canvas: the landscape, the fog of the chosen
// eyes, and every entity that they are told of.

import { decodeMap, loadMap } from "@fogkeep/client";
import {
  BAR_BACK,
  DANGER,
  GOOD,
  NEUTRAL,
  OUTSIDE,
  PROJECTILE,
  playerColor,
  RESOURCE,
  TEXT,
} from "../draw/palette";
import { FogLayer, landscape, type TileSight } from "../draw/topdown";
import type { LiveEntity, LiveMatch, LiveState } from "../gen/live";
import { h } from "../ui/dom";
import { unpackSight } from "./tilesight";

/** The most pixels of a side. */
const SIDE_MAX = 2400;

export class MatchCanvas {
  readonly element = h("canvas", { class: "field", tabIndex: 0, "aria-label": "The match from above" });
  state: LiveState | null = null;
  /** Of the last state: 0 unexplored, 1 explored, 2 visible; null with all eyes. */
  sight: Uint8Array | null = null;
  showNames = false;
  private land: HTMLCanvasElement | null = null;
  private readonly fog: FogLayer;
  /** Pixels of the canvas a tile is wide, and to one of the page. */
  private scale = 1;
  private ratio = 1;
  private readonly resized: ResizeObserver;

  constructor(
    private readonly match: LiveMatch,
    private readonly pointed: (e: LiveEntity | null, tile: { x: number; y: number } | null) => void,
  ) {
    const { map } = match;
    // The page's style fits it to the room that there is; it has a pixel for each of the screen.
    this.element.style.setProperty("--tiles-wide", String(map.width));
    this.element.style.setProperty("--tiles-high", String(map.height));
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.element);
    this.fog = new FogLayer(map.width, map.height);
    this.load().catch(() => undefined); // the entities are drawn without the landscape
    this.element.addEventListener("pointermove", (e) => this.point(e));
    this.element.addEventListener("pointerleave", () => this.pointed(null, null));
  }

  close(): void {
    this.resized.disconnect();
  }

  private fit(): void {
    const { map } = this.match;
    const wide = this.element.clientWidth;
    if (wide === 0) return;
    const most = SIDE_MAX / Math.max(map.width, map.height);
    this.scale = Math.min(most, (wide * (window.devicePixelRatio || 1)) / map.width);
    this.ratio = (this.scale * map.width) / wide;
    this.element.width = Math.round(map.width * this.scale);
    this.element.height = Math.round(map.height * this.scale);
    this.draw();
  }

  show(state: LiveState): void {
    this.state = state;
    const { width, height } = state;
    this.sight = state.sight && state.eyes !== "all" ? unpackSight(state.sight, width * height) : null;
    this.draw();
  }

  private async load(): Promise<void> {
    this.land = landscape(decodeMap(await loadMap(this.match.map.hash)));
    this.draw();
  }

  /** Draws the last state again. */
  draw(): void {
    const ctx = this.element.getContext("2d");
    if (!ctx) return;
    const { state } = this;
    const { width, height } = this.element;
    ctx.fillStyle = OUTSIDE;
    ctx.fillRect(0, 0, width, height);
    ctx.imageSmoothingEnabled = false;
    if (this.land) ctx.drawImage(this.land, 0, 0, width, height);
    if (this.sight) {
      const { sight } = this;
      this.fog.paint((t) => sight[t] as TileSight);
      ctx.drawImage(this.fog.canvas, 0, 0, width, height);
    }
    if (!state) return;
    for (const e of state.entities) this.drawOne(ctx, e);
  }

  private drawOne(ctx: CanvasRenderingContext2D, e: LiveEntity): void {
    const { scale: k, ratio } = this;
    const x = e.x * k;
    const y = e.y * k;
    const color = e.slot < 0 ? NEUTRAL : playerColor(this.colorOf(e.slot));
    const half = Math.max(2.5 * ratio, ((e.size || 0.7) * k) / 2);
    ctx.fillStyle = e.shape === "resource" ? RESOURCE : color;
    ctx.strokeStyle = OUTSIDE;
    ctx.lineWidth = ratio;
    if (e.shape === "structure") {
      ctx.fillRect(x - half, y - half, half * 2, half * 2);
      ctx.strokeRect(x - half, y - half, half * 2, half * 2);
    } else if (e.shape === "ghost") {
      ctx.strokeStyle = color;
      ctx.setLineDash([3 * ratio, 3 * ratio]);
      ctx.strokeRect(x - half, y - half, half * 2, half * 2);
      ctx.setLineDash([]);
    } else if (e.shape === "resource") {
      ctx.fillRect(x - half, y - half, half * 2, half * 2);
    } else if (e.shape === "projectile") {
      ctx.fillStyle = PROJECTILE;
      ctx.fillRect(x - 1.5 * ratio, y - 1.5 * ratio, 3 * ratio, 3 * ratio);
    } else {
      const r = Math.max(5 * ratio, half * 1.3);
      const a = (e.facing * Math.PI) / 128;
      ctx.beginPath();
      ctx.moveTo(x + Math.cos(a) * r * 1.3, y + Math.sin(a) * r * 1.3);
      ctx.lineTo(x + Math.cos(a + 2.5) * r, y + Math.sin(a + 2.5) * r);
      ctx.lineTo(x + Math.cos(a - 2.5) * r, y + Math.sin(a - 2.5) * r);
      ctx.closePath();
      ctx.fill();
      ctx.stroke();
    }
    if (e.hpMax > 0 && e.hp < e.hpMax && e.shape !== "ghost") {
      const top = y - half - 6 * ratio;
      ctx.fillStyle = BAR_BACK;
      ctx.fillRect(x - 8 * ratio, top, 16 * ratio, 3 * ratio);
      ctx.fillStyle = e.hp / e.hpMax > 0.35 ? GOOD : DANGER;
      ctx.fillRect(x - 8 * ratio, top, (16 * ratio * e.hp) / e.hpMax, 3 * ratio);
    }
    if (this.showNames && e.shape !== "projectile" && e.shape !== "resource") {
      ctx.fillStyle = TEXT;
      ctx.font = `${11 * ratio}px system-ui`;
      ctx.fillText(`${e.key} ${e.type}${e.doing ? ` · ${e.doing}` : ""}`, x + 7 * ratio, y + 4 * ratio);
    }
  }

  private colorOf(slot: number): number {
    return this.match.players.find((p) => p.slot === slot)?.color ?? slot;
  }

  private point(e: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const { map } = this.match;
    const x = ((e.clientX - box.left) / box.width) * map.width;
    const y = ((e.clientY - box.top) / box.height) * map.height;
    let best: LiveEntity | null = null;
    let bestD = 1.2;
    for (const thing of this.state?.entities ?? []) {
      const d = Math.hypot(thing.x - x, thing.y - y) - (thing.size || 0.7) / 2;
      if (d < bestD) {
        bestD = d;
        best = thing;
      }
    }
    this.pointed(best, { x: Math.floor(x), y: Math.floor(y) });
  }
}
