// The dialog of one account: what the server knows of it, and the actions on it.

import type { Account, AccountOutBody } from "../gen/admin";
import { type Child, fill, h } from "../ui/dom";
import { admin, may, type Role } from "./api";
import { ask, open, reasonButton } from "./dialog";
import { sentence, when } from "./words";

/** Durations of a ban, in hours; 0 has no end. */
const HOURS = [
  ["24", "a day"],
  ["168", "a week"],
  ["720", "30 days"],
  ["0", "permanently"],
] as const;

/** The dialog of a ban. Without an account it asks for its name or a range of addresses. */
export function askBan(account: { id: string; name: string } | null, done: () => void): void {
  ask({
    title: account ? `Ban ${account.name}` : "Ban an account, or a range of addresses",
    note: "A banned account loses its sessions, its seat and its match. Nobody can connect from banned addresses, and connections from there end. The accounts can still connect from elsewhere.",
    fields: [
      ...(account
        ? []
        : [{ name: "who", label: "Account's name, or addresses such as 192.0.2.7 or 192.0.2.0/24" }]),
      { name: "reason", label: "Reason, shown to the banned player" },
      { name: "hours", label: "Duration", choices: HOURS, value: "24" },
    ],
    submit: "Ban",
    danger: true,
    run: async ({ who, reason, hours }) => {
      const range = !account && /^[0-9a-f:.]+(\/\d+)?$/i.test(who.trim()) && /[:.]/.test(who);
      await admin.ban({
        ...(range ? { range: who.trim() } : { account: account?.id ?? who.trim() }),
        reason,
        hours: Number(hours),
      });
      return undefined;
    },
    done,
  });
}

/** Opens the dialog of an account. */
export function openAccount(id: string, role: Role, changed: () => void): void {
  const body = h("div", { class: "stack account-file" }, h("p", { class: "dim" }, "Loading…"));
  const dialog = open(body);
  const again = () => {
    changed();
    void load();
  };
  const load = async () => {
    try {
      fill(
        body,
        details(await admin.account(id), role, again, () => dialog.close()),
      );
    } catch (err) {
      fill(
        body,
        h("p", { class: "error" }, sentence(err)),
        closer(() => dialog.close()),
      );
    }
  };
  void load();
}

const closer = (close: () => void) =>
  h(
    "div",
    { class: "row end" },
    h("button", { type: "button", class: "ghost-button", onclick: close }, "Close"),
  );

/** What the dialog shows of an account, and its buttons. */
function details(f: AccountOutBody, role: Role, again: () => void, close: () => void): Child[] {
  const { account: a } = f;
  return [
    h(
      "div",
      { class: "row" },
      h("h2", null, a.name),
      h("span", { class: "chip" }, a.guest ? "guest" : "account"),
      f.ban ? h("span", { class: "chip banned" }, "banned") : null,
    ),
    facts(f),
    h("h3", null, "Sessions"),
    sessions(f),
    f.identities.length > 0 ? [h("h3", null, "Linked identities"), identities(f)] : null,
    h(
      "div",
      { class: "row wrap end" },
      may(role, "moderator") ? moderation(f, again) : null,
      may(role, "admin") ? [resetLink(a), removal(a, close, again)] : null,
      h("span", { class: "grow" }),
      h("button", { type: "button", onclick: close }, "Close"),
    ),
  ];
}

function facts({ account: a, record: r, lobby, ban }: AccountOutBody): HTMLElement {
  const fact = (what: string, is: string) => [h("dt", null, what), h("dd", null, is)];
  return h(
    "dl",
    { class: "facts" },
    fact("Id", a.id),
    a.email ? fact("Email", a.email) : null,
    fact("Played", `${r.played}: ${r.won} won, ${r.lost} lost, ${r.drawn} drawn`),
    fact("Seat", lobby ? `in lobby ${lobby}` : "in no lobby"),
    ban
      ? fact(
          "Banned",
          `${ban.until ? `until ${when(ban.until)}` : "permanently"} by ${ban.by}: ${ban.reason}`,
        )
      : null,
  );
}

function sessions(f: AccountOutBody): HTMLElement {
  if (f.sessions.length === 0) return h("p", { class: "dim" }, "No sessions.");
  const head = ["Since", "From", "With"].map((c) => h("th", null, c));
  const rows = f.sessions.map((s) =>
    h(
      "tr",
      null,
      h("td", { class: "num" }, when(s.created)),
      h("td", { class: "num" }, s.address),
      h("td", { class: "dim" }, s.userAgent),
    ),
  );
  return h("table", { class: "sessions" }, h("thead", null, h("tr", null, head)), h("tbody", null, rows));
}

function identities(f: AccountOutBody): HTMLElement {
  const head = ["Provider", "Subject", "Since", "Last log-in"].map((c) => h("th", null, c));
  const rows = f.identities.map((i) =>
    h(
      "tr",
      null,
      h("td", { title: i.issuer }, i.name ?? i.issuer),
      h("td", { class: "dim" }, i.subject),
      h("td", { class: "num" }, when(i.created)),
      h("td", { class: "num" }, when(i.used)),
    ),
  );
  return h("table", { class: "sessions" }, h("thead", null, h("tr", null, head)), h("tbody", null, rows));
}

/** What moderators can do: kick, end the sessions, ban or lift the ban. */
function moderation({ account: a, sessions, ban }: AccountOutBody, again: () => void): HTMLElement[] {
  return [
    reasonButton(
      "Kick",
      `Remove ${a.name} from lobby and match`,
      (reason) => admin.kick(a.id, { reason }),
      again,
    ),
    button("Log out everywhere", () =>
      ask({
        title: `End all ${sessions.length} sessions of ${a.name}`,
        submit: "Log out",
        run: async () => void (await admin.endSessions(a.id)),
        done: again,
      }),
    ),
    ban
      ? button("Lift the ban", () =>
          ask({
            title: `Lift the ban of ${a.name}`,
            submit: "Lift",
            run: async () => void (await admin.liftBan(ban.id)),
            done: again,
          }),
        )
      : button("Ban", () => askBan(a, again)),
  ];
}

const resetLink = (a: Account): HTMLElement =>
  button("Reset link", () =>
    ask({
      title: `A new password for ${a.name}`,
      note: "Creates a link with which a new password can be set. Earlier links stop working. The old password works until this link is used.",
      submit: "Create the link",
      run: async () => {
        const made = await admin.resetPassword(a.id);
        return {
          words: `Give this to ${a.name}. It works once, until ${when(made.expires)}.`,
          secret: made.link,
        };
      },
    }),
  );

const removal = (a: Account, close: () => void, again: () => void): HTMLElement =>
  button("Delete", () =>
    ask({
      title: `Delete ${a.name} for good`,
      note: "Name, email, password and chat lines are deleted. Its matches show “deleted”. This cannot be undone.",
      fields: [{ name: "name", label: `Type ${a.name} to confirm` }],
      submit: "Delete",
      danger: true,
      run: async ({ name }) => {
        if (name.trim() !== a.name) throw new Error("That is another name.");
        await admin.deleteAccount(a.id);
        close();
        return undefined;
      },
      done: again,
    }),
  );

const button = (words: string, onclick: () => void) =>
  h("button", { type: "button", class: "ghost-button", onclick }, words);
