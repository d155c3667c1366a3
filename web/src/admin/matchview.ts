// One live match on the debug page: whose eyes to see with, the match from
// above, what is under the pointer, and the traffic.

import type { LiveEntity, LiveMatch, LiveState } from "../gen/live";
import { fill, h, text } from "../ui/dom";
import { openLiveStream } from "./livestream";
import { MatchCanvas } from "./matchcanvas";
import { swatch } from "./swatch";
import { trafficPanel } from "./traffic";
import { clock } from "./words";

/** What the browser tests read. */
export interface DebugHook {
  debug?: { readonly state: LiveState | null; readonly sight: Uint8Array | null; canvas: HTMLCanvasElement };
}

/** Shows a match in `view`. Returns what stops it. */
export function showMatch(view: HTMLElement, m: LiveMatch, hook: DebugHook): () => void {
  const time = h("p", { class: "num dim" });
  const note = h("p", { class: "error", role: "alert", hidden: true });
  const pointed = h("p", { class: "num pointed" }, "Point at something to see what it is.");
  const counts = h("p", { class: "dim num" });
  const canvas = new MatchCanvas(m, (e, tile) => {
    if (tile) text(pointed, e ? describe(m, e) : `Tile ${tile.x}, ${tile.y}`);
  });
  const traffic = trafficPanel(m);
  let closeStream: (() => void) | null = null;
  const lookWith = (eyes: string) => {
    closeStream?.();
    note.hidden = true;
    closeStream = openLiveStream(m.id, eyes, {
      state: (s) => {
        canvas.show(s);
        text(time, `Tick ${s.tick} (${clock(s.tick, m.tickRate)})`);
        text(counts, countsLine(s.counts));
      },
      note: (words) => {
        note.hidden = words === null;
        if (words !== null) text(note, words);
      },
    });
  };
  fill(
    view,
    h(
      "div",
      { class: "debug-row" },
      canvas.element,
      h(
        "div",
        { class: "panel debug-side" },
        h("h2", null, m.map.name),
        time,
        eyesRow(m, canvas, lookWith),
        note,
        h("h3", null, "Under the pointer"),
        pointed,
        h("h3", null, "Total"),
        counts,
        h("p", { class: "dim" }, `Match ${m.id}`),
      ),
    ),
    traffic.element,
  );
  hook.debug = {
    get state() {
      return canvas.state;
    },
    get sight() {
      return canvas.sight;
    },
    canvas: canvas.element,
  };
  return () => {
    closeStream?.();
    canvas.close();
    traffic.close();
  };
}

/** The choice of eyes, all or one team's, and whether names are drawn. Begins with all. */
function eyesRow(m: LiveMatch, canvas: MatchCanvas, lookWith: (eyes: string) => void): HTMLElement {
  const row = h("div", { class: "row wrap", role: "radiogroup", "aria-label": "Eyes" });
  const names = h(
    "label",
    { class: "row" },
    h("input", {
      type: "checkbox",
      checked: canvas.showNames,
      onchange: (e: Event) => {
        canvas.showNames = (e.target as HTMLInputElement).checked;
        canvas.draw();
      },
    }),
    "Names",
  );
  const teams = [...new Set(m.players.map((p) => p.team))].sort((a, b) => a - b);
  const choose = (chosen: string) => {
    lookWith(chosen);
    const button = (eyes: string, words: string, color?: number) =>
      h(
        "button",
        {
          type: "button",
          role: "radio",
          "aria-checked": String(eyes === chosen),
          class: eyes === chosen ? "on" : "",
          "data-eyes": eyes,
          onclick: () => choose(eyes),
        },
        color === undefined ? null : swatch(color, "margin-right:8px"),
        words,
      );
    fill(
      row,
      button("all", "All eyes"),
      teams.map((t) => {
        const players = m.players.filter((p) => p.team === t);
        return button(String(t), `Team ${t + 1}: ${players.map((p) => p.name).join(", ")}`, players[0].color);
      }),
      names,
    );
  };
  choose("all");
  return row;
}

function describe(m: LiveMatch, e: LiveEntity): string {
  const owner = e.slot < 0 ? "nobody" : (m.players.find((p) => p.slot === e.slot)?.name ?? `slot ${e.slot}`);
  const parts = [
    `${e.type} ${e.key} of ${owner} at ${e.x.toFixed(2)}, ${e.y.toFixed(2)}`,
    `health ${e.hp} of ${e.hpMax}`,
  ];
  if (e.doing) parts.push(e.doing);
  if (e.seen) parts.push(`seen by teams ${e.seen.map((t) => t + 1).join(", ") || "none"}`);
  return parts.join(", ");
}

const countsLine = (counts: LiveState["counts"]): string =>
  Object.entries(counts)
    .map(([what, n]) => `${n} ${what}${n === 1 ? "" : "s"}`)
    .join(", ");
