// The rows of a lobby's seats: who sits there, colour, team, ready. In the
// player's own row colour and team can be chosen.

import { PLAYER_COLOR_NAMES, playerColor } from "../draw/palette";
import type { Seat } from "../gen/player";
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
      h("span", { class: "dim grow" }, "Open seat"),
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
      s.kind === "bot" ? icon(ICONS.bot, "bot") : null,
      h("b", null, s.name ?? s.account?.name ?? "Bot"),
      isHost ? h("span", { class: "dim" }, " host") : null,
      mine ? h("span", { class: "dim" }, " you") : null,
    ),
    h(
      "label",
      { class: "team" },
      h("span", { class: "dim" }, "Team "),
      mine && view.open
        ? teamChoice(
            "Your team",
            Array.from({ length: view.lobby.limit }, (_, k) => [k, String(k + 1)] as const),
            s,
            act,
          )
        : h("span", { class: "num" }, s.team + 1),
    ),
    s.open ? h("span", { class: "chip open" }, "Open to join") : readyChip(s, isHost),
    view.host && !mine && view.lobby.state === "playing" && !view.ended
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "open-seat",
            "aria-pressed": String(s.open === true),
            title:
              s.kind === "bot"
                ? "Whoever joins the lobby takes this bot's place in the match"
                : "While this player is away: whoever joins the lobby takes the place in the match",
            onclick: () => act.open(s.slot, !s.open),
          },
          s.open ? "Close the seat" : "Open the seat",
        )
      : null,
    view.host && !mine && view.open
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "aria-label": `Remove ${s.name ?? "this seat"}`,
            onclick: () => act.remove(s.slot),
          },
          "Remove",
        )
      : null,
  );
}

/** A spectator; in the player's own row it chooses whose eyes to see with. */
export function spectatorRow({ lobby, me }: LobbyView, s: Seat, act: SeatActions): HTMLElement {
  const mine = s.account?.id === me;
  const { spectatorDelay } = lobby.options;
  const delay = spectatorDelay > 0 ? `, ${spectatorDelay} s delayed` : "";
  const words = (team: number) => (team < 0 ? `Sees all${delay}` : `Team ${team + 1}'s eyes`);
  const teams = [...new Set(lobby.seats.filter((p) => p.kind !== "open").map((p) => p.team))].sort(
    (a, b) => a - b,
  );
  return h(
    "div",
    { class: `seat${mine ? " mine" : ""}` },
    icon(ICONS.eye, "watches"),
    h(
      "span",
      { class: "grow" },
      h("b", null, s.name ?? ""),
      mine ? h("span", { class: "dim" }, " you") : null,
    ),
    mine
      ? teamChoice(
          "Whose eyes you see with",
          [-1, ...teams].map((t) => [t, words(t)] as const),
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
    { class: "colors", role: "radiogroup", "aria-label": "Your colour" },
    PLAYER_COLOR_NAMES.map((name, color) =>
      h("button", {
        type: "button",
        class: `swatch${color === s.color ? " chosen" : ""}`,
        style: `background:${playerColor(color)}`,
        role: "radio",
        "aria-checked": String(color === s.color),
        "aria-label": name,
        title: name,
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
  const ready = s.kind === "bot" || s.ready;
  return h(
    "span",
    { class: `chip${ready ? " ready" : ""}` },
    ready ? "Ready" : isHost ? "Starts the match" : "Not ready",
  );
}
