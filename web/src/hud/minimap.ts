// The minimap: landscape, fog and units in three layers, the camera's outline
// over them. Ten times a second at most; the landscape is drawn once.

import { hash01 } from "../base/hash";
import { traceEmblem } from "../render/emblem";
import { GROUND, rgb } from "../render/palette";
import type { Stage } from "../render/stage";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";
import { h, ICONS, icon } from "../ui/dom";

const PERIOD_MS = 100;
const PING_MS = 3500;

export interface MinimapHandlers {
  /** Left press or drag: look there (tiles). */
  look(x: number, z: number): void;
  /** Right press: as a right click in the world. */
  order(x: number, z: number, queued: boolean): void;
  /** Left press while a mode waits: as a click in the world; false when none does. */
  aim(x: number, z: number, e: PointerEvent): boolean;
  /** Left press with Alt, a point of the page: points there for the team. */
  point(clientX: number, clientY: number): void;
  /** The button that starts a ping; absent for who may not point. */
  pingMode?: () => void;
}

export class Minimap {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly land: HTMLCanvasElement;
  private readonly fog: HTMLCanvasElement;
  private readonly fogImage: ImageData;
  private fogRevision = -1;
  private lastMs = 0;
  private readonly trapezoid = new Float32Array(8);
  private readonly side: number;
  private readonly pings: { x: number; z: number; color: string; emblem: number; at: number }[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly stage: Stage,
    handlers: MinimapHandlers,
  ) {
    const { map } = state.info;
    this.side = Math.max(map.width, map.height);
    this.land = landscape(state);
    this.fog = document.createElement("canvas");
    this.fog.width = map.width;
    this.fog.height = map.height;
    this.fogImage = new ImageData(map.width, map.height);
    this.canvas = h("canvas", { class: "minimap-canvas", width: 400, height: 400 });
    this.element = h(
      "div",
      {
        class: "panel minimap",
        role: "group",
        "aria-label":
          "Minimap: click to look there, right click to order there, Alt and click to point there",
      },
      this.canvas,
      handlers.pingMode
        ? h(
            "button",
            {
              type: "button",
              class: "ghost-button ping-button",
              "aria-label": "Point at the map for your team",
              title: "Point at the map for your team",
              onclick: handlers.pingMode,
            },
            icon(ICONS.ping),
          )
        : null,
    );
    const ctx = this.canvas.getContext("2d");
    if (!ctx) throw new Error("no 2D canvas");
    this.ctx = ctx;
    this.listen(handlers);
  }

  /** Shows a ring that shrinks to a place (tiles); with the number of an emblem, that sign stays in it. */
  ping(x: number, z: number, color: string, emblem = -1): void {
    this.pings.push({ x, z, color, emblem, at: performance.now() });
    if (this.pings.length > 8) this.pings.shift();
  }

  /** The place under a point of the page, in tiles; null when that is not on the map. */
  placeAt(clientX: number, clientY: number): { x: number; z: number } | null {
    const { x, z } = this.unclamped(clientX, clientY);
    const { map } = this.state.info;
    return x < 0 || z < 0 || x >= map.width || z >= map.height ? null : { x, z };
  }

  private unclamped(clientX: number, clientY: number): { x: number; z: number } {
    const box = this.canvas.getBoundingClientRect();
    const { map } = this.state.info;
    return {
      x: ((clientX - box.left) / box.width) * this.side - (this.side - map.width) / 2,
      z: ((clientY - box.top) / box.height) * this.side - (this.side - map.height) / 2,
    };
  }

  draw(nowMs: number): void {
    if (nowMs - this.lastMs < PERIOD_MS) return;
    this.lastMs = nowMs;
    const { ctx } = this;
    const { map } = this.state.info;
    const size = this.canvas.width;
    const k = size / this.side;
    const ox = ((this.side - map.width) / 2) * k;
    const oy = ((this.side - map.height) / 2) * k;
    ctx.fillStyle = "#05070a";
    ctx.fillRect(0, 0, size, size);
    ctx.setTransform(1, 0, 0, 1, ox, oy);
    ctx.imageSmoothingEnabled = k < 2;
    ctx.drawImage(this.land, 0, 0, map.width * k, map.height * k);
    this.refreshFog();
    ctx.imageSmoothingEnabled = true;
    ctx.drawImage(this.fog, 0, 0, map.width * k, map.height * k);
    this.drawUnits(k);
    this.drawPings(nowMs, k);
    this.drawCamera(k);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
  }

  private refreshFog(): void {
    const { mask } = this.state;
    if (mask.revision === this.fogRevision) return;
    this.fogRevision = mask.revision;
    const out = this.fogImage.data;
    for (let t = 0; t < mask.width * mask.height; t++) {
      const seen = mask.bytes[2 * t];
      const known = mask.bytes[2 * t + 1];
      out[4 * t] = 7;
      out[4 * t + 1] = 10;
      out[4 * t + 2] = 16;
      out[4 * t + 3] = seen ? 0 : known ? 138 : 250;
    }
    this.fog.getContext("2d")?.putImageData(this.fogImage, 0, 0);
  }

  private drawUnits(k: number): void {
    const { world, info, ghosts } = this.state;
    const { poses } = this.stage;
    const { ctx } = this;
    for (const g of ghosts.values()) {
      const half = (typeOf(info.rules, g.type).footprint / 2) * k;
      ctx.strokeStyle = this.stage.hexOf(g.owner);
      ctx.globalAlpha = 0.7;
      ctx.strokeRect((g.x / 1024) * k - half, (g.y / 1024) * k - half, half * 2, half * 2);
      ctx.globalAlpha = 1;
    }
    for (let row = 0; row < this.stage.drawn; row++) {
      const s = poses.slot[row];
      const type = typeOf(info.rules, world.type[s]);
      if (type.class === "projectile") continue;
      ctx.fillStyle = type.class === "resource" ? "#7fd0dc" : this.stage.hexOf(world.owner[s]);
      const half =
        type.class === "structure"
          ? Math.max(3.5, (type.footprint / 2) * k)
          : type.class === "resource"
            ? 2
            : 2.6;
      const x = poses.x[row] * k;
      const z = poses.z[row] * k;
      const player = info.players[world.owner[s]];
      if (player && type.class === "structure") {
        traceEmblem(ctx, player.color, x, z, half * 1.15);
        ctx.fill();
        continue;
      }
      ctx.fillRect(x - half, z - half, half * 2, half * 2);
    }
  }

  private drawPings(nowMs: number, k: number): void {
    for (const p of this.pings) {
      const t = (nowMs - p.at) / PING_MS;
      if (t >= 1) continue;
      this.ctx.strokeStyle = p.color;
      this.ctx.lineWidth = 3;
      this.ctx.beginPath();
      this.ctx.arc(p.x * k, p.z * k, 13 + 60 * Math.max(0, 1 - t * 3.5), 0, Math.PI * 2);
      this.ctx.stroke();
      if (p.emblem < 0) continue;
      this.ctx.fillStyle = p.color;
      traceEmblem(this.ctx, p.emblem, p.x * k, p.z * k, 8);
      this.ctx.fill();
    }
  }

  private drawCamera(k: number): void {
    this.stage.eye.trapezoid(this.trapezoid);
    const { ctx } = this;
    const q = this.trapezoid;
    ctx.strokeStyle = "rgba(255,255,255,.9)";
    ctx.lineWidth = 2;
    ctx.beginPath();
    for (let i = 0; i < 4; i++) ctx.lineTo(q[2 * i] * k, q[2 * i + 1] * k);
    ctx.closePath();
    ctx.stroke();
  }

  private listen(handlers: MinimapHandlers): void {
    let dragging = false;
    const at = (e: PointerEvent) => {
      const { map } = this.state.info;
      const { x, z } = this.unclamped(e.clientX, e.clientY);
      return { x: Math.max(0, Math.min(map.width, x)), z: Math.max(0, Math.min(map.height, z)) };
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      const { x, z } = at(e);
      e.preventDefault();
      if (e.button === 2) {
        handlers.order(x, z, e.shiftKey);
        return;
      }
      if (e.button === 0 && e.altKey) {
        handlers.point(e.clientX, e.clientY);
        return;
      }
      if (e.button !== 0 || handlers.aim(x, z, e)) return;
      dragging = true;
      this.canvas.setPointerCapture(e.pointerId);
      handlers.look(x, z);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!dragging) return;
      const { x, z } = at(e);
      handlers.look(x, z);
    });
    const end = () => {
      dragging = false;
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }
}

/** The land from above, one pixel a tile, lit from the upper left. */
export function landscape(state: { info: { map: MatchState["info"]["map"] } }): HTMLCanvasElement {
  const { map } = state.info;
  const canvas = document.createElement("canvas");
  canvas.width = map.width;
  canvas.height = map.height;
  const image = new ImageData(map.width, map.height);
  const colors = GROUND.map(rgb);
  for (let y = 0; y < map.height; y++) {
    for (let x = 0; x < map.width; x++) {
      const t = y * map.width + x;
      const level = map.levels[t];
      const nw = map.levels[Math.max(0, y - 1) * map.width + Math.max(0, x - 1)];
      const light =
        1.35 + level * 0.07 + Math.max(-0.3, Math.min(0.3, (level - nw) * 0.22)) + hash01(x, y, 3) * 0.06;
      const c = map.terrain[t] === 7 ? [0.16, 0.27, 0.36] : colors[map.terrain[t]];
      for (let k = 0; k < 3; k++) image.data[4 * t + k] = Math.min(255, c[k] * 255 * light);
      image.data[4 * t + 3] = 255;
    }
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
