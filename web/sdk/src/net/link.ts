// The connection to one seat of a match. It sends the hello, passes frames on,
// and reconnects with the resume token when the connection is lost, or to another
// server if the match moved there (route.ts).
//
//	              open ──hello(ticket)──► waiting ──welcome──► live
//	               ▲                         │ moved             │ lost, moved
//	               └── wait, hello(resume) ◄─┴──── resuming ◄────┘
//
// It does not read the world. It depends on no timer while the tab is hidden: frames arrive in `onmessage`, and the
// browser answers the server's pings without running a script.

import { create, toBinary } from "@bufbuild/protobuf";
import { FogkeepError } from "../base/errors.js";
import { type ClientFrame, ClientFrameSchema, HelloSchema } from "../gen/fogkeep/v1/client_pb.js";
import type { ServerFrame } from "../gen/fogkeep/v1/server_pb.js";
import { MESSAGE_MAX } from "./check.js";
import { readFrame } from "./packed.js";
import { type LossReason, PROTOCOL } from "./protocol.js";
import { Route } from "./route.js";
import { openSocket, type Socket, type SocketFactory } from "./socket.js";
import { Traffic } from "./traffic.js";

/** How long a lost connection is retried. A restart of the server takes much less. */
const GIVE_UP_MS = 5 * 60_000;
/** So long a ticket is tried at other addresses, and while the match is on its way to another server. */
const JOIN_MS = 20_000;
/** A socket without a welcome after this time is replaced by the next one. */
const WELCOME_MS = 15_000;
/**
 * A socket that did not open after this time, or after three times the last one's time, is replaced if there is another
 * address: a machine that is gone does not even refuse.
 */
const OPEN_MS = 1500;
/** So many attempts have little time to open; the later ones have more, for slow networks. */
const OPEN_QUICK = 6;
/** Closing codes that say that this side sent something invalid. */
const FAULTS = new Set(["bad_message", "too_big", "text_message", "bad_frame"]);
/** With so many invalid messages, each within INVALID_MS of the one before, the connection is given up. */
const INVALID_MAX = 4;
const INVALID_MS = 60_000;
/** The server sends at least once a second. After this silence the connection counts as lost. */
const SILENCE_MS = 12_000;
/** How often the silence is looked at. */
const LISTEN_MS = 1000;
/** Of a pause of this process, or of a hidden page's timers, at most so much counts as silence. */
const LISTEN_MAX_MS = 2 * LISTEN_MS;

export interface LinkHandlers {
  frame(f: ServerFrame): void;
  /** The tick of the last frame applied, 0 before any. The server continues from there if it still can. */
  applied(): number;
  /** `retryInMs` is set while the next attempt waits. */
  resuming(info: { retryInMs: number; attempt: number; reason: LossReason }): void;
  live(): void;
  /** Closed for good: no further attempt is made. */
  closed(err: FogkeepError): void;
}

export interface LinkOptions {
  /** The socket of the service. */
  url: string;
  /** The server that has the match, as the service named it. */
  at?: string;
  ticket?: string;
  resume?: string;
  /** A second connection beside another one of the same replay: the other's resume token. */
  beside?: () => string;
  socket?: SocketFactory;
  clock?: () => number;
}

export class Link {
  readonly traffic: Traffic;
  /** Called with each message once it is decoded, and with each one sent. */
  log: ((bytes: Uint8Array, frame: ServerFrame | ClientFrame) => void) | null = null;
  /** Sent with the next hello: the client derives the mask and needs its rows only with a snapshot. */
  derivesFog = true;
  /** The resume token. */
  resume: string;
  private socket: Socket | null = null;
  private ticket: string;
  private readonly route: Route;
  /** How long the last socket took to open; before there was one, a guess of a slow network. */
  private openTookMs = OPEN_MS;
  /** Since when there is no connection. */
  private lostAtMs: number;
  /** The match's address as the server at the present address gave it, or null. */
  private movedTo: string | null = null;
  /** The time without messages, as far as this process ran meanwhile. */
  private silentMs = 0;
  private listenedMs = 0;
  private listener: ReturnType<typeof setInterval> | undefined;
  private invalidCount = 0;
  private lastInvalidMs = 0;
  private welcomeTimer: ReturnType<typeof setTimeout> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private welcomed = false;
  private needsSnapshot = false;
  private done = false;
  private lastClosing: FogkeepError | null = null;
  private readonly now: () => number;

  constructor(
    private readonly options: LinkOptions,
    private readonly handlers: LinkHandlers,
  ) {
    this.ticket = options.ticket ?? "";
    this.resume = options.resume ?? "";
    this.now = options.clock ?? (() => performance.now());
    this.traffic = new Traffic(this.now);
    this.route = new Route(options.url, options.at);
    this.lostAtMs = this.now();
    this.open();
  }

  /** The socket at which the match was last. */
  get place(): string {
    return this.route.place;
  }

  get live(): boolean {
    return this.welcomed && this.socket?.readyState === 1;
  }

  /** Sends a frame; false when there is no connection. */
  send(f: ClientFrame): boolean {
    if (!this.live || !this.socket) return false;
    this.post(this.socket, f);
    return true;
  }

  /** Retries at once if an attempt is waiting: the network is back, or the tab is shown. */
  retryNow(): void {
    if (this.timer === undefined || this.done) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.open();
  }

  /**
   * Drops a socket that has been silent for too long: a machine that crashed closes no
   * connection. Messages that came while this process stood still are read only after its timers,
   * so the time of a pause does not count.
   */
  private listen(): void {
    const now = this.now();
    this.silentMs += Math.min(LISTEN_MAX_MS, now - this.listenedMs);
    this.listenedMs = now;
    if (this.live && this.silentMs > SILENCE_MS) this.drop("silent");
  }

  /** The server sent something invalid: reconnect and begin with a snapshot. After several times, give up. */
  rejectFrame(why: FogkeepError): void {
    this.needsSnapshot = true;
    if (!this.tooManyInvalid()) {
      this.drop(why.code);
      return;
    }
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.giveUp(new FogkeepError(why.code, `${why.message} This client may be too old.`));
  }

  /** Counts an invalid message; true when there were too many. */
  private tooManyInvalid(): boolean {
    const now = this.now();
    if (now - this.lastInvalidMs > INVALID_MS) this.invalidCount = 0;
    this.lastInvalidMs = now;
    return ++this.invalidCount >= INVALID_MAX;
  }

  /** Drops the socket as a lost network would, without a closing handshake. */
  drop(reason: LossReason = "dropped"): void {
    const { socket } = this;
    if (!socket) return;
    this.socket = null;
    socket.close();
    this.lost(reason);
  }

  close(): void {
    this.done = true;
    clearTimeout(this.timer);
    clearTimeout(this.welcomeTimer);
    clearInterval(this.listener);
    this.socket?.close(1000, "left");
  }

  private open(): void {
    const make = this.options.socket ?? openSocket;
    let socket: Socket;
    try {
      socket = make(this.route.address);
    } catch (err) {
      // Without a socket of the platform, or with an address that it does not take, there will be no socket: no
      // attempt helps.
      if (err instanceof FogkeepError && !err.retryable) this.giveUp(err);
      else if (/^(Syntax|Security)Error$/.test((err as Error)?.name ?? ""))
        this.giveUp(
          new FogkeepError("bad_server", `"${this.route.address}" is no address of a match's socket.`),
        );
      else this.lost("socket", err instanceof Error ? err.message : "");
      return;
    }
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.welcomed = false;
    const begunMs = this.now();
    const hurry = this.route.hasOthers && this.route.attempt < OPEN_QUICK;
    this.waitFor(hurry ? Math.min(WELCOME_MS, Math.max(OPEN_MS, 3 * this.openTookMs)) : WELCOME_MS);
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.openTookMs = this.now() - begunMs;
      this.waitFor(WELCOME_MS);
      const hello = create(HelloSchema, {
        protocol: PROTOCOL,
        ticket: this.resume ? "" : this.ticket,
        resume: this.options.beside?.() ?? this.resume,
        derivesFog: this.derivesFog,
        beside: this.options.beside !== undefined,
        packed: true,
      });
      const applied = this.resume && !this.needsSnapshot ? this.handlers.applied() : 0;
      this.post(socket, create(ClientFrameSchema, { hello, applied }));
    };
    socket.onmessage = (e) => {
      if (socket !== this.socket || this.done) return;
      if (e.data instanceof ArrayBuffer) this.received(new Uint8Array(e.data));
    };
    socket.onclose = (e) => {
      if (socket === this.socket) this.lost("socket", e.reason || `socket closed (${e.code})`);
    };
    socket.onerror = () => {};
  }

  private waitFor(ms: number): void {
    clearTimeout(this.welcomeTimer);
    this.welcomeTimer = setTimeout(() => this.drop("no_answer"), ms);
  }

  private received(bytes: Uint8Array): void {
    this.silentMs = 0;
    this.traffic.countReceived(bytes);
    let frame: ServerFrame;
    try {
      if (bytes.length > MESSAGE_MAX) throw new Error(`${bytes.length} bytes`);
      frame = readFrame(bytes);
    } catch {
      this.rejectFrame(
        new FogkeepError("bad_frame", "The server sent a message that cannot be decoded.", true),
      );
      return;
    }
    this.log?.(bytes, frame);
    if (frame.closing?.code === "moved") {
      this.movedTo = frame.closing.url;
      this.drop("moved");
      return;
    }
    if (frame.closing) {
      const { code, text, retry } = frame.closing;
      const wrong = FAULTS.has(code) && this.tooManyInvalid();
      this.lastClosing = new FogkeepError(
        code || "closed",
        wrong ? `${text} This client may be too old.` : text,
        retry && !wrong,
      );
    }
    if (frame.welcome) {
      this.traffic.welcome(frame.welcome);
      this.resume = frame.welcome.resume || this.resume;
      this.welcomed = true;
      this.needsSnapshot = false;
      this.route.welcomed(frame.welcome.servers);
      this.lostAtMs = -1;
      clearTimeout(this.welcomeTimer);
      this.lastClosing = null;
      clearInterval(this.listener);
      this.listenedMs = this.now();
      this.listener = setInterval(() => this.listen(), LISTEN_MS);
    }
    this.handlers.frame(frame);
    if (frame.welcome && this.live) this.handlers.live();
  }

  private lost(reason: LossReason, detail = ""): void {
    this.socket = null;
    this.welcomed = false;
    clearTimeout(this.welcomeTimer);
    clearInterval(this.listener);
    if (this.done) return;
    const last = this.lastClosing;
    if (last && !last.retryable) {
      this.giveUp(last);
      return;
    }
    const now = this.now();
    if (this.lostAtMs < 0) this.lostAtMs = now;
    const elsewhere = this.movedTo !== null || (!last && this.route.hasOthers);
    if (!this.resume && !(elsewhere && now - this.lostAtMs < JOIN_MS)) {
      this.giveUp(
        last ??
          new FogkeepError("unreachable", `The connection to the match failed: ${detail || reason}.`, true),
      );
      return;
    }
    if (now - this.lostAtMs > GIVE_UP_MS) {
      this.giveUp(new FogkeepError("gone", "The match server has not answered for several minutes.", true));
      return;
    }
    const random = Math.random();
    const retryInMs =
      this.movedTo === null ? this.route.lost(random) : this.route.moved(this.movedTo, now, random);
    this.movedTo = null;
    const { attempt } = this.route;
    this.handlers.resuming({
      retryInMs,
      attempt,
      reason: reason === "moved" ? reason : (last?.code ?? reason),
    });
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.open();
    }, retryInMs);
  }

  private giveUp(err: FogkeepError): void {
    this.done = true;
    clearTimeout(this.welcomeTimer);
    clearInterval(this.listener);
    this.handlers.closed(err);
  }

  private post(socket: Socket, f: ClientFrame): void {
    const bytes = toBinary(ClientFrameSchema, f) as Uint8Array<ArrayBuffer>;
    this.traffic.countSent(bytes);
    this.log?.(bytes, f);
    socket.send(bytes);
  }
}
