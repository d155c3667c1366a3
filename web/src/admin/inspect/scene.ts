// Draws what one view of the map shows. One pass over the entities sorts them by
// colour and shape, so that a view of thousands fills a few paths a frame.

import {
  ACCENT,
  BAR_BACK,
  DANGER,
  GOOD,
  NEUTRAL,
  OUTSIDE,
  PROJECTILE,
  playerColor,
  RESOURCE,
  TEXT,
} from "../../draw/palette";
import { type Camera, type Size, toMap } from "./camera";
import type { Mark } from "./marks";
import type { Entity } from "./shapes";
import { idName } from "./words";

/** The content of a view. Layers are canvases with one pixel a tile. */
export interface Scene {
  readonly map: Size;
  readonly land: HTMLCanvasElement | null;
  /** Fog, a difference, a heat map: drawn over the land, under the entities. */
  readonly layers: readonly HTMLCanvasElement[];
  readonly entities: readonly Entity[];
  /** The entities that are drawn pale: the other team's in a difference. */
  readonly pale?: (e: Entity) => boolean;
  readonly marks: readonly Mark[];
  readonly selected: Entity | null;
  /** It is selected, and these eyes do not see it: drawn hollow. */
  readonly unseen: Entity | null;
  readonly hovered: Entity | null;
  readonly pinned: readonly Entity[];
  readonly names: boolean;
  readonly colorOf: (slot: number) => number;
}

/** The width of an entity, in tiles. */
export const widthOf = (e: Entity): number => e.size || 0.8;

/** Tiles of grid lines are at least this large, in CSS pixels. */
const GRID_FROM = 14;
/** The ground of a map that the server does not have any more. */
const NO_LAND = "#3d463a";
/** Names are drawn if so few entities are in the view. */
const NAMES_MAX = 150;
/** The least half of an entity, in CSS pixels: it is seen on the largest maps. */
const HALF_MIN = 2.2;

export function drawScene(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, view: Size): void {
  const k = camera.zoom;
  const ox = view.width / 2 - camera.x * k;
  const oy = view.height / 2 - camera.y * k;
  ctx.fillStyle = OUTSIDE;
  ctx.fillRect(0, 0, view.width, view.height);
  ctx.imageSmoothingEnabled = false;
  if (!scene.land) {
    ctx.fillStyle = NO_LAND;
    ctx.fillRect(ox, oy, scene.map.width * k, scene.map.height * k);
  }
  for (const layer of [scene.land, ...scene.layers])
    if (layer) ctx.drawImage(layer, ox, oy, scene.map.width * k, scene.map.height * k);
  ctx.strokeStyle = "#2a3440";
  ctx.lineWidth = 1;
  ctx.strokeRect(ox - 0.5, oy - 0.5, scene.map.width * k + 1, scene.map.height * k + 1);
  if (k >= GRID_FROM) drawGrid(ctx, scene.map, camera, view, ox, oy);

  const from = toMap(camera, view, { x: 0, y: 0 });
  const to = toMap(camera, view, { x: view.width, y: view.height });
  const inView = scene.entities.filter(
    (e) => e.x > from.x - 4 && e.y > from.y - 4 && e.x < to.x + 4 && e.y < to.y + 4,
  );
  for (const m of scene.marks) if (m.kind !== "words") drawMark(ctx, m, k, ox, oy);
  drawEntities(ctx, inView, scene, k, ox, oy);
  if (scene.names && inView.length <= NAMES_MAX) drawNames(ctx, inView, k, ox, oy);
  for (const e of scene.pinned) ring(ctx, e, k, ox, oy, "#ffffff", [4, 4]);
  if (scene.hovered && scene.hovered !== scene.selected) ring(ctx, scene.hovered, k, ox, oy, TEXT, []);
  if (scene.unseen) drawUnseen(ctx, scene.unseen, scene, k, ox, oy);
  if (scene.selected) ring(ctx, scene.selected, k, ox, oy, ACCENT, []);
  for (const m of scene.marks) if (m.kind === "words") drawMark(ctx, m, k, ox, oy);
}

function drawGrid(
  ctx: CanvasRenderingContext2D,
  map: Size,
  camera: Camera,
  view: Size,
  ox: number,
  oy: number,
): void {
  const k = camera.zoom;
  const a = toMap(camera, view, { x: 0, y: 0 });
  const b = toMap(camera, view, { x: view.width, y: view.height });
  const x0 = Math.max(0, Math.floor(a.x));
  const y0 = Math.max(0, Math.floor(a.y));
  const x1 = Math.min(map.width, Math.ceil(b.x));
  const y1 = Math.min(map.height, Math.ceil(b.y));
  ctx.beginPath();
  for (let x = x0; x <= x1; x++) {
    ctx.moveTo(Math.round(ox + x * k) + 0.5, oy + y0 * k);
    ctx.lineTo(Math.round(ox + x * k) + 0.5, oy + y1 * k);
  }
  for (let y = y0; y <= y1; y++) {
    ctx.moveTo(ox + x0 * k, Math.round(oy + y * k) + 0.5);
    ctx.lineTo(ox + x1 * k, Math.round(oy + y * k) + 0.5);
  }
  ctx.strokeStyle = "rgba(230, 235, 240, 0.07)";
  ctx.lineWidth = 1;
  ctx.stroke();
}

function drawEntities(
  ctx: CanvasRenderingContext2D,
  entities: readonly Entity[],
  scene: Scene,
  k: number,
  ox: number,
  oy: number,
): void {
  const groups = new Map<string, Entity[]>();
  for (const e of entities) {
    const key = `${e.shape === "ghost" ? "ghost" : e.shape === "projectile" ? "shot" : "body"} ${colorOf(e, scene)} ${scene.pale?.(e) ? 0.3 : 1}`;
    const group = groups.get(key);
    if (group) group.push(e);
    else groups.set(key, [e]);
  }
  ctx.lineJoin = "round";
  for (const [key, group] of groups) {
    const [kind, color, alpha] = key.split(" ");
    ctx.globalAlpha = Number(alpha);
    ctx.beginPath();
    for (const e of group) trace(ctx, e, k, ox, oy);
    if (kind === "ghost") {
      ctx.strokeStyle = color;
      ctx.lineWidth = 1.5;
      ctx.setLineDash([3, 3]);
      ctx.stroke();
      ctx.setLineDash([]);
    } else {
      ctx.fillStyle = color;
      ctx.fill();
      if (kind === "body") {
        ctx.strokeStyle = OUTSIDE;
        ctx.lineWidth = 1;
        ctx.stroke();
      }
    }
  }
  ctx.globalAlpha = 1;
  for (const color of [BAR_BACK, GOOD, DANGER]) {
    ctx.beginPath();
    for (const e of entities) {
      if (e.hpMax <= 0 || e.hp >= e.hpMax || e.shape === "ghost" || e.shape === "projectile" || k < 3)
        continue;
      const part = e.hp / e.hpMax;
      if (color !== BAR_BACK && (color === GOOD) !== part > 0.35) continue;
      const wide = Math.max(10, widthOf(e) * k);
      const top = oy + e.y * k - half(e, k) - 6;
      ctx.rect(ox + e.x * k - wide / 2, top, color === BAR_BACK ? wide : wide * part, 3);
    }
    ctx.fillStyle = color;
    ctx.fill();
  }
}

const colorOf = (e: Entity, scene: Scene): string =>
  e.shape === "projectile"
    ? PROJECTILE
    : e.slot >= 0
      ? playerColor(scene.colorOf(e.slot))
      : e.shape === "resource"
        ? RESOURCE
        : NEUTRAL;

const half = (e: Entity, k: number): number => Math.max(HALF_MIN, (widthOf(e) * k) / 2);

/** The outline of an entity: units point where they face. */
function trace(ctx: CanvasRenderingContext2D, e: Entity, k: number, ox: number, oy: number): void {
  const x = ox + e.x * k;
  const y = oy + e.y * k;
  const r = half(e, k);
  if (e.shape === "projectile") ctx.rect(x - 1.5, y - 1.5, 3, 3);
  else if (e.shape !== "unit") ctx.rect(x - r, y - r, 2 * r, 2 * r);
  else {
    const a = (e.facing * Math.PI) / 128;
    const long = r * 1.5;
    ctx.moveTo(x + Math.cos(a) * long, y + Math.sin(a) * long);
    ctx.lineTo(x + Math.cos(a + 2.4) * r * 1.15, y + Math.sin(a + 2.4) * r * 1.15);
    ctx.lineTo(x + Math.cos(a - 2.4) * r * 1.15, y + Math.sin(a - 2.4) * r * 1.15);
    ctx.closePath();
  }
}

function drawUnseen(
  ctx: CanvasRenderingContext2D,
  e: Entity,
  scene: Scene,
  k: number,
  ox: number,
  oy: number,
): void {
  ctx.beginPath();
  trace(ctx, e, k, ox, oy);
  ctx.strokeStyle = colorOf(e, scene);
  ctx.lineWidth = 1.5;
  ctx.setLineDash([2, 2]);
  ctx.stroke();
  ring(ctx, e, k, ox, oy, DANGER, [5, 4]);
}

function ring(
  ctx: CanvasRenderingContext2D,
  e: Entity,
  k: number,
  ox: number,
  oy: number,
  color: string,
  dash: number[],
): void {
  ctx.beginPath();
  ctx.arc(ox + e.x * k, oy + e.y * k, half(e, k) * (e.shape === "unit" ? 1.5 : 1.45) + 4, 0, 7);
  ctx.strokeStyle = OUTSIDE;
  ctx.lineWidth = 4;
  ctx.setLineDash([]);
  ctx.stroke();
  ctx.strokeStyle = color;
  ctx.lineWidth = 2;
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawNames(
  ctx: CanvasRenderingContext2D,
  entities: readonly Entity[],
  k: number,
  ox: number,
  oy: number,
): void {
  ctx.font = "500 11px Inter, 'Segoe UI', system-ui, sans-serif";
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 3;
  ctx.strokeStyle = OUTSIDE;
  ctx.fillStyle = TEXT;
  for (const e of entities) {
    if (e.shape === "projectile" || e.shape === "resource") continue;
    const words = `${e.type} ${idName(e.id)}`;
    const x = ox + e.x * k + half(e, k) + 6;
    ctx.strokeText(words, x, oy + e.y * k);
    ctx.fillText(words, x, oy + e.y * k);
  }
}

function drawMark(ctx: CanvasRenderingContext2D, m: Mark, k: number, ox: number, oy: number): void {
  if (m.kind === "line") {
    ctx.beginPath();
    ctx.moveTo(ox + m.from.x * k, oy + m.from.y * k);
    ctx.lineTo(ox + m.to.x * k, oy + m.to.y * k);
    ctx.strokeStyle = m.color;
    ctx.lineWidth = 2;
    ctx.setLineDash(m.dashed ? [6, 4] : []);
    ctx.stroke();
    ctx.setLineDash([]);
  } else if (m.kind === "circle") {
    ctx.beginPath();
    ctx.arc(ox + m.x * k, oy + m.y * k, m.radius * k, 0, 7);
    ctx.strokeStyle = m.color;
    ctx.lineWidth = 1.5;
    ctx.stroke();
  } else if (m.kind === "tiles") {
    ctx.beginPath();
    for (const t of m.tiles) ctx.rect(ox + t.x * k, oy + t.y * k, k, k);
    ctx.fillStyle = m.fill ? `${m.color}88` : `${m.color}2b`;
    ctx.fill();
    if (k >= 4) {
      ctx.strokeStyle = m.fill ? m.color : `${m.color}88`;
      ctx.lineWidth = m.fill ? 2 : 1;
      ctx.stroke();
    }
  } else {
    ctx.font = "600 12px Inter, 'Segoe UI', system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    ctx.lineWidth = 4;
    ctx.strokeStyle = OUTSIDE;
    ctx.strokeText(m.words, ox + m.x * k, oy + m.y * k - 3);
    ctx.fillStyle = m.color;
    ctx.fillText(m.words, ox + m.x * k, oy + m.y * k - 3);
  }
}
