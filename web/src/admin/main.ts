import "../ui/theme.css";
import "./admin.css";
import { sentence } from "../base/errors";
import { fill, h, text } from "../ui/dom";
import { type Admin, admin } from "./api";
import { debugPage } from "./debug";
import { accounts, audit, bans, lobbies, matches, type Page } from "./tables";

const root = document.getElementById("app");
if (!root) throw new Error("admin.html has no #app");

/** For the browser test: what the debug page shows. */
const hook: { debug?: unknown } = {};
Object.defineProperty(window, "fogkeepAdmin", { value: hook });

let close: (() => void) | undefined;

function login(note = ""): void {
  close?.();
  close = undefined;
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
  fill(
    root as HTMLElement,
    h(
      "form",
      {
        class: "panel admin-login",
        onsubmit: async (e: Event) => {
          e.preventDefault();
          text(error, "");
          try {
            const { admin: who } = await admin.login(name.value.trim(), password.value);
            home(who);
          } catch (err) {
            text(error, sentence(err));
          }
        },
      },
      h("h1", null, "fogkeep admin"),
      h(
        "p",
        { class: "dim" },
        "The server printed a password for “admin” when it started for the first time.",
      ),
      h("label", { for: "name" }, "Name"),
      name,
      h("label", { for: "password" }, "Password"),
      password,
      error,
      h("button", { type: "submit", class: "primary" }, "Log in"),
    ),
  );
  password.focus();
}

function home(who: Admin): void {
  const body = h("main", { class: "admin-body" });
  const facts = h("span", { class: "dim num" });
  let watched = "";
  const nav = h("nav", { class: "row", "aria-label": "Pages" });
  const pages: Record<string, { title: string; make: () => Page }> = {
    live: { title: "Live", make: () => debugPage(hook, watched) },
    matches: { title: "Matches", make: () => matches(watch) },
    lobbies: { title: "Lobbies", make: lobbies },
    accounts: { title: "Accounts", make: accounts },
    bans: { title: "Bans", make: bans },
    audit: { title: "Audit", make: audit },
  };
  const watch = (id: string) => {
    watched = id;
    go("live");
    watched = "";
  };
  const go = (name: string) => {
    close?.();
    const at = pages[name] ? name : "live";
    history.replaceState(null, "", `#${at}`);
    fill(
      nav,
      Object.entries(pages).map(([key, p]) =>
        h(
          "button",
          {
            type: "button",
            class: key === at ? "on" : "ghost-button",
            "aria-current": key === at ? "page" : undefined,
            "data-page": key,
            onclick: () => go(key),
          },
          p.title,
        ),
      ),
    );
    const page = pages[at].make();
    close = page.close;
    fill(body, page.element);
  };
  const house = async () => {
    try {
      const s = await admin.house();
      text(
        facts,
        `${s.store} · ${s.live} live · ${s.players} connected · ${s.lobbies} lobbies${s.draining ? " · draining" : ""}`,
      );
      drain.textContent = s.draining ? "Allow matches" : "Drain";
      drain.dataset.on = String(s.draining);
    } catch {
      text(facts, "the server does not answer");
    }
  };
  const drain = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      title: "No new matches; live ones finish",
      onclick: () =>
        void admin.drain(drain.dataset.on !== "true").then(house, (err) => window.alert(sentence(err))),
    },
    "Drain",
  );
  const announce = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: () => {
        const words = window.prompt("Tell everyone in lobbies:");
        if (words) void admin.announce(words).catch((err) => window.alert(sentence(err)));
      },
    },
    "Announce",
  );
  fill(
    root as HTMLElement,
    h(
      "header",
      { class: "admin-top" },
      h("b", { class: "logo small" }, "fogkeep admin"),
      nav,
      h("span", { class: "grow" }),
      facts,
      who.role === "viewer" ? null : announce,
      who.role === "admin" ? drain : null,
      h("span", null, `${who.name} (${who.role})`),
      h(
        "button",
        { type: "button", class: "ghost-button", onclick: () => void admin.logout().finally(() => login()) },
        "Log out",
      ),
    ),
    body,
  );
  void house();
  setInterval(() => void house(), 5000);
  go(location.hash.slice(1) || "live");
}

admin
  .me()
  .then((r) => home(r.admin))
  .catch(() => login());
