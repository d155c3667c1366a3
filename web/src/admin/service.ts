// What a studio's servers have here: service keys, webhook endpoints, and the
// events that endpoints did not take.

import type { DeadEvent, NewServiceKey, NewWebhookEndpoint, ServiceKey, WebhookEndpoint } from "../gen/admin";
import { h } from "../ui/dom";
import { admin, may, type Role } from "./api";
import { action, ask, type Field } from "./dialog";
import { type Page, table, time } from "./tables";
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
export function servicePage(role: Role): Page {
  const mayChange = may(role, "admin");
  const parts = [keys(mayChange), endpoints(mayChange), deadEvents(mayChange)];
  return {
    element: h(
      "div",
      { class: "stack" },
      parts.map((p) => p.element),
    ),
    close: () => {
      for (const p of parts) p.close?.();
    },
  };
}

const opener = (words: string, name: string, onclick: () => void) =>
  h("button", { type: "button", "data-do": name, onclick }, words);

/** Asks how long the old secret works besides, and shows the new one. */
function rotate(
  what: string,
  old: string,
  run: (body: { overlapHours: number }) => Promise<{ secret: string }>,
  done: () => void,
): void {
  ask({
    title: `A new secret for ${what}`,
    fields: [{ name: "overlap", label: old, choices: OVERLAPS }],
    submit: "Rotate",
    run: async ({ overlap }) => shownOnce(what, (await run({ overlapHours: Number(overlap) })).secret),
    done,
  });
}

const keys = (mayChange: boolean): Page =>
  table<ServiceKey>({
    title: "Service keys",
    columns: ["Name", "Issuer", "Scopes", "Made", "Last used", "Expires", ""],
    load: async () => ({ items: (await admin.keys()).keys }),
    empty: "There are no service keys.",
    extra: (again) => (mayChange ? opener("New key", "add-key", () => addKey(again)) : null),
    row: (k, again) => [
      k.name,
      k.issuer,
      k.scopes.join(", "),
      h("span", null, time(k.created), h("span", { class: "dim" }, ` by ${k.by}`)),
      k.used ? time(k.used) : h("span", { class: "dim" }, "never"),
      keyEnd(k),
      mayChange && !k.revoked
        ? h(
            "span",
            { class: "row end" },
            action("Rotate", () =>
              rotate(k.name, "The old secret works", (body) => admin.rotateKey(k.id, body), again),
            ),
            action("Revoke", () =>
              ask({
                title: `Revoke the key ${k.name}`,
                note: "Requests with its secrets are refused at once. This cannot be undone.",
                submit: "Revoke",
                danger: true,
                run: async () => void (await admin.revokeKey(k.id)),
                done: again,
              }),
            ),
          )
        : null,
    ],
  });

function keyEnd(k: ServiceKey) {
  if (k.revoked) return h("span", { class: "chip failed" }, `revoked ${when(k.revoked)}`);
  if (k.expires && Date.parse(k.expires) < Date.now())
    return h("span", { class: "chip failed" }, `expired ${when(k.expires)}`);
  return h("span", null, k.expires ? time(k.expires) : "never", oldSecret(k.oldUntil));
}

const oldSecret = (until?: string) =>
  until && Date.parse(until) > Date.now()
    ? h("span", { class: "dim" }, `; old secret until ${when(until)}`)
    : null;

function addKey(done: () => void): void {
  const scopes = Object.keys(SCOPES) as Scope[];
  ask({
    title: "New service key",
    note: "The key names players by their subjects at its issuer, and sees the matches that were made for it.",
    fields: [
      { name: "name", label: "Name" },
      { name: "issuer", label: "Issuer: that of the players' log-in, or a word of your own" },
      ...scopes.map((s): Field => ({ name: s, label: `${s}: ${SCOPES[s]}`, type: "checkbox" })),
      { name: "hours", label: "Expires", choices: LIVES, value: "8760" },
    ],
    submit: "Create",
    run: async (given) => {
      const { name, issuer, hours } = given;
      const body = { name, issuer, scopes: checked(scopes, given), expiresHours: Number(hours) };
      if (body.scopes.length === 0) throw new Error("Choose at least one scope.");
      return shownOnce(name, (await admin.addKey(body)).secret);
    },
    done,
  });
}

const endpoints = (mayChange: boolean): Page =>
  table<WebhookEndpoint>({
    title: "Webhook endpoints",
    columns: ["Address", "Issuer", "Events", "Made", ""],
    load: async () => ({ items: (await admin.webhooks()).endpoints }),
    empty: "There are no webhook endpoints.",
    extra: (again) => (mayChange ? opener("New endpoint", "add-webhook", () => addEndpoint(again)) : null),
    row: (w, again) => [
      h("span", null, w.url, oldSecret(w.oldUntil)),
      w.issuer ?? h("span", { class: "dim" }, "all"),
      w.events.length === 0 || w.events.length === EVENTS.length ? "all" : w.events.join(", "),
      h("span", null, time(w.created), h("span", { class: "dim" }, ` by ${w.by}`)),
      mayChange
        ? h(
            "span",
            { class: "row end" },
            action("Rotate", () =>
              rotate(
                w.url,
                "It is signed with the old secret too",
                (body) => admin.rotateWebhook(w.id, body),
                again,
              ),
            ),
            action("Delete", () =>
              ask({
                title: `Delete the endpoint ${w.url}`,
                note: "What it has not been told yet is deleted too.",
                submit: "Delete",
                danger: true,
                run: async () => void (await admin.deleteWebhook(w.id)),
                done: again,
              }),
            ),
          )
        : null,
    ],
  });

function addEndpoint(done: () => void): void {
  ask({
    title: "New webhook endpoint",
    fields: [
      { name: "url", label: "Address (https://…)" },
      { name: "issuer", label: "Issuer; empty: all matches and players", optional: true },
      ...EVENTS.map((e): Field => ({ name: e, label: e, type: "checkbox", value: "true" })),
    ],
    submit: "Create",
    run: async (given) => {
      const events = checked(EVENTS, given);
      if (events.length === 0) throw new Error("Choose at least one event.");
      const body: NewWebhookEndpoint = { url: given.url };
      if (given.issuer) body.issuer = given.issuer;
      if (events.length < EVENTS.length) body.events = events;
      return shownOnce(given.url, (await admin.addWebhook(body)).secret);
    },
    done,
  });
}

const deadEvents = (mayChange: boolean): Page =>
  table<DeadEvent & { url: string }>({
    title: "Dead events",
    columns: ["Given up", "Event", "Endpoint", "Tries", "Why the last failed", ""],
    load: async (_, from) => {
      const [page, all] = await Promise.all([admin.deadEvents({ before: from }), admin.webhooks()]);
      const urls = new Map(all.endpoints.map((w) => [w.id, w.url]));
      return {
        items: page.events.map((e) => ({ ...e, url: urls.get(e.endpoint) ?? e.endpoint })),
        next: page.next,
      };
    },
    empty: "Endpoints have taken every event.",
    row: (e, again) => [
      time(e.dead),
      h("span", null, e.kind, h("span", { class: "dim num" }, ` ${e.id}`)),
      e.url,
      h("span", { class: "num" }, e.tries),
      e.failure,
      mayChange
        ? h(
            "span",
            { class: "row end" },
            action("Retry", () =>
              ask({
                title: `Send ${e.kind} again`,
                note: `It is tried from the beginning, at ${e.url}.`,
                submit: "Retry",
                run: async () => void (await admin.retryEvent(e.num)),
                done: again,
              }),
            ),
          )
        : null,
    ],
  });
