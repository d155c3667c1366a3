// A small line chart as SVG: a few lines over the time of a match, with a text
// for screen readers.

import { t } from "../text/text";
import { h } from "../ui/dom";

export interface Line {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  readonly values: readonly number[];
}

const WIDTH = 300;
const HEIGHT = 96;
const LEFT = 30;
const BOTTOM = 16;
const TOP = 6;

export function chart(
  title: string,
  seconds: readonly number[],
  lines: readonly Line[],
  unit = "",
): HTMLElement {
  const most = Math.max(1, ...lines.flatMap((l) => l.values));
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
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "chart",
    role: "img",
    "aria-label": `${title}. ${words.join("; ")}.`,
  });
  for (const v of [0, most]) {
    picture.append(
      svg("line", { x1: LEFT, x2: WIDTH - 2, y1: y(v), y2: y(v), class: "grid" }),
      label(LEFT - 4, y(v) + 4, `${v}${unit}`, "end"),
    );
  }
  picture.append(
    label(LEFT, HEIGHT - 3, clock(from), "start"),
    label(WIDTH - 2, HEIGHT - 3, clock(to), "end"),
  );
  for (const l of lines) {
    picture.append(
      svg("polyline", {
        points: l.values.map((v, k) => `${x(seconds[k]).toFixed(1)},${y(v).toFixed(1)}`).join(" "),
        fill: "none",
        stroke: l.color,
        "stroke-width": 2,
        "stroke-linejoin": "round",
        ...(l.dashed ? { "stroke-dasharray": "4 3" } : {}),
      }),
    );
  }
  return h(
    "figure",
    { class: "chart-box" },
    h("figcaption", null, h("b", null, title)),
    picture,
    h(
      "div",
      { class: "legend", "aria-hidden": "true" },
      lines.map((l) =>
        h(
          "span",
          null,
          h("i", { style: `border-top:2px ${l.dashed ? "dashed" : "solid"} ${l.color}` }),
          l.name,
        ),
      ),
    ),
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function label(x: number, y: number, words: string, anchor: string): SVGElement {
  const el = svg("text", { x, y, "text-anchor": anchor });
  el.textContent = words;
  return el;
}

function svg(name: string, attributes: Record<string, string | number>): SVGElement {
  const el = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, String(v));
  return el;
}
