// The picture: one scene over one match state. It reads the state and never
// writes it, and knows nothing of sockets, keys or pages.
//
//	state ──► sample ──► units, ghosts ─┐
//	mask  ──► ease   ──► fog texture   ─┼─► draw
//	events ─► effects ─► marks, signs  ─┘

import {
  ACESFilmicToneMapping,
  Color,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { ALL_TEAMS, type Handle, NO_OWNER } from "../base/ids";
import {
  DANGER,
  EARTH_LIGHT,
  GOOD,
  KEY_LIGHT,
  NEUTRAL,
  PAGE,
  playerColor,
  RELATION,
  SKY_LIGHT,
} from "../draw/palette";
import type { MatchState } from "../state/match";
import { turn } from "../state/motion";
import { typeOf } from "../state/rules";
import { FLAG, PoseColumns } from "../state/world";
import { Camera } from "./camera";
import { Effects } from "./effects";
import { Fading } from "./fading";
import { FogTexture } from "./fog";
import { HeightField } from "./heightfield";
import { hoverOf, topOf } from "./models";
import { driverName, guessQuality, QUALITY, type Quality, type QualityTraits } from "./quality";
import { Scenery } from "./scenery";
import { type FogUniforms, fogUniforms, SKY_STRENGTH, SUN_DIRECTION, SUN_STRENGTH } from "./shaders";
import { Billboards, type ColorBytes, colorBytes, DECAL, Decals } from "./sprites";
import { Terrain } from "./terrain";
import { INSTANCE, NEUTRAL_INDEX, type TeamUniforms, teamUniforms, Units } from "./units";

const ENTER_MS = 150;
const HIT_FLASH_MS = 90;
const AIM_KEPT_MS = 2500;

/** What the player does that shows on the picture. */
export interface DrawOptions {
  readonly selected: ReadonlySet<Handle>;
  readonly hover: Handle;
  /** Which bars: all, the hurt and the selected, or only the selected. */
  readonly bars: "all" | "hurt" | "selected";
  /** Draws more on the ground and in the air: the line of an order, a footprint. */
  extra?(marks: Decals, signs: Billboards, ground: HeightField): void;
}

export interface RendererOptions {
  quality?: Quality;
  now?: () => number;
}

const WHITE = colorBytes("#ffffff");
const BLACK = colorBytes("#000000");
const HEALTHY = colorBytes(GOOD);
const HURT = colorBytes("#ffd43b");
const DYING = colorBytes(DANGER);

export class Renderer {
  readonly webgl: WebGLRenderer;
  readonly ground: HeightField;
  readonly camera: Camera;
  readonly fog: FogTexture;
  readonly effects: Effects;
  readonly poses = new PoseColumns();
  /** Rows of {@link poses} in use. */
  drawn = 0;
  readonly quality: Quality;
  private readonly traits: QualityTraits;
  private readonly scene = new Scene();
  private readonly uniforms: FogUniforms;
  private readonly teams: TeamUniforms;
  private readonly terrain: Terrain;
  private readonly units: Units;
  private readonly scenery: Scenery;
  private readonly marks: Decals;
  private readonly signs: Billboards;
  private readonly sun: DirectionalLight;
  private readonly now: () => number;
  private readonly colorBytes: ColorBytes[] = [];
  /** The same as `#rrggbb`, made once: a string a unit and frame would be garbage. */
  private readonly hexes: string[] = [];
  /** Turrets as drawn, by row, against the hull. */
  private aim = new Float32Array(256);
  private rowOfSlot = new Int32Array(256).fill(-1);
  private readonly fading = new Fading();
  private readonly offs: (() => void)[] = [];
  /** Share of the pixels that the quality would draw a side. */
  resolution = 1;
  private width = 1;
  private height = 1;
  private readonly spot = { x: 0, z: 0 };
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

    const { map, rules } = state.info;
    this.ground = new HeightField(map);
    this.camera = new Camera(this.ground);
    this.fog = new FogTexture(state.mask);
    this.uniforms = fogUniforms(this.fog);
    this.teams = teamUniforms();
    this.terrain = new Terrain(this.ground, this.uniforms, this.traits);
    this.units = new Units(rules, this.uniforms, this.teams, this.traits);
    this.scenery = new Scenery(this.ground, this.uniforms, this.teams, this.traits.scenery);
    this.marks = new Decals(this.uniforms);
    this.signs = new Billboards(this.uniforms);
    this.effects = new Effects(
      state,
      this.ground,
      this.now,
      (slot) => this.place(slot),
      (owner) => this.bytesOf(owner),
    );

    this.sun = new DirectionalLight(new Color(KEY_LIGHT), SUN_STRENGTH);
    if (this.traits.shadows) this.castShadows();
    this.scene.add(
      this.sun,
      this.sun.target,
      new HemisphereLight(new Color(SKY_LIGHT), new Color(EARTH_LIGHT), SKY_STRENGTH),
      this.terrain.group,
      this.scenery.group,
      this.units.group,
      this.marks.mesh,
      this.signs.mesh,
    );
    this.colors(false);
    this.offs.push(state.events.on("leave", (e) => this.fade(e.slot, e.why)));
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

  /** Fewer pixels, or more again; within what the quality allows. */
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
    this.signs.viewport.set(this.width * ratio, this.height * ratio);
    this.camera.resize(this.width, this.height);
  }

  /** Draws one frame of the state as it is at a tick (fractions allowed). */
  draw(tick: number, dtMs: number, view: DrawOptions): void {
    const now = this.now();
    const t0 = performance.now();
    this.camera.step(dtMs);
    this.drawn = this.state.world.sample(tick, dtMs, this.poses);
    const t1 = performance.now();
    this.fog.step(dtMs);
    const t2 = performance.now();
    this.fill(now, dtMs, view);
    const t3 = performance.now();
    this.uniforms.seconds.value = (now / 1000) % 3600;
    this.lightFollowsEye();
    this.webgl.render(this.scene, this.camera.perspective);
    const t4 = performance.now();
    this.timings.sample = t1 - t0;
    this.timings.fog = t2 - t1;
    this.timings.fill = t3 - t2;
    this.timings.draw = t4 - t3;
  }

  /** After a pause: everything is where it is, nothing eases there. */
  snap(): void {
    this.state.world.snap();
    this.fog.snap();
  }

  /** Chooses the colours: by team, or by what each is to me. */
  colors(relations: boolean): void {
    const { players, slot, team, spectator } = this.state.info;
    const list = this.teams.teamColors.value;
    for (let k = 0; k < NEUTRAL_INDEX; k++) {
      const p = players[k];
      let hex = playerColor(p?.color ?? k);
      if (relations && p && !spectator) {
        hex = k === slot ? RELATION.self : p.team === team ? RELATION.ally : RELATION.enemy;
      }
      list[k].set(hex);
      this.colorBytes[k] = colorBytes(hex);
      this.hexes[k] = hex;
    }
    list[NEUTRAL_INDEX].set(NEUTRAL);
    this.colorBytes[NEUTRAL_INDEX] = colorBytes(NEUTRAL);
    this.hexes[NEUTRAL_INDEX] = NEUTRAL;
  }

  /** The same as `#rrggbb`, for the page. */
  hexOf(owner: number): string {
    return this.hexes[owner === NO_OWNER ? NEUTRAL_INDEX : owner] ?? NEUTRAL;
  }

  bytesOf(owner: number): ColorBytes {
    return this.colorBytes[owner === NO_OWNER ? NEUTRAL_INDEX : owner] ?? this.colorBytes[NEUTRAL_INDEX];
  }

  /** Where a row is drawn now, in tiles. */
  place(slot: number): { x: number; z: number } {
    const row = this.rowOf(slot);
    if (row >= 0) {
      this.spot.x = this.poses.x[row];
      this.spot.z = this.poses.z[row];
    } else {
      this.spot.x = this.state.world.posX(slot) / 1024;
      this.spot.z = this.state.world.posY(slot) / 1024;
    }
    return this.spot;
  }

  /** Where a row's middle is on the screen, page pixels; false when behind the camera. */
  toScreen(row: number, out: { x: number; y: number; r: number }): boolean {
    const slot = this.poses.slot[row];
    const type = typeOf(this.state.info.rules, this.state.world.type[slot]);
    const x = this.poses.x[row];
    const z = this.poses.z[row];
    const half = topOf(type) * 0.4;
    POINT.set(x, this.ground.floor(x, z) + hoverOf(type) + half, z);
    const depth = POINT.distanceTo(this.camera.perspective.position);
    POINT.project(this.camera.perspective);
    out.x = (POINT.x * 0.5 + 0.5) * this.width;
    out.y = (0.5 - POINT.y * 0.5) * this.height;
    out.r = Math.max(4, this.pxPerTile(depth) * Math.max(half, radiusOf(type) * 0.9));
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
    for (const f of this.offs) f();
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    this.effects.dispose();
    for (const d of [this.terrain, this.units, this.scenery, this.marks, this.signs, this.fog]) d.dispose();
    this.webgl.dispose();
  }

  private fill(now: number, dtMs: number, view: DrawOptions): void {
    const { world, info } = this.state;
    const { poses, ground, marks, signs } = this;
    if (this.rowOfSlot.length < world.ids.length) {
      this.rowOfSlot = new Int32Array(world.ids.length);
      const aim = new Float32Array(world.ids.length);
      aim.set(this.aim);
      this.aim = aim;
    }
    this.rowOfSlot.fill(-1);
    this.units.begin();
    marks.begin();
    signs.begin();
    const seesAll = info.team === ALL_TEAMS;
    const px = this.pxPerTile(this.camera.height);
    const ratio = this.signs.viewport.x / this.width;
    for (let row = 0; row < this.drawn; row++) {
      const s = poses.slot[row];
      this.rowOfSlot[s] = row;
      const x = poses.x[row];
      const z = poses.z[row];
      const type = typeOf(info.rules, world.type[s]);
      const owner = world.owner[s] === NO_OWNER ? NEUTRAL_INDEX : world.owner[s];
      const flags = world.flags[s];
      const id = world.ids[s];
      const floor = ground.floor(x, z);
      const y = floor + hoverOf(type) + (type.moveKind === 3 ? Math.sin(now / 420 + s) * 0.06 : 0);
      const alpha = Math.min(1, (now - world.enterMs[s]) / ENTER_MS);
      const flash = Math.max(0, 1 - (now - world.hitMs[s]) / HIT_FLASH_MS);
      const selected = view.selected.has(id);
      const hover = view.hover === id;
      const own = owner === info.slot;
      const mine = owner !== NEUTRAL_INDEX && (seesAll || info.players[owner]?.team === info.team);
      let look = mine ? INSTANCE.own : 0;
      if (hover) look |= INSTANCE.hover;
      if (selected) look |= INSTANCE.selected;
      if (flags & FLAG.cloaked) look |= INSTANCE.cloaked;
      const built = flags & FLAG.building ? 0.15 + (0.85 * world.amount[s]) / 255 : 1;
      const batch = this.units.batches[world.type[s]];
      if (batch) {
        const aim = this.aimOf(s, x, z, poses.facing[row], now, dtMs);
        batch.push(x, y, z, poses.facing[row], aim, built, owner, alpha, flash, look);
      }
      if (type.class === "projectile") {
        signs.spark(x, y, z, px * 0.35 * ratio, HURT, 0.8);
        continue;
      }
      const r = radiusOf(type);
      if (!this.traits.shadows) {
        // The light comes from the upper left: blobs lie a little down-right.
        marks.push(
          DECAL.blob,
          x + 0.1,
          floor,
          z + 0.12,
          r * 1.3,
          0,
          BLACK,
          type.class === "unit" ? 0.5 * alpha : 0.42,
          0,
          !mine,
        );
      }
      if (type.class === "resource") continue;
      if (selected)
        marks.push(DECAL.ring, x, floor, z, r * 1.22, 0.07, own ? HEALTHY : this.colorBytes[owner], 0.95);
      else if (hover) marks.push(DECAL.ring, x, floor, z, r * 1.22, 0.05, WHITE, 0.7);
      const player = info.players[owner];
      if (player && type.class === "structure" && alpha > 0.5) {
        signs.emblem(x, y + topOf(type) + 0.5, z, 7 * ratio, player.color, this.colorBytes[owner], 0.95);
      }
      const share = world.hp(s) / Math.max(1, world.hpMax[s]);
      const show = view.bars === "all" || selected || hover || (view.bars === "hurt" && share < 1);
      if (show && alpha > 0.5) {
        const color = !mine ? DYING : share > 0.6 ? HEALTHY : share > 0.3 ? HURT : DYING;
        const half = Math.max(9, Math.min(70, px * r * 0.95)) * ratio;
        signs.bar(x, y + topOf(type) + 0.12, z, share, half, Math.max(2, 2.5 * ratio), color, 1);
      }
    }
    this.fillGhosts(view);
    this.fading.draw(now, this.units);
    this.effects.draw(now, marks, signs, px * ratio);
    view.extra?.(marks, signs, ground);
    this.units.end();
    marks.end();
    signs.end();
  }

  private fillGhosts(view: DrawOptions): void {
    for (const g of this.state.ghosts.values()) {
      const x = g.x / 1024;
      const z = g.y / 1024;
      const look = INSTANCE.ghost | (view.hover === g.id ? INSTANCE.hover : 0);
      const owner = g.owner === NO_OWNER ? NEUTRAL_INDEX : g.owner;
      this.units.batches[g.type]?.push(
        x,
        this.ground.floor(x, z),
        z,
        (g.facing * Math.PI) / 128,
        0,
        1,
        owner,
        1,
        0,
        look,
      );
    }
  }

  /** What left sight fades where it was; what was destroyed is the effects' to show. */
  private fade(slot: number, why: "fog" | "dead"): void {
    const { world, info } = this.state;
    const row = this.rowOf(slot);
    const type = typeOf(info.rules, world.type[slot]);
    if (why === "dead" || row < 0 || type.class === "projectile") return;
    const f = this.fading.begin(this.now());
    f.type = world.type[slot];
    f.owner = world.owner[slot] === NO_OWNER ? NEUTRAL_INDEX : world.owner[slot];
    f.x = this.poses.x[row];
    f.z = this.poses.z[row];
    f.y = this.ground.floor(f.x, f.z) + hoverOf(type);
    f.facing = this.poses.facing[row];
    f.aim = this.aim[slot];
  }

  private aimOf(s: number, x: number, z: number, facing: number, now: number, dtMs: number): number {
    const { world } = this.state;
    let want = 0;
    if (now - world.shotMs[s] < AIM_KEPT_MS && world.aimX[s] !== 0) {
      want = turn(facing, Math.atan2(world.aimZ[s] - z, world.aimX[s] - x));
    }
    const step = (8 * dtMs) / 1000;
    this.aim[s] += Math.max(-step, Math.min(step, turn(this.aim[s], want)));
    return this.aim[s];
  }

  /** The row of {@link poses} in which an entity was drawn last; -1 for none. */
  rowOf(slot: number): number {
    const row = slot < this.rowOfSlot.length ? this.rowOfSlot[slot] : -1;
    return row >= 0 && row < this.drawn && this.poses.slot[row] === slot ? row : -1;
  }

  private castShadows(): void {
    this.webgl.shadowMap.enabled = true;
    this.webgl.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.03;
  }

  private lightFollowsEye(): void {
    const { focusX, focusZ, height } = this.camera;
    const y = this.ground.at(focusX, focusZ);
    this.sun.target.position.set(focusX, y, focusZ);
    this.sun.position.copy(this.sun.target.position).addScaledVector(SUN_DIRECTION, 53);
    if (!this.traits.shadows) return;
    const half = Math.min(60, height * 0.75 + 6);
    const c = this.sun.shadow.camera;
    if (c.right !== half) {
      c.left = c.bottom = -half;
      c.right = c.top = half;
      c.near = 1;
      c.far = 140;
      c.updateProjectionMatrix();
    }
  }

  private readonly onLost = (e: Event): void => e.preventDefault();
  private readonly onRestored = (): void => {
    this.fog.snap();
  };
}

const POINT = new Vector3();

function radiusOf(type: { class: string; footprint: number; radius: number }): number {
  return type.class === "structure" || type.class === "resource"
    ? type.footprint * 0.62
    : Math.max(0.32, type.radius * 1.25);
}
