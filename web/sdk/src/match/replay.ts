// A replay: a match that is over, or a live one as late as spectators see it, shown
// from any tick with any eyes.
//
//	const replay = await openReplay({ url: "wss://…/ws/replay", ticket });
//	await replay.seek(6000);
//	replay.play(400);
//	replay.match.state.world   // as of any match
//
// The picture is the state of a match's connection, which only the server's frames change. Controls ask the server;
// its status has the current values.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { FogkeepError } from "../base/errors.js";
import { ALL_TEAMS, type Slot, type Team, type Tick, type TypeId } from "../base/ids.js";
import type { CallOptions } from "../base/openapi.js";
import { Emitter } from "../base/signal.js";
import { ReplayControlSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ReplayState, type ReplayStatus as WireStatus } from "../gen/fogkeep/v1/server_pb.js";
import { ReplayTimeline } from "../state/timeline.js";
import { type ConnectOptions, connect, type Match } from "./match.js";

/** The speeds of a replay, in percent of the normal one. */
export const REPLAY_SPEEDS = [25, 50, 100, 200, 400, 800, 1600] as const;

/** The subject of a replay. */
export interface ReplayInfo {
  readonly matchId: string;
  /** The match is not over: the available part grows, and stays late. */
  readonly live: boolean;
  /** The tick with which the match begins, or goes on from another one's. The first that can be shown is the next. */
  readonly first: Tick;
  /** The eyes cannot be chosen. */
  readonly eyesFixed: boolean;
  /** A new match may begin from a tick of this one. */
  readonly mayBranch: boolean;
}

/**
 * `playing`, also while it is paused; `seeking`: on the way to `goal`; `waiting`: live matches need the server's
 * processor, and it goes on by itself; `ended`: at the last tick.
 */
export type ReplayPhase = "playing" | "seeking" | "waiting" | "ended";

/** Where a replay stands. */
export interface ReplayStatus {
  readonly tick: Tick;
  /** The last tick that can be shown. */
  readonly last: Tick;
  /** Of the normal speed. */
  readonly percent: number;
  readonly paused: boolean;
  /** ALL_TEAMS: the eyes of all teams together. */
  readonly eyes: Team;
  readonly phase: ReplayPhase;
  /** While it seeks: where to; else `tick`. */
  readonly goal: Tick;
  /** Up to this tick the timeline is known. */
  readonly indexed: Tick;
}

/** Where a player looked, in tiles. */
export interface ReplayCamera {
  readonly slot: Slot;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** A player's production. */
export interface ReplayProduction {
  readonly slot: Slot;
  readonly type: TypeId;
  /** Waiting ones included. */
  readonly count: number;
  /** The progress of the product nearest to its end, 0 to 1. */
  readonly progress: number;
}

export interface ReplayEvents {
  /** Something of {@link Replay.status} changed. */
  status: ReplayStatus;
  /** The state is of other eyes now. Its snapshot follows. */
  eyes: Team;
  /** More of {@link Replay.timeline} is known. */
  timeline: ReplayTimeline;
  /** A player's camera moved. */
  camera: ReplayCamera;
  /** {@link Replay.production} is another. */
  production: readonly ReplayProduction[];
}

/** As for a match: `url` is the socket of replays (`ws://…/ws/replay`), `ticket` one of `api.replayTicket`. */
export interface ReplayOptions extends ConnectOptions {
  /** Where to begin; else where the server begins. */
  tick?: Tick;
  eyes?: Team;
  paused?: boolean;
}

const PHASES: Partial<Record<ReplayState, ReplayPhase>> = {
  [ReplayState.SEEKING]: "seeking",
  [ReplayState.WAITING_FOR_SERVER]: "waiting",
  [ReplayState.ENDED]: "ended",
};

type Control = MessageInitShape<typeof ReplayControlSchema>;

/** A caller waits until the state is as asked. */
interface Waiter {
  number: number;
  /** Answered: the next frame is the awaited one. */
  done: boolean;
  resolve(): void;
  reject(why: unknown): void;
}

/** Opens a replay. Rejects with {@link FogkeepError} when that fails. */
export async function openReplay(o: ReplayOptions): Promise<Replay> {
  const replay = new Replay(await connect(o), o);
  const first: Control = {};
  if (o.tick !== undefined) first.seek = o.tick;
  if (o.paused !== undefined) first.paused = o.paused;
  if (o.eyes !== undefined && !replay.info.eyesFixed) first.eyes = wireEyes(o.eyes);
  if (Object.keys(first).length > 0) replay.ask(first);
  return replay;
}

export class Replay {
  readonly events = new Emitter<ReplayEvents>();
  readonly info: ReplayInfo;
  readonly timeline: ReplayTimeline;
  status: ReplayStatus;
  /** Where each player looked last, by slot; as far as it was recorded, and only once the match is over. */
  readonly cameras = new Map<Slot, ReplayCamera>();
  /** The production; told once the match is over. */
  production: readonly ReplayProduction[] = [];
  private number = 0;
  private readonly waiters: Waiter[] = [];
  /** The unanswered request, for a new connection. */
  private wish: Control = {};
  private lost = false;
  private readonly offs: (() => void)[];

  /** @internal {@link openReplay} makes one. */
  constructor(
    readonly match: Match,
    private readonly options: ConnectOptions,
  ) {
    const told = match.replayed;
    if (!told) {
      match.leave();
      throw new FogkeepError("no_replay", "The server did not open a replay.");
    }
    const { matchId, live, first, eyesFixed, mayBranch } = told;
    this.info = { matchId, live, first, eyesFixed, mayBranch };
    this.status = {
      tick: told.tick,
      last: told.last,
      percent: 100,
      paused: false,
      eyes: match.info.team,
      phase: "playing",
      goal: told.tick,
      indexed: 0,
    };
    const { rules, players, tickMs } = match.info;
    this.timeline = new ReplayTimeline(told.first, players.length, rules.resources.length, tickMs);
    match.watcher = {
      status: (s) => this.told(s),
      timeline: (part) => {
        const fits = this.timeline.add(part);
        if (fits) this.events.emit("timeline", this.timeline);
        return fits;
      },
    };
    this.offs = [
      match.events.on("frame", () => this.shown()),
      match.events.on("status", ({ now, error }) => {
        if (now === "resuming") this.lost = true;
        else if (now === "live" && this.lost) this.again();
        else if (now === "closed") this.closed(error);
      }),
    ];
  }

  /** The tick that is shown now: of the state, not of the drawing. */
  get tick(): Tick {
    return this.match.state.tick;
  }

  /** Goes to a tick. Resolves when the state is there, or at the tick of a newer call. */
  seek(tick: Tick, o: CallOptions = {}): Promise<void> {
    return this.asked(
      { seek: Math.max(this.info.first + 1, Math.min(this.status.last, Math.round(tick))) },
      o,
    );
  }

  /** Goes so many ticks on, or back if negative, and pauses. Resolves when the state is there. */
  step(ticks: number, o: CallOptions = {}): Promise<void> {
    return this.asked({ step: Math.trunc(ticks) }, o);
  }

  /** Plays on; at another speed if one is given. At the end it begins anew. */
  play(percent?: number): void {
    const { phase, paused } = this.status;
    this.ask({
      paused: false,
      ...(percent === undefined ? {} : { percent }),
      ...(phase === "ended" && !paused && !this.info.live ? { seek: this.info.first + 1 } : {}),
    });
  }

  pause(): void {
    this.ask({ paused: true });
  }

  /** One of {@link REPLAY_SPEEDS}. */
  setSpeed(percent: number): void {
    this.ask({ percent });
  }

  /** Shows a team's view, or all teams together (ALL_TEAMS). Resolves when the state has these eyes. */
  setEyes(eyes: Team, o: CallOptions = {}): Promise<void> {
    if (this.info.eyesFixed)
      return Promise.reject(new FogkeepError("eyes_fixed", "The eyes cannot be chosen."));
    return this.asked({ eyes: wireEyes(eyes) }, o);
  }

  /**
   * Opens a second connection with eyes of its own, which shows the same ticks: speed and place of either hold for
   * both. It ends with this one.
   */
  async beside(eyes: Team, o: CallOptions = {}): Promise<Replay> {
    const options: ConnectOptions = {
      ...this.options,
      at: this.match.place,
      ticket: undefined,
      resume: undefined,
      signal: o.signal,
      progress: undefined,
      beside: () => this.match.resumeToken,
    };
    const other = new Replay(await connect(options), options);
    this.offs.push(() => other.leave());
    await other.setEyes(eyes, o);
    return other;
  }

  /** Ends it. */
  leave(): void {
    for (const off of this.offs.splice(0)) off();
    this.match.watcher = null;
    this.match.leave();
    this.closed();
  }

  /** @internal Sends a control; with the next connection while it is lost. Returns its number. */
  ask(control: Control): number {
    if ("seek" in control) delete this.wish.step;
    Object.assign(this.wish, control);
    if (
      !this.lost &&
      this.match.control(create(ReplayControlSchema, { ...control, number: this.number + 1 }))
    )
      this.number++;
    return this.number;
  }

  private asked(control: Control, { signal }: CallOptions): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const number = this.ask(control);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { number, done: false, resolve, reject };
      this.waiters.push(waiter);
      signal?.addEventListener("abort", () => this.drop(waiter, () => reject(signal.reason)), { once: true });
    });
  }

  private drop(waiter: Waiter, then: () => void): void {
    const at = this.waiters.indexOf(waiter);
    if (at < 0) return;
    this.waiters.splice(at, 1);
    then();
  }

  private told(s: WireStatus): void {
    const eyes = s.eyes === 0 ? ALL_TEAMS : s.eyes - 1;
    const other = eyes !== this.match.info.team;
    const phase = PHASES[s.state] ?? "playing";
    this.status = {
      tick: s.tick,
      last: s.last,
      percent: s.percent || 100,
      paused: s.paused,
      eyes,
      phase,
      goal: phase === "seeking" ? s.goal : s.tick,
      indexed: s.indexed,
    };
    this.match.show(this.status.percent, s.paused || phase !== "playing", eyes);
    if (other) this.events.emit("eyes", eyes);
    if (s.done >= this.number) this.wish = {};
    for (const w of this.waiters) if (w.number <= s.done) w.done = true;
    for (const c of s.cameras) {
      const camera = { slot: c.slot, x: c.x, y: c.y, radius: c.radius };
      this.cameras.set(c.slot, camera);
      this.events.emit("camera", camera);
    }
    this.production = s.production.map((p) => ({
      slot: p.slot,
      type: p.type,
      count: p.count,
      progress: Math.min(1, p.progress / 255),
    }));
    this.events.emit("production", this.production);
    this.events.emit("status", this.status);
  }

  /** A frame was applied: the state is as those asked whose control was answered. */
  private shown(): void {
    for (const w of this.waiters.filter((x) => x.done)) this.drop(w, w.resolve);
  }

  /** On a new connection the replay is brought to where it was, or was to go. */
  private again(): void {
    this.timeline.clear();
    this.lost = false;
    this.number = 0;
    const { percent, paused, eyes, goal } = this.status;
    const { step: _, ...wish } = this.wish;
    const number = this.ask({
      seek: this.status.phase === "seeking" ? goal : this.tick,
      percent,
      paused,
      ...(this.info.eyesFixed ? {} : { eyes: wireEyes(eyes) }),
      ...wish,
    });
    for (const w of this.waiters) w.number = number;
  }

  private closed(why?: FogkeepError): void {
    const error = why ?? new FogkeepError("closed", "The replay was closed.");
    for (const w of [...this.waiters]) this.drop(w, () => w.reject(error));
  }
}

const wireEyes = (eyes: Team): number => (eyes === ALL_TEAMS ? 0 : eyes + 1);
