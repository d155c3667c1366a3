// The land as flat-shaded triangles, two a tile, in chunks for culling; and the
// surface of water.

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
import { hash01 } from "../base/hash";
import { GROUND, linearRgb, WATER_SURFACE } from "../draw/palette";
import { CLIFF, type GameMap, WATER } from "../state/map";
import { type HeightField, LEVEL_HEIGHT, surfaceHeight } from "./heightfield";
import {
  FOG_BEND,
  FOG_LIGHT,
  FOG_READ,
  FOG_SLOPE,
  FOG_STEPS,
  FOG_TERRAIN,
  type FogUniforms,
  LIGHT_LINE,
  patch,
} from "./shaders";

const CHUNK = 32;

export class Terrain {
  readonly group = new Group();
  private readonly disposables: { dispose(): void }[] = [];

  constructor(ground: HeightField, uniforms: FogUniforms, traits: { shadows: boolean; cheapFog: boolean }) {
    const material = traits.shadows ? shadowedLand(uniforms) : plainLand(uniforms, traits.cheapFog);
    this.disposables.push(material);
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
      const surface = waterMaterial(uniforms);
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
    // After the land, which hides most of it.
    mesh.renderOrder = 0.5;
    this.disposables.push(geometry, material);
    return mesh;
  }
}

const COLORS = GROUND.map(linearRgb);

function landChunk(ground: HeightField, x0: number, y0: number): BufferGeometry {
  const { map, corners } = ground;
  const x1 = Math.min(map.width, x0 + CHUNK);
  const y1 = Math.min(map.height, y0 + CHUNK);
  const tiles = (x1 - x0) * (y1 - y0);
  // Tiles at the map's edge get a vertical side.
  const position = new Float32Array(tiles * 18 + ((x1 - x0) * 2 + (y1 - y0) * 2) * 18);
  const color = new Uint8Array((position.length / 3) * 4);
  let p = 0;
  let c = 0;
  const own: [number, number, number] = [0, 0, 0];
  const vertex = (cx: number, cy: number, h: number, tone: number, tile: number, drop = 0) => {
    position[p++] = cx;
    position[p++] = h - drop;
    position[p++] = cy;
    cornerColor(map, cx, cy, tile, own);
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
      const one = 0.94 + hash01(x, y, 1) * 0.12;
      const two = 0.94 + hash01(x, y, 2) * 0.12;
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
  g.setAttribute("normal8", new BufferAttribute(faceNormals(position.subarray(0, p)), 3, true));
  g.setAttribute("color", new BufferAttribute(color.subarray(0, c), 4, true));
  g.computeBoundingSphere();
  return g;
}

/** A face's direction at each of its corners, as bytes. */
function faceNormals(position: Float32Array): Int8Array {
  const out = new Int8Array(position.length);
  for (let t = 0; t < position.length; t += 9) {
    const ax = position[t + 3] - position[t];
    const ay = position[t + 4] - position[t + 1];
    const az = position[t + 5] - position[t + 2];
    const bx = position[t + 6] - position[t];
    const by = position[t + 7] - position[t + 1];
    const bz = position[t + 8] - position[t + 2];
    const nx = ay * bz - az * by;
    const ny = az * bx - ax * bz;
    const nz = ax * by - ay * bx;
    const l = Math.hypot(nx, ny, nz) || 1;
    for (let k = 0; k < 9; k += 3) {
      out[t + k] = (nx / l) * 127;
      out[t + k + 1] = (ny / l) * 127;
      out[t + k + 2] = (nz / l) * 127;
    }
  }
  return out;
}

/** A corner's colour: a little of the tile's own, most the mean of the four around, so borders are soft. */
function cornerColor(map: GameMap, x: number, y: number, tile: number, out: [number, number, number]): void {
  const mine = COLORS[map.terrain[tile]];
  let r = 0;
  let g = 0;
  let b = 0;
  for (let k = 0; k < 4; k++) {
    const i = Math.max(0, Math.min(map.width - 1, x - (k & 1)));
    const j = Math.max(0, Math.min(map.height - 1, y - (k >> 1)));
    const c = COLORS[map.terrain[j * map.width + i]];
    r += c[0];
    g += c[1];
    b += c[2];
  }
  out[0] = mine[0] * 0.18 + (r / 4) * 0.82;
  out[1] = mine[1] * 0.18 + (g / 4) * 0.82;
  out[2] = mine[2] * 0.18 + (b / 4) * 0.82;
}

/** Darker at the foot of what is higher, a little lighter on a ledge and with each level. */
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

/** With shadows: three's Lambert material. */
function shadowedLand(uniforms: FogUniforms): Material {
  const material = new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: FrontSide });
  patch(material, {
    key: "land",
    uniforms,
    vertex: [
      ["#include <common>", "#include <common>\nvarying vec3 vWorld;\nvarying vec2 vBend;"],
      [
        "#include <begin_vertex>",
        `#include <begin_vertex>
vWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;
${FOG_BEND}`,
      ],
    ],
    fragment: [
      [
        "#include <common>",
        `#include <common>\nvarying vec3 vWorld;\nvarying vec2 vBend;\n${FOG_READ}${FOG_LIGHT}`,
      ],
      // Colours are stored at 2.2 times, to use the byte's range on dark ground.
      ["#include <color_fragment>", "diffuseColor.rgb *= vColor.rgb / 2.2;"],
      [
        LIGHT_LINE,
        `${FOG_SLOPE}${FOG_TERRAIN}
  vec3 outgoingLight = fogLight(reflectedLight.directDiffuse, reflectedLight.indirectDiffuse, totalEmissiveRadiance, diffuseColor.rgb, fogSeen, fogKnown);`,
      ],
    ],
  });
  return material;
}

/**
 * Without shadows the light is the same all over a face, so it is computed at the
 * corners; with `cheap` the fog is too, and no pixel reads a texture.
 */
function plainLand(uniforms: FogUniforms, cheap: boolean): Material {
  const fogHere = cheap
    ? { vertex: `vFog = fogRead(vWorld.xz + vBend + ${SLOPE_OF_NORMAL});`, fragment: "vec2 fogRG = vFog;" }
    : { vertex: `vFog = ${SLOPE_OF_NORMAL};`, fragment: "vec2 fogRG = fogRead(vWorld.xz + vBend + vFog);" };
  return new ShaderMaterial({
    uniforms,
    vertexShader: /* glsl */ `
attribute vec4 color;
attribute vec3 normal8;
uniform vec3 sunDirection;
uniform vec3 sunLight;
uniform vec3 skyLight;
uniform vec3 earthLight;
varying vec3 vWorld;
varying vec2 vBend;
varying vec2 vFog;
varying vec3 vAlbedo;
varying vec3 vSun;
varying vec3 vSky;
${FOG_READ}
void main() {
  vWorld = position;
  ${FOG_BEND}
  ${fogHere.vertex}
  vAlbedo = color.rgb / 2.2;
  vSun = vAlbedo * sunLight * max(0.0, dot(normal8, sunDirection)) * 0.31831;
  vSky = vAlbedo * mix(earthLight, skyLight, 0.5 + 0.5 * normal8.y) * 0.31831;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
varying vec3 vWorld;
varying vec2 vBend;
varying vec2 vFog;
varying vec3 vAlbedo;
varying vec3 vSun;
varying vec3 vSky;
${FOG_READ}${FOG_LIGHT}
void main() {
  ${fogHere.fragment}
  ${FOG_STEPS}
  gl_FragColor = vec4(fogLight(vSun, vSky, vec3(0.0), vAlbedo, fogSeen, fogKnown), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`,
  });
}

const SLOPE_OF_NORMAL = "normal8.xz * (1.0 - smoothstep(0.5, 0.85, normal8.y)) * 0.35";

/** One quad a tile of water, and of the land beside it, so that the surface ends under the shore. */
function waterGeometry(map: GameMap): BufferGeometry | null {
  const at: number[] = [];
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
        }
      }
    }
  }
  if (at.length === 0) return null;
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  g.computeBoundingSphere();
  return g;
}

/** The water has waves where it is visible. */
function waterMaterial(uniforms: FogUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, surface: { value: new Color(WATER_SURFACE) } },
    transparent: true,
    depthWrite: false,
    vertexShader: /* glsl */ `
varying vec3 vWorld;
varying vec2 vFog;
uniform vec3 surface;
uniform vec3 sunDirection;
uniform vec3 sunLight;
uniform vec3 skyLight;
varying vec3 vSun;
varying vec3 vSky;
${FOG_READ}
void main() {
  vWorld = position;
  vFog = fogRead(position.xz);
  vSun = surface * sunLight * sunDirection.y * 0.31831;
  vSky = surface * skyLight * 0.31831;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
varying vec3 vWorld;
varying vec2 vFog;
varying vec3 vSun;
varying vec3 vSky;
uniform vec3 surface;
${FOG_READ}${FOG_LIGHT}
void main() {
  vec2 fogRG = vFog;
  ${FOG_STEPS}
  float still = seconds * step(0.02, fogSeen);
  vec2 w = vWorld.xz + 0.35 * vec2(sin(vWorld.z * 0.8 + still * 0.5), cos(vWorld.x * 0.7 - still * 0.4));
  float ripple = sin(w.x * 1.6 + w.y * 4.6 + still * 0.9) * 0.5 + sin(w.x * -1.1 + w.y * 6.9 - still * 0.7) * 0.5;
  vec3 glint = vec3(0.30, 0.42, 0.50) * (smoothstep(0.80, 1.0, ripple) * 0.10 + ripple * 0.012);
  vec3 c = fogLight(vSun, vSky, glint, surface, fogSeen, fogKnown);
  gl_FragColor = vec4(c, mix(1.0, 0.82, fogKnown));
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`,
  });
}
