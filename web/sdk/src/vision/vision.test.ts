import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Ground } from "./ground.js";
import { hashMask } from "./hash.js";
import { between } from "./shapes.js";
import { Vision } from "./vision.js";

interface Step {
  ground: { x: number; y: number; level: number; opaque: boolean }[];
  sources: { x: number; y: number; radius: number; flyer: boolean; level_bonus: number }[];
  visible: string[];
  explored: string[];
  mask_hash: number;
  engine_hash: number;
}

interface Case {
  name: string;
  width: number;
  height: number;
  occlusion: number;
  levels: string[];
  opaque: string[];
  steps: Step[];
}

/** Written by the server's own tests: go test ./visibility -run Vectors -update */
const cases: Case[] = JSON.parse(
  readFileSync(new URL("../../../../visibility/testdata/vectors.json", import.meta.url), "utf8"),
).cases;

function groundOf(c: Case): Ground {
  return new Ground(
    c.width,
    c.height,
    c.occlusion,
    Uint8Array.from(c.levels.join(""), (d) => Number.parseInt(d, 16)),
    Uint8Array.from(c.opaque.join(""), (d) => (d === "#" ? 1 : 0)),
  );
}

/** Rows as the server writes them: a bit a tile, the western tile of eight in the low bit. */
function rows(c: Case, has: (x: number, y: number) => boolean): string[] {
  const out: string[] = [];
  for (let y = 0; y < c.height; y++) {
    let row = "";
    for (let x = 0; x < c.width; x += 8) {
      let byte = 0;
      for (let k = 0; k < 8 && x + k < c.width; k++) if (has(x + k, y)) byte |= 1 << k;
      row += byte.toString(16).padStart(2, "0");
    }
    out.push(row);
  }
  return out;
}

describe("the server's vectors", () => {
  it("cover every rule", () => {
    expect(new Set(cases.map((c) => c.occlusion))).toEqual(new Set([0, 1, 2]));
    expect(cases.length).toBeGreaterThanOrEqual(20);
  });

  it.each(cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const vision = new Vision(groundOf(c));
    const turned = new Set<string>();
    for (const step of c.steps) {
      for (const g of step.ground) vision.ground.set(g.x, g.y, g.level, g.opaque);
      vision.begin();
      for (const s of step.sources) vision.add(s.x, s.y, s.radius, s.flyer, s.level_bonus);
      vision.end();
      expect(rows(c, (x, y) => vision.isVisible(x, y))).toEqual(step.visible);
      expect(rows(c, (x, y) => vision.isExplored(x, y))).toEqual(step.explored);
      expect(hashMask(vision.visible)).toBe(step.mask_hash);
      expect(vision.hash()).toBe(step.engine_hash);
      // The reported changes of all steps add up to the visible tiles.
      vision.eachChange((x, y, visible) => {
        const tile = `${x},${y}`;
        expect(turned.has(tile)).toBe(!visible);
        if (visible) turned.add(tile);
        else turned.delete(tile);
      });
      expect(rows(c, (x, y) => turned.has(`${x},${y}`))).toEqual(step.visible);
    }
  });
});

describe("lines of sight", () => {
  it("are the same from both ends", () => {
    for (let dy = -9; dy <= 9; dy++) {
      for (let dx = -9; dx <= 9; dx++) {
        const there = new Set<string>();
        const back = new Set<string>();
        between(dx, dy, (x, y) => there.add(`${x},${y}`));
        between(-dx, -dy, (x, y) => back.add(`${x + dx},${y + dy}`));
        expect(there).toEqual(back);
      }
    }
  });
});

describe("a vision", () => {
  it("takes what the server tells over what it derived", () => {
    const vision = new Vision(groundOf(cases[0]));
    vision.begin();
    vision.add(3, 3, 8, true, 0);
    vision.end();
    const hash = vision.hash();
    vision.set(3, 3, false, true);
    expect(vision.isVisible(3, 3)).toBe(false);
    expect(vision.isExplored(3, 3)).toBe(true);
    expect(vision.hash()).not.toBe(hash);
    vision.set(3, 3, true, true);
    expect(vision.hash()).toBe(hash);
    vision.set(3, 3, false, false);
    expect(vision.isExplored(3, 3)).toBe(false);
    vision.clear();
    expect(hashMask(vision.explored)).toBe(0);
  });

  it("ignores sources off the map", () => {
    const vision = new Vision(groundOf(cases[0]));
    vision.begin();
    vision.add(-1, 0, 8, true, 0);
    vision.add(0, cases[0].height, 8, true, 0);
    vision.end();
    expect(hashMask(vision.visible)).toBe(0);
  });
});
