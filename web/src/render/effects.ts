// Short effects: shots, hits, deaths, scorch, the ring of an order. They are
// columns of a fixed size: a battle allocates nothing here.

import type { PingName } from "../base/ids";
import { DANGER, GOOD, PINGS } from "../draw/palette";
import type { Shot } from "../state/events";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";
import type { HeightField } from "./heightfield";
import { hoverOf, scaleOf, topOf } from "./models";
import { type Billboards, type ColorBytes, colorBytes, DECAL, type Decals } from "./sprites";

const KIND = {
  tracer: 1,
  muzzle: 2,
  hit: 3,
  shard: 4,
  scorch: 5,
  order: 6,
  ping: 7,
  puff: 8,
  blast: 9,
} as const;
const POOL = 768;
const SCORCH_MS = 25_000;
const PING_MS = 3500;

const FIRE = colorBytes("#ffdf9a");
const EMBER = colorBytes("#ffb052");
const HOT = colorBytes("#fff4d6");
const SMOKE = colorBytes("#8a8f94");
const BLACK = colorBytes("#0c0d0f");
const SHARD = colorBytes("#a7adb2");
const GO = colorBytes(GOOD);
const FIGHT = colorBytes(DANGER);
const PING_BYTES = {
  look: colorBytes(PINGS.look.color),
  danger: colorBytes(PINGS.danger.color),
  help: colorBytes(PINGS.help.color),
};

export class Effects {
  private readonly kind = new Uint8Array(POOL);
  private readonly start = new Float64Array(POOL);
  private readonly life = new Float32Array(POOL);
  /** x, y, z, then six more as the kind needs. */
  private readonly data = new Float32Array(POOL * 9);
  private readonly color: ColorBytes[] = new Array(POOL).fill(FIRE);
  private next = 0;
  private readonly off: (() => void)[] = [];
  /** Sparks and shards are left out. */
  reducedMotion = false;
  /** Shots that were shown: muzzle flashes that began. */
  muzzles = 0;

  constructor(
    private readonly state: MatchState,
    private readonly ground: HeightField,
    private readonly now: () => number,
    /** Where a row is drawn now: x, z in tiles; one object for all rows. */
    private readonly drawn: (slot: number) => { x: number; z: number },
    private readonly colorOf: (owner: number) => ColorBytes,
  ) {
    const { events } = state;
    this.off.push(
      events.on("shot", (e) => this.shot(e)),
      events.on("hit", (e) => this.hit(e.x / 1024, e.y / 1024, 0.34)),
      events.on("blast", (e) => this.blast(e.x / 1024, e.y / 1024)),
      events.on("built", (e) => this.puffs(e.x / 1024, e.y / 1024, 5)),
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
    for (let i = 0; i < POOL; i++) {
      if (this.kind[i] === 0) continue;
      const t = (nowMs - this.start[i]) / this.life[i];
      if (t >= 1) {
        this.kind[i] = 0;
        continue;
      }
      if (t >= 0) this.drawOne(i, t, decals, billboards, pxPerTile);
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
          1.6,
          c,
          1 - t * 0.5,
        );
        return;
      }
      case KIND.muzzle:
        billboards.spark(x, y, z, px * 0.42 * (1 - t * 0.5), HOT, 1 - t);
        decals.push(DECAL.blob, x, this.ground.floor(x, z), z, 1.3, 0, FIRE, 0.22 * (1 - t));
        return;
      case KIND.hit:
        billboards.spark(x, y, z, px * d[o + 3] * (0.4 + t), FIRE, 0.9 * (1 - t));
        return;
      case KIND.blast:
        decals.push(DECAL.ring, x, y, z, 0.3 + d[o + 3] * t, 0.22 * (1 - t), FIRE, 0.8 * (1 - t));
        billboards.spark(
          x,
          y + 0.4,
          z,
          px * d[o + 3] * (0.7 + t * 0.6),
          t < 0.25 ? HOT : FIRE,
          (1 - t) ** 1.5,
        );
        return;
      case KIND.shard: {
        const s = (this.life[i] * t) / 1000;
        const sy = y + d[o + 4] * s - 5.5 * s * s;
        const sx = x + d[o + 3] * s;
        const sz = z + d[o + 5] * s;
        const floor = this.ground.floor(sx, sz);
        billboards.spark(sx, Math.max(floor + 0.04, sy), sz, px * 0.11, c, 1 - t * t);
        return;
      }
      case KIND.scorch:
        decals.push(DECAL.scorch, x, y, z, d[o + 3], 0, BLACK, 0.6 * Math.min(1, (1 - t) * 4), d[o + 4]);
        return;
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
        billboards.spark(
          x + d[o + 3] * t,
          y + 0.8 * t,
          z + d[o + 5] * t,
          px * (0.3 + 0.5 * t),
          SMOKE,
          0.5 * (1 - t),
        );
        return;
    }
  }

  /** A muzzle flash, and a tracer if the weapon hits at once. Without a target: to the nearest enemy in range. */
  private shot(e: Shot): void {
    const { world, info } = this.state;
    const type = typeOf(info.rules, world.type[e.slot]);
    const weapon = info.rules.weapons[e.weapon];
    const { x, z } = this.drawn(e.slot); // the next call returns the same object
    const fy = this.ground.floor(x, z) + hoverOf(type) + topOf(type) * 0.62;
    const target = this.targetOf(e, x, z, (weapon?.range ?? 0) / 1024 + 1);
    if (target >= 0) {
      const at = this.drawn(target);
      world.aimX[e.slot] = at.x;
      world.aimZ[e.slot] = at.z;
    }
    const tx = world.aimX[e.slot];
    const tz = world.aimZ[e.slot];
    const l = Math.hypot(tx - x, tz - z) || 1;
    const reach = Math.min(scaleOf(type) * (type.class === "structure" ? 0.6 : 1.2), l);
    const aside = (type.weapons.length > 1 ? (e.index === 0 ? 0.12 : -0.12) : 0) * scaleOf(type);
    const mx = x + ((tx - x) * reach - (tz - z) * aside) / l;
    const mz = z + ((tz - z) * reach + (tx - x) * aside) / l;
    this.muzzles++;
    this.add(KIND.muzzle, 110, mx, fy, mz, HOT);
    if (weapon && !weapon.projectile && tx !== 0) this.tracer(mx, fy, mz, tx, tz);
  }

  /** The row that a shot is drawn to; -1: it goes to a place. */
  private targetOf(e: Shot, x: number, z: number, range: number): number {
    if (e.target !== 0) return this.state.world.slot(e.target);
    return Number.isNaN(e.x) ? this.nearestEnemy(e.slot, x, z, range) : -1;
  }

  private tracer(x: number, y: number, z: number, tx: number, tz: number): void {
    const i = this.add(KIND.tracer, 130, x, y, z, HOT);
    this.data[9 * i + 3] = tx;
    this.data[9 * i + 4] = this.ground.floor(tx, tz) + 0.45;
    this.data[9 * i + 5] = tz;
  }

  private hit(x: number, z: number, size: number): void {
    const i = this.add(KIND.hit, 200, x, this.ground.floor(x, z) + 0.45, z, EMBER);
    this.data[9 * i + 3] = size;
  }

  private blast(x: number, z: number): void {
    const i = this.add(KIND.blast, 420, x, this.ground.floor(x, z), z, FIRE);
    this.data[9 * i + 3] = 1.2;
    this.puffs(x, z, 3);
    this.scorch(x, z, 0.9);
  }

  private death(slot: number): void {
    const { world } = this.state;
    const type = typeOf(this.state.info.rules, world.type[slot]);
    if (type.class === "projectile" || type.class === "resource") {
      const at = this.drawn(slot);
      if (type.class === "projectile") this.hit(at.x, at.z, 0.7);
      return;
    }
    const { x, z } = this.drawn(slot);
    const y = this.ground.floor(x, z) + hoverOf(type);
    const size = type.class === "structure" ? type.footprint * 0.6 : scaleOf(type) * 1.4;
    const i = this.add(KIND.blast, type.class === "structure" ? 700 : 380, x, y, z, FIRE);
    this.data[9 * i + 3] = size;
    this.scorch(x, z, size * 1.1);
    if (this.reducedMotion) return;
    const n = type.class === "structure" ? 14 : 6;
    const own = this.colorOf(world.owner[slot]);
    for (let k = 0; k < n; k++) {
      const a = (k / n) * Math.PI * 2 + slot;
      const j = this.add(KIND.shard, 620 + 60 * (k % 4), x, y + 0.3, z, k % 3 === 0 ? own : SHARD);
      this.data[9 * j + 3] = Math.cos(a) * (1.4 + (k % 3) * 0.7);
      this.data[9 * j + 4] = 2.6 + (k % 4) * 0.5;
      this.data[9 * j + 5] = Math.sin(a) * (1.4 + (k % 3) * 0.7);
    }
    this.puffs(x, z, type.class === "structure" ? 8 : 3);
  }

  private scorch(x: number, z: number, size: number): void {
    const i = this.add(KIND.scorch, SCORCH_MS, x, this.ground.floor(x, z), z, BLACK);
    this.data[9 * i + 3] = size;
    this.data[9 * i + 4] = (x * 7 + z * 3) % 6.28;
  }

  private puffs(x: number, z: number, n: number): void {
    if (this.reducedMotion) return;
    for (let k = 0; k < n; k++) {
      const i = this.add(KIND.puff, 900 + 150 * k, x, this.ground.floor(x, z) + 0.3, z, SMOKE);
      this.data[9 * i + 3] = Math.cos(k * 2.4) * 0.7;
      this.data[9 * i + 5] = Math.sin(k * 2.4) * 0.7;
    }
  }

  private nearestEnemy(slot: number, x: number, z: number, range: number): number {
    const { world, info } = this.state;
    const team = info.players[world.owner[slot]]?.team;
    let best = -1;
    let bestD = range * range;
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0) continue;
      const other = info.players[world.owner[s]];
      if (!other || other.team === team) continue;
      const cls = info.rules.types[world.type[s]]?.class;
      if (cls !== "unit" && cls !== "structure") continue;
      const dx = world.posX(s) / 1024 - x;
      const dz = world.posY(s) / 1024 - z;
      const d = dx * dx + dz * dz;
      if (d < bestD) {
        best = s;
        bestD = d;
      }
    }
    return best;
  }

  private add(kind: number, lifeMs: number, x: number, y: number, z: number, color: ColorBytes): number {
    // Scorch lasts long: it is kept unless there is nothing else.
    let i = this.next;
    for (let k = 0; k < 24 && this.kind[i] === KIND.scorch; k++) i = (i + 1) % POOL;
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
