// The SDK: plays a match without a user interface.
//
//	const match = await connect({ url, ticket });
//	match.state.world       // columns of the entities in sight
//	match.order({ do: "move", units: [h], to: { x, y } })
//
// `state` changes only inside `frame` events; `order` never throws.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { FogkeepError } from "../base/errors.js";
import type { Handle, PingName, Pos, Team, Tile } from "../base/ids.js";
import type { CallOptions } from "../base/openapi.js";
import { Emitter, type ListenerFailure, report } from "../base/signal.js";
import {
  CameraSchema,
  ClientFrameSchema,
  MapPingSchema,
  NetworkReportSchema,
  PaceSchema,
  PingKind,
  PointSchema,
  type ReplayControl,
  SaySchema,
  SetSpeedSchema,
  VoteSchema,
  type Order as WireOrder,
} from "../gen/fogkeep/v1/client_pb.js";
import type {
  ReplayInfo,
  ReplayStatus,
  ReplayTimeline,
  ServerFrame,
  Speed,
  Votes,
  Welcome,
} from "../gen/fogkeep/v1/server_pb.js";
import { CAMERA_TILES, LINE_BYTES, UNITS_AN_ORDER } from "../gen/limits.js";
import { type Counts, checkFrame, checkWelcome } from "../net/check.js";
import { Link } from "../net/link.js";
import { loadMap } from "../net/maps.js";
import type { LossReason } from "../net/protocol.js";
import type { SocketFactory } from "../net/socket.js";
import type { Traffic } from "../net/traffic.js";
import { MatchClock } from "../state/clock.js";
import type { MatchResult } from "../state/events.js";
import type { MatchInfo, PlayerInfo } from "../state/info.js";
import { decodeMap, type GameMap } from "../state/map.js";
import { MatchState } from "../state/match.js";
import { infoOf, playersOf } from "../state/welcome.js";
import type { PoseColumns } from "../state/world.js";
import { Backlog, type Numbered } from "./backlog.js";
import { Network } from "./network.js";
import { type Answer, mergeAnswers, type Order, type RefusalCode, type Sent, toWire } from "./order.js";

export type Status = "live" | "resuming" | "ended" | "closed";

/** The awaited thing: the match, which is being made; an answer to the ticket; the map. */
export type Progress = "setUp" | "joining" | "map";

export interface ConnectOptions {
  /** The socket of the service, `ws://…/ws`. */
  url: string;
  /**
   * Where the match is, if the service says so: `url` beside a ticket, or {@link Match.place} of an earlier connection.
   * It is followed unless that would leave TLS. The service's own address is the one to fall back to.
   */
  at?: string;
  /** From the lobby; or */
  ticket?: string;
  /** the token of an earlier welcome. */
  resume?: string;
  /** @internal A second connection beside another one of the same replay: the other's resume token. */
  beside?: () => string;
  /** Last order number used with that token. */
  seq?: number;
  /** Folder of the maps; the map is read from `{mapsUrl}/{hash}`. */
  mapsUrl?: string;
  /** Reads the map's bytes in another way. */
  fetchMap?: (hash: string, o: CallOptions) => Promise<Uint8Array>;
  socket?: SocketFactory;
  clock?: () => number;
  /** Called with the awaited thing: an answer to the ticket, then the map; with the map come the match's players. */
  progress?: (what: Progress, players?: readonly PlayerInfo[]) => void;
  /** Ends the attempt: `connect` rejects with the signal's reason. Later it leaves the match. */
  signal?: AbortSignal;
}

export interface StatusChange {
  readonly now: Status;
  /** While a lost connection waits for the next attempt. */
  readonly retryInMs?: number;
  readonly attempt?: number;
  /** Of `resuming`: why the connection was lost. */
  readonly lost?: LossReason;
  /** Of `ended`: how, as {@link MatchResult.reason} has it. */
  readonly reason?: string;
  /** Of `closed`: why. */
  readonly error?: FogkeepError;
}

export interface MatchEvents {
  /** A frame was applied. */
  frame: { tick: number };
  status: StatusChange;
  /** An order was answered, or is known to be lost. */
  answered: { seq: number; order: Order | null; answer: Answer };
  end: MatchResult;
  /** The speed of the match changed, or its players' requests. */
  speed: MatchSpeed;
  /** The questions to the player changed, or its vote had no effect. */
  votes: MatchVotes;
  /** A listener of this match or of its state threw; the match continues. Without a listener the console shows it. */
  error: ListenerFailure;
}

const CAMERA_PERIOD_MS = 260;
/** After a longer pause of drawing, corrections fade as after this one. */
const SAMPLE_MS_MAX = 100;
/**
 * Numbers of shots begin somewhere below this, by chance: another page that had
 * this seat before used others.
 */
const SHOT_NUMBERS = 1 << 20;

interface Pending {
  readonly order: Order | null;
  readonly givenMs: number;
  readonly settle: (a: Answer) => void;
}

/** Connects to a seat of a match. Rejects with {@link FogkeepError} when that fails. */
export function connect(options: ConnectOptions): Promise<Match> {
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) {
      reject(options.signal.reason);
      return;
    }
    options.progress?.("joining");
    const match = new Match(options, resolve, reject);
    void match;
  });
}

/** The speed of the match, and its players' requests. */
export interface MatchSpeed {
  /** Of the normal speed. */
  readonly percent: number;
  /** If the server is too busy for that: the percentage at which the match runs. 100: full speed. */
  readonly held: number;
  readonly paused: boolean;
  /** The slot of the first player who asked for it, or -1. */
  readonly by: number;
  /** Local time at which the pause ends by itself, 0 for never. */
  readonly pauseEndsMs: number;
  /** How often this player can still ask for a pause; Infinity for a player alone. */
  readonly pausesLeft: number;
  readonly wishes: readonly SpeedWish[];
}

/** A player's request to which others have not agreed yet. */
export interface SpeedWish {
  readonly slot: number;
  readonly percent: number;
  readonly paused: boolean;
  /** Local time at which it is forgotten. */
  readonly endsMs: number;
}

/** The questions of votes: a match without a winner, the team's surrender, the removal of a player of the team. */
export type VoteKind = "remake" | "surrender" | "kick";

/** The questions to a player: at most one to all and one to the team. */
export interface MatchVotes {
  readonly polls: readonly Poll[];
  /** Why this player's last vote had no effect, or "". The protocol's page has the codes. */
  readonly refused: string;
}

/** A question to players. */
export interface Poll {
  readonly kind: VoteKind;
  /** The slot of the player who asks. */
  readonly by: number;
  /** Of `kick`: the player's slot. */
  readonly slot: number;
  /** Slots, as are `yes` and `no`. */
  readonly voters: readonly number[];
  readonly yes: readonly number[];
  readonly no: readonly number[];
  /** So many votes for it are needed. */
  readonly needed: number;
  /** Local time at which it fails; 0: it has ended. */
  readonly endsMs: number;
  readonly result: "open" | "passed" | "failed";
}

const VOTE_KINDS: readonly VoteKind[] = ["remake", "surrender", "kick"];
const RESULTS = ["open", "passed", "failed"] as const;
const NO_VOTES: MatchVotes = { polls: [], refused: "" };

/** @internal Receives the parts besides frames from a replay's server. */
export interface ReplayWatcher {
  status(s: ReplayStatus): void;
  /** Returns false for a part that does not fit. */
  timeline(part: ReplayTimeline): boolean;
}

const NORMAL_SPEED: MatchSpeed = {
  percent: 100,
  held: 100,
  paused: false,
  by: -1,
  pauseEndsMs: 0,
  pausesLeft: 0,
  wishes: [],
};

/** The server's value for a player who may pause without limit. */
const PAUSES_UNLIMITED = 255;

export class Match {
  state!: MatchState;
  clock!: MatchClock;
  readonly events = new Emitter<MatchEvents>();
  status: Status = "resuming";
  /** How often a snapshot was requested. */
  resyncs = 0;
  /** Local time of the last frame or waiting message. */
  lastFrameMs = 0;
  /** @internal */
  readonly link: Link;
  /** @internal A replay's part of the welcome; null: a match. */
  replayed: ReplayInfo | null = null;
  /** @internal */
  watcher: ReplayWatcher | null = null;
  /** A snapshot was requested and has not arrived. */
  private resyncing = false;
  /** The speed of the match, and its players' requests. */
  speed: MatchSpeed = NORMAL_SPEED;
  /** The questions to this player. */
  votes: MatchVotes = NO_VOTES;
  /** The most that the server sends a second, in bytes, as it said last; 0: no limit. */
  bytesPerS = 0;
  /** How the connection and the page do. */
  readonly network = new Network();
  /** The limit that this client asked for: less than the server would send. */
  private readonly asked = { framesPerS: 0, bytesPerS: 0 };
  private sampledMs = 0;
  private waitingTicks = 0;
  private waitingAtMs = 0;
  private seq: number;
  /** The number of the next shot that is drawn ahead. */
  private shotNumber = 1 + Math.floor(Math.random() * SHOT_NUMBERS);
  private readonly backlog = new Backlog<Pending>();
  private flushing = false;
  private queue: ServerFrame[] | null = null;
  private counts: Counts | null = null;
  private camera: { x: number; y: number; radius: number } | null = null;
  /** The camera that was sent last. */
  private cameraSent: { x: number; y: number; radius: number } | null = null;
  private lastPostMs = 0;
  private ackTick = -1;
  private ackTimer: ReturnType<typeof setTimeout> | undefined;
  private opened = false;
  private readonly now: () => number;

  /** @internal {@link connect} makes one. */
  constructor(
    private readonly options: ConnectOptions,
    private readonly resolve: (m: Match) => void,
    private readonly reject: (e: unknown) => void,
  ) {
    this.now = options.clock ?? (() => performance.now());
    this.seq = options.seq ?? 0;
    this.events.failed = this.failed;
    this.link = new Link(options, {
      frame: (f) => this.frame(f),
      applied: () => (this.queue ? 0 : (this.state?.tick ?? 0)),
      live: () => this.live(),
      resuming: (info) => {
        const { reason: lost, ...when } = info;
        if (this.status !== "ended") this.setStatus("resuming", { ...when, lost });
      },
      closed: (err) => this.closed(err),
    });
    options.signal?.addEventListener("abort", this.aborted, { once: true });
  }

  private readonly aborted = (): void => {
    this.leave();
    if (!this.opened) this.reject(this.options.signal?.reason);
  };

  get info(): MatchInfo {
    return this.state.info;
  }
  get traffic(): Traffic {
    return this.link.traffic;
  }
  /** With {@link lastSeq} and {@link place}, what another page needs to resume this seat. */
  get resumeToken(): string {
    return this.link.resume;
  }
  /** The address at which the match was last: `at` of another page. */
  get place(): string {
    return this.link.place;
  }
  get lastSeq(): number {
    return this.seq;
  }
  /** Time until a spectator's delayed match begins; 0 once it has. */
  get waitingMs(): number {
    if (this.speed.paused) return 0;
    const left = this.waitingTicks * this.state.info.tickMs - (this.now() - this.waitingAtMs);
    return this.waitingTicks > 0 ? Math.max(1, left) : 0;
  }
  /**
   * The tick to draw now, with a fraction. Without frames from the server the world
   * moves on for a second, then stands still.
   */
  get drawTick(): number {
    const { clock, state } = this;
    if (!clock.ready) return 0;
    const last = Math.min(state.tick + 1000 / clock.tickMs, state.endTick ?? Number.POSITIVE_INFINITY);
    return Math.min(clock.drawTick(this.now()), last);
  }
  /** Orders without an answer yet. */
  get unanswered(): number {
    return this.backlog.size;
  }

  /**
   * Sends an order, now or as soon as the connection is back. Never throws. More
   * units than one order can name are split over several orders, with one answer.
   * A signal ends the wait for the answer, which is `ABORTED` then; the order may
   * be carried out all the same.
   */
  order(order: Order, o: CallOptions = {}): Sent {
    if (!order.units) return this.order({ ...(order as Order), units: [] }, o); // a program without types
    const { units } = order;
    if (units.length <= UNITS_AN_ORDER)
      return this.enqueue((seq) => ({ order: this.shown(toWire(order, seq)) }), order, o.signal);
    const parts: Sent[] = [];
    for (let at = 0; at < units.length; at += UNITS_AN_ORDER) {
      parts.push(this.order({ ...order, units: units.slice(at, at + UNITS_AN_ORDER) }, o));
    }
    return { seq: parts[0].seq, answer: Promise.all(parts.map((p) => p.answer)).then(mergeAnswers) };
  }

  /** Says a line to the own team, or to all. */
  say(text: string, all: boolean, o: CallOptions = {}): Sent {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > LINE_BYTES) return refused("TOO_LONG");
    return this.enqueue((seq) => ({ say: create(SaySchema, { text, all, seq }) }), null, o.signal);
  }

  /** Pings a place for the own team. */
  ping(kind: PingName, at: Pos, o: CallOptions = {}): Sent {
    const kinds = { look: PingKind.LOOK, danger: PingKind.DANGER, help: PingKind.HELP };
    const point = create(PointSchema, { x: Math.round(at.x), y: Math.round(at.y) });
    return this.enqueue(
      (seq) => ({ ping: create(MapPingSchema, { kind: kinds[kind], at: point, seq }) }),
      null,
      o.signal,
    );
  }

  /** Where the player looks. The server sends that part first when bandwidth is short. */
  setCamera(at: Tile, radius: number): void {
    const within = (n: number, least: number) => Math.min(CAMERA_TILES, Math.max(least, n | 0));
    const next = { x: within(at.x, 0), y: within(at.y, 0), radius: within(radius, 1) };
    const last = this.cameraSent;
    const same = last && last.x === next.x && last.y === next.y && last.radius === next.radius;
    this.camera = same ? null : next;
  }

  /** Asks for fewer frames a second, for a hidden page; 0 asks for all. */
  pace(framesPerS: number): void {
    this.asked.framesPerS = framesPerS;
    this.post({ pace: create(PaceSchema, this.asked) });
  }

  /** Asks for at most this many bytes a second; 0: as many as the server allows. It never sends more than that. */
  limit(bytesPerS: number): void {
    this.asked.bytesPerS = bytesPerS;
    this.post({ pace: create(PaceSchema, this.asked) });
  }

  /**
   * Asks for another speed of the match, in percent of the normal one, or for a pause. It comes at once if no
   * other person plays, otherwise once all ask for the same. To ask for what holds takes the own wish back.
   */
  setSpeed(percent: number, paused: boolean): void {
    this.post({ setSpeed: create(SetSpeedSchema, { percent, paused }) });
  }

  /** Votes on a question; a vote for one that is not open opens it. `slot` is the player of a `kick`. */
  vote(kind: VoteKind, yes: boolean, slot = 0): void {
    this.post({ vote: create(VoteSchema, { kind: VOTE_KINDS.indexOf(kind) + 1, slot, yes }) });
  }

  /** Tries a lost connection again at once: the network is back, or the page is shown. */
  retryNow(): void {
    this.link.retryNow();
  }

  /**
   * Fills `out` with where everything is drawn now, shows the shots that are due, and returns the number of rows.
   * Any number of readers may call it, each with columns of its own: corrections fade with time, not with calls.
   */
  sample(out: PoseColumns): number {
    const { state } = this;
    const now = this.now();
    const tick = this.drawTick;
    state.fire.draw(tick, now);
    const rows = state.world.sample(tick, Math.min(SAMPLE_MS_MAX, Math.max(0, now - this.sampledMs)), out);
    this.sampledMs = now;
    state.shots.sample(tick, out, rows);
    return rows;
  }

  /** @internal Of a replay: what holds from now on. */
  show(percent: number, still: boolean, eyes: Team): void {
    this.speed = { ...NORMAL_SPEED, percent, paused: still };
    this.state.info.team = eyes;
    if (this.clock.ready) this.followSpeed(this.state.tick, this.now());
  }

  /** @internal Asks for another part of a replay; false when there is no connection. */
  control(replay: ReplayControl): boolean {
    return this.post({ replay });
  }

  /** Asks for one fresh snapshot. */
  resync(): void {
    this.post({ resync: true });
  }

  /** Leaves the seat's connection. The server keeps the seat for a while: {@link resumeToken}. */
  leave(): void {
    clearTimeout(this.ackTimer);
    this.options.signal?.removeEventListener("abort", this.aborted);
    this.link.close();
    this.setStatus("closed", {});
    for (const [, p] of this.backlog.drain()) p.settle(lost());
  }

  /** A listener threw: the error is reported, and the connection stays. */
  private readonly failed = (f: ListenerFailure): void => {
    // A listener of "error" that throws does not get that error too.
    if (f.event !== "error" && this.events.has("error")) this.events.emit("error", f);
    else report(f);
  };

  private enqueue(make: (seq: number) => Numbered, order: Order | null, signal?: AbortSignal): Sent {
    if (signal?.aborted) return refused("ABORTED");
    if (!this.backlog.takes(this.seq + 1)) return refused("BACKLOG_FULL");
    const seq = ++this.seq;
    const answer = new Promise<Answer>((resolve) => {
      const aborted = () => resolve({ ok: false, code: "ABORTED" });
      const settle = (a: Answer) => {
        signal?.removeEventListener("abort", aborted);
        resolve(a);
      };
      signal?.addEventListener("abort", aborted, { once: true });
      this.backlog.add(seq, make(seq), { order, givenMs: this.now(), settle });
    });
    this.flushSoon();
    return { seq, answer };
  }

  /** Shows an order at once, and numbers its abilities or shots if any is shown ahead. */
  private shown(order: WireOrder): WireOrder {
    if (!this.clock?.ready) return order;
    const { shotNumber } = this;
    const tick = this.clock.serverTick(this.now());
    this.state.prediction.give(order, tick);
    if (this.state.actions.give(order, shotNumber)) {
      order.request = shotNumber;
      this.shotNumber += order.units.length;
      return order;
    }
    if (this.state.shots.give(order, shotNumber, tick, this.link.live && this.queue === null)) {
      order.request = shotNumber;
      this.shotNumber += order.units.length;
    }
    return order;
  }

  private live(): void {
    this.resyncing = false; // a request on an earlier socket is lost
    if (this.queue === null) this.resend();
    if (this.opened && this.status !== "ended") this.setStatus("live", {});
  }

  /** Sends everything unanswered again under its number. The server ignores repeated numbers. */
  private resend(): void {
    this.backlog.again();
    this.flushSoon();
  }

  private frame(f: ServerFrame): void {
    this.guarded(() => {
      if (f.welcome) checkWelcome(f.welcome);
      if (!this.isFrame(f)) return;
      if (this.counts) checkFrame(f, this.counts);
      if (this.queue) this.queue.push(f);
      else if (this.state) this.apply(f);
    });
  }

  /** Runs code that reads a message. If it throws, the connection starts again. */
  private guarded(work: () => void): void {
    try {
      work();
    } catch (err) {
      const known = err instanceof FogkeepError;
      this.link.rejectFrame(
        known
          ? err
          : new FogkeepError("bad_frame", "The server sent a message that could not be applied.", true),
      );
      // A bug of this client must be visible.
      if (!known) throw err;
    }
  }

  /** Handles messages that are not frames; returns whether this one is a frame. */
  private isFrame(f: ServerFrame): boolean {
    if (f.welcome) this.welcome(f.welcome);
    if (f.waiting) {
      this.waitingTicks = f.waiting.ticks;
      this.waitingAtMs = this.now();
      this.lastFrameMs = this.waitingAtMs;
      this.network.alive(this.waitingAtMs);
    }
    if (f.budget) this.bytesPerS = f.budget.bytesPerS;
    if (f.speed && !this.replayed) this.takeSpeed(f.speed);
    if (f.votes) this.takeVotes(f.votes);
    if (f.waiting) {
      this.state?.hear(f.said);
      if (this.speed.paused && this.clock?.ready) this.clock.hold(this.state.tick);
    }
    return !f.welcome && !f.closing && !f.waiting;
  }

  private takeSpeed(told: Speed): void {
    const now = this.now();
    this.speed = {
      percent: told.percent || 100,
      held: told.held || 100,
      paused: told.paused,
      by: told.by - 1,
      pauseEndsMs: told.pauseMs > 0 ? now + told.pauseMs : 0,
      pausesLeft: told.pausesLeft === PAUSES_UNLIMITED ? Number.POSITIVE_INFINITY : told.pausesLeft,
      wishes: told.wishes.map((w) => ({
        slot: w.slot,
        percent: w.percent,
        paused: w.paused,
        endsMs: now + w.ms,
      })),
    };
    this.events.emit("speed", this.speed);
  }

  private takeVotes(told: Votes): void {
    const now = this.now();
    this.votes = {
      refused: told.refused,
      polls: told.polls
        .filter((p) => VOTE_KINDS[p.kind - 1])
        .map((p) => ({
          kind: VOTE_KINDS[p.kind - 1],
          by: p.by,
          slot: p.slot,
          voters: p.voters,
          yes: p.yes,
          no: p.no,
          needed: p.needed,
          endsMs: p.ms > 0 ? now + p.ms : 0,
          result: RESULTS[p.result] ?? "failed",
        })),
    };
    this.events.emit("votes", this.votes);
  }

  /** Lets the clock follow the speed, with each frame. */
  private followSpeed(tick: number, now: number): void {
    const { percent, held, paused } = this.speed;
    const real = (percent * held) / 100;
    this.state.world.pace = real / 100;
    if (paused) this.clock.hold(tick);
    else this.clock.setSpeed(real, tick, now);
  }

  private welcome(w: Welcome): void {
    this.replayed = w.replay ?? null;
    this.votes = NO_VOTES;
    if (!w.replay) this.speed = NORMAL_SPEED; // until the server says otherwise
    this.bytesPerS = w.bytesPerS;
    this.counts = { players: w.players.length, types: w.types.length };
    if (this.state) {
      this.clock.reset();
      // The server knows of each connection only its own requests.
      if (this.asked.framesPerS + this.asked.bytesPerS > 0)
        this.post({ pace: create(PaceSchema, this.asked) });
      return; // resumed: rules and map are the same
    }
    if (this.queue) return;
    this.backlog.pace(w.tickRate, w.ordersPerS, w.orderBurst);
    this.queue = [];
    this.progress("map", playersOf(w));
    this.fetchMap(w.mapHash)
      .then((map) => this.begin(w, map))
      .catch((err) => {
        this.link.close();
        this.reject(err);
      });
  }

  private begin(w: Welcome, map: GameMap): void {
    if (this.status === "closed") return; // left while the map was on its way
    this.state = new MatchState(infoOf(w, map), this.link.derivesFog);
    this.state.rewinds = this.replayed !== null;
    this.state.events.failed = this.failed;
    this.clock = new MatchClock(this.state.info.tickMs);
    this.state.events.on("answer", (a) => this.answered(a.seq, a.code, a.leftOut));
    this.state.events.on("mismatch", () => {
      if (this.resyncing) return;
      this.resyncing = true;
      this.resyncs++;
      this.resync();
    });
    this.state.events.on("reset", () => {
      this.resyncing = false;
    });
    this.state.events.on("end", (r) => {
      // A replay goes on: back, or to other eyes.
      if (!this.replayed) this.setStatus("ended", { reason: r.reason });
      this.events.emit("end", r);
    });
    this.opened = true;
    this.status = "live";
    this.lastFrameMs = this.now();
    // Frames wait one more turn, so that the caller of `connect` can add listeners first.
    this.resolve(this);
    setTimeout(() => {
      const queued = this.queue ?? [];
      this.queue = null;
      this.guarded(() => {
        for (const f of queued) this.apply(f);
      });
      this.resend();
    }, 0);
  }

  private progress(what: Progress, players: readonly PlayerInfo[]): void {
    try {
      this.options.progress?.(what, players);
    } catch (error) {
      this.failed({ event: "progress", listener: this.options.progress?.name ?? "", error });
    }
  }

  private async fetchMap(hash: string): Promise<GameMap> {
    const { fetchMap, mapsUrl, signal } = this.options;
    return decodeMap(await (fetchMap ? fetchMap(hash, { signal }) : loadMap(hash, mapsUrl, { signal })));
  }

  private apply(f: ServerFrame): void {
    const now = this.now();
    if (f.replay || f.timeline) {
      this.lastFrameMs = now;
      if (f.replay) this.watcher?.status(f.replay);
      if (f.timeline && this.watcher?.timeline(f.timeline) === false)
        throw new FogkeepError("bad_frame", "The server sent a part of a timeline that does not fit.", true);
      return;
    }
    this.waitingTicks = 0;
    this.backlog.ticks(f.tick > 0 ? Math.max(0, f.tick - this.state.tick) : Math.max(1, f.span));
    this.state.apply(f, now);
    this.lastFrameMs = now;
    const { tick } = this.state;
    if (f.tick > 0 && this.replayed) this.clock.jump(tick, now);
    else this.clock.frame(tick, now);
    this.account(now);
    this.followSpeed(tick, now);
    this.events.emit("frame", { tick });
    if (this.backlog.size > 0) this.flushSoon();
    this.acknowledge(now);
  }

  /** Counts a frame, and sends the account of a minute. */
  private account(now: number): void {
    this.network.frame(now, this.clock.lateMs, this.state.world.corrections);
    const account = this.network.take(now);
    if (account && !this.replayed && !this.info.spectator)
      this.post({ network: create(NetworkReportSchema, account) });
  }

  /**
   * Acknowledges the last applied frame, at most four times a second. The last one
   * is always acknowledged: a server that waits for it sends no frames meanwhile.
   */
  private acknowledge(now: number): void {
    if (this.ackTick === this.state.tick && !this.camera) return;
    const wait = this.lastPostMs + CAMERA_PERIOD_MS - now;
    if (wait <= 0) {
      this.post({});
      return;
    }
    if (this.ackTimer !== undefined) return;
    this.ackTimer = setTimeout(() => {
      this.ackTimer = undefined;
      this.acknowledge(this.now());
    }, wait);
  }

  private answered(seq: number, code: number, leftOut: readonly { unit: Handle; code: number }[]): void {
    const p = this.backlog.answered(seq);
    if (!p) return;
    const name = (c: number): RefusalCode => this.state.info.rules.codes[c] ?? `CODE_${c}`;
    const answer: Answer =
      code === 0
        ? { ok: true, leftOut: leftOut.map((l) => ({ unit: l.unit, code: name(l.code) })) }
        : { ok: false, code: name(code) };
    if (p.order) this.network.answered(this.now() - p.givenMs);
    p.settle(answer);
    this.events.emit("answered", { seq, order: p.order, answer });
  }

  private closed(err: FogkeepError): void {
    this.options.signal?.removeEventListener("abort", this.aborted);
    for (const [seq, p] of this.backlog.drain()) {
      this.state?.prediction.answered(seq, false, []);
      this.state?.actions.answered(seq, false, []);
      this.state?.shots.answered(seq, false, []);
      p.settle(lost());
      this.events.emit("answered", { seq, order: p.order, answer: lost() });
    }
    if (!this.opened) {
      this.reject(err);
      return;
    }
    if (this.status !== "ended") this.setStatus("closed", { error: err });
  }

  private setStatus(now: Status, info: Omit<MatchEvents["status"], "now">): void {
    this.status = now;
    this.events.emit("status", { now, ...info });
  }

  /** Orders of one turn of the event loop share a message. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    queueMicrotask(() => {
      this.flushing = false;
      this.flush();
    });
  }

  /** Sends as much as the limits allow now; called again with each frame. */
  private flush(): void {
    if (!this.link.live || this.queue !== null) return; // sent when the connection is live
    const now = this.now();
    for (let m = this.backlog.next(now); m; m = this.backlog.next(now)) this.post({ ...m });
  }

  private post(parts: MessageInitShape<typeof ClientFrameSchema>): boolean {
    const frame = create(ClientFrameSchema, parts);
    frame.applied = this.state?.tick ?? 0;
    const now = this.now();
    if (this.camera && now - this.lastPostMs >= CAMERA_PERIOD_MS) {
      frame.camera = create(CameraSchema, this.camera);
      this.cameraSent = this.camera;
      this.camera = null;
    }
    if (!this.link.send(frame)) return false;
    this.lastPostMs = now;
    this.ackTick = frame.applied;
    return true;
  }
}

/** Refused by this client: never sent, without a number. */
function refused(code: "TOO_LONG" | "BACKLOG_FULL" | "ABORTED"): Sent {
  return { seq: 0, answer: Promise.resolve({ ok: false, code }) };
}

function lost(): Answer {
  return { ok: false, code: "LOST" };
}
