// One player's whole knowledge of a match, and the one function that changes
// it: `apply(frame)`. It reads no clock, touches no page and opens nothing, so
// a recorded stream gives the same state anywhere.

import {
  ALL_TEAMS,
  type Handle,
  NO_OWNER,
  type PingName,
  type Slot,
  type Team,
  type Tick,
  type TypeId,
} from "../base/ids";
import { Emitter } from "../base/signal";
import { VALUES } from "../gen/fields";
import { PingKind } from "../gen/fogkeep/v1/client_pb.js";
import {
  type Ended,
  type Events as EventColumns,
  EventKind,
  type Ghosts,
  type MaskRows,
  type Own,
  type ServerFrame,
} from "../gen/fogkeep/v1/server_pb.js";
import { type Course, cellX, cellY, type Place, readCourse, readPlace } from "./course";
import { Fog } from "./fog";
import { type MatchInfo, PLAYER_STATES, type PlayerInfo } from "./info";
import { Mask, readRows } from "./mask";
import { OwnPart, type OwnState } from "./own";
import { typeOf } from "./rules";
import { World } from "./world";

/** A structure as last seen; its id is a handle like those of entities. */
export interface Ghost {
  readonly id: Handle;
  readonly type: TypeId;
  readonly owner: number;
  /** World units. */
  readonly x: number;
  readonly y: number;
  readonly facing: number;
  readonly hp: number;
  /** When it was last seen. */
  readonly tick: Tick;
}

export interface Score {
  readonly kills: number;
  readonly losses: number;
  readonly made: number;
}

export interface MatchResult {
  /** Teams; none is a draw. */
  readonly winners: readonly Team[];
  readonly reason: string;
  readonly scores: readonly Score[];
}

/** What was caught at a place, in world units. */
export interface WorldEvent {
  readonly x: number;
  readonly y: number;
  readonly what: number;
  /** Handles, 0 when not seen. */
  readonly source: Handle;
  readonly target: Handle;
}

export interface StateEvents {
  /** Rows of the world; valid while the listener runs. */
  enter: { slot: number };
  leave: { id: Handle; slot: number; why: "fog" | "dead" };
  ghost: Ghost;
  unghost: Ghost;
  /** A thing in sight fired; the row is valid while the listener runs. */
  fire: { slot: number; shots: number };
  shot: WorldEvent;
  hit: WorldEvent;
  death: WorldEvent;
  blast: WorldEvent;
  built: WorldEvent;
  trained: WorldEvent;
  attacked: WorldEvent;
  ability: WorldEvent;
  answer: { seq: number; code: number; leftOut: readonly { unit: Handle; code: number }[] };
  cancelled: { unit: Handle; code: number };
  /** What an order with a request of this client's own brought about. */
  started: { request: number; handle: Handle };
  own: OwnState;
  player: PlayerInfo;
  chat: { slot: Slot; all: boolean; text: string };
  ping: { slot: Slot; kind: PingName; x: number; y: number };
  reset: { why: "snapshot" };
  /** What is held is not what the server thinks: the derived mask is another, or what leaves or moves is not there. */
  mismatch: { tick: Tick };
  end: MatchResult;
}

const EVENT_NAMES: Partial<
  Record<EventKind, "shot" | "hit" | "death" | "blast" | "built" | "trained" | "attacked" | "ability">
> = {
  [EventKind.SHOT]: "shot",
  [EventKind.HIT]: "hit",
  [EventKind.DEATH]: "death",
  [EventKind.BLAST]: "blast",
  [EventKind.BUILT]: "built",
  [EventKind.TRAINED]: "trained",
  [EventKind.ATTACKED]: "attacked",
  [EventKind.ABILITY]: "ability",
};

const PING_NAMES: Record<PingKind, PingName> = {
  [PingKind.UNSPECIFIED]: "look",
  [PingKind.LOOK]: "look",
  [PingKind.DANGER]: "danger",
  [PingKind.HELP]: "help",
};

/** More answers than one message has. */
const ANSWERS_MAX = 1 << 14;

/** The bit of a burst that says that it goes on. */
const FIRING = 2;

export class MatchState {
  readonly world: World;
  readonly mask: Mask;
  readonly ghosts = new Map<number, Ghost>();
  readonly events = new Emitter<StateEvents>();
  readonly own: OwnPart;
  result: MatchResult | null = null;
  /** When the match ended; the server's ticks go on for a few seconds. Null while it runs. */
  endTick: Tick | null = null;
  /**
   * Who shows the end keeps what was told with it: the server plays on for a few
   * seconds, in which who is out goes blind. Later frames bring talk and time alone.
   */
  keepsEnd = false;
  /** Frames applied. */
  frames = 0;
  /** The mask is derived here; null where the server sends its rows. */
  readonly fog: Fog | null;

  /** A frame named what is not held. */
  private astray = false;
  /** Handles of who fires. */
  private readonly firing = new Set<Handle>();
  private readonly course: Course = { vx: 0, vy: 0, facing: 0 };
  private readonly place: Place = { x: 0, y: 0, cell: false };

  constructor(
    readonly info: MatchInfo,
    derives = false,
  ) {
    this.world = new World(info.rules, info.map.width, info.map.height);
    this.mask = new Mask(info.map.width, info.map.height);
    this.own = new OwnPart(
      () => this.tick,
      (type) => typeOf(info.rules, type).buildTicks,
      info.map.width,
    );
    this.fog = derives ? new Fog(info, this.world, this.mask) : null;
  }

  /** What the owner of a row is to this player. */
  relation(slot: number): "own" | "ally" | "enemy" | "neutral" {
    return this.relationOf(this.world.owner[slot]);
  }

  relationOf(owner: number): "own" | "ally" | "enemy" | "neutral" {
    const { info } = this;
    if (owner === NO_OWNER) return "neutral";
    if (owner === info.slot && !info.spectator) return "own";
    if (info.team === ALL_TEAMS) return "ally";
    return info.players[owner]?.team === info.team ? "ally" : "enemy";
  }

  get tick(): Tick {
    return this.world.tick;
  }

  /**
   * Applies one frame. `nowMs` only stamps when things were told, for drawing.
   * Messages that hold a welcome or a closing are no frames.
   */
  apply(f: ServerFrame, nowMs: number): void {
    const snapshot = f.tick !== 0;
    if (this.result && this.keepsEnd) {
      this.world.tick = snapshot ? f.tick : this.world.tick + (f.span || 1);
      this.heard(f);
      this.frames++;
      return;
    }
    this.astray = false;
    if (snapshot) this.forget();
    else this.fog?.before(f.span || 1, f.skipped);
    this.world.tick = snapshot ? f.tick : this.world.tick + (f.span || 1);

    // In the order that server.proto states: what leaves may free a handle that enters.
    rows(f.leave, 1, (id) => this.leave(id, "fog"));
    rows(f.destroyed, 1, (id) => {
      if (f.skipped === 0) this.fog?.destroyed(this.world.slot(id));
      this.leave(id, "dead");
    });
    this.enters(f.enter, snapshot, nowMs);
    this.motions(f.motion);
    rows(f.exact, 3, (id, at) => {
      const slot = this.world.slot(id);
      const fine = f.exact[at + 2];
      if (slot >= 0) this.world.exact(slot, f.exact[at + 1], fine >> 6, fine & 63);
    });
    for (const { key } of VALUES) {
      const list = f[key];
      rows(list, 2, (id, at) => {
        const slot = this.world.slot(id);
        if (slot < 0) return;
        this.world.setValue(slot, key, list[at + 1], nowMs);
        if (key === "burst") this.burst(id, list[at + 1]);
      });
    }
    if (f.ghosts) this.ghostRows(f.ghosts);
    if (f.mask) this.maskRows(f.mask);
    const agrees = !this.fog || this.fog.after(f.sights, f.maskHash);
    if (!agrees || this.astray) this.events.emit("mismatch", { tick: this.tick });
    rows(f.fire, 2, (id, at) => this.fires(id, f.fire[at + 1], nowMs));
    if (f.events) this.caught(f.events, nowMs);
    this.fireOn(nowMs);

    for (const p of f.players) {
      const player = this.info.players[p.slot];
      if (!player) continue;
      const now = PLAYER_STATES[p.state] ?? "playing";
      if (now === player.state) continue;
      player.state = now;
      this.events.emit("player", player);
    }
    this.heard(f);
    if (f.own) this.ownPart(f.own);
    this.frames++;
    if (snapshot) this.events.emit("reset", { why: "snapshot" });
    if (f.ended) this.end(f.ended);
  }

  /** Talk, pings and answers: what is no part of the world. */
  private heard(f: ServerFrame): void {
    for (const s of f.said) this.events.emit("chat", { slot: s.slot, all: s.all, text: s.text });
    for (const p of f.pinged) {
      this.events.emit("ping", {
        slot: p.slot,
        kind: PING_NAMES[p.kind] ?? "look",
        x: p.at?.x ?? 0,
        y: p.at?.y ?? 0,
      });
    }
    for (const a of f.answers) {
      const leftOut = a.leftOut.map((unit, i) => ({ unit, code: a.leftOutCode[i] ?? 0 }));
      for (let i = 0; i <= Math.min(a.more, ANSWERS_MAX); i++) {
        this.events.emit("answer", { seq: a.seq + i, code: a.code, leftOut });
      }
    }
  }

  /** Forgets what was held, but not what is explored. */
  private forget(): void {
    this.world.clear();
    this.firing.clear();
    this.ghosts.clear();
    this.mask.darken();
    this.fog?.clear();
    this.own.forget();
  }

  private leave(id: Handle, why: "fog" | "dead"): void {
    const slot = this.world.slot(id);
    if (slot < 0) {
      this.astray = true;
      return;
    }
    this.events.emit("leave", { id, slot, why });
    const { world } = this;
    if (why === "dead" && typeOf(this.info.rules, world.type[slot]).class === "projectile") {
      // It came down somewhere on the last tick's way: half of it back is near enough.
      const x = (world.posX(slot) + world.xAt(slot, this.tick - 1)) / 2;
      const y = (world.posY(slot) + world.yAt(slot, this.tick - 1)) / 2;
      this.events.emit("blast", { x, y, what: 0, source: id, target: 0 });
    }
    this.world.leave(id);
    this.own.drop(id);
  }

  private enters(e: readonly number[], snapshot: boolean, nowMs: number): void {
    const { types } = this.info.rules;
    const kinds = (this.info.players.length + 1) * types.length;
    let handle = 0;
    for (let i = 0; i + 2 < e.length; i += 3) {
      handle += Math.floor(e[i] / kinds);
      const kind = e[i] % kinds;
      const type = kind % types.length;
      const owner = Math.floor(kind / types.length);
      readCourse(e[i + 2], types[type].speed, this.course);
      const slot = this.world.enter(
        {
          handle,
          type,
          owner: owner ? owner - 1 : NO_OWNER,
          x: cellX(e[i + 1], this.mask.width),
          y: cellY(e[i + 1], this.mask.width),
          vx: this.course.vx,
          vy: this.course.vy,
          facing: this.course.facing,
        },
        snapshot ? nowMs - 10_000 : nowMs,
      );
      this.events.emit("enter", { slot });
      if (!snapshot && types[type].class === "unit" && this.relation(slot) === "own") {
        const { world } = this;
        this.events.emit("trained", {
          x: world.posX(slot),
          y: world.posY(slot),
          what: type,
          source: handle,
          target: 0,
        });
      }
    }
  }

  private motions(m: readonly number[]): void {
    const { world } = this;
    rows(m, 3, (id, at) => {
      const slot = world.slot(id);
      if (slot < 0) {
        this.astray = true;
        return;
      }
      const place = readPlace(m[at + 1], world.posX(slot), world.posY(slot), this.mask.width, this.place);
      const course = readCourse(m[at + 2], typeOf(this.info.rules, world.type[slot]).speed, this.course);
      world.motion(slot, place.x, place.y, course.vx, course.vy, course.facing);
    });
  }

  private burst(id: Handle, burst: number): void {
    if ((burst & FIRING) !== 0) this.firing.add(id);
    else this.firing.delete(id);
  }

  private ghostRows(g: Ghosts): void {
    rows(g.gone, 1, (id) => {
      const ghost = this.ghosts.get(id);
      if (!ghost) return;
      this.ghosts.delete(id);
      this.events.emit("unghost", ghost);
    });
    let id = 0;
    for (let i = 0; i < g.handle.length; i++) {
      id += g.handle[i];
      const type = g.type[i] ?? 0;
      const ghost: Ghost = {
        id,
        type,
        owner: g.owner[i] ? g.owner[i] - 1 : NO_OWNER,
        x: g.x[i] ?? 0,
        y: g.y[i] ?? 0,
        facing: g.facing[i] ?? 0,
        hp: (this.info.rules.types[type]?.health ?? 0) - (g.hpMissing[i] ?? 0),
        tick: this.world.tick,
      };
      this.ghosts.set(id, ghost);
      this.events.emit("ghost", ghost);
    }
  }

  private maskRows(m: MaskRows): void {
    const { mask } = this;
    const { width, height } = mask;
    // One who derives takes what is visible from there alone.
    if (!this.fog)
      readRows(width, height, m.row, m.visibleRuns, m.visible, (i, on) => mask.setVisible(i, on));
    // Explored only grows: a row tells what is, and what is visible is explored already.
    readRows(width, height, m.row, m.exploredRuns, m.explored, (i, on) => {
      if (on) mask.setExplored(i, true);
    });
  }

  /** It opens fire on another target, both in sight. */
  private fires(id: Handle, target: Handle, nowMs: number): void {
    const { world } = this;
    const slot = world.slot(id);
    const aim = world.slot(target);
    if (slot < 0 || aim < 0) return;
    const x = world.posX(aim);
    const y = world.posY(aim);
    world.look(slot, x, y);
    world.shotMs[slot] = nowMs;
    world.aimX[slot] = x / 1024;
    world.aimZ[slot] = y / 1024;
    const weapon = typeOf(this.info.rules, world.type[slot]).weapons[0] ?? 0;
    this.events.emit("shot", { x, y, what: weapon, source: id, target });
  }

  /** Who fires, fires on by the weapon's rate until told otherwise. */
  private fireOn(nowMs: number): void {
    const { world } = this;
    const { weapons } = this.info.rules;
    for (const id of this.firing) {
      const slot = world.slot(id);
      if (slot < 0) {
        this.firing.delete(id);
        continue;
      }
      const weapon = weapons[typeOf(this.info.rules, world.type[slot]).weapons[0] ?? -1];
      const periodMs = (weapon?.cooldownTicks ?? 20) * this.info.tickMs;
      if (nowMs - world.shotMs[slot] < periodMs) continue;
      world.shotMs[slot] = nowMs;
      this.events.emit("fire", { slot, shots: 1 });
    }
  }

  private caught(e: EventColumns, nowMs: number): void {
    for (let i = 0; i < e.kind.length; i++) {
      const name = EVENT_NAMES[e.kind[i]];
      if (!name) continue;
      const c: WorldEvent = {
        x: e.x[i] ?? 0,
        y: e.y[i] ?? 0,
        what: e.what[i] ?? 0,
        source: e.source[i] ?? 0,
        target: e.target[i] ?? 0,
      };
      const slot = this.world.slot(c.source);
      if (name === "shot" && slot >= 0) {
        this.world.look(slot, c.x, c.y);
        this.world.shotMs[slot] = nowMs;
        this.world.aimX[slot] = c.x / 1024;
        this.world.aimZ[slot] = c.y / 1024;
      }
      this.events.emit(name, c);
    }
  }

  private ownPart(o: Own): void {
    this.own.take(o);
    for (let i = 0; i < o.cancelled.length; i++) {
      this.events.emit("cancelled", { unit: o.cancelled[i], code: o.cancelledCode[i] ?? 0 });
    }
    for (let i = 0; i + 1 < o.started.length; i += 2) {
      this.events.emit("started", { request: o.started[i], handle: o.started[i + 1] });
    }
    this.events.emit("own", this.own);
  }

  private end(e: Ended): void {
    this.result = {
      winners: e.winners.slice(),
      reason: e.reason,
      scores: e.scores.map((s) => ({ kills: s.kills, losses: s.losses, made: s.made })),
    };
    this.endTick ??= this.tick;
    this.events.emit("end", this.result);
  }
}

/**
 * Walks rows of a fixed length whose first number is the distance to the
 * handle of the row before. Half a row at the end is not there.
 */
function rows(list: readonly number[], length: number, fn: (id: Handle, at: number) => void): void {
  let id = 0;
  for (let at = 0; at + length <= list.length; at += length) {
    id += list[at];
    fn(id, at);
  }
}
