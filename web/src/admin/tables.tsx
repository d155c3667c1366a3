// Accounts, lobbies, matches, bans and the audit log as tables.

import { useState } from "preact/hooks";
import type { AuditReport, Match } from "../gen/admin";
import { useWorkWith } from "../ui/work";
import { AskBan, openAccount } from "./account";
import { admin, may, session } from "./api";
import { Ask, AskReason } from "./dialog";
import { OpenScenario } from "./scenario";
import { DataTable, Time, useSearch } from "./table";
import { sentence, when } from "./words";

export function Accounts() {
  const [q, search] = useSearch("accounts");
  return (
    <DataTable
      title="Accounts"
      list="accounts"
      query={q}
      load={(after?: string) => admin.accounts({ q, after })}
      id={(x) => x.id}
      columns={{
        Name: (a) => a.name,
        Kind: (a) => <span class="chip">{a.guest ? "guest" : "account"}</span>,
        Id: (a) => <span class="dim num">{a.id}</span>,
      }}
      empty="No account has that name."
      head={search}
      actions={(a, { again }) => (
        <button type="button" class="ghost-button" onClick={() => openAccount(a, again)}>
          Open
        </button>
      )}
    />
  );
}

export function Lobbies() {
  const [q, search] = useSearch("lobbies");
  return (
    <DataTable
      title="Lobbies"
      list="lobbies"
      query={q}
      load={(page) => admin.lobbies({ q, page })}
      id={(x) => x.id}
      columns={{
        Name: (l) => l.name,
        Map: (l) => l.map.name,
        Host: (l) => l.hostName,
        Seats: (l) => (
          <span class="num">
            {l.seats.filter((s) => s.kind !== "open").length} / {l.limit}
          </span>
        ),
        State: (l) => <span class={`chip ${l.state}`}>{l.state}</span>,
      }}
      empty="There are no lobbies."
      head={({ again }) => (
        <>
          {search()}
          {may("moderator") && <OpenScenario done={again} />}
        </>
      )}
      actions={(l, { again }) =>
        l.state !== "closed" &&
        may("moderator") && (
          <AskReason
            words="Close"
            title={`Close “${l.name}”`}
            run={(body) => admin.closeLobby(l.id, body)}
            done={again}
          />
        )
      }
    />
  );
}

type MatchQuery = NonNullable<Parameters<typeof admin.matches>[0]>;

export function Matches({ inspect }: { inspect: (id: string) => void }) {
  const [query, setQuery] = useState<MatchQuery>({});
  const fog = session.value?.admin?.fog;
  return (
    <DataTable
      title="Matches"
      list="matches"
      query={query}
      load={(before) => admin.matches({ ...query, before })}
      id={(x) => x.id}
      columns={{
        Started: (m) => <Time at={m.started} />,
        Map: (m) => m.map.name,
        Players: (m) => m.seats.flatMap((s) => [...(s.earlier ?? []), s].map((p) => p.name)).join(", "),
        State: (m) => <span class={`chip ${m.state}`}>{m.state}</span>,
        Node: (m) => <span class="dim">{m.node.length > 16 ? `${m.node.slice(0, 8)}…` : m.node}</span>,
        Tick: (m) => m.tick !== undefined && <span class="num">{m.tick}</span>,
        Result: (m) => m.result && resultWords(m.result),
      }}
      empty="There is no such match."
      head={() => <MatchFilter choose={setQuery} />}
      actions={(m, { again }) => (
        <>
          {fog && m.state !== "starting" && (
            <button type="button" class="ghost-button" data-inspect={m.id} onClick={() => inspect(m.id)}>
              Inspect
            </button>
          )}
          {may("moderator") && <ReplayAccess match={m} done={again} />}
          {m.state === "live" && may("moderator") && (
            <AskReason
              words="End"
              title="End this match"
              run={(body) => admin.endMatch(m.id, body)}
              done={again}
            />
          )}
        </>
      )}
    />
  );
}

const resultWords = ({ reason, winners }: NonNullable<Match["result"]>): string =>
  winners.length > 0 ? `${reason}, team ${winners.map((w) => w + 1).join(", ")}` : reason;

type Access = Match["options"]["replays"];

/** The people who may watch a match once it is over. */
const WATCHERS: readonly (readonly [Access, string])[] = [
  ["participants", "Participants"],
  ["link", "Participants and everyone with the link"],
  ["listed", "Also everyone who finds it in the catalogue, if all players agree"],
  ["off", "Nobody"],
];

const ReplayAccess = ({ match, done }: { match: Match; done: () => void }) => (
  <Ask
    words="Replay"
    title="Access to this match's replay"
    note="Each time the link is turned on it is a new one. Participants find it where they watch the match. The server disconnects viewers who lose access."
    fields={[
      { name: "access", label: "It may be watched by", choices: WATCHERS, value: match.options.replays },
    ]}
    submit="Save"
    run={async ({ access }) => void (await admin.matchReplays(match.id, { access: access as Access }))}
    done={done}
  />
);

/** The fields to find matches by: who played, where, when, and whether it runs. */
function MatchFilter({ choose }: { choose: (query: MatchQuery) => void }) {
  const text = (name: string, label: string) => (
    <input type="search" name={name} placeholder={label} aria-label={label} />
  );
  const date = (name: string, words: string, label: string) => (
    <label title={label}>
      {words}
      <input type="date" name={name} aria-label={label} />
    </label>
  );
  const read = (form: HTMLFormElement) => {
    const all = new FormData(form);
    const of = (name: string) => String(all.get(name)).trim();
    choose({
      account: of("account") || undefined,
      map: of("map") || undefined,
      from: day(of("from"), 0),
      to: day(of("to"), 1),
      state: (of("state") || undefined) as Match["state"] | undefined,
    });
  };
  return (
    // The fields change when they are whole: with Enter, or as they are left.
    <form
      class="row wrap match-filter"
      onChange={(e) => read(e.currentTarget)}
      onSubmit={(e) => e.preventDefault()}
    >
      {text("account", "Player: id or whole name")}
      {text("map", "Map")}
      {date("from", "From", "Played on this day or later")}
      {date("to", "To", "Played on this day or before")}
      <select name="state" aria-label="State">
        <option value="">All states</option>
        {["live", "ended", "failed", "starting"].map((s) => (
          <option key={s}>{s}</option>
        ))}
      </select>
    </form>
  );
}

/** The first moment of a day of a date field, or of one so many days later, in the reader's time zone. */
export function day(date: string, later: number): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!parts) return undefined;
  const [, y, m, d] = parts.map(Number);
  return new Date(y, m - 1, d + later).toISOString();
}

export const Bans = () => (
  <DataTable
    title="Bans"
    list="bans"
    load={(before) => admin.bans({ before })}
    id={(x) => x.id}
    columns={{
      Who: (b) => b.name ?? b.range,
      Why: (b) => b.reason,
      By: (b) => b.by,
      Since: (b) => <Time at={b.created} />,
      Until: (b) => (b.lifted ? `lifted ${when(b.lifted)}` : b.until ? when(b.until) : "permanently"),
    }}
    empty="Nobody is banned."
    head={({ again }) => may("moderator") && <AskBan words="New ban" name="ban" strong done={again} />}
    actions={(b, { attempt }) =>
      !b.lifted &&
      may("moderator") && (
        <button type="button" class="ghost-button" onClick={() => attempt(() => admin.liftBan(b.id))}>
          Lift
        </button>
      )
    }
  />
);

export const Audit = () => (
  <DataTable
    title="Audit log"
    list="rows"
    load={(before) => admin.audit({ before })}
    id={(x) => x.num}
    columns={{
      When: (r) => <Time at={r.at} />,
      Who: (r) => r.admin,
      What: (r) => r.action,
      On: (r) => r.subject,
      Detail: (r) => r.detail,
      From: (r) => <span class="dim num">{r.address}</span>,
    }}
    empty="Nothing yet."
    head={() => <VerifyAudit />}
  />
);

function VerifyAudit() {
  const [report, setReport] = useState<AuditReport>();
  const { busy, error, run } = useWorkWith(sentence);
  const words = report?.broken
    ? `The audit log was changed: ${report.broken}.`
    : report && `All ${report.rows} rows are intact. Keep this elsewhere to compare later: ${report.head}`;
  return (
    <>
      <button
        type="button"
        data-do="verify-audit"
        disabled={busy.value}
        onClick={() => run(async () => setReport(await admin.verifyAudit()))}
      >
        Verify
      </button>
      <p class={error.value || report?.broken ? "head-note error" : "head-note dim"} role="status">
        {error.value || words}
      </p>
    </>
  );
}
