// What a player has: a guest can keep the name as an account, everyone sees
// what was played.

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
