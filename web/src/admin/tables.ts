// Accounts, lobbies, matches, bans and the audit log as tables.

import type { Account, Admin, AuditRow, Ban, Lobby, Match } from "../gen/admin";
import { type Child, fill, h } from "../ui/dom";
import { askBan, openAccount } from "./account";
import { admin, may, type Role } from "./api";
import { action, ask, reasonButton } from "./dialog";
import { openScenario } from "./scenario";
import { sentence, when } from "./words";

export interface Page {
  element: HTMLElement;
  close?: () => void;
}

/** A table of T. C is what the server says where the next page begins. */
export interface Table<T, C = number> {
  title: string;
  columns: readonly string[];
  /** One page of what matches `q`, from a cursor on; without one from the beginning. */
  load: (q: string, from?: C) => Promise<{ items: readonly T[]; next?: C }>;
  row: (item: T, again: () => void) => Child[];
  /** Shown in place of an empty table. */
  empty: string;
  searchable?: boolean;
  /** More controls beside the title. */
  extra?: (again: () => void) => Child;
}

/**
 * A table that reloads by itself, with a search field if it is searchable. Once
 * older rows are shown it stops reloading, so that they stay where they are.
 */
export function table<T, C = number>(t: Table<T, C>): Page {
  const body = h("tbody");
  const note = h("p", { class: "empty", hidden: true });
  const search = t.searchable
    ? h("input", { type: "search", placeholder: "Find", "aria-label": `Find in ${t.title.toLowerCase()}` })
    : null;
  let shown = "";
  let all: readonly T[] = [];
  let next: C | undefined;
  let older = false; // rows beyond the first page are shown
  const draw = () => {
    note.hidden = all.length > 0;
    note.textContent = t.empty;
    more.hidden = next === undefined;
    newest.hidden = !older;
    const key = JSON.stringify(all);
    if (key === shown) return;
    shown = key;
    fill(
      body,
      all.map((item) =>
        h(
          "tr",
          null,
          t.row(item, () => void refresh()).map((c) => h("td", null, c)),
        ),
      ),
    );
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      draw();
    } catch (err) {
      note.hidden = false;
      note.textContent = sentence(err);
    }
  };
  const refresh = () =>
    attempt(async () => {
      const page = await t.load(search?.value.trim() ?? "");
      older = false;
      all = page.items;
      next = page.next;
    });
  const more = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      hidden: true,
      onclick: () =>
        attempt(async () => {
          older = true;
          const page = await t.load(search?.value.trim() ?? "", next);
          all = [...all, ...page.items];
          next = page.next;
        }),
    },
    "More",
  );
  const newest = h(
    "button",
    { type: "button", class: "ghost-button", hidden: true, onclick: () => void refresh() },
    "Back to the top",
  );
  search?.addEventListener("input", () => void refresh());
  const timer = setInterval(() => {
    if (!older) void refresh();
  }, 4000);
  void refresh();
  return {
    element: h(
      "section",
      { class: "panel" },
      h(
        "div",
        { class: "row table-head" },
        h("h2", null, t.title),
        h("span", { class: "grow" }),
        search,
        t.extra?.(() => void refresh()),
      ),
      h(
        "div",
        { class: "table-scroll" },
        h(
          "table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              t.columns.map((c) => h("th", null, c)),
            ),
          ),
          body,
        ),
      ),
      note,
      h("div", { class: "row table-foot" }, more, newest),
    ),
    close: () => clearInterval(timer),
  };
}

export const accounts = (role: Role): Page =>
  table<Account, string>({
    title: "Accounts",
    columns: ["Name", "Kind", "Id", ""],
    load: async (q, from) => {
      const page = await admin.accounts({ q, after: from });
      return { items: page.accounts, next: page.next };
    },
    empty: "No account has that name.",
    searchable: true,
    row: (a, again) => [
      a.name,
      h("span", { class: "chip" }, a.guest ? "guest" : "account"),
      h("span", { class: "dim num" }, a.id),
      h(
        "span",
        { class: "row end" },
        h(
          "button",
          { type: "button", class: "ghost-button", onclick: () => openAccount(a.id, role, again) },
          "Open",
        ),
      ),
    ],
  });

export const lobbies = (role: Role): Page =>
  table<Lobby>({
    title: "Lobbies",
    columns: ["Name", "Map", "Host", "Seats", "State", ""],
    load: async (q, from) => {
      const page = await admin.lobbies({ q, page: from });
      return { items: page.lobbies, next: page.next };
    },
    empty: "There are no lobbies.",
    searchable: true,
    extra: (again) => (may(role, "moderator") ? openScenario(again) : null),
    row: (l, again) => [
      l.name,
      l.map.name,
      l.hostName,
      h("span", { class: "num" }, `${l.seats.filter((s) => s.kind !== "open").length} / ${l.limit}`),
      h("span", { class: `chip ${l.state}` }, l.state),
      l.state !== "closed" && may(role, "moderator")
        ? h(
            "span",
            { class: "row end" },
            reasonButton("Close", `Close “${l.name}”`, (reason) => admin.closeLobby(l.id, { reason }), again),
          )
        : null,
    ],
  });

export function matches({ role, fog }: Admin, open: (id: string) => void): Page {
  const filter = matchFilter();
  return table<Match>({
    title: "Matches",
    columns: ["Started", "Map", "Players", "State", "Node", "Tick", "Result", ""],
    load: async (_, from) => {
      const page = await admin.matches({ before: from, ...filter.value() });
      return { items: page.matches, next: page.next };
    },
    empty: "There is no such match.",
    extra: filter.element,
    row: (m, again) => [
      time(m.started),
      m.map.name,
      m.seats.flatMap((s) => [...(s.earlier ?? []), s].map((p) => p.name)).join(", "),
      h("span", { class: `chip ${m.state}` }, m.state),
      h("span", { class: "dim" }, m.node.length > 16 ? `${m.node.slice(0, 8)}…` : m.node),
      h("span", { class: "num" }, m.tick ?? ""),
      m.result
        ? `${m.result.reason}${m.result.winners.length ? `, team ${m.result.winners.map((w) => w + 1).join(", ")}` : ""}`
        : "",
      h(
        "span",
        { class: "row end" },
        fog && m.state !== "starting"
          ? h(
              "button",
              { type: "button", class: "ghost-button", "data-inspect": m.id, onclick: () => open(m.id) },
              "Inspect",
            )
          : null,
        may(role, "moderator") ? replayButton(m, again) : null,
        m.state === "live" && may(role, "moderator")
          ? reasonButton("End", "End this match", (reason) => admin.endMatch(m.id, { reason }), again)
          : null,
      ),
    ],
  });
}

/** Who may watch a match once it is over. */
const WATCHERS: readonly (readonly [Match["options"]["replays"], string])[] = [
  ["participants", "Those who took part"],
  ["link", "Those who took part, and everyone with the link"],
  ["off", "Nobody"],
];

const replayButton = (m: Match, done: () => void): HTMLElement =>
  action("Replay", () =>
    ask({
      title: "Who may watch this match once it is over?",
      note: "Each time the link is turned on it is a new one. Those who took part find it where they watch the match. Who watches and may no longer is sent away.",
      fields: [
        { name: "access", label: "It may be watched by", choices: WATCHERS, value: m.options.replays },
      ],
      submit: "Save",
      run: async ({ access }) =>
        void (await admin.matchReplays(m.id, { access: access as Match["options"]["replays"] })),
      done,
    }),
  );

/** The fields to find matches by: who played, where, when, and whether it runs. */
function matchFilter() {
  const text = (name: string, label: string) =>
    h("input", { type: "search", name, placeholder: label, "aria-label": label });
  const date = (name: string, label: string) =>
    h("input", { type: "date", name, "aria-label": label, title: label });
  const account = text("account", "Player: id or whole name");
  const map = text("map", "Map");
  const from = date("from", "Played on this day or later");
  const to = date("to", "Played on this day or before");
  const state = h(
    "select",
    { name: "state", "aria-label": "State" },
    [["", "All states"], ...(["live", "ended", "failed", "starting"] as const).map((s) => [s, s])].map(
      ([value, words]) => h("option", { value }, words),
    ),
  );
  return {
    value: () => ({
      account: account.value.trim() || undefined,
      map: map.value.trim() || undefined,
      from: day(from.value, 0),
      to: day(to.value, 1),
      state: (state.value || undefined) as Match["state"] | undefined,
    }),
    // A name is looked for when it is whole: with Enter, or as the field is left.
    element: (again: () => void) =>
      h(
        "form",
        { class: "row wrap match-filter", onchange: again, onsubmit: (e: Event) => e.preventDefault() },
        [account, map, from, to, state],
      ),
  };
}

/** The first moment of a day of a date field, or of one so many days later, in the reader's time zone. */
export function day(date: string, later: number): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!parts) return undefined;
  const [, y, m, d] = parts.map(Number);
  return new Date(y, m - 1, d + later).toISOString();
}

export const bans = (role: Role): Page =>
  table<Ban>({
    title: "Bans",
    columns: ["Who", "Why", "By", "Since", "Until", ""],
    load: async (_, from) => {
      const page = await admin.bans({ before: from });
      return { items: page.bans, next: page.next };
    },
    empty: "Nobody is banned.",
    extra: (again) =>
      may(role, "moderator")
        ? h("button", { type: "button", "data-do": "ban", onclick: () => askBan(null, again) }, "New ban")
        : null,
    row: (b, again) => [
      b.name ?? b.range ?? "",
      b.reason,
      b.by,
      time(b.created),
      b.lifted ? `lifted ${when(b.lifted)}` : b.until ? when(b.until) : "permanently",
      !b.lifted && may(role, "moderator")
        ? h(
            "span",
            { class: "row end" },
            h(
              "button",
              {
                type: "button",
                class: "ghost-button",
                onclick: (e: Event) =>
                  void admin.liftBan(b.id).then(again, (err) => {
                    (e.target as HTMLElement).textContent = sentence(err);
                  }),
              },
              "Lift",
            ),
          )
        : null,
    ],
  });

export const audit = (): Page =>
  table<AuditRow>({
    title: "Audit log",
    columns: ["When", "Who", "What", "On", "Detail", "From"],
    load: async (_, from) => {
      const page = await admin.audit({ before: from });
      return { items: page.rows, next: page.next };
    },
    empty: "Nothing yet.",
    extra: () => {
      const said = h("span", { class: "dim", role: "status" });
      const look = async () => {
        const r = await admin.verifyAudit();
        return r.broken
          ? `The audit log was changed: ${r.broken}.`
          : `All ${r.rows} rows are intact. Keep this elsewhere to compare later: ${r.head}`;
      };
      return h(
        "span",
        { class: "row" },
        h(
          "button",
          {
            type: "button",
            "data-do": "verify-audit",
            onclick: () =>
              void look()
                .catch(sentence)
                .then((words) => {
                  said.textContent = words;
                }),
          },
          "Verify",
        ),
        said,
      );
    },
    row: (r) => [
      time(r.at),
      r.admin,
      r.action,
      r.subject,
      r.detail,
      h("span", { class: "dim num" }, r.address),
    ],
  });

/** A time that does not break over two lines. */
export const time = (iso: string) => h("span", { class: "num" }, when(iso));
