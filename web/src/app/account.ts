// The player's account: a guest can turn it into a permanent one, everyone
// sees the matches played, changes the password, ends sessions or deletes it.

import type { Account, Played } from "../gen/player";
import { api } from "../net/api";
import { errorText, reasonText } from "../text/names";
import { t } from "../text/text";
import { dialogIsOpen, showDialog } from "../ui/dialog";
import { fill, h, text } from "../ui/dom";
import type { Navigation } from "./navigation";

/** For guests: a name and a password make the guest an account; seat and history stay. */
export function upgradeForm(nav: Navigation): HTMLElement {
  const name = h("input", {
    id: "keep-name",
    type: "text",
    maxLength: 24,
    autocomplete: "username",
    required: true,
  });
  const password = h("input", {
    id: "keep-password",
    type: "password",
    minLength: 8,
    maxLength: 128,
    autocomplete: "new-password",
    required: true,
  });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  return h(
    "form",
    {
      class: "panel create",
      onsubmit: async (e: Event) => {
        e.preventDefault();
        error.hidden = true;
        try {
          nav.accountChanged(
            (await api.upgrade({ name: name.value.trim(), password: password.value })).account,
          );
          nav.home();
        } catch (err) {
          text(error, errorText(err));
          error.hidden = false;
        }
      },
    },
    h("h2", null, t("account.keepTitle")),
    h("p", { class: "dim" }, t("account.keepNote")),
    h("label", { for: "keep-name" }, t("common.name")),
    name,
    h("label", { for: "keep-password" }, t("common.newPassword")),
    password,
    error,
    h("button", { type: "submit", class: "wide" }, t("account.keep")),
  );
}

/** The record and the last matches. Hidden before the first match is over. */
export function matchHistory(): HTMLElement {
  const body = h("section", { class: "panel", hidden: true });
  Promise.all([api.me(), api.history()])
    .then(([me, { matches }]) => {
      const over = matches.filter((m) => m.outcome !== "");
      if (over.length === 0) return;
      body.hidden = false;
      const r = me.record;
      fill(
        body,
        h("h2", null, t("account.historyTitle")),
        r
          ? h("p", { class: "dim num" }, t("account.record", { played: r.played, won: r.won, lost: r.lost }))
          : null,
        h("ul", { class: "played" }, over.slice(0, 6).map(row)),
      );
    })
    .catch(() => undefined); // the list of lobbies shows the error
  return body;
}

function row(m: Played): HTMLElement {
  return h(
    "li",
    { class: m.outcome },
    h("b", null, t(`account.outcome.${m.outcome || "running"}`)),
    ` ${t("account.onMap", { map: m.map })}`,
    h("span", { class: "dim" }, ` ${reasonText(m.reason)} · ${date(m.ended)}`),
  );
}

const date = (iso: string): string => new Date(iso).toLocaleDateString(document.documentElement.lang);

/** The dialog to change the password, end all sessions or delete the account. */
export function accountDialog(nav: Navigation): void {
  const { account } = nav;
  if (!account || dialogIsOpen()) return;
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const done = h("p", { role: "status", hidden: true });
  /** Runs work and shows the line that it returns, or its error. Resolves with whether it succeeded. */
  const attempt = async (work: () => Promise<string>): Promise<boolean> => {
    let line = done;
    let words: string;
    try {
      words = await work();
    } catch (err) {
      line = error;
      words = errorText(err);
    }
    error.hidden = line !== error;
    done.hidden = line !== done || words === "";
    text(line, words);
    return line === done;
  };
  const loggedOut = () => {
    dialog.close();
    nav.loggedOut();
    return "";
  };
  const dialog = h(
    "dialog",
    { class: "panel account", "aria-label": t("account.title") },
    h("h2", null, account.name),
    error,
    done,
    account.guest
      ? null
      : passwordForm(account, (old, next) =>
          attempt(async () => {
            nav.accountChanged((await api.changePassword({ old, new: next })).account);
            return t("account.passwordChanged");
          }),
        ),
    deleteForm(account, (password) =>
      attempt(async () => {
        await api.deleteAccount({ password });
        return loggedOut();
      }),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t("common.done")),
      h("span", { class: "grow" }),
      h(
        "button",
        {
          type: "button",
          "data-do": "logout-everywhere",
          onclick: () =>
            void attempt(async () => {
              await api.logOutEverywhere();
              return loggedOut();
            }),
        },
        t("account.logOutEverywhere"),
      ),
    ),
  );
  showDialog(dialog);
}

function passwordForm(
  account: Account,
  change: (old: string, next: string) => Promise<boolean>,
): HTMLElement {
  const old = passwordField("old-password", t("account.currentPassword"), "current-password", 1);
  const next = passwordField("next-password", t("account.nextPassword"), "new-password", 8);
  return h(
    "form",
    {
      onsubmit: async (e: Event) => {
        e.preventDefault();
        if (await change(old.input.value, next.input.value)) old.input.value = next.input.value = "";
      },
    },
    h("h3", null, t("account.passwordTitle")),
    hiddenName(account),
    old.row,
    next.row,
    h("button", { type: "submit" }, t("account.changePassword")),
  );
}

function deleteForm(account: Account, remove: (password?: string) => Promise<boolean>): HTMLElement {
  const password = passwordField("gone-password", t("account.deletePassword"), "current-password", 1);
  const words = t("account.delete");
  const button = h("button", { type: "submit", class: "danger", "data-do": "delete-account" }, words);
  /** A guest has no password: a second click confirms. */
  const confirmed = (): boolean => {
    if (!account.guest || button.dataset.sure === "yes") return true;
    button.dataset.sure = "yes";
    button.textContent = t("account.deleteSure");
    const reset = () => {
      delete button.dataset.sure;
      button.textContent = words;
    };
    button.addEventListener("blur", reset, { once: true });
    return false;
  };
  return h(
    "form",
    {
      onsubmit: (e: Event) => {
        e.preventDefault();
        if (confirmed()) void remove(account.guest ? undefined : password.input.value);
      },
    },
    h("h3", null, t("account.deleteTitle")),
    h("p", { class: "dim" }, t("account.deleteNote")),
    account.guest ? null : [hiddenName(account), password.row],
    button,
  );
}

function passwordField(
  id: string,
  words: string,
  autocomplete: "current-password" | "new-password",
  minLength: number,
) {
  const input = h("input", { id, type: "password", minLength, maxLength: 128, autocomplete, required: true });
  return { input, row: [h("label", { for: id }, words), input] };
}

/** Tells a password manager whose password it is. */
const hiddenName = (account: Account) =>
  h("input", { type: "text", autocomplete: "username", value: account.name, readOnly: true, hidden: true });
