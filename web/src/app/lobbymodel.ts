// A lobby as its screen knows it: the newest state, the chat, whether the
// connection stands, and the player's permitted acts. It does not draw.

import type { ChatLine, Lobby, OtherSeatChange, PollRequest, SeatChange } from "@fogkeep/client";
import { computed, signal } from "@preact/signals";
import { t } from "../text/text";
import { questionWords, viewOf } from "./lobbyview";
import type { Navigation } from "./navigation";
import { rematch } from "./rematch";
import { api, server } from "./server";
import type { BotLevel } from "./skill";

const LINES_MAX = 200;

/** How often the host's page asks for absent players of the running match: no event reports them. */
const AWAY_MS = 3000;

/** A line of chat with the number of its event. */
export interface Line extends ChatLine {
  id: number;
  announce: boolean;
}

export class LobbyModel {
  readonly lobby;
  /** The lobby as the player sees it. */
  readonly view;
  /** The last question to the players, in words. */
  readonly question = signal("");
  readonly lines = signal<readonly Line[]>([]);
  /** The stream of events is broken, and the browser tries again. */
  readonly away = signal(false);
  private readonly events: { close(): void };
  private readonly timer: ReturnType<typeof setInterval>;
  /** Whether the running match was entered. It is entered once by itself, then by the button. */
  private entered: boolean;
  private closed = false;

  /** `endedMatch` is the id of a match of this lobby whose end the page has seen, or empty. */
  constructor(
    readonly nav: Navigation,
    lobby: Lobby,
    endedMatch: string,
  ) {
    this.lobby = signal(lobby);
    this.view = computed(() => viewOf(this.lobby.value, this.me, endedMatch));
    if (lobby.poll) this.question.value = questionWords(lobby.poll, lobby.seats);
    this.entered = lobby.state === "playing" && !lobby.waiting;
    this.events = server.listen(lobby.id, {
      lobby: (l) => this.update(l),
      chat: (line) => {
        this.lines.value = withLine(this.lines.value, line);
      },
      kicked: (k) => {
        if (k.account === this.me)
          this.goHome(k.reason ? t("lobby.kickedFor", { reason: k.reason }) : t("lobby.kicked"));
      },
      away: () => {
        this.away.value = true;
      },
      back: () => {
        this.away.value = false;
      },
    });
    this.timer = setInterval(() => void this.askWhoIsAway(), AWAY_MS);
  }

  get me(): string {
    return this.nav.account?.id ?? "";
  }

  private get id(): string {
    return this.lobby.peek().id;
  }

  close(): void {
    this.closed = true;
    this.events.close();
    clearInterval(this.timer);
  }

  /** Takes a newer state of the lobby. */
  update(lobby: Lobby): void {
    const before = this.lobby.peek();
    if (this.closed || lobby.version < before.version) return;
    const lostReady = isReady(before, this.me) && !isReady(lobby, this.me) && lobby.state === "open";
    if (lostReady && lobby.settingsVersion !== before.settingsVersion) this.nav.toast(t("lobby.changed"));
    const { seat, spectates } = viewOf(lobby, this.me, "");
    if (lobby.state === "closed" || (!seat && !spectates)) {
      this.goHome(lobby.state === "closed" ? t("lobby.wasClosed") : t("lobby.notIn"));
      return;
    }
    this.notePoll(lobby);
    this.lobby.value = lobby;
    // A match that waits is entered again once it goes on.
    if (lobby.waiting) this.entered = false;
    else if (lobby.state === "playing" && !this.entered) {
      this.entered = true;
      void this.nav.attempt(() => this.nav.play(lobby.id));
    }
    if (lobby.state === "open") this.entered = false;
  }

  /** Notes the beginning and the result of a question in the chat. */
  private notePoll({ poll, seats }: Lobby): void {
    if (!poll) return;
    const before = this.lobby.peek();
    const asked = before.poll?.num === poll.num;
    if (!asked) this.question.value = questionWords(poll, seats);
    if (asked && before.poll?.result === poll.result) return;
    const question = this.question.value;
    const name = seats.find((s) => s.account?.id === poll.by)?.name ?? "";
    const text =
      poll.result === "open" ? t("votes.asks", { name, question }) : t(`votes.${poll.result}`, { question });
    const line = { id: -2 * poll.num - (poll.result === "open" ? 0 : 1), name: "", text, announce: true };
    if (!this.lines.value.some((l) => l.id === line.id)) this.lines.value = withLine(this.lines.value, line);
  }

  private async askWhoIsAway(): Promise<void> {
    const { host, lobby } = this.view.peek();
    if (!host || lobby.state !== "playing" || document.hidden) return;
    // A failure is no news: the stream of events reports a lost connection.
    const now = await api.getLobby(lobby.id).catch(() => null);
    if (now) this.update(now);
  }

  private goHome(why: string): void {
    this.nav.toast(why);
    this.nav.home();
  }

  /** Sends a change and takes the lobby that comes back. */
  private change(work: () => Promise<Lobby>): void {
    void this.nav.attempt(async () => this.update(await work()));
  }

  say(text: string): void {
    void this.nav.attempt(() => api.chat(this.id, { text }));
  }

  changeSeat(change: SeatChange): void {
    this.change(() => api.changeSeat(this.id, change));
  }

  /** The host changes a seat: a team before the match, or whether a person may take it over in the match. */
  changeOther(slot: number, change: OtherSeatChange): void {
    this.change(() => api.changeOtherSeat(this.id, slot, change));
  }

  remove(slot: number): void {
    this.change(() => api.kick(this.id, slot));
  }

  ask(request: PollRequest): void {
    this.change(() => api.askLobby(this.id, request));
  }

  vote(poll: number, yes: boolean): void {
    this.change(() => api.voteInLobby(this.id, { poll, yes }));
  }

  ready(on: boolean): void {
    // The version of the lobby that is shown: the player agrees to this version.
    const { settingsVersion } = this.lobby.peek();
    this.changeSeat({ ready: on, settingsVersion });
  }

  start(): void {
    this.change(() => api.startMatch(this.id));
  }

  addBot(level: BotLevel): void {
    this.change(() => api.addBot(this.id, { level }));
  }

  /** The host changes how many bytes a second each connection of the running match is sent at most; 0: as the server allows. */
  limitBytes(bytesPerS: number): void {
    this.change(() => api.matchBudget(this.id, { bytesPerS }));
  }

  cancelStart(): void {
    this.change(() => api.cancelCountdown(this.id));
  }

  playAgain(): void {
    this.change(() => rematch(this.id, this.me));
  }

  enterMatch(): void {
    void this.nav.attempt(() => this.nav.play(this.id));
  }

  leave(): void {
    void this.nav.attempt(async () => {
      await api.leaveLobby(this.id);
      this.nav.home();
    });
  }
}

/** The lines with one more; a line that is there already, since it was sent again, is ignored. */
export function withLine(lines: readonly Line[], line: Line): readonly Line[] {
  if (line.id > 0 && lines.some((l) => l.id === line.id)) return lines;
  return [...lines, line].slice(-LINES_MAX);
}

const isReady = (lobby: Lobby, account: string): boolean =>
  lobby.seats.some((s) => s.account?.id === account && s.ready);
