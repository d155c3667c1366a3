// Between the page and the field: where entities are on the page, and which entities may be at a place on the page.
// It needs no graphics card.

import { type MatchState, typeOf } from "@fogkeep/client";
import { Vector3 } from "three";
import type { Camera } from "./camera";
import type { EntityLayer } from "./entities";
import type { HeightField } from "./heightfield";
import { ICON_HALF_PX } from "./icons";
import { hoverOf, radiusOf, topOf } from "./models";

/** The least radius of a target for a pointer, in pixels. */
const LEAST_PX = 4;
/** Steeper than any ray of the screen: a ray that comes down less meets no ground that could be drawn. */
const LEVEL = -1e-3;

export class Screen {
  /** Page pixels. */
  width = 1;
  height = 1;
  /** How far the middle of an entity can be over its ground, and the largest radius that a pointer hits; tiles. */
  private readonly tallest: number;
  private readonly widest: number;
  private readonly ray = new Vector3();
  private readonly point = new Vector3();
  /** Bounds on the ground: least x and z, greatest x and z. */
  private readonly bounds = new Float64Array(4);

  constructor(
    private readonly state: MatchState,
    private readonly camera: Camera,
    private readonly ground: HeightField,
    private readonly entities: Pick<EntityLayer, "poses" | "icons" | "grid">,
  ) {
    const { types } = state.info.rules;
    this.tallest = Math.max(0, ...types.map((t) => hoverOf(t) + topOf(t) * 0.4));
    this.widest = Math.max(0, ...types.map((t) => Math.max(topOf(t) * 0.4, radiusOf(t) * 0.9)));
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
  }

  /** Pixels a tile is wide at a distance. */
  pxPerTile(depth: number): number {
    return this.height / (2 * Math.tan((this.camera.perspective.fov * Math.PI) / 360) * depth);
  }

  /** Where an entity's middle is on the page, and its radius; false when it is behind the camera. */
  toScreen(row: number, out: { x: number; y: number; r: number }): boolean {
    const { poses, icons } = this.entities;
    const { perspective } = this.camera;
    const type = typeOf(this.state.info.rules, this.state.world.type[poses.slot[row]]);
    const x = poses.x[row];
    const z = poses.z[row];
    const half = topOf(type) * 0.4;
    const p = this.point.set(x, this.ground.floor(x, z) + hoverOf(type) + half, z);
    const depth = p.distanceTo(perspective.position);
    p.project(perspective);
    out.x = (p.x * 0.5 + 0.5) * this.width;
    out.y = (0.5 - p.y * 0.5) * this.height;
    const least = type.class === "unit" && icons > 0.5 ? ICON_HALF_PX : LEAST_PX;
    out.r = Math.max(least, this.pxPerTile(depth) * Math.max(half, radiusOf(type) * 0.9));
    return p.z < 1;
  }

  /**
   * Finds the rows that touch a rectangle of the page widened by some pixels, and others near it, in the grid of the
   * entities; returns how many.
   */
  rowsIn(x0: number, y0: number, x1: number, y1: number, pad: number): number {
    const { bounds, camera } = this;
    bounds[0] = bounds[1] = Number.POSITIVE_INFINITY;
    bounds[2] = bounds[3] = Number.NEGATIVE_INFINITY;
    const top = this.ground.highest + this.tallest;
    // No entity is nearer to the camera than this.
    const nearest = Math.max(0.5, camera.perspective.position.y - top);
    const reach = pad + Math.max(ICON_HALF_PX, this.pxPerTile(nearest) * this.widest);
    this.stretch(x0 - reach, y0 - reach, top);
    this.stretch(x1 + reach, y0 - reach, top);
    this.stretch(x0 - reach, y1 + reach, top);
    this.stretch(x1 + reach, y1 + reach, top);
    return this.entities.grid.inRect(bounds[0], bounds[1], bounds[2], bounds[3]);
  }

  /** Stretches the bounds to the places between which a ray through a point of the page passes entities. */
  private stretch(x: number, y: number, top: number): void {
    const { bounds, camera, ray } = this;
    const { position } = camera.perspective;
    ray
      .set((x / this.width) * 2 - 1, 1 - (y / this.height) * 2, 0.5)
      .unproject(camera.perspective)
      .sub(position);
    if (ray.y > LEVEL * ray.length()) {
      // It meets no ground: all rows count.
      bounds[0] = bounds[1] = Number.NEGATIVE_INFINITY;
      bounds[2] = bounds[3] = Number.POSITIVE_INFINITY;
      return;
    }
    for (let k = 0; k < 2; k++) {
      const t = Math.max(0, ((k === 0 ? top : this.ground.lowest) - position.y) / ray.y);
      const px = position.x + ray.x * t;
      const pz = position.z + ray.z * t;
      bounds[0] = Math.min(bounds[0], px);
      bounds[1] = Math.min(bounds[1], pz);
      bounds[2] = Math.max(bounds[2], px);
      bounds[3] = Math.max(bounds[3], pz);
    }
  }
}
