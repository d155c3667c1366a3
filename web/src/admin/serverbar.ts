// The line below the navigation: the state of the server, and what concerns all
// of it: announcements, and no new matches (draining).

import { FogkeepError } from "@fogkeep/client";
import type { Admin, ServerOutBody } from "../gen/admin";
import { h, text } from "../ui/dom";
import { admin, may } from "./api";
import { ask } from "./dialog";
import type { Page } from "./tables";

const REFRESH_MS = 5000;

/** Calls `sessionEnded` when the server no longer knows the session. */
export function serverBar(who: Admin, sessionEnded: () => void): Required<Page> {
  const line = h("span", { class: "dim num" });
  const drain = drainButton(() => void refresh());
  const refresh = async () => {
    try {
      const state = await admin.house();
      text(line, stateLine(state));
      drain.show(state.draining);
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) sessionEnded();
      else text(line, "the server does not answer");
    }
  };
  void refresh();
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  return {
    element: h(
      "div",
      { class: "admin-top server" },
      line,
      h("span", { class: "grow" }),
      may(who.role, "moderator") ? announceButton() : null,
      may(who.role, "admin") ? drain.element : null,
    ),
    close: () => clearInterval(timer),
  };
}

function stateLine(s: ServerOutBody): string {
  const store = s.store === "postgres" ? "PostgreSQL" : "SQLite";
  const facts = [store, `live matches ${s.live}`, `connected ${s.players}`, `lobbies ${s.lobbies}`];
  if (s.draining) facts.push("draining");
  return facts.join(" · ");
}

function drainButton(changed: () => void) {
  let draining = false;
  const element = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      title: "No new matches; live ones finish",
      onclick: () =>
        ask({
          title: draining ? "Allow new matches" : "Stop new matches",
          note: draining ? undefined : "Nobody can join a lobby and no match starts. Live matches finish.",
          submit: draining ? "Allow matches" : "Drain",
          run: async () => void (await admin.drain({ on: !draining })),
          done: changed,
        }),
    },
    "Drain",
  );
  return {
    element,
    show(on: boolean): void {
      draining = on;
      text(element, on ? "Allow matches" : "Drain");
    },
  };
}

const announceButton = (): HTMLElement =>
  h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: () =>
        ask({
          title: "Announce to everyone in lobbies and matches",
          fields: [{ name: "text", label: "Text" }],
          submit: "Announce",
          run: async ({ text }) => void (await admin.announce({ text })),
        }),
    },
    "Announce",
  );
