// The first screen: play at once, or log in.

import { api } from "../net/api";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import type { Navigation, Screen } from "./navigation";

export function titleScreen(nav: Navigation): Screen {
  const name = h("input", {
    id: "name",
    name: "username",
    type: "text",
    maxLength: 24,
    autocomplete: "username",
    required: true,
  });
  const password = h("input", {
    id: "password",
    name: "password",
    type: "password",
    maxLength: 128,
    autocomplete: "current-password",
    required: true,
  });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const busy = async (work: () => Promise<void>) => {
    error.hidden = true;
    buttons.forEach((b) => {
      b.disabled = true;
    });
    try {
      await work();
    } catch (err) {
      error.textContent = errorText(err);
      error.hidden = false;
    } finally {
      buttons.forEach((b) => {
        b.disabled = false;
      });
    }
  };
  const botButton = h(
    "button",
    { type: "button", class: "primary big", "data-do": "play-bot", onclick: () => busy(() => nav.playBot()) },
    t("title.playBot"),
  );
  const guestButton = h(
    "button",
    {
      type: "button",
      "data-do": "guest",
      onclick: () => busy(async () => nav.loggedIn((await api.playAsGuest({})).account)),
    },
    t("title.guest"),
  );
  const loginButton = h("button", { type: "submit", "data-do": "login" }, t("title.logIn"));
  const registerButton = h(
    "button",
    {
      type: "button",
      "data-do": "register",
      onclick: () => {
        if (!form.reportValidity()) return;
        password.autocomplete = "new-password";
        void busy(async () =>
          nav.loggedIn((await api.register({ name: name.value.trim(), password: password.value })).account),
        );
      },
    },
    t("title.register"),
  );
  const buttons = [botButton, guestButton, loginButton, registerButton];
  const form = h(
    "form",
    {
      class: "panel login",
      onsubmit: (e: Event) => {
        e.preventDefault();
        void busy(async () =>
          nav.loggedIn((await api.logIn({ name: name.value.trim(), password: password.value })).account),
        );
      },
    },
    h("h2", null, t("title.account")),
    h("label", { for: "name" }, t("common.name")),
    name,
    h("label", { for: "password" }, t("common.password")),
    password,
    error,
    h("div", { class: "row" }, loginButton, registerButton),
  );
  return {
    element: h(
      "div",
      { class: "title" },
      h(
        "div",
        { class: "title-words" },
        h("h1", { class: "logo" }, "fogkeep"),
        h("p", { class: "lead" }, t("title.lead")),
        botButton,
        h("p", { class: "dim" }, t("title.note")),
        guestButton,
      ),
      form,
    ),
  };
}
