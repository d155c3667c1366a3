// The home screen: the list of lobbies, and the form for a new one.

import { FogkeepError, sentence } from "../base/errors";
import type { Lobby } from "../gen/player";
import { api } from "../net/api";
import { fill, h, ICONS, icon } from "../ui/dom";
import { accountDialog, matchHistory, upgradeForm } from "./account";
import { lobbyForm } from "./lobbyform";
import type { Navigation, Screen } from "./navigation";

const REFRESH_MS = 3000;

export function homeScreen(nav: Navigation): Screen {
  const list = h("div", { class: "lobby-list", role: "list" });
  const search = h("input", {
    type: "search",
    placeholder: "Find a lobby or a map",
    "aria-label": "Find a lobby or a map",
  });
  let shown = "";
  let closed = false;
  const refresh = async () => {
    if (closed || document.hidden) return;
    try {
      const { lobbies } = await api.listLobbies({ q: search.value.trim() });
      const open = lobbies.filter((l) => l.state !== "closed");
      const key = JSON.stringify(open);
      if (closed || key === shown) return;
      shown = key;
      fill(list, open.length > 0 ? open.map((l) => row(nav, l)) : empty(search.value.trim()));
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) return nav.title();
      shown = "";
      fill(list, h("p", { class: "empty" }, `${sentence(err)} Trying again…`));
    }
  };
  search.addEventListener("input", () => void refresh());
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  void refresh();
  const name = nav.account?.name ?? "";
  return {
    close: () => {
      closed = true;
      clearInterval(timer);
    },
    element: h(
      "div",
      { class: "home" },
      h(
        "header",
        { class: "bar-top" },
        h("span", { class: "logo small" }, "fogkeep"),
        h("span", { class: "grow" }),
        h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "account",
            title: "Your account",
            onclick: () => accountDialog(nav),
          },
          name,
          nav.account?.guest ? " (guest)" : null,
        ),
        h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "settings",
            onclick: () => nav.openSettings(),
          },
          "Settings",
        ),
        h("button", { type: "button", class: "ghost-button", onclick: () => void nav.logOut() }, "Log out"),
      ),
      h(
        "div",
        { class: "home-grid" },
        h(
          "section",
          { class: "panel", "aria-labelledby": "lobbies-title" },
          h(
            "div",
            { class: "row" },
            h("h2", { id: "lobbies-title" }, "Lobbies"),
            h("span", { class: "grow" }),
            search,
          ),
          list,
        ),
        h(
          "aside",
          { class: "stack" },
          h(
            "section",
            { class: "panel" },
            h("h2", null, "Alone"),
            h("p", { class: "dim" }, "One opponent, one map, at once."),
            h(
              "button",
              {
                type: "button",
                class: "primary wide",
                "data-do": "play-bot",
                onclick: () => void nav.playBot(),
              },
              "Play against a bot",
            ),
          ),
          lobbyForm({
            name: nav.account ? `${nav.account.name}'s lobby` : "",
            title: "Make a lobby",
            submit: "Create the lobby",
            send: async (request) => nav.showLobby(await api.createLobby(request)),
          }),
          nav.account?.guest ? upgradeForm(nav) : null,
          matchHistory(),
        ),
      ),
    ),
  };
}

function empty(query: string): HTMLElement {
  return h(
    "p",
    { class: "empty" },
    query
      ? `No lobby or map is called “${query}”.`
      : "Nobody has opened a lobby yet. Make one on the right and send its address to a friend.",
  );
}

function row(nav: Navigation, l: Lobby): HTMLElement {
  const taken = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").length;
  const full = taken >= l.limit;
  const joinable = l.state === "playing" ? l.seats.some((s) => s.open) : l.state === "open" && !full;
  const state = {
    open: full ? "Full" : "Open",
    starting: "Starting",
    playing: "Playing",
    ended: "Ended",
    closed: "Closed",
  }[l.state];
  const me = nav.account?.id;
  const mine = [...l.seats, ...l.spectators].some((s) => s.account?.id === me);
  const watchable = !mine && l.state !== "ended" && l.spectators.length < l.options.spectators;
  return h(
    "div",
    { class: "lobby-row", role: "listitem", "data-lobby": l.id },
    h(
      "div",
      { class: "grow" },
      h("b", null, l.name, l.private ? icon(ICONS.lock, "has a password") : null),
      h(
        "span",
        { class: "dim" },
        `${l.map.name} · ${l.map.width}×${l.map.height} · host ${l.hostName || "gone"}`,
        l.spectators.length > 0 ? ` · ${l.spectators.length} watching` : null,
      ),
    ),
    h("span", { class: "num", title: "seats taken" }, `${taken} / ${l.limit}`),
    h("span", { class: `chip ${l.state}` }, state),
    watchable
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "watch",
            "aria-label": `Watch ${l.name}`,
            onclick: () => void nav.join(l.id, l.private, true),
          },
          icon(ICONS.eye),
          "Watch",
        )
      : null,
    h(
      "button",
      {
        type: "button",
        "data-do": "join",
        disabled: !mine && !joinable,
        onclick: () => void (mine ? nav.attempt(() => nav.openLobby(l.id)) : nav.join(l.id, l.private)),
      },
      mine ? "Back in" : l.state === "playing" && joinable ? "Join the match" : "Join",
    ),
  );
}
