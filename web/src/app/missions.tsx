// The dialog of missions: each with its briefing, objectives, best stars and time, and the way to play it. The pack of a
// mission has its texts and objectives.

import type { Mission } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { MissionEnd } from "../game/game";
import { words } from "../text/names";
import { language, t } from "../text/text";
import { Stars } from "../ui/stars";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

/** The part of a pack's index that the dialog shows. */
interface Index {
  missions?: readonly { id: string; objectives: readonly { value: string; goal: number }[] }[];
  texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Row extends Mission {
  readonly title: string;
  readonly briefing: string;
  readonly objectives: readonly string[];
  /** The conditions of its stars. */
  readonly conditions: string;
}

export function missionsDialog(nav: Navigation): void {
  nav.matchSoon();
  openDialog(t("missions.title"), "missions", (close) => <Missions nav={nav} close={close} />);
}

/** The missions of the server with the texts of their packs, each pack read once. */
async function missionRows(): Promise<Row[]> {
  const { missions } = await api.listMissions();
  const indexes = new Map<string, Promise<Index>>();
  return Promise.all(
    missions.map(async (m) => {
      let index = indexes.get(m.packHash);
      if (!index) {
        index = fetch(`/packs/${m.packHash}`).then((r) => {
          if (!r.ok) throw new Error(`${r.status} for ${r.url}`);
          return r.json();
        });
        indexes.set(m.packHash, index);
      }
      const { texts, missions: known } = await index;
      const textOf = (key: string) => texts[language()]?.[key] ?? texts.en?.[key];
      const objectives = known?.find((k) => k.id === m.scenario)?.objectives ?? [];
      return {
        ...m,
        title: textOf(`mission.${m.scenario}`) ?? words(m.scenario),
        briefing: textOf(`briefing.${m.scenario}`) ?? "",
        conditions: textOf(`stars.${m.scenario}`) ?? "",
        objectives: objectives.map(({ value, goal }) => {
          const name = textOf(`modeValue.${value}`) ?? words(value);
          return goal > 1 ? t("missions.objective", { name, goal }) : name;
        }),
      };
    }),
  );
}

/** The mission for the screen at its end. `play` begins another one. */
export async function missionEnd(
  id: string,
  play: (id: string) => Promise<void>,
): Promise<MissionEnd | null> {
  const rows = await missionRows();
  const i = rows.findIndex((r) => r.id === id);
  const next = rows[i + 1];
  if (i < 0) return null;
  return { ...rows[i], next: next ? { title: next.title, play: () => play(next.id) } : null };
}

function Missions({ nav, close }: { nav: Navigation; close: () => void }) {
  const rows = useSignal<readonly Row[]>([]);
  const { busy, error, run } = useWork();
  useEffect(() => {
    void run(async () => {
      rows.value = await missionRows();
    });
  }, []);
  const next = rows.value.find((r) => r.stars === 0);
  const play = (id: string) =>
    run(async () => {
      const lobby = await api.playMission({ mission: id });
      close();
      await nav.play(lobby.id);
    });
  return (
    <>
      <h2>{t("missions.title")}</h2>
      <p class="dim">{t("missions.note")}</p>
      <ol class="stack mission-list">
        {rows.value.map((r) => (
          <li key={r.id} class="panel" data-mission={r.id}>
            <div class="row wrap">
              <b>{r.title}</b>
              <span class="grow">
                <Stars stars={r.stars} seconds={r.seconds} />
              </span>
              <button
                type="button"
                class={r === next ? "primary" : ""}
                data-do="play-mission"
                aria-label={t("missions.playNamed", { name: r.title })}
                disabled={busy}
                onClick={() => void play(r.id)}
              >
                {t("missions.play")}
              </button>
            </div>
            <p>{r.briefing}</p>
            <p class="dim">
              {r.objectives.join(" · ")}
              <br />
              {r.conditions}
            </p>
          </li>
        ))}
      </ol>
      <ErrorLine text={error.value} />
      <div class="row end">
        <button type="button" onClick={close}>
          {t("common.back")}
        </button>
      </div>
    </>
  );
}
