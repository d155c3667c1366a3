// The admins' pages: log in, then one page at a time below the navigation.

import "../ui/theme.css";
import "./admin.css";
import type { Admin } from "../gen/admin";
import { fill, h } from "../ui/dom";
import { admins, changePassword } from "./admins";
import { admin } from "./api";
import { clusterPage } from "./cluster";
import { formatLink, type Link, parseLink } from "./inspect/link";
import { type InspectHook, inspectPage } from "./inspect/page";
import { loginForm } from "./login";
import { serverBar } from "./serverbar";
import { servicePage } from "./service";
import { accounts, audit, bans, lobbies, matches, type Page } from "./tables";

const root = document.getElementById("app") ?? missing();

/** For the browser tests. They only read it. */
const hook: InspectHook = {};
Object.defineProperty(window, "fogkeepAdmin", { value: hook });

/** What runs on the page that is shown. */
let shown: Page | null = null;
let bar: Page | null = null;

/** Who is logged in follows an address that is typed or pasted. */
let visitAddress: () => void = () => undefined;
window.addEventListener("hashchange", () => visitAddress());

function login(note?: string): void {
  visitAddress = () => undefined;
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
    matches: { title: "Matches", make: () => matches(who, (id) => inspect({ match: id })) },
    lobbies: { title: "Lobbies", make: () => lobbies(who.role) },
    accounts: { title: "Accounts", make: () => accounts(who.role) },
    bans: { title: "Bans", make: () => bans(who.role) },
    cluster: { title: "Cluster", make: () => clusterPage(who) },
    service: { title: "Service", make: () => servicePage(who.role) },
    admins: { title: "Admins", make: () => admins(who) },
    audit: { title: "Audit", make: audit },
  };
  const go = (name: string) => show(name, `#${name}`, () => pages[name].make());
  const inspect = (link: Link) =>
    show("matches", formatLink(link), () => inspectPage(link, hook, () => go("matches")));
  /** To what an address names: a page, or what a link of the inspector opens. */
  const visit = (hash: string) => {
    const link = parseLink(hash);
    if (link) inspect(link);
    else go(pages[hash.slice(1)] ? hash.slice(1) : "matches");
  };
  const show = (name: string, address: string, make: () => Page) => {
    shown?.close?.();
    shown = make();
    const page = shown;
    history.replaceState(null, "", address);
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
  visit(location.hash);
  visitAddress = () => visit(location.hash);
}

function missing(): never {
  throw new Error("admin.html has no #app");
}

admin
  .me()
  .then((r) => home(r.admin))
  .catch(() => login());
