// The land as triangles, two a tile, in chunks for culling; and the surface of
// water. Cliffs have facets, even ground is smooth. A texture of noise draws the ground's material at each pixel:
// grass, loose ground, rock, roads.

import { CLIFF, type GameMap, WATER } from "@fogkeep/client";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  FrontSide,
  Group,
  type Material,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  ShaderMaterial,
} from "three";
import { hash01 } from "../draw/hash";
import { GROUND, linearRgb, WATER_SURFACE } from "../draw/palette";
import { grainTexture } from "./grain";
import { type HeightField, LEVEL_HEIGHT, surfaceHeight } from "./heightfield";
import {
  FOG_BEND,
  FOG_CHART,
  FOG_LIGHT,
  FOG_READ,
  FOG_SLOPE,
  FOG_STEPS,
  FOG_TERRAIN,
  type FogUniforms,
  LIGHT_LINE,
  patch,
  TINT,
} from "./shaders";

const CHUNK = 32;

export class Terrain {
  readonly group = new Group();
  private readonly disposables: { dispose(): void }[] = [];

  constructor(ground: HeightField, uniforms: FogUniforms, traits: { shadows: boolean; cheapFog: boolean }) {
    const grain = grainTexture();
    const own = { ...uniforms, grainMap: { value: grain } };
    const material = traits.shadows ? shadowedLand(own) : plainLand(own, traits.cheapFog);
    this.disposables.push(material, grain);
    const { map } = ground;
    for (let y = 0; y < map.height; y += CHUNK) {
      for (let x = 0; x < map.width; x += CHUNK) {
        const geometry = landChunk(ground, x, y);
        const mesh = new Mesh(geometry, material);
        mesh.receiveShadow = true;
        mesh.matrixAutoUpdate = false;
        this.group.add(mesh);
        this.disposables.push(geometry);
      }
    }
    const water = waterGeometry(map);
    if (water) {
      const surface = waterMaterial(own);
      const mesh = new Mesh(water, surface);
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 1;
      this.group.add(mesh);
      this.disposables.push(water, surface);
    }
    this.group.add(this.surroundings(map));
  }

  dispose(): void {
    for (const d of this.disposables) d.dispose();
  }

  /** The dark plane beyond the map's edge. */
  private surroundings(map: GameMap): Mesh {
    const geometry = new PlaneGeometry(map.width + 400, map.height + 400);
    const material = new ShaderMaterial({
      vertexShader: `void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
      fragmentShader: `void main() { gl_FragColor = vec4(${linearRgb("#07090d").join(",")}, 1.0);
        #include <colorspace_fragment>
      }`,
    });
    const mesh = new Mesh(geometry, material);
    mesh.rotation.x = -Math.PI / 2;
    mesh.position.set(map.width / 2, -1.6, map.height / 2);
    // After the land, which hides most water.
    mesh.renderOrder = 0.5;
    this.disposables.push(geometry, material);
    return mesh;
  }
}

const COLORS = GROUND.map(linearRgb);
const DIRT = 1;
const ROAD = 4;
/** The material of each terrain: 0 grass, 1 loose ground, 2 rock, 3 road. */
const MADE_OF = [0, 1, 1, 2, 3, 1, 2, 1, 2] as const;
/** Ground that is steeper has facets. */
const SMOOTH_UP = 0.86;

function landChunk(ground: HeightField, x0: number, y0: number): BufferGeometry {
  const { map, corners } = ground;
  const x1 = Math.min(map.width, x0 + CHUNK);
  const y1 = Math.min(map.height, y0 + CHUNK);
  const tiles = (x1 - x0) * (y1 - y0);
  // Tiles at the map's edge get a vertical side.
  const position = new Float32Array(tiles * 18 + ((x1 - x0) * 2 + (y1 - y0) * 2) * 18);
  const color = new Uint8Array((position.length / 3) * 4);
  const made = new Uint8Array(color.length);
  let p = 0;
  let c = 0;
  const own: [number, number, number] = [0, 0, 0];
  const vertex = (cx: number, cy: number, h: number, tone: number, tile: number) => {
    position[p++] = cx;
    position[p++] = h;
    position[p++] = cy;
    cornerColor(map, cx, cy, tile, own);
    cornerMadeOf(map, cx, cy, made, c);
    const shade = tone * cornerShade(ground, cx, cy, tile);
    for (let k = 0; k < 3; k++) color[c++] = Math.max(0, Math.min(255, own[k] * shade * 255 * 2.2));
    color[c++] = 255;
  };
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const t = y * map.width + x;
      const row = y * (map.width + 1) + x;
      const a = corners[row];
      const b = corners[row + 1];
      const d = corners[row + map.width + 1];
      const e = corners[row + map.width + 2];
      // Facets differ a little on cliffs, where there is less grain.
      const differ = map.terrain[t] === CLIFF ? 0.12 : 0.02;
      const one = 1 + (hash01(x, y, 1) - 0.5) * differ;
      const two = 1 + (hash01(x, y, 2) - 0.5) * differ;
      // The diagonal joins the two corners that differ less: ridges stay whole.
      if (Math.abs(a - e) <= Math.abs(b - d)) {
        vertex(x, y, a, one, t);
        vertex(x, y + 1, d, one, t);
        vertex(x + 1, y + 1, e, one, t);
        vertex(x, y, a, two, t);
        vertex(x + 1, y + 1, e, two, t);
        vertex(x + 1, y, b, two, t);
      } else {
        vertex(x, y, a, one, t);
        vertex(x, y + 1, d, one, t);
        vertex(x + 1, y, b, one, t);
        vertex(x + 1, y, b, two, t);
        vertex(x, y + 1, d, two, t);
        vertex(x + 1, y + 1, e, two, t);
      }
      const skirt = (ax: number, ay: number, ah: number, bx: number, by: number, bh: number) => {
        vertex(ax, ay, ah, 0.5, t);
        vertex(ax, ay, -1.6, 0.3, t);
        vertex(bx, by, bh, 0.5, t);
        vertex(bx, by, bh, 0.5, t);
        vertex(ax, ay, -1.6, 0.3, t);
        vertex(bx, by, -1.6, 0.3, t);
      };
      if (y === map.height - 1) skirt(x, y + 1, d, x + 1, y + 1, e);
      if (y === 0) skirt(x + 1, y, b, x, y, a);
      if (x === 0) skirt(x, y, a, x, y + 1, d);
      if (x === map.width - 1) skirt(x + 1, y + 1, e, x + 1, y, b);
    }
  }
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(position.subarray(0, p), 3));
  g.setAttribute("normal", new BufferAttribute(normals(ground, position.subarray(0, p)), 3, true));
  g.setAttribute("color", new BufferAttribute(color.subarray(0, c), 4, true));
  g.setAttribute("made", new BufferAttribute(made.subarray(0, c), 4, true));
  g.computeBoundingSphere();
  return g;
}

/** Directions at each corner, as bytes: of the face where it is steep, else of the ground around the corner. */
function normals(ground: HeightField, position: Float32Array): Int8Array {
  const { corners, width, height } = ground;
  const out = new Int8Array(position.length);
  const at = (x: number, z: number) =>
    corners[Math.max(0, Math.min(height, z)) * (width + 1) + Math.max(0, Math.min(width, x))];
  for (let t = 0; t < position.length; t += 9) {
    const ax = position[t + 3] - position[t];
    const ay = position[t + 4] - position[t + 1];
    const az = position[t + 5] - position[t + 2];
    const bx = position[t + 6] - position[t];
    const by = position[t + 7] - position[t + 1];
    const bz = position[t + 8] - position[t + 2];
    const fx = ay * bz - az * by;
    const fy = az * bx - ax * bz;
    const fz = ax * by - ay * bx;
    const steep = fy < SMOOTH_UP * (Math.hypot(fx, fy, fz) || 1);
    for (let k = t; k < t + 9; k += 3) {
      const x = position[k];
      const z = position[k + 2];
      let nx = (at(x - 1, z) - at(x + 1, z)) / 2;
      let nz = (at(x, z - 1) - at(x, z + 1)) / 2;
      let ny = 1;
      if (steep || ny < SMOOTH_UP * Math.hypot(nx, ny, nz)) {
        nx = fx;
        ny = fy;
        nz = fz;
      }
      const l = Math.hypot(nx, ny, nz) || 1;
      out[k] = (nx / l) * 127;
      out[k + 1] = (ny / l) * 127;
      out[k + 2] = (nz / l) * 127;
    }
  }
  return out;
}

/** The materials of the four tiles around a corner, as four shares. */
function cornerMadeOf(map: GameMap, x: number, y: number, out: Uint8Array, at: number): void {
  for (let k = 0; k < 4; k++) {
    const i = Math.max(0, Math.min(map.width - 1, x - (k & 1)));
    const j = Math.max(0, Math.min(map.height - 1, y - (k >> 1)));
    out[at + MADE_OF[map.terrain[j * map.width + i]]] += 63.75;
  }
}

/** A corner's colour: a little of the tile's own, most the mean of the four around, so borders are soft. */
function cornerColor(map: GameMap, x: number, y: number, tile: number, out: [number, number, number]): void {
  // A road is drawn over its ground, with an edge of its own: its colour is not mixed in.
  const mine = COLORS[map.terrain[tile] === ROAD ? DIRT : map.terrain[tile]];
  let r = 0;
  let g = 0;
  let b = 0;
  let n = 0;
  for (let k = 0; k < 4; k++) {
    const i = Math.max(0, Math.min(map.width - 1, x - (k & 1)));
    const j = Math.max(0, Math.min(map.height - 1, y - (k >> 1)));
    const kind = map.terrain[j * map.width + i];
    if (kind === ROAD) continue;
    const c = COLORS[kind];
    r += c[0];
    g += c[1];
    b += c[2];
    n++;
  }
  const own = n === 0 ? 1 : map.terrain[tile] === ROAD ? 0 : 0.18;
  const around = n === 0 ? 0 : (1 - own) / n;
  out[0] = mine[0] * own + r * around;
  out[1] = mine[1] * own + g * around;
  out[2] = mine[2] * own + b * around;
}

/** Darker at the foot of higher ground, a little lighter on a ledge and with each level. */
function cornerShade(ground: HeightField, x: number, y: number, tile: number): number {
  const { map, corners, width } = ground;
  const here = corners[y * (width + 1) + x];
  let above = 0;
  let below = 0;
  for (const [dx, dy] of AROUND) {
    const i = Math.max(0, Math.min(width, x + dx));
    const j = Math.max(0, Math.min(ground.height, y + dy));
    const d = corners[j * (width + 1) + i] - here;
    above = Math.max(above, d);
    below = Math.min(below, d);
  }
  const foot = 1 - Math.min(0.45, Math.max(0, above - 0.12) * 0.5);
  const ledge = map.terrain[tile] === CLIFF ? 1 : 1 + Math.min(0.16, Math.max(0, -below - 0.3) * 0.2);
  return foot * ledge * (0.92 + (map.levels[tile] / 15) * 0.34);
}

const AROUND = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [-1, -1],
  [1, -1],
  [-1, 1],
] as const;

/**
 * The ground's colour at a pixel. `base` is the corners' colour, `made` its material: grass, loose ground, rock,
 * road. With GRAIN_FINE the texture is read more often.
 */
const GRAIN = /* glsl */ `
uniform sampler2D grainMap;
vec3 groundColor(vec3 base, vec4 made, vec3 at, float up) {
  vec4 mid = texture2D(grainMap, at.xz / 6.3);
#ifdef GRAIN_FINE
  vec4 big = texture2D(grainMap, at.xz / 31.0 + 0.4);
  vec4 fine = texture2D(grainMap, at.zx / 2.3 + 0.21);
#else
  vec4 big = vec4(0.5);
  vec4 fine = mid;
#endif
  float steep = 1.0 - smoothstep(0.62, 0.86, up);
  float flat_ = 1.0 - steep;
  vec3 c = base;
#ifdef GRAIN_FINE
  c *= 1.0 + made.y * smoothstep(0.66, 0.78, fine.g) * 0.28;
  c *= 1.0 + made.x * ((mid.a - 0.5) * 0.45 + (fine.a - 0.5) * 0.6 + (mid.r - 0.5) * 0.6);
#else
  c *= 1.0 + made.x * ((mid.a - 0.5) * 0.3 + (mid.g - 0.5) * 0.25 + (mid.r - 0.5) * 0.5);
#endif
  c *= mix(vec3(1.0), vec3(1.22, 1.06, 0.66), made.x * smoothstep(0.45, 0.72, big.r) * 0.7);
  c *= mix(vec3(1.0), vec3(0.78, 0.92, 0.80), made.x * smoothstep(0.50, 0.30, big.r) * 0.7);
  c *= 1.0 + made.y * ((mid.r - 0.5) * 0.5 + (fine.g - 0.5) * 0.5);
  c *= 1.0 + made.z * ((fine.g - 0.5) * 0.45 + (big.r - 0.5) * 0.7);
  c *= 1.0 - made.z * flat_ * smoothstep(0.74, 0.92, mid.b) * 0.42;
  float edge = made.w + (mid.r - 0.5) * 0.55 + (fine.g - 0.5) * 0.16;
  float road = smoothstep(0.40, 0.52, edge) * flat_;
  float verge = smoothstep(0.16, 0.42, edge) * flat_;
  c = mix(c, vec3(${linearRgb("#4e473c").join(",")}) * (0.8 + 0.4 * mid.r), verge * 0.55);
  vec3 paved = vec3(${linearRgb(GROUND[4]).join(",")}) * (0.92 + (fine.g - 0.5) * 0.5 + (mid.r - 0.5) * 0.35);
  paved *= 1.0 - smoothstep(0.80, 0.95, fine.b) * 0.3;
  paved *= 0.86 + 0.2 * smoothstep(0.5, 1.0, edge);
  c = mix(c, paved, road);
#ifdef GRAIN_FINE
  // Layers of stone on steep faces.
  float layers = texture2D(grainMap, vec2(at.y * 0.42, (at.x + at.z) * 0.045)).a;
  c *= 1.0 + steep * ((layers - 0.5) * 1.5 + (fine.g - 0.5) * 0.4);
#endif
  return max(c, vec3(0.0));
}
`;

/** With shadows: three's Lambert material. */
function shadowedLand(uniforms: FogUniforms): Material {
  const material = new MeshLambertMaterial({ vertexColors: true, side: FrontSide });
  material.defines = { GRAIN_FINE: "" };
  patch(material, {
    key: "land",
    uniforms,
    vertex: [
      [
        "#include <common>",
        "#include <common>\nattribute vec4 made;\nvarying vec4 vMade;\nvarying float vUp;\nvarying vec3 vWorld;\nvarying vec2 vBend;",
      ],
      [
        "#include <begin_vertex>",
        `#include <begin_vertex>
vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;
vMade = made;
vUp = normal.y;
${FOG_BEND}`,
      ],
    ],
    fragment: [
      [
        "#include <common>",
        `#include <common>\nvarying vec4 vMade;\nvarying float vUp;\nvarying vec3 vWorld;\nvarying vec2 vBend;\nuniform vec3 sunDirection;\n${FOG_READ}${FOG_LIGHT}${FOG_CHART}${TINT}${GRAIN}`,
      ],
      // Colours are stored at 2.2 times, to use the byte's range on dark ground.
      ["#include <color_fragment>", "diffuseColor.rgb *= groundColor(vColor.rgb / 2.2, vMade, vWorld, vUp);"],
      [
        LIGHT_LINE,
        `${FOG_SLOPE}${FOG_TERRAIN}
  vec3 chart = fogChart(vWorld, dot(fogUp, sunDirection) / sunDirection.y, 0.0);
  vec3 outgoingLight = fogLight(reflectedLight.directDiffuse, reflectedLight.indirectDiffuse, totalEmissiveRadiance, diffuseColor.rgb, fogSeen, fogKnown, chart);
  outgoingLight = fogFrame(tinted(outgoingLight, vWorld.xz), vWorld.xz);`,
      ],
    ],
  });
  return material;
}

/**
 * Without shadows the light is computed at the corners; with `cheap` the fog is
 * too, and a pixel reads one texture, once.
 */
function plainLand(uniforms: FogUniforms, cheap: boolean): Material {
  const fogHere = cheap
    ? { vertex: `vFog = fogRead(vWorld.xz + vBend + ${SLOPE_OF_NORMAL});`, fragment: "vec2 fogRG = vFog;" }
    : { vertex: `vFog = ${SLOPE_OF_NORMAL};`, fragment: "vec2 fogRG = fogRead(vWorld.xz + vBend + vFog);" };
  return new ShaderMaterial({
    uniforms,
    defines: cheap ? {} : { GRAIN_FINE: "" },
    vertexShader: /* glsl */ `
attribute vec4 color;
attribute vec4 made;
uniform vec3 sunDirection;
varying vec3 vWorld;
varying vec2 vBend;
varying vec2 vFog;
varying vec3 vBase;
varying vec4 vMade;
varying vec2 vLight;
${FOG_READ}
void main() {
  vWorld = position;
  ${FOG_BEND}
  ${fogHere.vertex}
  vBase = color.rgb / 2.2;
  vMade = made;
  vLight = vec2(max(0.0, dot(normal, sunDirection)) * 0.31831, normal.y);
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
uniform vec3 sunDirection;
uniform vec3 sunLight;
uniform vec3 skyLight;
uniform vec3 earthLight;
varying vec3 vWorld;
varying vec2 vBend;
varying vec2 vFog;
varying vec3 vBase;
varying vec4 vMade;
varying vec2 vLight;
${FOG_READ}${FOG_LIGHT}${FOG_CHART}${TINT}${GRAIN}
void main() {
  ${fogHere.fragment}
  ${FOG_STEPS}
  vec3 albedo = groundColor(vBase, vMade, vWorld, vLight.y);
  vec3 sky = albedo * mix(earthLight, skyLight, 0.5 + 0.5 * vLight.y) * 0.31831;
  vec3 chart = fogChart(vWorld, vLight.x / (sunDirection.y * 0.31831), 0.0);
  vec3 lit = fogLight(albedo * sunLight * vLight.x, sky, vec3(0.0), albedo, fogSeen, fogKnown, chart);
  gl_FragColor = vec4(fogFrame(tinted(lit, vWorld.xz), vWorld.xz), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`,
  });
}

const SLOPE_OF_NORMAL = "normal.xz * (1.0 - smoothstep(0.5, 0.85, normal.y)) * 0.35";

/** How many tiles from the land water is told apart. */
const SHORE_TILES = 4;

/** Of each corner: how near the nearest land is, 1 beside it and 0 from {@link SHORE_TILES} on. */
export function shoreNearness(map: GameMap): Float32Array {
  const w = map.width + 1;
  const h = map.height + 1;
  const steps = new Uint8Array(w * h).fill(SHORE_TILES);
  for (let y = 0; y < map.height; y++)
    for (let x = 0; x < map.width; x++) {
      if (map.terrain[y * map.width + x] === WATER) continue;
      const i = y * w + x;
      steps[i] = steps[i + 1] = steps[i + w] = steps[i + w + 1] = 0;
    }
  // Each pass brings the distance one corner further.
  for (let d = 1; d < SHORE_TILES; d++)
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const i = y * w + x;
        if (steps[i] <= d) continue;
        const near =
          (x > 0 && steps[i - 1] === d - 1) ||
          (x < w - 1 && steps[i + 1] === d - 1) ||
          (y > 0 && steps[i - w] === d - 1) ||
          (y < h - 1 && steps[i + w] === d - 1);
        if (near) steps[i] = d;
      }
  return Float32Array.from(steps, (d) => 1 - d / SHORE_TILES);
}

/** One quad a tile of water, and of the land beside it, so that the surface ends under the shore. */
function waterGeometry(map: GameMap): BufferGeometry | null {
  const at: number[] = [];
  const near: number[] = [];
  const shore = shoreNearness(map);
  const seen = new Uint8Array(map.width * map.height);
  for (let y = 0; y < map.height; y++) {
    for (let x = 0; x < map.width; x++) {
      if (map.terrain[y * map.width + x] !== WATER) continue;
      const h = surfaceHeight(map, y * map.width + x);
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const i = x + dx;
          const j = y + dy;
          if (i < 0 || j < 0 || i >= map.width || j >= map.height || seen[j * map.width + i]) continue;
          const t = j * map.width + i;
          if (map.terrain[t] !== WATER && map.levels[t] * LEVEL_HEIGHT < h - 0.1) continue;
          seen[t] = 1;
          at.push(i, h, j, i, h, j + 1, i + 1, h, j + 1, i, h, j, i + 1, h, j + 1, i + 1, h, j);
          const row = j * (map.width + 1) + i;
          const [a, b, c, d] = [row, row + map.width + 1, row + map.width + 2, row + 1].map((k) => shore[k]);
          near.push(a, b, c, a, c, d);
        }
      }
    }
  }
  if (at.length === 0) return null;
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  g.setAttribute("shore", new BufferAttribute(new Float32Array(near), 1));
  g.computeBoundingSphere();
  return g;
}

/** Water is clear and light beside the land, with foam at its edge. It moves where it is visible. */
function waterMaterial(uniforms: FogUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, surface: { value: new Color(WATER_SURFACE) } },
    transparent: true,
    depthWrite: false,
    vertexShader: /* glsl */ `
attribute float shore;
varying vec3 vWorld;
varying vec2 vFog;
varying float vShore;
${FOG_READ}
void main() {
  vWorld = position;
  vFog = fogRead(position.xz);
  vShore = shore;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
varying vec3 vWorld;
varying vec2 vFog;
varying float vShore;
uniform vec3 surface;
uniform vec3 sunDirection;
uniform vec3 sunLight;
uniform vec3 skyLight;
uniform sampler2D grainMap;
${FOG_READ}${FOG_LIGHT}${FOG_CHART}${TINT}
void main() {
  vec2 fogRG = vFog;
  ${FOG_STEPS}
  float still = seconds * step(0.02, fogSeen);
  vec2 w = vWorld.xz + 0.35 * vec2(sin(vWorld.z * 0.8 + still * 0.5), cos(vWorld.x * 0.7 - still * 0.4));
  float ripple = sin(w.x * 1.6 + w.y * 4.6 + still * 0.9) * 0.5 + sin(w.x * -1.1 + w.y * 6.9 - still * 0.7) * 0.5;
  vec4 grain = texture2D(grainMap, (vWorld.xz + vec2(still * 0.07, still * 0.05)) / 4.1);
  float shallow = smoothstep(0.1, 1.0, vShore + (grain.r - 0.5) * 0.3);
  vec3 albedo = mix(surface * (0.86 + 0.3 * grain.r), vec3(0.075, 0.16, 0.165), shallow * 0.75);
  // Waves run up the shore one after the other, and break at its edge.
  float run = fract(vShore * 2.2 - still * 0.16 + grain.r * 0.7);
  float lap = smoothstep(0.80, 0.97, run) * smoothstep(0.55, 0.95, vShore) * (0.25 + 0.75 * grain.g);
  float rim = smoothstep(0.93, 1.08, vShore + (grain.g - 0.5) * 0.3 + 0.03 * sin(still * 1.3 + vWorld.x + vWorld.z));
  float foam = (lap * 0.42 + rim * 0.5) * mix(0.35, 1.0, fogSeen);
  albedo = mix(albedo, vec3(0.36, 0.42, 0.44), foam);
  vec3 glint = vec3(0.30, 0.42, 0.50) * (smoothstep(0.80, 1.0, ripple) * 0.10 + ripple * 0.012) * (1.0 - 0.7 * shallow);
  vec3 c = fogLight(albedo * sunLight * sunDirection.y * 0.31831, albedo * skyLight * 0.31831, glint, albedo, fogSeen, fogKnown, fogChart(vWorld, 1.0, 1.0));
  float clear = mix(0.84, 0.62, shallow) + 0.3 * foam;
  gl_FragColor = vec4(tinted(c, vWorld.xz), mix(1.0, clear, fogKnown));
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`,
  });
}
