// The screen of a lobby: seats, buttons, chat, map and rules. It keeps the
// newest state of the lobby and draws its parts anew when that changes.

import type { Lobby } from "../gen/player";
import { api, lobbyEvents } from "../net/api";
import { t } from "../text/text";
import { dialogIsOpen, showDialog } from "../ui/dialog";
import { fill, h, ICONS, icon, text } from "../ui/dom";
import { type LobbyActions, lobbyButtons } from "./lobbyactions";
import { lobbyChat } from "./lobbychat";
import { lobbyForm } from "./lobbyform";
import { type SeatActions, seatRow, spectatorRow } from "./lobbyseats";
import { statusLine, viewOf } from "./lobbyview";
import { mapPicture } from "./mappicture";
import type { Navigation, Screen } from "./navigation";
import { optionsLine } from "./optionfields";

/** `endedMatch` is the id of a match of this lobby that the page has seen end, or empty. */
export function lobbyScreen(nav: Navigation, lobby: Lobby, endedMatch: string): Screen {
  return new LobbyScreen(nav, lobby, endedMatch);
}

class LobbyScreen implements Screen {
  readonly element: HTMLElement;
  private readonly me: string;
  private readonly name = h("h2", null);
  private readonly lock = h("span", { class: "row" }, icon(ICONS.lock, t("home.hasPassword")));
  private readonly status = h("p", { class: "lobby-state", role: "status" });
  private readonly seats = h("div", { class: "seats" });
  private readonly spectators = h("div", {
    class: "seats",
    role: "group",
    "aria-label": t("lobby.spectators"),
  });
  private readonly buttons = h("div", { class: "row wrap" });
  private readonly map = mapPanel();
  private readonly chat = lobbyChat(
    (said) => void this.nav.attempt(() => api.chat(this.lobby.id, { text: said })),
  );
  private readonly events: { close(): void };
  /** Whether the running match was entered. It is entered once by itself, then by the button. */
  private entered: boolean;
  private closed = false;

  constructor(
    private readonly nav: Navigation,
    private lobby: Lobby,
    private readonly endedMatch: string,
  ) {
    this.me = nav.account?.id ?? "";
    this.entered = lobby.state === "playing";
    this.element = this.layout();
    this.draw();
    this.events = lobbyEvents(lobby.id, {
      lobby: (l) => this.update(l),
      chat: this.chat.add,
      kicked: (k) => {
        if (k.account === this.me)
          this.goHome(k.reason ? t("lobby.kickedFor", { reason: k.reason }) : t("lobby.kicked"));
      },
      away: () => text(this.status, t("lobby.away")),
    });
  }

  close(): void {
    this.closed = true;
    this.events.close();
  }

  /** Takes a newer state of the lobby. */
  private update(lobby: Lobby): void {
    const before = this.lobby;
    if (this.closed || lobby.version < before.version) return;
    this.lobby = lobby;
    const lostReady = isReady(before, this.me) && !isReady(lobby, this.me) && lobby.state === "open";
    if (lostReady && lobby.settingsVersion !== before.settingsVersion) this.nav.toast(t("lobby.changed"));
    const { seat, spectates } = viewOf(lobby, this.me, "");
    if (lobby.state === "closed" || (!seat && !spectates)) {
      this.goHome(t(lobby.state === "closed" ? "lobby.wasClosed" : "lobby.notIn"));
      return;
    }
    this.draw();
    if (lobby.state === "playing" && !this.entered) {
      this.entered = true;
      void this.nav.attempt(() => this.nav.play(lobby.id));
    }
    if (lobby.state === "open") this.entered = false;
  }

  private goHome(why: string): void {
    this.nav.toast(why);
    this.nav.home();
  }

  private draw(): void {
    const { lobby } = this;
    const view = viewOf(lobby, this.me, this.endedMatch);
    text(this.name, lobby.name);
    this.lock.hidden = !lobby.private;
    text(this.status, statusLine(view));
    fill(
      this.seats,
      lobby.seats.map((s) => seatRow(view, s, this.seatActions)),
    );
    fill(
      this.spectators,
      lobby.spectators.map((s) => spectatorRow(view, s, this.seatActions)),
    );
    fill(this.buttons, lobbyButtons(view, this.actions));
    this.map.show(lobby);
  }

  /** Sends a change and shows the lobby that comes back. */
  private change(work: () => Promise<Lobby>): void {
    void this.nav.attempt(async () => this.update(await work()));
  }

  private readonly seatActions: SeatActions = {
    change: (change) => this.change(() => api.changeSeat(this.lobby.id, change)),
    remove: (slot) => this.change(() => api.kick(this.lobby.id, slot)),
    open: (slot, open) => this.change(() => api.changeOtherSeat(this.lobby.id, slot, { open })),
  };

  private readonly actions: LobbyActions = {
    ready: (on) => {
      // The version of the lobby that is drawn: that is what the player agrees to.
      const { id, settingsVersion } = this.lobby;
      this.change(() => api.changeSeat(id, { ready: on, settingsVersion }));
    },
    start: () => this.change(() => api.startMatch(this.lobby.id)),
    addBot: () => this.change(() => api.addBot(this.lobby.id)),
    configure: () => configureDialog(this.lobby, (l) => this.update(l)),
    cancelStart: () => this.change(() => api.cancelCountdown(this.lobby.id)),
    playAgain: () =>
      this.change(async () => {
        const open = await api.rematch(this.lobby.id);
        const alone = open.seats.every((s) => s.kind !== "player" || s.account?.id === this.me);
        return alone && open.state === "open" ? api.startMatch(this.lobby.id) : open;
      }),
    enterMatch: () => void this.nav.attempt(() => this.nav.play(this.lobby.id)),
    leave: () =>
      void this.nav.attempt(async () => {
        await api.leaveLobby(this.lobby.id);
        this.nav.home();
      }),
  };

  private layout(): HTMLElement {
    return h(
      "div",
      { class: "home" },
      h(
        "header",
        { class: "bar-top" },
        h("span", { class: "logo small" }, "fogkeep"),
        h("span", { class: "grow" }),
        h("span", null, this.nav.account?.name ?? ""),
      ),
      h(
        "div",
        { class: "home-grid" },
        h(
          "section",
          { class: "panel", "aria-label": t("lobby.seats") },
          h("div", { class: "row" }, this.name, this.lock),
          this.status,
          this.seats,
          this.spectators,
          this.buttons,
          this.chat.elements,
        ),
        h("aside", { class: "stack" }, this.map.element, invitePanel(this.lobby.id)),
      ),
    );
  }
}

/** The map and the rules of a lobby. */
function mapPanel() {
  const name = h("h2", null);
  const picture = h("div", { class: "map-picture" });
  const facts = h("p", { class: "dim" });
  const rules = h("p", { class: "dim", "data-rules": "" });
  let drawn = ""; // hash of the map in the picture
  return {
    element: h("section", { class: "panel" }, name, picture, facts, rules),
    show({ map, options }: Lobby): void {
      text(name, map.name);
      text(facts, t("lobby.mapFacts", { width: map.width, height: map.height, starts: map.starts }));
      text(rules, optionsLine(options));
      if (drawn === map.hash) return;
      drawn = map.hash;
      mapPicture(map.hash)
        .then((canvas) => {
          if (drawn === map.hash) picture.replaceChildren(canvas);
        })
        .catch(() => undefined); // the lobby works without the picture
    },
  };
}

function invitePanel(lobbyId: string): HTMLElement {
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t("lobby.invite")),
    h("p", { class: "dim" }, t("lobby.inviteNote")),
    h("input", {
      type: "text",
      readOnly: true,
      value: `${location.origin}${location.pathname}#lobby=${lobbyId}`,
      "aria-label": t("lobby.inviteLink"),
      onfocus: (e: Event) => (e.target as HTMLInputElement).select(),
    }),
  );
}

/** The host's dialog to change the lobby. */
function configureDialog(lobby: Lobby, update: (l: Lobby) => void): void {
  if (dialogIsOpen()) return;
  const dialog = h(
    "dialog",
    { class: "panel configure", "aria-label": t("lobby.edit") },
    lobbyForm({
      lobby,
      title: t("lobby.edit"),
      submit: t("lobby.save"),
      send: async (request) => {
        update(await api.configureLobby(lobby.id, request));
        dialog.close();
      },
    }),
    h("button", { type: "button", class: "wide", onclick: () => dialog.close() }, t("common.cancel")),
  );
  showDialog(dialog);
}

const isReady = (lobby: Lobby, account: string): boolean =>
  lobby.seats.some((s) => s.account?.id === account && s.ready);
