// The spectator's bar: the delay, and the choice of the view.

import { ALL_TEAMS, type MatchInfo, type PlayerInfo, type Team } from "@fogkeep/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { type ComponentChildren, Fragment, render } from "preact";
import { t } from "../text/text";
import { h, ICONS } from "../ui/dom";
import { Emblem, Icon } from "../ui/icons";

/** Teams with a key of their own: the digits after 0. */
const KEYS_MAX = 9;
/** Of a team with more players the number is shown in place of their names. */
const NAMED_PLAYERS = 3;

export class SpectatorBar {
  readonly element = h("section", { class: "panel watch", "aria-label": t("spectate.title") });
  /** Teams in the order of their keys: 1 is the first. */
  readonly teams: readonly Team[];
  private readonly words = signal("");

  constructor(
    private readonly info: MatchInfo,
    colorOf: (owner: number) => string,
    eyes: (team: Team) => void,
    /** Shows the match from earlier; absent: it cannot be. */
    rewind?: () => Promise<void>,
  ) {
    this.teams = [...new Set(info.players.map((p) => p.team))].sort((a, b) => a - b);
    this.update(0);
    render(
      <Bar words={this.words} info={info} teams={this.teams} colorOf={colorOf} eyes={eyes} rewind={rewind} />,
      this.element,
    );
  }

  dispose(): void {
    render(null, this.element);
  }

  /** The team of a number key, if it has one. */
  teamOf(key: number): Team | undefined {
    return key === 0 ? ALL_TEAMS : this.teams[key - 1];
  }

  update(waitingMs: number): void {
    this.words.value = spectatorText(this.info.delayMs, waitingMs);
  }
}

interface BarProps {
  words: ReadonlySignal<string>;
  info: MatchInfo;
  teams: readonly Team[];
  colorOf: (owner: number) => string;
  eyes: (team: Team) => void;
  rewind?: () => Promise<void>;
}

function Bar({ words, info, teams, colorOf, eyes, rewind }: BarProps) {
  const choice = (team: Team, key: number, label: ComponentChildren) => (
    <button
      key={key}
      type="button"
      class={team === info.team ? "on" : ""}
      aria-pressed={team === info.team}
      aria-keyshortcuts={String(key)}
      data-eyes={team}
      onClick={() => eyes(team)}
    >
      {label}
      {key <= KEYS_MAX && <kbd>{key}</kbd>}
    </button>
  );
  return (
    <>
      <Icon path={ICONS.eye} />
      <span role="status">{words}</span>
      {rewind && (
        <button type="button" data-do="rewind" onClick={() => void rewind()}>
          {t("spectate.rewind")}
        </button>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a layout of its own */}
      <span class="row" role="group" aria-label={t("spectate.view")}>
        {choice(ALL_TEAMS, 0, t("spectate.all"))}
        {teams.map((team, k) =>
          choice(
            team,
            k + 1,
            <TeamPlayers players={info.players.filter((p) => p.team === team)} colorOf={colorOf} />,
          ),
        )}
      </span>
    </>
  );
}

/** A team by its players, or by its number if they are many. */
function TeamPlayers({
  players,
  colorOf,
}: {
  players: readonly PlayerInfo[];
  colorOf: (owner: number) => string;
}) {
  if (players.length > NAMED_PLAYERS)
    return (
      <>
        <Emblem color={colorOf(players[0].slot)} index={players[0].color} />
        {t("common.teamNumber", { team: players[0].team + 1 })}
      </>
    );
  return players.map((p) => (
    <Fragment key={p.slot}>
      <Emblem color={colorOf(p.slot)} index={p.color} />
      {p.name}
    </Fragment>
  ));
}

export function spectatorText(delayMs: number, waitingMs: number): string {
  const state =
    delayMs > 0 ? t("spectate.delayed", { seconds: Math.round(delayMs / 1000) }) : t("spectate.live");
  return waitingMs > 0 ? t("spectate.beginsIn", { state, seconds: Math.ceil(waitingMs / 1000) }) : state;
}
