// The last screen of a match: who won, why, the scores, and charts.

import { ACCENT, SKY_LIGHT } from "../draw/palette";
import type { MatchResult } from "../state/events";
import type { History } from "../state/history";
import type { MatchInfo } from "../state/info";
import { emblem, h } from "../ui/dom";
import { chart } from "./chart";

export interface EndOptions {
  result: MatchResult;
  seconds: number;
  history: History;
  colorOf(owner: number): string;
  leave(): void;
  /** The dialog was closed. */
  stay(): void;
}

/** Makes the dialog; the caller adds it to the page and shows it. */
export function endDialog(info: MatchInfo, o: EndOptions): HTMLDialogElement {
  const { result, seconds, colorOf } = o;
  const draw = result.winners.length === 0;
  const won = result.winners.includes(info.team) && !info.spectator;
  const title = info.spectator ? "The match is over" : draw ? "Draw" : won ? "Victory" : "Defeat";
  const dialog = h(
    "dialog",
    {
      class: `panel end-panel ${draw || info.spectator ? "draw" : won ? "won" : "lost"}`,
      "aria-labelledby": "end-title",
      onclose: () => {
        dialog.remove();
        o.stay();
      },
    },
    h("h1", { id: "end-title" }, title),
    h(
      "p",
      { class: "dim" },
      `${sentenceFor(result.reason)} after ${Math.floor(seconds / 60)} min ${seconds % 60} s.`,
    ),
    h(
      "table",
      { class: "scores" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ...["Player", "Team", "Made", "Killed", "Lost"].map((c) => h("th", { scope: "col" }, c)),
        ),
      ),
      h(
        "tbody",
        null,
        info.players.map((p) => {
          const s = result.scores[p.slot];
          return h(
            "tr",
            { class: result.winners.includes(p.team) ? "winner" : "" },
            h("td", null, emblem(colorOf(p.slot), p.color), ` ${p.name}`),
            h("td", { class: "num" }, p.team + 1),
            h("td", { class: "num" }, s?.made ?? "–"),
            h("td", { class: "num" }, s?.kills ?? "–"),
            h("td", { class: "num" }, s?.losses ?? "–"),
          );
        }),
      ),
    ),
    graphs(info, o.history, colorOf),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { type: "button", class: "primary", "data-do": "to-lobby", onclick: o.leave },
        "Back to the lobby",
      ),
      h("button", { type: "button", "data-do": "look", onclick: () => dialog.close() }, "Look at the field"),
    ),
  );
  return dialog;
}

/** Other players may have had more units than this client was sent. */
function graphs(info: MatchInfo, history: History, colorOf: (owner: number) => string): HTMLElement | null {
  if (history.ticks.length < 3) return null;
  const seconds = history.ticks.map((t) => (t * info.tickMs) / 1000);
  const tiles = info.map.width * info.map.height;
  const share = (list: readonly number[]) => list.map((n) => Math.round((100 * n) / tiles));
  const partly = (slot: number) =>
    !info.spectator && info.players[slot].team !== info.team ? " (in sight)" : "";
  return h(
    "div",
    { class: "charts" },
    chart(
      "Units",
      seconds,
      info.players.map((p) => ({
        name: `${p.name}${partly(p.slot)}`,
        color: colorOf(p.slot),
        dashed: partly(p.slot) !== "",
        values: history.units[p.slot],
      })),
    ),
    chart(
      "Share of the map",
      seconds,
      [
        { name: "visible", color: ACCENT, values: share(history.visible) },
        { name: "explored", color: SKY_LIGHT, dashed: true, values: share(history.explored) },
      ],
      " %",
    ),
  );
}

function sentenceFor(reason: string): string {
  const words = reason.replace(/[-_]+/g, " ").trim();
  return words ? words[0].toUpperCase() + words.slice(1) : "It ended";
}
