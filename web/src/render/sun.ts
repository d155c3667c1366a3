// The sunlight. Its shadows cover the part of the map that the camera shows.

import { Color, DirectionalLight, PCFShadowMap, type WebGLRenderer } from "three";
import { KEY_LIGHT } from "../draw/palette";
import type { Camera } from "./camera";
import type { HeightField } from "./heightfield";
import { SUN_DIRECTION, SUN_STRENGTH } from "./shaders";

export class Sun {
  readonly light = new DirectionalLight(new Color(KEY_LIGHT), SUN_STRENGTH);

  constructor(
    webgl: WebGLRenderer,
    private readonly shadows: boolean,
  ) {
    if (!shadows) return;
    webgl.shadowMap.enabled = true;
    webgl.shadowMap.type = PCFShadowMap;
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(2048, 2048);
    this.light.shadow.bias = -0.0006;
    this.light.shadow.normalBias = 0.03;
  }

  follow(camera: Camera, ground: HeightField): void {
    const { light } = this;
    const { focusX, focusZ, height } = camera;
    light.target.position.set(focusX, ground.at(focusX, focusZ), focusZ);
    light.position.copy(light.target.position).addScaledVector(SUN_DIRECTION, 53);
    if (!this.shadows) return;
    const half = Math.min(60, height * 0.75 + 6);
    const c = light.shadow.camera;
    if (c.right !== half) {
      c.left = c.bottom = -half;
      c.right = c.top = half;
      c.near = 1;
      c.far = 140;
      c.updateProjectionMatrix();
    }
  }
}
