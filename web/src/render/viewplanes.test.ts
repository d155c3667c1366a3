import { info } from "@fogkeep/client/testing";
import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Camera } from "./camera";
import { HeightField } from "./heightfield";
import { ViewPlanes } from "./viewplanes";

/** Numbers that look random, the same in each run. */
function numbers(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

describe("what the camera shows", () => {
  const random = numbers(7);
  const between = (from: number, to: number) => from + random() * (to - from);
  const camera = new Camera(new HeightField(info(64, 64).map));
  const planes = new ViewPlanes();
  const at = new Vector3();
  /** The obvious way: where a point is on the screen. */
  const onScreen = (x: number, y: number, z: number): boolean => {
    const depth = at.set(x, y, z).applyMatrix4(camera.perspective.matrixWorldInverse).z;
    if (depth > -1e-3) return false; // behind the camera
    at.set(x, y, z).project(camera.perspective);
    return Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1;
  };
  const look = () => {
    camera.resize(between(300, 2000), between(300, 1200));
    camera.distance = between(9, 96);
    camera.jump(between(0, 64), between(0, 64));
    camera.step(16);
    planes.set(camera.perspective);
  };

  it("is all before there is a camera", () => {
    expect(new ViewPlanes().touches(1e4, -50, -1e4, 0)).toBe(true);
  });

  it("has exactly the points that are on the screen", () => {
    let inside = 0;
    for (let n = 0; n < 4000; n++) {
      if (n % 50 === 0) look();
      const [x, y, z] = [between(-30, 94), between(-1, 12), between(-30, 94)];
      const want = onScreen(x, y, z);
      // On a plane itself both are right.
      if (planes.touches(x, y, z, 1e-6) !== planes.touches(x, y, z, -1e-6)) continue;
      expect(planes.touches(x, y, z, 0)).toBe(want);
      if (want) inside++;
    }
    expect(inside).toBeGreaterThan(400);
  });

  it("leaves out no ball of which a part is on the screen", () => {
    let left = 0;
    for (let n = 0; n < 2000; n++) {
      if (n % 50 === 0) look();
      const [x, y, z, r] = [between(-30, 94), between(-1, 12), between(-30, 94), between(0.1, 6)];
      if (planes.touches(x, y, z, r)) continue;
      left++;
      for (let k = 0; k < 40; k++) {
        at.set(between(-1, 1), between(-1, 1), between(-1, 1)).setLength(r * random());
        expect(onScreen(x + at.x, y + at.y, z + at.z)).toBe(false);
      }
    }
    expect(left).toBeGreaterThan(300);
  });
});
