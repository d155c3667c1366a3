// Draws abilities and effects: a look on an entity while it lasts, how it begins and ends, ground that burns,
// circles that a scan shows, and shields that are hit.

import { ALL_TEAMS, type MatchState, type TypeInfo, typeOf } from "@fogkeep/client";
import { SHIELD } from "../draw/palette";
import type { EntityLayer } from "./entities";
import type { HeightField } from "./heightfield";
import { LOOK, LOOKS, Looks, lookOfEffect } from "./looks";
import { hoverOf, isArea, radiusOf, topOf } from "./models";
import { type Billboards, type ColorBytes, colorBytes, DECAL, type Decals } from "./sprites";

/** By look: the colour of its marks. */
const COLORS: readonly ColorBytes[] = [
  colorBytes("#b9a6ff"), // cloak
  colorBytes("#ffc24b"), // deploy
  colorBytes("#9fe8ff"), // sprint
  colorBytes("#ff9a3d"), // burn
  colorBytes("#ff4133"), // rage
  colorBytes("#ff8a2b"), // burning
  colorBytes("#6fb4ff"), // slowed
  colorBytes(SHIELD), // shielded
];
const EMBER = colorBytes("#ffb052");
const DUST = colorBytes("#b9ac90");
const SCAN = colorBytes("#62f0c4");
const HOT = colorBytes("#fff0c8");
const GLOW = colorBytes("#ff6a1f");

const BEGIN_MS = 420;
const END_MS = 340;
const PULSE_MS = 1100;
const SHIELD_HIT_MS = 320;
/** How long an effect's way from who did it to its victim is drawn. */
const BEAM_MS = 380;
const MARKS = 96;
const AREAS = 24;
/** Flames of an area that burns. */
const FLAMES = 22;
/** Lines of the circle that a scan shows, and of its hand. */
const SCAN_SEGMENTS = 48;
const SCAN_HANDS = 9;

/** Short marks on an entity. */
const MARK = { none: 0, begin: 1, end: 2, pulse: 3, broken: 4, beam: 5 } as const;

/** Ground that an ability works on. */
interface Area {
  kind: "none" | "burn" | "scan";
  /** Tiles. */
  x: number;
  z: number;
  radius: number;
  startMs: number;
  endMs: number;
  /** The entity that burns it, as far as it is in sight; 0: not known. */
  by: number;
}

export class AbilityLayer {
  readonly looks: Looks;
  /** Sparks and dust are left out. */
  reducedMotion = false;
  /** Marks and areas that were begun, for tests. */
  begun = 0;
  private readonly kind = new Uint8Array(MARKS);
  private readonly look = new Uint8Array(MARKS);
  private readonly slot = new Int32Array(MARKS);
  private readonly from = new Int32Array(MARKS);
  private readonly start = new Float64Array(MARKS);
  private next = 0;
  private readonly areas: Area[] = Array.from({ length: AREAS }, () => ({
    kind: "none",
    x: 0,
    z: 0,
    radius: 0,
    startMs: 0,
    endMs: 0,
    by: 0,
  }));
  private nextArea = 0;
  private readonly off: (() => void)[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly ground: HeightField,
    private readonly entities: Pick<EntityLayer, "poses" | "shown" | "rowOf">,
    private readonly now: () => number,
  ) {
    const { events, info } = state;
    this.looks = new Looks(state, (slot, look, on) => this.mark(on ? MARK.begin : MARK.end, slot, look));
    this.off.push(
      events.on("leave", (e) => this.left(e.id, e.slot, e.why)),
      events.on("abilityStop", (e) => {
        if (e.kind === "burn") this.endOf(e.id);
      }),
      events.on("effectStart", (e) => {
        const from = state.world.slot(e.source);
        const look = lookOfEffect(info.rules, e.effect);
        if (from >= 0 && look !== undefined) this.mark(MARK.beam, e.slot, look, from);
      }),
      events.on("ability", (e) => this.used(e.what, state.world.slot(e.source), e.x / 1024, e.y / 1024)),
      events.on("sight", (e) => this.scanned(e.x + 0.5, e.y + 0.5, e.radius / 2, e.ticks)),
      events.on("attribute", (e) => {
        if (e.attribute === "shield" && e.was > 0 && e.now === 0)
          this.mark(MARK.broken, e.slot, LOOK.shielded);
      }),
      events.on("reset", () => this.clear()),
    );
  }

  dispose(): void {
    this.looks.dispose();
    for (const f of this.off) f();
  }

  /**
   * Adds everything to this frame.
   * @param px pixels of the canvas a tile is wide at the camera's distance
   */
  draw(nowMs: number, decals: Decals, billboards: Billboards, px: number): void {
    const { world, info } = this.state;
    const { poses, shown } = this.entities;
    for (const a of this.areas) if (a.kind !== "none") this.area(a, nowMs, decals, billboards, px);
    for (let k = 0; k < shown.count; k++) {
      const row = shown.rows[k];
      const s = poses.slot[row];
      const type = typeOf(info.rules, world.type[s]);
      if (isArea(type)) this.laid(row, type, nowMs, decals);
      if (type.class === "projectile") continue;
      const hit = 1 - (nowMs - world.shieldHitMs[s]) / SHIELD_HIT_MS;
      if (hit <= 0 && !this.looks.any(s)) continue;
      const y = this.ground.floor(poses.x[row], poses.z[row]);
      if (hit > 0) {
        const middle = y + hoverOf(type) + topOf(type) * 0.42;
        const half = Math.max(radiusOf(type), topOf(type) * 0.5) * 1.15;
        billboards.bubble(poses.x[row], middle, poses.z[row], px * half, COLORS[LOOK.shielded], 0.85 * hit);
      }
      for (let look = 0; look < LOOKS.length; look++) {
        const level = this.looks.of(s, look);
        if (level > 0) this.lasting(row, type, y, look, level, nowMs, decals, billboards, px);
      }
    }
    for (let i = 0; i < MARKS; i++)
      if (this.kind[i] !== MARK.none) this.short(i, nowMs, decals, billboards, px);
  }

  /** The looks on an entity. `y` is the ground's height. */
  private lasting(
    row: number,
    type: TypeInfo,
    y: number,
    look: number,
    level: number,
    nowMs: number,
    decals: Decals,
    billboards: Billboards,
    px: number,
  ): void {
    const { poses } = this.entities;
    const s = poses.slot[row];
    const x = poses.x[row];
    const z = poses.z[row];
    const r = radiusOf(type);
    const foot = y + hoverOf(type);
    const top = topOf(type);
    const c = COLORS[look];
    const calm = this.reducedMotion;
    const seconds = nowMs / 1000 + s * 0.37;
    switch (look) {
      case LOOK.sprint: {
        const dx = Math.cos(poses.facing[row]);
        const dz = Math.sin(poses.facing[row]);
        const long = this.state.world.moving(s) ? 1.5 : 0.45;
        decals.push(DECAL.ring, x, y, z, r * 1.08, 0.06, c, 0.55 * level, 0, true);
        for (let k = -1; k <= 1; k++) {
          const side = k * r * 0.75;
          const back = r * 0.7 + (calm ? 0 : 0.12 * Math.sin(seconds * 11 + k * 2));
          const tail = back + long * (k === 0 ? 1 : 0.7);
          const h = foot + (k === 0 ? 0.42 : 0.2);
          billboards.line(
            "tracer",
            x - dx * tail - dz * side,
            h,
            z - dz * tail + dx * side,
            x - dx * back - dz * side,
            h,
            z - dz * back + dx * side,
            px * 0.055,
            c,
            0.9 * level,
          );
        }
        if (calm || !this.state.world.moving(s)) return;
        for (let k = 0; k < 4; k++) {
          const t = (seconds * 1.9 + k * 0.25) % 1;
          const behind = r + t * 1.2;
          const side = ((k % 2) - 0.5) * r;
          billboards.spark(
            x - dx * behind - dz * side,
            y + 0.12 + 0.25 * t,
            z - dz * behind + dx * side,
            px * (0.12 + 0.22 * t),
            DUST,
            0.5 * level * (1 - t),
          );
        }
        return;
      }
      case LOOK.deploy:
        decals.push(DECAL.blob, x, y, z, r * 2, 0, c, 0.16 * level, 0, true);
        decals.push(DECAL.dashed, x, y, z, r * (2.3 - 0.5 * level), 0.09, c, 0.85 * level, 0.2, true);
        return;
      case LOOK.rage: {
        const beat = calm ? 0.8 : 0.6 + 0.4 * Math.sin(seconds * 9);
        decals.push(DECAL.blob, x, y, z, r * 2, 0, c, 0.4 * level * beat, 0, true);
        decals.push(DECAL.ring, x, y, z, r * (1.15 + 0.12 * beat), 0.1, c, 0.9 * level, 0, true);
        for (let k = 0; k < 3; k++) {
          const a = (k / 3) * Math.PI * 2 + (calm ? 0 : seconds * 1.3);
          billboards.flame(
            x + Math.cos(a) * r * 0.75,
            foot + top * 0.55,
            z + Math.sin(a) * r * 0.75,
            px * 0.26 * level,
            s + k,
            c,
            0.8 * level,
          );
        }
        return;
      }
      case LOOK.burn: {
        const turn = calm ? 0 : seconds * 3;
        decals.push(DECAL.ring, x, y, z, r * 1.25, 0.08, c, 0.85 * level, 0, true);
        billboards.flame(x, foot + top * 1.02, z, px * 0.42 * level, s, c, level);
        for (let k = 0; k < 4; k++) {
          const a = turn + (k * Math.PI) / 2;
          const h = foot + top * (0.45 + 0.12 * Math.sin(a * 2));
          billboards.spark(x + Math.cos(a) * r * 1.3, h, z + Math.sin(a) * r * 1.3, px * 0.2, EMBER, level);
        }
        return;
      }
      case LOOK.cloak:
        decals.push(
          DECAL.dashed,
          x,
          y,
          z,
          r * 1.15,
          0.06,
          c,
          0.7 * level,
          calm ? 0 : (seconds * 0.8) % 6.28,
          true,
        );
        return;
      case LOOK.burning: {
        decals.push(DECAL.blob, x, y, z, r * 1.9, 0, GLOW, 0.45 * level, 0, true);
        for (let k = 0; k < 4; k++) {
          const a = k * 1.7 + s;
          const out = k === 0 ? 0 : r * 0.62;
          billboards.flame(
            x + Math.cos(a) * out,
            foot + top * (k === 0 ? 0.78 : 0.38),
            z + Math.sin(a) * out,
            px * (k === 0 ? 0.42 : 0.32) * level,
            s * 3 + k,
            c,
            level,
          );
        }
        return;
      }
      case LOOK.slowed: {
        const turn = calm ? 0 : -seconds * 0.5;
        decals.push(DECAL.disc, x, y, z, r * 1.35, 0, c, 0.24 * level, 0, true);
        decals.push(DECAL.dashed, x, y, z, r * 1.35, 0.12, c, 0.9 * level, turn, true);
        for (let k = 0; k < 3; k++) {
          const t = calm ? 0.5 : (seconds * 0.5 + k / 3) % 1;
          const a = k * 2.1 + s;
          const h = foot + top * (1.05 - t);
          billboards.chevron(
            x + Math.cos(a) * r * 0.7,
            h,
            z + Math.sin(a) * r * 0.7,
            px * 0.2,
            -1,
            c,
            level * (1 - t * t),
          );
        }
        return;
      }
      case LOOK.shielded: {
        const half = Math.max(r, top * 0.5) * 1.2;
        billboards.bubble(x, foot + top * 0.42, z, px * half, c, 0.6 * level);
        decals.push(DECAL.ring, x, y, z, r * 1.3, 0.06, c, 0.7 * level, 0, true);
        return;
      }
    }
  }

  private short(i: number, nowMs: number, decals: Decals, billboards: Billboards, px: number): void {
    const kind = this.kind[i];
    const life =
      kind === MARK.begin ? BEGIN_MS : kind === MARK.end ? END_MS : kind === MARK.beam ? BEAM_MS : PULSE_MS;
    const t = (nowMs - this.start[i]) / (kind === MARK.broken ? END_MS : life);
    const row = this.entities.rowOf(this.slot[i]);
    if (t >= 1 || row < 0) {
      this.kind[i] = MARK.none;
      return;
    }
    if (t < 0) return;
    const { poses } = this.entities;
    const type = typeOf(this.state.info.rules, this.state.world.type[this.slot[i]]);
    const x = poses.x[row];
    const z = poses.z[row];
    const y = this.ground.floor(x, z);
    const r = radiusOf(type);
    const c = COLORS[this.look[i]];
    const middle = y + hoverOf(type) + topOf(type) * 0.5;
    switch (kind) {
      case MARK.begin:
        decals.push(
          DECAL.ring,
          x,
          y,
          z,
          r * (0.9 + 1.7 * Math.sqrt(t)),
          0.16 * (1 - t) + 0.02,
          c,
          1 - t,
          0,
          true,
        );
        billboards.spark(x, middle, z, px * r * (1.1 + t), c, 0.8 * (1 - t) ** 2);
        if (this.reducedMotion) return;
        for (let k = 0; k < 8; k++) {
          const a = (k * Math.PI) / 4;
          const out = r * (0.7 + 1.5 * t);
          billboards.spark(
            x + Math.cos(a) * out,
            y + 0.15 + 0.5 * t,
            z + Math.sin(a) * out,
            px * 0.16,
            this.look[i] === LOOK.deploy || this.look[i] === LOOK.sprint ? DUST : c,
            1 - t,
          );
        }
        return;
      case MARK.end:
        decals.push(DECAL.ring, x, y, z, r * (2 - 1.3 * t), 0.07, c, 0.75 * (1 - t), 0, true);
        return;
      case MARK.pulse:
        for (let k = 0; k < 3; k++) {
          const u = t * 1.6 - k * 0.3;
          if (u <= 0 || u >= 1) continue;
          decals.push(DECAL.ring, x, y, z, r * (0.8 + 2.2 * u), 0.09, SCAN, 0.9 * (1 - u), 0, true);
        }
        billboards.spark(x, middle + topOf(type) * 0.5, z, px * 0.5 * (1 - t), SCAN, 1 - t);
        return;
      case MARK.broken: {
        const half = Math.max(r, topOf(type) * 0.5) * (1.15 + 0.5 * t);
        billboards.bubble(x, middle, z, px * half, c, 0.9 * (1 - t));
        decals.push(DECAL.ring, x, y, z, r * (1.2 + 0.9 * t), 0.1 * (1 - t) + 0.02, c, 1 - t, 0, true);
        return;
      }
      case MARK.beam: {
        const from = this.entities.rowOf(this.from[i]);
        if (from < 0 || from === row) return;
        const fx = poses.x[from];
        const fz = poses.z[from];
        const h = this.ground.floor(fx, fz) + 0.6;
        billboards.line("plain", fx, h, fz, x, middle, z, px * 0.05 * (1 - t) + 1, c, 0.85 * (1 - t));
        return;
      }
    }
  }

  /** An area that an ability has laid, in a colour for friends or for foes. */
  private laid(row: number, type: TypeInfo, nowMs: number, decals: Decals): void {
    const { world, info } = this.state;
    const { poses } = this.entities;
    const s = poses.slot[row];
    const x = poses.x[row];
    const z = poses.z[row];
    const y = this.ground.floor(x, z);
    const team = info.players[world.owner[s]]?.team;
    const c = info.team === ALL_TEAMS || team === info.team ? SCAN : GLOW;
    const t = Math.min(1, (nowMs - world.enterMs[s]) / BEGIN_MS);
    const turn = this.reducedMotion ? 0 : (nowMs / 4000) % (2 * Math.PI);
    decals.push(DECAL.disc, x, y, z, type.radius * t, 0, c, 0.2 * t, 0, true);
    decals.push(DECAL.dashed, x, y, z, type.radius * t, 0.1, c, 0.85 * t, turn, true);
  }

  private area(a: Area, nowMs: number, decals: Decals, billboards: Billboards, px: number): void {
    if (nowMs >= a.endMs + END_MS) {
      a.kind = "none";
      return;
    }
    const t = Math.min(1, (nowMs - a.startMs) / BEGIN_MS, 1 - (nowMs - a.endMs) / END_MS);
    const y = this.ground.floor(a.x, a.z);
    const seconds = this.reducedMotion ? 0 : nowMs / 1000;
    if (a.kind === "scan") {
      this.scan(a, a.radius * t, t, seconds * 1.9, billboards, px);
      return;
    }
    decals.push(DECAL.scorch, a.x, y, a.z, a.radius, 0, GLOW, 0.55 * t, 1.3, true);
    decals.push(DECAL.dashed, a.x, y, a.z, a.radius, 0.09, COLORS[LOOK.burn], 0.7 * t, 0, true);
    for (let k = 0; k < FLAMES; k++) {
      // The golden angle spreads them evenly.
      const angle = k * 2.39996;
      const out = a.radius * 0.94 * Math.sqrt((k + 0.5) / FLAMES);
      const x = a.x + Math.cos(angle) * out;
      const z = a.z + Math.sin(angle) * out;
      if (!this.state.mask.visibleAt(Math.floor(x), Math.floor(z))) continue;
      const size = px * (0.3 + 0.12 * Math.sin(k * 5.1 + seconds * 3)) * t;
      billboards.flame(x, this.ground.floor(x, z) + 0.3, z, size, k * 7, COLORS[LOOK.burn], 0.95 * t);
      if (k % 5 === 0 && seconds > 0) {
        const up = (seconds * 0.8 + k * 0.17) % 1;
        billboards.spark(x, y + 0.4 + up * 1.4, z, px * 0.09, HOT, (1 - up) * t);
      }
    }
  }

  /** A circle with a hand that goes round. Lines follow the ground, which may be steep. */
  private scan(
    a: Area,
    radius: number,
    level: number,
    turn: number,
    billboards: Billboards,
    px: number,
  ): void {
    const step = (Math.PI * 2) / SCAN_SEGMENTS;
    for (let k = 0; k < SCAN_SEGMENTS; k++)
      this.groundLine(a, radius, k * step, radius, (k + 1) * step, px * 0.07, 0.85 * level, billboards);
    for (let hand = 0; hand < SCAN_HANDS; hand++) {
      const angle = turn - hand * 0.06;
      const alpha = level * 0.34 * (1 - hand / SCAN_HANDS) ** 2;
      for (let k = 1; k < 6; k++)
        this.groundLine(
          a,
          (radius * k) / 6,
          angle,
          (radius * (k + 1)) / 6,
          angle,
          px * 0.12,
          alpha,
          billboards,
        );
    }
  }

  private groundLine(
    a: Area,
    r: number,
    angle: number,
    toR: number,
    toAngle: number,
    halfPx: number,
    alpha: number,
    billboards: Billboards,
  ): void {
    const x = a.x + Math.cos(angle) * r;
    const z = a.z + Math.sin(angle) * r;
    const tx = a.x + Math.cos(toAngle) * toR;
    const tz = a.z + Math.sin(toAngle) * toR;
    const y = this.ground.floor(x, z) + 0.08;
    const ty = this.ground.floor(tx, tz) + 0.08;
    billboards.line("plain", x, y, z, tx, ty, tz, Math.max(1, halfPx), SCAN, alpha);
  }

  /** An ability that is no action of an entity, or works on the ground, began. */
  private used(what: number, slot: number, x: number, z: number): void {
    const ability = this.state.info.rules.abilities[what];
    if (ability?.kind === "burn" && slot < 0) {
      const ms = ability.durationTicks * this.state.info.tickMs;
      const a = this.addArea("burn", x, z, ability.radius / 1024, ms);
      a.by = this.caster(x, z, ability.range / 1024 + 1);
    } else if (slot >= 0) this.mark(MARK.pulse, slot, LOOK.cloak);
  }

  /** The nearest entity in sight that began to burn ground in this tick, or 0. */
  private caster(x: number, z: number, within: number): number {
    const { world, actions } = this.state;
    let best = 0;
    let least = within * within;
    for (let s = 0; s < world.high; s++) {
      const id = world.ids[s];
      if (id === 0 || actions.find(id, "burn")?.since !== world.tick) continue;
      const d = (world.posX(s) / 1024 - x) ** 2 + (world.posY(s) / 1024 - z) ** 2;
      if (d < least) {
        least = d;
        best = id;
      }
    }
    return best;
  }

  /** The team got a source of sight: a circle that a scan shows, if it is as large as one. */
  private scanned(x: number, z: number, radius: number, ticks: number): void {
    const { abilities } = this.state.info.rules;
    if (!abilities.some((a) => a.kind === "scan" && a.sight / 2 === radius)) return;
    const ms = ticks * this.state.info.tickMs;
    const again = this.areas.find((a) => a.kind === "scan" && a.x === x && a.z === z);
    if (again) again.endMs = this.now() + ms;
    else this.addArea("scan", x, z, radius, ms);
  }

  private addArea(kind: "burn" | "scan", x: number, z: number, radius: number, ms: number): Area {
    const a = this.areas[this.nextArea];
    this.nextArea = (this.nextArea + 1) % AREAS;
    this.begun++;
    a.kind = kind;
    a.x = x;
    a.z = z;
    a.radius = radius;
    a.startMs = this.now();
    a.endMs = a.startMs + ms;
    a.by = 0;
    return a;
  }

  /** The fire of who burns ground goes out. */
  private endOf(id: number): void {
    for (const a of this.areas) if (a.kind === "burn" && a.by === id) a.endMs = Math.min(a.endMs, this.now());
  }

  private left(id: number, slot: number, why: "fog" | "dead"): void {
    if (why === "dead") this.endOf(id);
    for (let i = 0; i < MARKS; i++)
      if (this.slot[i] === slot || this.from[i] === slot) this.kind[i] = MARK.none;
  }

  private clear(): void {
    this.kind.fill(MARK.none);
  }

  private mark(kind: number, slot: number, look: number, from = -1): void {
    const i = this.next;
    this.next = (i + 1) % MARKS;
    this.begun++;
    this.kind[i] = kind;
    this.look[i] = look;
    this.slot[i] = slot;
    this.from[i] = from;
    this.start[i] = this.now();
  }
}
