// Builds simple models in code: blocks with bevelled tops, prisms and cones. Each
// triangle has one colour; there are no textures.
//
// Models look along +x, stand on y = 0, and are about 2 across (-1 to 1) for
// units, 1 across for structures.

import { BufferAttribute, BufferGeometry } from "three";
import type { PackMesh } from "../draw/pack";
import { linearRgb } from "../draw/palette";

/**
 * Which part of the model a triangle belongs to. The shader (units.ts) turns turrets,
 * unfolds legs, lifts feet as the unit walks, and pushes guns back as they fire.
 */
export const PART = {
  hull: 0,
  turret: 1,
  legs: 2,
  footLeft: 3,
  footRight: 4,
  gun: 5,
  turretGun: 6,
} as const;

export interface Paint {
  color: string;
  /** 0 the colour, 1 the owner's colour instead. */
  team?: number;
  /** Emits light, 0 to 1. */
  glow?: number;
  part?: number;
}

type V3 = readonly [number, number, number];

export class MeshBuilder {
  private readonly position: number[] = [];
  private readonly color: number[] = [];
  private readonly look: number[] = [];

  triangle(a: V3, b: V3, c: V3, paint: Paint, paintB = paint, paintC = paintB): this {
    for (const [v, p] of [
      [a, paint],
      [b, paintB],
      [c, paintC],
    ] as const) {
      this.position.push(...v);
      this.color.push(...linearRgb(p.color));
      this.look.push(p.team ?? 0, p.glow ?? 0, p.part ?? 0);
    }
    return this;
  }

  /** Counter-clockwise as seen from outside. Its colour runs from that of `a` and `b` to that of `c` and `d`. */
  quad(a: V3, b: V3, c: V3, d: V3, paint: Paint, far = paint): this {
    return this.triangle(a, b, c, paint, paint, far).triangle(a, c, d, paint, far);
  }

  /**
   * A block whose upper edges are cut: centre of its floor, size, and how much
   * is cut. `taper` narrows the top along x and z.
   */
  block(
    at: V3,
    size: V3,
    paint: Paint,
    bevel = 0.06,
    taper: readonly [number, number] = [0, 0],
    topPaint: Paint = paint,
  ): this {
    const [x, y, z] = at;
    const w = size[0] / 2;
    const h = size[1];
    const d = size[2] / 2;
    const tw = w - taper[0];
    const td = d - taper[1];
    const ring = (rx: number, ry: number, rz: number): V3[] => [
      [x - rx, y + ry, z + rz],
      [x + rx, y + ry, z + rz],
      [x + rx, y + ry, z - rz],
      [x - rx, y + ry, z - rz],
    ];
    const low = ring(w, 0, d);
    const mid = ring(tw, h - bevel, td);
    const top = ring(Math.max(0.001, tw - bevel), h, Math.max(0.001, td - bevel));
    for (let k = 0; k < 4; k++) {
      const n = (k + 1) % 4;
      this.quad(low[k], low[n], mid[n], mid[k], paint);
      if (bevel > 0) this.quad(mid[k], mid[n], top[n], top[k], topPaint);
    }
    return this.quad(top[0], top[1], top[2], top[3], topPaint);
  }

  /** An upright prism or, with `top` smaller, a frustum or cone; `n` sides. */
  prism(at: V3, radius: number, height: number, n: number, paint: Paint, top = radius, spin = 0): this {
    const [x, y, z] = at;
    const p = (r: number, k: number, h: number): V3 => {
      const a = ((k + spin) / n) * Math.PI * 2;
      return [x + Math.cos(a) * r, y + h, z - Math.sin(a) * r];
    };
    for (let k = 0; k < n; k++) {
      if (top > 0.001) {
        this.quad(p(radius, k, 0), p(radius, k + 1, 0), p(top, k + 1, height), p(top, k, height), paint);
        this.triangle([x, y + height, z], p(top, k, height), p(top, k + 1, height), paint);
      } else {
        this.triangle(p(radius, k, 0), p(radius, k + 1, 0), [x, y + height, z], paint);
      }
    }
    return this;
  }

  /** A rod between two points, square in section. */
  rod(a: V3, b: V3, thick: number, paint: Paint): this {
    const d: V3 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const len = Math.hypot(...d);
    const f: V3 = [d[0] / len, d[1] / len, d[2] / len];
    const up: V3 = Math.abs(f[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0];
    const s = unit(cross(up, f));
    const t = cross(f, s);
    const ring = (o: V3): V3[] =>
      [
        [1, 1],
        [-1, 1],
        [-1, -1],
        [1, -1],
      ].map(([i, j]) => [
        o[0] + (s[0] * i + t[0] * j) * thick,
        o[1] + (s[1] * i + t[1] * j) * thick,
        o[2] + (s[2] * i + t[2] * j) * thick,
      ]);
    const ra = ring(a);
    const rb = ring(b);
    for (let k = 0; k < 4; k++) {
      const n = (k + 1) % 4;
      this.quad(ra[k], ra[n], rb[n], rb[k], paint);
    }
    return this.quad(rb[0], rb[1], rb[2], rb[3], paint).quad(ra[3], ra[2], ra[1], ra[0], paint);
  }

  /** A pitched roof along x. */
  roof(at: V3, size: V3, paint: Paint, gable: Paint = paint): this {
    const [x, y, z] = at;
    const w = size[0] / 2;
    const d = size[2] / 2;
    const h = size[1];
    const a: V3 = [x - w, y, z + d];
    const b: V3 = [x + w, y, z + d];
    const c: V3 = [x + w, y, z - d];
    const e: V3 = [x - w, y, z - d];
    const r1: V3 = [x - w, y + h, z];
    const r2: V3 = [x + w, y + h, z];
    return this.quad(a, b, r2, r1, paint)
      .quad(c, e, r1, r2, paint)
      .triangle(b, c, r2, gable)
      .triangle(e, a, r1, gable);
  }

  build(): BufferGeometry {
    return geometryOf({
      position: new Float32Array(this.position),
      color: new Float32Array(this.color),
      paint: new Float32Array(this.look),
    });
  }
}

/** The geometry of a mesh, with the attributes of the shader. */
export function geometryOf({ position, color, paint }: PackMesh): BufferGeometry {
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(position, 3));
  g.setAttribute("color", new BufferAttribute(color, 3));
  g.setAttribute("aPaint", new BufferAttribute(paint, 3));
  g.setAttribute("aOut", new BufferAttribute(outward(position), 3));
  return g;
}

/** Per vertex the mean direction of the faces that meet there: where an outline's hull goes. */
function outward(position: Float32Array): Float32Array {
  const sums = new Map<string, [number, number, number]>();
  const key = (i: number) =>
    `${position[i].toFixed(3)},${position[i + 1].toFixed(3)},${position[i + 2].toFixed(3)}`;
  for (let t = 0; t < position.length; t += 9) {
    const a: V3 = [position[t], position[t + 1], position[t + 2]];
    const b: V3 = [position[t + 3], position[t + 4], position[t + 5]];
    const c: V3 = [position[t + 6], position[t + 7], position[t + 8]];
    const n = unit(cross(sub(b, a), sub(c, a)));
    for (let k = 0; k < 9; k += 3) {
      const id = key(t + k);
      const s = sums.get(id) ?? [0, 0, 0];
      s[0] += n[0];
      s[1] += n[1];
      s[2] += n[2];
      sums.set(id, s);
    }
  }
  const out = new Float32Array(position.length);
  for (let i = 0; i < position.length; i += 3) {
    const s = unit(sums.get(key(i)) as V3);
    out.set(s, i);
  }
  return out;
}

function sub(a: V3, b: V3): V3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
function cross(a: V3, b: V3): V3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function unit(a: V3): V3 {
  const l = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / l, a[1] / l, a[2] / l];
}
