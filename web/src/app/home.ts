// The lobbies that there are, and making one.

import { FogkeepError, sentence } from "../base/errors";
import { api, type Lobby, type MapInfo } from "../net/api";
import { fill, h, ICONS, icon } from "../ui/dom";
import { accountDialog, keepName, record } from "./account";
import type { App } from "./app";
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
          create(app),
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

function create(app: App): HTMLElement {
  const name = h("input", {
    id: "lobby-name",
    type: "text",
    maxLength: 40,
    required: true,
    value: app.account ? `${app.account.name}'s lobby` : "",
  });
  const map = h("select", { id: "lobby-map" });
  const limit = h("input", { id: "lobby-limit", type: "number", min: 2, max: 16, value: "2" });
  const password = h("input", { id: "lobby-password", type: "text", maxLength: 128, autocomplete: "off" });
  const spectators = h("input", { id: "lobby-spectators", type: "number", min: 0, max: 16, value: "4" });
  const delay = h("input", { id: "lobby-delay", type: "number", min: 0, max: 600, value: "60" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const submit = h("button", { type: "submit", class: "wide", "data-do": "create" }, "Create the lobby");
  const facts = h("p", { class: "dim" });
  let maps: MapInfo[] = [];
  const chosen = () => maps.find((m) => m.id === map.value);
  const onMap = () => {
    const m = chosen();
    if (!m) return;
    limit.max = String(m.starts);
    limit.value = String(m.starts);
    facts.textContent = `${m.width}×${m.height} tiles, up to ${m.starts} players.`;
  };
  map.addEventListener("change", onMap);
  api
    .maps()
    .then((r) => {
      maps = [...r.maps].sort((a, b) => a.starts - b.starts || a.name.localeCompare(b.name));
      fill(
        map,
        maps.map((m) => h("option", { value: m.id }, `${m.name} (${m.starts})`)),
      );
      onMap();
      if (maps.length === 0) {
        facts.textContent = "This server has no maps. Its keeper can add some to the maps folder.";
        submit.disabled = true;
      }
    })
    .catch((err) => {
      facts.textContent = sentence(err);
    });
  return h(
    "form",
    {
      class: "panel create",
      onsubmit: async (e: Event) => {
        e.preventDefault();
        error.hidden = true;
        submit.disabled = true;
        try {
          const lobby = await api.create({
            name: name.value.trim(),
            map: map.value,
            password: password.value || undefined,
            limit: Number(limit.value),
            options: { spectators: Number(spectators.value), spectatorDelay: Number(delay.value) },
          });
          app.showLobby(lobby);
        } catch (err) {
          error.textContent = sentence(err);
          error.hidden = false;
        } finally {
          submit.disabled = false;
        }
      },
    },
    h("h2", null, "Make a lobby"),
    h("label", { for: "lobby-name" }, "Name"),
    name,
    h("label", { for: "lobby-map" }, "Map"),
    map,
    facts,
    h("label", { for: "lobby-limit" }, "Seats"),
    limit,
    h("label", { for: "lobby-password" }, "Password (leave empty for everyone)"),
    password,
    h(
      "details",
      null,
      h("summary", null, "Spectators"),
      h("label", { for: "lobby-spectators" }, "Seats"),
      spectators,
      h("label", { for: "lobby-delay" }, "Seconds that they see it later"),
      delay,
    ),
    error,
    submit,
  );
}
