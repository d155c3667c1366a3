// The dialog in which a player reports another one.

import type { Match, NewReport } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Said } from "../game/context";
import { clockText } from "../replay/words";
import { t } from "../text/text";
import { showView } from "../ui/dialog";
import "./report.css";
import type { Navigation } from "./navigation";
import { api, server } from "./server";
import { ErrorLine, useWork } from "./work";

/** A moment of a match, in ticks, with the last words of a player there. */
interface Moment {
  readonly tick: number;
  readonly text: string;
}

/** A match in which the reported player was. */
interface MatchIncident {
  readonly match: string;
  /** Of the link by which the replay was opened. */
  readonly key?: string;
  /** The player's start point, as in the seats of the lobby; absent: the reporter chooses. */
  readonly slot?: number;
  /** Absent: the end of the match, or its newest tick. */
  readonly tick?: number;
  /** The tick of the line that is reported; absent: no line. */
  readonly line?: number;
  /** The chat that this page has heard, by start point. */
  readonly said?: ReadonlyMap<number, readonly Moment[]>;
}

/** A seat or a line of a lobby, or a message: the player is known. */
export type Place = Pick<NewReport, "lobby" | "slot" | "line" | "account" | "message">;

/** The source of a report. */
export type Incident = MatchIncident | ({ readonly name: string } & Place);

/** The lines of a player that the dialog offers. */
const LINES_SHOWN = 6;

export const REPORT_KINDS: readonly NewReport["kind"][] = [
  "chat",
  "cheating",
  "sabotage",
  "leaving",
  "name",
  "other",
];

/** The page's facts about the match that it shows; `of` is a line of chat. */
export function incidentOf(match: Match, said: readonly Said[], of?: Said, key?: string): MatchIncident {
  const { players, matchId } = match.info;
  const bySlot = new Map<number, Moment[]>();
  for (const s of said) {
    const start = players[s.slot].start;
    bySlot.set(start, [...(bySlot.get(start) ?? []), s]);
  }
  return {
    match: matchId,
    key,
    tick: match.state.tick,
    line: of?.tick,
    slot: of && players[of.slot].start,
    said: bySlot,
  };
}

/** Opens the dialog, over others too. */
export function reportDialog(nav: Navigation, incident: Incident): void {
  showView(t("common.report"), "report", (close) => (
    <ReportForm nav={nav} incident={incident} close={close} />
  ));
}

interface Suspect {
  readonly slot: number;
  readonly name: string;
  /** The last tick in which this person had the seat; absent: the person has it. */
  readonly until?: number;
}

/** The people who had a seat of the match, but the reporter. */
async function suspectsOf({ match, key }: MatchIncident): Promise<{ people: Suspect[]; tickRate: number }> {
  const { players, tickRate } = await server.replayFacts(match, key);
  const people = players.flatMap((p) => {
    if (p.you) return [];
    if (!p.bot) return [{ slot: p.slot, name: p.name }];
    const person = p.earlier?.filter((h) => !h.bot).at(-1);
    return person ? [{ slot: p.slot, name: person.name, until: (person.to ?? 1) - 1 }] : [];
  });
  return { people, tickRate };
}

function ReportForm({ nav, incident, close }: { nav: Navigation; incident: Incident; close: () => void }) {
  const inMatch = "match" in incident ? incident : null;
  const suspects = useSignal<Suspect[] | null>(null);
  const tickRate = useSignal(0);
  const slot = useSignal(inMatch?.slot ?? -1);
  const tick = useSignal(inMatch?.line ?? inMatch?.tick);
  const kind = useSignal<NewReport["kind"] | "">("");
  const written = useSignal("");
  const { busy, error, run } = useWork();
  useEffect(() => {
    if (!inMatch) return;
    void run(async () => {
      const { people, tickRate: rate } = await suspectsOf(inMatch);
      suspects.value = people;
      tickRate.value = rate;
      if (people.length === 1 || !people.some((p) => p.slot === slot.value))
        slot.value = people[0]?.slot ?? -1;
    });
  }, []);
  if (inMatch && suspects.value?.length === 0) return <Nobody close={close} />;
  const send = () =>
    run(async () => {
      const { name: _, ...place } = { name: "", ...incident };
      const until = suspects.value?.find((p) => p.slot === slot.value)?.until;
      const at = until === undefined ? tick.value : Math.min(tick.value ?? until, until);
      const body = inMatch ? { match: inMatch.match, slot: slot.value, tick: at } : place;
      await api.report({ ...body, kind: kind.value || "other", text: written.value.trim() || undefined });
      close();
      nav.toast(t("report.sent"));
    });
  const lines = (inMatch?.said?.get(slot.value) ?? []).slice(-LINES_SHOWN);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void send();
      }}
    >
      <h2>
        {inMatch ? t("common.report") : t("report.about", { name: "name" in incident ? incident.name : "" })}
      </h2>
      {inMatch ? (
        <label class="field">
          <span>{t("report.player")}</span>
          <select
            data-field="report-player"
            value={slot.value}
            onChange={(e) => {
              slot.value = Number(e.currentTarget.value);
              tick.value = inMatch.tick;
            }}
          >
            {(suspects.value ?? []).map((p) => (
              <option key={p.slot} value={p.slot}>
                {p.name}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <label class="field">
        <span>{t("report.why")}</span>
        <select
          required
          data-field="report-kind"
          value={kind.value}
          onChange={(e) => {
            kind.value = e.currentTarget.value as NewReport["kind"];
          }}
        >
          <option value="">{t("report.choose")}</option>
          {REPORT_KINDS.map((k) => (
            <option key={k} value={k}>
              {t(`report.kind.${k}`)}
            </option>
          ))}
        </select>
      </label>
      {inMatch && lines.length > 0 && tickRate.value > 0 ? (
        <fieldset class="report-lines">
          <legend>{t("report.moment")}</legend>
          {[...lines, { tick: inMatch.tick ?? 0, text: "" }].map((m, i) => (
            <label key={i} class="check">
              <input
                type="radio"
                name="moment"
                checked={tick.value === m.tick}
                onChange={() => {
                  tick.value = m.tick;
                }}
              />
              <span>
                <span class="num dim">{clockText((m.tick * 1000) / tickRate.value)}</span>{" "}
                {m.text || <i>{t("report.now")}</i>}
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
      <label class="field">
        <span>{t("report.text")}</span>
        <textarea
          rows={4}
          maxLength={1000}
          data-field="report-text"
          value={written}
          onInput={(e) => {
            written.value = e.currentTarget.value;
          }}
        />
      </label>
      <p class="dim">{t(inMatch ? "report.noteMatch" : "report.note")}</p>
      <ErrorLine text={error.value} />
      <div class="row end">
        <button type="button" onClick={close}>
          {t("common.cancel")}
        </button>
        <button
          type="submit"
          class="primary"
          data-do="send-report"
          disabled={busy.value || (inMatch !== null && slot.value < 0)}
        >
          {t("report.send")}
        </button>
      </div>
    </form>
  );
}

function Nobody({ close }: { close: () => void }) {
  return (
    <>
      <p>{t("report.nobody")}</p>
      <div class="row end">
        <button type="button" onClick={close}>
          {t("common.back")}
        </button>
      </div>
    </>
  );
}
