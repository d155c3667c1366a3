// The camera's view: the space between four planes through the camera and the
// sides of the screen. On the ground it is a trapezoid. Things outside are not given to the graphics card.

import { type Camera, Matrix4 } from "three";

export class ViewPlanes {
  /** Of each plane a, b, c, d: a*x + b*y + c*z + d is the distance to the inside. At first all is inside. */
  private readonly planes = new Float64Array([0, 0, 0, 1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9]);
  private readonly matrix = new Matrix4();

  /** Takes the place of a camera whose matrices are up to date. */
  set(camera: Camera): void {
    const m = this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
    // A point is on the screen where -w <= x <= w and -w <= y <= w.
    for (let k = 0; k < 4; k++) {
      const row = k >> 1;
      const sign = k & 1 ? -1 : 1;
      const a = m[3] + sign * m[row];
      const b = m[7] + sign * m[row + 4];
      const c = m[11] + sign * m[row + 8];
      const d = m[15] + sign * m[row + 12];
      const l = Math.hypot(a, b, c);
      this.planes[4 * k] = a / l;
      this.planes[4 * k + 1] = b / l;
      this.planes[4 * k + 2] = c / l;
      this.planes[4 * k + 3] = d / l;
    }
  }

  /** Whether a ball may touch the view. Some that lie outside at a corner of the screen count too. */
  touches(x: number, y: number, z: number, radius: number): boolean {
    const p = this.planes;
    return (
      p[0] * x + p[1] * y + p[2] * z + p[3] >= -radius &&
      p[4] * x + p[5] * y + p[6] * z + p[7] >= -radius &&
      p[8] * x + p[9] * y + p[10] * z + p[11] >= -radius &&
      p[12] * x + p[13] * y + p[14] * z + p[15] >= -radius
    );
  }
}
