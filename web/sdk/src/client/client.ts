// A server as a player's program knows it: the account, the lobby's HTTP API, the
// tickets, and the matches that are played with them.
//
//	guest, logIn ──► token ──► api ──► ticket ──► connect ──► Match
//
// The address of the server is absolute, so the page's own origin does not matter.

import { FogkeepError } from "../base/errors.js";
import type { CallOptions } from "../base/openapi.js";
import {
  type Account,
  type Lobby,
  type LoggedIn,
  client as operations,
  type ReplayFacts,
} from "../gen/player.js";
import type { ConnectOptions, Match, Progress } from "../match/match.js";
import type { Replay, ReplayOptions } from "../match/replay.js";
import { REPLAY_PATH } from "../net/address.js";
import { loadMap } from "../net/maps.js";
import { PROTOCOL } from "../net/protocol.js";
import { Requests } from "../net/request.js";
import type { SocketFactory } from "../net/socket.js";
import { type LobbyListener, listenLobby, listenStanding, type StandingListener } from "./events.js";

export interface ClientOptions {
  /** `https://play.example.org`, with a path if the server is below one. */
  readonly server: string | URL;
  /**
   * `bearer`: the token of a log-in is kept here and sent with each request. `cookie`: the browser keeps the
   * session; for pages of the server's own origin.
   */
  readonly session?: "bearer" | "cookie";
  /** Of an earlier session: {@link Client.token}. */
  readonly token?: string;
  /** Of an earlier log-in: {@link Client.device}. */
  readonly device?: string;
  readonly fetch?: typeof fetch;
  readonly socket?: SocketFactory;
}

export interface TicketOptions extends CallOptions {
  /** How long the match may take to begin, ms; 30 seconds unless said otherwise. Then `not_started`. */
  readonly startsWithinMs?: number;
  /** Called while the match is made. */
  readonly progress?: (what: Progress) => void;
}

/** How to connect; the addresses follow from the client. */
export type JoinOptions = Omit<ConnectOptions, "url" | "mapsUrl">;
/** How to play; the ticket follows from the lobby. */
export type PlayOptions = Omit<JoinOptions, "ticket" | "at"> & TicketOptions;
/** What `connect` takes for a seat. */
export type SeatTicket = Required<Pick<ConnectOptions, "ticket">> & Pick<ConnectOptions, "at">;

/** How to open a replay: the ticket and the addresses follow from the client, the key from a link. */
export type OpenReplayOptions = Omit<ReplayOptions, "url" | "mapsUrl" | "ticket" | "at"> & { key?: string };

const STARTS_WITHIN_MS = 30_000;
/** How often the server is asked for a ticket while the match is made. */
const ASK_MS = 200;
/** The address of a server without a slash at its end; of another text a refusal. */
function addressOf(given: string | URL): string {
  const text = String(given);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new FogkeepError(
      "bad_server",
      `"${text}" is no address of a server: it begins with http:// or https://.`,
    );
  return text.replace(/\/+$/, "");
}

type Operations = ReturnType<typeof operations>;
/** The operations that begin a session. */
type Opening = {
  [K in keyof Operations]: Operations[K] extends (...args: never[]) => Promise<infer R>
    ? R extends { account: Account }
      ? "token" extends keyof R
        ? K
        : never
      : never
    : never;
}[keyof Operations];

/** The operations of the HTTP API, as its OpenAPI document has them. Each takes `{ signal }` last. */
export type Api = Operations;

export class Client {
  readonly api: Api;
  /** The session, for the next start of the program; empty: logged out, or the session is a cookie. */
  token: string;
  /** Tells the server that it knows this device: others' wrong passwords do not shut it out. */
  device: string;
  /** Where the server is, without a slash at the end. */
  readonly server: string;
  private readonly requests: Requests;
  private readonly bearer: boolean;

  constructor(private readonly options: ClientOptions) {
    this.server = addressOf(options.server);
    this.token = options.token ?? "";
    this.device = options.device ?? "";
    this.bearer = options.session !== "cookie";
    this.requests = new Requests({
      server: this.server,
      token: this.bearer ? () => this.token : undefined,
      fetch: options.fetch,
    });
    this.api = this.withSession(operations(this.requests.call));
  }

  /** Plays as a guest, without a password. */
  async guest(name = "", o: CallOptions = {}): Promise<Account> {
    return (await this.api.playAsGuest(name ? { name } : {}, o)).account;
  }

  /** Makes an account and logs it in. */
  async register(name: string, password: string, o: CallOptions = {}): Promise<Account> {
    return (await this.api.register({ name, password }, o)).account;
  }

  /** Logs in by name or email. */
  async logIn(name: string, password: string, o: CallOptions = {}): Promise<Account> {
    const device = this.device || undefined;
    return (await this.api.logIn({ name, password, device }, o)).account;
  }

  /**
   * Logs in by a token of a provider that the server knows (`api.loginProviders`): of a studio's own accounts, for
   * instance. A guest becomes an account by an identity that is new.
   */
  async logInByToken(provider: string, token: string, o: CallOptions = {}): Promise<Account> {
    return (await this.api.logInByToken(provider, { token }, o)).account;
  }

  /** Ends the session. */
  async logOut(o: CallOptions = {}): Promise<void> {
    await this.api.logOut(o);
    this.token = "";
  }

  /** Where the maps are: `{mapsUrl}/{hash}`. */
  get mapsUrl(): string {
    return `${this.server}/maps`;
  }

  /** Where matches are played. */
  get matchUrl(): string {
    return `${this.server.replace(/^http/, "ws")}/ws`;
  }

  /** The bytes of a map, by its hash. `decodeMap` reads them. */
  loadMap(hash: string, o: CallOptions = {}): Promise<Uint8Array> {
    return loadMap(hash, this.mapsUrl, o);
  }

  /** Listens to what happens in a lobby, also across lost connections, until it is closed or the signal aborts. */
  listen(lobby: string, on: LobbyListener, o: CallOptions = {}): { close(): void } {
    return listenLobby(this.requests, (after) => this.api.lobbyEventsUrl(lobby, { after }), on, o.signal);
  }

  /**
   * Listens to where the account stands in matchmaking: its party, its queue, a match to accept. Listening keeps
   * the place in the queue.
   */
  listenStanding(on: StandingListener, o: CallOptions = {}): { close(): void } {
    return listenStanding(this.requests, () => this.api.queueEventsUrl(), on, o.signal);
  }

  /** A ticket for one's seat in the lobby's match; waits while the match is made. */
  async ticket(lobby: string, o: TicketOptions = {}): Promise<string> {
    return (await this.seatTicket(lobby, o)).ticket;
  }

  /** {@link ticket}, with the server that has the match, if the service says which: so `connect` goes there at once. */
  async seatTicket(lobby: string, o: TicketOptions = {}): Promise<SeatTicket> {
    const until = Date.now() + (o.startsWithinMs ?? STARTS_WITHIN_MS);
    for (;;) {
      try {
        const answer = await this.api.ticket(lobby, {}, o);
        return { ticket: answer.ticket, at: answer.url || undefined };
      } catch (err) {
        // The server makes the match: a ticket is not to be had yet.
        if (!(err instanceof FogkeepError) || err.code !== "wrong_state") throw err;
        if (Date.now() > until) throw new FogkeepError("not_started", err.message, true);
      }
      o.progress?.("setUp");
      await pause(ASK_MS, o.signal);
    }
  }

  /** Plays one's seat in a lobby's match: {@link seatTicket}, then {@link connect}. */
  async play(lobby: string, o: PlayOptions = {}): Promise<Match> {
    return this.connect({ ...o, ...(await this.seatTicket(lobby, o)) });
  }

  /** Connects to a seat of a match by a ticket, or by the resume token of an earlier connection. */
  async connect(o: JoinOptions): Promise<Match> {
    const { connect } = await import("../match/match.js"); // a program that never plays need not load it
    return connect({ socket: this.options.socket, ...o, url: this.matchUrl, mapsUrl: this.mapsUrl });
  }

  /** The public facts of a match's replay. The key comes from the link, if it has one. */
  replayFacts(match: string, key = "", o: CallOptions = {}): Promise<ReplayFacts> {
    return this.api.replay(match, key ? { ...o, headers: { "Replay-Key": key } } : o);
  }

  /**
   * Opens the replay of a finished match: of this account's own match, or by the key of a link. A
   * spectator's match is shown while it runs too, up to the delay.
   */
  async openReplay(match: string, o: OpenReplayOptions = {}): Promise<Replay> {
    const { key, ...options } = o;
    const [{ openReplay }, { ticket, url }] = await Promise.all([
      import("../match/replay.js"), // a program that shows none need not load it
      this.api.replayTicket(match, { key, protocol: PROTOCOL }, { signal: o.signal }),
    ]);
    return openReplay({
      socket: this.options.socket,
      ...options,
      url: this.matchUrl + REPLAY_PATH,
      at: url || undefined,
      mapsUrl: this.mapsUrl,
      ticket,
    });
  }

  /** A lobby against one bot, whose match starts at once. The bot plays at a level, or at a level and in a style, such as "hard:rush". */
  playBot(level = "medium", o: CallOptions = {}): Promise<Lobby> {
    return this.api.playBot({ level }, o);
  }

  /** Operations that begin a session ask for its token and keep it; operations that need the protocol name it. */
  private withSession(all: Operations): Api {
    const opened = async (answer: Promise<LoggedIn>): Promise<LoggedIn> => {
      const in_ = await answer;
      if (this.bearer && in_.token) this.token = in_.token; // a link leaves an account its session
      if (this.bearer && in_.device) this.device = in_.device;
      return in_;
    };
    const bearer = this.bearer || undefined;
    // A new operation that begins a session does not compile without a line here.
    const opening: Pick<Operations, Opening> = {
      playAsGuest: (body, o) => opened(all.playAsGuest({ ...body, bearer }, o)),
      register: (body, o) => opened(all.register({ ...body, bearer }, o)),
      logIn: (body, o) => opened(all.logIn({ ...body, bearer }, o)),
      upgrade: (body, o) => opened(all.upgrade({ ...body, bearer }, o)),
      changePassword: (body, o) => opened(all.changePassword({ ...body, bearer }, o)),
      logInByToken: (provider, body, o) => opened(all.logInByToken(provider, { ...body, bearer }, o)),
    };
    return {
      ...all,
      ...opening,
      joinLobby: (id, body, o) => all.joinLobby(id, { ...body, protocol: PROTOCOL }, o),
      ticket: (id, body, o) => all.ticket(id, { ...body, protocol: PROTOCOL }, o),
    };
  }
}

/** Waits. Rejects with the signal's reason when it aborts first. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
