// The buttons of a lobby: which there are for this player in this state.

import { t } from "../text/text";
import { h } from "../ui/dom";
import type { LobbyView } from "./lobbyview";

/** What the buttons do. */
export interface LobbyActions {
  ready(on: boolean): void;
  start(): void;
  addBot(): void;
  configure(): void;
  cancelStart(): void;
  playAgain(): void;
  enterMatch(): void;
  leave(): void;
}

interface Action {
  /** Value of `data-do`, by which tests find the button. */
  name: string;
  words: string;
  class?: string;
  /** For a button that stays pressed. */
  pressed?: boolean;
  run: () => void;
}

export function lobbyButtons(view: LobbyView, act: LobbyActions): HTMLElement[] {
  return actionsFor(view, act).map((a) =>
    h(
      "button",
      {
        type: "button",
        class: a.class,
        "data-do": a.name,
        "aria-pressed": a.pressed === undefined ? undefined : String(a.pressed),
        onclick: a.run,
      },
      a.words,
    ),
  );
}

function actionsFor({ lobby, host, open, seat, spectates, ended }: LobbyView, act: LobbyActions): Action[] {
  const actions: Action[] = [];
  if (open && seat && !host) {
    const { ready } = seat;
    actions.push({
      name: "ready",
      words: t(ready ? "lobby.ready" : "lobby.readyUp"),
      class: ready ? "on" : "primary",
      pressed: ready,
      run: () => act.ready(!ready),
    });
  }
  if (open && host) {
    actions.push({ name: "start", words: t("lobby.start"), class: "primary", run: act.start });
    if (lobby.seats.some((s) => s.kind === "open"))
      actions.push({ name: "add-bot", words: t("lobby.addBot"), run: act.addBot });
    actions.push({ name: "configure", words: t("lobby.edit"), run: act.configure });
  }
  if (lobby.state === "starting" && host)
    actions.push({ name: "cancel-start", words: t("lobby.cancelStart"), run: act.cancelStart });
  if (lobby.state === "ended" && host)
    actions.push({ name: "again", words: t("lobby.again"), class: "primary", run: act.playAgain });
  if (lobby.state === "playing" && !ended)
    actions.push({
      name: "enter",
      words: t(spectates ? "lobby.watchMatch" : "lobby.rejoinMatch"),
      class: "primary",
      run: act.enterMatch,
    });
  actions.push({ name: "leave", words: t("common.leave"), run: act.leave });
  return actions;
}
