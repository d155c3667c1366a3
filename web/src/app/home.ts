// The lobbies that there are, and making one.

import { FogkeepError, sentence } from "../base/errors";
import { api, type Lobby } from "../net/api";
import { fill, h, ICONS, icon } from "../ui/dom";
import { accountDialog, keepName, record } from "./account";
import type { App } from "./app";
import { lobbyForm } from "./lobbyform";
import { settingsDialog } from "./menu";

const REFRESH_MS = 3000;

export function home(app: App): { element: HTMLElement; close: () => void } {
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
      const { lobbies } = await api.lobbies(search.value.trim());
      const open = lobbies.filter((l) => l.state !== "closed");
      const key = JSON.stringify(open);
      if (closed || key === shown) return;
      shown = key;
      fill(list, open.length > 0 ? open.map((l) => row(app, l)) : empty(search.value.trim()));
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) return app.title();
      shown = "";
      fill(list, h("p", { class: "empty" }, `${sentence(err)} Trying again…`));
    }
  };
  search.addEventListener("input", () => void refresh());
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  void refresh();
  const name = app.account?.name ?? "";
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
            onclick: () => accountDialog(app),
          },
          name,
          app.account?.guest ? " (guest)" : null,
        ),
        h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "settings",
            onclick: () => settingsDialog(app),
          },
          "Settings",
        ),
        h("button", { type: "button", class: "ghost-button", onclick: () => void app.logout() }, "Log out"),
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
                onclick: () => void app.playBot(),
              },
              "Play against a bot",
            ),
          ),
          lobbyForm({
            name: app.account ? `${app.account.name}'s lobby` : "",
            title: "Make a lobby",
            submit: "Create the lobby",
            send: async (wishes) => app.showLobby(await api.create(wishes)),
          }),
          app.account?.guest ? keepName(app) : null,
          record(),
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

function row(app: App, l: Lobby): HTMLElement {
  const taken = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").length;
  const full = taken >= l.limit;
  const state = {
    open: full ? "Full" : "Open",
    starting: "Starting",
    playing: "Playing",
    ended: "Ended",
    closed: "Closed",
  }[l.state];
  const me = app.account?.id;
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
            onclick: () => void app.join(l.id, l.private, true),
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
        disabled: !mine && (full || l.state !== "open"),
        onclick: () => void (mine ? app.trying(() => app.openLobby(l.id)) : app.join(l.id, l.private)),
      },
      mine ? "Back in" : "Join",
    ),
  );
}
