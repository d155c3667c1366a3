// The cases about players' conduct: their list, and the file of one with reports, notes and the decision.

import { useState } from "preact/hooks";
import type { Case, CaseFile, Decision, Report } from "../gen/admin";
import { showView } from "../ui/dialog";
import { ErrorLine } from "../ui/work";
import { HOURS } from "./account";
import { admin, may } from "./api";
import { Ask } from "./dialog";
import { formatLink } from "./inspect/link";
import { usePoll } from "./poll";
import { DataTable, Loading, Time } from "./table";
import { sentence, when } from "./words";

type State = Case["state"];

const STATES: readonly (readonly [State | "", string])[] = [
  ["open", "Open"],
  ["appealed", "Appeals"],
  ["closed", "Closed"],
  ["", "All"],
];

const OUTCOMES: Record<Decision["outcome"], string> = {
  nothing: "Nothing: the account does not learn of the case",
  mute: "Mute in the chosen places",
  queue: "Ban from matchmaking",
  ban: "Ban from the server",
  keep: "Keep the earlier decision",
};

const SCOPES = [
  ["lobby", "Mute: chat of lobbies"],
  ["match", "Mute: chat and pings of matches"],
  ["messages", "Mute: messages to friends"],
] as const;

const placeOf = (c: Case): string => (c.match ? "a match" : c.lobby ? "a lobby" : "messages");

export function Cases() {
  const [state, setState] = useState<State | "">("open");
  return (
    <DataTable
      title="Cases"
      list="cases"
      query={state}
      load={(before) => admin.cases({ state: state || undefined, before })}
      id={(c) => c.id}
      columns={{
        Case: (c) => <span class="num">{c.id}</span>,
        Opened: (c) => <Time at={c.opened} />,
        Account: (c) => c.name,
        In: placeOf,
        Reports: (c) => <span class="num">{c.reports}</span>,
        State: (c) => <span class={`chip ${c.state === "closed" ? "" : "starting"}`}>{c.state}</span>,
        Outcome: (c) => c.outcome,
      }}
      empty="There is no such case."
      head={() => (
        <select
          name="state"
          aria-label="State"
          value={state}
          onChange={(e) => setState(e.currentTarget.value as State | "")}
        >
          {STATES.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
      actions={(c, { again }) => (
        <button type="button" class="ghost-button" data-case={c.id} onClick={() => openCase(c, again)}>
          Open
        </button>
      )}
    />
  );
}

function openCase({ id, name }: Case, changed: () => void): void {
  showView(`Case ${id}: ${name}`, "account-file case-file", (close) => (
    <File id={id} changed={changed} close={close} />
  ));
}

function File({ id, changed, close }: { id: number; changed: () => void; close: () => void }) {
  const { data, error, again } = usePoll(() => admin.case(id));
  const done = () => {
    changed();
    again();
  };
  return (
    <div class="stack">
      {data ? <Details file={data} close={close} /> : !error && <Loading />}
      <ErrorLine text={error ? sentence(error) : ""} />
      <div class="row wrap end">
        {data && may("moderator") && (
          <>
            <Ask
              words="Add a note"
              name="note-case"
              title={`Note in case ${id}`}
              note="Moderators read notes; players do not."
              fields={[{ name: "text", label: "Note" }]}
              submit="Add"
              run={async ({ text }) => void (await admin.noteCase(id, { text }))}
              done={done}
            />
            {data.case.state !== "closed" && <Decide file={data} done={done} />}
          </>
        )}
        <span class="grow" />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

function Details({ file, close }: { file: CaseFile; close: () => void }) {
  const { case: c, reports, notes, bans, others } = file;
  return (
    <>
      <div class="row">
        <h2>{c.name}</h2>
        <span class="chip">{c.state}</span>
        <span class="dim">
          in {placeOf(c)}, since {when(c.opened)}
        </span>
      </div>
      {c.closed && (
        <p data-decision={c.outcome}>
          <b>{c.by}</b> decided “{c.outcome}” on {when(c.closed)}: {c.reason}
          {bans.length > 0 &&
            ` (${bans.map((b) => `${b.scope || "server"} ${b.until ? `until ${when(b.until)}` : "permanently"}`).join(", ")})`}
        </p>
      )}
      {c.appeal && (
        <blockquote>
          <b>Appeal:</b> {c.appeal}
        </blockquote>
      )}
      <h3>Reports</h3>
      {reports.map((r, i) => (
        <ReportRow key={i} of={c} report={r} close={close} />
      ))}
      {notes.length > 0 && <h3>Notes</h3>}
      {notes.map((n, i) => (
        <p key={i}>
          <b>{n.by}</b> <Time at={n.at} /> {n.text}
        </p>
      ))}
      {others.length > 0 && <h3>Other cases of this account</h3>}
      {others.map((o) => (
        <p key={o.id}>
          Case {o.id}, <Time at={o.opened} />, {o.state} {o.outcome}: {o.reason}
        </p>
      ))}
    </>
  );
}

/** A report, with the link to its moment of the match through the eyes of the reporter. The viewer there offers all others. */
function ReportRow({ of: c, report: r, close }: { of: Case; report: Report; close: () => void }) {
  return (
    <section class="report-row">
      <p>
        <b>{r.name ?? "deleted account"}</b> <span class="chip">{r.kind}</span> <Time at={r.at} /> {r.text}
      </p>
      {r.lines.length > 0 && (
        <ul>
          {r.lines.map((l, i) => (
            <li key={i}>
              <span class="dim num">{l.tick === undefined ? l.at && when(l.at) : `tick ${l.tick}`}</span>{" "}
              {l.text}
            </li>
          ))}
        </ul>
      )}
      {c.match && (
        <a
          data-do="open-at-tick"
          href={formatLink({ match: c.match, tick: r.tick, eyes: r.team < 0 ? undefined : r.team })}
          onClick={close}
        >
          Open the match at tick {r.tick} with {r.team < 0 ? "all eyes" : `the eyes of team ${r.team + 1}`}
        </a>
      )}
    </section>
  );
}

function Decide({ file, done }: { file: CaseFile; done: () => void }) {
  const { case: c } = file;
  const outcomes = (Object.keys(OUTCOMES) as Decision["outcome"][]).filter(
    (o) => o !== "keep" || c.state === "appealed",
  );
  return (
    <Ask
      words="Decide"
      name="decide-case"
      title={c.state === "appealed" ? `Answer the appeal of ${c.name}` : `Close the case about ${c.name}`}
      note="The account reads the reason, unless nothing follows. Each reporter learns that the case is closed, and no more."
      fields={[
        { name: "outcome", label: "Outcome", choices: outcomes.map((o) => [o, OUTCOMES[o]] as const) },
        ...SCOPES.map(([name, label]) => ({ name, label, type: "checkbox" as const })),
        { name: "hours", label: "Duration", choices: HOURS, value: "24" },
        { name: "reason", label: "Reason" },
      ]}
      submit="Close the case"
      danger
      run={async (given) => {
        const outcome = given.outcome as Decision["outcome"];
        const scopes = SCOPES.map(([s]) => s).filter((s) => given[s] === "true");
        const lasting = outcome !== "nothing" && outcome !== "keep";
        await admin.decideCase(c.id, {
          outcome,
          reason: given.reason,
          scopes: outcome === "mute" ? scopes : undefined,
          hours: lasting ? Number(given.hours) : undefined,
        });
        return undefined;
      }}
      done={done}
    />
  );
}
