// The access of a studio's servers: service keys, webhook endpoints, and the
// events that endpoints did not take.

import type { NewServiceKey, NewWebhookEndpoint, ServiceKey } from "../gen/admin";
import { admin, may } from "./api";
import { Ask, type Field } from "./dialog";
import { DataTable, Time } from "./table";
import { when } from "./words";

type Scope = NewServiceKey["scopes"][number];
type EventKind = NonNullable<NewWebhookEndpoint["events"]>[number];

const SCOPES: Record<Scope, string> = {
  "matches:write": "make and end matches, issue tickets",
  "matches:read": "look at matches",
  "players:read": "look at players and their results",
  "webhooks:write": "webhook endpoints",
};

const EVENTS: readonly EventKind[] = [
  "match.started",
  "match.ended",
  "match.events",
  "player.joined",
  "player.left",
  "player.kicked",
  "account.banned",
  "account.unbanned",
];

/** When a key expires, in hours; 0: never. */
const LIVES = [
  ["720", "in 30 days"],
  ["2160", "in 90 days"],
  ["8760", "in a year"],
  ["0", "never"],
] as const;

/** How long an old secret is good besides the new one, in hours. */
const OVERLAPS = [
  ["24", "for a day"],
  ["0", "not at all"],
  ["168", "for 7 days"],
  ["720", "for 30 days"],
] as const;

const checked = <T extends string>(names: readonly T[], given: Record<string, string>): T[] =>
  names.filter((n) => given[n] === "true");

const shownOnce = (what: string, secret: string) => ({
  words: `The secret of ${what}. It is shown once.`,
  secret,
});

/** Service keys, webhook endpoints and dead events, one below the other. Only admins change them. */
export const Service = () => (
  <div class="stack">
    <Keys />
    <Endpoints />
    <DeadEvents />
  </div>
);

interface RotateProps {
  what: string;
  /** Says for how long the old secret works too. */
  label: string;
  run: (body: { overlapHours: number }) => Promise<{ secret: string }>;
  done: () => void;
}

const Rotate = ({ what, label, run, done }: RotateProps) => (
  <Ask
    words="Rotate"
    title={`A new secret for ${what}`}
    fields={[{ name: "overlap", label, choices: OVERLAPS }]}
    run={async ({ overlap }) => shownOnce(what, (await run({ overlapHours: Number(overlap) })).secret)}
    done={done}
  />
);

const Made = ({ at, by }: { at: string; by: string }) => (
  <>
    <Time at={at} /> <span class="dim">by {by}</span>
  </>
);

const Keys = () => (
  <DataTable
    title="Service keys"
    list="keys"
    load={() => admin.keys()}
    id={(x) => x.id}
    columns={{
      Name: (k) => k.name,
      Issuer: (k) => k.issuer,
      Scopes: (k) => k.scopes.join(", "),
      Made: (k) => <Made at={k.created} by={k.by} />,
      "Last used": (k) => (k.used ? <Time at={k.used} /> : <span class="dim">never</span>),
      Expires: (k) => <KeyEnd of={k} />,
    }}
    empty="There are no service keys."
    head={({ again }) => may("admin") && <AddKey done={again} />}
    actions={(k, { again }) =>
      may("admin") &&
      !k.revoked && (
        <>
          <Rotate
            what={k.name}
            label="The old secret works"
            run={(body) => admin.rotateKey(k.id, body)}
            done={again}
          />
          <Ask
            words="Revoke"
            title={`Revoke the key ${k.name}`}
            note="Requests with its secrets are refused at once. This cannot be undone."
            danger
            run={async () => void (await admin.revokeKey(k.id))}
            done={again}
          />
        </>
      )
    }
  />
);

function KeyEnd({ of: k }: { of: ServiceKey }) {
  if (k.revoked) return <span class="chip failed">revoked {when(k.revoked)}</span>;
  if (k.expires && Date.parse(k.expires) < Date.now())
    return <span class="chip failed">expired {when(k.expires)}</span>;
  return (
    <>
      {k.expires ? <Time at={k.expires} /> : "never"}
      <OldSecret until={k.oldUntil} />
    </>
  );
}

const OldSecret = ({ until }: { until?: string }) =>
  until && Date.parse(until) > Date.now() ? <span class="dim">; old secret until {when(until)}</span> : null;

const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

const AddKey = ({ done }: { done: () => void }) => (
  <Ask
    words="New key"
    name="add-key"
    strong
    title="New service key"
    note="The key names players by their subjects at its issuer, and sees the matches that were made for it."
    fields={[
      { name: "name", label: "Name" },
      { name: "issuer", label: "Issuer: that of the players' log-in, or a word of your own" },
      ...SCOPE_NAMES.map((s): Field => ({ name: s, label: `${s}: ${SCOPES[s]}`, type: "checkbox" })),
      { name: "hours", label: "Expires", choices: LIVES, value: "8760" },
    ]}
    submit="Create"
    run={async (given) => {
      const { name, issuer, hours } = given;
      const body = { name, issuer, scopes: checked(SCOPE_NAMES, given), expiresHours: Number(hours) };
      if (body.scopes.length === 0) throw new Error("Choose at least one scope.");
      return shownOnce(name, (await admin.addKey(body)).secret);
    }}
    done={done}
  />
);

const Endpoints = () => (
  <DataTable
    title="Webhook endpoints"
    list="endpoints"
    load={() => admin.webhooks()}
    id={(x) => x.id}
    columns={{
      Address: (w) => (
        <>
          {w.url}
          <OldSecret until={w.oldUntil} />
        </>
      ),
      Issuer: (w) => w.issuer ?? <span class="dim">all</span>,
      Events: (w) =>
        w.events.length === 0 || w.events.length === EVENTS.length ? "all" : w.events.join(", "),
      Made: (w) => <Made at={w.created} by={w.by} />,
    }}
    empty="There are no webhook endpoints."
    head={({ again }) => may("admin") && <AddEndpoint done={again} />}
    actions={(w, { again }) =>
      may("admin") && (
        <>
          <Rotate
            what={w.url}
            label="It is signed with the old secret too"
            run={(body) => admin.rotateWebhook(w.id, body)}
            done={again}
          />
          <Ask
            words="Delete"
            title={`Delete the endpoint ${w.url}`}
            note="What it has not been told yet is deleted too."
            danger
            run={async () => void (await admin.deleteWebhook(w.id))}
            done={again}
          />
        </>
      )
    }
  />
);

const AddEndpoint = ({ done }: { done: () => void }) => (
  <Ask
    words="New endpoint"
    name="add-webhook"
    strong
    title="New webhook endpoint"
    fields={[
      { name: "url", label: "Address (https://…)" },
      { name: "issuer", label: "Issuer; empty: all matches and players", optional: true },
      ...EVENTS.map(
        (e): Field => ({ name: e, label: e, type: "checkbox", value: String(e !== "match.events") }),
      ),
    ]}
    submit="Create"
    run={async (given) => {
      const events = checked(EVENTS, given);
      if (events.length === 0) throw new Error("Choose at least one event.");
      const body: NewWebhookEndpoint = { url: given.url, events };
      if (given.issuer) body.issuer = given.issuer;
      return shownOnce(given.url, (await admin.addWebhook(body)).secret);
    }}
    done={done}
  />
);

const DeadEvents = () => (
  <DataTable
    title="Dead events"
    list="events"
    load={async (before) => {
      const [page, all] = await Promise.all([admin.deadEvents({ before }), admin.webhooks()]);
      const urls = new Map(all.endpoints.map((w) => [w.id, w.url]));
      return {
        events: page.events.map((e) => ({ ...e, url: urls.get(e.endpoint) ?? e.endpoint })),
        next: page.next,
      };
    }}
    id={(x) => x.num}
    columns={{
      "Given up": (e) => <Time at={e.dead} />,
      Event: (e) => (
        <>
          {e.kind} <span class="dim num">{e.id}</span>
        </>
      ),
      Endpoint: (e) => e.url,
      Tries: (e) => <span class="num">{e.tries}</span>,
      "Why the last failed": (e) => e.failure,
    }}
    empty="Endpoints have taken every event."
    actions={(e, { again }) =>
      may("admin") && (
        <Ask
          words="Retry"
          title={`Send ${e.kind} again`}
          note={`It is tried from the beginning, at ${e.url}.`}
          run={async () => void (await admin.retryEvent(e.num))}
          done={again}
        />
      )
    }
  />
);
