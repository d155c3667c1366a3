// The contents and actions of a replay's viewer, without the page: its panels read the
// signals, its keys and buttons call the methods.
//
//	Replay ──status, timeline──► signals ──► bar, tables, graphs
//	   ▲                                          │
//	   └────────── play, seek, eyes ◄─────────────┘

import {
  ALL_TEAMS,
  type MatchInfo,
  REPLAY_SPEEDS,
  type Replay,
  type ReplayEvent,
  type ReplayStatus,
  type ReplayTimeline,
  type Slot,
  type Team,
  type Tick,
} from "@fogkeep/client";
import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { setPlain } from "../hud/signals";
import { t } from "../text/text";
import type { Eyes } from "./link";
import { isMarked } from "./marks";
import { clockText, eventText, speedText, teamName } from "./words";

/** The model's part of a replay. */
export type Watched = Pick<
  Replay,
  | "info"
  | "status"
  | "timeline"
  | "cameras"
  | "production"
  | "events"
  | "seek"
  | "step"
  | "play"
  | "pause"
  | "setSpeed"
  | "setEyes"
> & { readonly match: { readonly info: MatchInfo; readonly drawTick: number } };

/** The tables for casters, in the order of their key. */
export const TABLES = ["none", "economy", "army", "making", "events"] as const;
export type TableName = (typeof TABLES)[number];

/** How far the keys and the buttons go. */
export const JUMP_MS = 10_000;
/** An event that was passed less than this ago is not the one before. */
const PASSED_MS = 1500;
/** Less than this behind the newest tick that may be shown counts as live. */
export const LIVE_MS = 3000;
/** Before an event the replay begins so much earlier. */
const LEAD_MS = 1000;
/** While the pointer drags, the replay goes to where it is so often. */
const SCRUB_MS = 180;

export class ReplayModel {
  readonly status: Signal<ReplayStatus>;
  /** The drawn tick, or the target of a seek. */
  readonly shown: Signal<Tick>;
  /** Grows with the known part of the match. */
  readonly known = signal(0);
  /** Changes with the production. */
  readonly made = signal(0);
  /** While the pointer drags on the bar: where it is. */
  readonly drag: Signal<Tick | null> = signal(null);
  /** The slot whose camera is followed, or -1. */
  readonly follow: Signal<Slot> = signal(-1);
  readonly eyes: Signal<Eyes>;
  readonly table: Signal<TableName>;
  readonly graphs = signal(false);
  readonly hidden = signal(false);
  readonly help = signal(false);
  readonly share = signal(false);
  /** The text for a screen reader. */
  readonly said = signal("");
  /** The two teams of the last difference. */
  readonly pair: Signal<readonly [Team, Team]>;
  /** Things that only the first team sees, only the second, and both; null: no difference is shown. */
  readonly counts: Signal<readonly [number, number, number] | null> = signal(null);
  readonly teams: readonly Team[];
  /** Where the last seek goes, until it is there; the server has not said so yet. */
  private pending: Tick | null = null;
  private seeks = 0;
  /** Whether it is to stay at the newest tick; when it came there last. */
  private stays = false;
  private cameMs = 0;
  private scrubbedMs = Number.NEGATIVE_INFINITY;
  private readonly offs: (() => void)[];

  constructor(
    readonly replay: Watched,
    options: {
      /** Opens or closes the second connection of a difference. */
      against?: (team: Team | null) => Promise<void>;
      table?: TableName;
      /** Whether the page has room for a table or graphs, but not for both. */
      narrow?: () => boolean;
      now?: () => number;
    } = {},
  ) {
    this.against = options.against ?? (() => Promise.resolve());
    this.narrow = options.narrow ?? (() => false);
    this.now = options.now ?? (() => performance.now());
    this.status = signal(replay.status);
    this.shown = signal(replay.status.tick);
    this.eyes = signal({ team: replay.status.eyes });
    this.table = signal(options.table ?? "none");
    this.teams = [...new Set(this.info.players.map((p) => p.team))].sort((a, b) => a - b);
    this.pair = signal([this.teams[0] ?? 0, this.teams[1] ?? 0]);
    this.offs = [
      replay.events.on("status", (s) => this.told(s)),
      replay.events.on("timeline", () => {
        this.known.value++;
      }),
      replay.events.on("production", () => {
        this.made.value++;
      }),
    ];
  }

  private readonly against: (team: Team | null) => Promise<void>;
  private readonly now: () => number;
  private readonly narrow: () => boolean;

  get info(): MatchInfo {
    return this.replay.match.info;
  }
  get timeline(): ReplayTimeline {
    return this.replay.timeline;
  }
  /** Whether the match is not over: the server tells orders, resources, production, losses and cameras after it. */
  get runs(): boolean {
    return this.replay.info.live;
  }
  /** The first tick that can be shown. */
  get first(): Tick {
    return this.replay.info.first + 1;
  }

  dispose(): void {
    for (const off of this.offs) off();
  }

  /** Ten times a second: what moves by itself. */
  update(): void {
    const { phase, goal, last } = this.status.peek();
    const drawn = () => (phase === "seeking" ? goal : Math.floor(this.replay.match.drawTick));
    const tick = this.pending ?? drawn();
    this.shown.value = Math.max(this.first, Math.min(last, tick));
    if (
      this.stays &&
      phase === "playing" &&
      this.pending === null &&
      this.isPast() &&
      this.now() - this.cameMs > LIVE_MS
    )
      this.go(last);
  }

  /** Whether something earlier is shown than the newest tick. */
  isPast(): boolean {
    return (this.status.value.last - this.shown.value) * this.info.tickMs >= LIVE_MS;
  }

  /** Goes to the newest tick, and stays there: on a busy machine that tick is the past once it is shown. */
  toLive(): void {
    this.go(this.status.peek().last);
    this.replay.play(100);
    this.stays = true;
  }

  /** A tick as a clock shows it. */
  timeOf(tick: Tick): string {
    return clockText(tick * this.info.tickMs);
  }

  /** Plays or pauses. */
  toggle(): void {
    const { paused, phase } = this.status.peek();
    if (paused || phase === "ended") {
      this.replay.play();
      this.say(t("replay.playing"));
    } else {
      this.stays = false;
      this.replay.pause();
      this.say(t("replay.paused", { time: this.timeOf(this.shown.peek()) }));
    }
  }

  /** The next faster speed, or the next slower one. */
  stepSpeed(step: 1 | -1): void {
    const { percent } = this.status.peek();
    const next =
      step > 0 ? REPLAY_SPEEDS.find((s) => s > percent) : REPLAY_SPEEDS.filter((s) => s < percent).at(-1);
    if (next !== undefined) this.setSpeed(next);
  }

  setSpeed(percent: number): void {
    this.stays = false;
    this.replay.setSpeed(percent);
    this.say(t("replay.speedSaid", { speed: speedText(percent) }));
  }

  /** Goes to a tick. */
  seek(tick: Tick): void {
    this.stays = false;
    this.go(tick);
  }

  private go(tick: Tick): void {
    const to = this.within(tick);
    this.shown.value = to;
    this.pending = to;
    const number = ++this.seeks;
    void this.replay
      .seek(to)
      .catch(() => undefined) // the connection's state says why
      .then(() => {
        if (number !== this.seeks) return;
        this.pending = null;
        this.cameMs = this.now();
      });
  }

  /** Goes on or back by a time. */
  jump(ms: number): void {
    this.seek(this.shown.peek() + Math.round(ms / this.info.tickMs));
  }

  step(ticks: number): void {
    this.stays = false;
    this.pending = null;
    void this.replay.step(ticks).catch(() => undefined);
  }

  /** The pointer is on the bar, at a tick; null: it was lifted, and that is where to go. */
  scrub(tick: Tick | null): void {
    const { drag } = this;
    if (tick === null) {
      const to = drag.peek();
      drag.value = null;
      this.scrubbedMs = Number.NEGATIVE_INFINITY;
      if (to !== null) this.seek(to);
      return;
    }
    this.stays = false;
    drag.value = this.within(tick);
    const now = this.now();
    if (now - this.scrubbedMs < SCRUB_MS) return;
    this.scrubbedMs = now;
    void this.replay.seek(drag.value).catch(() => undefined);
  }

  /** Goes to the next event, or to the one before. */
  goToEvent(step: 1 | -1): void {
    const { tickMs } = this.info;
    const at = this.shown.peek();
    const { timeline } = this;
    const beside = (tick: Tick) => (step > 0 ? timeline.next(tick) : timeline.previous(tick));
    let event = beside(at + Math.round((step > 0 ? LEAD_MS : LEAD_MS - PASSED_MS) / tickMs));
    while (event && !isMarked(event)) event = beside(event.tick);
    if (event) this.goTo(event);
  }

  /** Goes to shortly before an event, and names it. */
  goTo(event: ReplayEvent): void {
    this.seek(event.tick - Math.round(LEAD_MS / this.info.tickMs));
    this.say(t("replay.eventAt", { time: this.timeOf(event.tick), what: eventText(this.info, event) }));
    this.arrived?.(event);
  }

  /** Called with an event that is gone to. */
  arrived: ((event: ReplayEvent) => void) | null = null;

  /** Shows the eyes of a team, or of all. */
  async look(team: Team): Promise<void> {
    await this.choose({ team });
  }

  /** The difference of the last two teams, or no longer. */
  async toggleDifference(): Promise<void> {
    const [a, b] = this.pair.peek();
    if (this.eyes.peek().against !== undefined) await this.choose({ team: ALL_TEAMS });
    else if (a !== b) await this.choose({ team: a, against: b });
  }

  /** Another pair of teams for the difference. */
  async compare(a: Team, b: Team): Promise<void> {
    if (a === b) return;
    this.pair.value = [a, b];
    await this.choose({ team: a, against: b });
  }

  /** Shows eyes. */
  async choose(eyes: Eyes): Promise<void> {
    if (this.replay.info.eyesFixed) {
      this.say(t("replay.eyesFixed"));
      return;
    }
    const { against } = eyes;
    this.eyes.value = eyes;
    if (against !== undefined) this.pair.value = [eyes.team, against];
    this.say(
      against === undefined
        ? t("replay.eyesSaid", { name: teamName(this.info, eyes.team) })
        : t("replay.differenceOf", { a: teamName(this.info, eyes.team), b: teamName(this.info, against) }),
    );
    await Promise.all([this.replay.setEyes(eyes.team), this.against(against ?? null)]).catch(() => undefined);
  }

  /** Follows the camera of a player; -1: of no player. */
  followCamera(slot: Slot): void {
    if (slot === this.follow.peek()) return;
    this.follow.value = slot;
    const name = this.info.players[slot]?.name ?? "";
    if (slot < 0) this.say(t("replay.freeSaid"));
    else if (this.replay.cameras.has(slot)) this.say(t("replay.followSaid", { name }));
    else this.say(t("replay.followUnknown", { name }));
  }

  /** The next player's camera, and at last no camera. */
  followNext(): void {
    const slots = [...this.info.players.map((p) => p.slot).filter((s) => this.replay.cameras.has(s)), -1];
    this.followCamera(slots[(slots.indexOf(this.follow.peek()) + 1) % slots.length]);
  }

  nextTable(): void {
    this.showTable(TABLES[(TABLES.indexOf(this.table.peek()) + 1) % TABLES.length]);
  }

  showTable(table: TableName): void {
    this.table.value = table;
    if (table !== "none" && this.narrow()) this.graphs.value = false;
  }

  toggleGraphs(): void {
    this.graphs.value = !this.graphs.peek();
    if (this.graphs.peek() && this.narrow()) this.table.value = "none";
  }

  /** Tells a screen reader. The same words are told again. */
  say(words: string): void {
    batch(() => {
      if (this.said.peek() === words) this.said.value = "";
      this.said.value = words;
    });
  }

  private within(tick: Tick): Tick {
    return Math.max(this.first, Math.min(this.status.peek().last, Math.round(tick)));
  }

  private told(s: ReplayStatus): void {
    const before = this.status.peek();
    setPlain(this.status, s);
    const { against, team } = this.eyes.peek();
    if (against === undefined && team !== s.eyes) this.eyes.value = { team: s.eyes };
    if (s.phase === before.phase) return;
    if (s.phase === "waiting") this.say(t("replay.state.waiting"));
    else if (s.phase === "ended" && !this.replay.info.live) this.say(t("replay.state.ended"));
  }
}

/** A signal to read alone. */
export type Read<T> = ReadonlySignal<T>;
