// The last screen of a match: who won, why, the scores, how it went with the fog
// lifted, and what to do next.

import type { History, MatchInfo, MatchResult } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { render } from "preact";
import { ACCENT, SKY_LIGHT } from "../draw/palette";
import { endText, modeValueName, sidedName, typeName } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import { Emblem } from "../ui/icons";
import { Chart } from "./chart";
import { isOther, scoresCount } from "./hud";

export interface EndOptions {
  result: MatchResult;
  /** The match's length. */
  seconds: number;
  history: History;
  colorOf(owner: number): string;
  /** Another match of the same lobby; absent when it is not the player's to start. */
  again?: () => Promise<void>;
  /** Shows the match again. */
  replay?: () => Promise<void>;
  /** Opens the dialog of a report; absent: there is no other person. */
  report?: () => void;
  /** Asks a player to be friends, and resolves with whether the server took the request; absent: this page has no friends. */
  befriend?: (name: string) => Promise<boolean>;
  leave(): void;
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

type Outcome = "won" | "lost" | "draw" | "watched";

function outcomeOf(info: MatchInfo, result: MatchResult): Outcome {
  if (info.spectator) return "watched";
  if (result.winners.length === 0) return "draw";
  return result.winners.includes(info.team) ? "won" : "lost";
}

const TITLES = { won: "end.victory", lost: "end.defeat", draw: "end.draw", watched: "end.over" } as const;

function Summary({ info, options: o, look }: { info: MatchInfo; options: EndOptions; look: () => void }) {
  const { result, seconds } = o;
  const outcome = outcomeOf(info, result);
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
      <Scores info={info} result={result} colorOf={o.colorOf} befriend={o.befriend} />
      <Charts info={info} options={o} />
      <div class="row wrap end-buttons">
        {o.again && <Again again={o.again} />}
        <button type="button" class={o.again ? "" : "primary"} data-do="to-lobby" onClick={o.leave}>
          {t("end.toLobby")}
        </button>
        {o.replay && <Watch replay={o.replay} />}
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

function Again({ again }: { again: () => Promise<void> }) {
  const busy = useSignal(false);
  const run = () => {
    busy.value = true;
    void again().finally(() => {
      busy.value = false;
    });
  };
  return (
    <button type="button" class="primary" data-do="play-again" disabled={busy} onClick={run}>
      {t("end.again")}
    </button>
  );
}

function Watch({ replay }: { replay: () => Promise<void> }) {
  const busy = useSignal(false);
  const run = () => {
    busy.value = true;
    void replay().finally(() => {
      busy.value = false;
    });
  };
  return (
    <button type="button" data-do="watch-replay" disabled={busy} onClick={run}>
      {t("end.replay")}
    </button>
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
  const assisted = result.scores.some((s) => s.assists > 0);
  const columns = [
    ...(["player", "team", ...(scored ? ["score" as const] : [])] as const).map((c) => t(`end.${c}`)),
    ...info.modeValues.map((v) => modeValueName(v.name)),
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
                <Emblem color={colorOf(p.slot)} index={p.color} /> {sidedName(p.name, p.faction)}
                {befriend && isOther(info, p) && <Befriend name={p.name} befriend={befriend} />}
              </td>
              <td class="num">{p.team + 1}</td>
              {scored && <td class="num">{s?.points ?? "–"}</td>}
              {info.modeValues.map(({ name }) => (
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
