// Draws the entities of a match: models, the marks under them, bars and
// emblems over them. Also ghosts, and what fades out when it leaves sight.

import {
  ALL_TEAMS,
  FLAG,
  facingRad,
  type Handle,
  hasState,
  type MatchState,
  PoseColumns,
  type TypeInfo,
  turn,
  typeOf,
} from "@fogkeep/client";
import { barsOf, cssColor, isStirred, shareOf } from "../draw/displays";
import { ACCENT, DANGER, ENERGY, GOOD, SHIELD } from "../draw/palette";
import { Fading } from "./fading";
import type { Flights } from "./flights";
import { GaitColumns } from "./gait";
import type { HeightField } from "./heightfield";
import { glyphOf, ICON_HALF_PX, iconShare, plateOf } from "./icons";
import { LOOK, type Looks } from "./looks";
import { hoverOf, isArea, partOut, radiusOf, topOf } from "./models";
import { colorIndex, NEUTRAL_INDEX, type OwnerColors } from "./ownercolors";
import { RowGrid } from "./rowgrid";
import { type Billboards, type ColorBytes, colorBytes, DECAL, type Decals } from "./sprites";
import { AT, INSTANCE, NUMBERS, type Units } from "./units";
import type { ViewPlanes } from "./viewplanes";

const ENTER_MS = 150;
const HIT_FLASH_MS = 140;
const RECOIL_MS = 280;
/** How far who strikes leans forward, in tiles. */
const LUNGE_TILES = 0.22;
/** A weapon that reaches no further strikes; in world units. */
const STRIKE_WU = 614;
/** The time in which a gate opens. */
const MOVES_MS = 350;
/** A structure built this far stands without a scaffold. */
const FINISHED = 0.97;
const AIM_KEPT_MS = 2500;
/** How fast a turret turns, radians a second. */
const AIM_RATE = 8;
/** Bars, emblems and icons reach so many pixels of the page beyond their entity. */
const BESIDE_PX = 32;
/** The same of a shot that is drawn ahead, and its glow. */
const SHOT_REACH = 4;
/** The distance of a shadow from an object of this height. */
const SHADOW_SHARE = 1.1;

const WHITE = colorBytes("#ffffff");
const BLACK = colorBytes("#000000");
const HEALTHY = colorBytes(GOOD);
const HURT = colorBytes(ACCENT);
const DYING = colorBytes(DANGER);
const SHIELDED = colorBytes(SHIELD);
const CHARGED = colorBytes(ENERGY);

/** The player's selection and pointer. */
export interface Highlights {
  readonly selected: ReadonlySet<Handle>;
  readonly hover: Handle;
  /** Which bars: all, the hurt and the selected, or only the selected. */
  readonly bars: "all" | "hurt" | "selected";
}

/** Places in {@link EntityLayer.at}. */
const FILL = { nowMs: 0, dtMs: 1, px: 2, ratio: 3, floor: 4, y: 5, alpha: 6 } as const;
const FILL_NUMBERS = 7;

/** Rows of poses. */
export interface Rows {
  rows: Uint32Array;
  count: number;
}

/** The facts about a type that each of its entities needs. */
interface Kind {
  readonly type: TypeInfo;
  readonly projectile: boolean;
  readonly area: boolean;
  /** Has a bar and an emblem. */
  readonly overhead: boolean;
  readonly hover: number;
  readonly top: number;
  readonly flies: boolean;
  /** Radius of a ball around its middle with its whole drawing: marks, rings, the bar, the shadow. Tiles. */
  readonly reach: number;
  readonly glyph: number;
}

export class EntityLayer {
  readonly poses = new PoseColumns();
  /** The rows of {@link poses} by their places. */
  readonly grid: RowGrid;
  /** The rows that were in the view in the last frame. */
  readonly shown: Rows = { rows: new Uint32Array(64), count: 0 };
  /** Rows of {@link poses} in use. */
  drawn = 0;
  /** The drawn tick. */
  private tick = 0;
  /** Direction of each entity's turret against its hull. */
  private aim = new Float32Array(256);
  /** How far the moving part of each feature is out. */
  private out = new Float32Array(256);
  private rowOfSlot = new Int32Array(256).fill(-1);
  /** The marks on entities; the renderer sets them before the first frame. */
  looks!: Pick<Looks, "of" | "any">;
  private readonly gait = new GaitColumns();
  private readonly kinds: readonly Kind[];
  /** Bars over entities; those with no colour of their own have the usual one. */
  private readonly bars: readonly {
    readonly of: string;
    readonly when: string;
    readonly color: ColorBytes | null;
  }[];
  /** For entities that the rules do not name. */
  private readonly unknown: Kind;
  /** Of the frame that is filled, and of its present row: numbers that go from function to function as arguments are boxed. */
  private readonly at = new Float64Array(FILL_NUMBERS);
  private readonly instance = new Float64Array(NUMBERS);
  private readonly icon = new Float64Array(5);
  /** Frames filled, and the last one in which each entity was shown. */
  private frame = 0;
  private shownIn = new Uint32Array(256);
  /** Draws only these rows of the world, and neither shots nor ghosts; null: all. */
  only: ((slot: number) => boolean) | null = null;
  /** How far icons have taken the place of units in the last frame, 0 to 1. */
  icons = 0;
  private readonly fading = new Fading();
  /** Of rules with such weapons, once it is loaded. */
  private flights: Flights | null = null;
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
    /** The camera's view; only entities in it are filled. */
    private readonly view: ViewPlanes,
  ) {
    const { rules, map } = state.info;
    this.kinds = rules.types.map((t) => kindOf(t, shadows));
    this.unknown = kindOf(typeOf(rules, -1), shadows);
    this.bars = barsOf(rules).map(({ of, bar, color }) => ({
      of,
      when: bar,
      color: color ? colorBytes(cssColor(color)) : null,
    }));
    this.grid = new RowGrid(map.width, map.height);
    if (rules.weapons.some((w) => w.lob + w.bounces + w.pierces + w.splits > 0 || w.steered))
      void import("./flights").then((m) => {
        this.flights = new m.Flights(state, this.poses, this.grid);
      });
    this.off = state.events.on("leave", (e) => this.fade(e.slot, e.why));
  }

  dispose(): void {
    this.off();
    this.flights?.dispose();
  }

  /** Computes where everything is at a tick (fractions allowed). */
  sample(tick: number, dtMs: number): void {
    this.tick = tick;
    this.drawn = this.state.world.sample(tick, dtMs, this.poses);
    this.state.shots.sample(tick, this.poses, this.drawn);
    this.grid.set(this.poses, this.drawn);
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

  /** The row of {@link poses} in which an entity was drawn last; -1 without one. */
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
    const { world } = this.state;
    const { poses, kinds, ground, shown, at } = this;
    const planes = this.view;
    this.reserve();
    this.rowOfSlot.fill(-1);
    this.icons = iconShare(px);
    this.frame++;
    shown.count = 0;
    at[FILL.nowMs] = nowMs;
    at[FILL.dtMs] = dtMs;
    at[FILL.px] = px;
    at[FILL.ratio] = ratio;
    const beside = BESIDE_PX / px;
    const middle = (ground.lowest + ground.highest) / 2;
    const spread = (ground.highest - ground.lowest) / 2;
    for (let row = 0; row < this.drawn; row++) {
      const s = poses.slot[row];
      this.rowOfSlot[s] = row;
      const kind = kinds[world.type[s]] ?? this.unknown;
      const half = kind.hover + kind.top / 2;
      const reach = kind.reach + beside;
      // Before its ground is looked up, at any height.
      if (!planes.touches(poses.x[row], middle + half, poses.z[row], reach + spread)) continue;
      ground.floorOf(poses.x, poses.z, row, at, FILL.floor);
      const floor = at[FILL.floor];
      if (!planes.touches(poses.x[row], floor + half, poses.z[row], reach)) continue;
      if (this.only?.(s) === false) continue;
      if (kind.projectile && this.early(s)) continue;
      shown.rows[shown.count++] = row;
      if (kind.area) continue;
      at[FILL.y] = floor + kind.hover + (kind.flies ? Math.sin(nowMs / 420 + s) * 0.06 : 0);
      if (kind.projectile) at[FILL.y] += this.flights?.height(s, row) ?? 0;
      this.addRow(row, s, kind, view);
    }
    if (!this.only) {
      this.addShots(px * ratio);
      this.addGhosts(view);
    }
    this.fading.draw(nowMs, this.units, planes);
  }

  /** Adds all that is drawn of an entity. */
  private addRow(row: number, s: number, kind: Kind, view: Highlights): void {
    const { at, poses } = this;
    const alpha = Math.min(1, (at[FILL.nowMs] - this.state.world.enterMs[s]) / ENTER_MS);
    const icon = kind.glyph >= 0 ? this.icons : 0;
    if (icon > 0) {
      at[FILL.alpha] = alpha * icon;
      this.addIcon(row, kind, view);
    }
    if (icon < 1) {
      at[FILL.alpha] = alpha * (1 - icon);
      this.addModel(row, kind, view);
    }
    this.shownIn[s] = this.frame;
    if (kind.projectile) {
      const size = at[FILL.px] * 0.35 * at[FILL.ratio];
      this.billboards.spark(poses.x[row], at[FILL.y], poses.z[row], size, HURT, 0.8);
      this.flights?.trail(s, row, at[FILL.y], size, this.billboards, HURT);
    } else if (icon < 1) this.addMarks(row, kind, view);
    if (kind.overhead && alpha > 0.5) this.addOverhead(row, kind, view);
  }

  /** Makes room for all rows of the world. */
  private reserve(): void {
    const { length } = this.state.world.ids;
    if (this.rowOfSlot.length < length) {
      this.rowOfSlot = new Int32Array(length);
      const aim = new Float32Array(length);
      aim.set(this.aim);
      this.aim = aim;
      const out = new Float32Array(length);
      out.set(this.out);
      this.out = out;
      const shownIn = new Uint32Array(length);
      shownIn.set(this.shownIn);
      this.shownIn = shownIn;
    }
    if (this.shown.rows.length < this.drawn) this.shown.rows = new Uint32Array(2 * this.drawn);
    this.gait.reserve(length);
  }

  /** Whether a projectile is not to be drawn yet: the drawn tick is older than its start, so it would be behind its
   * gun. */
  private early(slot: number): boolean {
    const { world, shots } = this.state;
    return world.enterTick[slot] > this.tick && !shots.glides(world.ids[slot]);
  }

  private addModel(row: number, kind: Kind, view: Highlights): void {
    const { world } = this.state;
    const { poses, at, gait, looks, instance: one } = this;
    const { type } = kind;
    const s = poses.slot[row];
    const batch = this.units.batches[world.type[s]];
    if (!batch) return;
    const id = world.ids[s];
    const nowMs = at[FILL.nowMs];
    let state = this.allied(s) ? INSTANCE.own : 0;
    if (view.hover === id) state |= INSTANCE.hover;
    if (view.selected.has(id)) state |= INSTANCE.selected;
    if (world.flags[s] & FLAG.cloaked) state |= INSTANCE.cloaked;
    one[AT.unfolded] = 0;
    if (looks.any(s)) {
      if (looks.of(s, LOOK.rage) > 0.3) state |= INSTANCE.raging;
      if (looks.of(s, LOOK.burning) > 0.3) state |= INSTANCE.burning;
      if (looks.of(s, LOOK.slowed) > 0.3) state |= INSTANCE.slowed;
      one[AT.unfolded] = looks.of(s, LOOK.deploy);
    }
    if (hasState(type)) one[AT.unfolded] = this.moveOut(s, type);
    this.turnAim(s, row);
    one[AT.x] = poses.x[row];
    one[AT.y] = at[FILL.y];
    one[AT.z] = poses.z[row];
    one[AT.facing] = poses.facing[row];
    one[AT.aim] = this.aim[s];
    one[AT.built] = world.flags[s] & FLAG.building ? this.builtOf(s) : 1;
    one[AT.owner] = colorIndex(world.owner[s]);
    one[AT.alpha] = at[FILL.alpha];
    one[AT.flash] = Math.max(0, 1 - (nowMs - world.hitMs[s]) / HIT_FLASH_MS);
    one[AT.state] = state;
    const recoil = Math.max(0, 1 - (nowMs - world.shotMs[s]) / RECOIL_MS);
    one[AT.recoil] = recoil * recoil;
    if (type.class === "unit") {
      gait.step(s, id, poses, row, type, at[FILL.dtMs]);
      if (recoil > 0 && this.strikes(type)) {
        one[AT.x] += Math.cos(one[AT.facing]) * LUNGE_TILES * one[AT.recoil];
        one[AT.z] += Math.sin(one[AT.facing]) * LUNGE_TILES * one[AT.recoil];
        one[AT.recoil] = 0;
      }
      one[AT.y] += gait.bob(s);
    }
    batch.add(one);
    batch.move(gait, s, one);
    if (one[AT.built] < FINISHED) this.addScaffold(world.type[s]);
  }

  /** Moves the part of a feature towards its state, and returns how far it is out. */
  private moveOut(s: number, type: TypeInfo): number {
    const { world } = this.state;
    const want = world.flags[s] & FLAG.building ? 1 : partOut(type, world.amount[s]);
    // It has moved meanwhile if it was out of the view.
    const step = this.shownIn[s] === this.frame - 1 ? this.at[FILL.dtMs] / MOVES_MS : 1;
    this.out[s] += Math.max(-step, Math.min(step, want - this.out[s]));
    return this.out[s];
  }

  /** Puts a scaffold around the instance that was added last. */
  private addScaffold(type: number): void {
    const one = this.instance;
    const built = one[AT.built];
    one[AT.aim] = 0;
    one[AT.built] = Math.min(1, built + 0.22);
    one[AT.alpha] *= Math.min(1, (FINISHED - built) * 8);
    one[AT.flash] = 0;
    one[AT.state] &= ~INSTANCE.hover;
    one[AT.unfolded] = 0;
    this.units.scaffolds[type]?.add(one);
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
  private addIcon(row: number, kind: Kind, view: Highlights): void {
    const { world, info } = this.state;
    const { poses } = this;
    const s = poses.slot[row];
    const id = world.ids[s];
    const owner = world.owner[s];
    const marked = view.selected.has(id) || view.hover === id;
    const own = owner === info.slot && !info.spectator;
    const plate = plateOf(own, this.allied(s), info.team === ALL_TEAMS, info.players[owner]?.team ?? 0);
    const { at, icon } = this;
    icon[0] = poses.x[row];
    icon[1] = at[FILL.y] + kind.top * 0.4; // where a click finds it
    icon[2] = poses.z[row];
    icon[3] = ICON_HALF_PX * at[FILL.ratio] * (kind.type.worker ? 0.8 : 1);
    icon[4] = at[FILL.alpha] * (world.flags[s] & FLAG.cloaked ? 0.6 : 1);
    this.billboards.icon(icon, kind.glyph, plate, marked, this.colors.bytesOf(owner));
  }

  /** The shadow under an entity, and the ring of the selection. */
  private addMarks(row: number, { type }: Kind, view: Highlights): void {
    const { world } = this.state;
    const { decals, poses, at } = this;
    const floor = at[FILL.floor];
    const s = poses.slot[row];
    const x = poses.x[row];
    const z = poses.z[row];
    const r = radiusOf(type);
    if (!this.shadows && type.feature !== "bridge" && type.feature !== "flood") {
      // The light comes from the upper left: shadows lie a little to the lower right.
      const dark = type.class === "unit" ? 0.5 * at[FILL.alpha] : 0.42;
      decals.push(DECAL.blob, x + 0.1, floor, z + 0.12, r * 1.3, 0, BLACK, dark, 0, !this.allied(s));
    }
    if (type.class === "resource") return;
    if (view.selected.has(world.ids[s])) {
      const color = world.owner[s] === this.state.info.slot ? HEALTHY : this.colors.bytesOf(world.owner[s]);
      decals.push(DECAL.ring, x, floor, z, r * 1.22, 0.07, color, 0.95);
    } else if (view.hover === world.ids[s]) decals.push(DECAL.ring, x, floor, z, r * 1.22, 0.05, WHITE, 0.7);
  }

  /** The emblem and the health bar over an entity. */
  private addOverhead(row: number, { type, top: height }: Kind, view: Highlights): void {
    const { world, info } = this.state;
    const { billboards, poses, at } = this;
    const top = at[FILL.y] + height;
    const ratio = at[FILL.ratio];
    const s = poses.slot[row];
    const id = world.ids[s];
    const owner = world.owner[s];
    const x = poses.x[row];
    const z = poses.z[row];
    const player = info.players[owner];
    if (player && type.class === "structure")
      billboards.emblem(x, top + 0.5, z, 7 * ratio, player.color, this.colors.bytesOf(owner), 0.95);
    const marked = view.selected.has(id) || view.hover === id;
    const half = Math.max(9, Math.min(70, at[FILL.px] * radiusOf(type) * 0.95)) * ratio;
    const high = Math.max(2, 2.5 * ratio);
    if (
      type.class === "structure" &&
      world.amount[s] > 0 &&
      !hasState(type) &&
      !(world.flags[s] & FLAG.building)
    )
      billboards.bar(x, top + 0.12, z, world.amount[s] / 255, half, high, WHITE, 1, -2 * high);
    // Over icons there is room for few bars.
    if (!marked && type.class === "unit" && this.icons > 0.5) return;
    let set = marked || view.bars === "all";
    if (!set && view.bars === "hurt")
      for (const b of this.bars) set ||= b.when === "setting" && isStirred(this.state, s, b.of);
    let up = 0;
    for (const { of, when, color } of this.bars) {
      if (!marked && when !== "always" && !(when === "setting" && set)) continue;
      const share = shareOf(this.state, s, of);
      if (share < 0) continue;
      billboards.bar(x, top + 0.12, z, share, half, high, color ?? this.usualColor(s, of, share), 1, up);
      up += 2 * high;
    }
  }

  /** The colour of a bar for which the rules have none: health says by it how much is left. */
  private usualColor(s: number, of: string, share: number): ColorBytes {
    if (of === "shield") return SHIELDED;
    if (of !== "health") return CHARGED;
    return !this.allied(s) || share <= 0.3 ? DYING : share > 0.6 ? HEALTHY : HURT;
  }

  /** Shots that the server has not told of: the glow of a wind-up, and projectiles. */
  private addShots(px: number): void {
    const { state, units, billboards } = this;
    if (state.shots.size === 0) return;
    for (const s of state.shots.values()) {
      if (s.phase === "glide" || s.phase === "steer") continue; // the entity is drawn
      const floor = this.ground.floor(s.x, s.z);
      if (!this.view.touches(s.x, floor + 1, s.z, SHOT_REACH)) continue;
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
      const y = floor + hoverOf(typeOf(state.info.rules, s.type)) + (this.flights?.heightOf(s) ?? 0);
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
      const kind = this.kinds[g.type] ?? this.unknown;
      if (!this.view.touches(x, y + kind.top / 2, z, kind.reach)) continue;
      const owner = colorIndex(g.owner);
      const out = partOut(kind.type, g.amount);
      this.units.batches[g.type]?.push(x, y, z, facingRad(g.facing), 0, 1, owner, 1, 0, state, out);
    }
  }

  /** An entity that left sight fades where it was; effects show a destroyed one. */
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
  private turnAim(s: number, row: number): void {
    const { world } = this.state;
    const { poses, at, aim } = this;
    let want = 0;
    if (at[FILL.nowMs] - world.shotMs[s] < AIM_KEPT_MS && world.aimX[s] !== 0) {
      const way = Math.atan2(world.aimZ[s] - poses.z[row], world.aimX[s] - poses.x[row]);
      want = turn(poses.facing[row], way);
    } else if (aim[s] === 0) return;
    // Turrets out of the view have turned meanwhile.
    const step = this.shownIn[s] === this.frame - 1 ? (AIM_RATE * at[FILL.dtMs]) / 1000 : 2 * Math.PI;
    aim[s] += Math.max(-step, Math.min(step, turn(aim[s], want)));
  }

  /** Whether an entity belongs to the team, or to any player when all teams are seen. */
  private allied(slot: number): boolean {
    const { world, info } = this.state;
    const owner = world.owner[slot];
    if (colorIndex(owner) === NEUTRAL_INDEX) return false;
    return info.team === ALL_TEAMS || info.players[owner]?.team === info.team;
  }
}

function kindOf(type: TypeInfo, shadows: boolean): Kind {
  const hover = hoverOf(type);
  const top = topOf(type);
  return {
    type,
    projectile: type.class === "projectile",
    area: isArea(type),
    overhead: type.class === "unit" || type.class === "structure",
    hover,
    top,
    flies: type.moveKind === 3,
    // Rings of abilities are 2.6 radii wide; what hovers has its marks on the ground below it.
    reach:
      Math.max(radiusOf(type) * 2.6, top / 2) + hover + 0.6 + (shadows ? SHADOW_SHARE * (hover + top) : 0),
    glyph: glyphOf(type),
  };
}
