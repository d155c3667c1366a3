import type { Admin } from "../gen/admin";
import { h, text } from "../ui/dom";
import { admin } from "./api";
import { sentence } from "./words";

/** The form to log in. `note` says why it is shown again. */
export function loginForm(loggedIn: (who: Admin) => void, note = ""): HTMLElement {
  const name = h("input", {
    id: "name",
    type: "text",
    autocomplete: "username",
    value: "admin",
    required: true,
  });
  const password = h("input", {
    id: "password",
    type: "password",
    autocomplete: "current-password",
    required: true,
  });
  const error = h("p", { class: "error", role: "alert" }, note);
  return h(
    "form",
    {
      class: "panel admin-login",
      onsubmit: async (e: Event) => {
        e.preventDefault();
        text(error, "");
        try {
          loggedIn((await admin.logIn({ name: name.value.trim(), password: password.value })).admin);
        } catch (err) {
          text(error, sentence(err));
        }
      },
    },
    h("h1", null, "fogkeep admin"),
    h("p", { class: "dim" }, "The server printed a password for “admin” when it started for the first time."),
    h("label", { for: "name" }, "Name"),
    name,
    h("label", { for: "password" }, "Password"),
    password,
    error,
    h("button", { type: "submit", class: "primary" }, "Log in"),
  );
}
