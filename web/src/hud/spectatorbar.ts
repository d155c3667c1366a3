// The spectator's bar: the delay, and the choice of the view.

import { ALL_TEAMS, type MatchInfo, type Team } from "@fogkeep/client";
import { t } from "../text/text";
import { emblem, fill, h, ICONS, icon, text } from "../ui/dom";

export class SpectatorBar {
  readonly element = h("section", { class: "panel watch", "aria-label": t("spectate.title") });
  /** Teams in the order of their keys: 1 is the first. */
  readonly teams: readonly Team[];
  private readonly words = h("span", { role: "status" });

  constructor(
    private readonly info: MatchInfo,
    colorOf: (owner: number) => string,
    eyes: (team: Team) => void,
  ) {
    this.teams = [...new Set(info.players.map((p) => p.team))].sort((a, b) => a - b);
    const choice = (team: Team, key: number, ...children: (Node | string)[]) =>
      h(
        "button",
        {
          type: "button",
          class: team === info.team ? "on" : "",
          "aria-pressed": String(team === info.team),
          "aria-keyshortcuts": String(key),
          "data-eyes": team,
          onclick: () => eyes(team),
        },
        ...children,
        h("kbd", null, key),
      );
    fill(
      this.element,
      icon(ICONS.eye),
      this.words,
      h(
        "span",
        { class: "row", role: "group", "aria-label": t("spectate.view") },
        choice(ALL_TEAMS, 0, t("spectate.all")),
        this.teams.map((team, k) =>
          choice(
            team,
            k + 1,
            ...info.players
              .filter((p) => p.team === team)
              .flatMap((p) => [emblem(colorOf(p.slot), p.color), p.name]),
          ),
        ),
      ),
    );
    this.update(0);
  }

  /** The team of a number key, if it has one. */
  teamOf(key: number): Team | undefined {
    return key === 0 ? ALL_TEAMS : this.teams[key - 1];
  }

  update(waitingMs: number): void {
    text(this.words, spectatorText(this.info.delayMs, waitingMs));
  }
}

export function spectatorText(delayMs: number, waitingMs: number): string {
  const state =
    delayMs > 0 ? t("spectate.delayed", { seconds: Math.round(delayMs / 1000) }) : t("spectate.live");
  return waitingMs > 0 ? t("spectate.beginsIn", { state, seconds: Math.ceil(waitingMs / 1000) }) : state;
}
