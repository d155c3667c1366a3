import type { PlayerInfo } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { factionName, handicapText } from "../text/names";
import { t } from "../text/text";
import { screen } from "./mount";
import type { Screen } from "./navigation";

/** The screen between the lobby and the match: names the awaited step, and the players once they are known. */
export function loadingScreen(): Screen & { say: (what: string, players?: readonly PlayerInfo[]) => void } {
  const line = signal(t("loading.joining"));
  const shown = signal<readonly PlayerInfo[]>([]);
  const view = (
    <>
      <div class="lamp" aria-hidden="true" />
      <p role="status">{line}</p>
      <Players shown={shown} />
    </>
  );
  return {
    ...screen("loading", view),
    say: (what, players = shown.peek()) => {
      line.value = what;
      shown.value = players;
    },
  };
}

function Players({ shown }: { shown: Signal<readonly PlayerInfo[]> }) {
  return (
    <ul>
      {shown.value.map((p) => (
        <li key={p.slot}>
          <b>{p.name}</b>{" "}
          <span class="dim">
            {[
              t("common.teamNumber", { team: p.team + 1 }),
              ...(p.faction ? [factionName(p.faction)] : []),
              ...(p.handicap ? [handicapText(p.handicap)] : []),
            ].join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  );
}
