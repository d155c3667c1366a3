// How projectiles are drawn on their way. Lobbed projectiles rise in an arc; bouncing, piercing and steered projectiles trail a streak.
// The pieces of a projectile that splits burst from its last place, at its height.
// That follows from the rules and from the seen part of the flight: the server sends neither where a projectile of others comes
// from nor where it comes down. So the arc of a shot of others ends at the first foe in its way, or at the weapon's range.

import type { DrawnShot, MatchState, PoseColumns } from "@fogkeep/client";
import type { RowGrid } from "./rowgrid";
import type { Billboards, ColorBytes } from "./sprites";

/** A gun as near as this to the first place of a flight, in tiles, has fired it. */
const GUN_TILES = 1.6;
/** A foe so far beside the line of flight is in its way. */
const ASIDE_TILES = 0.8;
/** Points of a streak, and how far apart they are at least. */
const POINTS = 12;
const APART_TILES = 0.12;
/** As near as this to the end of a projectile, in tiles, its pieces are drawn first. They come down on their first tiles. */
const PIECE_TILES = 2;
const FALL_TILES = 1.5;
/** Splits whose pieces are to come. */
const SPLITS_MAX = 16;

interface Flight {
  readonly fromX: number;
  readonly fromZ: number;
  /** Length of the arc, and its share before the first seen place. */
  readonly whole: number;
  readonly before: number;
  readonly peak: number;
  /** Of a piece: how high the projectile was that split. */
  readonly fall: number;
  /** x, y, z of the latest places, the newest last. */
  readonly points: number[];
}

/** The end of a projectile that split. */
interface Split {
  readonly tick: number;
  readonly owner: number;
  readonly x: number;
  readonly z: number;
  readonly height: number;
}

export class Flights {
  private readonly flights = new Map<number, Flight>();
  /** Of each type: the first weapon whose projectile it is. */
  private readonly weapons: readonly (MatchState["info"]["rules"]["weapons"][number] | undefined)[];
  private readonly off: () => void;
  private readonly splits: Split[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly poses: PoseColumns,
    private readonly grid: RowGrid,
  ) {
    const { types, weapons } = state.info.rules;
    this.weapons = types.map((t) => weapons.find((w) => w.projectile && w.projectileType === t.id));
    this.off = state.events.on("leave", (e) => {
      const { world } = state;
      if (e.why === "dead" && this.weapons[world.type[e.slot]]?.splits) {
        const x = world.posX(e.slot) / 1024;
        const z = world.posY(e.slot) / 1024;
        const f = this.flights.get(e.id);
        const height = f ? rise(f, x, z) : 0;
        this.splits.push({ tick: world.tick, owner: world.owner[e.slot], x, z, height });
        if (this.splits.length > SPLITS_MAX) this.splits.shift();
      }
      this.flights.delete(e.id);
    });
  }

  dispose(): void {
    this.off();
  }

  /** How high a projectile is over its line, in tiles. */
  height(slot: number, row: number): number {
    const lobbed = this.weapons[this.state.world.type[slot]]?.lob;
    const f = lobbed || this.splitOf(slot, row) ? this.of(slot, row) : null;
    return f ? rise(f, this.poses.x[row], this.poses.z[row]) : 0;
  }

  /** The same of a shot that the server has not told of yet. */
  heightOf(s: DrawnShot): number {
    const weapon = this.weapons[s.type];
    if (!weapon?.lob) return 0;
    const whole = Math.max(0.1, Math.hypot(s.aimX - s.fromX, s.aimZ - s.fromZ));
    const share = Math.min(1, Math.hypot(s.x - s.fromX, s.z - s.fromZ) / whole);
    return ((4 * weapon.lob * whole) / weapon.range) * share * (1 - share);
  }

  /** Adds a piece's burst, `px` in size, and the streak behind a projectile, through the places where it was drawn. */
  trail(slot: number, row: number, y: number, px: number, billboards: Billboards, color: ColorBytes): void {
    const weapon = this.weapons[this.state.world.type[slot]];
    const f = this.splitOf(slot, row) && this.of(slot, row);
    if (f) {
      const { fromX, fromZ } = f;
      const left = 1 - Math.hypot(this.poses.x[row] - fromX, this.poses.z[row] - fromZ) / FALL_TILES;
      const top = y + f.fall * (1 - left);
      if (left > 0) {
        billboards.spark(fromX, top, fromZ, px * (1 + 2 * left), color, left);
        billboards.line(
          "tracer",
          fromX,
          top,
          fromZ,
          this.poses.x[row],
          y,
          this.poses.z[row],
          1.6,
          color,
          left,
        );
      }
    }
    if (!weapon || weapon.bounces + weapon.pierces + Number(weapon.steered) === 0) return;
    const { points } = this.of(slot, row);
    const x = this.poses.x[row];
    const z = this.poses.z[row];
    const n = points.length;
    if (n === 0 || Math.hypot(x - points[n - 3], z - points[n - 1]) > APART_TILES) points.push(x, y, z);
    if (points.length > 3 * POINTS) points.splice(0, 3);
    for (let k = 3; k < points.length; k += 3) {
      const [ax, ay, az, bx, by, bz] = points.slice(k - 3, k + 3);
      billboards.line("tracer", ax, ay, az, bx, by, bz, 1.6, color, (0.7 * k) / points.length);
    }
  }

  /** The split that made a projectile. */
  private splitOf(slot: number, row: number): Split | undefined {
    const { enterTick, owner } = this.state.world;
    return this.splits.find(
      (s) =>
        s.tick === enterTick[slot] &&
        s.owner === owner[slot] &&
        Math.hypot(s.x - this.poses.x[row], s.z - this.poses.z[row]) < PIECE_TILES,
    );
  }

  private of(slot: number, row: number): Flight {
    const id = this.state.world.ids[slot];
    const known = this.flights.get(id);
    if (known) return known;
    const f = this.begin(slot, row);
    this.flights.set(id, f);
    return f;
  }

  private begin(slot: number, row: number): Flight {
    const { world, info, shots } = this.state;
    const { poses, grid } = this;
    const weapon = this.weapons[world.type[slot]];
    const range = Math.max(0.1, (weapon?.range ?? 0) / 1024);
    const lob = (weapon?.lob ?? 0) / 1024;
    const own = shots.drawnShot(world.ids[slot]);
    if (own) {
      const whole = Math.max(0.1, Math.hypot(own.aimX - own.fromX, own.aimZ - own.fromZ));
      const peak = (lob * whole) / range;
      return { fromX: own.fromX, fromZ: own.fromZ, whole, before: 0, peak, fall: 0, points: [] };
    }
    const fromX = poses.x[row];
    const fromZ = poses.z[row];
    const split = this.splitOf(slot, row);
    if (split)
      return {
        fromX: split.x,
        fromZ: split.z,
        whole: range,
        before: 0,
        peak: 0,
        fall: split.height,
        points: [],
      };
    const speed = Math.hypot(world.velocityX(slot), world.velocityY(slot)) || 1;
    const ux = world.velocityX(slot) / speed;
    const uz = world.velocityY(slot) / speed;
    const owner = world.owner[slot];
    const team = info.players[owner]?.team;
    let fired = false;
    let end = Number.POSITIVE_INFINITY;
    const n = grid.inRect(fromX - range, fromZ - range, fromX + range, fromZ + range);
    for (let k = 0; k < n; k++) {
      const o = poses.slot[grid.found[k]];
      const type = info.rules.types[world.type[o]];
      if (!type || type.class === "projectile" || type.class === "resource") continue;
      const dx = poses.x[grid.found[k]] - fromX;
      const dz = poses.z[grid.found[k]] - fromZ;
      if (world.owner[o] === owner && type.weapons.length > 0 && Math.hypot(dx, dz) < GUN_TILES) fired = true;
      const along = dx * ux + dz * uz;
      const foe = info.players[world.owner[o]];
      if (foe && foe.team !== team && along > 0.5 && Math.abs(dx * uz - dz * ux) < type.radius + ASIDE_TILES)
        end = Math.min(end, along, range);
    }
    const known = Number.isFinite(end);
    if (fired) {
      const whole = known ? end : range;
      return { fromX, fromZ, whole, before: 0, peak: (lob * whole) / range, fall: 0, points: [] };
    }
    return {
      fromX,
      fromZ,
      whole: range,
      before: known ? range - end : range / 2,
      peak: lob,
      fall: 0,
      points: [],
    };
  }
}

/** How high a projectile of a flight is at a place. */
function rise(f: Flight, x: number, z: number): number {
  const way = Math.hypot(x - f.fromX, z - f.fromZ);
  const share = Math.min(1, (f.before + way) / f.whole);
  return 4 * f.peak * share * (1 - share) + f.fall * Math.max(0, 1 - way / FALL_TILES);
}
