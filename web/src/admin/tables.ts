// Accounts, lobbies, matches, bans and the audit, as tables over the admin API.

import { sentence } from "../base/errors";
import { type Child, fill, h } from "../ui/dom";
import { admin } from "./api";

export interface Page {
  element: HTMLElement;
  close?: () => void;
}

/** A table that asks again by itself, with a line to search by where that helps. */
function table<T>(
  title: string,
  columns: readonly string[],
  load: (q: string) => Promise<readonly T[]>,
  row: (item: T, again: () => void) => Child[],
  none: string,
  searchable = false,
): Page {
  const body = h("tbody");
  const note = h("p", { class: "empty", hidden: true });
  const search = searchable
    ? h("input", { type: "search", placeholder: "Find", "aria-label": `Find in ${title.toLowerCase()}` })
    : null;
  let shown = "";
  const refresh = async () => {
    try {
      const items = await load(search?.value.trim() ?? "");
      note.hidden = items.length > 0;
      note.textContent = none;
      const key = JSON.stringify(items);
      if (key === shown) return;
      shown = key;
      fill(
        body,
        items.map((i) =>
          h(
            "tr",
            null,
            row(i, () => void refresh()).map((c) => h("td", null, c)),
          ),
        ),
      );
    } catch (err) {
      note.hidden = false;
      note.textContent = sentence(err);
    }
  };
  search?.addEventListener("input", () => void refresh());
  const timer = setInterval(() => void refresh(), 4000);
  void refresh();
  return {
    element: h(
      "section",
      { class: "panel" },
      h("div", { class: "row" }, h("h2", null, title), h("span", { class: "grow" }), search),
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((c) => h("th", null, c)),
          ),
        ),
        body,
      ),
      note,
    ),
    close: () => clearInterval(timer),
  };
}

/** A button that asks for a reason before it does what cannot be undone. */
function withReason(
  words: string,
  question: string,
  work: (reason: string) => Promise<unknown>,
  done: () => void,
): HTMLElement {
  return h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: async (e: Event) => {
        const reason = window.prompt(question);
        if (!reason) return;
        const button = e.target as HTMLButtonElement;
        button.disabled = true;
        try {
          await work(reason);
        } catch (err) {
          window.alert(sentence(err));
        }
        button.disabled = false;
        done();
      },
    },
    words,
  );
}

export const accounts = (): Page =>
  table(
    "Accounts",
    ["Name", "Kind", "Id", ""],
    async (q) => (await admin.accounts(q)).accounts,
    (a, again) => [
      a.name,
      h("span", { class: "chip" }, a.guest ? "guest" : "account"),
      h("span", { class: "dim num" }, a.id),
      h(
        "span",
        { class: "row end" },
        withReason("Kick", `Why is ${a.name} kicked? They are told.`, (r) => admin.kick(a.id, r), again),
        withReason(
          "Ban for a day",
          `Why is ${a.name} banned? They are told.`,
          (r) => admin.ban(a.id, r, 24),
          again,
        ),
      ),
    ],
    "No account has that name.",
    true,
  );

export const lobbies = (): Page =>
  table(
    "Lobbies",
    ["Name", "Map", "Host", "Seats", "State", ""],
    async (q) => (await admin.lobbies(q)).lobbies,
    (l, again) => [
      l.name,
      l.map.name,
      l.hostName,
      h("span", { class: "num" }, `${l.seats.filter((s) => s.kind !== "open").length} / ${l.limit}`),
      h("span", { class: `chip ${l.state}` }, l.state),
      l.state === "closed"
        ? null
        : withReason(
            "Close",
            `Why is “${l.name}” closed? Those in it are told.`,
            (r) => admin.closeLobby(l.id, r),
            again,
          ),
    ],
    "There are no lobbies.",
    true,
  );

export const matches = (open: (id: string) => void): Page =>
  table(
    "Matches",
    ["Started", "Map", "Players", "State", "Tick", "Result", ""],
    async () => (await admin.matches()).matches,
    (m, again) => [
      when(m.started),
      m.map.name,
      m.seats.map((s) => s.name).join(", "),
      h("span", { class: `chip ${m.state}` }, m.state),
      h("span", { class: "num" }, m.tick ?? ""),
      m.result
        ? `${m.result.reason}${m.result.winners?.length ? `, team ${m.result.winners.map((w) => w + 1).join(", ")}` : ""}`
        : "",
      m.state === "live"
        ? h(
            "span",
            { class: "row end" },
            h("button", { type: "button", class: "ghost-button", onclick: () => open(m.id) }, "Watch"),
            withReason(
              "End",
              "Why is the match broken off? The players are told.",
              (r) => admin.endMatch(m.id, r),
              again,
            ),
          )
        : null,
    ],
    "No match has been played yet.",
  );

export const bans = (): Page =>
  table(
    "Bans",
    ["Who", "Why", "By", "Since", "Until", ""],
    async () => (await admin.bans()).bans,
    (b, again) => [
      b.name ?? b.range ?? "",
      b.reason,
      b.by,
      when(b.created),
      b.lifted ? `lifted ${when(b.lifted)}` : b.until ? when(b.until) : "for good",
      b.lifted
        ? null
        : h(
            "button",
            {
              type: "button",
              class: "ghost-button",
              onclick: () => void admin.lift(b.id).then(again, (err) => window.alert(sentence(err))),
            },
            "Lift",
          ),
    ],
    "Nobody is banned.",
  );

export const audit = (): Page =>
  table(
    "What admins did",
    ["When", "Who", "What", "On", "Detail"],
    async () => (await admin.audit()).rows,
    (r) => [when(r.at), r.admin, r.action, r.subject, r.detail],
    "Nothing yet.",
  );

function when(iso: string): string {
  const d = new Date(iso);
  return Number.isNaN(d.getTime())
    ? ""
    : d.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
}
