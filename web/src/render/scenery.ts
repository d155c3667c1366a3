// Grass, stones and trees. They have no effect in the rules. Their places follow
// from a hash of the tile: the same on every screen.

import { Group } from "three";
import { hash01 } from "../base/hash";
import { CLIFF, PASS_GROUND } from "../state/map";
import type { HeightField } from "./heightfield";
import { MeshBuilder } from "./meshbuilder";
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

  constructor(ground: HeightField, fog: FogUniforms, teams: OwnerUniforms, density: number) {
    const options = { outline: false, shadows: false };
    const tuft = new MeshBuilder();
    for (const [a, h, lean] of [
      [0.2, 0.55, 0.28],
      [2.2, 0.4, 0.34],
      [4.1, 0.48, 0.22],
    ]) {
      const c = Math.cos(a);
      const s = Math.sin(a);
      tuft.triangle([-0.09 * s, 0, 0.09 * c], [0.09 * s, 0, -0.09 * c], [c * lean, h, s * lean], {
        color: "#7d8c5e",
      });
    }
    const stone = new MeshBuilder().prism([0, -0.1, 0], 0.5, 0.45, 5, { color: "#73787d" }, 0.28, 0.3);
    const pine = new MeshBuilder()
      .prism([0, 0, 0], 0.09, 0.35, 4, { color: "#3d342b" })
      .prism([0, 0.3, 0], 0.5, 0.75, 6, { color: "#48624c" }, 0)
      .prism([0, 0.75, 0], 0.36, 0.7, 6, { color: "#557358" }, 0);
    this.batches = [tuft, stone, pine].map(
      (k) => new UnitBatch(k.build(), [0.5, 0.5, 0.5], fog, teams, { ...options, scenery: true }),
    );
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
        if (kind === GRASS && r < 0.2) {
          put(0, x, y, 20);
          if (r < 0.1) put(0, x, y, 30);
        } else if ((kind === DIRT || kind === SAND) && r < 0.03) put(1, x, y, 40);
        else if (kind === ROCK && r < 0.14) put(1, x, y, 50);
        // Trees stand where ground units cannot go.
        else if (kind !== CLIFF && !(map.pass[t] & PASS_GROUND) && kind < 4 && r < 0.6) put(2, x, y, 60);
      }
    }
  }

  dispose(): void {
    for (const b of this.batches) b.dispose();
  }
}
