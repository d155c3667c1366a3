// The admins' pages: log in, then one page at a time below the navigation.

import "../ui/theme.css";
import "./admin.css";
import type { Admin } from "../gen/admin";
import { fill, h } from "../ui/dom";
import { admins, changePassword } from "./admins";
import { admin } from "./api";
import { debugPage } from "./debug";
import { loginForm } from "./login";
import type { DebugHook } from "./matchview";
import { serverBar } from "./serverbar";
import { servicePage } from "./service";
import { accounts, audit, bans, lobbies, matches, type Page } from "./tables";

const root = document.getElementById("app") ?? missing();

/** For the browser tests. They only read it. */
const hook: DebugHook = {};
Object.defineProperty(window, "fogkeepAdmin", { value: hook });

/** What runs on the page that is shown. */
let shown: Page | null = null;
let bar: Page | null = null;

function login(note?: string): void {
  shown?.close?.();
  bar?.close?.();
  shown = bar = null;
  fill(root, loginForm(home, note));
  root.querySelector<HTMLElement>("#password")?.focus();
}

function home(who: Admin): void {
  const nav = h("nav", { class: "row", "aria-label": "Pages" });
  const body = h("main", { class: "admin-body" });
  const pages: Record<string, { title: string; make: () => Page }> = {
    live: { title: "Live", make: () => debugPage(hook) },
    matches: { title: "Matches", make: () => matches(who, (id) => show("live", debugPage(hook, id))) },
    lobbies: { title: "Lobbies", make: () => lobbies(who.role) },
    accounts: { title: "Accounts", make: () => accounts(who.role) },
    bans: { title: "Bans", make: () => bans(who.role) },
    service: { title: "Service", make: () => servicePage(who.role) },
    admins: { title: "Admins", make: () => admins(who) },
    audit: { title: "Audit", make: audit },
  };
  const go = (name: string) => show(name, pages[name].make());
  const show = (name: string, page: Page) => {
    shown?.close?.();
    shown = page;
    history.replaceState(null, "", `#${name}`);
    fill(
      nav,
      Object.entries(pages).map(([key, p]) =>
        h(
          "button",
          {
            type: "button",
            class: key === name ? "on" : "ghost-button",
            "aria-current": key === name ? "page" : undefined,
            "data-page": key,
            onclick: () => go(key),
          },
          p.title,
        ),
      ),
    );
    fill(body, page.element);
  };
  const server = serverBar(who, () => login("Your session has ended."));
  bar = server;
  fill(
    root,
    h(
      "header",
      { class: "admin-top" },
      h("b", { class: "logo small" }, "fogkeep admin"),
      nav,
      h("span", { class: "grow" }),
      h("span", null, `${who.name} (${who.role})`),
      h(
        "button",
        {
          type: "button",
          class: "ghost-button",
          "data-do": "password",
          onclick: () => changePassword(who),
        },
        "Password",
      ),
      h(
        "button",
        { type: "button", class: "ghost-button", onclick: () => void admin.logOut().finally(() => login()) },
        "Log out",
      ),
    ),
    server.element,
    body,
  );
  const wanted = location.hash.slice(1);
  go(pages[wanted] ? wanted : "live");
}

function missing(): never {
  throw new Error("admin.html has no #app");
}

admin
  .me()
  .then((r) => home(r.admin))
  .catch(() => login());
