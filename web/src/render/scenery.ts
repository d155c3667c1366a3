// Grass, stones and trees. They have no effect in the rules. Their places follow
// from a hash of the tile: the same on every screen.

import { CLIFF, PASS_GROUND } from "@fogkeep/client";
import { Group } from "three";
import { hash01 } from "../draw/hash";
import type { HeightField } from "./heightfield";
import { MeshBuilder, type Paint } from "./meshbuilder";
import { NEUTRAL_INDEX, type OwnerUniforms } from "./ownercolors";
import type { FogUniforms } from "./shaders";
import { UnitBatch } from "./units";

const GRASS = 0;
const DIRT = 1;
const SAND = 2;
const ROCK = 3;
const COUNT_MAX = 9000;

export class Scenery {
  readonly group = new Group();
  private readonly batches: UnitBatch[];

  constructor(
    ground: HeightField,
    fog: FogUniforms,
    teams: OwnerUniforms,
    density: number,
    shadows: boolean,
  ) {
    const tuft = new MeshBuilder();
    // Blades in a fan, light at their tips.
    for (let k = 0; k < 7; k++) {
      const a = k * 2.4;
      const h = 0.3 + 0.22 * hash01(k, 1, 5);
      const out = 0.1 + 0.2 * hash01(k, 2, 5);
      const c = Math.cos(a);
      const s = Math.sin(a);
      const foot = 0.09 * hash01(k, 3, 5);
      tuft.triangle(
        [c * foot - 0.05 * s, 0, s * foot + 0.05 * c],
        [c * foot + 0.05 * s, 0, s * foot - 0.05 * c],
        [c * (foot + out), h, s * (foot + out)],
        { color: k % 3 === 0 ? "#8a9460" : k % 3 === 1 ? "#6f7d4c" : "#5d6b42" },
      );
    }
    const stone = new MeshBuilder()
      .prism([0, -0.1, 0], 0.5, 0.42, 6, { color: "#6b7074" }, 0.3, 0.3)
      .prism([0.42, -0.1, 0.2], 0.24, 0.3, 5, { color: "#7b8084" }, 0.13, 0.1);
    const bark: Paint = { color: "#3d342b" };
    const pine = new MeshBuilder()
      .prism([0, 0, 0], 0.11, 0.5, 5, bark)
      .prism([0, 0.35, 0], 0.68, 0.7, 7, { color: "#3f5843" }, 0.16, 0.2)
      .prism([0, 0.8, 0], 0.54, 0.66, 7, { color: "#4a664d" }, 0.12, 0.6)
      .prism([0, 1.25, 0], 0.38, 0.8, 7, { color: "#587659" }, 0, 0.1);
    const leafy = new MeshBuilder()
      .prism([0, 0, 0], 0.1, 0.7, 5, bark, 0.07)
      .prism([0, 0.5, 0], 0.42, 0.36, 7, { color: "#4f6339" }, 0.72, 0.2)
      .prism([0, 0.86, 0], 0.72, 0.42, 7, { color: "#5d7343" }, 0.5, 0.2)
      .prism([0, 1.28, 0], 0.5, 0.3, 7, { color: "#6d834c" }, 0.12, 0.2);
    this.batches = [tuft, stone, pine, leafy].map((k, i) => {
      const size = i < 2 ? 0.5 : 0.62;
      // Trees throw shadows, and grass does not.
      const shaded = { outline: false, shadows: shadows && i > 0, scenery: true };
      return new UnitBatch(k.build(), [size, size, size], fog, teams, shaded);
    });
    for (const b of this.batches) {
      b.begin();
      this.group.add(b.mesh);
    }
    this.plant(ground, density);
    for (const b of this.batches) b.end();
  }

  private plant(ground: HeightField, density: number): void {
    const { map } = ground;
    // On large maps they are less dense.
    const share = density * Math.min(1, (COUNT_MAX * 4) / (map.width * map.height));
    const put = (kind: number, x: number, y: number, salt: number) => {
      const px = x + 0.15 + hash01(x, y, salt) * 0.7;
      const pz = y + 0.15 + hash01(x, y, salt + 1) * 0.7;
      const size = 0.75 + hash01(x, y, salt + 2) * 0.6;
      this.batches[kind].push(
        px,
        ground.at(px, pz),
        pz,
        hash01(x, y, salt + 3) * 6.28,
        0,
        size,
        NEUTRAL_INDEX,
        1,
        0,
        0,
      );
    };
    for (let y = 0; y < map.height; y++) {
      for (let x = 0; x < map.width; x++) {
        const t = y * map.width + x;
        const kind = map.terrain[t];
        const r = hash01(x, y, 11) / share;
        const wood = kind !== CLIFF && !(map.pass[t] & PASS_GROUND) && kind < 4;
        if (kind === GRASS && !wood && r < 0.28) {
          put(0, x, y, 20);
          if (r < 0.16) put(0, x, y, 30);
          if (r < 0.06) put(0, x, y, 70);
        } else if ((kind === DIRT || kind === SAND) && r < 0.03) put(1, x, y, 40);
        else if (kind === ROCK && r < 0.14) put(1, x, y, 50);
        // Trees stand where ground units cannot go: two kinds, in groves.
        else if (wood && r < 0.95) {
          const kinds = hash01(x >> 2, y >> 2, 61) + 0.3 * hash01(x, y, 62) < 0.65 ? 2 : 3;
          put(kinds, x, y, 60);
          if (r < 0.45) put(kinds, x, y, 80);
        }
      }
    }
  }

  dispose(): void {
    for (const b of this.batches) b.dispose();
  }
}
