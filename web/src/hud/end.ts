// The last screen of a match: who won, why, the scores, and charts.

import { ACCENT, SKY_LIGHT } from "../draw/palette";
import type { MatchResult } from "../state/events";
import type { History } from "../state/history";
import type { MatchInfo } from "../state/info";
import { reasonText } from "../text/names";
import { t } from "../text/text";
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
  const title = t(info.spectator ? "end.over" : draw ? "end.draw" : won ? "end.victory" : "end.defeat");
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
      t("end.why", {
        reason: reasonText(result.reason),
        minutes: Math.floor(seconds / 60),
        seconds: seconds % 60,
      }),
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
          ...(["player", "team", "made", "killed", "lost"] as const).map((c) =>
            h("th", { scope: "col" }, t(`end.${c}`)),
          ),
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
        t("end.toLobby"),
      ),
      h("button", { type: "button", "data-do": "look", onclick: () => dialog.close() }, t("end.look")),
    ),
  );
  return dialog;
}

/** Other players may have had more units than this client was sent. */
function graphs(info: MatchInfo, history: History, colorOf: (owner: number) => string): HTMLElement | null {
  if (history.ticks.length < 3) return null;
  const seconds = history.ticks.map((tick) => (tick * info.tickMs) / 1000);
  const tiles = info.map.width * info.map.height;
  const share = (list: readonly number[]) => list.map((n) => Math.round((100 * n) / tiles));
  const partly = (slot: number) => !info.spectator && info.players[slot].team !== info.team;
  return h(
    "div",
    { class: "charts" },
    chart(
      t("end.units"),
      seconds,
      info.players.map((p) => ({
        name: partly(p.slot) ? t("end.inSight", { name: p.name }) : p.name,
        color: colorOf(p.slot),
        dashed: partly(p.slot),
        values: history.units[p.slot],
      })),
    ),
    chart(
      t("end.mapShare"),
      seconds,
      [
        { name: t("end.visible"), color: ACCENT, values: share(history.visible) },
        { name: t("end.explored"), color: SKY_LIGHT, dashed: true, values: share(history.explored) },
      ],
      " %",
    ),
  );
}
