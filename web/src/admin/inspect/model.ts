// The state of the inspector, and its requests. Map, tables and time lines read
// the same signals, so that there is one tick, one selection and one pair of eyes.
//
//	link ──► Inspector ──► Source (server)
//	           │  signals: at, eyes, mode, selection, ...
//	           ▼
//	   panes (World each) · entity · tile · orders · known · times ──► views
//
// It asks for what is shown alone, and one question of a kind at a time.

import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import { sentence } from "../words";
import type { Camera, Point } from "./camera";
import { Latest } from "./latest";
import { ALL, type Axis, type Link, type Mode, type Selection, same, type Tab } from "./link";
import { middle } from "./marks";
import { OrderLog } from "./orderlog";
import type { Bytes, Entity, EntityFile, Facts, Known, OrderRow, Player, TileFile, Times } from "./shapes";
import type { Source } from "./source";
import { changed, type World, worldOf } from "./world";

/** A difference over more ticks is no smaller than the state. */
const CHANGES_MAX = 400;
/** Questions about what is selected, while the match runs on. */
const REST_MS = 250;
const FACTS_MS = 2000;
const TIMES_MS = 5000;
const PLAY_MS = 100;
const PINS_MAX = 8;

/** Speeds of playing, in percent. */
export const SPEEDS = [25, 50, 100, 200, 400, 800] as const;

export interface Notice {
  readonly words: string;
  readonly error: boolean;
}

/** The actions on the map. */
export interface MapControls {
  /** The camera as it is; null: it has no size yet, or nothing to show. */
  readonly at: Camera | null;
  zoom(factor: number): void;
  /** CSS pixels. */
  pan(dx: number, dy: number): void;
  whole(): void;
  reveal(p: Point): void;
  frame(points: readonly Point[]): void;
}

/** One view of the map: a pair of eyes, and what they see. */
export class Pane {
  readonly world = signal<World | null>(null);
  private readonly states: Latest<number | undefined, World>;
  private closeStream: (() => void) | null = null;
  private streamed: number | null = null;

  constructor(
    readonly eyes: Signal<number>,
    private readonly source: Source,
    private readonly tiles: () => number,
    private readonly note: (n: Notice | null) => void,
    private readonly ended: () => void,
  ) {
    this.states = new Latest<number | undefined, World>(
      async (tick, abort) => {
        const w = this.world.peek();
        const eyes = this.eyes.peek();
        if (tick !== undefined && w && w.eyes === eyes && tick > w.tick && tick - w.tick <= CHANGES_MAX) {
          const next = changed(w, await source.changes(eyes, w.tick, tick, abort));
          if (next) return next;
        }
        return worldOf(await source.state(eyes, tick, abort), tiles());
      },
      (w) => {
        // The eyes may be others by now: then their state is already asked for.
        if (w.eyes === this.eyes.peek()) this.world.value = w;
        note(null);
      },
      (err) => note({ words: sentence(err), error: true }),
    );
  }

  get busy(): boolean {
    return this.states.busy;
  }

  /** Shows a tick; undefined: the newest. */
  show(tick: number | undefined): void {
    this.stop();
    const w = this.world.peek();
    if (w && w.tick === tick && w.eyes === this.eyes.peek()) this.states.drop();
    else this.states.want(tick);
  }

  /** Shows each newest tick of a live match. */
  follow(): void {
    const eyes = this.eyes.peek();
    if (this.closeStream && this.streamed === eyes) return;
    this.stop();
    this.states.drop();
    this.streamed = eyes;
    this.closeStream = this.source.stream(eyes, {
      state: (s) => {
        this.world.value = worldOf(s, this.tiles());
      },
      change: (c) => {
        const w = this.world.peek();
        const next = w && changed(w, c);
        if (next) this.world.value = next;
        else {
          // A difference was lost on the way: begin again.
          this.stop();
          this.follow();
        }
      },
      end: (reason) => {
        this.stop();
        this.note({ words: `The match is over: ${reason}.`, error: false });
        this.ended();
      },
      note: (words) => this.note(words === null ? null : { words, error: true }),
    });
  }

  private stop(): void {
    this.closeStream?.();
    this.closeStream = null;
  }

  close(): void {
    this.stop();
    this.states.close();
  }
}

export class Inspector {
  readonly facts = signal<Facts | null>(null);
  readonly land = signal<HTMLCanvasElement | null>(null);
  /** The tick that is looked at; null: the newest, which a live match is followed to. */
  readonly at: Signal<number | null>;
  readonly eyes: Signal<number>;
  readonly other: Signal<number>;
  readonly mode: Signal<Mode>;
  readonly tab: Signal<Tab>;
  readonly axis: Signal<Axis>;
  /** Whose frames the time line of frames has. */
  readonly slot: Signal<number>;
  readonly selection: Signal<Selection | null>;
  readonly pins: Signal<readonly Selection[]>;
  readonly camera: Signal<Camera | null>;
  /** The team whose reasons are drawn on the map; null: one is chosen, see {@link whyTeam}. */
  readonly askedTeam = signal<number | null>(null);
  readonly hovered = signal<{ tile: Point; entity: Entity | null } | null>(null);
  readonly names = signal(false);
  /** Percent; 0: paused. */
  readonly playing = signal(0);
  /** Percent: how fast it plays, once it does. */
  readonly speed = signal(100);
  readonly notice = signal<Notice | null>(null);

  /** The order that is selected; null: none, or it is not known yet. */
  readonly order = signal<OrderRow | null>(null);
  readonly entity = signal<EntityFile | null>(null);
  readonly tile = signal<TileFile | null>(null);
  readonly known = signal<Known | null>(null);
  readonly bytes = signal<Bytes | null>(null);
  readonly times = signal<Times | null>(null);
  /** Why what the side panel is to show cannot be had. */
  readonly panelNotice = signal<string | null>(null);

  readonly a: Pane;
  readonly b: Pane;
  readonly orders: OrderLog;
  /** Moves the map; the map's first view sets this. */
  map: MapControls | null = null;

  /** The tick that the map shows. */
  readonly tick = computed(() => this.a.world.value?.tick ?? this.at.value ?? 0);
  /** The newest tick: what is shown may be newer than what was asked for last. */
  readonly last = computed(() => Math.max(this.facts.value?.last ?? 0, this.a.world.value?.tick ?? 0));
  /** Whether the second pair of eyes is needed. */
  readonly two = computed(() => this.mode.value === "beside" || this.mode.value === "difference");
  /** The team whose reasons are drawn. */
  readonly whyTeam = computed(() => {
    const asked = this.askedTeam.value;
    if (asked !== null) return asked;
    // Why its own team sees it is no question.
    const owner = this.selection.value?.kind === "entity" ? (this.ownerOf.value ?? ALL) : ALL;
    const looking = [this.eyes.value, ...(this.two.value ? [this.other.value] : []), ...this.teams.value];
    return looking.find((t) => t !== ALL && t !== owner) ?? Math.max(0, owner);
  });
  private readonly ownerOf = computed(() => this.whereabouts.value?.team);
  /** The entity that is selected, also if these eyes do not see it; null: it is gone, or not known yet. */
  readonly whereabouts = computed<Entity | null>(() => {
    const s = this.selection.value;
    if (s?.kind !== "entity") return null;
    const file = this.entity.value;
    return (file?.id === s.id ? file.entity : undefined) ?? this.find(s.id);
  });
  readonly teams = computed(() =>
    [...new Set(this.facts.value?.players.map((p) => p.team) ?? [])].sort((x, y) => x - y),
  );

  private readonly files: Latest<
    { selection: Selection; tick: number; team: number },
    EntityFile | TileFile | null
  >;
  private readonly knowns: Latest<{ team: number; tick: number | undefined }, Known>;
  private readonly bytesAsked: Latest<{ team: number; tick: number }, Bytes>;
  private readonly factsAsked: Latest<null, Facts>;
  private readonly timesAsked: Latest<null, Times>;
  /** A link named a selection and no place: the map goes there once it is known. */
  private opening: boolean;
  /** How far the match was read when its times were asked for last. */
  private timesTo = 0;
  private readonly timers: number[] = [];
  private readonly disposers: (() => void)[] = [];

  constructor(
    readonly match: string,
    readonly source: Source,
    from: Link = { match },
  ) {
    this.at = signal(from.tick ?? null);
    this.eyes = signal(from.eyes ?? ALL);
    this.other = signal(from.other ?? ALL);
    this.mode = signal(from.mode ?? "eyes");
    this.tab = signal(from.tab ?? "selection");
    this.axis = signal(from.axis ?? "tick");
    this.slot = signal(from.slot ?? 0);
    this.selection = signal(from.selection ?? null);
    this.pins = signal(from.pins ?? []);
    this.camera = signal(from.at ?? null);
    this.opening = from.selection !== undefined && from.at === undefined;
    const tiles = () => {
      const map = this.facts.peek()?.map;
      return map ? map.width * map.height : 0;
    };
    // An answer takes away what was wrong before it, and nothing else that was said.
    const note = (n: Notice | null) => {
      if (n !== null || this.notice.peek()?.error) this.notice.value = n;
    };
    const ended = () => this.factsAsked.want(null);
    this.a = new Pane(this.eyes, source, tiles, note, ended);
    this.b = new Pane(this.other, source, tiles, note, () => undefined);
    this.orders = new OrderLog((q, abort) => source.orders(q, abort));
    this.files = new Latest(
      async ({ selection: s, tick, team }, abort) => {
        if (s.kind === "entity") return source.entity(s.id, tick, abort);
        if (s.kind === "tile") return source.tile(s.x, s.y, team, tick, abort);
        return null;
      },
      (file, { selection }) => {
        if (!same(selection, this.selection.peek())) return;
        batch(() => {
          this.panelNotice.value = null;
          this.entity.value = file && "teams" in file ? file : null;
          this.tile.value = file && "sources" in file ? file : null;
        });
        this.showOpened();
        // The history of the match is being read: the answer will have more.
        if (file && "sources" in file && file.seen?.state === "searching")
          this.timers.push(window.setTimeout(() => this.files.want(this.question()!), 1000));
      },
      (err) => {
        batch(() => {
          this.panelNotice.value = sentence(err);
          this.entity.value = null;
          this.tile.value = null;
        });
      },
      REST_MS,
    );
    this.knowns = new Latest(
      ({ team, tick }, abort) => source.known(team, tick, abort),
      (k) => {
        batch(() => {
          this.panelNotice.value = null;
          this.known.value = k;
        });
      },
      (err) => {
        this.panelNotice.value = sentence(err);
      },
      REST_MS,
    );
    this.bytesAsked = new Latest(
      ({ team, tick }, abort) => source.bytes(team, tick, abort),
      (b) => {
        this.bytes.value = b;
      },
      (err) => note({ words: sentence(err), error: true }),
      REST_MS,
    );
    this.factsAsked = new Latest(
      (_, abort) => source.facts(abort),
      (f) => {
        this.facts.value = f;
      },
      (err) => note({ words: sentence(err), error: true }),
    );
    this.timesAsked = new Latest(
      (_, abort) => {
        const f = this.facts.peek();
        this.timesTo = f?.indexed ?? 0;
        return source.times(f?.first ?? 0, f?.last ?? 0, abort);
      },
      (t) => {
        this.times.value = t;
      },
      () => undefined, // the time line is drawn without
    );
  }

  /** Asks for the match and begins to show it. */
  async open(): Promise<void> {
    try {
      this.facts.value = await this.source.facts(new AbortController().signal);
    } catch (err) {
      this.notice.value = { words: sentence(err), error: true };
      return;
    }
    const f = this.facts.peek()!;
    if (this.other.peek() === this.eyes.peek())
      this.other.value = this.teams.peek().find((t) => t !== this.eyes.peek()) ?? ALL;
    if (!f.live && this.at.peek() === null) this.at.value = f.first;
    void this.source.land(f.map.hash).then((land) => {
      this.land.value = land;
    });
    this.disposers.push(
      effect(() => this.load()),
      effect(() => {
        const q = this.question();
        if (q) this.files.want(q);
      }),
      // A link names an order by its number alone: its row is in the log.
      effect(() => {
        const s = this.selection.value;
        const row = s?.kind === "order" ? this.orders.rows.value.find((o) => o.n === s.n) : undefined;
        if (row) this.order.value = row;
      }),
      effect(() => {
        const team = this.knownTeam.value;
        const [tab, mode, tick] = [this.tab.value, this.mode.value, this.tick.value];
        if (team === null || tick === 0) return;
        // The state of clients is known for the newest tick, and changes with it.
        if (tab === "known") this.knowns.want({ team, tick: this.at.value === null ? undefined : tick });
        if (tab === "known" || mode === "heat") this.bytesAsked.want({ team, tick });
      }),
    );
    this.timesAsked.want(null);
    if (this.selection.peek()?.kind === "order") this.orders.load(this.at.peek() ?? f.first);
    this.timers.push(
      window.setInterval(() => {
        if (this.facts.peek()?.live || (this.facts.peek()?.indexed ?? 0) < (this.facts.peek()?.last ?? 0))
          this.factsAsked.want(null);
      }, FACTS_MS),
      window.setInterval(() => {
        // The actions of players are known as far as the match was read.
        const f = this.facts.peek();
        if (f && (f.live || f.indexed > this.timesTo)) this.timesAsked.want(null);
      }, TIMES_MS),
      window.setInterval(() => this.play(), PLAY_MS),
    );
  }

  close(): void {
    for (const t of this.timers) {
      clearInterval(t);
      clearTimeout(t);
    }
    for (const d of this.disposers) d();
    for (const l of [this.files, this.knowns, this.bytesAsked, this.factsAsked, this.timesAsked, this.orders])
      l.close();
    this.a.close();
    this.b.close();
  }

  /** The team that the panel of what is known speaks of: of the eyes, or the first. */
  readonly knownTeam = computed(() =>
    this.eyes.value !== ALL ? this.eyes.value : (this.teams.value[0] ?? null),
  );

  /** Where this is, to open it again. */
  readonly link = computed<Link>(() => ({
    match: this.match,
    tick: this.at.value ?? undefined,
    eyes: this.eyes.value,
    other: this.two.value ? this.other.value : undefined,
    mode: this.mode.value,
    tab: this.tab.value,
    axis: this.axis.value,
    slot: this.axis.value === "frame" ? this.slot.value : undefined,
    selection: this.selection.value ?? undefined,
    pins: this.pins.value,
    at: this.camera.value ?? undefined,
  }));

  private load(): void {
    const at = this.at.value;
    // Whose eyes: a change sends a new request.
    this.eyes.value;
    this.other.value;
    const follow = at === null && this.facts.value?.live === true;
    for (const pane of this.two.value ? [this.a, this.b] : [this.a]) {
      if (follow) pane.follow();
      else pane.show(at ?? undefined);
    }
  }

  private question(): { selection: Selection; tick: number; team: number } | null {
    const s = this.selection.value;
    if (!s || s.kind === "order") return null;
    return { selection: s, tick: this.tick.value, team: s.kind === "tile" ? this.whyTeam.value : 0 };
  }

  private play(): void {
    const percent = this.playing.peek();
    const f = this.facts.peek();
    if (percent === 0 || !f || this.a.busy || (this.two.peek() && this.b.busy)) return;
    const step = Math.max(1, Math.round((f.tickRate * percent * PLAY_MS) / 100_000));
    const next = Math.min(f.last, this.tick.peek() + step);
    if (next >= f.last) this.playing.value = 0;
    this.at.value = next;
  }

  // The actions of a person.

  /** Goes to a tick of the match, and stays there. */
  seek(tick: number): void {
    const f = this.facts.peek();
    if (!f) return;
    this.notice.value = null;
    this.at.value = Math.round(Math.min(this.last.peek(), Math.max(f.first, tick)));
  }

  /** Plays at the speed that was chosen, or pauses. An ended match begins anew. */
  togglePlay(): void {
    const on = this.playing.peek() === 0;
    this.playing.value = on ? this.speed.peek() : 0;
    if (on && this.tick.peek() >= this.last.peek()) this.seek(0);
  }

  /** Chooses how fast it plays, now or later. */
  chooseSpeed(percent: number): void {
    this.speed.value = percent;
    if (this.playing.peek() > 0) this.playing.value = percent;
  }

  step(ticks: number): void {
    this.playing.value = 0;
    this.seek(this.tick.peek() + ticks);
  }

  /** To the newest tick; a live match is followed from then on. */
  newest(): void {
    this.playing.value = 0;
    const f = this.facts.peek();
    this.at.value = f?.live ? null : (f?.last ?? null);
  }

  select(s: Selection | null): void {
    batch(() => {
      if (!same(s, this.selection.peek())) {
        this.entity.value = null;
        this.tile.value = null;
        this.panelNotice.value = null;
        this.askedTeam.value = null;
      }
      this.selection.value = s;
      if (s && s.kind !== "order" && this.tab.peek() !== "entities") this.tab.value = "selection";
    });
  }

  /** To an order: its tick, its place, and its row. */
  goToOrder(o: OrderRow): void {
    batch(() => {
      this.playing.value = 0;
      this.order.value = o;
      this.select({ kind: "order", n: o.n });
      this.seek(o.tick);
      if (!this.orders.rows.peek().some((r) => r.n === o.n)) this.orders.load(o.tick);
    });
    const at = this.placeOf(o);
    if (at) this.map?.reveal(at);
  }

  /** To the next order that was refused, behind the order or the tick that is looked at. */
  async nextRefused(): Promise<void> {
    const s = this.selection.peek();
    const here = s?.kind === "order" ? this.order.peek() : null;
    const abort = new AbortController().signal;
    try {
      const from = here ? { from: here.tick, after: here.n } : { from: this.tick.peek() + 1 };
      const [row] = (await this.source.orders({ ...from, refused: 1, limit: 1 }, abort)).rows;
      if (row) this.goToOrder(row);
      else this.notice.value = { words: "No order behind this tick was refused.", error: false };
    } catch (err) {
      this.notice.value = { words: sentence(err), error: true };
    }
  }

  /** Where an order points to: its point, its target, or its first unit. */
  placeOf(o: OrderRow): Point | null {
    if (o.x !== undefined && o.y !== undefined) return { x: o.x, y: o.y };
    return this.find(o.target ?? o.units[0] ?? -1);
  }

  /** The map is there, and where the selection is: a link that names no place shows it. */
  showOpened(): void {
    const known = this.whereabouts.peek() !== null || this.tile.peek() !== null;
    if (!this.opening || !this.map?.at || !known) return;
    this.opening = false;
    this.showSelected();
  }

  /** Shows what is selected large, with whoever looks at it and what is in between. */
  showSelected(): void {
    const s = this.selection.peek();
    if (s?.kind === "tile") {
      const tile = this.tile.peek();
      const eyes =
        tile?.x === s.x && tile.y === s.y ? [...tile.sources, ...tile.not].slice(0, 1).map((x) => x.eye) : [];
      this.map?.frame([s, ...eyes].map(middle));
    } else if (s?.kind === "entity") {
      const e = this.whereabouts.peek();
      const by = this.entity.peek()?.teams.find((t) => t.team === this.whyTeam.peek())?.by;
      if (e) this.map?.frame(by ? [e, middle(by)] : [e]);
    } else if (s?.kind === "order") {
      const row = this.order.peek();
      const at = row?.n === s.n ? this.placeOf(row) : null;
      if (at) this.map?.frame([at]);
    }
  }

  show(e: Entity): void {
    this.select({ kind: "entity", id: e.id });
    this.map?.reveal(e);
  }

  togglePin(s: Selection | null = this.selection.peek()): void {
    if (!s) return;
    const pins = this.pins.peek();
    this.pins.value = pins.some((p) => same(p, s))
      ? pins.filter((p) => !same(p, s))
      : [...pins.slice(-(PINS_MAX - 1)), s];
  }

  chooseMode(mode: Mode): void {
    batch(() => {
      this.mode.value = mode;
      // Two views need two pairs of eyes, and a difference needs teams.
      const teams = this.teams.peek();
      if (mode === "difference") {
        if (this.eyes.peek() === ALL) this.eyes.value = teams[0] ?? 0;
        if (this.other.peek() === ALL) this.other.value = teams.find((t) => t !== this.eyes.peek()) ?? ALL;
      }
      if ((mode === "difference" || mode === "beside") && this.other.peek() === this.eyes.peek())
        this.other.value = teams.find((t) => t !== this.eyes.peek()) ?? ALL;
    });
  }

  find(id: number): Entity | null {
    return (
      this.a.world.value?.byId.get(id) ?? (this.two.value ? (this.b.world.value?.byId.get(id) ?? null) : null)
    );
  }

  player(slot: number): Player | undefined {
    return this.facts.value?.players.find((p) => p.slot === slot);
  }

  colorOf = (slot: number): number => this.player(slot)?.color ?? slot;
}
