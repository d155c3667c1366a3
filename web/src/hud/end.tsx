// The last screen of a match: the winner, the cause, the decisive moments, the scores, the graphs with the fog
// lifted, and the ways on.

import type { History, MatchInfo, MatchResult, Tick } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { packAssets } from "../draw/pack";
import { ACCENT, SKY_LIGHT } from "../draw/palette";
import { endText, modeValueName, sidedName, typeName } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import { Emblem } from "../ui/icons";
import { Stars } from "../ui/stars";
import { Chart } from "./chart";
import { isOther, scoresCount } from "./hud";
import { causeText, decisiveMoments, momentText, outcomeOf, timeText } from "./verdict";

/** A match against the next stronger bot. */
export interface Harder {
  /** The level's name. */
  readonly level: string;
  play(): Promise<void>;
}

/** A mission at its end. */
export interface MissionEnd {
  readonly title: string;
  /** The conditions of its stars. */
  readonly conditions: string;
  /** The player's best, perhaps with this match: of no win 0 stars. */
  readonly stars: number;
  readonly seconds?: number;
  /** The mission after it; null: it is the last. */
  readonly next: { readonly title: string; play(): Promise<void> } | null;
}

/** The ways on from there. */
export interface EndWays {
  /** Another match of the same lobby; absent when it is not the player's to start. */
  readonly again?: () => Promise<void>;
  /** Resolves with the match to offer after a victory over a bot; null: there is no stronger bot. */
  readonly harder?: () => Promise<Harder | null>;
  /** Resolves with the mission that the match was; null: it was none. */
  readonly mission?: () => Promise<MissionEnd | null>;
  /** Shows the match again, from a tick. */
  readonly replay?: (tick?: Tick) => Promise<void>;
  /** Plays the match on from a tick, in a lobby. */
  readonly branch?: (tick: Tick) => Promise<void>;
  /** Asks a player to be friends, and resolves with whether the server took the request; absent: this page has no friends. */
  readonly befriend?: (name: string) => Promise<boolean>;
  leave(): void;
}

export interface EndOptions extends EndWays {
  result: MatchResult;
  /** The match's length. */
  seconds: number;
  history: History;
  colorOf(owner: number): string;
  /** Opens the dialog of a report; absent: there is no other person. */
  report?: () => void;
  /** The dialog was closed. */
  stay(): void;
}

/** Makes the dialog; the caller adds it to the page and shows it. */
export function endDialog(info: MatchInfo, o: EndOptions): HTMLDialogElement {
  const outcome = outcomeOf(info, o.result);
  const dialog = h("dialog", {
    class: `panel end-panel ${outcome}`,
    "aria-labelledby": "end-title",
    onclose: () => {
      render(null, dialog);
      dialog.remove();
      o.stay();
    },
  });
  render(<Summary info={info} options={o} look={() => dialog.close()} />, dialog);
  return dialog;
}

const TITLES = { won: "end.victory", lost: "end.defeat", draw: "end.draw", watched: "end.over" } as const;

function Summary({ info, options: o, look }: { info: MatchInfo; options: EndOptions; look: () => void }) {
  const { result, seconds } = o;
  const outcome = outcomeOf(info, result);
  const cause = causeText(info, result, o.history);
  const won = outcome === "won";
  const harder = useFound(won ? o.harder : undefined);
  const mission = useFound(packAssets.goals.has(info.mode) ? o.mission : undefined);
  const next = won ? mission?.next : null;
  return (
    <>
      {/* The dialog begins at its top: the focus would scroll it to the first button. */}
      <h1 id="end-title" tabIndex={-1} autofocus>
        {t(TITLES[outcome])}
      </h1>
      <p class="end-why">
        {whyText(info, result)}{" "}
        <span class="dim">
          {t("end.after", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 })}
        </span>
      </p>
      {mission && <Earned info={info} mission={mission} seconds={seconds} won={won} />}
      {cause && !mission && <p class="end-cause">{cause}</p>}
      <Moments info={info} options={o} />
      <Scores info={info} result={result} colorOf={o.colorOf} befriend={o.befriend} />
      <Charts info={info} options={o} />
      <div class="row wrap end-buttons">
        {next && (
          <Way what="next-mission" words={t("missions.next", { name: next.title })} first run={next.play} />
        )}
        {o.again && (
          <Way
            what="play-again"
            words={t(mission ? "missions.again" : "end.again")}
            first={!next}
            run={o.again}
          />
        )}
        {harder && (
          <Way what="play-harder" words={t("verdict.harder", { level: harder.level })} run={harder.play} />
        )}
        <button type="button" class={o.again ? "" : "primary"} data-do="to-lobby" onClick={o.leave}>
          {t("end.toLobby")}
        </button>
        {o.replay && <Way what="watch-replay" words={t("end.replay")} run={o.replay} />}
        <button type="button" data-do="look" onClick={look}>
          {t("end.look")}
        </button>
        {o.report && (
          <button type="button" class="ghost-button" data-do="report" onClick={o.report}>
            {t("common.report")}
          </button>
        )}
      </div>
    </>
  );
}

/** The answer of `find`; null before it comes, or without one. */
function useFound<T>(find: (() => Promise<T | null>) | undefined): T | null {
  const found = useSignal<T | null>(null);
  useEffect(() => {
    void find?.().then(
      (answer) => {
        found.value = answer;
      },
      () => undefined,
    );
  }, []);
  return found.value;
}

/** The stars of a mission with what earns them, and the player's best. */
function Earned(props: { info: MatchInfo; mission: MissionEnd; seconds: number; won: boolean }) {
  const { info, mission, seconds, won } = props;
  const stars = won ? Math.max(1, info.players[info.slot]?.values.stars ?? 0) : 0;
  const bestSeconds = won ? Math.min(mission.seconds ?? seconds, seconds) : mission.seconds;
  return (
    <section class="earned" aria-label={mission.title}>
      <h2>{mission.title}</h2>
      <Stars stars={stars} />
      <p>{mission.conditions}</p>
      <p class="dim">
        {t("missions.best")} <Stars stars={Math.max(stars, mission.stars)} seconds={bestSeconds} />
      </p>
    </section>
  );
}

/** A button whose work takes a while. */
function Way(props: {
  what: string;
  words: string;
  label?: string;
  first?: boolean;
  run: () => Promise<void>;
}) {
  const { what, words, label, first, run } = props;
  const busy = useSignal(false);
  const press = () => {
    busy.value = true;
    void run().finally(() => {
      busy.value = false;
    });
  };
  return (
    <button
      type="button"
      class={first ? "primary" : ""}
      data-do={what}
      aria-label={label}
      disabled={busy}
      onClick={press}
    >
      {words}
    </button>
  );
}

/** The moments at which the armies shifted most, each with the ways to see it again and to play on from there. */
function Moments({ info, options: o }: { info: MatchInfo; options: EndOptions }) {
  const moments = decisiveMoments(info, o.result);
  const { replay, branch } = o;
  if (moments.length === 0) return null;
  return (
    <section class="moments" aria-label={t("verdict.moments")}>
      <h2>{t("verdict.moments")}</h2>
      <ol>
        {moments.map((m) => {
          const time = timeText(info, m.fromTick);
          return (
            <li key={m.fromTick}>
              <b class="num">{time}</b>
              <span>{momentText(info, o.result, m)}</span>
              {replay && (
                <Way
                  what="watch-moment"
                  words={t("verdict.watch")}
                  label={t("verdict.watchFrom", { time })}
                  run={() => replay(m.fromTick)}
                />
              )}
              {branch && !info.spectator && (
                <Way
                  what="branch-moment"
                  words={t("verdict.branch")}
                  label={t("verdict.branchFrom", { time })}
                  run={() => branch(m.fromTick)}
                />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Why it ended, as this player sees it. */
export function whyText(info: MatchInfo, result: MatchResult): string {
  const centre = info.rules.types.filter((x) => x.centre).map((x) => typeName(x.name));
  return endText(result.reason, info.mode, outcomeOf(info, result), {
    centre: centre.join(", "),
    team: result.winners.map((n) => n + 1).join(", "),
  });
}

function Befriend({ name, befriend }: { name: string; befriend: (name: string) => Promise<boolean> }) {
  const asked = useSignal(false);
  const ask = async () => {
    asked.value = await befriend(name);
  };
  return (
    <button
      type="button"
      class="ghost-button befriend"
      data-do="befriend"
      aria-label={t("end.befriendWho", { name })}
      disabled={asked}
      onClick={() => void ask()}
    >
      {t(asked.value ? "end.befriended" : "end.befriend")}
    </button>
  );
}

function Scores(props: Pick<EndOptions, "result" | "colorOf" | "befriend"> & { info: MatchInfo }) {
  const { info, result, colorOf, befriend } = props;
  const scored = scoresCount(info);
  const goals = packAssets.goals.get(info.mode);
  const values = goals ? info.modeValues.filter((v) => goals.has(v.name)) : info.modeValues;
  const assisted = result.scores.some((s) => s.assists > 0);
  const columns = [
    ...(["player", "team", ...(scored ? ["score" as const] : [])] as const).map((c) => t(`end.${c}`)),
    ...values.map((v) => modeValueName(v.name)),
    ...(["made", "killed", ...(assisted ? ["assisted" as const] : []), "lost"] as const).map((c) =>
      t(`end.${c}`),
    ),
  ];
  return (
    <table class="scores">
      <thead>
        <tr>
          {columns.map((c, i) => (
            <th key={c} scope="col" class={i === 0 ? "" : "num"}>
              {c}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {info.players.map((p) => {
          const s = result.scores[p.slot];
          return (
            <tr key={p.slot} class={result.winners.includes(p.team) ? "winner" : ""}>
              <td>
                <Emblem color={colorOf(p.slot)} index={p.color} /> {sidedName(p.name, p)}
                {befriend && isOther(info, p) && <Befriend name={p.name} befriend={befriend} />}
              </td>
              <td class="num">{p.team + 1}</td>
              {scored && <td class="num">{s?.points ?? "–"}</td>}
              {values.map(({ name }) => (
                <td key={name} class="num">
                  {p.values[name] ?? "–"}
                </td>
              ))}
              <td class="num">{s?.made ?? "–"}</td>
              <td class="num">{s?.kills ?? "–"}</td>
              {assisted && <td class="num">{s?.assists ?? "–"}</td>}
              <td class="num">{s?.losses ?? "–"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Economy and army of everybody, and what this player saw of the map. */
function Charts({ info, options: o }: { info: MatchInfo; options: EndOptions }) {
  const { series, seriesTicks } = o.result;
  const points = series[0]?.army.length ?? 0;
  const at = Array.from({ length: points }, (_, k) =>
    k === points - 1 ? o.seconds : (k * seriesTicks * info.tickMs) / 1000,
  );
  const line = (slot: number, values: readonly number[]) => ({
    name: info.players[slot]?.name ?? "",
    color: o.colorOf(slot),
    values,
  });
  const tiles = info.map.width * info.map.height;
  const share = (list: readonly number[]) => list.map((n) => Math.round((100 * n) / tiles));
  return (
    <div class="charts">
      {points > 2 && (
        <>
          <Chart
            title={t("end.economy")}
            note={t("end.economyNote")}
            seconds={at}
            lines={series.map((s, slot) => line(slot, s.gathered))}
          />
          <Chart
            title={t("end.army")}
            note={t("end.armyNote")}
            seconds={at}
            lines={series.map((s, slot) => line(slot, s.army))}
          />
        </>
      )}
      {o.history.ticks.length > 2 && (
        <Chart
          title={t("end.mapShare")}
          seconds={o.history.ticks.map((n) => (n * info.tickMs) / 1000)}
          lines={[
            { name: t("end.visible"), color: ACCENT, values: share(o.history.visible) },
            { name: t("end.explored"), color: SKY_LIGHT, dashed: true, values: share(o.history.explored) },
          ]}
          unit=" %"
        />
      )}
    </div>
  );
}
