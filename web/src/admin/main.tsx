// The admins' pages: log in, then one page at a time below the navigation.

import { type FunctionComponent, render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "../ui/theme.css";
import "./admin.css";
import type { Admin } from "../gen/admin";
import { Admins, ChangePassword } from "./admins";
import { admin, leave, session } from "./api";
import { Cases } from "./cases";
import { Cluster } from "./cluster";
import { formatLink, type Link, parseLink } from "./inspect/link";
import { type InspectHook, InspectPage } from "./inspect/page";
import { serverSource } from "./inspect/serversource";
import { Login } from "./login";
import { Packs } from "./packs";
import { Seasons } from "./seasons";
import { ServerBar } from "./serverbar";
import { Service } from "./service";
import { Accounts, Audit, Bans, Lobbies, Matches } from "./tables";

/** For the browser tests. They only read it. */
const hook: InspectHook = {};
Object.defineProperty(window, "fogkeepAdmin", { value: hook });

interface Shown {
  me: Admin;
  inspect: (match: string) => void;
}

const PAGES: Record<string, FunctionComponent<Shown>> = {
  matches: Matches,
  lobbies: Lobbies,
  accounts: Accounts,
  cases: Cases,
  bans: Bans,
  seasons: Seasons,
  packs: Packs,
  cluster: Cluster,
  service: Service,
  admins: Admins,
  audit: Audit,
};

/** The view that an address names: a page, or a link of the inspector. */
interface Place {
  page: string;
  link?: Link;
}

function placeOf(hash: string): Place {
  const link = parseLink(hash) ?? undefined;
  const page = hash.slice(1);
  return { page: !link && Object.hasOwn(PAGES, page) ? page : "matches", link };
}

function Home({ me }: { me: Admin }) {
  const [{ page, link, visit }, setPlace] = useState({ ...placeOf(location.hash), visit: 0 });
  /** Each visit shows its page anew. */
  const go = (place: Place) => setPlace((before) => ({ ...place, visit: before.visit + 1 }));
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    history.replaceState(null, "", link ? formatLink(link) : `#${page}`);
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
  }, [visit]);
  useEffect(() => {
    // Someone may type or paste an address.
    const follow = () => go(placeOf(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const View = PAGES[page];
  return (
    <>
      <header class="admin-top">
        <b class="logo small">fogkeep admin</b>
        <nav class="row" aria-label="Pages" ref={nav}>
          {Object.keys(PAGES).map((name) => (
            <button
              key={name}
              type="button"
              class={name === page ? "on" : "ghost-button"}
              aria-current={name === page ? "page" : undefined}
              data-page={name}
              onClick={() => go({ page: name })}
            >
              {name[0].toUpperCase() + name.slice(1)}
            </button>
          ))}
        </nav>
        <span class="grow" />
        <span>
          {me.name} ({me.role})
        </span>
        <ChangePassword me={me} />
        <button type="button" class="ghost-button" onClick={() => void admin.logOut().finally(() => leave())}>
          Log out
        </button>
      </header>
      <ServerBar />
      <main class="admin-body" key={visit}>
        {link ? (
          <InspectPage
            link={link}
            source={serverSource(link.match)}
            hook={hook}
            back={() => go({ page: "matches" })}
          />
        ) : (
          <View me={me} inspect={(match) => go({ page: "matches", link: { match } })} />
        )}
      </main>
    </>
  );
}

function App() {
  if (!session.value) return null;
  const { admin } = session.value;
  return admin ? <Home me={admin} /> : <Login />;
}

render(<App />, document.getElementById("app") ?? missing());

function missing(): never {
  throw new Error("admin.html has no #app");
}

admin.me().then(
  (answer) => {
    session.value = answer;
  },
  () => leave(),
);
