import { typeOf } from "@fogkeep/client";
import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Camera } from "../render/camera";
import { HeightField } from "../render/heightfield";
import { topOf } from "../render/models";
import { TitleScene, titleView } from "./titlescene";

describe("the title's scene", () => {
  const { state } = new TitleScene();
  const ground = new HeightField(state.info.map);

  // The words and the form begin below this share of the page.
  for (const [width, height, words] of [
    [1440, 900, 0.28],
    [880, 560, 0.2],
    [390, 844, 0.06],
  ])
    it(`keeps its buildings above the words on a page of ${width} x ${height}`, () => {
      const camera = new Camera(ground);
      camera.resize(width, height);
      for (let minute = 0; minute < 7; minute++) {
        const view = titleView(width, minute * 60_000);
        camera.distance = view.distance;
        camera.jump(view.x, view.z);
        camera.step(16);
        const { world, info } = state;
        let seen = 0;
        for (let s = 0; s < world.high; s++) {
          const type = typeOf(info.rules, world.type[s]);
          if (world.ids[s] === 0 || (type.class !== "structure" && type.class !== "resource")) continue;
          const x = world.posX(s) / 1024;
          const z = world.posY(s) / 1024;
          const half = type.footprint / 2;
          for (const [dx, dz] of [
            [-half, half],
            [half, half],
          ]) {
            const at = new Vector3(x + dx, ground.at(x, z), z + dz).project(camera.perspective);
            expect(0.5 - at.y * 0.5, `${type.name} at ${x}, ${z}`).toBeLessThan(words);
          }
          const top = new Vector3(x, ground.at(x, z) + topOf(type), z).project(camera.perspective);
          if (top.y < 1 && Math.abs(top.x) < 1) seen++;
        }
        if (width > 700) expect(seen).toBeGreaterThan(1); // and shows them
      }
    });
});
