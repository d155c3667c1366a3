// A lobby's room: seats, teams, colours, who is ready, talk, and the start.

import { FogkeepError } from "../base/errors";
import { ACCENT, TEAM_COLOR_NAMES, TEAM_COLORS } from "../draw/palette";
import { landscape } from "../draw/topdown";
import { api, type Lobby, lobbyEvents, type Seat } from "../net/api";
import { decodeMap } from "../state/map";
import { emblem, fill, h, ICONS, icon, text } from "../ui/dom";
import type { App } from "./app";
import { lobbyForm, rulesLine } from "./lobbyform";

/** `over` names a match that this page saw end: the lobby hears of it a little later. */
export function lobbyRoom(app: App, first: Lobby, over: string): { element: HTMLElement; close: () => void } {
  let lobby = first;
  let entered = false;
  let closed = false;
  const me = app.account?.id ?? "";
  const seats = h("div", { class: "seats" });
  const watchers = h("div", { class: "seats", role: "group", "aria-label": "Spectators" });
  const actions = h("div", { class: "row wrap" });
  const status = h("p", { class: "lobby-state", role: "status" });
  const talk = h("div", { class: "talk", role: "log", "aria-label": "Chat" });
  const line = h("input", {
    type: "text",
    maxLength: 300,
    placeholder: "Say something",
    "aria-label": "Say something",
  });
  const picture = h("div", { class: "map-picture" });
  const mapTitle = h("h2", null);
  const mapFacts = h("p", { class: "dim" });
  const rules = h("p", { class: "dim", "data-rules": "" });
  const titleText = h("h2", null, lobby.name);
  const lock = h("span", { class: "row" }, icon(ICONS.lock, "has a password"));
  const change = (work: () => Promise<Lobby>) =>
    void app.trying(async () => {
      update(await work());
    });

  // The version goes with the lobby that is drawn: that is what the player agrees to.
  const ready = (on: boolean) =>
    change(() => api.seat(lobby.id, { ready: on, settingsVersion: lobby.settingsVersion }));

  const update = (l: Lobby) => {
    if (
      !closed &&
      l.version >= lobby.version &&
      wasReady(lobby, me) &&
      !wasReady(l, me) &&
      l.state === "open"
    )
      if (l.settingsVersion !== lobby.settingsVersion)
        app.toast("The lobby has changed. Look at it, and say ready again.");
    if (closed || l.version < lobby.version) return;
    lobby = l;
    text(titleText, l.name);
    about(l);
    const sits = l.seats.some((s) => s.account?.id === me) || l.spectators.some((s) => s.account?.id === me);
    if (l.state === "closed" || !sits) {
      app.toast(l.state === "closed" ? "The lobby was closed." : "You are not in this lobby any more.");
      app.home();
      return;
    }
    draw();
    if (l.state === "playing" && !entered) {
      entered = true;
      void app.trying(() => app.play(l.id));
    }
    if (l.state === "open") entered = false;
  };

  const draw = () => {
    const host = lobby.host === me;
    fill(
      seats,
      lobby.seats.map((s) => seatRow(s, host)),
    );
    fill(watchers, lobby.spectators.map(watcherRow));
    const mine = lobby.seats.find((s) => s.account?.id === me);
    const watches = lobby.spectators.some((s) => s.account?.id === me);
    const open = lobby.state === "open";
    const isOver = over !== "" && lobby.matchId === over;
    const everyone = lobby.seats
      .filter((s) => s.kind === "player" && s.account?.id !== lobby.host)
      .every((s) => s.ready);
    const room = lobby.seats.some((s) => s.kind === "open");
    fill(
      actions,
      mine && open && !host
        ? h(
            "button",
            {
              type: "button",
              class: mine.ready ? "on" : "primary",
              "data-do": "ready",
              "aria-pressed": String(mine.ready),
              onclick: () => ready(!mine.ready),
            },
            mine.ready ? "Ready" : "I am ready",
          )
        : null,
      host && open
        ? h(
            "button",
            {
              type: "button",
              class: "primary",
              "data-do": "start",
              onclick: () => change(() => api.start(lobby.id)),
            },
            "Start the match",
          )
        : null,
      host && open && room
        ? h(
            "button",
            { type: "button", "data-do": "add-bot", onclick: () => change(() => api.addBot(lobby.id)) },
            "Add a bot",
          )
        : null,
      host && open
        ? h(
            "button",
            { type: "button", "data-do": "configure", onclick: () => configure(lobby, update) },
            "Change it",
          )
        : null,
      host && lobby.state === "starting"
        ? h("button", { type: "button", onclick: () => change(() => api.cancelStart(lobby.id)) }, "Not yet")
        : null,
      host && lobby.state === "ended"
        ? h(
            "button",
            {
              type: "button",
              class: "primary",
              "data-do": "again",
              onclick: () =>
                change(async () => {
                  const open = await api.rematch(lobby.id);
                  // Nobody else has to be asked.
                  const alone = open.seats.every((s) => s.kind !== "player" || s.account?.id === me);
                  return alone && open.state === "open" ? api.start(lobby.id) : open;
                }),
            },
            "Play again",
          )
        : null,
      lobby.state === "playing" && !isOver
        ? h(
            "button",
            {
              type: "button",
              class: "primary",
              "data-do": "enter",
              onclick: () => void app.trying(() => app.play(lobby.id)),
            },
            watches ? "Watch the match" : "Back into the match",
          )
        : null,
      h(
        "button",
        {
          type: "button",
          "data-do": "leave",
          onclick: () =>
            void app.trying(async () => {
              await api.leave(lobby.id);
              app.home();
            }),
        },
        "Leave",
      ),
    );
    const wait = waitWords(lobby, everyone);
    const states = {
      open: host
        ? wait
        : watches
          ? "You watch once the host starts the match."
          : "The host starts the match when all are ready.",
      starting: `The match starts${lobby.startInMs ? ` in ${Math.ceil(lobby.startInMs / 1000)} s` : ""}.`,
      playing: isOver ? "The match is over; the lobby opens again in a moment." : "The match is on.",
      ended: lastResult(lobby),
      closed: "This lobby is closed.",
    };
    text(status, states[lobby.state]);
  };

  /** The map and the rules, which the host may change. */
  let drawnMap = "";
  const about = (l: Lobby) => {
    text(mapTitle, l.map.name);
    text(mapFacts, `${l.map.width}×${l.map.height} tiles, ${l.map.starts} starts.`);
    text(rules, rulesLine(l.options));
    lock.hidden = !l.private;
    if (drawnMap === l.map.hash) return;
    drawnMap = l.map.hash;
    mapPicture(l.map.hash)
      .then((canvas) => {
        if (drawnMap === l.map.hash) picture.replaceChildren(canvas);
      })
      .catch(() => undefined); // the picture is a help, the lobby goes on without
  };

  const chip = (s: Seat) => {
    const words = chipWords(s, s.account?.id === lobby.host);
    return h("span", { class: `chip${words === "Ready" ? " ready" : ""}` }, words);
  };

  const seatRow = (s: Seat, host: boolean): HTMLElement => {
    const mine = s.account?.id === me && s.kind === "player";
    const open = lobby.state === "open";
    if (s.kind === "open") {
      return h(
        "div",
        { class: "seat open" },
        h("i", { class: "swatch vacant" }),
        h("span", { class: "dim grow" }, "Open seat"),
      );
    }
    const color = TEAM_COLORS[s.color % TEAM_COLORS.length];
    return h(
      "div",
      { class: `seat${mine ? " mine" : ""}`, "data-seat": s.slot },
      mine && open
        ? h(
            "span",
            { class: "colors", role: "radiogroup", "aria-label": "Your colour" },
            TEAM_COLORS.map((c, k) =>
              h("button", {
                type: "button",
                class: `swatch${k === s.color ? " chosen" : ""}`,
                style: `background:${c}`,
                role: "radio",
                "aria-checked": String(k === s.color),
                "aria-label": TEAM_COLOR_NAMES[k],
                title: TEAM_COLOR_NAMES[k],
                onclick: () => change(() => api.seat(lobby.id, { color: k })),
              }),
            ),
          )
        : emblem(color, s.color),
      h(
        "span",
        { class: "grow" },
        s.kind === "bot" ? icon(ICONS.bot, "bot") : null,
        h("b", null, s.name ?? s.account?.name ?? "Bot"),
        s.account?.id === lobby.host ? h("span", { class: "dim" }, " host") : null,
        mine ? h("span", { class: "dim" }, " you") : null,
      ),
      h(
        "label",
        { class: "team" },
        h("span", { class: "dim" }, "Team "),
        mine && open
          ? h(
              "select",
              {
                "aria-label": "Your team",
                onchange: (e: Event) =>
                  change(() => api.seat(lobby.id, { team: Number((e.target as HTMLSelectElement).value) })),
              },
              Array.from({ length: lobby.limit }, (_, k) =>
                h("option", { value: k, selected: k === s.team }, k + 1),
              ),
            )
          : h("span", { class: "num" }, s.team + 1),
      ),
      chip(s),
      host && !mine && open
        ? h(
            "button",
            {
              type: "button",
              class: "ghost-button",
              "aria-label": `Remove ${s.name ?? "this seat"}`,
              onclick: () => change(() => api.removeSeat(lobby.id, s.slot)),
            },
            "Remove",
          )
        : null,
    );
  };

  /** Who watches, and for oneself whose eyes to see with. */
  const watcherRow = (s: Seat): HTMLElement => {
    const mine = s.account?.id === me;
    const { spectatorDelay } = lobby.options;
    const late = spectatorDelay > 0 ? `, ${spectatorDelay} s delayed` : "";
    const teams = [...new Set(lobby.seats.filter((p) => p.kind !== "open").map((p) => p.team))].sort(
      (a, b) => a - b,
    );
    const words = (team: number) => (team < 0 ? `Sees all${late}` : `Team ${team + 1}'s eyes`);
    return h(
      "div",
      { class: `seat${mine ? " mine" : ""}` },
      icon(ICONS.eye, "watches"),
      h(
        "span",
        { class: "grow" },
        h("b", null, s.name ?? ""),
        mine ? h("span", { class: "dim" }, " you") : null,
      ),
      mine
        ? h(
            "select",
            {
              class: "eyes",
              "aria-label": "Whose eyes you see with",
              onchange: (e: Event) =>
                change(() => api.seat(lobby.id, { team: Number((e.target as HTMLSelectElement).value) })),
            },
            [-1, ...teams].map((t) => h("option", { value: t, selected: t === s.team }, words(t))),
          )
        : h("span", { class: "chip" }, words(s.team)),
    );
  };

  const say = (name: string, said: string, announce: boolean) => {
    talk.append(
      h("p", { class: announce ? "announce" : "" }, h("b", null, announce ? "Server" : name), ` ${said}`),
    );
    while (talk.children.length > 100) talk.firstChild?.remove();
    talk.scrollTop = talk.scrollHeight;
  };

  const stream = lobbyEvents(lobby.id, {
    lobby: update,
    chat: (c) => say(c.name, c.text, c.announce),
    kicked: (k) => {
      if (k.account !== me) return;
      app.toast(k.reason ? `You were removed: ${k.reason}` : "You were removed from the lobby.");
      app.home();
    },
    away: () => text(status, "The connection to the lobby was lost; coming back…"),
  });

  draw();
  about(lobby);
  const element = h(
    "div",
    { class: "home" },
    h(
      "header",
      { class: "bar-top" },
      h("span", { class: "logo small" }, "fogkeep"),
      h("span", { class: "grow" }),
      h("span", null, app.account?.name ?? ""),
    ),
    h(
      "div",
      { class: "home-grid" },
      h(
        "section",
        { class: "panel", "aria-label": "Seats" },
        h("div", { class: "row" }, titleText, lock),
        status,
        seats,
        watchers,
        actions,
        h("h3", null, "Talk"),
        talk,
        h(
          "form",
          {
            class: "row",
            onsubmit: (e: Event) => {
              e.preventDefault();
              const said = line.value.trim();
              if (!said) return;
              line.value = "";
              void app.trying(() => api.chat(lobby.id, said));
            },
          },
          line,
          h("button", { type: "submit" }, "Say"),
        ),
      ),
      h(
        "aside",
        { class: "stack" },
        h("section", { class: "panel" }, mapTitle, picture, mapFacts, rules),
        h(
          "section",
          { class: "panel" },
          h("h2", null, "Invite"),
          h("p", { class: "dim" }, "Whoever opens this address comes straight into the lobby."),
          h("input", {
            type: "text",
            readOnly: true,
            value: `${location.origin}${location.pathname}#lobby=${lobby.id}`,
            "aria-label": "Address of this lobby",
            onfocus: (e: Event) => (e.target as HTMLInputElement).select(),
          }),
        ),
      ),
    ),
  );
  // A lobby that is playing when one opens it is entered by the button, not at once, after a match was left.
  if (lobby.state === "playing") entered = true;
  return {
    element,
    close: () => {
      closed = true;
      stream.close();
    },
  };
}

/** A map from above with its starts. */
async function mapPicture(hash: string): Promise<HTMLCanvasElement> {
  const r = await fetch(`/maps/${hash}`);
  if (!r.ok) throw new FogkeepError("map_missing", "The map's picture is not to be had.", true, r.status);
  const map = decodeMap(new Uint8Array(await r.arrayBuffer()));
  const canvas = landscape(map);
  const ctx = canvas.getContext("2d");
  if (!ctx) return canvas;
  ctx.fillStyle = ACCENT;
  for (const t of map.starts) {
    ctx.beginPath();
    ctx.arc(t.x + 0.5, t.y + 0.5, Math.max(2, map.width / 40), 0, Math.PI * 2);
    ctx.fill();
  }
  return canvas;
}

/** The host's dialog. */
function configure(lobby: Lobby, update: (l: Lobby) => void): void {
  if (document.querySelector("dialog[open]")) return;
  const dialog = h(
    "dialog",
    { class: "panel configure", "aria-label": "Change the lobby" },
    lobbyForm({
      lobby,
      title: "Change the lobby",
      submit: "Change it",
      send: async (wishes) => {
        update(await api.configure(lobby.id, wishes));
        dialog.close();
      },
    }),
    h("button", { type: "button", class: "wide", onclick: () => dialog.close() }, "Leave it as it is"),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether the account plays here and has said ready. */
function wasReady(l: Lobby, account: string): boolean {
  return l.seats.some((s) => s.account?.id === account && s.ready);
}

/** What the host waits for. */
export function waitWords(l: { seats: readonly { kind: string }[] }, everyoneReady: boolean): string {
  const others = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").length - 1;
  if (others < 1) return "Nobody else is here yet. Add a bot, or invite someone.";
  return everyoneReady ? "Everyone is ready." : "Waiting until everyone is ready.";
}

function chipWords(s: Seat, host: boolean): string {
  if (s.kind === "bot" || s.ready) return "Ready";
  return host ? "Starts it" : "Not ready";
}

function lastResult(l: Lobby): string {
  const r = l.result;
  if (!r) return "The match is over.";
  const w = r.winners ?? [];
  if (w.length === 0) return `The last match had no winner (${r.reason}).`;
  return `Team ${w.map((t) => t + 1).join(", ")} won the last match (${r.reason}).`;
}
