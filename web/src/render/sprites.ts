// Decals that lie on the ground (rings, blobs, scorch) and billboards that face
// the camera (bars, lines, sparks, emblems), each kind in one instanced draw.

import {
  BufferAttribute,
  DoubleSide,
  InstancedBufferGeometry,
  Mesh,
  NormalBlending,
  ShaderMaterial,
  Vector2,
} from "three";
import { shapeOf } from "../draw/emblem";
import { rgb } from "../draw/palette";
import { Instances } from "./instances";
import { FOG_READ, type FogUniforms } from "./shaders";

/** Kinds of ground decals. */
export const DECAL = { ring: 0, blob: 1, scorch: 2, dashed: 3, square: 4, disc: 5 } as const;
/** Kinds of billboards, by their numbers in the shader. */
export const BILLBOARD = {
  bar: 0,
  spark: 2,
  emblem: 5,
  bubble: 6,
  flame: 7,
  chevron: 8,
  number: 9,
  billow: 10,
  icon: 11,
} as const;
/** The most digits of a number. */
const DIGITS_MAX = 5;
/** `jet` is a kind of its own further up, since the first four are taken. */
export const LINE = { tracer: 1, dashed: 3, plain: 4, jet: 12 } as const;

/** A colour as bytes, so that a frame does not parse. */
export type ColorBytes = readonly [number, number, number];
export function colorBytes(hex: string): ColorBytes {
  const [r, g, b] = rgb(hex);
  return [Math.round(r * 255), Math.round(g * 255), Math.round(b * 255)];
}

/** A square for each instance; the vertex shader places its corners. */
function squares(): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const corners = new Float32Array([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1]);
  geometry.setAttribute("corner", new BufferAttribute(corners, 2));
  // three reads the number of vertices off "position".
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(18), 3));
  return geometry;
}

/** Sprites of one material in one draw call. */
class SpriteLayer {
  readonly mesh: Mesh;
  private readonly instances: Instances;

  constructor(
    private readonly material: ShaderMaterial,
    names: readonly [string, string],
    renderOrder: number,
  ) {
    const geometry = squares();
    this.instances = new Instances(
      geometry,
      [
        { name: names[0], size: 4, kind: "float" },
        { name: names[1], size: 4, kind: "float" },
        { name: "iTint", size: 4, kind: "unit" },
      ],
      256,
    );
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = renderOrder;
  }

  /** Sprites of this frame. */
  get count(): number {
    return this.instances.count;
  }

  begin(): void {
    this.instances.begin();
  }

  end(): void {
    this.instances.end(this.mesh);
  }

  dispose(): void {
    this.instances.geometry.dispose();
    this.material.dispose();
  }

  protected next(): number {
    return this.instances.next();
  }

  /** The numbers of all sprites: two columns of four, and the colour. */
  protected column(k: 0 | 1 | 2): Float32Array | Uint8Array {
    return this.instances.array(k);
  }

  /** Adds a sprite: two columns of four numbers, and its colour. */
  protected add(
    a0: number,
    a1: number,
    a2: number,
    a3: number,
    b0: number,
    b1: number,
    b2: number,
    b3: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    const i = this.instances.next() * 4;
    const a = this.instances.array(0);
    a[i] = a0;
    a[i + 1] = a1;
    a[i + 2] = a2;
    a[i + 3] = a3;
    const b = this.instances.array(1);
    b[i] = b0;
    b[i + 1] = b1;
    b[i + 2] = b2;
    b[i + 3] = b3;
    const tint = this.instances.array(2);
    tint[i] = color[0];
    tint[i + 1] = color[1];
    tint[i + 2] = color[2];
    tint[i + 3] = Math.max(0, Math.min(255, alpha * 255));
  }
}

/**
 * Attributes of a decal: iAt is x, y, z and the radius; iShape is the kind, the
 * line's width in tiles, the turn, and whether it is fogged.
 */
export class Decals extends SpriteLayer {
  constructor(fog: FogUniforms) {
    const material = new ShaderMaterial({
      uniforms: fog,
      transparent: true,
      depthWrite: false,
      blending: NormalBlending,
      // Drawn in the ground's plane, so either side may face the camera.
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -2,
      vertexShader: /* glsl */ `
attribute vec2 corner;
attribute vec4 iAt;
attribute vec4 iShape;
attribute vec4 iTint;
varying vec2 vAt;
varying vec4 vShape;
varying vec4 vTint;
varying float vRadius;
varying float vSeen;
${FOG_READ}
void main() {
  float c = cos(iShape.z), s = sin(iShape.z);
  vAt = corner * 1.08;
  vec2 d = vec2(vAt.x * c - vAt.y * s, vAt.x * s + vAt.y * c) * iAt.w;
  vShape = iShape;
  vTint = iTint;
  vRadius = iAt.w;
  vSeen = iShape.w > 0.5 ? smoothstep(0.2, 0.7, fogSpot(iAt.xz).r) : 1.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(iAt.x + d.x, iAt.y, iAt.z + d.y, 1.0);
}`,
      fragmentShader: /* glsl */ `
varying vec2 vAt;
varying vec4 vShape;
varying vec4 vTint;
varying float vRadius;
varying float vSeen;
void main() {
  float r = length(vAt);
  float w = vShape.y / vRadius;
  float soft = fwidth(r) * 1.2;
  float ring = smoothstep(1.0 + soft, 1.0 - soft, r) * smoothstep(1.0 - w - soft, 1.0 - w + soft, r);
  float a = 0.0;
  if (vShape.x < 0.5) a = ring;
  else if (vShape.x < 1.5) a = 1.0 - smoothstep(0.25, 1.0, r);
  else if (vShape.x < 2.5) {
    vec2 q = vAt * 4.0 + vShape.z * 5.0;
    float ragged = r + 0.16 * sin(q.x + 1.4 * sin(q.y)) * cos(q.y * 1.2) + 0.09 * sin(q.x * 2.7 - q.y * 1.9) * sin(q.y * 2.3);
    a = 0.9 * (1.0 - smoothstep(0.1, 0.9, ragged)) * smoothstep(1.0, 0.8, r);
  } else if (vShape.x < 3.5) a = ring * step(0.5, fract(atan(vAt.y, vAt.x) / 6.2831853 * 16.0));
  else if (vShape.x < 4.5) {
    float e = max(abs(vAt.x), abs(vAt.y));
    a = step(e, 1.0) * (0.35 + 0.65 * step(1.0 - w, e));
  } else a = smoothstep(1.0 + soft, 1.0 - soft, r);
  a *= vTint.a * vSeen;
  if (a < 0.004) discard;
  gl_FragColor = vec4(vTint.rgb, a);
}`,
    });
    super(material, ["iAt", "iShape"], 3);
  }

  /** `width` is the line's in tiles; a `fogged` decal is drawn only on visible ground. */
  push(
    kind: number,
    x: number,
    y: number,
    z: number,
    radius: number,
    width: number,
    color: ColorBytes,
    alpha: number,
    turn = 0,
    fogged = false,
  ): void {
    this.add(x, y + 0.05, z, radius, kind, width, turn, fogged ? 1 : 0, color, alpha);
  }
}

/**
 * Attributes of a billboard: iFrom is x, y, z and the kind. iTo of a bar is its share,
 * half its width and height in pixels, and how far up it is moved; of a line x, y, z and half its width in pixels; of
 * a spark half its size; of an emblem half its size and its number. Bars lie on whole
 * pixels. Lines with an end behind the camera are left out. An emblem has a dark rim
 * around the owner's colour; `emblem()` gives the distance to its shape, one of the
 * eight in draw/emblem.ts.
 */
export class Billboards extends SpriteLayer {
  readonly viewport: Vector2;

  constructor(fog: FogUniforms) {
    const viewport = new Vector2(1, 1);
    const material = new ShaderMaterial({
      uniforms: { ...fog, viewport: { value: viewport } },
      transparent: true,
      // Fire adds light to the background; smoke covers it.
      premultipliedAlpha: true,
      depthWrite: false,
      // A hill does not hide a health bar.
      depthTest: false,
      vertexShader: /* glsl */ `
attribute vec2 corner;
attribute vec4 iFrom;
attribute vec4 iTo;
attribute vec4 iTint;
uniform vec2 viewport;
varying vec2 vAt;
varying vec4 vTint;
varying vec4 vTo;
varying float vKind;
varying float vLength;
void main() {
  vKind = iFrom.w;
  vTint = iTint;
  vTo = iTo;
  vAt = corner;
  vLength = 0.0;
  vec4 a = projectionMatrix * viewMatrix * vec4(iFrom.xyz, 1.0);
  if (vKind > 0.5 && vKind < 1.5 || vKind > 2.5 && vKind < 4.5 || vKind > 11.5) {
    vec4 b = projectionMatrix * viewMatrix * vec4(iTo.xyz, 1.0);
    if (a.w < 0.1 || b.w < 0.1) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    vec2 d = (b.xy / b.w - a.xy / a.w) * viewport;
    float l = max(length(d), 0.001);
    vec2 n = vec2(-d.y, d.x) / l;
    vec4 p = corner.x < 0.0 ? a : b;
    vLength = l * 0.5;
    p.xy += n * corner.y * iTo.w * 2.0 / viewport * p.w;
    gl_Position = p;
    return;
  }
  vec2 half_ = vKind < 0.5 || vKind > 8.5 && vKind < 9.5 ? iTo.yz : vec2(iTo.x);
  vec2 ndc = a.xy / a.w;
  vec2 px = floor((ndc * 0.5 + 0.5) * viewport) + corner * half_;
  if (vKind < 0.5) px.y += iTo.w;
  // A flame stands on its place.
  if (vKind > 6.5 && vKind < 7.5) px.y += half_.y * 0.7;
  gl_Position = vec4((px / viewport * 2.0 - 1.0) * a.w, a.z, a.w);
}`,
      fragmentShader: /* glsl */ `
varying vec2 vAt;
varying vec4 vTint;
varying vec4 vTo;
varying float vKind;
varying float vLength;
uniform float seconds;

float emblem(vec2 p, float kind) {
  vec2 q = abs(p);
  if (kind < 0.5) return length(p) - 0.9;
  if (kind < 1.5) return max(-p.y - 0.6, dot(q, vec2(0.866, 0.0)) + p.y * 0.5 - 0.5);
  if (kind < 2.5) return max(q.x, q.y) - 0.8;
  if (kind < 3.5) return (q.x + q.y - 1.0) * 0.707;
  if (kind < 4.5) return min(max(q.x - 0.33, q.y - 1.0), max(q.y - 0.33, q.x - 1.0));
  if (kind < 5.5) {
    float turn = atan(p.x, p.y) / 6.2831853 * 5.0;
    float ray = abs(fract(turn + 0.5) - 0.5) * 2.0;
    return length(p) - mix(1.0, 0.45, ray);
  }
  if (kind < 6.5) return max(q.y * 0.866 + q.x * 0.5, q.x) - 0.85;
  return max(q.x - 1.0, q.y - 0.4);
}

/** The pixel of a number at a cell of a grid: each digit, and the plus before a gain, has 3 x 5 cells, and one between two. */
float digit(vec2 cell) {
  vec2 c = floor(cell);
  if (c.x < 0.0 || c.y < 0.0 || c.y > 4.0 || c.x >= vTo.w * 4.0 || mod(c.x, 4.0) > 2.5) return 0.0;
  float place = vTo.w - 1.0 - floor(c.x / 4.0);
  int d = vTo.x < 0.0 && c.x < 3.0 ? 10 : int(mod(floor(abs(vTo.x) / pow(10.0, place) + 0.0005), 10.0));
  int rows = d == 10 ? 1488 : d == 0 ? 31599 : d == 1 ? 11415 : d == 2 ? 29671 : d == 3 ? 29647 : d == 4 ? 23497
    : d == 5 ? 31183 : d == 6 ? 31215 : d == 7 ? 29257 : d == 8 ? 31727 : 31695;
  int bit = 14 - int(c.y) * 3 - int(mod(c.x, 4.0));
  return float((rows >> bit) & 1);
}

float box(vec2 p, vec2 half_) { vec2 q = abs(p) - half_; return max(q.x, q.y); }

/** The plate of an icon, by whose it is (icons.ts: own, ally, enemy). */
float plate(vec2 p, float kind) {
  if (kind < 0.5) return box(p, vec2(0.84, 0.84));
  if (kind < 1.5) return length(p) - 0.92;
  return (abs(p.x) + abs(p.y) - 1.14) * 0.707;
}

/** The sign on an icon, by the unit's role (icons.ts). */
float glyph(vec2 p, float kind) {
  vec2 q = abs(p);
  if (kind < 0.5) return max(abs(q.x - q.y) * 0.707 - 0.13, max(q.x, q.y) - 0.56);
  if (kind < 1.5) return min(box(p - vec2(0.0, 0.32), vec2(0.48, 0.17)), box(p + vec2(0.0, 0.14), vec2(0.13, 0.46)));
  if (kind < 2.5) return max(abs(q.x * 0.8 + p.y - 0.2) * 0.78 - 0.15, q.x - 0.58);
  if (kind < 3.5) return min(length(p - vec2(0.0, 0.14)) - 0.32, box(p + vec2(0.0, 0.46), vec2(0.55, 0.1)));
  if (kind < 4.5) return (sqrt(q.x) + sqrt(q.y) - 0.86) * 0.5;
  if (kind < 5.5) return max(q.x * 0.75 + p.y - 0.42, -(p.y + 0.32 - q.x * 0.42));
  if (kind < 6.5) return min(abs(length(p) - 0.46) - 0.1, length(p) - 0.16);
  if (kind < 7.5) return max(abs(p.x - p.y) * 0.707 - 0.15, abs(p.x + p.y) * 0.707 - 0.62);
  if (kind < 8.5) return abs(length(p * vec2(0.75, 1.2)) - 0.42) - 0.1;
  return box(p, vec2(0.26));
}

/** 0 covers the background, 1 adds to it. */
float light = 0.0;

vec4 paint() {
  if (vKind < 0.5) {
    vec2 px = vAt * vTo.yz;
    bool frame = abs(px.x) > vTo.y - 1.0 || abs(px.y) > vTo.z - 1.0;
    float share = (vAt.x * vTo.y / (vTo.y - 1.0) + 1.0) * 0.5;
    vec3 c = frame ? vec3(0.02) : share <= vTo.x ? vTint.rgb * (vAt.y > 0.0 ? 1.0 : 0.82) : vec3(0.10, 0.11, 0.12);
    return vec4(c, vTint.a * (frame ? 0.8 : 1.0));
  }
  float a = vTint.a;
  if (vKind > 11.5) {
    // From the muzzle out: narrow, wide, and pointed.
    float along = vAt.x * 0.5 + 0.5;
    float width = sqrt(along + 0.04) * (1.0 - along) * 2.2;
    float side = abs(vAt.y) / max(width, 0.02);
    a *= smoothstep(1.0, 0.35, side) * smoothstep(1.0, 0.7, along);
    light = 0.6;
    return vec4(mix(vec3(1.0, 0.62, 0.22), vTint.rgb, smoothstep(0.7, 0.1, side) * (1.0 - along)), a);
  }
  if (vKind > 10.5) {
    vec2 p = vAt * 1.25;
    float d = plate(p, vTo.z);
    float soft = fwidth(d);
    float rim = 2.6 * soft;
    a *= 1.0 - smoothstep(rim - soft, rim, d);
    vec3 c = mix(vTint.rgb, vTo.w > 0.5 ? vec3(1.0) : vec3(0.02), smoothstep(-soft, 0.0, d));
    float g = glyph(p / 0.92, vTo.y);
    vec3 ink = dot(vTint.rgb, vec3(0.3, 0.59, 0.11)) > 0.42 ? vec3(0.03, 0.04, 0.05) : vec3(0.96);
    c = mix(ink, c, smoothstep(-soft, soft, g));
    return vec4(c, a);
  }
  if (vKind > 9.5) {
    float r = length(vAt);
    vec2 q = vAt * 3.1 + vec2(vTo.z, vTo.z * 1.7);
    float lump = 0.13 * sin(q.x + 1.3 * sin(q.y * 0.9)) * cos(q.y) + 0.09 * sin(q.x * 2.3 - q.y * 1.1) * sin(q.y * 2.1 + q.x * 0.6);
    float edge = r + lump;
    a *= 1.0 - smoothstep(0.45, 0.9, edge);
    vec3 c = vTint.rgb * (0.95 + 0.4 * vAt.y - 2.2 * lump);
    float core = smoothstep(0.9, 0.15, edge + lump);
    vec3 fire = mix(vec3(0.80, 0.20, 0.03), vec3(1.0, 0.80, 0.36), core * (0.35 + 0.65 * vTo.y));
    float hot = smoothstep(0.0, 0.4, vTo.y);
    light = 0.45 * hot * core;
    return vec4(mix(c, fire, hot), a);
  }
  if (vKind > 8.5) {
    vec2 cell = vec2((vAt.x * 0.5 + 0.5) * (vTo.w * 4.0 + 1.0), (0.5 - vAt.y * 0.5) * 7.0) - 1.0;
    float ink = digit(cell);
    float rim = max(max(digit(cell - vec2(1.0, 0.0)), digit(cell + vec2(1.0, 0.0))), max(digit(cell - vec2(0.0, 1.0)), digit(cell + vec2(0.0, 1.0))));
    return vec4(mix(vec3(0.02), vTint.rgb, ink), a * max(ink, rim * 0.8));
  }
  if (vKind > 7.5) {
    float d = abs(abs(vAt.x) * 0.8 + vAt.y * vTo.y - 0.15);
    return vec4(vTint.rgb, a * smoothstep(0.34, 0.2, d) * step(abs(vAt.x), 0.95));
  }
  if (vKind > 6.5) {
    float up = vAt.y * 0.5 + 0.5;
    float wave = sin(seconds * 8.0 + vTo.y * 2.3 + up * 5.0) * 0.22 * up;
    float width = 0.62 * pow(max(0.0, 1.0 - up), 0.75) * smoothstep(0.0, 0.3, up + 0.12) * (0.85 + 0.15 * sin(seconds * 13.0 + vTo.y));
    float side = abs(vAt.x - wave) / max(width, 0.001);
    float core = smoothstep(0.75, 0.0, side) * smoothstep(0.9, 0.1, up);
    return vec4(mix(vTint.rgb, vec3(1.0, 0.93, 0.66), core), a * smoothstep(1.0, 0.45, side));
  }
  if (vKind > 5.5) {
    float r = length(vAt);
    float soft = fwidth(r) * 1.5;
    float rim = smoothstep(1.0, 1.0 - soft, r);
    float gloss = smoothstep(0.5, 0.0, length(vAt - vec2(-0.35, 0.45)));
    a *= rim * (0.16 + 0.84 * pow(r, 5.0) + 0.3 * gloss);
    return vec4(mix(vTint.rgb, vec3(1.0), 0.35 * gloss), a);
  }
  if (vKind > 4.5) {
    float d = emblem(vAt * 1.3, vTo.w);
    float soft = fwidth(d);
    a *= 1.0 - smoothstep(0.22 - soft, 0.22 + soft, d);
    return vec4(mix(vTint.rgb, vec3(0.02), smoothstep(-soft, soft, d)), a);
  }
  if (vKind < 1.5) {
    a *= smoothstep(1.0, 0.2, abs(vAt.y)) * mix(0.15, 1.0, vAt.x * 0.5 + 0.5);
    light = 0.4;
  } else if (vKind < 2.5) {
    a *= pow(max(0.0, 1.0 - length(vAt)), 1.4);
    light = 0.35;
  } else if (vKind < 3.5) a *= step(0.45, fract(vAt.x * vLength / 14.0)) * smoothstep(1.0, 0.5, abs(vAt.y));
  else a *= smoothstep(1.0, 0.5, abs(vAt.y));
  return vec4(vTint.rgb, a);
}

void main() {
  vec4 c = paint();
  if (c.a < 0.01) discard;
  gl_FragColor = vec4(c.rgb * c.a, c.a * (1.0 - light));
}`,
    });
    super(material, ["iFrom", "iTo"], 5);
    this.viewport = viewport;
  }

  /** `up` moves it by pixels, above another bar. */
  bar(
    x: number,
    y: number,
    z: number,
    share: number,
    halfWidth: number,
    halfHeight: number,
    color: ColorBytes,
    alpha: number,
    up = 0,
  ): void {
    this.add(x, y, z, BILLBOARD.bar, share, halfWidth, halfHeight, up, color, alpha);
  }

  /** A line between two places; a tracer is bright at its head and faint where it came from. */
  line(
    style: keyof typeof LINE,
    x: number,
    y: number,
    z: number,
    tx: number,
    ty: number,
    tz: number,
    halfWidth: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    this.add(x, y, z, LINE[style], tx, ty, tz, halfWidth, color, alpha);
  }

  spark(x: number, y: number, z: number, halfPx: number, color: ColorBytes, alpha: number): void {
    this.add(x, y, z, BILLBOARD.spark, halfPx, 0, 0, 0, color, alpha);
  }

  /** A sphere around something. */
  bubble(x: number, y: number, z: number, halfPx: number, color: ColorBytes, alpha: number): void {
    this.add(x, y, z, BILLBOARD.bubble, halfPx, 0, 0, 0, color, alpha);
  }

  /** A flame that stands on its place; `seed` makes it flicker in its own time. */
  flame(
    x: number,
    y: number,
    z: number,
    halfPx: number,
    seed: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    this.add(x, y, z, BILLBOARD.flame, halfPx, seed, 0, 0, color, alpha);
  }

  /** A cloud: smoke in its colour, or fire as hot as `heat` says (0 to 1). */
  billow(
    x: number,
    y: number,
    z: number,
    halfPx: number,
    heat: number,
    seed: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    this.add(x, y, z, BILLBOARD.billow, halfPx, heat, seed, 0, color, alpha);
  }

  /**
   * Adds the icon of a unit that is too far away for its model: a plate with a sign (icons.ts). `at` has x, y, z, half
   * its size in pixels and the opacity: numbers of their own would be boxed for each of a thousand icons.
   */
  icon(at: Float64Array, glyph: number, plate: number, marked: boolean, color: ColorBytes): void {
    const i = this.next() * 4;
    const from = this.column(0);
    from[i] = at[0];
    from[i + 1] = at[1];
    from[i + 2] = at[2];
    from[i + 3] = BILLBOARD.icon;
    const to = this.column(1);
    to[i] = at[3];
    to[i + 1] = glyph;
    to[i + 2] = plate;
    to[i + 3] = marked ? 1 : 0;
    const tint = this.column(2);
    tint[i] = color[0];
    tint[i + 1] = color[1];
    tint[i + 2] = color[2];
    tint[i + 3] = Math.max(0, Math.min(255, at[4] * 255));
  }

  /** An angle that points up (1) or down (-1). */
  chevron(
    x: number,
    y: number,
    z: number,
    halfPx: number,
    up: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    this.add(x, y, z, BILLBOARD.chevron, halfPx, up, 0, 0, color, alpha);
  }

  /** A change as a whole number, `cell` pixels a dot: a gain has a plus before it, which the shader knows by a value below 0. */
  number(x: number, y: number, z: number, n: number, cell: number, color: ColorBytes, alpha: number): void {
    const most = 10 ** DIGITS_MAX - 1;
    const value = Math.min(most, Math.round(Math.abs(n)));
    const digits = (value < 10 ? 1 : Math.floor(Math.log10(value) + 1e-9) + 1) + Number(n > 0);
    const half = cell / 2;
    this.add(
      x,
      y,
      z,
      BILLBOARD.number,
      n > 0 ? -value : value,
      half * (digits * 4 + 1),
      half * 7,
      digits,
      color,
      alpha,
    );
  }

  /** The team's shape, `half` pixels a side. */
  emblem(
    x: number,
    y: number,
    z: number,
    half: number,
    index: number,
    color: ColorBytes,
    alpha: number,
  ): void {
    this.add(x, y, z, BILLBOARD.emblem, half, 0, 0, shapeOf(index), color, alpha);
  }
}
