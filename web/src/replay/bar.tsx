// The bar of a replay: activity of the players, the time with marks of events, and
// buttons.

import { ALL_TEAMS, type PlayerInfo, REPLAY_SPEEDS, type ReplayEvent } from "@fogkeep/client";
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Action, type Bindings, keyLabel } from "../input/hotkeys";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Emblem, Icon } from "../ui/icons";
import { densityRow } from "./density";
import { REPLAY_ICONS } from "./icons";
import { marksOf } from "./marks";
import type { ReplayModel } from "./model";
import { eventSlot, eventText, speedText, teamName } from "./words";

export interface BarProps {
  readonly model: ReplayModel;
  colorOf(owner: number): string;
  keys(): Bindings;
  /** Plays on from the tick that is shown; absent: it may not be. */
  branch?: () => void;
  /** An address opens the replay: the bar offers it. */
  readonly hasLink: boolean;
  leave(): void;
}

/** On the time bar the arrow keys go so far. */
const ARROW_MS = 5000;
const PAGE_MS = 60_000;

export function Bar(props: BarProps) {
  const { model } = props;
  return (
    <>
      <Density {...props} />
      <Time {...props} />
      <div class="replay-buttons">
        <Transport {...props} />
        <Clock model={model} />
        <span class="grow" />
        <More {...props} />
      </div>
    </>
  );
}

/** The words of a button with its key. */
function titled(words: string, { keys }: BarProps, action: Action): { title: string; "aria-label": string } {
  const code = keys()[action][0];
  return { title: code ? `${words} (${keyLabel(code)})` : words, "aria-label": words };
}

function Transport(props: BarProps) {
  const { model } = props;
  const { paused, phase, percent } = model.status.value;
  const stands = paused || phase === "ended";
  const play = t(
    phase === "ended" && !model.replay.info.live ? "replay.again" : stands ? "replay.play" : "replay.pause",
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a layout of its own
    <div class="replay-transport" role="group" aria-label={t("replay.bar")}>
      <button
        type="button"
        data-do="replay-previous"
        {...titled(t("replay.previous"), props, "replayPrevious")}
        onClick={() => model.goToEvent(-1)}
      >
        <Icon path={REPLAY_ICONS.previous} />
      </button>
      <button
        type="button"
        class="wide-only"
        data-do="replay-step-back"
        {...titled(t("replay.stepBack"), props, "replayStepBack")}
        onClick={() => model.step(-1)}
      >
        <Icon path={REPLAY_ICONS.stepBack} />
      </button>
      <button
        type="button"
        class="primary"
        data-do="replay-play"
        {...titled(play, props, "replayPlay")}
        onClick={() => model.toggle()}
      >
        <Icon path={stands ? REPLAY_ICONS.play : REPLAY_ICONS.pause} />
      </button>
      <button
        type="button"
        class="wide-only"
        data-do="replay-step-on"
        {...titled(t("replay.stepOn"), props, "replayStepOn")}
        onClick={() => model.step(1)}
      >
        <Icon path={REPLAY_ICONS.stepOn} />
      </button>
      <button
        type="button"
        data-do="replay-next"
        {...titled(t("replay.next"), props, "replayNext")}
        onClick={() => model.goToEvent(1)}
      >
        <Icon path={REPLAY_ICONS.next} />
      </button>
      <select
        class="replay-speed"
        aria-label={t("replay.speed")}
        title={t("replay.speed")}
        value={String(percent)}
        onChange={(e) => {
          model.setSpeed(Number(e.currentTarget.value));
          e.currentTarget.blur();
        }}
      >
        {REPLAY_SPEEDS.map((s) => (
          <option key={s} value={String(s)} selected={s === percent}>
            {t("replay.speedValue", { speed: speedText(s) })}
          </option>
        ))}
      </select>
    </div>
  );
}

function Clock({ model }: { model: ReplayModel }) {
  const { last, phase, goal } = model.status.value;
  const { live } = model.replay.info;
  const { delayMs } = model.info;
  const past = model.isPast();
  return (
    <div class="replay-clock">
      <b class="num">{model.timeOf(model.drag.value ?? model.shown.value)}</b>
      <span class="dim num"> / {model.timeOf(last)}</span>
      {phase === "seeking" && (
        <span class="replay-state" role="status">
          {t("replay.state.seeking", { time: model.timeOf(goal) })}
        </span>
      )}
      {phase === "waiting" && (
        <span class="replay-state waits" role="status">
          {t("replay.state.waiting")}
        </span>
      )}
      {live && (
        <button
          type="button"
          class={`replay-live${past ? "" : " on"}`}
          title={t("replay.toLiveTitle")}
          data-do="replay-live"
          onClick={() => model.toLive()}
        >
          {past
            ? t("replay.behind", { time: model.timeOf(last - model.shown.value) })
            : t("replay.late", { seconds: Math.round(delayMs / 1000) })}
        </button>
      )}
    </div>
  );
}

function More(props: BarProps) {
  const { model, branch } = props;
  const shown = model.timeOf(model.shown.value);
  return (
    <div class="replay-more">
      {branch && (
        <button
          type="button"
          class="replay-branch"
          data-do="replay-branch"
          title={t("replay.branchTitle", { time: shown })}
          onClick={branch}
        >
          <Icon path={REPLAY_ICONS.branch} />
          <span>{t("replay.branch")}</span>
        </button>
      )}
      <button
        type="button"
        class={model.table.value !== "none" ? "on" : ""}
        aria-pressed={model.table.value !== "none"}
        data-do="replay-table"
        {...titled(t("replay.tables"), props, "replayTable")}
        onClick={() => model.nextTable()}
      >
        <Icon path={REPLAY_ICONS.table} />
      </button>
      <button
        type="button"
        class={model.graphs.value ? "on" : ""}
        aria-pressed={model.graphs.value}
        data-do="replay-graphs"
        {...titled(t("replay.graphs"), props, "replayGraphs")}
        onClick={() => model.toggleGraphs()}
      >
        <Icon path={REPLAY_ICONS.graph} />
      </button>
      {props.hasLink && (
        <button
          type="button"
          data-do="replay-share"
          {...titled(t("replay.link"), props, "replayLink")}
          onClick={() => {
            model.share.value = true;
          }}
        >
          <Icon path={REPLAY_ICONS.link} />
        </button>
      )}
      <button
        type="button"
        data-do="replay-hide"
        {...titled(t("replay.hide"), props, "replayHide")}
        onClick={() => {
          model.hidden.value = true;
        }}
      >
        <Icon path={REPLAY_ICONS.hide} />
      </button>
      <button
        type="button"
        class="wide-only"
        data-do="replay-help"
        {...titled(t("replay.help"), props, "replayHelp")}
        onClick={() => {
          model.help.value = true;
        }}
      >
        <Icon path={REPLAY_ICONS.keys} />
      </button>
      <button
        type="button"
        data-do="replay-leave"
        title={t("replay.leave")}
        aria-label={t("replay.leave")}
        onClick={props.leave}
      >
        <Icon path={ICONS.cancel} />
      </button>
    </div>
  );
}

/** The time: a slider with marks of events. */
function Time({ model, colorOf }: BarProps) {
  const track = useRef<HTMLDivElement>(null);
  const hover = useSignal<number | null>(null);
  const { first } = model;
  const { last, indexed } = model.status.value;
  const at = model.drag.value ?? model.shown.value;
  const span = Math.max(1, last - first);
  const share = (tick: number) => Math.max(0, Math.min(1, (tick - first) / span));
  const tickAt = (e: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box ? first + Math.max(0, Math.min(1, (e.clientX - box.left) / box.width)) * span : first;
  };
  const keyDown = (e: KeyboardEvent) => {
    const by: Record<string, () => void> = {
      ArrowLeft: () => model.jump(-ARROW_MS),
      ArrowDown: () => model.jump(-ARROW_MS),
      ArrowRight: () => model.jump(ARROW_MS),
      ArrowUp: () => model.jump(ARROW_MS),
      PageDown: () => model.jump(-PAGE_MS),
      PageUp: () => model.jump(PAGE_MS),
      Home: () => model.seek(first),
      End: () => model.seek(last),
    };
    const act = by[e.key];
    if (!act) return;
    e.preventDefault();
    e.stopPropagation();
    act();
  };
  const preview = model.drag.value ?? hover.value;
  return (
    <div
      class="replay-time"
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label={t("replay.seek")}
      aria-valuemin={Math.round((first * model.info.tickMs) / 1000)}
      aria-valuemax={Math.round((last * model.info.tickMs) / 1000)}
      aria-valuenow={Math.round((at * model.info.tickMs) / 1000)}
      aria-valuetext={t("replay.seekValue", { time: model.timeOf(at), last: model.timeOf(last) })}
      onKeyDown={keyDown}
      onPointerDown={(e) => {
        if (e.button !== 0) return;
        e.currentTarget.setPointerCapture(e.pointerId);
        model.scrub(tickAt(e));
      }}
      onPointerMove={(e) => {
        hover.value = tickAt(e);
        if (model.drag.peek() !== null) model.scrub(tickAt(e));
      }}
      onPointerUp={() => model.scrub(null)}
      onPointerCancel={() => model.scrub(null)}
      onPointerLeave={() => {
        hover.value = null;
      }}
    >
      <i class="replay-track">
        <i class="replay-known" style={{ width: `${100 * share(indexed)}%` }} />
        <i class="replay-done" style={{ width: `${100 * share(at)}%` }} />
      </i>
      <Marks model={model} colorOf={colorOf} share={share} />
      <i class="replay-knob" style={{ left: `${100 * share(at)}%` }} />
      {preview !== null && <Preview model={model} tick={preview} share={share(preview)} />}
    </div>
  );
}

/** The preview under the pointer: the time, and the event there. */
function Preview({ model, tick, share }: { model: ReplayModel; tick: number; share: number }) {
  void model.known.value;
  const { first } = model;
  const near = (model.status.value.last - first) / 120;
  let event: ReplayEvent | null = null;
  for (const e of model.timeline.events) {
    if (Math.abs(e.tick - tick) > near) continue;
    if (!event || Math.abs(e.tick - tick) < Math.abs(event.tick - tick)) event = e;
  }
  return (
    <span
      class="replay-preview"
      style={{ left: `clamp(70px, ${100 * share}%, calc(100% - 70px))` }}
      aria-hidden="true"
    >
      <b class="num">{model.timeOf(tick)}</b>
      {event && <span>{eventText(model.info, event)}</span>}
    </span>
  );
}

function Marks(props: { model: ReplayModel; colorOf: BarProps["colorOf"]; share(tick: number): number }) {
  const { model, colorOf, share } = props;
  void model.known.value;
  const { events } = model.timeline;
  return (
    <>
      {events
        .filter((e) => e.kind === "fight")
        .map((e) => (
          <i
            key={`f${e.tick}`}
            class="replay-fight"
            style={{ left: `${100 * share(e.tick)}%`, width: `${100 * (share(e.until) - share(e.tick))}%` }}
          />
        ))}
      {marksOf(events, share).map(({ event, at, small }) => {
        const slot = eventSlot(model.info, event);
        const words = t("replay.eventAt", {
          time: model.timeOf(event.tick),
          what: eventText(model.info, event),
        });
        return (
          <button
            key={`${event.kind} ${event.tick}`}
            type="button"
            class={`replay-mark ${event.kind}${small ? " small" : ""}`}
            style={{ left: `${100 * at}%`, color: slot >= 0 ? colorOf(slot) : undefined }}
            tabIndex={-1}
            aria-label={words}
            title={words}
            data-event={event.kind}
            onPointerDown={(e) => e.stopPropagation()}
            onClick={() => model.goTo(event)}
          >
            <Icon path={REPLAY_ICONS[event.kind] ?? REPLAY_ICONS.contact} />
          </button>
        );
      })}
    </>
  );
}

/** A row a player: orders as bars, losses in red. */
function Density({ model, colorOf }: BarProps) {
  const known = useComputed(() =>
    model.known.value > 0 && model.timeline.points > 1 ? model.known.value : 0,
  );
  if (known.value === 0 || model.runs) return null;
  return (
    <div class="replay-density" title={t("replay.densityNote")}>
      {model.info.players
        .filter((p) => model.timeline.knows(p.slot))
        .map((p) => (
          <div class="replay-row" key={p.slot}>
            <Emblem color={colorOf(p.slot)} index={p.color} />
            <DensityCanvas model={model} slot={p.slot} color={colorOf(p.slot)} name={p.name} />
          </div>
        ))}
    </div>
  );
}

const ROW_PX = 14;
const LOSS = "#ff6b57";

function DensityCanvas(props: { model: ReplayModel; slot: number; color: string; name: string }) {
  const { model, slot, color, name } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const el = canvas.current;
    if (!el) return;
    const sizes = new ResizeObserver(() => {
      width.value = el.clientWidth;
    });
    sizes.observe(el);
    return () => sizes.disconnect();
  }, [width]);
  useSignalEffect(() => {
    void model.known.value;
    const { last } = model.status.value;
    const ctx = canvas.current?.getContext("2d");
    if (!ctx || width.value === 0) return;
    const columns = width.value;
    ctx.canvas.width = columns;
    ctx.canvas.height = ROW_PX;
    const row = densityRow(model.timeline, slot, model.first, last, columns);
    for (let x = 0; x < columns; x++) {
      const high = Math.round(row.orders[x] * ROW_PX);
      ctx.globalAlpha = 0.75;
      ctx.fillStyle = color;
      ctx.fillRect(x, ROW_PX - high, 1, high);
      ctx.globalAlpha = 1;
      const lost = Math.ceil(row.losses[x] * ROW_PX);
      ctx.fillStyle = LOSS;
      ctx.fillRect(x, 0, 1, lost);
    }
  });
  return <canvas ref={canvas} role="img" aria-label={t("replay.density", { name })} />;
}

/** Teams with a key of their own: the digits after 0. */
const KEYS_MAX = 9;

/** The players whose emblems stand for a team: only one player's if they are many. */
const emblemsOf = (team: readonly PlayerInfo[]) => (team.length > 3 ? team.slice(0, 1) : team);

/** Whose eyes, the difference, and whose camera: at the top of the page. */
export function Sight({ model, colorOf, keys }: Pick<BarProps, "model" | "colorOf" | "keys">) {
  const { team, against } = model.eyes.value;
  const { info, teams } = model;
  const fixed = model.replay.info.eyesFixed;
  const followed = model.follow.value;
  const difference = keys().replayDifference[0];
  const choice = (value: number, key: number, label: preact.ComponentChildren) => {
    const on = against === undefined && value === team;
    return (
      <button
        key={value}
        type="button"
        class={on ? "on" : ""}
        aria-pressed={on}
        aria-keyshortcuts={String(key)}
        data-eyes={value}
        disabled={fixed && !on}
        onClick={() => void model.look(value)}
      >
        {label}
        {key <= KEYS_MAX && <kbd>{key}</kbd>}
      </button>
    );
  };
  return (
    <>
      <Icon path={ICONS.eye} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a layout of its own */}
      <span
        class="row replay-eyes"
        role="group"
        aria-label={t("replay.eyes")}
        title={fixed ? t("replay.eyesFixed") : undefined}
      >
        {choice(ALL_TEAMS, 0, t("replay.all"))}
        {teams.map((n, k) =>
          choice(
            n,
            k + 1,
            <>
              {emblemsOf(info.players.filter((p) => p.team === n)).map((p) => (
                <Emblem key={p.slot} color={colorOf(p.slot)} index={p.color} />
              ))}
              <span class="replay-team">{teamName(info, n)}</span>
            </>,
          ),
        )}
        {teams.length > 1 && !fixed && (
          <button
            type="button"
            class={against !== undefined ? "on" : ""}
            aria-pressed={against !== undefined}
            data-do="replay-difference"
            title={t("replay.differenceTitle")}
            onClick={() => void model.toggleDifference()}
          >
            <Icon path={REPLAY_ICONS.difference} />
            <span class="replay-team">{t("replay.difference")}</span>
            {difference && <kbd>{keyLabel(difference)}</kbd>}
          </button>
        )}
      </span>
      {against !== undefined && <Pair model={model} colorOf={colorOf} />}
      {!model.runs && (
        <select
          class="replay-follow"
          aria-label={t("replay.follow")}
          title={t("replay.follow")}
          value={String(followed)}
          onChange={(e) => {
            model.followCamera(Number(e.currentTarget.value));
            e.currentTarget.blur();
          }}
        >
          <option value="-1" selected={followed === -1}>
            {t("replay.followNobody")}
          </option>
          {info.players
            .filter((p) => !p.bot || model.replay.cameras.has(p.slot))
            .map((p) => (
              <option key={p.slot} value={String(p.slot)} selected={followed === p.slot}>
                {t("replay.followName", { name: p.name })}
              </option>
            ))}
        </select>
      )}
    </>
  );
}

/** The two teams of the difference, and what each sees alone. */
function Pair({ model, colorOf }: Pick<BarProps, "model" | "colorOf">) {
  const [a, b] = model.pair.value;
  const counts = model.counts.value;
  const { info, teams } = model;
  const color = (team: number) => colorOf(info.players.find((p) => p.team === team)?.slot ?? 0);
  const select = (value: number, label: string, change: (team: number) => void) => (
    <select
      aria-label={label}
      title={label}
      value={String(value)}
      onChange={(e) => change(Number(e.currentTarget.value))}
    >
      {teams.map((n) => (
        <option key={n} value={String(n)} selected={n === value}>
          {teamName(info, n)}
        </option>
      ))}
    </select>
  );
  return (
    <span class="replay-pair">
      {teams.length > 2 && (
        <>
          {select(a, t("replay.differenceFirst"), (n) => void model.compare(n, b))}
          {select(b, t("replay.differenceSecond"), (n) => void model.compare(a, n))}
        </>
      )}
      {[a, b].map((team, k) => (
        <span key={team} class="replay-only" data-only={team}>
          <i style={{ background: color(team) }} />
          {t("replay.onlyA", { name: teamName(info, team) })} <b class="num">{counts?.[k] ?? "–"}</b>
        </span>
      ))}
      <span class="replay-only both">
        {t("replay.both")} <b class="num">{counts?.[2] ?? "–"}</b>
      </span>
    </span>
  );
}
