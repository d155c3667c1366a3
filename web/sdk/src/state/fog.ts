// Derives the team's mask from the entities that the client knows, by the
// server's rule (match/client/fog.go). So the mask costs no bytes in the steady
// state. The server sends a hash now and then; it shows whether the two masks
// are equal.

import { ALL_TEAMS } from "../base/ids.js";
import { FLAG } from "../gen/fields.js";
import type { Sight as WireSight } from "../gen/fogkeep/v1/server_pb.js";
import { OCCLUSION_LINE_OF_SIGHT } from "../vision/ground.js";
import { Ground, hashMask, Vision } from "../vision/index.js";
import { RADIUS_MAX } from "../vision/shapes.js";
import type { Actions } from "./actions.js";
import type { Ghost } from "./events.js";
import type { MatchInfo } from "./info.js";
import { CLIFF } from "./map.js";
import type { Mask } from "./mask.js";
import type { TypeInfo } from "./rules.js";
import type { World } from "./world.js";

/** Sight of a structure under construction is at most this, in half tiles. */
const UNBUILT_RADIUS = 4;
/** The most ticks that are derived for one frame. */
const CATCH_UP_MAX = 256;
/** The most sources over all ticks of one frame; keeps the time for a frame short. */
const CATCH_UP_SOURCES = 500_000;
/** The most sights without an entity at once. Beyond it the mask will differ, and the hash shows that. */
const TIMED_MAX = 4096;

interface TimedSight {
  x: number;
  y: number;
  radius: number;
  flyer: boolean;
  levelBonus: number;
  /** The first tick in which it gives no sight. */
  until: number;
}

export class Fog {
  private readonly vision: Vision;
  /** Tiles where features stand that block sight, as far as the team knows; null: no type blocks it. */
  private opaque: Set<number> | null;
  private timed: TimedSight[] = [];
  private last = 0;
  /** How often the server's hash differed. */
  mismatches = 0;

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly mask: Mask,
    private readonly actions: Actions,
    private readonly ghosts: ReadonlyMap<number, Ghost>,
  ) {
    const { map } = info;
    const opaque = Uint8Array.from(map.terrain, (t) => (t === CLIFF ? 1 : 0));
    const blocks = map.occlusion === OCCLUSION_LINE_OF_SIGHT && info.rules.types.some((t) => t.blocksSight);
    this.opaque = blocks ? new Set() : null;
    this.vision = new Vision(new Ground(map.width, map.height, map.occlusion, map.levels, opaque));
  }

  /** Before a snapshot: forgets everything. */
  clear(): void {
    this.vision.clear();
    this.timed = [];
    this.last = 0;
  }

  /**
   * Before a frame that comes `span` ticks after the last one: derives the mask of the
   * ticks between. Skipped ticks are left out; the frame has what they explored.
   */
  before(span: number, skipped: number): void {
    if (this.last === 0) return;
    const most = Math.min(CATCH_UP_MAX, CATCH_UP_SOURCES / (this.world.count + 1));
    const end = this.world.tick + Math.min(Math.max(0, span - skipped), most);
    for (let t = this.last + 1; t < end; t++) this.derive(t);
  }

  /** After a frame was applied. Returns false when the server's mask differs. */
  after(sights: readonly WireSight[], hash: number | undefined): boolean {
    const { tick } = this.world;
    for (const s of sights) {
      this.timed.push({
        x: s.x,
        y: s.y,
        radius: s.radius,
        flyer: s.flyer,
        levelBonus: s.levelBonus,
        until: tick + s.ticks,
      });
    }
    if (this.timed.length > TIMED_MAX) this.timed.length = TIMED_MAX;
    this.standing();
    this.derive(tick);
    if (hash === undefined || hash === hashMask(this.vision.visible)) return true;
    this.mismatches++;
    return false;
  }

  /** An entity is destroyed in this tick. If it gave the team sight, that sight lasts for a while. */
  destroyed(slot: number): void {
    const { world, info } = this;
    const { tick } = world;
    const type = this.eye(slot);
    if (!type || info.dyingSightTicks === 0 || this.timed.length >= TIMED_MAX) return;
    this.timed.push({
      x: world.xAt(slot, tick - 1) >> 10,
      y: world.yAt(slot, tick - 1) >> 10,
      radius: this.radius(slot, type),
      flyer: type.flyerSight,
      levelBonus: type.levelBonus,
      until: tick + info.dyingSightTicks,
    });
  }

  /** Takes over where the team takes opaque features to stand. */
  private standing(): void {
    const { opaque, world, info, ghosts } = this;
    const { map, rules } = info;
    if (!opaque) return;
    const now = new Set<number>();
    const stands = (type: number, x: number, y: number) => {
      const i = (y >> 10) * map.width + (x >> 10);
      if (rules.types[type]?.blocksSight && map.terrain[i] !== undefined && map.terrain[i] !== CLIFF)
        now.add(i);
    };
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] !== 0) stands(world.type[s], world.xAt(s, world.tick), world.yAt(s, world.tick));
    }
    for (const g of ghosts.values()) stands(g.type, g.x, g.y);
    const set = (i: number, on: boolean) =>
      this.vision.ground.set(i % map.width, Math.floor(i / map.width), map.levels[i], on);
    for (const i of opaque) if (!now.has(i)) set(i, false);
    for (const i of now) if (!opaque.has(i)) set(i, true);
    this.opaque = now;
  }

  /** The type of an entity that gives the team sight, else null. */
  private eye(slot: number): TypeInfo | null {
    const { world, info } = this;
    const team = info.players[world.owner[slot]]?.team;
    if (world.ids[slot] === 0 || team === undefined) return null;
    if (team !== info.team && info.team !== ALL_TEAMS) return null;
    const type = info.rules.types[world.type[slot]];
    return type && (type.class === "unit" || type.class === "structure") ? type : null;
  }

  private radius(slot: number, type: TypeInfo): number {
    const building = (this.world.flags[slot] & FLAG.building) !== 0;
    const sight = Math.min(RADIUS_MAX, this.actions.attribute(this.world.ids[slot], "sight", type.sight));
    return building ? Math.min(sight, UNBUILT_RADIUS) : sight;
  }

  private derive(tick: number): void {
    const { world, mask, vision } = this;
    vision.begin();
    for (let s = 0; s < world.high; s++) {
      const type = this.eye(s);
      if (!type) continue;
      const x = world.xAt(s, tick) >> 10;
      const y = world.yAt(s, tick) >> 10;
      vision.add(x, y, this.radius(s, type), type.flyerSight, type.levelBonus);
    }
    if (this.timed.length > 0) {
      this.timed = this.timed.filter((t) => t.until > tick);
      for (const t of this.timed) vision.add(t.x, t.y, t.radius, t.flyer, t.levelBonus);
    }
    vision.end();
    vision.eachChange((x, y, visible) => mask.setVisible(y * mask.width + x, visible));
    this.last = tick;
  }
}
