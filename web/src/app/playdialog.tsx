// The dialog before a game against bots: which map, how good the bots are and,
// for people who play together, how many.

import type { MapInfo } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { t } from "../text/text";
import { LevelChoice, MapChoice, RulesetChoice } from "./choices";
import { RANDOM } from "./factionselect";
import { useMaps, useRulesets } from "./maps";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { api } from "./server";
import type { BotLevel } from "./skill";
import { ErrorLine, useWork } from "./work";

/** Alone against a bot, or with others against bots. */
export type PlayKind = "bot" | "coop";

export function playDialog(nav: Navigation, kind: PlayKind): void {
  const title = kind === "bot" ? t("title.playBot") : t("play.coop");
  nav.matchSoon();
  openDialog(title, "play", (close) => <Play nav={nav} kind={kind} title={title} close={close} />);
}

interface Props {
  nav: Navigation;
  kind: PlayKind;
  title: string;
  close: () => void;
}

function Play({ nav, kind, title, close }: Props) {
  const { maps, error: noMaps } = useMaps();
  const { busy, error, run } = useWork();
  const offered = maps.filter((m) => m.starts >= fewestStarts(kind));
  const chosen = useSignal("");
  const level = useSignal<BotLevel>("easy");
  const rulesets = useRulesets();
  const ruleset = useSignal("skirmish");
  const faction = useSignal(RANDOM);
  const bots = useSignal(0); // 0: half of the map
  const map = offered.find((m) => m.id === chosen.value) ?? offered[0];
  const count = map ? botsOn(map, bots.value) : 0;
  const start = async () => {
    if (!map) return;
    if (kind === "bot") {
      close();
      await nav.playBot({ map: map.id, level: level.value, ruleset: ruleset.value, faction: faction.value });
      return;
    }
    const lobby = await api.createLobby({
      name: t("play.coopName", { name: nav.account?.name ?? "" }),
      map: map.id,
      limit: map.starts,
      bots: count,
      level: level.value,
      options: { teams: "coop" },
    });
    close();
    nav.showLobby(lobby);
  };
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void run(start);
      }}
    >
      <h2>{title}</h2>
      {kind === "coop" ? <p class="dim">{t("play.coopNote")}</p> : null}
      <MapChoice maps={offered} chosen={chosen} />
      {kind === "coop" && map ? (
        <label class="field" for="play-bots">
          <span>{t("play.bots")}</span>
          <select
            id="play-bots"
            value={String(count)}
            onChange={(e) => {
              bots.value = Number(e.currentTarget.value);
            }}
          >
            {Array.from({ length: map.starts - 1 }, (_, i) => i + 1).map((n) => (
              <option key={n} value={String(n)}>
                {t("play.botsFor", { bots: n, people: map.starts - n })}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <LevelChoice level={level} />
      {kind === "bot" ? <RulesetChoice rulesets={rulesets} ruleset={ruleset} faction={faction} /> : null}
      <ErrorLine text={error.value || noMaps} />
      <div class="row end">
        <button type="button" onClick={close}>
          {t("common.cancel")}
        </button>
        <button
          type="submit"
          class="primary"
          data-do={kind === "bot" ? "start-bot" : "create-coop"}
          disabled={busy.value || !map}
        >
          {kind === "bot" ? t("play.start") : t("home.create")}
        </button>
      </div>
    </form>
  );
}

/** Two people and a bot need three places. */
const fewestStarts = (kind: PlayKind): number => (kind === "bot" ? 2 : 3);

/** How many bots play on a map: as many as were asked for, if there is room beside one person. */
export const botsOn = (map: Pick<MapInfo, "starts">, asked: number): number =>
  Math.min(asked || Math.floor(map.starts / 2), map.starts - 1);
