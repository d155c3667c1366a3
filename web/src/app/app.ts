// The player's app: the shown screen, the account, and the way from
// one screen to the next. Screens get this as their Navigation.

import {
  type Account,
  ALL_TEAMS,
  type Banned,
  type BotMatchRequest,
  FogkeepError,
  type Lobby,
  type Match,
  type PlayerInfo,
  type Progress,
  type Replay,
  type Team,
  type Tick,
} from "@fogkeep/client";
import { effect } from "@preact/signals";
import type { Said } from "../game/context";
import type { Game, Harder, Look, MissionEnd } from "../game/game";
import type { SettingsStore } from "../game/settings";

import { type ReplayLink, readLink } from "../replay/link";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { closeDialogs } from "../ui/dialog";
import { fill, h } from "../ui/dom";
import { AccountSettings } from "./accountsettings";
import { Backdrop } from "./backdrop";
import { loginEnd } from "./identity";
import { loadingScreen } from "./loading";
import type { Navigation, Screen } from "./navigation";
import { matchPart, menuPart, replayPart, roomsPart } from "./parts";
import { askPassword } from "./password";
import { QueueModel } from "./queuemodel";
import { rematch } from "./rematch";
import type { ReplayStage } from "./replaystage";
import { forgetSeat, type KeptSeat, keepSeat, takeSeat } from "./seat";
import { api, server } from "./server";
import { LEVELS, skillNamed, skillOf, skillText } from "./skill";
import { titleScreen } from "./title";

/** How often the lobby is asked whether its match has ended, a quarter of a second apart. */
const ENDED_ATTEMPTS = 60;
/** The longest wait between two looks for a new rating: all together nineteen seconds. */
const RATING_WAIT_MS_MAX = 7000;
/** After how long the menu of a match is loaded, if it was not opened: a first match begins without it. */
const MENU_MS = 10_000;

export class App implements Navigation {
  game: Game | null = null;
  match: Match | null = null;
  /** Of the match, if it is one. */
  replay: Replay | null = null;
  private readonly backdrop = new Backdrop();
  private readonly root = h("main", { class: "screen" });
  private readonly toasts = h("div", { class: "toasts", role: "alert" });
  private shown: Screen | null = null;
  /** So many screens were asked for. */
  private wishes = 0;
  /** Id of the lobby that the player is in, or whose match is played; empty without one. */
  private lobbyId = "";

  readonly queue = new QueueModel({
    found: (lobby) => void this.attempt(() => this.enterFound(lobby)),
    dropped: (code) => this.toast(new FogkeepError(code, "")),
  });
  private who: Account | null = null;
  banned: Banned | null = null;
  private readonly accountSettings: AccountSettings;
  /** The language that the page was loaded with. */
  private readonly language: string;

  constructor(
    page: HTMLElement,
    readonly settings: SettingsStore,
  ) {
    this.accountSettings = new AccountSettings(settings, api);
    this.language = settings.value.language;
    settings.on(() => this.changeLanguage());
    const calm = () => document.documentElement.classList.toggle("calm", settings.value.reducedMotion);
    settings.on(calm);
    calm();
    page.append(this.backdrop.element, this.root, this.toasts);
    const stop = effect(() => {
      if (!this.queue.standing.value?.party) return; // a first visit needs no bar of the queue
      queueMicrotask(() => stop());
      void this.attempt(async () => this.toasts.before((await roomsPart()).queuePanel(this)));
    });
    window.addEventListener("pagehide", () => this.keepSeat());
    window.addEventListener("hashchange", () => void this.followLink());
  }

  get account(): Account | null {
    return this.who;
  }

  set account(account: Account | null) {
    this.who = account;
    if (account) void this.accountSettings.loggedIn(account.id);
    else {
      this.banned = null;
      this.accountSettings.loggedOut();
      this.queue.stop();
    }
  }

  get loudness(): number {
    const { master, alerts } = this.settings.value.volumes;
    return master * alerts;
  }

  /** Another language needs all texts anew: the page is loaded again, after a match that runs. */
  private changeLanguage(): void {
    if (!this.game && this.settings.value.language !== this.language) location.reload();
  }

  async start(): Promise<void> {
    const seat = takeSeat();
    const login = loginEnd();
    await this.first(seat);
    if (login !== null) this.toast(login);
    if (!this.game) this.backdrop.start();
  }

  /** Shows the first screen. A kept seat belongs to a match which the page left. */
  private async first(seat: KeptSeat | null): Promise<void> {
    try {
      const me = await api.me();
      this.account = me.account;
      this.banned = me.banned ?? null;
      void this.queue.start();
      if (seat) {
        try {
          await this.play(seat.lobby, seat);
          return;
        } catch {
          // The match has gone on without this page: show the lobby it belongs to.
        }
      }
      const invitation = invitedLobby();
      const replay = readLink(location.hash);
      if (replay) await this.watchReplay(replay);
      else if (invitedTo("party")) await this.inviteToParty();
      else if (invitation && invitation !== me.lobby?.id) await this.invite(invitation);
      else if (me.lobby) await this.openLobby(me.lobby.id);
      else this.home();
    } catch (err) {
      if (err instanceof FogkeepError && err.status !== 401) this.toast(err);
      const invitation = invitedLobby();
      const replay = readLink(location.hash);
      if (replay && !this.account) (await replayPart()).offerReplay(this, this.stage, replay);
      else if (invitedTo("party") && !this.account) await this.inviteToParty();
      else if (invitation && !this.account) await this.invite(invitation);
      else this.title();
    }
  }

  /** Shows who invites to a lobby. */
  private async invite(id: string): Promise<void> {
    await this.follow("invite.gone", async () => {
      const lobby = await api.getLobby(id);
      return lobby.state === "closed" ? null : (await roomsPart()).invitationScreen(this, lobby);
    });
  }

  /** Shows who invites to a party. */
  private async inviteToParty(): Promise<void> {
    const code = invitedTo("party") ?? "";
    await this.follow("invite.partyGone", async () => {
      const invitation = await api.partyInvitation(code);
      return (await roomsPart()).partyInvitationScreen(this, code, invitation);
    });
  }

  /** Shows a link's target; if it is gone, a screen that says so. */
  private async follow(
    gone: "invite.gone" | "invite.partyGone",
    open: () => Promise<Screen | null>,
  ): Promise<void> {
    try {
      const screen = await open();
      if (screen) this.show(screen);
      else this.linkGone(t(gone));
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 404) {
        this.linkGone(t(gone));
        return;
      }
      this.toast(err);
      if (this.account) this.home();
      else this.title();
    }
  }

  linkGone(why: string): void {
    history.replaceState(null, "", location.pathname);
    this.room((rooms) => rooms.goneScreen(this, why));
  }

  title(): void {
    this.show(titleScreen(this));
  }

  home(): void {
    this.lobbyId = "";
    history.replaceState(null, "", location.pathname);
    this.room((rooms) => rooms.homeScreen(this));
  }

  openSettings(): void {
    void this.attempt(async () => (await menuPart()).settingsDialog(this.settings));
  }

  async loggedIn(account: Account): Promise<void> {
    this.account = account;
    void this.queue.start();
    this.banned = (await api.me().catch(() => null))?.banned ?? null;
    const replay = readLink(location.hash);
    if (replay) {
      await this.watchReplay(replay);
      return;
    }
    const invitation = invitedLobby();
    if (!invitation || !(await this.join(invitation, false))) this.home();
  }

  accountChanged(account: Account): void {
    this.account = account;
  }

  loggedOut(): void {
    this.account = null;
    this.title();
  }

  async logOut(): Promise<void> {
    await this.attempt(() => api.logOut());
    this.loggedOut();
  }

  async playBot(request: BotMatchRequest): Promise<void> {
    await this.attempt(async () => {
      if (!this.account) this.account = (await api.playAsGuest({})).account;
      await this.play((await api.playBot(request)).id);
    });
  }

  /** A visitor becomes a guest. */
  private async someone(): Promise<void> {
    if (!this.account) await this.loggedIn((await api.playAsGuest({})).account);
  }

  async missions(): Promise<void> {
    await this.attempt(async () => {
      const [{ missionsDialog }] = await Promise.all([import("./missions"), roomsPart(), this.someone()]);
      missionsDialog(this);
    });
  }

  async quickMatch(): Promise<void> {
    await this.attempt(async () => {
      await this.someone();
      await this.queue.readQueues();
      (await roomsPart()).quickMatchDialog(this);
    });
  }

  /** Goes into the match that was found for the player. */
  private async enterFound(lobby: string): Promise<void> {
    if (this.game) {
      const { match } = this;
      if (match && !match.info.spectator && !match.state.result) return; // it plays there already
      this.leaveMatch(); // it watches a match, or looks at one that is over
      forgetSeat();
    }
    closeDialogs();
    await this.play(lobby);
  }

  async join(id: string, isPrivate: boolean, spectate = false): Promise<boolean> {
    const joined = await this.attempt(async () => {
      let password: string | undefined;
      if (isPrivate) {
        password = (await askPassword()) ?? undefined;
        if (password === undefined) return false;
      }
      try {
        const lobby = await api.joinLobby(id, { password, spectate: spectate || undefined });
        this.showLobby(lobby);
        if (lobby.state === "playing" && !spectate) await this.play(id); // in a bot's place
      } catch (err) {
        if (!(err instanceof FogkeepError)) throw err;
        if (err.code === "already_seated") await this.openLobby(id);
        else if (err.code === "wrong_password" && !isPrivate) return this.join(id, true, spectate);
        else throw err;
      }
      return true;
    });
    return joined === true;
  }

  /** `endedMatch` is the id of a match of this lobby whose end this page has seen. */
  async openLobby(id: string, endedMatch = ""): Promise<void> {
    const lobby = await api.getLobby(id);
    // A match that a queue found has a lobby without a host, in which players have no actions.
    if (lobby.state === "closed" || (lobby.state === "ended" && !lobby.host)) this.home();
    else this.showLobby(lobby, endedMatch);
  }

  showLobby(lobby: Lobby, endedMatch = ""): void {
    if (this.game) return;
    this.lobbyId = lobby.id;
    history.replaceState(null, "", `#lobby=${lobby.id}`);
    this.room((rooms) => rooms.lobbyScreen(this, lobby, endedMatch));
    this.matchSoon();
  }

  matchSoon(): void {
    this.backdrop.postpone();
    void matchPart().catch(() => undefined); // entering the match says what went wrong
  }

  private async openMenu(game: Game, match: Match): Promise<void> {
    (await menuPart()).matchMenu(this.settings, game, match, () => void this.endMatch());
  }

  async play(lobbyId: string, seat?: KeptSeat, look?: Look): Promise<void> {
    this.lobbyId = lobbyId;
    this.backdrop.hold();
    const loading = loadingScreen();
    this.show(loading);
    try {
      const progress = (what: Progress, players?: readonly PlayerInfo[]) =>
        loading.say(t(`loading.${what}`), players);
      const [{ connect, Game, usePack }, credential] = await Promise.all([
        matchPart(),
        seat ? { resume: seat.resume, seq: seat.seq, at: seat.at } : server.seatTicket(lobbyId, { progress }),
      ]);
      const match = await connect({
        url: server.matchUrl,
        mapsUrl: server.mapsUrl,
        progress,
        ...credential,
      });
      this.match = match;
      // A player of another match cannot play one that is found.
      if (!match.info.spectator && this.queue.searches && !this.queue.isOf(lobbyId))
        await this.attempt(this.queue.leave);
      loading.say(t("loading.scene"));
      await usePack(match.info);
      this.shown = null;
      this.backdrop.stop();
      fill(this.root);
      this.game = new Game({
        match,
        root: this.root,
        settings: this.settings,
        menu: (game) => void this.attempt(() => this.openMenu(game, match)),
        leave: () => void this.endMatch(),
        again: match.info.spectator ? undefined : () => this.playAgain(),
        harder: () => this.harder(lobbyId),
        mission: () => this.mission(lobbyId),
        replay: (tick) => this.watchEnded(tick),
        branch: (tick) => this.branchEnded(tick),
        report: (said, of) => this.report(match, said, of),
        befriend: async (name) => (await this.attempt(async () => !!(await api.befriend({ name })))) ?? false,
        rewind: match.info.spectator && match.info.delayMs > 0 ? () => this.rewind() : undefined,
        eyes: (team) => void this.changeEyes(team),
        look,
      });
      this.root.classList.add("playing");
      // For a player whose server goes away.
      const later = () => Promise.all([menuPart(), roomsPart(), import("../game/summary")]);
      setTimeout(() => void later().catch(() => {}), MENU_MS);
    } catch (err) {
      this.match?.leave();
      this.match = null;
      this.root.classList.remove("playing");
      this.backdrop.start();
      if (!seat) await this.openLobby(lobbyId).catch(() => this.home());
      throw err;
    }
  }

  report(match: Match, said: readonly Said[], of?: Said, key?: string): void {
    void this.attempt(async () => {
      const { incidentOf, reportDialog } = await roomsPart();
      reportDialog(this, incidentOf(match, said, of, key));
    });
  }

  async watchReplay(link: ReplayLink): Promise<void> {
    await this.attempt(async () => (await replayPart()).watchReplay(this, this.stage, link));
  }

  /** A link to a replay was put into the address of this page. A running match is left alone. */
  private async followLink(): Promise<void> {
    const link = readLink(location.hash);
    if (!link || (this.game && !this.replay)) return;
    if (this.account) await this.watchReplay(link);
    else await this.attempt(async () => (await replayPart()).offerReplay(this, this.stage, link));
  }

  /** The app's state that the part of replays changes. */
  private readonly stage: ReplayStage = {
    root: this.root,
    playing: () => this.game,
    lobby: () => this.lobbyId,
    show: (screen) => this.show(screen),
    begin: (replay, game) => {
      this.leaveMatch();
      forgetSeat();
      this.replay = replay;
      this.match = replay.match;
      this.shown?.close?.();
      this.shown = null;
      this.backdrop.stop();
      fill(this.root);
      this.game = game();
      this.root.classList.add("playing");
    },
    end: () => {
      this.leaveMatch();
      this.changeLanguage();
      this.root.classList.remove("playing");
      this.backdrop.start();
    },
    leave: (lobbyId) => {
      this.lobbyId = lobbyId;
      if (!lobbyId) this.home();
      else void this.openLobby(lobbyId).catch(() => this.home());
    },
  };

  /** Waits until the journal of the match that just ended is closed; says so if that takes too long. */
  private async ended(match: string): Promise<boolean> {
    for (let attempt = 0; attempt < ENDED_ATTEMPTS; attempt++) {
      const facts = await server.replayFacts(match);
      if (facts.unavailable !== "not_over" && !facts.live) return true;
      await new Promise((r) => setTimeout(r, 250)); // the result is on its way
    }
    this.toast(t("end.replaySoon"));
    return false;
  }

  private async watchEnded(tick?: Tick): Promise<void> {
    const match = this.match?.info.matchId ?? "";
    await this.attempt(async () => {
      if (await this.ended(match)) await this.watchReplay({ match, tick });
    });
  }

  /** Plays the match that just ended on from a tick: at once if all other seats are bots', else from its lobby. */
  private async branchEnded(tick: Tick): Promise<void> {
    const match = this.match?.info.matchId ?? "";
    await this.attempt(async () => {
      if (!(await this.ended(match))) return;
      let lobby = await api.playOn(match, { tick });
      for (const seat of lobby.seats)
        if (seat.kind === "open" && seat.level) lobby = await api.addBot(lobby.id, {});
      this.stage.end();
      this.showLobby(lobby);
      if (lobby.seats.every((s) => s.kind !== "open")) await api.startMatch(lobby.id);
    });
  }

  /** After a match of one player against one bot: the same against the next stronger bot. */
  private async harder(id: string): Promise<Harder | null> {
    const { seats, map, options, from } = await api.getLobby(id);
    const [own, bot] = [
      seats.find((s) => s.account?.id === this.account?.id),
      seats.find((s) => s.kind === "bot"),
    ];
    const skill = skillOf(bot?.level);
    const next = skill && LEVELS[LEVELS.indexOf(skill.level) + 1];
    if (seats.length !== 2 || !own || !next || from) return null;
    const level = skillNamed(next, skill.style);
    return {
      level: skillText(level),
      play: async () => {
        this.stage.end();
        await this.playBot({ map: map.id, level, ruleset: options.ruleset, faction: own.faction });
      },
    };
  }

  /** The mission that a lobby plays; null: it plays none. */
  private async mission(id: string): Promise<MissionEnd | null> {
    const { from } = await api.getLobby(id);
    if (!from?.mission) return null;
    await roomsPart();
    return (await import("./missions")).missionEnd(from.mission, async (next) => {
      this.stage.end();
      await this.attempt(async () => this.play((await api.playMission({ mission: next })).id));
    });
  }

  /** Shows a spectator the match from any tick up to the delay. */
  private async rewind(): Promise<void> {
    const match = this.match?.info.matchId ?? "";
    await this.attempt(() => this.watchReplay({ match }));
  }

  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 401) this.loggedOut();
      this.toast(err);
      return undefined;
    }
  }

  toast(what: unknown): void {
    const el = h("div", { class: "toast" }, typeof what === "string" ? what : errorText(what));
    this.toasts.append(el);
    setTimeout(() => el.remove(), 6000);
  }

  /** Shows a spectator what another team sees: with another ticket for the same seat. */
  private async changeEyes(team: Team): Promise<void> {
    await this.attempt(async () => {
      await api.changeSeat(this.lobbyId, { team: team === ALL_TEAMS ? -1 : team });
      const look = this.game?.look;
      this.leaveMatch();
      await this.play(this.lobbyId, undefined, look);
    });
  }

  /** From a match back to the lobby it was started in. */
  private async endMatch(): Promise<void> {
    const endedMatch = this.match?.state.result ? this.match.info.matchId : "";
    this.leaveMatch();
    forgetSeat();
    this.changeLanguage();
    this.root.classList.remove("playing");
    this.backdrop.start();
    if (endedMatch && this.queue.isOf(this.lobbyId)) {
      this.home();
      void this.tellRating(endedMatch);
      return;
    }
    try {
      await this.openLobby(this.lobbyId, endedMatch);
    } catch {
      this.home();
    }
  }

  /** Shows a match's change of the player's rating, once its result is stored. */
  private async tellRating(match: string): Promise<void> {
    for (let waitMs = 250; waitMs <= RATING_WAIT_MS_MAX; waitMs *= 1.5) {
      const { ratings } = await api.ownRatings().catch(() => ({ ratings: [] }));
      const rating = ratings.find((r) => r.lastMatch === match);
      if (rating) {
        const change = rating.lastChange < 0 ? `−${-rating.lastChange}` : `+${rating.lastChange}`;
        this.toast(
          rating.placementsLeft
            ? t("queue.placements", { count: rating.placementsLeft })
            : t("queue.changed", { rating: rating.rating, change }),
        );
        return;
      }
      await new Promise((r) => setTimeout(r, waitMs));
    }
  }

  /** The next match of the lobby: its host opens it and starts if alone, the others wait there. */
  private async playAgain(): Promise<void> {
    const id = this.lobbyId;
    const queue = this.queue.isOf(id) ? this.queue.lastQueue : "";
    await this.endMatch();
    if (queue) {
      await this.attempt(() => this.queue.join(queue));
      return;
    }
    await this.attempt(async () => {
      for (let attempt = 0; attempt < ENDED_ATTEMPTS; attempt++) {
        const lobby = await api.getLobby(id);
        if (lobby.state === "ended" && lobby.host === this.account?.id) await rematch(id, this.account.id);
        if (lobby.state !== "playing") return;
        await new Promise((r) => setTimeout(r, 250)); // the result is on its way
      }
    });
  }

  private leaveMatch(): void {
    this.replay?.leave();
    this.replay = null;
    this.match?.leave();
    this.match = null;
    this.game?.dispose();
    this.game = null;
  }

  private keepSeat(): void {
    const { match } = this;
    if (!match || match.status === "ended" || !match.resumeToken || this.replay) return;
    keepSeat({ lobby: this.lobbyId, resume: match.resumeToken, seq: match.lastSeq, at: match.place });
  }

  /** Shows a screen that may have to be loaded, unless another one is asked for meanwhile. */
  private room(of: (rooms: Awaited<ReturnType<typeof roomsPart>>) => Screen): void {
    const wish = ++this.wishes;
    void this.attempt(async () => {
      const rooms = await roomsPart();
      if (wish === this.wishes) this.show(of(rooms));
    });
  }

  private show(screen: Screen): void {
    this.wishes++;
    this.shown?.close?.();
    this.shown = screen;
    fill(this.root, screen.element);
    scrollTo(0, 0);
  }
}

/** Id of the lobby that the page's address invites to. */
const invitedLobby = (): string | null => invitedTo("lobby");

/** The invitation in the page's address: `#lobby=ID`, `#party=CODE`. */
function invitedTo(what: "lobby" | "party"): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(what);
}
