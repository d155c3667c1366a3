// Draws one match state. It reads the state and never writes it, and knows
// nothing of the connection, keys or panels.
//
//	state ──► sample ──► entities, ghosts    ─┐
//	mask  ──► ease   ──► fog texture         ─┼─► draw
//	events ─► effects ─► decals, billboards  ─┘

import { type MatchState, typeOf } from "@fogkeep/client";
import { ACESFilmicToneMapping, Color, HemisphereLight, Scene, Vector3, WebGLRenderer } from "three";
import { EARTH_LIGHT, PAGE, SKY_LIGHT } from "../draw/palette";
import type { AbilityLayer } from "./abilities";
import { Camera } from "./camera";
import type { Effects } from "./effects";
import type { EntityLayer } from "./entities";
import type { FogTexture } from "./fog";
import type { HeightField } from "./heightfield";
import { ICON_HALF_PX } from "./icons";
import { type DrawOptions, Layers } from "./layers";
import { hoverOf, radiusOf, topOf } from "./models";
import type { DamageNumbers } from "./numbers";
import type { OwnerColors } from "./ownercolors";
import { driverName, guessQuality, QUALITY, type Quality, type QualityTraits } from "./quality";
import { Scenery } from "./scenery";
import { SKY_STRENGTH } from "./shaders";
import { Sun } from "./sun";
import { Terrain } from "./terrain";

export interface RendererOptions {
  quality?: Quality;
  now?: () => number;
}

export class Renderer {
  readonly webgl: WebGLRenderer;
  readonly ground: HeightField;
  readonly camera: Camera;
  readonly fog: FogTexture;
  readonly effects: Effects;
  readonly abilities: AbilityLayer;
  readonly numbers: DamageNumbers;
  readonly entities: EntityLayer;
  readonly colors: OwnerColors;
  readonly quality: Quality;
  private readonly traits: QualityTraits;
  private readonly scene = new Scene();
  private readonly layers: Layers;
  private readonly terrain: Terrain;
  private readonly scenery: Scenery;
  private readonly sun: Sun;
  private readonly now: () => number;
  /** Share of the quality's pixels on a side that is drawn. */
  resolution = 1;
  private width = 1;
  private height = 1;
  /** Milliseconds of script in the last frame, by part. */
  readonly timings = { sample: 0, fog: 0, fill: 0, draw: 0 };

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly state: MatchState,
    options: RendererOptions = {},
  ) {
    this.now = options.now ?? (() => performance.now());
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe) throw new Error("This browser cannot draw with WebGL 2, which fogkeep needs.");
    this.quality = options.quality ?? guessQuality(driverName(probe));
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    this.traits = QUALITY[this.quality];
    this.webgl = new WebGLRenderer({
      canvas,
      antialias: this.traits.antialias,
      powerPreference: "high-performance",
    });
    this.webgl.toneMapping = ACESFilmicToneMapping;
    this.webgl.toneMappingExposure = 1.45;
    this.webgl.setClearColor(new Color(PAGE));
    this.webgl.info.autoReset = true;

    this.layers = new Layers(state, this.traits, this.now);
    const { ground, fog, uniforms, colors, units, decals, billboards } = this.layers;
    this.ground = ground;
    this.fog = fog;
    this.colors = colors;
    this.entities = this.layers.entities;
    this.effects = this.layers.effects;
    this.abilities = this.layers.abilities;
    this.numbers = this.layers.numbers;
    this.camera = new Camera(ground);
    this.terrain = new Terrain(ground, uniforms, this.traits);
    this.scenery = new Scenery(ground, uniforms, colors.uniforms, this.traits.scenery, this.traits.shadows);
    this.sun = new Sun(this.webgl, this.traits.shadows);
    this.scene.add(
      this.sun.light,
      this.sun.light.target,
      new HemisphereLight(new Color(SKY_LIGHT), new Color(EARTH_LIGHT), SKY_STRENGTH),
      this.terrain.group,
      this.scenery.group,
      units.group,
      decals.mesh,
      billboards.mesh,
    );
    canvas.addEventListener("webglcontextlost", this.onLost);
    canvas.addEventListener("webglcontextrestored", this.onRestored);
  }

  /**
   * Draws the last frame again and reads how bright it is (0 to 255) over a
   * point of the ground, or -1 where the point is off the screen. For tests: a
   * canvas can only be read in the turn in which it was drawn.
   */
  brightnessAt(points: readonly { x: number; z: number }[]): number[] {
    this.webgl.render(this.scene, this.camera.perspective);
    const gl = this.webgl.getContext();
    const w = gl.drawingBufferWidth;
    const h = gl.drawingBufferHeight;
    const px = new Uint8Array(4 * 9);
    return points.map((p) => {
      POINT.set(p.x, this.ground.floor(p.x, p.z), p.z).project(this.camera.perspective);
      const x = Math.round((POINT.x * 0.5 + 0.5) * w);
      const y = Math.round((POINT.y * 0.5 + 0.5) * h);
      if (x < 2 || y < 2 || x > w - 3 || y > h - 3 || POINT.z > 1) return -1;
      gl.readPixels(x - 1, y - 1, 3, 3, gl.RGBA, gl.UNSIGNED_BYTE, px);
      let sum = 0;
      for (let i = 0; i < 36; i += 4) sum += 0.2126 * px[i] + 0.7152 * px[i + 1] + 0.0722 * px[i + 2];
      return sum / 9;
    });
  }

  /** Lowers or raises the resolution, within what the quality allows. */
  changeResolution(by: 1 | -1): void {
    const next = Math.max(0.6, Math.min(1, this.resolution * (by > 0 ? 1.25 : 0.8)));
    if (next === this.resolution) return;
    this.resolution = next;
    this.resize(this.width, this.height);
  }

  /** Page pixels. */
  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    const ratio = Math.min(this.traits.pixelRatioMax, window.devicePixelRatio || 1) * this.resolution;
    this.webgl.setPixelRatio(ratio);
    this.webgl.setSize(this.width, this.height, false);
    this.layers.billboards.viewport.set(this.width * ratio, this.height * ratio);
    this.camera.resize(this.width, this.height);
  }

  /** Draws one frame of the state as it is at a tick (fractions allowed). */
  draw(tick: number, dtMs: number, options: DrawOptions): void {
    const now = this.now();
    const t0 = performance.now();
    this.camera.step(dtMs);
    this.entities.sample(tick, dtMs);
    const t1 = performance.now();
    this.fog.step(dtMs);
    const t2 = performance.now();
    const ratio = this.layers.billboards.viewport.x / this.width;
    this.layers.fill(now, dtMs, options, this.pxPerTile(this.camera.height), ratio);
    const t3 = performance.now();
    this.layers.uniforms.seconds.value = (now / 1000) % 3600;
    this.sun.follow(this.camera, this.ground);
    this.webgl.render(this.scene, this.camera.perspective);
    const t4 = performance.now();
    this.timings.sample = t1 - t0;
    this.timings.fog = t2 - t1;
    this.timings.fill = t3 - t2;
    this.timings.draw = t4 - t3;
  }

  /** After a pause: ends all easing. */
  snap(): void {
    this.state.world.snap();
    this.fog.snap();
  }

  /** Where an entity's middle is on the page; false when it is behind the camera. */
  toScreen(row: number, out: { x: number; y: number; r: number }): boolean {
    const { poses } = this.entities;
    const type = typeOf(this.state.info.rules, this.state.world.type[poses.slot[row]]);
    const x = poses.x[row];
    const z = poses.z[row];
    const half = topOf(type) * 0.4;
    POINT.set(x, this.ground.floor(x, z) + hoverOf(type) + half, z);
    const depth = POINT.distanceTo(this.camera.perspective.position);
    POINT.project(this.camera.perspective);
    out.x = (POINT.x * 0.5 + 0.5) * this.width;
    out.y = (0.5 - POINT.y * 0.5) * this.height;
    const least = type.class === "unit" && this.entities.icons > 0.5 ? ICON_HALF_PX : 4;
    out.r = Math.max(least, this.pxPerTile(depth) * Math.max(half, radiusOf(type) * 0.9));
    return POINT.z < 1;
  }

  /** Where a point of the ground (tiles) is on the page; false when that is off the screen. */
  groundToPage(x: number, z: number, out: { x: number; y: number }): boolean {
    POINT.set(x, this.ground.floor(x, z), z).project(this.camera.perspective);
    out.x = (POINT.x * 0.5 + 0.5) * this.width;
    out.y = (0.5 - POINT.y * 0.5) * this.height;
    return POINT.z < 1 && out.x >= 0 && out.y >= 0 && out.x < this.width && out.y < this.height;
  }

  /** The ground under a point of the page, in tiles; null where there is none. */
  groundAt(x: number, y: number): { x: number; z: number } | null {
    const out = { x: 0, z: 0 };
    return this.camera.groundAt(this.ndcX(x), this.ndcY(y), out) ? out : null;
  }

  /** Zooms by notches of the wheel; the ground under a point of the page stays there. */
  zoom(notches: number, x: number, y: number): void {
    this.camera.zoom(notches, this.ndcX(x), this.ndcY(y));
  }

  /** Moves the camera as if the ground was dragged by pixels. */
  dragGround(dx: number, dy: number): void {
    const tiles = 1 / this.pxPerTile(this.camera.height);
    this.camera.pan(-dx * tiles, -dy * tiles * 1.3);
  }

  private ndcX(x: number): number {
    return (x / this.width) * 2 - 1;
  }
  private ndcY(y: number): number {
    return 1 - (y / this.height) * 2;
  }

  /** Pixels a tile is wide at a distance. */
  pxPerTile(depth: number): number {
    return this.height / (2 * Math.tan((this.camera.perspective.fov * Math.PI) / 360) * depth);
  }

  get draws(): number {
    return this.webgl.info.render.calls;
  }

  dispose(): void {
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    for (const d of [this.layers, this.terrain, this.scenery]) d.dispose();
    this.webgl.dispose();
  }

  private readonly onLost = (e: Event): void => e.preventDefault();
  private readonly onRestored = (): void => {
    this.fog.snap();
  };
}

const POINT = new Vector3();
