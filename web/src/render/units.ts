// Models of entities, one instanced draw a type. An instance has 36 bytes instead
// of a matrix; the vertex shader places and turns it, and moves its parts.

import type { Rules } from "@fogkeep/client";
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
  Vector3,
} from "three";
import type { GaitColumns } from "./gait";
import { type Column, Instances } from "./instances";
import { modelOf, scaffoldModel, scalesOf, topOf } from "./models";
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

/** Places of an instance's numbers, for {@link UnitBatch.add}; `recoil` is 0 to 1. */
export const AT = {
  x: 0,
  y: 1,
  z: 2,
  facing: 3,
  aim: 4,
  built: 5,
  owner: 6,
  alpha: 7,
  flash: 8,
  state: 9,
  unfolded: 10,
  recoil: 11,
} as const;
export const NUMBERS = 12;
const SCRATCH = new Float64Array(NUMBERS);

// iPose is x, y, z and the facing; iPart the turret's turn against the hull, how much
// is built, and how far legs are unfolded; iLook the owner, alpha, flash and the bits of INSTANCE;
// iMove the recoil of a shot, the phase and the length of a stride, and the roll to a side.
// cut is the height that is built from the ground up; 0: iPart.y is the model's height.
const VERTEX_HEAD = /* glsl */ `
attribute vec3 aPaint;
attribute vec3 aOut;
attribute vec4 iPose;
attribute vec3 iPart;
attribute vec4 iLook;
attribute vec4 iMove;
uniform vec3 modelScale;
uniform float hull;
uniform float cut;
uniform float kick;
varying vec4 vLook;
varying vec3 vPaint;
varying vec2 vFog;
varying vec3 vFoot;

vec3 unitPlace(vec3 p) {
  float part = aPaint.z;
  bool unfolds = part > 1.5 && part < 2.5;
  if (unfolds) p *= iPart.z;
  if (part > 4.5) p.x -= iMove.x * kick;
  if (part > 0.5 && part < 1.5 || part > 5.5) {
    float c = cos(iPart.x), s = sin(iPart.x);
    p.xz = vec2(p.x * c - p.z * s, p.x * s + p.z * c);
  }
  if (part > 2.5 && part < 4.5) {
    float swing = (iMove.y + (part > 3.5 ? 0.5 : 0.0)) * 6.2831853;
    p.x += cos(swing) * 0.34 * iMove.z;
    p.y += max(0.0, -sin(swing)) * 0.24 * iMove.z;
  } else if (!unfolds) p.x -= iMove.x * kick * 0.3;
  p += aOut * hull * (unfolds ? iPart.z : 1.0);
  float roll = (iMove.w - 0.50196) * 1.6;
  p.yz = vec2(p.y * cos(roll) - p.z * sin(roll), p.y * sin(roll) + p.z * cos(roll));
  p *= modelScale;
  if (cut == 0.0) p.y *= iPart.y;
  float c = cos(iPose.w), s = sin(iPose.w);
  p.xz = vec2(p.x * c - p.z * s, p.x * s + p.z * c);
  return p + iPose.xyz;
}
`;

/** Unbuilt parts are left out. A flat top is as high as the cut of a finished model, and not exactly. */
const UNBUILT = /* glsl */ `
  if (cut > 0.0 && vPaint.z < 0.999 && vFoot.y > cut * vPaint.z) discard;
`;
/** The fragment shader's inputs from a vertex. */
const VARYINGS = /* glsl */ `
  vLook = vec4(iLook.x, iLook.y / 255.0, iLook.z / 255.0, iLook.w);
  vPaint = vec3(aPaint.xy, iPart.y);
  vFoot = transformed - vec3(0.0, iPose.y, 0.0);
`;

/** Fades by a dither pattern, so that no sorting is needed. */
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
uniform float cut;
bool lookBit(float state, float bit) { return mod(floor((state + 0.5) / bit), 2.0) > 0.5; }
`;

const COLUMNS: readonly Column[] = [
  { name: "iPose", size: 4, kind: "float" },
  { name: "iPart", size: 3, kind: "float" },
  { name: "iLook", size: 4, kind: "byte" },
  { name: "iMove", size: 4, kind: "unit" },
];

/** Uniforms of one type. */
interface OwnUniforms extends Record<string, IUniform> {
  modelScale: IUniform<Vector3>;
}

export interface BatchOptions {
  outline: boolean;
  shadows: boolean;
  /** It stands on ground that need not be explored, and is not drawn there. */
  scenery?: boolean;
  /** Height of a structure, which is built from the ground up; 0: push takes the share of the model's height. */
  cut?: number;
  /** How far a shot pushes guns back, in units of the model. */
  kick?: number;
}

export class UnitBatch {
  private readonly geometry = new InstancedBufferGeometry();
  readonly mesh: Mesh;
  private readonly outline: Mesh | null;
  private readonly instances = new Instances(this.geometry, COLUMNS, 64);

  constructor(
    base: ReturnType<typeof modelOf>,
    /** Along x, y and z. */
    scale: readonly [number, number, number],
    fog: FogUniforms,
    teams: OwnerUniforms,
    options: BatchOptions,
  ) {
    for (const name of ["position", "color", "aPaint", "aOut"]) {
      this.geometry.setAttribute(name, base.getAttribute(name) as BufferAttribute);
    }
    // Entities of the server stand out from unexplored ground; scenery does not.
    const own = {
      modelScale: { value: new Vector3(...scale) },
      cut: { value: options.cut ?? 0 },
      kick: { value: options.kick ?? 0 },
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
  ${VARYINGS}
  vFog = fogSpot(iPose.xz);`,
        ],
      ],
      fragment: [
        ["#include <common>", `#include <common>\n${FRAGMENT_HEAD}${FOG_READ}${FOG_LIGHT}`],
        [
          "#include <color_fragment>",
          `${FADE}${UNBUILT}
  vec3 ownerColor = ownerColors[int(vLook.x + 0.5)];
  diffuseColor.rgb *= mix(vColor.rgb, ownerColor, vPaint.x);
  bool ghost = lookBit(vLook.w, 1.0);
  if (ghost && mod(floor((gl_FragCoord.x + gl_FragCoord.y) / 3.0), 3.0) < 0.5) diffuseColor.rgb *= 0.5;`,
        ],
        [
          LIGHT_LINE,
          `vec3 glow = vColor.rgb * vPaint.y * 0.9 + ownerColor * vPaint.x * 0.14;
  if (cut > 0.0 && vPaint.z < 0.999) glow += vec3(0.9, 0.42, 0.08) * smoothstep(cut * vPaint.z - 0.07, cut * vPaint.z, vFoot.y) * 0.5;
  float seen = smoothstep(0.15, 0.7, vFog.r);
  if (lookBit(vLook.w, 8.0)) seen = max(seen, 0.85);
  float known = max(told, max(seen, smoothstep(0.3, 0.8, vFog.g)));
  if (fogDither(gl_FragCoord.xy) >= known) discard;
  if (ghost) seen = 0.0;
  float stand = 0.72 + 0.28 * smoothstep(0.0, 0.35, vFoot.y);
  vec3 outgoingLight = fogLight(reflectedLight.directDiffuse * stand, reflectedLight.indirectDiffuse * stand, glow, diffuseColor.rgb, seen, known, fogNever);
  if (lookBit(vLook.w, 16.0)) outgoingLight = mix(outgoingLight, ownerColor * 0.6 + 0.12, 0.55);
  if (lookBit(vLook.w, 32.0)) outgoingLight = mix(outgoingLight, vec3(0.85, 0.07, 0.03) * (0.75 + 0.25 * sin(seconds * 9.0)) + outgoingLight * 0.3, 0.62);
  if (lookBit(vLook.w, 64.0)) outgoingLight += vec3(0.75, 0.26, 0.04) * (0.6 + 0.25 * sin(seconds * 17.0 + vFoot.y * 9.0)) * seen;
  if (lookBit(vLook.w, 128.0)) outgoingLight = mix(outgoingLight, vec3(0.16, 0.42, 0.95) * (dot(outgoingLight, vec3(0.33)) + 0.25), 0.6);
  // A hit tints grey parts; the owner's colour stays.
  outgoingLight = mix(outgoingLight, outgoingLight * vec3(1.3, 0.62, 0.45) + vec3(0.16, 0.03, 0.01), vLook.z * mix(0.85, 0.2, vPaint.x));`,
        ],
      ],
    });
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = options.shadows;
    this.mesh.receiveShadow = options.shadows;
    if (options.shadows) this.mesh.customDepthMaterial = depthMaterial({ ...fog, ...own });
    this.outline = options.outline ? outlineMesh(this.geometry, fog, own) : null;
    if (this.outline) this.mesh.add(this.outline);
  }

  /** Instances of this frame. */
  get count(): number {
    return this.instances.count;
  }

  begin(): void {
    this.instances.begin();
  }

  /**
   * Adds an instance: where it stands and faces, its turret's direction against the
   * hull, how much is built, its owner's colour, how visible it is, how fresh a hit
   * is, bits of {@link INSTANCE}, and how far its legs are unfolded.
   */
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
    const of = SCRATCH;
    of[AT.x] = x;
    of[AT.y] = y;
    of[AT.z] = z;
    of[AT.facing] = facing;
    of[AT.aim] = aim;
    of[AT.built] = built;
    of[AT.owner] = owner;
    of[AT.alpha] = alpha;
    of[AT.flash] = flash;
    of[AT.state] = state;
    of[AT.unfolded] = unfolded;
    this.add(of);
  }

  /** The same of numbers at the places of {@link AT}: for rows that are added so often that no number may be boxed. */
  add(of: Float64Array): void {
    const i = this.instances.next();
    const pose = this.instances.array(0);
    pose[4 * i] = of[AT.x];
    pose[4 * i + 1] = of[AT.y];
    pose[4 * i + 2] = of[AT.z];
    pose[4 * i + 3] = of[AT.facing];
    const part = this.instances.array(1);
    part[3 * i] = of[AT.aim];
    part[3 * i + 1] = of[AT.built];
    part[3 * i + 2] = of[AT.unfolded];
    const look = this.instances.array(2);
    look[4 * i] = of[AT.owner];
    look[4 * i + 1] = of[AT.alpha] * 255;
    look[4 * i + 2] = of[AT.flash] * 255;
    look[4 * i + 3] = of[AT.state];
    const move = this.instances.array(3);
    move[4 * i] = 0;
    move[4 * i + 1] = 0;
    move[4 * i + 2] = 0;
    move[4 * i + 3] = 128;
  }

  /** Moves the parts of the instance that was added last, as the gait of a row and the recoil of its last shot in `of` say. */
  move(gait: GaitColumns, row: number, of: Float64Array): void {
    const i = this.instances.count - 1;
    const move = this.instances.array(3);
    move[4 * i] = of[AT.recoil] * 255;
    move[4 * i + 1] = gait.phase[row] * 255;
    move[4 * i + 2] = gait.length[row] * 255;
    move[4 * i + 3] = 127.5 + gait.roll[row] * 127.5;
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
  ${VARYINGS}
  vFog = vec2(0.0);`,
      ],
    ],
    fragment: [
      [
        "#include <common>",
        "#include <common>\nuniform float cut;\nvarying vec3 vPaint;\nvarying vec3 vFoot;",
      ],
      ["#include <clipping_planes_fragment>", UNBUILT],
    ],
  });
  return material;
}

/** The outline: dark, white under the mouse. */
function outlineMesh(geometry: InstancedBufferGeometry, fog: FogUniforms, own: OwnUniforms): Mesh {
  const material = new MeshBasicMaterial({ side: BackSide });
  patch(material, {
    key: "unit-outline",
    uniforms: { ...fog, ...own, hull: { value: 0.035 / own.modelScale.value.x } },
    vertex: [
      ["#include <common>", `#include <common>\n${VERTEX_HEAD}${FOG_READ}`],
      [
        "#include <begin_vertex>",
        `vec3 transformed = unitPlace(position);
  ${VARYINGS}
  vFog = fogSpot(iPose.xz);`,
      ],
    ],
    fragment: [
      [
        "#include <common>",
        `#include <common>\n${FRAGMENT_HEAD.replace(/uniform vec3 ownerColors.*\n/, "")}`,
      ],
      ["#include <color_fragment>", FADE + UNBUILT],
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
  /** Around structures that are being built, by type; null for others. */
  readonly scaffolds: (UnitBatch | null)[] = [];

  constructor(
    rules: Rules,
    fog: FogUniforms,
    teams: OwnerUniforms,
    options: { outline: boolean; shadows: boolean },
  ) {
    for (const t of rules.types) {
      const model = modelOf(t);
      const [sx, sy, sz] = scalesOf(t);
      const structure = t.class === "structure";
      model.computeBoundingBox();
      const top = (model.boundingBox?.max.y ?? 1) * sy;
      const batch = new UnitBatch(model, [sx, sy, sz], fog, teams, {
        outline: options.outline && t.class !== "projectile",
        shadows: options.shadows && t.class !== "projectile",
        cut: structure ? top : 0,
        kick: structure ? 0.12 : 0.36,
      });
      this.batches.push(batch);
      this.group.add(batch.mesh);
      const scaffold = structure
        ? new UnitBatch(scaffoldModel(), [sx, Math.min(top * 1.06, topOf(t)), sz], fog, teams, {
            outline: false,
            shadows: options.shadows,
          })
        : null;
      this.scaffolds.push(scaffold);
      if (scaffold) this.group.add(scaffold.mesh);
    }
  }

  /** Instances of this frame. */
  get count(): number {
    let n = 0;
    for (const b of this.batches) n += b.count;
    for (const b of this.scaffolds) n += b?.count ?? 0;
    return n;
  }

  begin(): void {
    for (const b of this.batches) b.begin();
    for (const b of this.scaffolds) b?.begin();
  }
  end(): void {
    for (const b of this.batches) b.end();
    for (const b of this.scaffolds) b?.end();
  }
  dispose(): void {
    for (const b of this.batches) b.dispose();
    for (const b of this.scaffolds) b?.dispose();
  }
}
