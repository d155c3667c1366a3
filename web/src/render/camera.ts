// The camera: a focus on the ground, a distance, a fixed yaw. It eases towards
// the place that was set.

import { MathUtils, PerspectiveCamera, Vector3 } from "three";
import type { HeightField } from "./heightfield";

const DISTANCE_MIN = 9;
export const DISTANCE_MAX = 96;
/** From where a spectator begins: most of a base, and models rather than icons. */
export const DISTANCE_OVERVIEW = 44;
/** One notch of the wheel. */
const ZOOM_STEP = 1.12;
const FOV = 34;
/** Near the ground the camera looks more to the side, from afar more down. */
const PITCH_NEAR = 46;
const PITCH_FAR = 60;
/** From so far on it looks no more down. */
const FAR = 62;
const EASE_MS = 70;
/** Corners of the screen: near left, near right, far right, far left. */
const CORNERS = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
] as const;
/** Points of an outline on each side of the screen: the ground between two may rise and fall. */
const SIDE_POINTS = 16;
export const OUTLINE_POINTS = 4 * SIDE_POINTS;

export class Camera {
  readonly perspective = new PerspectiveCamera(FOV, 1, 0.5, 400);
  /** Where it is set to look, tiles. */
  x = 0;
  z = 0;
  distance = 26;
  private shownX = 0;
  private shownZ = 0;
  private shownDistance = 26;
  private readonly ray = new Vector3();
  private readonly spot = { x: 0, z: 0 };

  constructor(private readonly ground: HeightField) {}

  /** Where it looks now. */
  get focusX(): number {
    return this.shownX;
  }
  get focusZ(): number {
    return this.shownZ;
  }
  get height(): number {
    return this.shownDistance;
  }

  resize(width: number, height: number): void {
    this.perspective.aspect = width / Math.max(1, height);
    this.perspective.updateProjectionMatrix();
  }

  jump(x: number, z: number): void {
    this.go(x, z);
    this.shownX = this.x;
    this.shownZ = this.z;
    this.shownDistance = this.distance;
  }

  go(x: number, z: number): void {
    this.x = MathUtils.clamp(x, 0, this.ground.width);
    this.z = MathUtils.clamp(z, 0, this.ground.height);
  }

  /** Moves by tiles. */
  pan(dx: number, dz: number): void {
    this.go(this.x + dx, this.z + dz);
  }

  /** Zooms by notches, keeping the point under the cursor (-1 to 1) in place. */
  zoom(notches: number, ndcX: number, ndcY: number): void {
    const before = { x: 0, z: 0 };
    const had = this.groundAt(ndcX, ndcY, before);
    const next = MathUtils.clamp(this.distance * ZOOM_STEP ** notches, DISTANCE_MIN, DISTANCE_MAX);
    const share = 1 - next / this.distance;
    this.distance = next;
    if (had) this.go(this.x + (before.x - this.x) * share, this.z + (before.z - this.z) * share);
  }

  step(dtMs: number): void {
    const k = 1 - Math.exp(-dtMs / EASE_MS);
    this.shownX += (this.x - this.shownX) * k;
    this.shownZ += (this.z - this.shownZ) * k;
    this.shownDistance += (this.distance - this.shownDistance) * k;
    const far = Math.min(1, (this.shownDistance - DISTANCE_MIN) / (FAR - DISTANCE_MIN));
    const pitch = MathUtils.degToRad(PITCH_NEAR + (PITCH_FAR - PITCH_NEAR) * far);
    const y = this.ground.at(this.shownX, this.shownZ);
    this.perspective.position.set(
      this.shownX,
      y + Math.sin(pitch) * this.shownDistance,
      this.shownZ + Math.cos(pitch) * this.shownDistance,
    );
    this.perspective.lookAt(this.shownX, y, this.shownZ);
    this.perspective.updateMatrixWorld();
  }

  /** The point of the ground under a point of the screen (-1 to 1), in tiles. */
  groundAt(ndcX: number, ndcY: number, out: { x: number; z: number }): boolean {
    const { position } = this.perspective;
    this.ray.set(ndcX, ndcY, 0.5).unproject(this.perspective).sub(position).normalize();
    return this.ground.hit(position, this.ray, out);
  }

  /**
   * The part of the ground that is on the screen: points (x, z in tiles) where rays
   * through the screen's border meet the ground, at most {@link OUTLINE_POINTS}, from the near left corner around.
   * Returns how many were written, fewer where a ray meets no ground.
   */
  outline(out: Float32Array): number {
    let n = 0;
    for (let k = 0; k < OUTLINE_POINTS; k++) {
      const side = Math.floor(k / SIDE_POINTS);
      const [x0, y0] = CORNERS[side];
      const [x1, y1] = CORNERS[(side + 1) % 4];
      const t = (k % SIDE_POINTS) / SIDE_POINTS;
      if (!this.groundAt(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t, this.spot)) continue;
      out[2 * n] = this.spot.x;
      out[2 * n + 1] = this.spot.z;
      n++;
    }
    return n;
  }
}
