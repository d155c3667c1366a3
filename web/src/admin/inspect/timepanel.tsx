// The time line below the map: play and step, choose what counts along it, and
// seek by click or drag.

import { computed, effect, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { clock } from "../words";
import { frameLanes, framesOf, orderLanes, PHASE_COLORS, tickLanes } from "./lanes";
import type { Axis } from "./link";
import { type Inspector, SPEEDS } from "./model";
import { OrderLog } from "./orderlog";
import { Choice } from "./parts";
import {
  type AxisItem,
  indexAt,
  keepInside,
  neighbour,
  numbered,
  type Range,
  slide,
  zoomRange,
} from "./timescale";
import { atOf, drawTime, heightOf, type Lane } from "./timeview";
import { upper } from "./words";

const AXIS_WORDS: Record<Axis, string> = { tick: "Ticks", order: "Orders", frame: "Frames" };
/** Orders are read from so many seconds before the tick on. */
const ORDERS_BEFORE_S = 20;
const LANES_SHOWN = 7;
/** If fewer seconds are shown, the ruler has tenths of seconds. */
const TENTHS_S = 20;

/** The unit of the time line: its numbers, its lanes, and the ticks they stand for. */
class TimeModel {
  readonly hover = signal<number | null>(null);
  readonly zoomed = signal<Range | null>(null);
  readonly log: OrderLog;

  constructor(readonly model: Inspector) {
    this.log = new OrderLog((q, abort) => model.source.orders(q, abort));
  }

  readonly frames = computed(() => {
    const { facts, times, slot } = this.model;
    return facts.value ? framesOf(facts.value, times.value, slot.value) : [];
  });

  readonly items = computed<readonly AxisItem[]>(() => {
    const { axis } = this.model;
    if (axis.value === "order") return this.log.rows.value;
    return axis.value === "frame" ? this.frames.value : [];
  });

  readonly all = computed<Range>(() => {
    const { axis, facts } = this.model;
    if (axis.value === "tick")
      return { from: facts.value?.first ?? 0, to: Math.max(1, this.model.last.value) };
    const items = this.items.value;
    return items.length === 0 ? { from: 0, to: 1 } : { from: items[0].n, to: items[items.length - 1].n + 1 };
  });

  readonly at = computed(() => {
    const { axis, tick } = this.model;
    if (axis.value === "tick") return tick.value;
    const items = this.items.value;
    return items[Math.max(0, indexAt(items, tick.value))]?.n ?? 0;
  });

  readonly range = computed<Range>(() => {
    const z = this.zoomed.value;
    return z ? keepInside(z, this.at.value, this.all.value) : this.all.value;
  });

  readonly lanes = computed<Lane[]>(() => {
    const { axis, facts, times } = this.model;
    if (!facts.value) return [];
    if (axis.value === "tick") return tickLanes(facts.value, times.value);
    if (axis.value === "order") return orderLanes(facts.value, this.log.rows.value);
    return frameLanes(this.frames.value);
  });

  /** The orders around the tick are read, if the line counts orders and has them not. */
  readOrders(): void {
    const { axis, facts, tick } = this.model;
    if (axis.value !== "order" || !facts.value || this.log.loading.value) return;
    const rows = this.log.rows.value;
    const at = tick.value;
    const last = rows[rows.length - 1]?.tick ?? -1;
    const covered = rows.length > 0 && at >= this.log.from.value && (at <= last || !this.log.more.value);
    if (!covered && this.log.error.peek() === null)
      this.log.load(Math.max(facts.value.first, at - ORDERS_BEFORE_S * facts.value.tickRate));
  }

  /** Seeks to a point of the axis. */
  seek(at: number): void {
    const { model } = this;
    model.playing.value = 0;
    if (model.axis.peek() === "tick") model.seek(at);
    else {
      const items = this.items.peek();
      const item = numbered(items, at) ?? items[0];
      if (item) this.goTo(item);
    }
  }

  /** One tick, or the next order or frame. */
  step(by: 1 | -1): void {
    const { model } = this;
    if (model.axis.peek() === "tick") model.step(by);
    else {
      const item = neighbour(this.items.peek(), model.tick.peek(), by);
      model.playing.value = 0;
      if (item) this.goTo(item);
    }
  }

  private goTo(item: AxisItem): void {
    const row =
      this.model.axis.peek() === "order" ? this.log.rows.peek().find((r) => r.n === item.n) : undefined;
    if (row) this.model.goToOrder(row);
    else this.model.seek(item.tick);
  }
}

/** Steps of the keys go the way of the time line. */
export interface TimeControls {
  step(by: 1 | -1): void;
}

export function TimePanel({ model, controls }: { model: Inspector; controls: (c: TimeControls) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const time = useMemo(() => new TimeModel(model), [model]);
  const facts = model.facts.value!;
  useEffect(() => {
    controls(time);
    const stop = [effect(() => time.readOrders()), drawn(canvas.current!, time)];
    return () => {
      for (const s of stop) s();
      time.log.close();
    };
  }, [time, controls]);
  const lanes = time.lanes.value;
  const axis = model.axis.value;
  return (
    <section class="time" aria-label="Time line">
      <div class="time-tools">
        <Player model={model} time={time} />
        <Choice
          label="What counts along the time line"
          name="axis"
          value={axis}
          options={(Object.keys(AXIS_WORDS) as Axis[]).map((a) => ({ value: a, words: AXIS_WORDS[a] }))}
          choose={(a) => {
            time.zoomed.value = null;
            model.axis.value = a;
          }}
        />
        {axis === "frame" && (
          <select
            aria-label="Whose frames"
            value={model.slot.value}
            onChange={(e) => {
              model.slot.value = Number(e.currentTarget.value);
            }}
          >
            {facts.players.map((p) => (
              <option key={p.slot} value={p.slot}>
                {p.name}
              </option>
            ))}
          </select>
        )}
        <Legend axis={axis} />
        <span class="grow" />
        <HoverWords time={time} />
        <button
          type="button"
          class="ghost-button"
          hidden={time.zoomed.value === null}
          onClick={() => {
            time.zoomed.value = null;
          }}
        >
          Whole match
        </button>
      </div>
      <div class="time-scroll" style={{ maxHeight: `${heightOf(LANES_SHOWN)}px` }}>
        <canvas
          ref={canvas}
          class="time-canvas"
          style={{ height: `${heightOf(Math.max(1, lanes.length))}px` }}
          role="slider"
          tabIndex={0}
          aria-label="Tick"
          aria-valuemin={facts.first}
          aria-valuemax={model.last.value}
          aria-valuenow={model.tick.value}
        />
        <Missing time={time} lanes={lanes.length} />
      </div>
    </section>
  );
}

function Player({ model, time }: { model: Inspector; time: TimeModel }) {
  const facts = model.facts.value!;
  const tick = model.tick.value;
  const live = facts.live && model.at.value === null;
  const toggle = () => model.togglePlay();
  return (
    <span class="row play">
      <button
        type="button"
        title="Back (,)"
        aria-label="Step back"
        data-do="back"
        onClick={() => time.step(-1)}
      >
        ◀
      </button>
      <button
        type="button"
        title="Play (Space)"
        data-do="play"
        aria-label={model.playing.value ? "Pause" : "Play"}
        onClick={toggle}
      >
        {model.playing.value ? "❚❚" : "▶"}
      </button>
      <button
        type="button"
        title="Forward (.)"
        aria-label="Step forward"
        data-do="forward"
        onClick={() => time.step(1)}
      >
        ▶|
      </button>
      <select
        aria-label="Speed"
        value={model.speed.value}
        onChange={(e) => model.chooseSpeed(Number(e.currentTarget.value))}
      >
        {SPEEDS.map((s) => (
          <option key={s} value={s}>
            {s / 100}×
          </option>
        ))}
      </select>
      <TickField model={model} />
      <span class="dim num">
        of {model.last.value} · <b>{clock(tick, facts.tickRate)}</b>
      </span>
      {facts.live && (
        <button
          type="button"
          class={live ? "on" : ""}
          aria-pressed={live}
          data-do="newest"
          title="Follow the newest tick (End)"
          onClick={() => model.newest()}
        >
          Live
        </button>
      )}
    </span>
  );
}

/** The tick that is shown, to type another. The field keeps its text while the match goes on. */
function TickField({ model }: { model: Inspector }) {
  const typed = useSignal<string | null>(null);
  return (
    <form
      class="row"
      onSubmit={(e) => {
        e.preventDefault();
        const field = e.currentTarget.elements.namedItem("tick") as HTMLInputElement;
        model.playing.value = 0;
        model.seek(Number(field.value));
        field.blur();
      }}
    >
      <input
        type="number"
        name="tick"
        class="tick-field num"
        aria-label="Tick"
        min={model.facts.value?.first}
        max={model.last.value}
        value={typed.value ?? model.tick.value}
        onInput={(e) => {
          typed.value = e.currentTarget.value;
        }}
        onBlur={() => {
          typed.value = null;
        }}
      />
    </form>
  );
}

function Legend({ axis }: { axis: Axis }) {
  const rows: readonly (readonly [string, string])[] =
    axis === "tick"
      ? [["orders", "#5d7186"], ["refused", "#ff6b57"], ["losses", "#ffd43b"], ...PHASE_COLORS]
      : axis === "order"
        ? [
            ["accepted", "#5fd38d"],
            ["refused", "#ff6b57"],
          ]
        : [];
  return (
    <span class="legend">
      {rows.map(([name, color]) => (
        <span key={name}>
          <i style={{ background: color }} />
          {name}
        </span>
      ))}
    </span>
  );
}

function HoverWords({ time }: { time: TimeModel }) {
  const at = time.hover.value;
  const { model } = time;
  if (at === null) return null;
  const rate = model.facts.value!.tickRate;
  if (model.axis.value === "tick")
    return (
      <span class="dim num">
        tick {Math.round(at)} · {clock(at, rate)}
      </span>
    );
  const item = numbered(time.items.value, at);
  if (!item) return null;
  const what = model.axis.value === "order" ? `order ${item.n}` : `about frame ${item.n}`;
  return (
    <span class="dim num">
      {what} · tick {item.tick}
    </span>
  );
}

/** A time of the ruler: with tenths of a second if little is shown. */
const timeLabel = (tick: number, shown: Range, rate: number): string =>
  (shown.to - shown.from) / rate < TENTHS_S ? `${(tick / rate).toFixed(1)} s` : clock(tick, rate);

/** The gaps of the time line, in words. */
function Missing({ time, lanes }: { time: TimeModel; lanes: number }) {
  const { model } = time;
  const t = model.times.value;
  const words = [
    t?.without,
    t && t.lost > 0 ? `${t.lost} seconds were not noted, as the disk was slow.` : "",
    t?.full ? "There was no room to note all of the match." : "",
  ]
    .map((w) => (w ? upper(w) : ""))
    .filter(Boolean)
    .join(" ");
  const axis = model.axis.value;
  if (axis === "order" && time.log.error.value) return <p class="error">{time.log.error.value}</p>;
  if (axis === "order" && time.items.value.length === 0)
    return (
      <p class="dim time-note">
        {time.log.loading.value ? "Reading the orders…" : "No orders around this tick."}
      </p>
    );
  if (axis === "frame" && lanes === 0)
    return (
      <p class="dim time-note">
        {words || "The notes have no data about this client: it is a bot, or was not connected."}
      </p>
    );
  return words && axis === "tick" ? <p class="dim time-note">{words}</p> : null;
}

/** Draws the time line and listens to it. Returns what ends both. */
function drawn(el: HTMLCanvasElement, time: TimeModel): () => void {
  const { model } = time;
  let waiting = 0;
  const draw = () => {
    waiting = 0;
    const [width, height] = [el.clientWidth, el.clientHeight];
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (width === 0) return;
    if (el.width !== Math.round(width * ratio) || el.height !== Math.round(height * ratio)) {
      el.width = Math.round(width * ratio);
      el.height = Math.round(height * ratio);
    }
    const ctx = el.getContext("2d");
    const facts = model.facts.peek();
    if (!ctx || !facts) return;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const axis = model.axis.peek();
    drawTime(
      ctx,
      {
        range: time.range.peek(),
        lanes: time.lanes.peek(),
        at: time.at.peek() + (axis === "tick" ? 0 : 0.5),
        end: time.all.peek().to,
        hover: time.hover.peek(),
        unit: axis === "tick" ? facts.tickRate : 1,
        label: axis === "tick" ? (t) => timeLabel(t, time.range.peek(), facts.tickRate) : (n) => String(n),
      },
      width,
      height,
    );
  };
  const soon = () => {
    waiting ||= requestAnimationFrame(draw);
  };
  const stop = effect(() => {
    for (const s of [time.range, time.lanes, time.at, time.all, time.hover]) s.value;
    soon();
  });
  const resized = new ResizeObserver(soon);
  resized.observe(el);
  let dragging = false;
  const at = (e: PointerEvent | WheelEvent) =>
    atOf(e.clientX - el.getBoundingClientRect().left, time.range.peek(), el.clientWidth);
  const on = <K extends keyof HTMLElementEventMap>(kind: K, fn: (e: HTMLElementEventMap[K]) => void) =>
    el.addEventListener(kind, fn, { passive: false });
  on("pointerdown", (e) => {
    dragging = true;
    el.setPointerCapture(e.pointerId);
    time.seek(at(e));
  });
  on("pointermove", (e) => {
    time.hover.value = at(e);
    if (dragging) time.seek(at(e));
  });
  on("pointerup", () => {
    dragging = false;
  });
  on("pointercancel", () => {
    dragging = false;
  });
  on("pointerleave", () => {
    time.hover.value = null;
  });
  on("wheel", (e) => {
    // Up and down over many lanes scrolls them; with a modifier, and sideways, it is the time line's.
    const r = time.range.peek();
    const all = time.all.peek();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) {
      e.preventDefault();
      time.zoomed.value = slide(r, ((e.deltaX || e.deltaY) / el.clientWidth) * (r.to - r.from), all);
    } else {
      e.preventDefault();
      const next = zoomRange(r, 1.002 ** -e.deltaY, at(e), all);
      time.zoomed.value = next.to - next.from >= all.to - all.from ? null : next;
    }
  });
  return () => {
    stop();
    resized.disconnect();
    cancelAnimationFrame(waiting);
  };
}
