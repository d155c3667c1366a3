// Draws one match state. It reads the state and never writes it, and does not know the connection, keys or panels.
//
//	state ──► sample ──► entities, ghosts    ─┐
//	mask  ──► ease   ──► fog texture         ─┼─► draw
//	events ─► effects ─► decals, billboards  ─┘

import type { Mask, MatchState } from "@fogkeep/client";
import {
  ACESFilmicToneMapping,
  Color,
  type DataTexture,
  HemisphereLight,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { EARTH_LIGHT, PAGE, SKY_LIGHT } from "../draw/palette";
import type { AbilityLayer } from "./abilities";
import { Camera } from "./camera";
import type { Effects } from "./effects";
import type { EntityLayer } from "./entities";
import type { FogTexture } from "./fog";
import type { HeightField } from "./heightfield";
import { type DrawOptions, Layers } from "./layers";
import type { DamageNumbers } from "./numbers";
import type { OwnerColors } from "./ownercolors";
import { driverName, guessQuality, QUALITY, type Quality, type QualityTraits } from "./quality";
import { Scenery } from "./scenery";
import { Screen } from "./screen";
import { noTint, SKY_STRENGTH } from "./shaders";
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
  /** Where entities are on the page. */
  readonly screen: Screen;
  private readonly traits: QualityTraits;
  private readonly scene = new Scene();
  private readonly layers: Layers;
  private readonly terrain: Terrain;
  private readonly scenery: Scenery;
  private readonly sun: Sun;
  private readonly untinted = noTint();
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
    this.screen = new Screen(state, this.camera, ground, this.entities);
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

  /** Lowers or raises the resolution, within the quality's bounds. */
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
    this.screen.resize(this.width, this.height);
  }

  /** Draws one frame of the state as it is at a tick (fractions allowed). */
  draw(tick: number, dtMs: number, options: DrawOptions): void {
    const now = this.now();
    const t0 = performance.now();
    this.camera.step(dtMs);
    this.layers.sample(tick, dtMs);
    const t1 = performance.now();
    this.fog.step(dtMs);
    this.fog.upload(this.webgl);
    const t2 = performance.now();
    const ratio = this.layers.billboards.viewport.x / this.width;
    this.layers.view.set(this.camera.perspective);
    this.layers.fill(now, dtMs, options, this.screen.pxPerTile(this.camera.height), ratio);
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

  /**
   * Shows two states at once: the ground that either sees, in a colour for each tile, and of the second what `only` is
   * true for. Null: the own state alone.
   */
  showBeside(
    other: { state: MatchState; mask: Mask; tint: DataTexture; only(slot: number): boolean } | null,
  ): void {
    this.layers.drawBeside(other?.state ?? null, (slot) => other?.only(slot) ?? false);
    this.fog.show(other?.mask ?? this.state.mask);
    this.layers.uniforms.tintMap.value = other?.tint ?? this.untinted;
  }

  /** Where a row of the second state is drawn now, in tiles; or null. */
  placeBeside(slot: number): { x: number; z: number } | null {
    return this.layers.placeBeside(slot);
  }

  /** After a pause: ends all easing. */
  snap(): void {
    this.state.world.snap();
    this.fog.snap();
  }

  /** Where a point of the ground (tiles) is on the page; false when that is off the screen. */
  groundToPage(x: number, z: number, out: { x: number; y: number }): boolean {
    POINT.set(x, this.ground.floor(x, z), z).project(this.camera.perspective);
    out.x = (POINT.x * 0.5 + 0.5) * this.width;
    out.y = (0.5 - POINT.y * 0.5) * this.height;
    return POINT.z < 1 && out.x >= 0 && out.y >= 0 && out.x < this.width && out.y < this.height;
  }

  /** The ground under a point of the page, in tiles; or null beside it. */
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
    const tiles = 1 / this.screen.pxPerTile(this.camera.height);
    this.camera.pan(-dx * tiles, -dy * tiles * 1.3);
  }

  private ndcX(x: number): number {
    return (x / this.width) * 2 - 1;
  }
  private ndcY(y: number): number {
    return 1 - (y / this.height) * 2;
  }

  get draws(): number {
    return this.webgl.info.render.calls;
  }

  /** Instances of models, marks and billboards in the last frame. */
  get filled(): number {
    const { units, decals, billboards } = this.layers;
    return units.count + decals.count + billboards.count;
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
