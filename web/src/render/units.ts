// Models of entities, one instanced draw a type. An instance has 32 bytes instead
// of a matrix; the vertex shader places and turns it.

import {
  BackSide,
  type BufferAttribute,
  DoubleSide,
  Group,
  InstancedBufferGeometry,
  type IUniform,
  Mesh,
  MeshBasicMaterial,
  MeshDepthMaterial,
  MeshLambertMaterial,
  RGBADepthPacking,
} from "three";
import type { Rules } from "../state/rules";
import { type Column, Instances } from "./instances";
import { modelOf, scaleOf } from "./models";
import { NEUTRAL_INDEX, type OwnerUniforms } from "./ownercolors";
import { FOG_LIGHT, FOG_READ, type FogUniforms, LIGHT_LINE, patch } from "./shaders";

/** Bits of an instance's state. */
export const INSTANCE = {
  ghost: 1,
  hover: 2,
  selected: 4,
  own: 8,
  cloaked: 16,
  raging: 32,
  burning: 64,
  slowed: 128,
} as const;

// iPose is x, y, z and the facing; iPart the turret's turn against the hull, how much
// is built, and how far legs are unfolded; iLook the owner, alpha, flash and the bits of INSTANCE.
const VERTEX_HEAD = /* glsl */ `
attribute vec3 aPaint;
attribute vec3 aOut;
attribute vec4 iPose;
attribute vec3 iPart;
attribute vec4 iLook;
uniform float modelScale;
uniform float hull;
varying vec4 vLook;
varying vec3 vPaint;
varying vec2 vFog;
varying vec3 vFoot;

vec3 unitPlace(vec3 p) {
  if (aPaint.z > 1.5) p *= iPart.z;
  else if (aPaint.z > 0.5) {
    float c = cos(iPart.x), s = sin(iPart.x);
    p.xz = vec2(p.x * c - p.z * s, p.x * s + p.z * c);
  }
  p += aOut * hull * (aPaint.z > 1.5 ? iPart.z : 1.0);
  p *= modelScale;
  p.y *= mix(0.12, 1.0, iPart.y);
  float c = cos(iPose.w), s = sin(iPose.w);
  p.xz = vec2(p.x * c - p.z * s, p.x * s + p.z * c);
  return p + iPose.xyz;
}
`;

/** Fades by a dither pattern, so that nothing has to be sorted. */
const FADE = /* glsl */ `
  if (vLook.y < 0.999 && vLook.y <= fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))))) discard;
`;

// The state is rounded in lookBit, since interpolated values are not exact integers.
const FRAGMENT_HEAD = /* glsl */ `
varying vec4 vLook;
varying vec3 vPaint;
varying vec2 vFog;
varying vec3 vFoot;
uniform vec3 ownerColors[${NEUTRAL_INDEX + 1}];
uniform float told;
bool lookBit(float state, float bit) { return mod(floor((state + 0.5) / bit), 2.0) > 0.5; }
`;

const COLUMNS: readonly Column[] = [
  { name: "iPose", size: 4, kind: "float" },
  { name: "iPart", size: 3, kind: "float" },
  { name: "iLook", size: 4, kind: "byte" },
];

export class UnitBatch {
  private readonly geometry = new InstancedBufferGeometry();
  readonly mesh: Mesh;
  private readonly outline: Mesh | null;
  private readonly instances = new Instances(this.geometry, COLUMNS, 64);

  constructor(
    base: ReturnType<typeof modelOf>,
    scale: number,
    fog: FogUniforms,
    teams: OwnerUniforms,
    options: { outline: boolean; shadows: boolean; flat?: boolean; scenery?: boolean },
  ) {
    for (const name of ["position", "color", "aPaint", "aOut"]) {
      this.geometry.setAttribute(name, base.getAttribute(name) as BufferAttribute);
    }
    // What the server tells of stands out from unexplored ground; scenery does not.
    const own = {
      modelScale: { value: scale },
      hull: { value: 0 },
      told: { value: options.scenery ? 0 : 1 },
    };
    const material = new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: DoubleSide });
    patch(material, {
      key: "unit",
      uniforms: { ...fog, ...teams, ...own },
      vertex: [
        ["#include <common>", `#include <common>\n${VERTEX_HEAD}${FOG_READ}`],
        [
          "#include <begin_vertex>",
          `vec3 transformed = unitPlace(position);
  vLook = vec4(iLook.x, iLook.y / 255.0, iLook.z / 255.0, iLook.w);
  vPaint = aPaint;
  vFoot = transformed - vec3(0.0, iPose.y, 0.0);
  vFog = fogSpot(iPose.xz);`,
        ],
      ],
      fragment: [
        ["#include <common>", `#include <common>\n${FRAGMENT_HEAD}${FOG_READ}${FOG_LIGHT}`],
        [
          "#include <color_fragment>",
          `${FADE}
  vec3 ownerColor = ownerColors[int(vLook.x + 0.5)];
  diffuseColor.rgb *= mix(vColor.rgb, ownerColor, vPaint.x);
  bool ghost = lookBit(vLook.w, 1.0);
  if (ghost && mod(floor((gl_FragCoord.x + gl_FragCoord.y) / 3.0), 3.0) < 0.5) diffuseColor.rgb *= 0.5;`,
        ],
        [
          LIGHT_LINE,
          `vec3 glow = vColor.rgb * vPaint.y * 0.9 + ownerColor * vPaint.x * 0.14;
  float seen = smoothstep(0.15, 0.7, vFog.r);
  if (lookBit(vLook.w, 8.0)) seen = max(seen, 0.85);
  float known = max(told, max(seen, smoothstep(0.3, 0.8, vFog.g)));
  if (ghost) seen = 0.0;
  float stand = 0.72 + 0.28 * smoothstep(0.0, 0.35, vFoot.y);
  vec3 outgoingLight = fogLight(reflectedLight.directDiffuse * stand, reflectedLight.indirectDiffuse * stand, glow, diffuseColor.rgb, seen, known);
  if (lookBit(vLook.w, 16.0)) outgoingLight = mix(outgoingLight, ownerColor * 0.6 + 0.12, 0.55);
  if (lookBit(vLook.w, 32.0)) outgoingLight = mix(outgoingLight, vec3(0.85, 0.07, 0.03) * (0.75 + 0.25 * sin(seconds * 9.0)) + outgoingLight * 0.3, 0.62);
  if (lookBit(vLook.w, 64.0)) outgoingLight += vec3(0.75, 0.26, 0.04) * (0.6 + 0.25 * sin(seconds * 17.0 + vFoot.y * 9.0)) * seen;
  if (lookBit(vLook.w, 128.0)) outgoingLight = mix(outgoingLight, vec3(0.16, 0.42, 0.95) * (dot(outgoingLight, vec3(0.33)) + 0.25), 0.6);
  outgoingLight += vec3(1.0, 0.93, 0.8) * vLook.z * 0.24;`,
        ],
      ],
    });
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = options.shadows;
    this.mesh.receiveShadow = options.shadows;
    if (options.shadows) this.mesh.customDepthMaterial = depthMaterial({ ...fog, ...own });
    this.outline = options.outline ? outlineMesh(this.geometry, scale, fog) : null;
    if (this.outline) this.mesh.add(this.outline);
  }

  begin(): void {
    this.instances.begin();
  }

  push(
    x: number,
    y: number,
    z: number,
    facing: number,
    aim: number,
    built: number,
    owner: number,
    alpha: number,
    flash: number,
    state: number,
    unfolded = 0,
  ): void {
    const i = this.instances.next();
    const pose = this.instances.array(0);
    pose[4 * i] = x;
    pose[4 * i + 1] = y;
    pose[4 * i + 2] = z;
    pose[4 * i + 3] = facing;
    const part = this.instances.array(1);
    part[3 * i] = aim;
    part[3 * i + 1] = built;
    part[3 * i + 2] = unfolded;
    const look = this.instances.array(2);
    look[4 * i] = owner;
    look[4 * i + 1] = alpha * 255;
    look[4 * i + 2] = flash * 255;
    look[4 * i + 3] = state;
  }

  end(): void {
    this.instances.end(this.mesh);
  }

  dispose(): void {
    this.geometry.dispose();
    (this.mesh.material as MeshLambertMaterial).dispose();
    this.mesh.customDepthMaterial?.dispose();
    (this.outline?.material as MeshBasicMaterial | undefined)?.dispose();
  }
}

function depthMaterial(uniforms: Record<string, IUniform>): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking, side: DoubleSide });
  patch(material, {
    key: "unit-depth",
    uniforms,
    vertex: [
      ["#include <common>", `#include <common>\n${VERTEX_HEAD}`],
      [
        "#include <begin_vertex>",
        `vec3 transformed = unitPlace(position);
  vLook = vec4(iLook.x, iLook.y / 255.0, iLook.z / 255.0, iLook.w);
  vPaint = aPaint; vFog = vec2(0.0); vFoot = vec3(0.0);`,
      ],
    ],
    fragment: [],
  });
  return material;
}

/** The outline: dark, white under the mouse. */
function outlineMesh(geometry: InstancedBufferGeometry, scale: number, fog: FogUniforms): Mesh {
  const material = new MeshBasicMaterial({ side: BackSide });
  patch(material, {
    key: "unit-outline",
    uniforms: { ...fog, modelScale: { value: scale }, hull: { value: 0.035 / scale } },
    vertex: [
      ["#include <common>", `#include <common>\n${VERTEX_HEAD}${FOG_READ}`],
      [
        "#include <begin_vertex>",
        `vec3 transformed = unitPlace(position);
  vLook = vec4(iLook.x, iLook.y / 255.0, iLook.z / 255.0, iLook.w);
  vPaint = aPaint; vFoot = vec3(0.0);
  vFog = fogSpot(iPose.xz);`,
      ],
    ],
    fragment: [
      [
        "#include <common>",
        `#include <common>\n${FRAGMENT_HEAD.replace(/uniform vec3 ownerColors.*\n/, "")}`,
      ],
      ["#include <color_fragment>", FADE],
      [
        "#include <opaque_fragment>",
        `outgoingLight = lookBit(vLook.w, 2.0) ? vec3(0.95) : vec3(0.006, 0.010, 0.016);
  #include <opaque_fragment>`,
      ],
    ],
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}

/** All batches, by type. */
export class Units {
  readonly group = new Group();
  readonly batches: UnitBatch[] = [];

  constructor(
    rules: Rules,
    fog: FogUniforms,
    teams: OwnerUniforms,
    options: { outline: boolean; shadows: boolean },
  ) {
    for (const t of rules.types) {
      const batch = new UnitBatch(modelOf(t), scaleOf(t), fog, teams, {
        outline: options.outline && t.class !== "projectile",
        shadows: options.shadows && t.class !== "projectile",
      });
      this.batches.push(batch);
      this.group.add(batch.mesh);
    }
  }

  begin(): void {
    for (const b of this.batches) b.begin();
  }
  end(): void {
    for (const b of this.batches) b.end();
  }
  dispose(): void {
    for (const b of this.batches) b.dispose();
  }
}
