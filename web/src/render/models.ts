// The model of each type. Its outline can be told from others at 24 px from
// above. A type without a model of its own gets one by its role.

import type { TypeInfo } from "@fogkeep/client";
import type { BufferGeometry } from "three";
import { packAssets } from "../draw/pack";
import { BODY, BODY_DARK, BODY_LIGHT, GUN, LAMP, PROJECTILE, WATER_SURFACE } from "../draw/palette";
import { geometryOf, MeshBuilder, PART, type Paint } from "./meshbuilder";

const body: Paint = { color: BODY };
const light: Paint = { color: BODY_LIGHT };
const dark: Paint = { color: BODY_DARK };
const gun: Paint = { color: GUN };
const team: Paint = { color: BODY, team: 1 };
const lamp: Paint = { color: LAMP, glow: 1 };
const legs: Paint = { color: GUN, part: PART.legs };
const pads: Paint = { color: BODY, team: 1, part: PART.legs };
const hullGun: Paint = { color: GUN, part: PART.gun };
const headGun: Paint = { color: GUN, part: PART.turretGun };
const leftShin: Paint = { color: GUN, part: PART.footLeft };
const rightShin: Paint = { color: GUN, part: PART.footRight };
const leftFoot: Paint = { color: BODY_DARK, part: PART.footLeft };
const rightFoot: Paint = { color: BODY_DARK, part: PART.footRight };
const headBody: Paint = { color: BODY, part: PART.turret };
const headTeam: Paint = { color: BODY, team: 1, part: PART.turret };

const deck: Paint = { color: "#6b563b", part: PART.legs };
const planks: Paint = { color: "#8d7450", part: PART.legs };
const grille: Paint = { color: BODY_LIGHT, part: PART.legs };
/** The rings of a flood from its edge to its middle: side, height and colour. */
const TIDE: [number, number, string][] = [
  [1, -0.5, "#66786f"],
  [1, 0, "#66786f"],
  [0.97, 0.05, "#93a6a1"],
  [0.93, 0.06, "#517679"],
  [0.8, 0.08, "#355b66"],
  [0.5, 0.09, "#294b5a"],
  [0, 0.1, WATER_SURFACE],
];
const cross: Paint = { color: "#4fbf74", glow: 0.5, part: PART.legs };

type Build = () => MeshBuilder;

function corners(k: MeshBuilder, at: number, put: (x: number, z: number) => void): MeshBuilder {
  for (const x of [-at, at]) for (const z of [-at, at]) put(x, z);
  return k;
}

function wheels(k: MeshBuilder, xs: readonly number[], z: number, r: number): MeshBuilder {
  for (const x of xs) {
    for (const s of [-1, 1]) k.block([x, 0, s * z], [r * 1.9, r * 1.7, r * 0.9], gun, r * 0.5);
  }
  return k;
}

function tracks(k: MeshBuilder, length: number, z: number, width: number, height: number): MeshBuilder {
  for (const s of [-1, 1]) k.block([0, 0, s * z], [length, height, width], gun, height * 0.4, [0.08, 0]);
  return k;
}

const SHAPES: Record<string, Build> = {
  // Small, with an arm that reaches forward.
  worker: () =>
    wheels(new MeshBuilder(), [-0.45, 0.45], 0.5, 0.26)
      .block([-0.1, 0.25, 0], [1.3, 0.5, 0.95], body, 0.1)
      .block([-0.35, 0.75, 0], [0.6, 0.4, 0.75], team, 0.12)
      .block([-0.1, 0.8, 0], [0.14, 0.22, 0.6], lamp, 0.02)
      .rod([0.15, 0.7, 0.32], [0.75, 1.15, 0.32], 0.09, { ...light, part: PART.hull })
      .rod([0.75, 1.15, 0.32], [1.25, 0.55, 0.32], 0.08, light)
      .block([1.28, 0.3, 0.32], [0.26, 0.26, 0.42], gun, 0.05),

  // A wedge that leans into the wind.
  scout: () =>
    wheels(new MeshBuilder(), [-0.55, 0.5], 0.55, 0.28)
      .quad([1.25, 0.28, 0.16], [1.25, 0.28, -0.16], [-0.2, 0.85, -0.42], [-0.2, 0.85, 0.42], team)
      .quad([-0.95, 0.28, 0.5], [1.25, 0.28, 0.16], [-0.2, 0.85, 0.42], [-0.95, 0.72, 0.5], body)
      .quad([1.25, 0.28, -0.16], [-0.95, 0.28, -0.5], [-0.95, 0.72, -0.5], [-0.2, 0.85, -0.42], body)
      .quad([-0.2, 0.85, 0.42], [-0.2, 0.85, -0.42], [-0.95, 0.72, -0.5], [-0.95, 0.72, 0.5], light)
      .quad([-0.95, 0.28, -0.5], [-0.95, 0.28, 0.5], [-0.95, 0.72, 0.5], [-0.95, 0.72, -0.5], dark)
      .block([1.08, 0.3, 0], [0.12, 0.12, 0.3], lamp, 0.02)
      .rod([-0.75, 0.72, 0.3], [-1.0, 1.55, 0.3], 0.035, gun),

  // Two legs, a chest, a gun at the shoulder.
  soldier: () =>
    new MeshBuilder()
      .block([0, 0, 0.36], [0.42, 0.6, 0.3], leftShin, 0.06)
      .block([0, 0, -0.36], [0.42, 0.6, 0.3], rightShin, 0.06)
      .block([0.16, 0, 0.36], [0.6, 0.18, 0.36], leftFoot, 0.05)
      .block([0.16, 0, -0.36], [0.6, 0.18, 0.36], rightFoot, 0.05)
      .block([0, 0.55, 0], [0.7, 0.75, 1.0], body, 0.14, [0.06, 0.1])
      .block([0, 1.1, 0.62], [0.62, 0.36, 0.42], team, 0.1)
      .block([0, 1.1, -0.62], [0.62, 0.36, 0.42], team, 0.1)
      .block([0.1, 1.28, 0], [0.42, 0.34, 0.42], light, 0.1)
      .block([0.32, 1.36, 0], [0.06, 0.12, 0.28], lamp, 0.01)
      .rod([-0.1, 1.02, 0.66], [1.15, 1.02, 0.66], 0.1, hullGun),

  // A slab with a long barrel.
  tank: () =>
    tracks(new MeshBuilder(), 2.0, 0.68, 0.42, 0.5)
      .block([0, 0.3, 0], [1.9, 0.42, 1.05], body, 0.12, [0.1, 0.04])
      .block([-0.12, 0.72, 0], [1.0, 0.42, 0.86], headTeam, 0.14, [0.08, 0.08])
      .rod([0.3, 0.93, 0], [1.55, 0.95, 0], 0.09, headGun)
      .block([1.5, 0.85, 0], [0.24, 0.2, 0.26], headGun, 0.04),

  // The barrel is longer than the body and points at the sky.
  artillery: () =>
    tracks(new MeshBuilder(), 1.7, 0.6, 0.36, 0.44)
      .block([-0.1, 0.3, 0], [1.6, 0.34, 0.95], body, 0.1)
      .block([-0.55, 0.64, 0], [0.7, 0.5, 0.9], headTeam, 0.12, [0.1, 0.06])
      .block([-0.1, 0.62, 0.3], [0.9, 0.3, 0.14], headBody, 0.04)
      .block([-0.1, 0.62, -0.3], [0.9, 0.3, 0.14], headBody, 0.04)
      .rod([-0.45, 0.95, 0], [1.75, 1.85, 0], 0.13, headGun)
      .rod([1.6, 1.79, 0], [1.9, 1.91, 0], 0.18, headGun)
      .rod([-0.8, 0.3, 0.4], [-1.35, 0.05, 0.7], 0.07, dark)
      .rod([-0.8, 0.3, -0.4], [-1.35, 0.05, -0.7], 0.07, dark)
      // Unfolded while it is deployed.
      .rod([0.5, 0.42, 0.4], [1.35, 0.1, 1.35], 0.12, legs)
      .rod([0.5, 0.42, -0.4], [1.35, 0.1, -1.35], 0.12, legs)
      .rod([-0.6, 0.42, 0.4], [-1.6, 0.1, 1.35], 0.12, legs)
      .rod([-0.6, 0.42, -0.4], [-1.6, 0.1, -1.35], 0.12, legs)
      .block([1.38, 0, 1.38], [0.52, 0.16, 0.52], pads, 0.05)
      .block([1.38, 0, -1.38], [0.52, 0.16, 0.52], pads, 0.05)
      .block([-1.62, 0, 1.38], [0.52, 0.16, 0.52], pads, 0.05)
      .block([-1.62, 0, -1.38], [0.52, 0.16, 0.52], pads, 0.05),

  // A floating cowl around a light.
  caster: () =>
    new MeshBuilder()
      .prism([0, 0.15, 0], 0.55, 0.5, 6, dark, 0.85)
      .prism([0, 0.65, 0], 0.85, 0.5, 6, team, 0.5)
      .prism([0, 1.15, 0], 0.28, 0.55, 6, lamp, 0)
      .rod([0.2, 0.9, 0.85], [0.2, 1.75, 1.0], 0.06, light)
      .rod([0.2, 0.9, -0.85], [0.2, 1.75, -1.0], 0.06, light),

  // A cross in the air.
  flyer: () =>
    new MeshBuilder()
      .block([0, 0, 0], [2.0, 0.34, 0.5], body, 0.12, [0.2, 0.08])
      .quad([0.35, 0.22, 0.2], [-0.55, 0.22, 0.2], [-0.75, 0.18, 1.5], [-0.25, 0.18, 1.5], team)
      .quad([-0.55, 0.22, -0.2], [0.35, 0.22, -0.2], [-0.25, 0.18, -1.5], [-0.75, 0.18, -1.5], team)
      .quad([-0.55, 0.2, 0.2], [0.35, 0.2, 0.2], [-0.25, 0.16, 1.5], [-0.75, 0.16, 1.5], dark)
      .quad([0.35, 0.2, -0.2], [-0.55, 0.2, -0.2], [-0.75, 0.16, -1.5], [-0.25, 0.16, -1.5], dark)
      .block([0.45, 0.28, 0], [0.5, 0.2, 0.3], lamp, 0.08)
      .quad([-0.6, 0.3, 0.04], [-1.0, 0.3, 0.04], [-1.1, 0.85, 0.02], [-0.9, 0.85, 0.02], team)
      .quad([-1.0, 0.3, -0.04], [-0.6, 0.3, -0.04], [-0.9, 0.85, -0.02], [-1.1, 0.85, -0.02], team),

  // A dish on wheels.
  detector: () =>
    wheels(new MeshBuilder(), [-0.5, 0.5], 0.5, 0.26)
      .block([0, 0.25, 0], [1.5, 0.4, 0.9], body, 0.1)
      .block([0.5, 0.6, 0], [0.45, 0.3, 0.7], team, 0.08)
      .rod([-0.25, 0.6, 0], [-0.25, 1.1, 0], 0.08, gun)
      .prism([-0.25, 1.05, 0], 0.18, 0.42, 8, headTeam, 0.72)
      .prism([-0.25, 1.4, 0], 0.1, 0.3, 6, { ...lamp, part: PART.turret }, 0),

  // Low, narrow, all blade.
  raider: () =>
    new MeshBuilder()
      .quad([1.4, 0.2, 0], [-0.4, 0.62, -0.2], [-0.9, 0.5, 0], [-0.4, 0.62, 0.2], team)
      .triangle([1.4, 0.2, 0], [-0.4, 0.62, 0.2], [-0.7, 0.1, 0.72], dark)
      .triangle([1.4, 0.2, 0], [-0.7, 0.1, -0.72], [-0.4, 0.62, -0.2], dark)
      .triangle([-0.4, 0.62, 0.2], [-0.9, 0.5, 0], [-0.7, 0.1, 0.72], body)
      .triangle([-0.9, 0.5, 0], [-0.4, 0.62, -0.2], [-0.7, 0.1, -0.72], body)
      .rod([0.1, 0.42, 0.42], [1.0, 0.3, 0.5], 0.06, { color: GUN, part: PART.footLeft })
      .rod([0.1, 0.42, -0.42], [1.0, 0.3, -0.5], 0.06, { color: GUN, part: PART.footRight }),

  shell: () => new MeshBuilder().rod([-0.9, 0, 0], [0.9, 0, 0], 0.32, { color: PROJECTILE, glow: 1 }),

  // Structures: one tile of footprint is 1.
  commandcentre: () =>
    new MeshBuilder()
      .block([0, 0, 0], [0.96, 0.1, 0.96], dark, 0.03)
      .prism([0, 0.1, 0], 0.46, 0.17, 8, body, 0.42, 0.5)
      .prism([0, 0.27, 0], 0.42, 0.03, 8, team, 0.41, 0.5)
      .prism([0, 0.3, 0], 0.31, 0.14, 8, light, 0.27, 0.5)
      .prism([0, 0.44, 0], 0.27, 0.025, 8, lamp, 0.27, 0.5)
      .prism([0, 0.465, 0], 0.28, 0.06, 8, dark, 0.2, 0.5)
      .prism([0, 0.525, 0], 0.14, 0.1, 8, team, 0.05, 0.5)
      .rod([0, 0.6, 0], [0, 0.84, 0], 0.012, gun)
      .block([0.36, 0.1, 0.36], [0.18, 0.2, 0.18], team, 0.03)
      .block([-0.36, 0.1, 0.36], [0.18, 0.14, 0.18], body, 0.03)
      .block([-0.36, 0.1, -0.36], [0.18, 0.2, 0.18], team, 0.03)
      .block([0.36, 0.1, -0.36], [0.18, 0.14, 0.18], body, 0.03)
      .block([0, 0.1, 0.44], [0.2, 0.12, 0.05], lamp, 0.01),

  barracks: () => {
    // Two halls with roofs of slate, and between them a gatehouse in the owner's colour.
    const k = new MeshBuilder()
      .block([0, 0, 0], [0.96, 0.06, 0.92], dark, 0.02)
      .block([0, 0.06, 0], [0.88, 0.2, 0.62], body, 0.02)
      .block([0, 0.06, 0.02], [0.3, 0.28, 0.74], light, 0.02)
      .roof([0, 0.33, 0.02], [0.36, 0.22, 0.8], team, light)
      .block([0, 0.06, 0.38], [0.17, 0.2, 0.03], gun, 0.01)
      .block([0, 0.27, 0.39], [0.2, 0.03, 0.03], lamp, 0)
      .block([-0.38, 0.06, -0.4], [0.1, 0.46, 0.1], dark, 0.02);
    for (const x of [-0.32, 0.32]) {
      k.roof([x, 0.26, 0], [0.3, 0.16, 0.68], gun, light)
        .block([x, 0.4, 0], [0.29, 0.035, 0.07], team, 0.01)
        .block([x, 0.13, 0.32], [0.1, 0.08, 0.02], lamp, 0);
    }
    return k;
  },

  factory: () => {
    const k = new MeshBuilder()
      .block([0, 0, 0], [0.96, 0.06, 0.96], dark, 0.02)
      .block([0, 0.06, -0.05], [0.9, 0.26, 0.7], body, 0.02);
    for (const x of [-0.3, 0, 0.3]) {
      k.quad(
        [x - 0.14, 0.32, 0.28],
        [x + 0.14, 0.32, 0.28],
        [x + 0.14, 0.5, -0.02],
        [x - 0.14, 0.5, -0.02],
        team,
      )
        .quad(
          [x - 0.14, 0.5, -0.02],
          [x + 0.14, 0.5, -0.02],
          [x + 0.14, 0.32, -0.04],
          [x - 0.14, 0.32, -0.04],
          lamp,
        )
        .triangle([x + 0.14, 0.32, 0.28], [x + 0.14, 0.32, -0.04], [x + 0.14, 0.5, -0.02], light)
        .triangle([x - 0.14, 0.32, -0.04], [x - 0.14, 0.32, 0.28], [x - 0.14, 0.5, -0.02], light);
    }
    return k
      .block([0.12, 0.06, 0.34], [0.4, 0.2, 0.1], gun, 0.01)
      .prism([-0.34, 0.3, -0.3], 0.07, 0.42, 6, dark, 0.055)
      .prism([-0.18, 0.3, -0.3], 0.06, 0.32, 6, dark, 0.045);
  },

  turret: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.47, 0.2, 6, dark, 0.4)
      .prism([0, 0.2, 0], 0.34, 0.24, 6, body, 0.27)
      .prism([0, 0.44, 0], 0.3, 0.05, 6, team, 0.3)
      .block([0, 0.49, 0], [0.5, 0.26, 0.42], headTeam, 0.07, [0.03, 0.03])
      .rod([0.15, 0.63, 0.1], [0.74, 0.66, 0.1], 0.042, headGun)
      .rod([0.15, 0.63, -0.1], [0.74, 0.66, -0.1], 0.042, headGun)
      .block([0.22, 0.6, 0], [0.05, 0.08, 0.1], { ...lamp, part: PART.turret }, 0.01),

  // A mast of four legs with a roofed platform.
  watchtower: () => {
    const k = new MeshBuilder().prism([0, 0, 0], 0.48, 0.06, 8, dark, 0.44);
    for (const [x, z] of [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ]) {
      k.rod([0.36 * x, 0.04, 0.36 * z], [0.17 * x, 0.48, 0.17 * z], 0.035, light);
      k.rod([0.3 * x, 0.18, 0.3 * z], [0.3 * z, 0.18, -0.3 * x], 0.02, gun);
    }
    return k
      .block([0, 0.46, 0], [0.54, 0.05, 0.54], dark, 0.01)
      .block([0, 0.51, 0], [0.34, 0.1, 0.34], lamp, 0.02)
      .prism([0, 0.6, 0], 0.4, 0.16, 4, team, 0.05, 0.5);
  },

  wall: () =>
    new MeshBuilder()
      .block([0, 0, 0], [1.0, 0.5, 1.0], dark, 0.05, [0.06, 0.06])
      .block([0, 0.5, 0], [0.6, 0.14, 0.6], team, 0.05),

  // Features. Their moving part is of the legs: see partOut.
  bridge: () => {
    const k = new MeshBuilder().block([0, -0.2, 0], [1, 0.2, 1], deck, 0);
    for (let z = -0.45; z < 0.5; z += 0.1) k.block([0, 0, z], [0.98, 0.012, 0.08], planks, 0);
    return corners(k, 0.47, (x, z) => k.block([x, -0.2, z], [0.06, 0.3, 0.06], body, 0.01));
  },

  // From a wall below the ground, which need not be level, over foam and shallows to deep water.
  risingwater: () => {
    const k = new MeshBuilder();
    const at = (i: number, ring: number): [number, number, number] => {
      const t = (i % 8) / 4 - 1;
      const [x, z] = [
        [t, 1],
        [1, -t],
        [-t, -1],
        [-1, t],
      ][(i >> 3) & 3];
      const [side, y] = TIDE[ring];
      const s = (side * (0.49 + 0.01 * Math.sin((i & 31) * 2.7 + ring))) / (x ** 8 + z ** 8) ** 0.125;
      return [x * s, y, z * s];
    };
    const paint = TIDE.map(([, , color]): Paint => ({ color, part: PART.legs }));
    for (let i = 0; i < 32; i++) {
      for (let ring = 1; ring < TIDE.length; ring++)
        k.quad(
          at(i, ring - 1),
          at(i + 1, ring - 1),
          at(i + 1, ring),
          at(i, ring),
          paint[ring - 1],
          paint[ring],
        );
    }
    return k;
  },

  gate: () => {
    const k = new MeshBuilder();
    for (const x of [-0.28, -0.14, 0, 0.14, 0.28])
      k.block([x, 0, 0], [0.06, 0.46, 0.06], grille, 0).block([0, 0, x], [0.06, 0.46, 0.06], grille, 0);
    k.block([0, 0.3, 0], [0.84, 0.06, 0.08], grille, 0).block([0, 0.3, 0], [0.08, 0.06, 0.84], grille, 0);
    return corners(k, 0.42, (x, z) =>
      k.block([x, 0, z], [0.16, 0.56, 0.16], dark, 0.02).block([x, 0.56, z], [0.18, 0.1, 0.18], team, 0.03),
    );
  },

  tree: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.09, 0.5, 5, { color: "#3d342b" })
      .prism([0, 0.3, 0], 0.5, 0.5, 7, { color: "#3f5843" }, 0.2, 0.2)
      .prism([0, 0.7, 0], 0.42, 0.5, 7, { color: "#4a664d" }, 0.12, 0.6)
      .prism([0, 1.1, 0], 0.3, 0.6, 7, { color: "#587659" }, 0, 0.1),

  lever: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.4, 0.14, 6, dark, 0.3)
      .rod([0, 0.1, 0], [0.24, 0.66, 0], 0.05, light)
      .prism([0.24, 0.6, 0], 0.13, 0.24, 6, { ...lamp, part: PART.legs }, 0.06),

  landmine: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.36, 0.1, 10, dark, 0.3)
      .prism([0, 0.1, 0], 0.24, 0.06, 10, team, 0.2)
      .prism([0, 0.12, 0], 0.09, 0.12, 6, { ...lamp, part: PART.legs }, 0.06),

  medicine: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.46, 0.06, 8, dark, 0.4)
      .block([0, 0.06, 0], [0.56, 0.36, 0.56], { ...legs, color: "#e8ecef" }, 0.05)
      .block([0, 0.42, 0], [0.4, 0.05, 0.13], cross, 0)
      .block([0, 0.42, 0], [0.13, 0.05, 0.4], cross, 0),

  crate: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.46, 0.06, 8, dark, 0.4)
      .block([0, 0.06, 0], [0.58, 0.46, 0.58], deck, 0.03)
      .block([0, 0.22, 0], [0.61, 0.1, 0.61], { ...legs, color: LAMP, glow: 0.4 }, 0),

  // Ore: a cluster of crystals.
  crystal: () => {
    const k = new MeshBuilder().prism([0, 0, 0], 0.46, 0.07, 7, { color: "#3a3b42" }, 0.38);
    const spikes: readonly (readonly [number, number, number, number])[] = [
      [0, 0, 0.17, 0.72],
      [0.2, 0.14, 0.12, 0.48],
      [-0.2, 0.1, 0.12, 0.55],
      [0.06, -0.24, 0.11, 0.4],
      [-0.14, -0.2, 0.09, 0.34],
    ];
    for (const [x, z, r, h] of spikes) {
      k.prism([x, 0.04, z], r, h * 0.7, 5, { color: "#62b7c9", glow: 0.25 }, r * 0.85, x).prism(
        [x, 0.04 + h * 0.7, z],
        r * 0.85,
        h * 0.3,
        5,
        { color: "#a9e6ef", glow: 0.4 },
        0,
        x,
      );
    }
    return k;
  },

  // The rest of a destroyed thing: bent plates around a burnt hull.
  wreck: () => {
    const rust: Paint = { color: "#5b3f2e" };
    const k = new MeshBuilder()
      .prism([0, 0, 0], 0.46, 0.04, 7, { color: "#2b2724" }, 0.36)
      .block([0.02, 0.03, -0.04], [0.5, 0.2, 0.34], dark, 0.06)
      .rod([-0.1, 0.16, 0], [0.34, 0.42, 0.12], 0.035, rust)
      .rod([-0.3, 0.04, 0.26], [0.02, 0.2, 0.2], 0.03, rust);
    for (const [x, z, w] of [
      [-0.28, -0.2, 0.26],
      [0.26, 0.22, 0.22],
      [0.3, -0.24, 0.18],
    ])
      k.block([x, 0.03, z], [w, 0.07, w * 0.7], rust, 0.03);
    return k;
  },

  // Fuel: a vent.
  vent: () =>
    new MeshBuilder()
      .prism([0, 0, 0], 0.46, 0.16, 7, { color: "#3d3a37" }, 0.3)
      .prism([0, 0.12, 0], 0.27, 0.06, 7, { color: "#8fd46a", glow: 0.7 }, 0.22)
      .prism([0.3, 0, 0.22], 0.13, 0.24, 5, { color: "#4a4540" }, 0.07)
      .prism([-0.3, 0, 0.16], 0.11, 0.18, 5, { color: "#4a4540" }, 0.05),
};

const ALIASES: Record<string, string> = {
  hq: "commandcentre",
  commandcenter: "commandcentre",
  headquarters: "commandcentre",
  tower: "turret",
  guardtower: "turret",
  infantry: "soldier",
  rifleman: "soldier",
  builder: "worker",
  harvester: "worker",
  cloakedraider: "raider",
  mage: "caster",
  air: "flyer",
  helicopter: "flyer",
  bolt: "shell",
  bullet: "shell",
  ore: "crystal",
  minerals: "crystal",
  metal: "crystal",
  gas: "vent",
  oil: "vent",
  energy: "vent",
  fuel: "vent",
  crystals: "crystal",
};

const BY_FEATURE: Record<string, string> = {
  obstacle: "wall",
  bridge: "bridge",
  gate: "gate",
  pickup: "crate",
  switch: "lever",
  mine: "landmine",
  flood: "risingwater",
};

/** The model's name for a type. */
export function modelName(t: TypeInfo): string {
  if (t.wreck) return "wreck";
  const name = t.name.toLowerCase().replace(/[^a-z]/g, "");
  if (SHAPES[name]) return name;
  if (ALIASES[name]) return ALIASES[name];
  for (const known of [...Object.keys(SHAPES), ...Object.keys(ALIASES)]) {
    if (name.includes(known)) return ALIASES[known] ?? known;
  }
  if (t.class === "projectile") return "shell";
  if (t.class === "resource") return "crystal";
  if (t.class === "structure") {
    if (t.feature in BY_FEATURE) return t.blocksSight ? "tree" : BY_FEATURE[t.feature];
    if (t.weapons.length > 0) return "turret";
    if (t.trains.length > 0) return t.footprint > 3 ? "commandcentre" : "barracks";
    return "wall";
  }
  if (t.moveKind === 3) return "flyer";
  if (t.worker) return "worker";
  return t.weapons.length > 0 ? "tank" : "scout";
}

export function modelOf(t: TypeInfo): BufferGeometry {
  const own = packAssets.meshes.get(t.name);
  return own ? geometryOf(own) : SHAPES[modelName(t)]().build();
}

/** How far the moving part of a feature is out: a bridge's deck, a gate's grille, a pickup's content, the lamp of a switch and of a mine, a flood's water. */
export function partOut(t: TypeInfo, amount: number): number {
  const on = Math.min(1, amount);
  return t.feature === "gate" || t.feature === "bridge" ? 1 - on : on;
}

/** Poles, rails and planks around a building site: 1 across and 1 high. */
export function scaffoldModel(): BufferGeometry {
  const steel: Paint = { color: "#a8843f" };
  const plank: Paint = { color: "#7a6142" };
  const k = new MeshBuilder();
  const at = [-0.5, 0, 0.5];
  for (const x of at) for (const z of at) if (x !== 0 || z !== 0) k.rod([x, 0, z], [x, 1, z], 0.012, steel);
  for (const y of [0.34, 0.67, 1]) {
    for (const s of [-0.5, 0.5]) {
      k.rod([-0.5, y, s], [0.5, y, s], 0.01, steel).rod([s, y, -0.5], [s, y, 0.5], 0.01, steel);
      if (y < 1) {
        k.block([0, y, s], [1.04, 0.025, 0.1], plank, 0);
        k.block([s, y, 0], [0.1, 0.025, 1.04], plank, 0);
      }
    }
  }
  for (const s of [-0.5, 0.5]) {
    k.rod([-0.5, 0.02, s], [0, 0.67, s], 0.008, steel).rod([0.5, 0.02, s], [0, 0.67, s], 0.008, steel);
    k.rod([s, 0.02, -0.5], [s, 0.67, 0], 0.008, steel).rod([s, 0.02, 0.5], [s, 0.67, 0], 0.008, steel);
    for (const z of [-0.5, 0.5]) k.block([s, 1, z], [0.05, 0.05, 0.05], team, 0.01);
  }
  return k.build();
}

/** How large the model is drawn: structures fill their footprint, units a little more than their radius. */
export function scaleOf(t: TypeInfo): number {
  if (t.class === "structure" || t.class === "resource") return t.footprint;
  if (t.class === "projectile") return 0.16;
  return Math.max(0.3, t.radius * 1.18);
}

/** The same along x, y and z: a structure's footprint need not be square. */
export function scalesOf(t: TypeInfo): [number, number, number] {
  const s = scaleOf(t);
  const tall = t.feature === "flood" ? 1 : Math.min(t.width, t.depth);
  return t.class === "structure" ? [t.width, tall, t.depth] : [s, s, s];
}

/** Whether entities of a type are areas that abilities have laid: circles that do not fly. */
export const isArea = (t: TypeInfo): boolean => t.class === "projectile" && t.speed === 0;

/** How high over the ground it is drawn, in tiles. */
export function hoverOf(t: TypeInfo): number {
  if (t.class === "projectile") return 0.7;
  return t.moveKind === 3 ? 2.1 : t.moveKind === 1 ? 0.08 : 0;
}

/** Height of the model's top, in tiles, for bars. */
export function topOf(t: TypeInfo): number {
  if (t.class === "structure") return t.footprint * 0.62 + 0.25;
  if (t.class === "resource") return t.footprint * 0.7;
  return scaleOf(t) * 1.6 + 0.2;
}

/** Radius of the marks under it, in tiles. */
export function radiusOf(t: TypeInfo): number {
  return t.class === "structure" || t.class === "resource"
    ? t.footprint * 0.62
    : Math.max(0.32, t.radius * 1.25);
}
