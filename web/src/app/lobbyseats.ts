// The rows of a lobby's seats: who sits there, colour, team, ready. In the
// player's own row colour and team can be chosen.

import { PLAYER_COLOR_NAMES, playerColor } from "../draw/palette";
import type { Seat } from "../gen/player";
import { colorName } from "../text/names";
import { t } from "../text/text";
import { emblem, h, ICONS, icon } from "../ui/dom";
import type { LobbyView } from "./lobbyview";

/** What the rows can do. */
export interface SeatActions {
  change(change: { team?: number; color?: number }): void;
  /** The host removes a player or a bot. */
  remove(slot: number): void;
  /** The host lets a person take over the seat of a bot or of an away player in the running match, or no more. */
  open(slot: number, open: boolean): void;
}

export function seatRow(view: LobbyView, s: Seat, act: SeatActions): HTMLElement {
  if (s.kind === "open") {
    return h(
      "div",
      { class: "seat open" },
      h("i", { class: "swatch vacant" }),
      h("span", { class: "dim grow" }, t("lobby.openSeat")),
    );
  }
  const mine = s.account?.id === view.me && s.kind === "player";
  const isHost = s.account?.id === view.lobby.host;
  return h(
    "div",
    { class: `seat${mine ? " mine" : ""}`, "data-seat": s.slot },
    mine && view.open ? colorChoice(s, act) : emblem(playerColor(s.color), s.color),
    h(
      "span",
      { class: "grow" },
      s.kind === "bot" ? icon(ICONS.bot, t("common.bot")) : null,
      h("b", null, s.name ?? s.account?.name ?? t("common.bot")),
      isHost ? h("span", { class: "dim" }, ` ${t("common.host")}`) : null,
      mine ? h("span", { class: "dim" }, ` ${t("common.you")}`) : null,
    ),
    h(
      "label",
      { class: "team" },
      h("span", { class: "dim" }, `${t("common.team")} `),
      mine && view.open
        ? teamChoice(
            t("lobby.yourTeam"),
            Array.from({ length: view.lobby.limit }, (_, k) => [k, String(k + 1)] as const),
            s,
            act,
          )
        : h("span", { class: "num" }, s.team + 1),
    ),
    s.open ? h("span", { class: "chip open" }, t("lobby.openToJoin")) : readyChip(s, isHost),
    view.host && !mine && view.lobby.state === "playing" && !view.ended
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "open-seat",
            "aria-pressed": String(s.open === true),
            title: t(s.kind === "bot" ? "lobby.openBotNote" : "lobby.openAwayNote"),
            onclick: () => act.open(s.slot, !s.open),
          },
          t(s.open ? "lobby.close" : "lobby.open"),
        )
      : null,
    view.host && !mine && view.open
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "aria-label": t("lobby.removeWho", { name: s.name ?? "" }),
            onclick: () => act.remove(s.slot),
          },
          t("lobby.remove"),
        )
      : null,
  );
}

/** A spectator; in the player's own row it chooses whose eyes to see with. */
export function spectatorRow({ lobby, me }: LobbyView, s: Seat, act: SeatActions): HTMLElement {
  const mine = s.account?.id === me;
  const { spectatorDelay } = lobby.options;
  const all =
    spectatorDelay > 0 ? t("lobby.viewAllDelayed", { seconds: spectatorDelay }) : t("lobby.viewAll");
  const words = (team: number) => (team < 0 ? all : t("lobby.viewTeam", { team: team + 1 }));
  const teams = [...new Set(lobby.seats.filter((p) => p.kind !== "open").map((p) => p.team))].sort(
    (a, b) => a - b,
  );
  return h(
    "div",
    { class: `seat${mine ? " mine" : ""}` },
    icon(ICONS.eye, t("lobby.watches")),
    h(
      "span",
      { class: "grow" },
      h("b", null, s.name ?? ""),
      mine ? h("span", { class: "dim" }, ` ${t("common.you")}`) : null,
    ),
    mine
      ? teamChoice(
          t("lobby.view"),
          [-1, ...teams].map((team) => [team, words(team)] as const),
          s,
          act,
          "eyes",
        )
      : h("span", { class: "chip" }, words(s.team)),
  );
}

function colorChoice(s: Seat, act: SeatActions): HTMLElement {
  return h(
    "span",
    { class: "colors", role: "radiogroup", "aria-label": t("lobby.yourColor") },
    PLAYER_COLOR_NAMES.map((name, color) =>
      h("button", {
        type: "button",
        class: `swatch${color === s.color ? " chosen" : ""}`,
        style: `background:${playerColor(color)}`,
        role: "radio",
        "aria-checked": String(color === s.color),
        "aria-label": colorName(name),
        title: colorName(name),
        onclick: () => act.change({ color }),
      }),
    ),
  );
}

function teamChoice(
  label: string,
  teams: readonly (readonly [number, string])[],
  s: Seat,
  act: SeatActions,
  className?: string,
): HTMLElement {
  return h(
    "select",
    {
      class: className,
      "aria-label": label,
      onchange: (e: Event) => act.change({ team: Number((e.target as HTMLSelectElement).value) }),
    },
    teams.map(([team, words]) => h("option", { value: team, selected: team === s.team }, words)),
  );
}

function readyChip(s: Seat, isHost: boolean): HTMLElement {
  // The host is ready by starting the match.
  const ready = s.kind === "bot" || isHost || s.ready;
  return h("span", { class: `chip${ready ? " ready" : ""}` }, t(ready ? "lobby.ready" : "lobby.notReady"));
}
