// The GLSL that draws the fog on everything, and the patch that adds it to
// three's Lambert shader. It depends on the shader chunks of the pinned version
// of three; a patch that does not fit throws.

import { UNEXPLORED } from "@fogkeep/client";
import {
  Color,
  DataTexture,
  type IUniform,
  type Material,
  Vector2,
  Vector3,
  type WebGLProgramParametersWithUniforms,
} from "three";
import { EARTH_LIGHT, KEY_LIGHT, SKY_LIGHT } from "../draw/palette";
import type { FogTexture } from "./fog";
import { LEVEL_HEIGHT } from "./heightfield";

/** From the upper left, 40 degrees above the horizon: shadows fall down-right, clear of bars. */
export const SUN_DIRECTION = new Vector3(-30, 36, -24).normalize();
export const SUN_STRENGTH = 3.6;
export const SKY_STRENGTH = 1.5;

export interface FogUniforms {
  [name: string]: IUniform;
  fogMap: IUniform;
  fogSize: IUniform<Vector2>;
  fogNever: IUniform<Color>;
  seconds: IUniform<number>;
  /** A colour for each tile of the ground, with its strength; empty without a tint. */
  tintMap: IUniform<DataTexture>;
}

/** An empty tint. */
export function noTint(): DataTexture {
  const texture = new DataTexture(new Uint8Array(4), 1, 1);
  texture.needsUpdate = true;
  return texture;
}

export function fogUniforms(fog: FogTexture): FogUniforms {
  return {
    fogMap: { value: fog.texture },
    fogSize: { value: new Vector2(fog.mask.width, fog.mask.height) },
    fogNever: { value: new Color(UNEXPLORED) },
    seconds: { value: 0 },
    tintMap: { value: noTint() },
    sunDirection: { value: SUN_DIRECTION.clone() },
    sunLight: { value: new Color(KEY_LIGHT).multiplyScalar(SUN_STRENGTH) },
    skyLight: { value: new Color(SKY_LIGHT).multiplyScalar(SKY_STRENGTH) },
    earthLight: { value: new Color(EARTH_LIGHT).multiplyScalar(SKY_STRENGTH) },
  };
}

/** Samples the mask. `fogRead` is smooth (a B-spline in four linear taps), `fogSpot` is one tap. */
export const FOG_READ = /* glsl */ `
uniform sampler2D fogMap;
uniform vec2 fogSize;
uniform vec3 fogNever;
uniform float seconds;

vec2 fogSpot(vec2 at) { return texture2D(fogMap, at / fogSize).rg; }

vec2 fogRead(vec2 at) {
  vec2 p = at - 0.5;
  vec2 i = floor(p);
  vec2 f = p - i;
  vec2 f2 = f * f, f3 = f2 * f;
  vec2 w0 = (1.0 - 3.0 * f + 3.0 * f2 - f3) / 6.0;
  vec2 w1 = (4.0 - 6.0 * f2 + 3.0 * f3) / 6.0;
  vec2 w3 = f3 / 6.0;
  vec2 w2 = 1.0 - w0 - w1 - w3;
  vec2 lo = w0 + w1, hi = w2 + w3;
  vec2 a = (i - 0.5 + w1 / lo) / fogSize, b = (i + 1.5 + w3 / hi) / fogSize;
  return lo.y * (lo.x * texture2D(fogMap, a).rg + hi.x * texture2D(fogMap, vec2(b.x, a.y)).rg)
       + hi.y * (lo.x * texture2D(fogMap, vec2(a.x, b.y)).rg + hi.x * texture2D(fogMap, b).rg);
}
`;

/**
 * Light of visible, explored and unexplored ground; before tone mapping. `seen` and
 * `known` are 0 to 1; sun, sky and glow are the light of each kind; `never` is the colour of unexplored ground. The edge
 * of visible ground is a little brighter.
 */
export const FOG_LIGHT = /* glsl */ `
float fogDither(vec2 px) { return fract(52.9829189 * fract(dot(px, vec2(0.06711056, 0.00583715)))); }

vec3 fogLight(vec3 sun, vec3 sky, vec3 glow, vec3 albedo, float seen, float known, vec3 never) {
  vec3 lit = sun * mix(0.22, 1.0, seen) + sky * mix(0.85, 1.0, seen) + glow * seen;
  float grey = dot(lit, vec3(0.2126, 0.7152, 0.0722));
  vec3 dim = mix(lit, vec3(grey), 0.6) * vec3(0.80, 0.93, 1.14);
  vec3 c = mix(dim, lit, seen);
  c += albedo * vec3(1.0, 0.72, 0.38) * 0.16 * seen * (1.0 - seen) * 4.0 * known;
  float grain = (fogDither(gl_FragCoord.xy) - 0.5) * 0.004;
  return mix(never + grain, c, known);
}
`;

/**
 * Unexplored ground as a chart: relief by the sun, lines of height, darker water, and a frame at the map's edge.
 * `slope` is the sun on the ground over the sun on even ground. The chart is of the map alone, which every player has.
 */
export const FOG_CHART = /* glsl */ `
vec3 fogChart(vec3 at, float slope, float water) {
  vec3 paper = mix(fogNever * vec3(3.4, 3.0, 2.6), fogNever * vec3(1.3, 1.8, 2.7), water);
  paper *= clamp(0.35 + 0.65 * slope, 0.3, 1.6) * (1.0 + 0.05 * at.y);
  float level = at.y / ${(LEVEL_HEIGHT * 2).toFixed(3)} + 0.25;
  float width = max(fwidth(level), 1e-4);
  float line = (1.0 - smoothstep(0.6, 1.6, abs(fract(level + 0.5) - 0.5) / width)) * (1.0 - smoothstep(0.25, 0.6, width));
  float hatch = smoothstep(0.78, 0.95, sin((at.x + at.z) * 4.4)) * water * 0.35;
  return paper * (1.0 - 0.45 * line * (1.0 - water)) * (1.0 - hatch);
}

vec3 fogFrame(vec3 c, vec2 at) {
  vec2 d = min(at, fogSize - at);
  float edge = min(d.x, d.y);
  return mix(c, vec3(0.20, 0.17, 0.12), (1.0 - smoothstep(0.10, 0.18, edge)) * 0.8);
}
`;

/** Colours the ground, and keeps its light. */
export const TINT = /* glsl */ `
uniform sampler2D tintMap;
vec3 tinted(vec3 c, vec2 at) {
  vec4 tint = texture2D(tintMap, at / fogSize);
  return mix(c, tint.rgb * (0.05 + 1.5 * dot(c, vec3(0.2126, 0.7152, 0.0722))), tint.a);
}
`;

/** Bends the edge of visible ground by less than a fifth of a tile. */
export const FOG_BEND = /* glsl */ `
vBend = vec2(
  sin(vWorld.z * 1.9 + vWorld.x * 0.7) + sin(vWorld.z * 0.83 - 1.7),
  sin(vWorld.x * 1.7 - vWorld.z * 0.6) + sin(vWorld.x * 0.91 + 2.1)) * 0.085;
`;

/**
 * On a steep face the sample is taken at its foot: a cliff gets the low ground's
 * light, and a hidden plateau does not show down its cliff.
 */
export const FOG_SLOPE = /* glsl */ `
  vec3 fogUp = normalize(cross(dFdx(vWorld), dFdy(vWorld)));
  fogUp *= sign(fogUp.y);
  vec2 fogSlope = fogUp.xz * (1.0 - smoothstep(0.5, 0.85, fogUp.y)) * 0.35;
`;

/** From the mask's values to visible and explored: light begins at the mask's edge and is full one tile inside. */
export const FOG_STEPS = /* glsl */ `
  float fogSeen = smoothstep(0.45, 0.92, fogRG.r);
  float fogKnown = smoothstep(0.42, 0.92, fogRG.g);
`;

export const FOG_TERRAIN = /* glsl */ `
  vec2 fogRG = fogRead(vWorld.xz + vBend + fogSlope);
${FOG_STEPS}`;

const LIGHT_LINE =
  "vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;";

export interface Patch {
  uniforms: Record<string, IUniform>;
  /** Pairs of a piece of the shader and its replacement. */
  vertex: [string, string][];
  fragment: [string, string][];
  /** Key of the program in three's cache. */
  key: string;
}

/** Replaces pieces of a built-in shader. Throws when a piece is missing. */
export function patch(material: Material, p: Patch): void {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    Object.assign(shader.uniforms, p.uniforms);
    shader.vertexShader = replaceAll(shader.vertexShader, p.vertex, p.key);
    shader.fragmentShader = replaceAll(shader.fragmentShader, p.fragment, p.key);
  };
  material.customProgramCacheKey = () => p.key;
}

function replaceAll(source: string, pairs: [string, string][], key: string): string {
  let out = source;
  for (const [find, put] of pairs) {
    if (!out.includes(find)) throw new Error(`shader ${key}: no "${find.slice(0, 40)}" in three's source`);
    out = out.replace(find, () => put);
  }
  return out;
}

export { LIGHT_LINE };
