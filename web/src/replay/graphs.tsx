// Graphs over the whole match: a line a player, with a mark at the tick that is shown.
// A click goes to the time that it points at.

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Emblem, Icon } from "../ui/icons";
import type { ReplayModel } from "./model";

/** The contents of graphs. */
export const GRAPHS = [
  "army",
  "income",
  "gathered",
  "workers",
  "population",
  "lostValue",
  "killedValue",
  "perMinute",
] as const;
export type GraphName = (typeof GRAPHS)[number];
/** The graphs of a running match: the server sends the rest once it is over. */
const LIVE_GRAPHS: readonly GraphName[] = ["army", "workers"];

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 46;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 20;
/** So many points are drawn of each line. */
const POINTS = 320;

/** The numbers of a player for a graph: at most {@link POINTS}, evenly from the points that are known. */
export function graphLine(model: Pick<ReplayModel, "timeline">, slot: number, name: GraphName): number[] {
  const { timeline } = model;
  const n = Math.min(POINTS, timeline.points);
  return Array.from({ length: n }, (_, i) => {
    const k = n > 1 ? Math.round((i * (timeline.points - 1)) / (n - 1)) : 0;
    if (name === "income" || name === "gathered" || name === "perMinute") return timeline[name](slot, k);
    return timeline.of(slot)[name][k] ?? 0;
  });
}

/** A round number at or above a value, for the top of an axis. */
export function niceMax(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((f) => f * power >= value) ?? 10) * power;
}

export function Graphs({ model, colorOf }: { model: ReplayModel; colorOf(owner: number): string }) {
  const name = useSignal<GraphName>("army");
  if (!model.graphs.value) return null;
  const known = model.known.value;
  return (
    <section class="panel replay-graphs" aria-label={t("replay.graphsTitle")}>
      <div class="row">
        <select
          aria-label={t("replay.graphWhat")}
          value={name.value}
          onChange={(e) => {
            name.value = e.currentTarget.value as GraphName;
          }}
        >
          {(model.runs ? LIVE_GRAPHS : GRAPHS).map((n) => (
            <option key={n} value={n} selected={n === name.value}>
              {t(`replay.graph.${n}`)}
            </option>
          ))}
        </select>
        <span class="grow" />
        <button
          type="button"
          class="ghost-button"
          aria-label={t("common.done")}
          title={t("common.done")}
          onClick={() => {
            model.graphs.value = false;
          }}
        >
          <Icon path={ICONS.cancel} />
        </button>
      </div>
      <Graph key={name.value} model={model} colorOf={colorOf} name={name.value} known={known} />
    </section>
  );
}

function Graph(props: {
  model: ReplayModel;
  colorOf(owner: number): string;
  name: GraphName;
  known: number;
}) {
  const { model, colorOf, name, known } = props;
  const { info, timeline } = model;
  const lines = useMemo(
    () =>
      info.players
        .filter((p) => timeline.knows(p.slot))
        .map((p) => ({ player: p, values: graphLine(model, p.slot, name), known })),
    [model, info, timeline, name, known],
  );
  if (lines.length === 0) return <p class="dim">{t("replay.graphEmpty")}</p>;
  const { first } = model;
  const { last } = model.status.value;
  const span = Math.max(1, last - first);
  const end = timeline.tickOf(Math.max(0, timeline.points - 1));
  const most = niceMax(Math.max(...lines.flatMap((l) => l.values)));
  const x = (tick: number) => LEFT + ((tick - first) / span) * (WIDTH - LEFT - RIGHT);
  const y = (v: number) => TOP + (1 - v / most) * (HEIGHT - TOP - BOTTOM);
  const tickAt = (e: MouseEvent) => {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    const share = (((e.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    return first + Math.max(0, Math.min(1, share)) * span;
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider of the bar goes everywhere by keys */}
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        class="chart replay-chart"
        role="img"
        aria-label={lines
          .map(({ player, values }) =>
            t("replay.graphValue", {
              name: player.name,
              value: values[shareOf(model, values.length)] ?? 0,
              most: Math.max(...values),
            }),
          )
          .join("; ")}
        onClick={(e) => model.seek(tickAt(e))}
      >
        <title>{t("replay.graphJump")}</title>
        {[0, 0.25, 0.5, 0.75, 1].map((f) => (
          <g key={f}>
            <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(f * most)} y2={y(f * most)} class="grid" />
            <text x={LEFT - 6} y={y(f * most) + 4} text-anchor="end">
              {Math.round(f * most)}
            </text>
          </g>
        ))}
        {[0, 0.25, 0.5, 0.75, 1].map((f) => (
          <text
            key={`t${f}`}
            x={x(first + f * span)}
            y={HEIGHT - 4}
            text-anchor={f === 0 ? "start" : f === 1 ? "end" : "middle"}
          >
            {model.timeOf(first + f * span)}
          </text>
        ))}
        {lines.map(({ player, values }) => (
          <polyline
            key={player.slot}
            points={values
              .map((v, i) => {
                const tick = first + (i / Math.max(1, values.length - 1)) * (end - first);
                return `${x(tick).toFixed(1)},${y(v).toFixed(1)}`;
              })
              .join(" ")}
            fill="none"
            stroke={colorOf(player.slot)}
            stroke-width={2}
            stroke-linejoin="round"
          />
        ))}
        <Cursor model={model} x={x} />
      </svg>
      <Legend model={model} colorOf={colorOf} name={name} />
    </>
  );
}

/** The index of the value at the tick that is shown, of so many values. */
function shareOf(model: ReplayModel, values: number): number {
  const point = model.timeline.pointAt(model.shown.peek());
  return Math.round((Math.max(0, point) / Math.max(1, model.timeline.points - 1)) * (values - 1));
}

function Cursor({ model, x }: { model: ReplayModel; x(tick: number): number }) {
  const at = x(model.drag.value ?? model.shown.value);
  return <line x1={at} x2={at} y1={TOP} y2={HEIGHT - BOTTOM} class="replay-cursor" />;
}

function Legend({
  model,
  colorOf,
  name,
}: {
  model: ReplayModel;
  colorOf(owner: number): string;
  name: GraphName;
}) {
  const k = useComputed(() => model.timeline.pointAt(model.shown.value)).value;
  const { timeline } = model;
  const value = (slot: number) =>
    name === "income" || name === "gathered" || name === "perMinute"
      ? timeline[name](slot, k)
      : (timeline.of(slot)[name][k] ?? 0);
  return (
    <div class="replay-legend">
      {model.info.players
        .filter((p) => timeline.knows(p.slot))
        .map((p) => (
          <span key={p.slot}>
            <Emblem color={colorOf(p.slot)} index={p.color} /> {p.name}{" "}
            <b class="num">{k < 0 ? "–" : value(p.slot)}</b>
          </span>
        ))}
    </div>
  );
}
