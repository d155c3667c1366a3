// The home screen: the list of lobbies, and the form for a new one.

import { FogkeepError } from "../base/errors";
import type { Lobby } from "../gen/player";
import { api } from "../net/api";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { fill, h, ICONS, icon } from "../ui/dom";
import { accountDialog, matchHistory, upgradeForm } from "./account";
import { lobbyForm } from "./lobbyform";
import type { Navigation, Screen } from "./navigation";

const REFRESH_MS = 3000;

export function homeScreen(nav: Navigation): Screen {
  const list = h("div", { class: "lobby-list" });
  const search = h("input", {
    type: "search",
    placeholder: t("home.search"),
    "aria-label": t("home.search"),
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
      if (open.length > 0) list.setAttribute("role", "list");
      else list.removeAttribute("role");
      fill(list, open.length > 0 ? open.map((l) => row(nav, l)) : empty(search.value.trim()));
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) return nav.title();
      shown = "";
      fill(list, h("p", { class: "empty" }, t("home.retrying", { error: errorText(err) })));
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
            title: t("account.title"),
            onclick: () => accountDialog(nav),
          },
          nav.account?.guest ? t("home.guest", { name }) : name,
        ),
        h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "settings",
            onclick: () => nav.openSettings(),
          },
          t("common.settings"),
        ),
        h(
          "button",
          { type: "button", class: "ghost-button", onclick: () => void nav.logOut() },
          t("home.logOut"),
        ),
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
            h("h2", { id: "lobbies-title" }, t("home.lobbies")),
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
            h("h2", null, t("home.singlePlayer")),
            h("p", { class: "dim" }, t("home.singlePlayerNote")),
            h(
              "button",
              {
                type: "button",
                class: "primary wide",
                "data-do": "play-bot",
                onclick: () => void nav.playBot(),
              },
              t("title.playBot"),
            ),
          ),
          lobbyForm({
            name: nav.account ? t("home.lobbyOf", { name: nav.account.name }) : "",
            title: t("home.newLobby"),
            submit: t("home.create"),
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
  return h("p", { class: "empty" }, query ? t("home.noneFound", { query }) : t("home.none"));
}

function row(nav: Navigation, l: Lobby): HTMLElement {
  const taken = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").length;
  const full = taken >= l.limit;
  const joinable = l.state === "playing" ? l.seats.some((s) => s.open) : l.state === "open" && !full;
  const state = t(`home.state.${l.state === "open" && full ? "full" : l.state}`);
  const me = nav.account?.id;
  const mine = [...l.seats, ...l.spectators].some((s) => s.account?.id === me);
  const watchable = !mine && l.state !== "ended" && l.spectators.length < l.options.spectators;
  return h(
    "div",
    { class: "lobby-row", role: "listitem", "data-lobby": l.id },
    h(
      "div",
      { class: "grow" },
      h("b", null, l.name, l.private ? icon(ICONS.lock, t("home.hasPassword")) : null),
      h(
        "span",
        { class: "dim" },
        `${l.map.name} · ${l.map.width}×${l.map.height} · ${l.hostName ? t("home.host", { name: l.hostName }) : t("home.noHost")}`,
        l.spectators.length > 0 ? ` · ${t("home.watching", { count: l.spectators.length })}` : null,
      ),
    ),
    h("span", { class: "num", title: t("home.seatsTaken") }, `${taken} / ${l.limit}`),
    h("span", { class: `chip ${l.state}` }, state),
    watchable
      ? h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            "data-do": "watch",
            "aria-label": t("home.watchLobby", { name: l.name }),
            onclick: () => void nav.join(l.id, l.private, true),
          },
          icon(ICONS.eye),
          t("home.watch"),
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
      t(mine ? "home.rejoin" : l.state === "playing" && joinable ? "home.joinMatch" : "common.join"),
    ),
  );
}
