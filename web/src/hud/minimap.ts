// The minimap: landscape, fog and units in three layers, the camera's outline
// over them. Ten times a second at most; the landscape is drawn once.

import { traceEmblem } from "../draw/emblem";
import { OUTSIDE, RESOURCE } from "../draw/palette";
import { FogLayer, landscape } from "../draw/topdown";
import type { Renderer } from "../render/renderer";
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
  /** Left press while a command waits: as a click in the world; false when none waits. */
  aim(x: number, z: number, e: PointerEvent): boolean;
  /** Left press with Alt at a point of the page: pings there. */
  point(clientX: number, clientY: number): void;
  /** The button that starts a ping; absent for spectators. */
  pingMode?: () => void;
}

export class Minimap {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly land: HTMLCanvasElement;
  private readonly fog: FogLayer;
  private fogRevision = -1;
  private lastMs = 0;
  private readonly trapezoid = new Float32Array(8);
  private readonly side: number;
  private readonly pings: { x: number; z: number; color: string; emblem: number; at: number }[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly renderer: Renderer,
    handlers: MinimapHandlers,
  ) {
    const { map } = state.info;
    this.side = Math.max(map.width, map.height);
    this.land = landscape(map);
    this.fog = new FogLayer(map.width, map.height);
    this.canvas = h("canvas", { class: "minimap-canvas", width: 400, height: 400 });
    this.element = h(
      "div",
      {
        class: "panel minimap",
        role: "group",
        "aria-label": "Minimap: click to look there, right click to order there, Alt and click to ping there",
      },
      this.canvas,
      handlers.pingMode
        ? h(
            "button",
            {
              type: "button",
              class: "ghost-button ping-button",
              "aria-label": "Ping the map for your team",
              title: "Ping the map for your team",
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

  /** Shows a ring that shrinks to a place (tiles), with an emblem if one is given. */
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
    ctx.fillStyle = OUTSIDE;
    ctx.fillRect(0, 0, size, size);
    ctx.setTransform(1, 0, 0, 1, ox, oy);
    ctx.imageSmoothingEnabled = k < 2;
    ctx.drawImage(this.land, 0, 0, map.width * k, map.height * k);
    this.refreshFog();
    ctx.imageSmoothingEnabled = true;
    ctx.drawImage(this.fog.canvas, 0, 0, map.width * k, map.height * k);
    this.drawUnits(k);
    this.drawPings(nowMs, k);
    this.drawCamera(k);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
  }

  private refreshFog(): void {
    const { mask } = this.state;
    if (mask.revision === this.fogRevision) return;
    this.fogRevision = mask.revision;
    this.fog.paint((t) => (mask.visible(t) ? 2 : mask.explored(t) ? 1 : 0));
  }

  private drawUnits(k: number): void {
    const { world, info, ghosts } = this.state;
    const { poses } = this.renderer.entities;
    const { ctx } = this;
    for (const g of ghosts.values()) {
      const half = (typeOf(info.rules, g.type).footprint / 2) * k;
      ctx.strokeStyle = this.renderer.colors.hexOf(g.owner);
      ctx.globalAlpha = 0.7;
      ctx.strokeRect((g.x / 1024) * k - half, (g.y / 1024) * k - half, half * 2, half * 2);
      ctx.globalAlpha = 1;
    }
    for (let row = 0; row < this.renderer.entities.drawn; row++) {
      const s = poses.slot[row];
      const type = typeOf(info.rules, world.type[s]);
      if (type.class === "projectile") continue;
      ctx.fillStyle = type.class === "resource" ? RESOURCE : this.renderer.colors.hexOf(world.owner[s]);
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
    this.renderer.camera.trapezoid(this.trapezoid);
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
