import "../ui/theme.css";
import "./admin.css";
import { FogkeepError, sentence } from "../base/errors";
import { fill, h, text } from "../ui/dom";
import { admins, ownPassword } from "./admins";
import { type Admin, admin, may } from "./api";
import { debugPage } from "./debug";
import { ask } from "./dialog";
import { accounts, audit, bans, lobbies, matches, type Page } from "./tables";

const root = document.getElementById("app");
if (!root) throw new Error("admin.html has no #app");

/** For the browser test: what the debug page shows. */
const hook: { debug?: unknown } = {};
Object.defineProperty(window, "fogkeepAdmin", { value: hook });

let close: (() => void) | undefined;
let clock: ReturnType<typeof setInterval> | undefined;

function login(note = ""): void {
  close?.();
  close = undefined;
  clearInterval(clock);
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
    matches: { title: "Matches", make: () => matches(who, watch) },
    lobbies: { title: "Lobbies", make: () => lobbies(who.role) },
    accounts: { title: "Accounts", make: () => accounts(who.role) },
    bans: { title: "Bans", make: () => bans(who.role) },
    admins: { title: "Admins", make: () => admins(who) },
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
        `${s.store === "postgres" ? "PostgreSQL" : "SQLite"} · live matches ${s.live} · connected ${s.players} · lobbies ${s.lobbies}${s.draining ? " · draining" : ""}`,
      );
      drain.textContent = s.draining ? "Allow matches" : "Drain";
      drain.dataset.on = String(s.draining);
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) login("Your session has ended.");
      else text(facts, "the server does not answer");
    }
  };
  const drain = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      title: "No new matches; live ones finish",
      onclick: () => {
        const on = drain.dataset.on !== "true";
        ask({
          title: on ? "Take no new matches" : "Take matches again",
          note: on
            ? "Nobody comes into lobbies and nothing starts any more; live matches finish."
            : undefined,
          go: on ? "Drain" : "Allow matches",
          work: async () => void (await admin.drain(on)),
          done: () => void house(),
        });
      },
    },
    "Drain",
  );
  const announce = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: () =>
        ask({
          title: "Tell everyone in lobbies and matches",
          fields: [{ name: "words", label: "What" }],
          go: "Announce",
          work: async ({ words }) => void (await admin.announce(words)),
        }),
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
      h("span", null, `${who.name} (${who.role})`),
      h(
        "button",
        { type: "button", class: "ghost-button", "data-do": "password", onclick: () => ownPassword(who) },
        "Password",
      ),
      h(
        "button",
        { type: "button", class: "ghost-button", onclick: () => void admin.logout().finally(() => login()) },
        "Log out",
      ),
    ),
    h(
      "div",
      { class: "admin-top house" },
      facts,
      h("span", { class: "grow" }),
      may(who.role, "moderator") ? announce : null,
      may(who.role, "admin") ? drain : null,
    ),
    body,
  );
  void house();
  clearInterval(clock);
  clock = setInterval(() => void house(), 5000);
  go(location.hash.slice(1) || "live");
}

admin
  .me()
  .then((r) => home(r.admin))
  .catch(() => login());
