// Draws the entities of a match: models, the marks under them, bars and
// emblems over them. Also ghosts, and what fades out when it leaves sight.

import {
  ALL_TEAMS,
  FLAG,
  facingRad,
  type Handle,
  type MatchState,
  PoseColumns,
  type TypeInfo,
  turn,
  typeOf,
} from "@fogkeep/client";
import { ACCENT, DANGER, GOOD, SHIELD } from "../draw/palette";
import { Fading } from "./fading";
import { GaitColumns } from "./gait";
import type { HeightField } from "./heightfield";
import { glyphOf, ICON_HALF_PX, iconShare, plateOf } from "./icons";
import { LOOK, type Looks } from "./looks";
import { hoverOf, radiusOf, topOf } from "./models";
import { colorIndex, NEUTRAL_INDEX, type OwnerColors } from "./ownercolors";
import { type Billboards, colorBytes, DECAL, type Decals } from "./sprites";
import { INSTANCE, type Units } from "./units";

const ENTER_MS = 150;
const HIT_FLASH_MS = 140;
const RECOIL_MS = 280;
/** How far who strikes leans forward, in tiles. */
const LUNGE_TILES = 0.22;
/** A weapon that reaches no further strikes; in world units. */
const STRIKE_WU = 614;
/** What is built this far stands without a scaffold. */
const FINISHED = 0.97;
const AIM_KEPT_MS = 2500;
/** How fast a turret turns, radians a second. */
const AIM_RATE = 8;

const WHITE = colorBytes("#ffffff");
const BLACK = colorBytes("#000000");
const HEALTHY = colorBytes(GOOD);
const HURT = colorBytes(ACCENT);
const DYING = colorBytes(DANGER);
const SHIELDED = colorBytes(SHIELD);

/** What the player selects and points at. */
export interface Highlights {
  readonly selected: ReadonlySet<Handle>;
  readonly hover: Handle;
  /** Which bars: all, the hurt and the selected, or only the selected. */
  readonly bars: "all" | "hurt" | "selected";
}

export class EntityLayer {
  readonly poses = new PoseColumns();
  /** Rows of {@link poses} in use. */
  drawn = 0;
  /** The drawn tick. */
  private tick = 0;
  /** Direction of each entity's turret against its hull. */
  private aim = new Float32Array(256);
  private rowOfSlot = new Int32Array(256).fill(-1);
  /** What is on entities; the renderer sets it before the first frame. */
  looks!: Pick<Looks, "of">;
  private readonly gait = new GaitColumns();
  private readonly glyphs: readonly number[];
  /** How far icons have taken the place of units in the last frame, 0 to 1. */
  icons = 0;
  private readonly fading = new Fading();
  private readonly spot = { x: 0, z: 0 };
  private readonly off: () => void;

  constructor(
    private readonly state: MatchState,
    private readonly ground: HeightField,
    private readonly units: Units,
    private readonly decals: Decals,
    private readonly billboards: Billboards,
    private readonly colors: OwnerColors,
    private readonly shadows: boolean,
    private readonly now: () => number,
  ) {
    this.glyphs = state.info.rules.types.map(glyphOf);
    this.off = state.events.on("leave", (e) => this.fade(e.slot, e.why));
  }

  dispose(): void {
    this.off();
  }

  /** Computes where everything is at a tick (fractions allowed). */
  sample(tick: number, dtMs: number): void {
    this.tick = tick;
    this.drawn = this.state.world.sample(tick, dtMs, this.poses);
    this.state.shots.sample(tick, this.poses, this.drawn);
  }

  /** Where an entity is drawn now, in tiles; one object for all calls. */
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

  /** The row of {@link poses} in which an entity was drawn last; -1 for none. */
  rowOf(slot: number): number {
    const row = slot < this.rowOfSlot.length ? this.rowOfSlot[slot] : -1;
    return row >= 0 && row < this.drawn && this.poses.slot[row] === slot ? row : -1;
  }

  /**
   * Adds all entities to the batches of this frame.
   * @param px pixels of the page a tile is wide at the camera's distance
   * @param ratio pixels of the canvas to one of the page
   */
  fill(nowMs: number, dtMs: number, view: Highlights, px: number, ratio: number): void {
    const { world, info } = this.state;
    const { poses } = this;
    if (this.rowOfSlot.length < world.ids.length) {
      this.rowOfSlot = new Int32Array(world.ids.length);
      const aim = new Float32Array(world.ids.length);
      aim.set(this.aim);
      this.aim = aim;
    }
    this.rowOfSlot.fill(-1);
    this.gait.reserve(world.ids.length);
    this.icons = iconShare(px);
    for (let row = 0; row < this.drawn; row++) {
      const s = poses.slot[row];
      this.rowOfSlot[s] = row;
      const type = typeOf(info.rules, world.type[s]);
      const floor = this.ground.floor(poses.x[row], poses.z[row]);
      const y = floor + hoverOf(type) + (type.moveKind === 3 ? Math.sin(nowMs / 420 + s) * 0.06 : 0);
      const alpha = Math.min(1, (nowMs - world.enterMs[s]) / ENTER_MS);
      if (type.class === "projectile" && this.early(s)) continue;
      const icon = this.glyphs[world.type[s]] >= 0 ? this.icons : 0;
      if (icon > 0) this.addIcon(row, type, y, alpha * icon, view, ratio);
      if (icon < 1) this.addModel(row, type, y, alpha * (1 - icon), view, nowMs, dtMs);
      if (type.class === "projectile")
        this.billboards.spark(poses.x[row], y, poses.z[row], px * 0.35 * ratio, HURT, 0.8);
      else if (icon < 1) this.addMarks(row, type, floor, alpha * (1 - icon), view);
      if ((type.class === "unit" || type.class === "structure") && alpha > 0.5)
        this.addOverhead(row, type, y + topOf(type), view, px, ratio);
    }
    this.addShots(px * ratio);
    this.addGhosts(view);
    this.fading.draw(nowMs, this.units);
  }

  /** Whether a projectile is not to be drawn yet: what is drawn is older than its start, so it would be behind its gun. */
  private early(slot: number): boolean {
    const { world, shots } = this.state;
    return world.enterTick[slot] > this.tick && !shots.glides(world.ids[slot]);
  }

  private addModel(
    row: number,
    type: TypeInfo,
    y: number,
    alpha: number,
    view: Highlights,
    nowMs: number,
    dtMs: number,
  ): void {
    const { world } = this.state;
    const { poses } = this;
    const s = poses.slot[row];
    const batch = this.units.batches[world.type[s]];
    if (!batch) return;
    const id = world.ids[s];
    let state = this.allied(s) ? INSTANCE.own : 0;
    if (view.hover === id) state |= INSTANCE.hover;
    if (view.selected.has(id)) state |= INSTANCE.selected;
    if (world.flags[s] & FLAG.cloaked) state |= INSTANCE.cloaked;
    if (this.looks.of(s, LOOK.rage) > 0.3) state |= INSTANCE.raging;
    if (this.looks.of(s, LOOK.burning) > 0.3) state |= INSTANCE.burning;
    if (this.looks.of(s, LOOK.slowed) > 0.3) state |= INSTANCE.slowed;
    const built = this.builtOf(s);
    const flash = Math.max(0, 1 - (nowMs - world.hitMs[s]) / HIT_FLASH_MS);
    const facing = poses.facing[row];
    const aim = this.turnAim(s, poses.x[row], poses.z[row], facing, nowMs, dtMs);
    const owner = colorIndex(world.owner[s]);
    let x = poses.x[row];
    let z = poses.z[row];
    let recoil = Math.max(0, 1 - (nowMs - world.shotMs[s]) / RECOIL_MS);
    recoil *= recoil;
    const { gait } = this;
    if (type.class === "unit") {
      gait.step(s, world.ids[s], poses, row, type, dtMs);
      if (recoil > 0 && this.strikes(type)) {
        x += Math.cos(facing) * LUNGE_TILES * recoil;
        z += Math.sin(facing) * LUNGE_TILES * recoil;
        recoil = 0;
      }
    }
    batch.push(
      x,
      y + gait.bob(s),
      z,
      facing,
      aim,
      built,
      owner,
      alpha,
      flash,
      state,
      this.looks.of(s, LOOK.deploy),
    );
    batch.move(gait, s, recoil);
    if (built < FINISHED)
      this.units.scaffolds[world.type[s]]?.push(
        x,
        y,
        z,
        facing,
        0,
        Math.min(1, built + 0.22),
        owner,
        alpha * Math.min(1, (FINISHED - built) * 8),
        0,
        state & ~INSTANCE.hover,
      );
  }

  /** How much of an entity is built, 0 to 1. */
  private builtOf(slot: number): number {
    const { world } = this.state;
    return world.flags[slot] & FLAG.building ? 0.08 + (0.92 * world.amount[slot]) / 255 : 1;
  }

  private strikes(type: TypeInfo): boolean {
    const weapon = this.state.info.rules.weapons[type.weapons[0]];
    return weapon !== undefined && !weapon.projectile && weapon.range <= STRIKE_WU;
  }

  /** The icon that is drawn instead of a unit from afar. */
  private addIcon(
    row: number,
    type: TypeInfo,
    y: number,
    alpha: number,
    view: Highlights,
    ratio: number,
  ): void {
    const { world, info } = this.state;
    const { poses } = this;
    const s = poses.slot[row];
    const id = world.ids[s];
    const owner = world.owner[s];
    const marked = view.selected.has(id) || view.hover === id;
    const own = owner === info.slot && !info.spectator;
    const plate = plateOf(own, this.allied(s), info.team === ALL_TEAMS, info.players[owner]?.team ?? 0);
    const half = ICON_HALF_PX * ratio * (type.worker ? 0.8 : 1);
    this.billboards.icon(
      poses.x[row],
      y + topOf(type) * 0.4, // where a click finds it
      poses.z[row],
      half,
      this.glyphs[world.type[s]],
      plate,
      marked,
      this.colors.bytesOf(owner),
      alpha * (world.flags[s] & FLAG.cloaked ? 0.6 : 1),
    );
  }

  /** The shadow under an entity, and the ring of the selection. */
  private addMarks(row: number, type: TypeInfo, floor: number, alpha: number, view: Highlights): void {
    const { world } = this.state;
    const { decals, poses } = this;
    const s = poses.slot[row];
    const x = poses.x[row];
    const z = poses.z[row];
    const r = radiusOf(type);
    if (!this.shadows) {
      // The light comes from the upper left: shadows lie a little to the lower right.
      const dark = type.class === "unit" ? 0.5 * alpha : 0.42;
      decals.push(DECAL.blob, x + 0.1, floor, z + 0.12, r * 1.3, 0, BLACK, dark, 0, !this.allied(s));
    }
    if (type.class === "resource") return;
    if (view.selected.has(world.ids[s])) {
      const color = world.owner[s] === this.state.info.slot ? HEALTHY : this.colors.bytesOf(world.owner[s]);
      decals.push(DECAL.ring, x, floor, z, r * 1.22, 0.07, color, 0.95);
    } else if (view.hover === world.ids[s]) decals.push(DECAL.ring, x, floor, z, r * 1.22, 0.05, WHITE, 0.7);
  }

  /** The emblem and the health bar over an entity. */
  private addOverhead(
    row: number,
    type: TypeInfo,
    top: number,
    view: Highlights,
    px: number,
    ratio: number,
  ): void {
    const { world, info } = this.state;
    const { billboards, poses } = this;
    const s = poses.slot[row];
    const id = world.ids[s];
    const owner = world.owner[s];
    const x = poses.x[row];
    const z = poses.z[row];
    const player = info.players[owner];
    if (player && type.class === "structure")
      billboards.emblem(x, top + 0.5, z, 7 * ratio, player.color, this.colors.bytesOf(owner), 0.95);
    const share = world.hp(s) / Math.max(1, world.hpMax[s]);
    const hurt = share < 1 || world.shield[s] > 0;
    const marked = view.selected.has(id) || view.hover === id;
    // Over icons there is room for few bars.
    if (!marked && type.class === "unit" && this.icons > 0.5) return;
    if (!marked && view.bars !== "all" && (view.bars !== "hurt" || !hurt)) return;
    const color = !this.allied(s) ? DYING : share > 0.6 ? HEALTHY : share > 0.3 ? HURT : DYING;
    const half = Math.max(9, Math.min(70, px * radiusOf(type) * 0.95)) * ratio;
    const high = Math.max(2, 2.5 * ratio);
    billboards.bar(x, top + 0.12, z, share, half, high, color, 1);
    if (world.shieldMax[s] === 0) return;
    const shield = world.left(s, "shield") / world.shieldMax[s];
    billboards.bar(x, top + 0.12, z, shield, half, high, SHIELDED, 1, 2 * high);
  }

  /** Shots that the server has not told of: the glow of a wind-up, and projectiles. */
  private addShots(px: number): void {
    const { state, units, billboards } = this;
    if (state.shots.size === 0) return;
    for (const s of state.shots.values()) {
      if (s.phase === "glide") continue; // the entity is drawn
      const floor = this.ground.floor(s.x, s.z);
      if (s.phase === "windUp") {
        const slot = state.world.slot(s.unit);
        if (slot < 0 || s.wound <= 0) continue;
        const type = typeOf(state.info.rules, state.world.type[slot]);
        const reach = radiusOf(type) * 1.1;
        const x = s.x + Math.cos(s.facing) * reach;
        const z = s.z + Math.sin(s.facing) * reach;
        const y = floor + hoverOf(type) + topOf(type) * 0.62;
        billboards.spark(x, y, z, px * (0.1 + 0.3 * s.wound), HURT, 0.25 + 0.6 * s.wound);
        continue;
      }
      const y = floor + hoverOf(typeOf(state.info.rules, s.type));
      const { own } = INSTANCE;
      units.batches[s.type]?.push(s.x, y, s.z, s.facing, 0, 1, colorIndex(s.owner), s.alpha, 0, own);
      billboards.spark(s.x, y, s.z, px * 0.35, HURT, 0.8 * s.alpha);
    }
  }

  private addGhosts(view: Highlights): void {
    for (const g of this.state.ghosts.values()) {
      const x = g.x / 1024;
      const z = g.y / 1024;
      const state = INSTANCE.ghost | (view.hover === g.id ? INSTANCE.hover : 0);
      const y = this.ground.floor(x, z);
      const owner = colorIndex(g.owner);
      this.units.batches[g.type]?.push(x, y, z, facingRad(g.facing), 0, 1, owner, 1, 0, state);
    }
  }

  /** An entity that left sight fades where it was; effects show one that was destroyed. */
  private fade(slot: number, why: "fog" | "dead"): void {
    const { world, info } = this.state;
    const row = this.rowOf(slot);
    const type = typeOf(info.rules, world.type[slot]);
    if (why === "dead" || row < 0 || type.class === "projectile") return;
    const f = this.fading.begin(this.now());
    f.type = world.type[slot];
    f.owner = colorIndex(world.owner[slot]);
    f.x = this.poses.x[row];
    f.z = this.poses.z[row];
    f.y = this.ground.floor(f.x, f.z) + hoverOf(type);
    f.facing = this.poses.facing[row];
    f.aim = this.aim[slot];
    f.built = this.builtOf(slot);
  }

  /** Turns a turret towards the last shot's place, and back after a while. */
  private turnAim(s: number, x: number, z: number, facing: number, nowMs: number, dtMs: number): number {
    const { world } = this.state;
    let want = 0;
    if (nowMs - world.shotMs[s] < AIM_KEPT_MS && world.aimX[s] !== 0) {
      want = turn(facing, Math.atan2(world.aimZ[s] - z, world.aimX[s] - x));
    }
    const step = (AIM_RATE * dtMs) / 1000;
    this.aim[s] += Math.max(-step, Math.min(step, turn(this.aim[s], want)));
    return this.aim[s];
  }

  /** Whether an entity belongs to the team, or to any player when all teams are seen. */
  private allied(slot: number): boolean {
    const { world, info } = this.state;
    const owner = world.owner[slot];
    if (colorIndex(owner) === NEUTRAL_INDEX) return false;
    return info.team === ALL_TEAMS || info.players[owner]?.team === info.team;
  }
}
