// One player's knowledge of a match, and the one function that changes it:
// `apply(frame)`. It reads no clock and does no I/O: a recorded stream gives the
// same state anywhere.

import { ALL_TEAMS, type Handle, NO_OWNER, type PingName, type Tick } from "../base/ids.js";
import { Emitter } from "../base/signal.js";
import { ATTRIBUTES, VALUES } from "../gen/fields.js";
import { PingKind } from "../gen/fogkeep/v1/client_pb.js";
import type {
  Ended,
  Events as EventColumns,
  Ghosts,
  MaskRows,
  Own,
  ServerFrame,
} from "../gen/fogkeep/v1/server_pb.js";
import { EventKind, Handed } from "../gen/fogkeep/v1/server_pb.js";
import { Actions } from "./actions.js";
import { burstValue } from "./burst.js";
import { type Course, cellX, cellY, type Place, readCourse, readPlace } from "./course.js";
import type { Ghost, MatchResult, StateEvents, WorldEvent } from "./events.js";
import { Fog } from "./fog.js";
import type { MatchInfo } from "./info.js";
import { Mask, readRows } from "./mask.js";
import { OwnerState } from "./ownerstate.js";
import { Prediction } from "./prediction.js";
import { Radar } from "./radar.js";
import { eachRow } from "./rows.js";
import { typeOf } from "./rules.js";
import { PredictedShots } from "./shots.js";
import { DeclaredValues } from "./values.js";
import { WeaponFire } from "./weaponfire.js";
import { PLAYER_STATES } from "./welcome.js";
import { CHANGES_WRAP, World } from "./world.js";

/** Names of the wire's events of the world. */
const EVENT_NAMES: Partial<
  Record<EventKind, "hit" | "death" | "blast" | "built" | "trained" | "attacked" | "ability" | "heard">
> = {
  [EventKind.HIT]: "hit",
  [EventKind.DEATH]: "death",
  [EventKind.BLAST]: "blast",
  [EventKind.BUILT]: "built",
  [EventKind.TRAINED]: "trained",
  [EventKind.ATTACKED]: "attacked",
  [EventKind.ABILITY]: "ability",
  [EventKind.HEARD]: "heard",
};

const PING_NAMES: Record<PingKind, PingName> = {
  [PingKind.UNSPECIFIED]: "look",
  [PingKind.LOOK]: "look",
  [PingKind.DANGER]: "danger",
  [PingKind.HELP]: "help",
};

/** The values of bursts, by weapon. */
const BURSTS: readonly ("burst" | "burstSecond")[] = ["burst", "burstSecond"];
/** The most answers of one message. */
const ANSWERS_MAX = 1 << 14;

/** Attributes and their counters: values that are applied in pairs. */
const COUNTED: ReadonlySet<string> = new Set(ATTRIBUTES.flatMap((a) => [a.value, a.changes]));

export class MatchState {
  readonly world: World;
  readonly mask: Mask;
  readonly ghosts = new Map<number, Ghost>();
  /** Abilities that run, and effects on units. */
  readonly actions: Actions;
  /** Contacts of the team's radar. */
  readonly radar: Radar;
  /** Values of entities that the ruleset declares. */
  readonly values: DeclaredValues;
  readonly events = new Emitter<StateEvents>();
  readonly own: OwnerState;
  /** The shots of entities in sight: `draw` draws the due ones, and it counts them. */
  readonly fire: WeaponFire;
  /** Shows the player's orders before the server has acted on them. */
  readonly prediction: Prediction;
  /** Shots that are shown before the server reports them. */
  readonly shots: PredictedShots;
  result: MatchResult | null = null;
  /** When the match ended; the server's ticks go on for a few seconds. Null while it runs. */
  endTick: Tick | null = null;
  /**
   * After the end, apply only messages and the tick. The server plays on for a few
   * seconds, in which defeated players lose their sight; a page that shows the end
   * keeps the world as it was.
   */
  keepsEnd = false;
  /**
   * @internal Of a replay: a snapshot may be of an earlier tick than the frame before, or of other eyes, and clears
   * explored tiles as well.
   */
  rewinds = false;
  /** Frames applied. */
  frames = 0;
  /** @internal Derives the mask; null where the server sends its rows. */
  readonly fog: Fog | null;

  /** The frame named an entity that is not in the world. */
  private inconsistent = false;
  private readonly course: Course = { vx: 0, vy: 0, facing: 0 };
  private readonly place: Place = { x: 0, y: 0, cell: false };

  constructor(
    readonly info: MatchInfo,
    derives = false,
  ) {
    this.world = new World(info.rules, info.map.width, info.map.height, info.tickMs);
    this.mask = new Mask(info.map.width, info.map.height);
    this.own = new OwnerState(
      () => this.tick,
      (type) => typeOf(info.rules, type).buildTicks,
      info.map.width,
    );
    this.values = new DeclaredValues(info, this.world, this.events);
    this.actions = new Actions(info, this.world, this.own, this.values, this.events);
    this.radar = new Radar(info.contactTicks);
    this.fire = new WeaponFire(info, this.world, this.actions, this.events);
    const idle = (id: Handle) => (this.own.units.get(id)?.doing ?? "idle") === "idle";
    this.prediction = new Prediction(info, this.world, idle);
    this.world.ahead = this.prediction;
    this.shots = new PredictedShots(info, this.world, this.actions, this.own, this.fire);
    this.fog = derives ? new Fog(info, this.world, this.mask, this.actions, this.ghosts) : null;
  }

  /** How the owner of a row relates to this player. */
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
   * Applies one frame. `nowMs` stamps when things happened, for drawing only.
   * Messages with a welcome or a closing are not frames.
   *
   * @internal
   */
  apply(f: ServerFrame, nowMs: number): void {
    const snapshot = f.tick !== 0;
    if (this.result && this.keepsEnd) {
      this.world.tick = snapshot ? f.tick : this.world.tick + (f.span || 1);
      this.applyMessages(f);
      this.frames++;
      return;
    }
    this.inconsistent = false;
    this.prediction.before();
    if (snapshot) {
      this.clear(nowMs);
      if (this.rewinds) this.rewind(f.tick);
    } else this.fog?.before(f.span || 1, f.skipped);
    this.world.tick = snapshot ? f.tick : this.world.tick + (f.span || 1);

    // In the order that server.proto states: a leaving entity frees its handle for an entering one.
    eachRow(f.lastBursts, 3, (id, at) => this.fire.last(id, f.lastBursts[at + 1], f.lastBursts[at + 2]));
    eachRow(f.leave, 1, (id) => this.leave(id, "fog", nowMs));
    eachRow(f.destroyed, 1, (id) => {
      if (f.skipped === 0) this.fog?.destroyed(this.world.slot(id));
      this.leave(id, "dead", nowMs);
    });
    this.applyEnter(f.enter, snapshot, nowMs);
    if (snapshot) this.prediction.found();
    eachRow(f.owner, 2, (id, at) => this.changeOwner(id, f.owner[at + 1]));
    this.applyMotion(f.motion);
    eachRow(f.exact, 3, (id, at) => {
      const slot = this.world.slot(id);
      const fine = f.exact[at + 2];
      if (slot >= 0) this.world.exact(slot, f.exact[at + 1], fine >> 6, fine & 63);
    });
    this.applyValues(f, nowMs);
    if (!this.actions.apply(f.actions, f.effects)) this.inconsistent = true;
    if (!this.values.apply(f.values, false)) this.inconsistent = true;
    this.applyBursts(f);
    if (snapshot) this.fire.begin();
    if (f.ghosts) this.applyGhosts(f.ghosts);
    if (f.mask) this.applyMask(f.mask);
    const agrees = !this.fog || f.partial || this.fog.after(f.sights, f.maskHash);
    if (!agrees || this.inconsistent) this.events.emit("mismatch", { tick: this.tick });
    for (const c of this.radar.apply(f.contacts, this.tick)) this.events.emit("contact", c);
    eachRow(f.fire, 2, (id, at) => this.fire.aimAt(id, f.fire[at + 1]));
    for (const { x, y, radius, ticks } of f.sights) this.events.emit("sight", { x, y, radius, ticks });
    if (f.events) this.applyEvents(f.events);

    for (const p of f.players) {
      const player = this.info.players[p.slot];
      if (!player) continue;
      if (p.name && p.name !== player.name) {
        const was = player.name;
        player.name = p.name;
        player.bot = false;
        this.events.emit("taken", { player, was });
      }
      const score = p.score ?? null;
      const values = Object.fromEntries(
        this.info.modeValues.slice(0, p.values.length).map((v, i) => [v.name, p.values[i]]),
      );
      if (score !== player.score || JSON.stringify(values) !== JSON.stringify(player.values)) {
        player.score = score;
        player.values = values;
        this.events.emit("score", player);
      }
      const now = PLAYER_STATES[p.state] ?? "playing";
      if (now === player.state) continue;
      player.state = now;
      this.events.emit("player", player);
    }
    this.applyMessages(f);
    if (f.own) this.applyOwner(f.own);
    this.actions.settle();
    this.prediction.told();
    this.frames++;
    if (snapshot) this.events.emit("reset", { why: "snapshot" });
    if (f.ended) this.end(f.ended);
  }

  private applyValues(f: ServerFrame, nowMs: number): void {
    const { world } = this;
    for (const attribute of ATTRIBUTES) this.applyAttribute(attribute, f, nowMs);
    for (const { key } of VALUES) {
      const list = f[key];
      if (list.length === 0 || COUNTED.has(key)) continue;
      eachRow(list, 2, (id, at) => {
        const slot = world.slot(id);
        if (slot < 0) return;
        world.setValue(
          slot,
          key,
          key === "burst" || key === "burstSecond" ? burstValue(list[at + 1]) : list[at + 1],
        );
      });
    }
  }

  /** Applies how often weapons have fired: their rates follow from the abilities that run. */
  private applyBursts(f: ServerFrame): void {
    BURSTS.forEach((key, index) => {
      const list = f[key];
      eachRow(list, 2, (id, at) => this.fire.burst(id, index, list[at + 1], f.span || 1));
    });
  }

  /** Applies the rows of an attribute, then its counter's, and reports each change once. */
  private applyAttribute(
    { value, changes }: (typeof ATTRIBUTES)[number],
    f: ServerFrame,
    nowMs: number,
  ): void {
    if (f[value].length === 0 && f[changes].length === 0) return;
    const { world } = this;
    const before = new Map<number, { left: number; counted: number }>();
    for (const key of [value, changes]) {
      const list = f[key];
      eachRow(list, 2, (id, at) => {
        const slot = world.slot(id);
        if (slot < 0) return;
        if (world.enterTick[slot] !== world.tick && !before.has(slot))
          before.set(slot, { left: world.left(slot, value), counted: world[changes][slot] });
        world.setValue(slot, key, list[at + 1]);
      });
    }
    const flash = value === "health" ? world.hitMs : world.shieldHitMs;
    for (const [slot, { left, counted }] of before) {
      const now = world.left(slot, value);
      if (now <= left) flash[slot] = nowMs; // it fell, and may have risen again
      const times = (world[changes][slot] - counted + CHANGES_WRAP) % CHANGES_WRAP;
      this.events.emit("attribute", {
        id: world.ids[slot],
        slot,
        attribute: value,
        was: left,
        now,
        times,
      });
    }
  }

  /** @internal Lines of chat; during a pause they come without a frame. */
  hear(said: ServerFrame["said"]): void {
    for (const s of said)
      if (s.handed)
        this.events.emit("handed", { slot: s.slot, back: s.handed === Handed.BACK, units: s.units });
      else this.events.emit("chat", { slot: s.slot, all: s.all, text: s.text });
  }

  /** Chat, pings and answers: messages that do not change the world. */
  private applyMessages(f: ServerFrame): void {
    this.hear(f.said);
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
        this.prediction.answered(a.seq + i, a.code === 0, leftOut);
        this.actions.answered(a.seq + i, a.code === 0, leftOut);
        this.shots.answered(a.seq + i, a.code === 0, leftOut);
        this.events.emit("answer", { seq: a.seq + i, code: a.code, leftOut });
      }
    }
  }

  /** Before a snapshot: forgets everything but explored tiles. */
  private clear(nowMs: number): void {
    this.prediction.keep();
    this.fire.clear(nowMs);
    this.shots.clear();
    this.world.clear();
    this.actions.clear();
    this.values.clear();
    this.ghosts.clear();
    this.radar.clear();
    this.mask.hideAll();
    this.fog?.clear();
    this.own.clear();
  }

  /** Before a snapshot of a replay: forgets things that may be later, or of other eyes. */
  private rewind(tick: Tick): void {
    this.mask.forget();
    if (this.endTick === null || tick >= this.endTick) return;
    this.result = null;
    this.endTick = null;
  }

  private leave(id: Handle, why: "fog" | "dead", nowMs: number): void {
    const slot = this.world.slot(id);
    if (slot < 0) {
      this.inconsistent = true;
      return;
    }
    this.fire.leave(id, nowMs);
    this.events.emit("leave", { id, slot, why });
    const { world } = this;
    this.shots.left(id);
    const type = typeOf(this.info.rules, world.type[slot]);
    if (why === "dead" && type.class === "projectile" && type.speed > 0) {
      // It hit somewhere on its way in the last tick: draw the hit half a tick back.
      const x = (world.posX(slot) + world.xAt(slot, this.tick - 1)) / 2;
      const y = (world.posY(slot) + world.yAt(slot, this.tick - 1)) / 2;
      this.events.emit("blast", { x, y, what: 0, source: id, target: 0 });
    }
    this.world.leave(id);
    this.actions.remove(id);
    this.values.remove(id);
    this.own.remove(id);
    this.prediction.remove(id);
  }

  private applyEnter(e: readonly number[], snapshot: boolean, nowMs: number): void {
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
      this.shots.entered(handle, slot);
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

  /** Another player has it now. The knowledge of its former owner alone is forgotten. */
  private changeOwner(id: Handle, owner: number): void {
    const slot = this.world.slot(id);
    if (slot < 0) {
      this.inconsistent = true;
      return;
    }
    const was = this.world.owner[slot];
    this.world.owner[slot] = owner > 0 ? owner - 1 : NO_OWNER;
    this.own.remove(id);
    this.values.changeOwner(id);
    this.prediction.remove(id);
    this.shots.cancelled(id);
    this.events.emit("owner", { id, slot, was });
  }

  private applyMotion(m: readonly number[]): void {
    const { world } = this;
    eachRow(m, 3, (id, at) => {
      const slot = world.slot(id);
      if (slot < 0) {
        this.inconsistent = true;
        return;
      }
      const place = readPlace(m[at + 1], world.posX(slot), world.posY(slot), this.mask.width, this.place);
      const course = readCourse(m[at + 2], typeOf(this.info.rules, world.type[slot]).speed, this.course);
      world.motion(slot, place.x, place.y, course.vx, course.vy, course.facing);
    });
  }

  private applyGhosts(g: Ghosts): void {
    eachRow(g.gone, 1, (id) => {
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
        amount: g.amount[i] ?? 0,
        tick: this.world.tick,
      };
      this.ghosts.set(id, ghost);
      this.events.emit("ghost", ghost);
    }
  }

  private applyMask(m: MaskRows): void {
    const { mask } = this;
    const { width, height } = mask;
    // A client that derives the mask takes only explored tiles from the rows.
    if (!this.fog)
      readRows(width, height, m.row, m.visibleRuns, m.visible, (i, on) => mask.setVisible(i, on));
    // Explored tiles stay explored: a row only adds to them.
    readRows(width, height, m.row, m.exploredRuns, m.explored, (i, on) => {
      if (on) mask.setExplored(i, true);
    });
  }

  private applyEvents(e: EventColumns): void {
    for (let i = 0; i < e.kind.length; i++) {
      if (e.kind[i] === EventKind.SHOT) {
        this.fire.aimTo(e.source[i] ?? 0, e.x[i] ?? 0, e.y[i] ?? 0);
        continue;
      }
      const name = EVENT_NAMES[e.kind[i]];
      if (!name) continue;
      const c: WorldEvent = {
        x: e.x[i] ?? 0,
        y: e.y[i] ?? 0,
        what: e.what[i] ?? 0,
        source: e.source[i] ?? 0,
        target: e.target[i] ?? 0,
      };
      this.events.emit(name, c);
      const slot = this.world.slot(c.source);
      if (name === "ability" && slot >= 0) this.atOnce(c.source, slot, c.what);
    }
  }

  /** An ability without a flag started; it works on the ground, or is over at once. */
  private atOnce(id: Handle, slot: number, what: number): void {
    const kind = this.info.rules.abilities[what]?.kind;
    if (kind) this.events.emit("abilityStart", { id, slot, ability: what, kind });
  }

  private applyOwner(o: Own): void {
    for (const c of this.own.apply(o)) {
      const slot = this.world.slot(c.id);
      if (slot >= 0 && this.world.enterTick[slot] !== this.tick)
        this.events.emit("attribute", { ...c, slot });
    }
    this.values.apply(o.ownerValues, true);
    for (let i = 0; i < o.cancelled.length; i++) {
      this.shots.cancelled(o.cancelled[i]);
      this.events.emit("cancelled", { unit: o.cancelled[i], code: o.cancelledCode[i] ?? 0 });
    }
    for (let i = 0; i + 1 < o.started.length; i += 2) {
      this.shots.started(o.started[i], o.started[i + 1]);
      this.events.emit("started", { request: o.started[i], handle: o.started[i + 1] });
    }
    this.events.emit("own", this.own);
  }

  private end(e: Ended): void {
    this.result = {
      winners: e.winners.slice(),
      reason: e.reason,
      scores: e.scores.map((s) => ({
        kills: s.kills,
        assists: s.assists,
        losses: s.losses,
        made: s.made,
        points: s.points,
      })),
      seriesTicks: e.seriesTicks,
      series: e.series.map((s) => ({ gathered: s.gathered.slice(), army: s.army.slice() })),
    };
    this.endTick ??= this.tick;
    this.events.emit("end", this.result);
  }
}
