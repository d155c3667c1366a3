// What a player has: a guest can keep the name as an account, everyone sees
// what was played, changes the password, ends sessions, and can go for good.

import { sentence } from "../base/errors";
import { api, type Played } from "../net/api";
import { fill, h, text } from "../ui/dom";
import type { App } from "./app";

/** For guests: a name and a password make the guest an account; seat and history stay. */
export function keepName(app: App): HTMLElement {
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
          app.account = (await api.upgrade(name.value.trim(), password.value)).account;
          app.home();
        } catch (err) {
          text(error, sentence(err));
          error.hidden = false;
        }
      },
    },
    h("h2", null, "Keep your name"),
    h(
      "p",
      { class: "dim" },
      "A guest is forgotten some day. With a password you can come back from anywhere.",
    ),
    h("label", { for: "keep-name" }, "Name"),
    name,
    h("label", { for: "keep-password" }, "Password, at least 8 characters"),
    password,
    error,
    h("button", { type: "submit", class: "wide" }, "Make it an account"),
  );
}

/** The last matches, and the record. Nothing at all before the first. */
export function record(): HTMLElement {
  const body = h("section", { class: "panel", hidden: true });
  Promise.all([api.me(), api.history()])
    .then(([me, { matches }]) => {
      const over = matches.filter((m) => m.outcome !== "");
      if (over.length === 0) return;
      body.hidden = false;
      const r = me.record;
      fill(
        body,
        h("h2", null, "Your matches"),
        r ? h("p", { class: "dim num" }, `${r.played} played, ${r.won} won, ${r.lost} lost`) : null,
        h("ul", { class: "played" }, over.slice(0, 6).map(row)),
      );
    })
    .catch(() => undefined); // the lobbies matter more; they say what is wrong
  return body;
}

function row(m: Played): HTMLElement {
  const words = { "": "Running", won: "Won", lost: "Lost", drawn: "Draw", void: "Broken off" }[m.outcome];
  return h(
    "li",
    { class: m.outcome },
    h("b", null, words),
    ` on ${m.map}`,
    h("span", { class: "dim" }, ` ${m.reason} · ${new Date(m.ended).toLocaleDateString()}`),
  );
}

/** The account's own page: password, sessions, the end. */
export function accountDialog(app: App): void {
  const { account } = app;
  if (!account || document.querySelector("dialog[open]")) return;
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const done = h("p", { role: "status", hidden: true });
  const tell = (el: HTMLElement, words: string) => {
    error.hidden = el !== error;
    done.hidden = el !== done;
    text(el, words);
  };
  const trying = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (err) {
      tell(error, sentence(err));
    }
  };
  const out = () => {
    element.close();
    app.account = null;
    app.title();
  };
  const field = (
    id: string,
    words: string,
    autocomplete: "current-password" | "new-password",
    least: number,
  ) => {
    const input = h("input", {
      id,
      type: "password",
      minLength: least,
      maxLength: 128,
      autocomplete,
      required: true,
    });
    return { input, row: [h("label", { for: id }, words), input] };
  };
  // Tells a keeper of passwords whose they are.
  const username = () =>
    h("input", { type: "text", autocomplete: "username", value: account.name, readOnly: true, hidden: true });
  const old = field("old-password", "Password now", "current-password", 1);
  const next = field("next-password", "New password, at least 8 characters", "new-password", 8);
  const gone = field("gone-password", "Password, to be sure", "current-password", 1);
  const change = h(
    "form",
    {
      onsubmit: (e: Event) => {
        e.preventDefault();
        void trying(async () => {
          app.account = (await api.changePassword(old.input.value, next.input.value)).account;
          old.input.value = next.input.value = "";
          tell(done, "The password is changed; all other sessions were ended.");
        });
      },
    },
    h("h3", null, "Password"),
    username(),
    old.row,
    next.row,
    h("button", { type: "submit" }, "Change the password"),
  );
  const goodbye = h(
    "button",
    { type: "submit", class: "danger", "data-do": "delete-account" },
    "Delete it for good",
  );
  const remove = h(
    "form",
    {
      onsubmit: (e: Event) => {
        e.preventDefault();
        // A guest has no password to be asked for: a second click says that it was meant.
        if (account.guest && goodbye.dataset.sure !== "yes") {
          goodbye.dataset.sure = "yes";
          goodbye.textContent = "Really delete it? It cannot be undone";
          goodbye.addEventListener(
            "blur",
            () => {
              delete goodbye.dataset.sure;
              goodbye.textContent = "Delete it for good";
            },
            { once: true },
          );
          return;
        }
        void trying(async () => {
          await api.deleteAccount(account.guest ? undefined : gone.input.value);
          out();
        });
      },
    },
    h("h3", null, "Delete the account"),
    h("p", { class: "dim" }, "Name, record and sessions go for good."),
    account.guest ? null : [username(), gone.row],
    goodbye,
  );
  const element = h(
    "dialog",
    { class: "panel account", "aria-label": "Your account" },
    h("h2", null, account.name),
    error,
    done,
    account.guest ? null : change,
    remove,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", onclick: () => element.close() }, "Done"),
      h("span", { class: "grow" }),
      h(
        "button",
        {
          type: "button",
          "data-do": "logout-everywhere",
          onclick: () =>
            void trying(async () => {
              await api.logoutEverywhere();
              out();
            }),
        },
        "Log out everywhere",
      ),
    ),
  );
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
}
