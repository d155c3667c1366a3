import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Course, cellX, cellY, readCourse, readPlace } from "./course.js";
import { type } from "./fixture.js";
import { extrapolate, turn } from "./motion.js";
import { World } from "./world.js";

const course = (n: number, full = 9830): Course => readCourse(n, full, { vx: 0, vy: 0, facing: 0 });

describe("readCourse", () => {
  it("below 256 it stands and faces", () => {
    expect(course(0)).toEqual({ vx: 0, vy: 0, facing: 0 });
    expect(course(192)).toEqual({ vx: 0, vy: 0, facing: 192 });
  });

  it("goes at full speed towards the four sides", () => {
    // Face k, u = 0: east, south, west, north.
    const k = 2016;
    const at = (face: number) => course(256 + face * 2 * k + k);
    expect([at(0).vx, at(0).vy]).toEqual([9830, 0]);
    expect([at(1).vx, at(1).vy]).toEqual([-0, 9830]);
    expect([at(2).vx, at(2).vy]).toEqual([-9830, -0]);
    expect([at(3).vx, at(3).vy]).toEqual([0, -9830]);
  });

  it("keeps the speed in every direction, to a unit or two, coarse and fine", () => {
    for (const [from, k] of [
      [256, 2016],
      [16384, 131072],
    ]) {
      for (let i = 0; i < 64; i++) {
        const c = course(from + Math.floor((i * 8 * k) / 64));
        expect(Math.abs(Math.hypot(c.vx, c.vy) - 9830)).toBeLessThan(3);
      }
    }
  });

  it("takes sixty-fourths of the full speed", () => {
    const c = course(1064960 + 31 * 16128 + 2016, 6400);
    expect(c).toEqual({ vx: 3200, vy: 0, facing: 0 });
  });
});

describe("turn", () => {
  it("takes the shorter way, and half a turn the positive way, however it is rounded", () => {
    expect(turn(0.25, -0.5)).toBe(-0.75);
    expect(turn(3, -3)).toBeCloseTo(2 * Math.PI - 6);
    expect(turn(-3, 3)).toBeCloseTo(6 - 2 * Math.PI);
    for (const from of [-3, 0, 1.95, 40])
      for (const off of [-1e-6, 0, 1e-6])
        for (const half of [-Math.PI, Math.PI]) expect(turn(from, from + half + off)).toBeCloseTo(Math.PI, 5);
  });
});

describe("readPlace", () => {
  const place = (p: number) => readPlace(p, 10_000, 20_000, 64, { x: 0, y: 0, cell: false });

  it("is an offset to where the old course leads", () => {
    expect(place(60)).toEqual({ x: 10_000, y: 20_000, cell: false });
    expect(place(0)).toEqual({ x: 10_000 - 320, y: 20_000 - 320, cell: false });
    expect(place(121 + 63 * 127 + 63)).toEqual({ x: 10_000, y: 20_000, cell: false });
    expect(place(16_250)).toEqual({ x: 10_000 - 255, y: 20_000 - 255, cell: false });
  });

  it("or a cell, by its middle", () => {
    const cell = 5 * 16 * 64 + 9;
    expect(place(277_371 + cell)).toEqual({ x: 9 * 64 + 32, y: 5 * 64 + 32, cell: true });
    expect([cellX(cell, 64), cellY(cell, 64)]).toEqual([608, 352]);
  });
});

describe("extrapolate", () => {
  it("shifts arithmetically: it rounds towards minus infinity", () => {
    expect(extrapolate(100, 63, 1)).toBe(100);
    expect(extrapolate(100, -1, 1)).toBe(99);
    expect(extrapolate(0, 64, 10)).toBe(10);
    expect(extrapolate(5, -130, 3)).toBe(5 + (-390 >> 6));
  });
});

interface Vectors {
  width: number;
  height: number;
  vectors: {
    course: number;
    full: number;
    v: [number, number];
    from: [number, number];
    ticks: number;
    at: [number, number];
  }[];
}

describe("the server's vectors", () => {
  const path = new URL("../../../../match/view/testdata/motion.json", import.meta.url);
  const { width, height, vectors } = JSON.parse(readFileSync(path, "utf8")) as Vectors;

  it("give the same velocities and places here", () => {
    expect(vectors.length).toBeGreaterThan(100);
    for (const v of vectors) {
      const c = course(v.course, v.full);
      // -0 is 0 on the wire.
      expect([c.vx + 0, c.vy + 0], `course ${v.course}, full speed ${v.full}`).toEqual(v.v);
      const world = new World(
        {
          types: [type(0, "x")],
          abilities: [],
          effects: [],
          weapons: [],
          resources: [],
          values: [],
          armours: [],
          signatures: [],
          displays: [],
          sounds: [],
          codes: [],
        },
        width,
        height,
      );
      world.tick = 1000;
      const [x, y] = v.from;
      const slot = world.enter({ handle: 1, type: 0, owner: 0, x, y, vx: c.vx, vy: c.vy, facing: 0 }, 0);
      world.tick += v.ticks;
      expect([world.posX(slot), world.posY(slot)], `after ${v.ticks} ticks on course ${v.course}`).toEqual(
        v.at,
      );
    }
  });
});
