// The minimap: landscape, fog and units in three layers, pings and the camera's
// outline over them. Each layer is a canvas that is drawn when its part changed
// (minimaplayers.ts), ten times a second at most; the landscape is drawn once.

import {
  CONTACT_CELL,
  FEATURES,
  hasState,
  type Mask,
  type MatchState,
  NO_OWNER,
  type TypeInfo,
  typeOf,
} from "@fogkeep/client";
import type { ReadonlySignal } from "@preact/signals";
import { clippedMax, clipToMap } from "../draw/clip";
import { traceEmblem } from "../draw/emblem";
import { ACCENT, CONTACT, LAMP, NEUTRAL, OUTSIDE, RESOURCE, SOUND, WATER_FROM_ABOVE } from "../draw/palette";
import { blank, FogLayer, landscape } from "../draw/topdown";
import { OUTLINE_POINTS } from "../render/camera";
import { partOut } from "../render/models";
import type { Renderer } from "../render/renderer";
import { t } from "../text/text";
import { h, ICONS, icon } from "../ui/dom";
import { MARK, type Marks, MinimapLayers, type MinimapPainter, type OutlinePixels } from "./minimaplayers";
import type { SavedViews } from "./quickbar";

/** Pixels a side; the page shows it smaller. */
const SIZE = 400;
const PERIOD_MS = 100;
/** While only the camera moves. */
const OUTLINE_PERIOD_MS = 30;
const PING_MS = 3500;
const SOUND_MS = 1600;
const SOUNDS_MAX = 16;
/** How far a ripple of a sound grows: around a cell of 8 x 8 tiles. */
const SOUND_TILES = 6;
/** A side of the mark of a saved view. */
const VIEW_PX = 26;
const UNIT_PX = 6;
const RESOURCE_PX = 6;
const STRUCTURE_PX = 7;
const EDGE = "#05070a";
const FEATURE_PX = 4;
const FEATURE_COLORS: Readonly<Record<string, string>> = {
  obstacle: "#5f8a62",
  bridge: "#a58555",
  gate: NEUTRAL,
  pickup: LAMP,
  switch: NEUTRAL,
  flood: WATER_FROM_ABOVE,
};

export interface MinimapHandlers {
  /** Left press or drag: look there (tiles). */
  look(x: number, z: number): void;
  /** Right press: as a right click in the world. */
  order(x: number, z: number, queued: boolean): void;
  /** Left press while a command waits: as a click in the world; false without one. */
  aim(x: number, z: number, e: PointerEvent): boolean;
  /** Left press with Alt at a point of the page: pings there. */
  point(clientX: number, clientY: number): void;
  /** The button that starts a ping; absent for spectators. */
  pingMode?: () => void;
}

export class Minimap implements MinimapPainter {
  readonly element: HTMLElement;
  readonly layers = new MinimapLayers(this);
  private readonly canvas: HTMLCanvasElement;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly land: HTMLCanvasElement;
  private readonly fog: FogLayer;
  /** Whose sight is shown: the state's, or the sight of two together. */
  mask: Mask;
  /** Drawn over the ground, a pixel a tile. */
  tint: HTMLCanvasElement | null = null;
  /** Lists the marks besides the state: places in tiles. */
  also: ((list: (x: number, z: number, type: TypeInfo, owner: number) => void) => void) | null = null;
  /** Landscape and fog at the size of the minimap. */
  private readonly ground = layer();
  private readonly units = layer();
  private lastMs = 0;
  private lastOutlineMs = 0;
  /** Pixels a tile, and where the map begins on the canvas. */
  private readonly k: number;
  private readonly ox: number;
  private readonly oy: number;
  private readonly side: number;
  private readonly outline = new Float32Array(2 * OUTLINE_POINTS);
  private readonly clipped = new Float32Array(2 * clippedMax(OUTLINE_POINTS));
  private readonly room = new Float32Array(2 * clippedMax(OUTLINE_POINTS));
  /** Of the camera that {@link clipped} was made for. */
  private readonly from = { x: 0, y: 0, z: 0, aspect: 0 };
  /** Corners in {@link clipped}. */
  private corners = 0;
  private readonly sounds: { x: number; z: number; at: number }[] = [];
  private readonly pings: { x: number; z: number; color: string; emblem: number; at: number }[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly renderer: Renderer,
    private readonly views: ReadonlySignal<SavedViews>,
    handlers: MinimapHandlers,
  ) {
    const { map } = state.info;
    this.side = Math.max(map.width, map.height);
    this.k = SIZE / this.side;
    this.ox = Math.round(((this.side - map.width) / 2) * this.k);
    this.oy = Math.round(((this.side - map.height) / 2) * this.k);
    this.mask = state.mask;
    this.land = landscape(map);
    this.fog = new FogLayer(map.width, map.height);
    this.canvas = h("canvas", { class: "minimap-canvas", width: SIZE, height: SIZE });
    this.element = h(
      "div",
      {
        class: "panel minimap",
        role: "group",
        "aria-label": t("hud.minimap"),
      },
      this.canvas,
      handlers.pingMode
        ? h(
            "button",
            {
              type: "button",
              class: "ghost-button ping-button",
              "aria-label": t("hud.pingButton"),
              title: t("hud.pingButton"),
              onclick: handlers.pingMode,
            },
            icon(ICONS.ping),
          )
        : null,
    );
    this.ctx = context(this.canvas);
    this.listen(handlers);
    views.subscribe(() => this.layers.invalidate());
  }

  /** Shows a ring that shrinks to a place (tiles), with an emblem if one is given. */
  ping(x: number, z: number, color: string, emblem = -1): void {
    this.pings.push({ x, z, color, emblem, at: performance.now() });
    if (this.pings.length > 8) this.pings.shift();
  }

  /** Shows a ripple as wide as a cell of sounds, around the cell's middle (tiles). */
  sound(x: number, z: number): void {
    this.sounds.push({ x, z, at: performance.now() });
    if (this.sounds.length > SOUNDS_MAX) this.sounds.shift();
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
    while (this.pings.length > 0 && nowMs - this.pings[0].at >= PING_MS) this.pings.shift();
    while (this.sounds.length > 0 && nowMs - this.sounds[0].at >= SOUND_MS) this.sounds.shift();
    const pings = this.pings.length + this.sounds.length + this.state.radar.list.length > 0;
    if (nowMs - this.lastMs >= PERIOD_MS) {
      this.lastMs = nowMs;
      this.lastOutlineMs = nowMs;
      this.layers.draw(this.mask.revision + (this.tint ? 0.5 : 0), this.renderer.colors.revision, pings);
    } else if (nowMs - this.lastOutlineMs >= OUTLINE_PERIOD_MS) {
      this.lastOutlineMs = nowMs;
      this.layers.drawOver(pings);
    }
  }

  paintFog(): void {
    const { info } = this.state;
    const { mask } = this;
    const { ground, k, ox, oy } = this;
    this.fog.paint((t) => (mask.visible(t) ? 2 : mask.explored(t) ? 1 : 0));
    ground.fillStyle = OUTSIDE;
    ground.fillRect(0, 0, SIZE, SIZE);
    ground.imageSmoothingEnabled = k < 2;
    ground.drawImage(this.land, ox, oy, info.map.width * k, info.map.height * k);
    ground.imageSmoothingEnabled = true;
    ground.drawImage(this.fog.canvas, ox, oy, info.map.width * k, info.map.height * k);
    if (this.tint) ground.drawImage(this.tint, ox, oy, info.map.width * k, info.map.height * k);
    ground.strokeStyle = ACCENT;
    ground.lineWidth = 2;
    for (const a of info.modeAreas) {
      ground.beginPath();
      ground.arc(ox + a.x * k, oy + a.y * k, a.radius * k, 0, Math.PI * 2);
      ground.stroke();
    }
  }

  /** Small units come last, so that they are not covered. */
  listUnits(out: Marks): void {
    const { info, ghosts } = this.state;
    for (const g of ghosts.values()) {
      const type = typeOf(info.rules, g.type);
      this.list(out, MARK.ghost, g.x / 1024, g.y / 1024, type, g.owner, g.amount);
    }
    this.listClass(out, "resource", MARK.resource);
    this.listClass(out, "structure", MARK.structure);
    this.listClass(out, "unit", MARK.unit);
    this.also?.((x, z, type, owner) => {
      if (type.class === "unit" || type.class === "structure")
        this.list(out, type.class === "unit" ? MARK.unit : MARK.structure, x, z, type, owner);
    });
  }

  private listClass(out: Marks, cls: TypeInfo["class"], mark: number): void {
    const { world, info } = this.state;
    const { poses, drawn } = this.renderer.entities;
    for (let row = 0; row < drawn; row++) {
      const s = poses.slot[row];
      const type = typeOf(info.rules, world.type[s]);
      if (type.class === cls)
        this.list(out, mark, poses.x[row], poses.z[row], type, world.owner[s], world.amount[s]);
    }
  }

  private list(
    out: Marks,
    mark: number,
    x: number,
    z: number,
    type: TypeInfo,
    owner: number,
    amount = 0,
  ): void {
    const { k, ox, oy } = this;
    if (type.feature in FEATURE_COLORS && owner === NO_OWNER) {
      // Full while its moving part is out, as far as the team knows.
      const look = !hasState(type) || partOut(type, amount) > 0 ? MARK.feature : MARK.open;
      const size = Math.max(FEATURE_PX, Math.round(type.footprint * k));
      out.add(look, Math.floor(ox + x * k), Math.floor(oy + z * k), size, FEATURES.indexOf(type.feature));
      return;
    }
    const size =
      mark === MARK.unit
        ? UNIT_PX
        : mark === MARK.resource
          ? RESOURCE_PX
          : Math.max(STRUCTURE_PX, Math.round(type.footprint * k));
    out.add(mark, Math.floor(ox + x * k), Math.floor(oy + z * k), size, owner);
  }

  paintUnits(marks: Marks): void {
    const { units } = this;
    const { players } = this.state.info;
    units.clearRect(0, 0, SIZE, SIZE);
    for (let n = 0; n < marks.count; n++) {
      const x = marks.x(n);
      const y = marks.y(n);
      const size = marks.size(n);
      const owner = marks.owner(n);
      const left = x - (size >> 1);
      const top = y - (size >> 1);
      const mark = marks.mark(n);
      if (mark === MARK.feature || mark === MARK.open) {
        units.fillStyle = units.strokeStyle = FEATURE_COLORS[FEATURES[owner]];
        units.lineWidth = 1;
        if (mark === MARK.feature) units.fillRect(left, top, size, size);
        else units.strokeRect(left + 0.5, top + 0.5, size - 1, size - 1);
        continue;
      }
      const color = mark === MARK.resource ? RESOURCE : this.renderer.colors.hexOf(owner);
      const player = players[owner];
      if (mark === MARK.ghost) {
        units.globalAlpha = 0.7;
        units.strokeStyle = color;
        units.lineWidth = 1;
        units.strokeRect(left + 0.5, top + 0.5, size - 1, size - 1);
        units.globalAlpha = 1;
      } else if (mark === MARK.structure && player) {
        traceEmblem(units, player.color, x + 0.5, y + 0.5, size * 0.575);
        units.lineWidth = 2;
        units.strokeStyle = EDGE;
        units.stroke();
        units.fillStyle = color;
        units.fill();
      } else {
        units.fillStyle = EDGE;
        units.fillRect(left - 1, top - 1, size + 2, size + 2);
        units.fillStyle = color;
        units.fillRect(left, top, size, size);
      }
    }
  }

  listOutline(out: OutlinePixels): void {
    const { map } = this.state.info;
    const { k, ox, oy, clipped } = this;
    const { camera } = this.renderer;
    const { aspect, position } = camera.perspective;
    const { from } = this;
    const moved =
      Math.abs(position.x - from.x) + Math.abs(position.y - from.y) + Math.abs(position.z - from.z);
    // Rays are sent only when the camera moved.
    if (moved > 1e-3 || aspect !== from.aspect) {
      from.x = position.x;
      from.y = position.y;
      from.z = position.z;
      from.aspect = aspect;
      const points = camera.outline(this.outline);
      this.corners = clipToMap(this.outline, points, map.width, map.height, clipped, this.room);
    }
    const n = this.corners;
    for (let i = 0; i < n; i++)
      out.add(Math.round(ox + clipped[2 * i] * k), Math.round(oy + clipped[2 * i + 1] * k));
  }

  compose(outline: OutlinePixels): void {
    const { ctx } = this;
    ctx.drawImage(this.ground.canvas, 0, 0);
    ctx.drawImage(this.units.canvas, 0, 0);
    this.drawViews();
    this.drawPings(performance.now());
    if (outline.count === 0) return;
    ctx.beginPath();
    // Lines at the canvas's border stay on it.
    for (let i = 0; i < outline.count; i++)
      ctx.lineTo(inside(outline.cells[2 * i]), inside(outline.cells[2 * i + 1]));
    ctx.closePath();
    ctx.lineJoin = "round";
    ctx.fillStyle = "rgba(255,255,255,.07)";
    ctx.fill();
    ctx.strokeStyle = "rgba(5,7,10,.75)";
    ctx.lineWidth = 4;
    ctx.stroke();
    ctx.strokeStyle = "rgba(255,255,255,.95)";
    ctx.lineWidth = 2;
    ctx.stroke();
  }

  /** The saved views of the camera, by their numbers. */
  private drawViews(): void {
    const { ctx, k, ox, oy } = this;
    const most = SIZE - VIEW_PX / 2;
    ctx.font = `bold ${VIEW_PX - 6}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 2;
    for (const [n, view] of this.views.value.entries()) {
      if (!view) continue;
      const x = Math.max(VIEW_PX / 2, Math.min(most, ox + view.x * k));
      const y = Math.max(VIEW_PX / 2, Math.min(most, oy + view.z * k));
      ctx.beginPath();
      ctx.roundRect(x - VIEW_PX / 2, y - VIEW_PX / 2, VIEW_PX, VIEW_PX, 5);
      ctx.fillStyle = "rgba(5,7,10,.8)";
      ctx.fill();
      ctx.strokeStyle = ACCENT;
      ctx.stroke();
      ctx.fillStyle = "#fff";
      ctx.fillText(String(n + 1), x, y + 1);
    }
  }

  private drawPings(nowMs: number): void {
    const { ctx, k, ox, oy } = this;
    for (const p of this.pings) {
      const t = (nowMs - p.at) / PING_MS;
      const x = ox + p.x * k;
      const y = oy + p.z * k;
      ctx.strokeStyle = p.color;
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.arc(x, y, 13 + 60 * Math.max(0, 1 - t * 3.5), 0, Math.PI * 2);
      ctx.stroke();
      if (p.emblem < 0) continue;
      ctx.fillStyle = p.color;
      traceEmblem(ctx, p.emblem, x, y, 8);
      ctx.fill();
    }
    const { radar, tick } = this.state;
    for (const c of radar.list) {
      // A disc in the cell, with the shape of its class; it fades as the contact gets old.
      const x = ox + (c.x / 1024) * k;
      const y = oy + (c.y / 1024) * k;
      ctx.strokeStyle = CONTACT;
      ctx.globalAlpha = radar.left(c, tick);
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(x, y, (CONTACT_CELL / 2) * k, 0, Math.PI * 2);
      ctx.stroke();
      traceEmblem(ctx, c.what, x, y, CONTACT_CELL * k * 0.2);
      ctx.stroke();
    }
    for (const s of this.sounds) {
      const t = (nowMs - s.at) / SOUND_MS;
      ctx.strokeStyle = SOUND;
      ctx.globalAlpha = 1 - t;
      ctx.lineWidth = 2;
      for (const ring of [t, t / 2]) {
        ctx.beginPath();
        ctx.arc(ox + s.x * k, oy + s.z * k, 3 + SOUND_TILES * k * ring, 0, Math.PI * 2);
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
  }

  private listen(handlers: MinimapHandlers): void {
    /** The pointer that drags the view; a second finger has no effect. */
    let dragging: number | null = null;
    const at = (e: PointerEvent) => {
      const { map } = this.state.info;
      const { x, z } = this.unclamped(e.clientX, e.clientY);
      return { x: Math.max(0, Math.min(map.width, x)), z: Math.max(0, Math.min(map.height, z)) };
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      const { x, z } = at(e);
      e.preventDefault();
      if (dragging !== null) return;
      if (e.button === 2) {
        handlers.order(x, z, e.shiftKey);
        return;
      }
      if (e.button === 0 && e.altKey) {
        handlers.point(e.clientX, e.clientY);
        return;
      }
      if (e.button !== 0 || handlers.aim(x, z, e)) return;
      dragging = e.pointerId;
      this.canvas.setPointerCapture(e.pointerId);
      handlers.look(x, z);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (dragging !== e.pointerId) return;
      const { x, z } = at(e);
      handlers.look(x, z);
    });
    const end = (e: PointerEvent) => {
      if (dragging === e.pointerId) dragging = null;
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }
}

const inside = (px: number): number => Math.max(1, Math.min(SIZE - 1, px));

function layer(): CanvasRenderingContext2D {
  return context(blank(SIZE, SIZE));
}

function context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("no 2D canvas");
  return ctx;
}
