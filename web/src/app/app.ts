// The player's app: which screen shows, who plays, and the way from one to the
// next. Screens get what they need and call back; they keep nothing.

import { FogkeepError, sentence } from "../base/errors";
import { ALL_TEAMS, type Team } from "../base/ids";
import { Game, type Look } from "../game/game";
import { SettingsStore } from "../game/settings";
import { type Account, api, type Lobby } from "../net/api";
import { connect, type Match } from "../sdk/index";
import { fill, h } from "../ui/dom";
import { Backdrop } from "./backdrop";
import { home } from "./home";
import { loading } from "./loading";
import { lobbyRoom } from "./lobby";
import { menu } from "./menu";
import { title } from "./title";

const SEAT_KEY = "fogkeep.seat";

/** What a page needs to sit down again after a reload. */
interface KeptSeat {
  lobby: string;
  resume: string;
  seq: number;
}

export class App {
  account: Account | null = null;
  readonly settings = new SettingsStore();
  game: Game | null = null;
  match: Match | null = null;
  private readonly backdrop = new Backdrop();
  private readonly screen = h("main", { class: "screen" });
  private readonly toasts = h("div", { class: "toasts", role: "alert" });
  private close: (() => void) | null = null;
  private inLobby = "";

  constructor(root: HTMLElement) {
    root.append(this.backdrop.element, this.screen, this.toasts);
    window.addEventListener("pagehide", () => this.keepSeat());
  }

  async start(): Promise<void> {
    this.backdrop.start();
    const kept = takeSeat();
    try {
      const me = await api.me();
      this.account = me.account;
      if (kept) {
        try {
          await this.play(kept.lobby, kept);
          return;
        } catch {
          // The match went on without this page: on to the lobby it was from.
        }
      }
      const invited = new URLSearchParams(location.hash.slice(1)).get("lobby");
      const sits = me.lobby?.id;
      if (invited && invited !== sits) await this.join(invited, false);
      else if (sits) await this.openLobby(sits);
      else this.home();
    } catch (err) {
      if (err instanceof FogkeepError && err.status !== 401) this.toast(err);
      this.title();
    }
  }

  title(): void {
    this.show(title(this));
  }

  home(): void {
    this.inLobby = "";
    history.replaceState(null, "", location.pathname);
    this.show(home(this));
  }

  /** Logged in: on to where they were going. */
  async welcome(account: Account): Promise<void> {
    this.account = account;
    const invited = new URLSearchParams(location.hash.slice(1)).get("lobby");
    if (invited) await this.join(invited, false);
    else this.home();
  }

  async logout(): Promise<void> {
    await this.trying(() => api.logout());
    this.account = null;
    this.title();
  }

  /** The one button: a match against a bot, as whoever one is. */
  async playBot(map?: string): Promise<void> {
    await this.trying(async () => {
      if (!this.account) this.account = (await api.guest()).account;
      const lobby = await api.playBot(map);
      await this.play(lobby.id);
    });
  }

  async join(id: string, isPrivate: boolean, spectate = false): Promise<void> {
    await this.trying(async () => {
      let password: string | undefined;
      if (isPrivate) {
        password = (await askPassword()) ?? undefined;
        if (password === undefined) return;
      }
      try {
        const lobby = await api.join(id, password, spectate);
        this.showLobby(lobby);
      } catch (err) {
        if (err instanceof FogkeepError && err.code === "already_seated") await this.openLobby(id);
        else if (err instanceof FogkeepError && err.code === "wrong_password" && !isPrivate)
          await this.join(id, true);
        else {
          if (this.inLobby === "") this.home();
          throw err;
        }
      }
    });
  }

  /** `over` names a match of it that was seen to end. */
  async openLobby(id: string, over = ""): Promise<void> {
    const lobby = await api.lobby(id);
    if (lobby.state === "closed") this.home();
    else this.showLobby(lobby, over);
  }

  showLobby(lobby: Lobby, over = ""): void {
    if (this.game) return;
    this.inLobby = lobby.id;
    history.replaceState(null, "", `#lobby=${lobby.id}`);
    this.show(lobbyRoom(this, lobby, over));
  }

  /** A spectator sees with other eyes: another ticket for the same seat. */
  private async eyes(team: Team): Promise<void> {
    await this.trying(async () => {
      await api.seat(this.inLobby, { team: team === ALL_TEAMS ? -1 : team });
      const look = this.game?.look;
      this.match?.leave();
      this.match = null;
      this.game?.dispose();
      this.game = null;
      await this.play(this.inLobby, undefined, look);
    });
  }

  /** Takes the seat of a lobby's running match and shows it. */
  async play(lobbyId: string, kept?: KeptSeat, look?: Look): Promise<void> {
    this.inLobby = lobbyId;
    const wait = loading();
    this.show(wait);
    try {
      const right = kept
        ? { resume: kept.resume, seq: kept.seq }
        : { ticket: (await this.ticket(lobbyId, wait.say)).ticket };
      const match = await connect({
        url: `${location.origin.replace(/^http/, "ws")}/ws`,
        progress: wait.say,
        ...right,
      });
      this.match = match;
      wait.say("Lighting the lamps");
      this.close?.();
      this.close = null;
      this.backdrop.stop();
      fill(this.screen);
      const game = new Game({
        match,
        root: this.screen,
        settings: this.settings,
        menu: (g) => menu(this, g, match),
        leave: () => void this.endMatch(),
        eyes: (team) => void this.eyes(team),
        look,
      });
      this.game = game;
      this.screen.classList.add("playing");
    } catch (err) {
      this.match?.leave();
      this.match = null;
      this.screen.classList.remove("playing");
      this.backdrop.start();
      if (!kept) await this.openLobby(lobbyId).catch(() => this.home());
      throw err;
    }
  }

  /** Back from a match to the lobby it was made in. */
  async endMatch(): Promise<void> {
    const over = this.match?.state.result ? this.match.info.matchId : "";
    this.match?.leave();
    this.match = null;
    this.game?.dispose();
    this.game = null;
    sessionStorage.removeItem(SEAT_KEY);
    this.screen.classList.remove("playing");
    this.backdrop.start();
    try {
      await this.openLobby(this.inLobby, over);
    } catch {
      this.home();
    }
  }

  /** Runs what may fail, and says so when it does. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) {
        this.account = null;
        this.title();
      }
      this.toast(err);
      return undefined;
    }
  }

  toast(what: unknown): void {
    const el = h("div", { class: "toast" }, typeof what === "string" ? what : sentence(what));
    this.toasts.append(el);
    setTimeout(() => el.remove(), 6000);
  }

  /** A match that starts takes a moment to be there. */
  private async ticket(lobbyId: string, say: (what: string) => void) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await api.ticket(lobbyId);
      } catch (err) {
        const soon = err instanceof FogkeepError && (err.code === "wrong_state" || err.code === "not_found");
        if (!soon || attempt > 40) throw err;
        say("The match is being set up");
        await new Promise((r) => setTimeout(r, 250));
      }
    }
  }

  private keepSeat(): void {
    if (!this.match || this.match.status === "ended" || !this.match.resumeToken) return;
    const seat: KeptSeat = { lobby: this.inLobby, resume: this.match.resumeToken, seq: this.match.lastSeq };
    sessionStorage.setItem(SEAT_KEY, JSON.stringify(seat));
  }

  private show(screen: { element: HTMLElement; close?: () => void }): void {
    this.close?.();
    this.close = screen.close ?? null;
    fill(this.screen, screen.element);
    scrollTo(0, 0);
  }
}

function takeSeat(): KeptSeat | null {
  const text = sessionStorage.getItem(SEAT_KEY);
  sessionStorage.removeItem(SEAT_KEY);
  if (!text) return null;
  try {
    const seat = JSON.parse(text) as KeptSeat;
    return seat.resume ? seat : null;
  } catch {
    return null;
  }
}

function askPassword(): Promise<string | null> {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "off", "aria-label": "Lobby password" });
    const dialog = h(
      "dialog",
      { class: "panel" },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: () => resolve(input.value),
        },
        h("h2", null, "This lobby has a password"),
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
          h("button", { type: "submit", class: "primary" }, "Join"),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(null);
    });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
