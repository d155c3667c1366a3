// A small line chart as SVG: a few lines over the time of a match, with a text
// for screen readers.

import { t } from "../text/text";

export interface Line {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  readonly values: readonly number[];
}

const WIDTH = 300;
const HEIGHT = 110;
const LEFT = 38;
const BOTTOM = 16;
const TOP = 6;

/** `seconds` are the points' times, from the first to the last. */
export function Chart(props: {
  title: string;
  note?: string;
  seconds: readonly number[];
  lines: readonly Line[];
  unit?: string;
}) {
  const { title, seconds, lines, unit = "" } = props;
  const most = Math.max(2, ...lines.flatMap((l) => l.values)); // 2: the line half way up has a whole number
  const to = seconds[seconds.length - 1] ?? 0;
  const from = seconds[0] ?? 0;
  const x = (s: number) => LEFT + ((s - from) / Math.max(1, to - from)) * (WIDTH - LEFT - 2);
  const y = (v: number) => TOP + (1 - v / most) * (HEIGHT - TOP - BOTTOM);
  const words = lines.map((l) =>
    t("end.chart", {
      name: l.name,
      most: Math.max(0, ...l.values),
      last: l.values[l.values.length - 1] ?? 0,
      unit,
    }),
  );
  return (
    <figure class="chart-box">
      <figcaption>
        <b>{title}</b> {props.note && <span class="dim">{props.note}</span>}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        class="chart"
        role="img"
        aria-label={`${title}. ${words.join("; ")}.`}
      >
        {[0, most / 2, most].map((v) => (
          <g key={v}>
            <line x1={LEFT} x2={WIDTH - 2} y1={y(v)} y2={y(v)} class="grid" />
            <text x={LEFT - 4} y={y(v) + 4} text-anchor="end">
              {Math.round(v)}
              {unit}
            </text>
          </g>
        ))}
        <text x={LEFT} y={HEIGHT - 3} text-anchor="start">
          {clock(from)}
        </text>
        <text x={WIDTH - 2} y={HEIGHT - 3} text-anchor="end">
          {clock(to)}
        </text>
        {lines.map((l) => (
          <polyline
            key={l.name}
            points={l.values.map((v, k) => `${x(seconds[k] ?? to).toFixed(1)},${y(v).toFixed(1)}`).join(" ")}
            fill="none"
            stroke={l.color}
            stroke-width={2}
            stroke-linejoin="round"
            stroke-dasharray={l.dashed ? "4 3" : undefined}
          />
        ))}
      </svg>
      <div class="legend" aria-hidden="true">
        {lines.map((l) => (
          <span key={l.name}>
            <i style={{ borderTop: `2px ${l.dashed ? "dashed" : "solid"} ${l.color}` }} />
            {l.name}
          </span>
        ))}
      </div>
    </figure>
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
