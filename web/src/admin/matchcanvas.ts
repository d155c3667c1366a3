// A live match from above on a 2D canvas: the landscape, the fog of the chosen
// eyes, and every entity that they are told of.

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
import { loadMap } from "../net/maps";
import { decodeMap } from "../state/map";
import { h } from "../ui/dom";
import { unpackSight } from "./tilesight";

const SIZE = 960;

export class MatchCanvas {
  readonly element = h("canvas", {
    class: "field",
    width: SIZE,
    height: SIZE,
    tabIndex: 0,
    "aria-label": "The match from above",
  });
  state: LiveState | null = null;
  /** Of the last state: 0 unexplored, 1 explored, 2 visible; null with all eyes. */
  sight: Uint8Array | null = null;
  showNames = false;
  private land: HTMLCanvasElement | null = null;
  private readonly fog: FogLayer;
  private scale = 1;
  private ox = 0;
  private oy = 0;

  constructor(
    private readonly match: LiveMatch,
    private readonly pointed: (e: LiveEntity | null, tile: { x: number; y: number } | null) => void,
  ) {
    const { map } = match;
    this.scale = SIZE / Math.max(map.width, map.height);
    this.ox = (SIZE - map.width * this.scale) / 2;
    this.oy = (SIZE - map.height * this.scale) / 2;
    this.fog = new FogLayer(map.width, map.height);
    this.load().catch(() => undefined); // the entities are drawn without the landscape
    this.element.addEventListener("pointermove", (e) => this.point(e));
    this.element.addEventListener("pointerleave", () => this.pointed(null, null));
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
    const { scale: k, ox, oy, match, state } = this;
    const w = match.map.width * k;
    const d = match.map.height * k;
    ctx.fillStyle = OUTSIDE;
    ctx.fillRect(0, 0, SIZE, SIZE);
    ctx.imageSmoothingEnabled = false;
    if (this.land) ctx.drawImage(this.land, ox, oy, w, d);
    if (this.sight) {
      const { sight } = this;
      this.fog.paint((t) => sight[t] as TileSight);
      ctx.drawImage(this.fog.canvas, ox, oy, w, d);
    }
    if (!state) return;
    for (const e of state.entities) this.drawOne(ctx, e);
  }

  private drawOne(ctx: CanvasRenderingContext2D, e: LiveEntity): void {
    const k = this.scale;
    const x = this.ox + e.x * k;
    const y = this.oy + e.y * k;
    const color = e.slot < 0 ? NEUTRAL : playerColor(this.colorOf(e.slot));
    const half = Math.max(2.5, ((e.size || 0.7) * k) / 2);
    ctx.fillStyle = e.shape === "resource" ? RESOURCE : color;
    ctx.strokeStyle = OUTSIDE;
    ctx.lineWidth = 1;
    if (e.shape === "structure") {
      ctx.fillRect(x - half, y - half, half * 2, half * 2);
      ctx.strokeRect(x - half, y - half, half * 2, half * 2);
    } else if (e.shape === "ghost") {
      ctx.strokeStyle = color;
      ctx.setLineDash([3, 3]);
      ctx.strokeRect(x - half, y - half, half * 2, half * 2);
      ctx.setLineDash([]);
    } else if (e.shape === "resource") {
      ctx.fillRect(x - half, y - half, half * 2, half * 2);
    } else if (e.shape === "projectile") {
      ctx.fillStyle = PROJECTILE;
      ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
    } else {
      const r = Math.max(7, half * 1.3);
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
      ctx.fillStyle = BAR_BACK;
      ctx.fillRect(x - 8, y - half - 6, 16, 3);
      ctx.fillStyle = e.hp / e.hpMax > 0.35 ? GOOD : DANGER;
      ctx.fillRect(x - 8, y - half - 6, (16 * e.hp) / e.hpMax, 3);
    }
    if (this.showNames && e.shape !== "projectile" && e.shape !== "resource") {
      ctx.fillStyle = TEXT;
      ctx.font = "11px system-ui";
      ctx.fillText(`${e.key} ${e.type}${e.doing ? ` · ${e.doing}` : ""}`, x + 7, y + 4);
    }
  }

  private colorOf(slot: number): number {
    return this.match.players.find((p) => p.slot === slot)?.color ?? slot;
  }

  private point(e: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const x = (((e.clientX - box.left) / box.width) * SIZE - this.ox) / this.scale;
    const y = (((e.clientY - box.top) / box.height) * SIZE - this.oy) / this.scale;
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
