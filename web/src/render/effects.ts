// Short effects: shots, hits, explosions with smoke and pieces, the ring of an
// order. They are columns of a fixed size: a battle does not allocate here.

import { FLAG, type MatchState, type PingName, type Shot, type TypeInfo, typeOf } from "@fogkeep/client";
import { hash01 } from "../draw/hash";
import { DANGER, GOOD, PINGS } from "../draw/palette";
import { weaponSort } from "../draw/weapon";
import {
  billowsOf,
  onWater,
  plumeOf,
  shardsOf,
  sizeOfDeath,
  sizeOfProjectile,
  sizeOfWeapon,
  smokesOf,
} from "./blast";
import type { EntityLayer } from "./entities";
import type { HeightField } from "./heightfield";
import { Marks } from "./marks";
import { hoverOf, scaleOf, topOf } from "./models";
import { type Billboards, type ColorBytes, colorBytes, DECAL, type Decals } from "./sprites";
import type { ViewPlanes } from "./viewplanes";

const KIND = {
  tracer: 1,
  muzzle: 2,
  hit: 3,
  shard: 4,
  flash: 5,
  order: 6,
  ping: 7,
  puff: 8,
  fire: 9,
  smoke: 10,
  shock: 11,
  slash: 12,
} as const;
const POOL = 768;
const PING_MS = 3500;
/** No effect but a tracer reaches further from where it began, in tiles. */
const REACH = 8;
/** The wind that smoke drifts with, tiles a second. */
const WIND_X = 0.34;
const WIND_Z = -0.12;
/** A structure smokes below this share of its health, and burns below a lower one. */
const SMOKING = 0.66;
const BURNING = 0.33;
/** Damage of a shot whose muzzle smokes. */
const LARGE_GUN = 40;

const FIRE = colorBytes("#ffbf66");
const EMBER = colorBytes("#ffa23d");
const HOT = colorBytes("#ffe9b8");
const BOLT = colorBytes("#a8dcff");
const DUST = colorBytes("#8b7f69");
const SMOKE = colorBytes("#4a4846");
const SPARKS = colorBytes("#ffe7a8");
const GUN_SMOKE = colorBytes("#9a9ca0");
const BLACK = colorBytes("#0c0d0f");
const SHARD = colorBytes("#6d7278");
const SPRAY = colorBytes("#cfe6f2");
const STEEL = colorBytes("#eef4ff");
const GO = colorBytes(GOOD);
const FIGHT = colorBytes(DANGER);
const PING_BYTES = {
  look: colorBytes(PINGS.look.color),
  danger: colorBytes(PINGS.danger.color),
  help: colorBytes(PINGS.help.color),
};

/** How much of an effect a quality draws. */
export interface EffectTraits {
  /** Share of the clouds and pieces of an explosion. */
  readonly particles: number;
  /** The most marks on the ground. */
  readonly marks: number;
  /** The most structures that smoke as they are damaged, and units that raise dust. */
  readonly trails: number;
}

export class Effects {
  private readonly kind = new Uint8Array(POOL);
  private readonly start = new Float64Array(POOL);
  private readonly life = new Float32Array(POOL);
  /** x, y, z, then six more as the kind needs. */
  private readonly data = new Float32Array(POOL * 9);
  private readonly color: ColorBytes[] = new Array(POOL).fill(FIRE);
  private next = 0;
  /** Of the pieces of explosions, so that no two look alike. */
  private seed = 0;
  private readonly marks: Marks;
  private readonly off: (() => void)[] = [];
  /** Sparks, smoke and pieces are left out. */
  reducedMotion = false;
  /** Shots that were shown: muzzle flashes that began. */
  muzzles = 0;

  constructor(
    private readonly state: MatchState,
    private readonly ground: HeightField,
    private readonly now: () => number,
    private readonly entities: Pick<EntityLayer, "place" | "poses" | "rowOf" | "shown" | "grid">,
    /** The camera's view; things outside are not drawn. */
    private readonly view: ViewPlanes,
    private readonly colorOf: (owner: number) => ColorBytes,
    private readonly traits: EffectTraits,
  ) {
    const { events, info } = state;
    this.marks = new Marks(ground, BLACK, traits.marks);
    this.off.push(
      events.on("shot", (e) => this.shot(e)),
      events.on("hit", (e) => this.hit(e.x / 1024, e.y / 1024, 0.34, 0)),
      events.on("blast", (e) => {
        // A shooter in sight is named; for another the weapon is sent.
        const slot = state.world.slot(e.source);
        const { rules } = info;
        const size =
          slot >= 0 ? sizeOfProjectile(rules, state.world.type[slot]) : sizeOfWeapon(rules, e.what);
        this.explode(e.x / 1024, e.y / 1024, 0, size, null);
      }),
      events.on("built", (e) => this.dust(e.x / 1024, e.y / 1024, 7)),
      events.on("leave", (e) => {
        if (e.why === "dead") this.death(e.slot);
      }),
      events.on("ping", (e) => this.ping(e.kind, e.x / 1024, e.y / 1024)),
    );
  }

  dispose(): void {
    for (const f of this.off) f();
  }

  /** The ring where an order was given. */
  orderRing(x: number, z: number, hostile: boolean): void {
    this.add(KIND.order, 420, x, this.ground.floor(x, z), z, hostile ? FIGHT : GO);
  }

  /** A ring that shrinks to the point, with the ping's emblem above it. */
  ping(kind: PingName, x: number, z: number): void {
    const i = this.add(KIND.ping, PING_MS, x, this.ground.floor(x, z), z, PING_BYTES[kind]);
    this.data[9 * i + 3] = PINGS[kind].emblem;
  }

  /** Draws the effects of this moment. */
  draw(nowMs: number, decals: Decals, billboards: Billboards, pxPerTile: number): void {
    this.marks.draw(nowMs, decals, this.view);
    if (!this.reducedMotion) this.trails(nowMs, billboards, pxPerTile);
    for (let i = 0; i < POOL; i++) {
      if (this.kind[i] === 0) continue;
      const t = (nowMs - this.start[i]) / this.life[i];
      if (t >= 1) {
        this.kind[i] = 0;
        continue;
      }
      if (t >= 0 && this.touches(i)) this.drawOne(i, t, decals, billboards, pxPerTile);
    }
  }

  /** Whether an effect may be in the view. */
  private touches(i: number): boolean {
    const d = this.data;
    const o = 9 * i;
    let reach = REACH;
    if (this.kind[i] === KIND.tracer) reach += Math.abs(d[o + 3] - d[o]) + Math.abs(d[o + 5] - d[o + 2]);
    return this.view.touches(d[o], d[o + 1], d[o + 2], reach);
  }

  /** Smoke over damaged structures and dust behind what drives. It follows from the time alone, and needs no pool. */
  private trails(nowMs: number, billboards: Billboards, px: number): void {
    const { world, info } = this.state;
    const { poses, shown } = this.entities;
    let left = this.traits.trails;
    for (let k = 0; k < shown.count && left > 0; k++) {
      const s = poses.slot[shown.rows[k]];
      const type = typeOf(info.rules, world.type[s]);
      if (type.class === "structure") {
        if (world.hpMax[s] === 0) continue; // in the scene behind the title nothing has health
        const share = world.hp(s) / world.hpMax[s];
        if (share >= SMOKING || world.flags[s] & FLAG.building) continue;
        left--;
        this.smoulder(s, type, share, nowMs, billboards, px);
      } else if (type.class === "unit" && type.moveKind === 0 && world.moving(s) && px > 20) {
        left--;
        this.driveDust(s, type.radius, nowMs, billboards, px);
      } else if (world.flags[s] & FLAG.repairing) {
        left--;
        this.weld(s, poses.facing[shown.rows[k]], type.radius, nowMs, billboards, px);
      }
    }
  }

  private smoulder(
    slot: number,
    type: TypeInfo,
    share: number,
    nowMs: number,
    billboards: Billboards,
    px: number,
  ): void {
    const { x, z } = this.entities.place(slot);
    // The server sends landmarks out of sight too: there they do not smoke.
    if (!this.state.mask.visibleAt(Math.floor(x), Math.floor(z))) return;
    const y = this.ground.floor(x, z) + topOf(type) * 0.55;
    const bad = 1 - share / SMOKING;
    const wide = type.footprint * 0.22;
    for (let k = 0; k < 4; k++) {
      const t = (nowMs / 2600 + k / 4 + slot * 0.37) % 1;
      const from = hash01(slot, k, 3) * 6.28;
      billboards.billow(
        x + Math.cos(from) * wide + WIND_X * 2.6 * t,
        y + 1.5 * t,
        z + Math.sin(from) * wide + WIND_Z * 2.6 * t,
        px * (0.16 + 0.09 * type.footprint) * (0.5 + 0.9 * t),
        0,
        from + slot,
        SMOKE,
        (0.3 + 0.45 * bad) * Math.min(1, t * 6) * (1 - t),
      );
    }
    if (share >= BURNING) return;
    for (let k = 0; k < 3; k++) {
      const from = hash01(slot, k, 4) * 6.28;
      const size = px * (0.18 + 0.05 * type.footprint);
      billboards.flame(x + Math.cos(from) * wide, y, z + Math.sin(from) * wide, size, slot + k, FIRE, 0.9);
    }
  }

  private driveDust(slot: number, radius: number, nowMs: number, billboards: Billboards, px: number): void {
    const { x, z } = this.entities.place(slot);
    const { world, mask } = this.state;
    if (onWater(this.ground, x, z) || !mask.visibleAt(Math.floor(x), Math.floor(z))) return;
    const l = Math.hypot(world.velocityX(slot), world.velocityY(slot)) || 1;
    const dx = world.velocityX(slot) / l;
    const dz = world.velocityY(slot) / l;
    const y = this.ground.floor(x, z) + 0.08;
    for (let k = 0; k < 2; k++) {
      const t = (nowMs / 620 + k / 2 + slot * 0.31) % 1;
      const back = radius + t * 0.7;
      const side = (k - 0.5) * radius * 1.2;
      billboards.billow(
        x - dx * back - dz * side,
        y + 0.16 * t,
        z - dz * back + dx * side,
        px * radius * (0.35 + 0.6 * t),
        0,
        slot + k,
        DUST,
        0.3 * Math.min(1, t * 6) * (1 - t),
      );
    }
  }

  /** Sparks in front of a unit that repairs. */
  private weld(
    slot: number,
    facing: number,
    radius: number,
    nowMs: number,
    billboards: Billboards,
    px: number,
  ): void {
    const { x, z } = this.entities.place(slot);
    const y = this.ground.floor(x, z) + 0.35;
    for (let k = 0; k < 5; k++) {
      const t = (nowMs / 340 + k / 5 + slot * 0.23) % 1;
      const turn = facing + (hash01(slot, k, Math.floor(nowMs / 340 + k / 5)) - 0.5) * 1.8;
      const far = radius * 1.3 + 0.35 * t;
      billboards.spark(
        x + Math.cos(turn) * far,
        y + 0.5 * t * (1 - t),
        z + Math.sin(turn) * far,
        px * 0.09 * (1 - 0.6 * t),
        SPARKS,
        1 - t,
      );
    }
  }

  private drawOne(i: number, t: number, decals: Decals, billboards: Billboards, px: number): void {
    const d = this.data;
    const o = 9 * i;
    const x = d[o];
    const y = d[o + 1];
    const z = d[o + 2];
    const c = this.color[i];
    switch (this.kind[i]) {
      case KIND.tracer: {
        const a = Math.max(0, t * 1.6 - 0.6);
        const b = Math.min(1, t * 1.6);
        const tx = d[o + 3] - x;
        const ty = d[o + 4] - y;
        const tz = d[o + 5] - z;
        billboards.line(
          "tracer",
          x + tx * a,
          y + ty * a,
          z + tz * a,
          x + tx * b,
          y + ty * b,
          z + tz * b,
          1.8,
          c,
          1 - t * 0.4,
        );
        return;
      }
      case KIND.muzzle: {
        // A tongue of fire out of the barrel, so that it does not lie over the unit.
        const size = d[o + 5] * (1 - t * 0.4);
        billboards.line(
          "jet",
          x,
          y,
          z,
          x + d[o + 3] * size * 2.1,
          y,
          z + d[o + 4] * size * 2.1,
          px * size * 0.42,
          c,
          1 - t * t,
        );
        if (size > 0.28)
          decals.push(DECAL.blob, x, this.ground.floor(x, z), z, size * 3, 0, FIRE, 0.2 * (1 - t));
        return;
      }
      case KIND.slash: {
        const a = -0.9 + 1.8 * t;
        const r = d[o + 5];
        const ax = x + (d[o + 3] * Math.cos(a) - d[o + 4] * Math.sin(a)) * r;
        const az = z + (d[o + 4] * Math.cos(a) + d[o + 3] * Math.sin(a)) * r;
        billboards.line("tracer", x, y, z, ax, y + 0.1, az, 2.4, c, 0.9 * (1 - t));
        return;
      }
      case KIND.hit:
        billboards.spark(x, y, z, px * d[o + 3] * (0.5 + t), c, 0.85 * (1 - t));
        return;
      case KIND.flash:
        billboards.spark(x, y, z, px * d[o + 3] * (0.9 + 0.4 * t), c, 0.9 * (1 - t));
        decals.push(DECAL.blob, x, d[o + 4], z, d[o + 3] * 1.7, 0, FIRE, 0.32 * (1 - t));
        return;
      case KIND.shock:
        decals.push(
          DECAL.ring,
          x,
          y,
          z,
          d[o + 3] * Math.sqrt(t),
          d[o + 4] * (1 - t) + 0.02,
          c,
          d[o + 5] * (1 - t),
        );
        return;
      case KIND.fire: {
        const s = (this.life[i] * t) / 1000;
        const size = d[o + 3] * (0.75 + 0.5 * t);
        const heat = Math.max(0, 1 - t * 1.35);
        billboards.billow(
          x + d[o + 5] * s,
          y + d[o + 4] * s,
          z + d[o + 6] * s,
          px * size,
          heat,
          d[o + 7],
          c,
          t < 0.5 ? 0.95 : 1.9 * (1 - t),
        );
        return;
      }
      case KIND.smoke: {
        const s = (this.life[i] * t) / 1000;
        const sx = x + (d[o + 5] + WIND_X) * s;
        const sz = z + (d[o + 6] + WIND_Z) * s;
        // It drifts: over ground that is not visible it is not drawn.
        if (!this.state.mask.visibleAt(Math.floor(sx), Math.floor(sz))) return;
        const size = d[o + 3] * (0.55 + 0.75 * Math.sqrt(t));
        const alpha = d[o + 8] * Math.min(1, t * 8) * (1 - t);
        billboards.billow(sx, y + d[o + 4] * s, sz, px * size, 0, d[o + 7], c, alpha);
        return;
      }
      case KIND.shard: {
        const s = (this.life[i] * t) / 1000;
        const sx = x + d[o + 3] * s;
        const sz = z + d[o + 5] * s;
        const floor = this.ground.floor(sx, sz) + 0.05;
        const sy = Math.max(floor, y + d[o + 4] * s - 5.5 * s * s);
        const before = Math.max(0, s - 0.05);
        const by = Math.max(floor, y + d[o + 4] * before - 5.5 * before * before);
        billboards.line(
          "plain",
          x + d[o + 3] * before,
          by,
          z + d[o + 5] * before,
          sx,
          sy + 0.02,
          sz,
          Math.max(1, px * d[o + 6]),
          c,
          1 - t * t,
        );
        return;
      }
      case KIND.order: {
        const r = 0.75 * (1 - t) + 0.12;
        decals.push(DECAL.ring, x, y, z, r, 0.09, c, 1 - t * t);
        decals.push(DECAL.disc, x, y, z, 0.12, 0, c, 1 - t);
        return;
      }
      case KIND.ping: {
        const r = 0.6 + 5 * Math.max(0, 1 - t * 3.2);
        decals.push(DECAL.ring, x, y, z, r, 0.16, c, Math.min(1, (1 - t) * 3));
        if (t > 0.3) decals.push(DECAL.ring, x, y, z, 0.6 + ((t * 5) % 1) * 1.4, 0.1, c, 1 - ((t * 5) % 1));
        billboards.emblem(x, y + 1.6, z, Math.max(8, px * 0.4), d[o + 3], c, Math.min(1, (1 - t) * 3));
        return;
      }
      case KIND.puff:
        billboards.billow(
          x + d[o + 3] * t,
          y + 0.5 * t,
          z + d[o + 5] * t,
          px * (0.25 + 0.5 * t),
          0,
          d[o + 7],
          c,
          0.5 * (1 - t),
        );
        return;
    }
  }

  /**
   * A muzzle flash by the sort of the weapon, and a tracer if it hits at once. Without a target: to the nearest enemy in
   * range.
   */
  private shot(e: Shot): void {
    const { world, info } = this.state;
    const type = typeOf(info.rules, world.type[e.slot]);
    const weapon = info.rules.weapons[e.weapon];
    const range = (weapon?.range ?? 0) / 1024;
    const { x, z } = this.entities.place(e.slot); // the next call returns the same object
    const fy = this.ground.floor(x, z) + hoverOf(type) + topOf(type) * 0.62;
    const target = this.targetOf(e, x, z, range + 1);
    if (target >= 0) {
      const at = this.entities.place(target);
      world.aimX[e.slot] = at.x;
      world.aimZ[e.slot] = at.z;
    }
    const tx = world.aimX[e.slot];
    const tz = world.aimZ[e.slot];
    const aimed = tx !== 0;
    const row = this.entities.rowOf(e.slot);
    const facing = row < 0 ? 0 : this.entities.poses.facing[row];
    const l = aimed ? Math.hypot(tx - x, tz - z) || 1 : range + 1;
    const dx = aimed ? (tx - x) / l : Math.cos(facing);
    const dz = aimed ? (tz - z) / l : Math.sin(facing);
    const reach = Math.min(scaleOf(type) * (type.class === "structure" ? 0.6 : 1.2), l);
    const aside = (type.weapons.length > 1 ? (e.index === 0 ? 0.12 : -0.12) : 0) * scaleOf(type);
    const mx = x + dx * reach - dz * aside;
    const mz = z + dz * reach + dx * aside;
    const damage = weapon?.damage ?? 0;
    const sort = weapon ? weaponSort(weapon) : "gun";
    const strikes = sort === "blade";
    this.muzzles++;
    const size = Math.min(0.5, 0.16 + damage * 0.0055);
    if (sort === "bolt") this.data[9 * this.add(KIND.hit, 130, mx, fy, mz, BOLT) + 3] = size * 1.5;
    else {
      const i = strikes
        ? this.add(KIND.slash, 150, x, fy, z, STEEL)
        : this.add(KIND.muzzle, damage >= LARGE_GUN ? 150 : 100, mx, fy, mz, HOT);
      this.data[9 * i + 3] = dx;
      this.data[9 * i + 4] = dz;
      this.data[9 * i + 5] = strikes ? scaleOf(type) + 0.5 : size;
    }
    // The breath of a rocket goes backwards.
    if (sort === "rocket" && !this.reducedMotion)
      this.smoke(mx - dx * 2 * reach, fy, mz - dz * 2 * reach, 0.3, 500, GUN_SMOKE, 0.45, 0);
    if (!aimed) return;
    const towards = target >= 0 ? typeOf(info.rules, world.type[target]) : null;
    const ty = this.ground.floor(tx, tz) + (towards ? hoverOf(towards) : 0) + 0.45;
    if (weapon && !weapon.projectile) {
      if (!strikes) this.tracer(mx, fy, mz, tx, ty, tz);
      if (!this.reducedMotion) this.hit(tx - dx * 0.2, tz - dz * 0.2, 0.24, strikes ? 70 : 80, ty);
    }
    if (damage >= LARGE_GUN && !this.reducedMotion)
      for (let k = 1; k <= 2; k++)
        this.smoke(mx + dx * 0.4 * k, fy, mz + dz * 0.4 * k, 0.34, 700, GUN_SMOKE, 0.5, 0);
  }

  /** The row that a shot is drawn to; -1: it goes to a place. */
  private targetOf(e: Shot, x: number, z: number, range: number): number {
    if (e.target !== 0) return this.state.world.slot(e.target);
    return Number.isNaN(e.x) ? this.nearestEnemy(e.slot, x, z, range) : -1;
  }

  private tracer(x: number, y: number, z: number, tx: number, ty: number, tz: number): void {
    const i = this.add(KIND.tracer, 130, x, y, z, HOT);
    this.data[9 * i + 3] = tx;
    this.data[9 * i + 4] = ty;
    this.data[9 * i + 5] = tz;
  }

  private hit(x: number, z: number, size: number, afterMs: number, y = this.ground.floor(x, z) + 0.45): void {
    const i = this.add(KIND.hit, 160, x, y, z, EMBER);
    this.start[i] += afterMs;
    this.data[9 * i + 3] = size;
  }

  private death(slot: number): void {
    const { world } = this.state;
    const type = typeOf(this.state.info.rules, world.type[slot]);
    // Where a projectile comes down there is a blast.
    if (type.class === "projectile" || type.class === "resource") return;
    const { x, z } = this.entities.place(slot);
    const size = sizeOfDeath(type);
    this.explode(x, z, hoverOf(type), size, this.colorOf(world.owner[slot]));
    if (type.class !== "structure" || this.reducedMotion) return;
    // It falls in on itself: smaller ones at its sides, and smoke for a while.
    const half = type.footprint * 0.32;
    for (let k = 0; k < 3; k++) {
      const a = k * 2.1 + this.random() * 0.8;
      this.fires(
        x + Math.cos(a) * half,
        this.ground.floor(x, z) + 0.3,
        z + Math.sin(a) * half,
        size * 0.5,
        160 + 190 * k,
      );
    }
    const n = plumeOf(size, this.traits.particles);
    for (let k = 0; k < n; k++) {
      const a = this.random() * 6.28;
      const out = half * this.random();
      this.smoke(
        x + Math.cos(a) * out,
        this.ground.floor(x, z) + 0.3,
        z + Math.sin(a) * out,
        size * 0.34,
        2600,
        SMOKE,
        0.6,
        300 + (k * 3600) / n,
      );
    }
  }

  /** An explosion at a height over the ground; pieces of the owner's colour if there is one. */
  private explode(x: number, z: number, height: number, size: number, own: ColorBytes | null): void {
    const floor = this.ground.floor(x, z);
    const wet = height < 0.5 && onWater(this.ground, x, z);
    const y = floor + height;
    const f = this.add(KIND.flash, 90 + 60 * size, x, y + 0.2, z, wet ? SPRAY : HOT);
    this.data[9 * f + 3] = size * 1.2;
    this.data[9 * f + 4] = floor;
    if (wet) this.splash(x, floor, z, size);
    else if (height < 0.5) {
      this.marks.lay(x, z, size * 0.95, this.now());
      if (size > 0.9) this.shock(x, floor, z, size * 1.7, 340, 0.1 * size, FIRE, 0.5, 0);
    }
    this.fires(x, y, z, wet ? size * 0.6 : size, 0);
    if (this.reducedMotion) return;
    const { particles } = this.traits;
    if (!wet) {
      const smokes = smokesOf(size, particles);
      for (let k = 0; k < smokes; k++) {
        const a = this.random() * 6.28;
        const out = size * 0.4 * this.random();
        this.smoke(
          x + Math.cos(a) * out,
          y + 0.2,
          z + Math.sin(a) * out,
          size * (0.34 + 0.2 * this.random()),
          1300 + 700 * size,
          SMOKE,
          0.55,
          90 + 70 * k,
        );
      }
    }
    const shards = shardsOf(size, particles);
    const speed = 1.1 + size * 1.1;
    for (let k = 0; k < shards; k++) {
      const a = this.random() * 6.28;
      const out = speed * (0.35 + this.random());
      const color = wet ? SPRAY : own && k % 3 === 0 ? own : k % 3 === 1 ? EMBER : SHARD;
      const i = this.add(KIND.shard, 480 + 420 * this.random(), x, y + 0.25, z, color);
      this.data[9 * i + 3] = Math.cos(a) * out;
      this.data[9 * i + 4] = 1.6 + size + 1.4 * this.random();
      this.data[9 * i + 5] = Math.sin(a) * out;
      this.data[9 * i + 6] = (wet ? 0.02 : 0.035) + 0.02 * this.random();
    }
  }

  private splash(x: number, y: number, z: number, size: number): void {
    for (let k = 0; k < 3; k++)
      this.shock(x, y, z, size * (1.1 + 0.5 * k), 700 + 260 * k, 0.07, SPRAY, 0.55, 130 * k);
  }

  private shock(
    x: number,
    y: number,
    z: number,
    radius: number,
    lifeMs: number,
    width: number,
    color: ColorBytes,
    alpha: number,
    afterMs: number,
  ): void {
    const i = this.add(KIND.shock, lifeMs, x, y, z, color);
    this.start[i] += afterMs;
    this.data[9 * i + 3] = radius;
    this.data[9 * i + 4] = width;
    this.data[9 * i + 5] = alpha;
  }

  /** Clouds of fire. */
  private fires(x: number, y: number, z: number, size: number, afterMs: number): void {
    const n = this.reducedMotion ? 1 : billowsOf(size, this.traits.particles);
    for (let k = 0; k < n; k++) {
      const a = this.random() * 6.28;
      const out = k === 0 ? 0 : size * (0.2 + 0.35 * this.random());
      const i = this.add(
        KIND.fire,
        320 + 200 * size + 140 * this.random(),
        x + Math.cos(a) * out,
        y + 0.15 + size * 0.3 * this.random(),
        z + Math.sin(a) * out,
        SMOKE,
      );
      const o = 9 * i;
      this.start[i] += afterMs + 28 * k;
      this.data[o + 3] = size * (k === 0 ? 0.8 : 0.42 + 0.28 * this.random());
      this.data[o + 4] = 0.5 + 0.5 * size * this.random();
      this.data[o + 5] = Math.cos(a) * size * 0.5;
      this.data[o + 6] = Math.sin(a) * size * 0.5;
      this.data[o + 7] = this.random() * 6.28;
    }
  }

  private smoke(
    x: number,
    y: number,
    z: number,
    size: number,
    lifeMs: number,
    color: ColorBytes,
    alpha: number,
    afterMs: number,
  ): void {
    const i = this.add(KIND.smoke, lifeMs * (0.8 + 0.4 * this.random()), x, y, z, color);
    const o = 9 * i;
    this.start[i] += afterMs;
    this.data[o + 3] = size;
    this.data[o + 4] = 0.5 + 0.3 * this.random();
    this.data[o + 5] = (this.random() - 0.5) * 0.3;
    this.data[o + 6] = (this.random() - 0.5) * 0.3;
    this.data[o + 7] = this.random() * 6.28;
    this.data[o + 8] = alpha;
  }

  private dust(x: number, z: number, n: number): void {
    if (this.reducedMotion) return;
    for (let k = 0; k < n; k++) {
      const i = this.add(KIND.puff, 700 + 90 * k, x, this.ground.floor(x, z) + 0.2, z, DUST);
      const o = 9 * i;
      this.data[o + 3] = Math.cos(k * 2.4) * 1.6;
      this.data[o + 5] = Math.sin(k * 2.4) * 1.6;
      this.data[o + 7] = k;
    }
  }

  /** 0 to 1, in a row that is the same in each match. */
  private random(): number {
    this.seed = (this.seed + 1) % 65536;
    return hash01(this.seed, 17);
  }

  private nearestEnemy(slot: number, x: number, z: number, range: number): number {
    const { world, info } = this.state;
    const team = info.players[world.owner[slot]]?.team;
    const { grid, poses } = this.entities;
    let best = -1;
    let bestD = range * range;
    const n = grid.inRect(x - range, z - range, x + range, z + range);
    for (let k = 0; k < n; k++) {
      const row = grid.found[k];
      const s = poses.slot[row];
      if (world.ids[s] === 0) continue; // it left since the places were computed
      const other = info.players[world.owner[s]];
      if (!other || other.team === team) continue;
      const cls = info.rules.types[world.type[s]]?.class;
      if (cls !== "unit" && cls !== "structure") continue;
      const dx = poses.x[row] - x;
      const dz = poses.z[row] - z;
      const d = dx * dx + dz * dz;
      // Of two as near the first row counts.
      if (d < bestD || (d === bestD && best >= 0 && s < best)) {
        best = s;
        bestD = d;
      }
    }
    return best;
  }

  private add(kind: number, lifeMs: number, x: number, y: number, z: number, color: ColorBytes): number {
    const i = this.next;
    this.next = (i + 1) % POOL;
    this.kind[i] = kind;
    this.start[i] = this.now();
    this.life[i] = lifeMs;
    this.data[9 * i] = x;
    this.data[9 * i + 1] = y;
    this.data[9 * i + 2] = z;
    this.color[i] = color;
    return i;
  }
}
