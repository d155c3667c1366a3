// The connection to one seat of a match. It sends the hello, passes frames on,
// and reconnects with the resume token when the connection is lost.
//
//	              open ──hello(ticket)──► waiting ──welcome──► live
//	               ▲                                             │ lost
//	               └── back-off, hello(resume) ◄── resuming ◄────┘
//
// It does not read the world. Nothing depends on a timer while the tab is
// hidden: frames arrive in `onmessage`, and the browser answers the server's
// pings without running a script.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FogkeepError } from "../base/errors.js";
import { type ClientFrame, ClientFrameSchema, HelloSchema } from "../gen/fogkeep/v1/client_pb.js";
import { type ServerFrame, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { MESSAGE_MAX } from "./check.js";
import { PROTOCOL } from "./protocol.js";
import { openSocket, type Socket, type SocketFactory } from "./socket.js";
import { Traffic } from "./traffic.js";

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 5000;
/** How long a lost connection is retried. A restart of the server takes much less. */
const GIVE_UP_MS = 5 * 60_000;
/** A socket without a welcome after this time is replaced by the next one. */
const WELCOME_MS = 15_000;
/** Closing codes that say that this side sent something invalid. */
const FAULTS = new Set(["bad_message", "too_big", "text_message", "bad_frame"]);
/** With so many invalid messages, each within INVALID_MS of the one before, the connection is given up. */
const INVALID_MAX = 4;
const INVALID_MS = 60_000;
/** The server sends at least once a second. After this silence the connection counts as lost. */
const SILENCE_MS = 12_000;

export interface LinkHandlers {
  frame(f: ServerFrame): void;
  /** The tick of the last frame applied, 0 for none. The server continues from there if it still can. */
  applied(): number;
  /** `retryInMs` is set while the next attempt waits. */
  resuming(info: { retryInMs: number; attempt: number; reason: string }): void;
  live(): void;
  /** Closed for good: no further attempt is made. */
  closed(err: FogkeepError): void;
}

export interface LinkOptions {
  url: string;
  ticket?: string;
  resume?: string;
  socket?: SocketFactory;
  clock?: () => number;
}

export class Link {
  readonly traffic: Traffic;
  /** Sent with the next hello: the client derives the mask and needs its rows only with a snapshot. */
  derivesFog = true;
  /** The resume token. */
  resume: string;
  private socket: Socket | null = null;
  private ticket: string;
  private attempt = 0;
  private lostAtMs = 0;
  private receivedMs = 0;
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
    this.open();
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

  /** Drops a socket that has been silent for too long: a machine that crashed closes no connection. */
  checkSilence(): void {
    if (this.live && this.now() - this.receivedMs > SILENCE_MS) this.drop("the server is silent");
  }

  /** The server sent something invalid: reconnect and begin with a snapshot. After several times, give up. */
  rejectFrame(why: FogkeepError): void {
    this.needsSnapshot = true;
    if (!this.tooManyInvalid()) {
      this.drop(why.message);
      return;
    }
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.giveUp(new FogkeepError(why.code, `${why.message} Reload the page, which may be an old one.`));
  }

  /** Counts an invalid message; true when there were too many. */
  private tooManyInvalid(): boolean {
    const now = this.now();
    if (now - this.lastInvalidMs > INVALID_MS) this.invalidCount = 0;
    this.lastInvalidMs = now;
    return ++this.invalidCount >= INVALID_MAX;
  }

  /** Drops the socket as a lost network would, without a closing handshake. */
  drop(reason = "dropped"): void {
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
    this.socket?.close(1000, "left");
  }

  private open(): void {
    const make = this.options.socket ?? openSocket;
    let socket: Socket;
    try {
      socket = make(this.options.url);
    } catch (err) {
      this.lost(err instanceof Error ? err.message : "no socket");
      return;
    }
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.welcomed = false;
    clearTimeout(this.welcomeTimer);
    this.welcomeTimer = setTimeout(() => this.drop("no answer"), WELCOME_MS);
    socket.onopen = () => {
      const hello = create(HelloSchema, {
        protocol: PROTOCOL,
        ticket: this.resume ? "" : this.ticket,
        resume: this.resume,
        derivesFog: this.derivesFog,
      });
      const applied = this.resume && !this.needsSnapshot ? this.handlers.applied() : 0;
      this.post(socket, create(ClientFrameSchema, { hello, applied }));
    };
    socket.onmessage = (e) => {
      if (socket !== this.socket || this.done) return;
      if (e.data instanceof ArrayBuffer) this.received(new Uint8Array(e.data));
    };
    socket.onclose = (e) => {
      if (socket === this.socket) this.lost(e.reason || `socket closed (${e.code})`);
    };
    socket.onerror = () => {};
  }

  private received(bytes: Uint8Array): void {
    this.receivedMs = this.now();
    this.traffic.countReceived(bytes);
    let frame: ServerFrame;
    try {
      if (bytes.length > MESSAGE_MAX) throw new Error(`${bytes.length} bytes`);
      frame = fromBinary(ServerFrameSchema, bytes);
    } catch {
      this.rejectFrame(
        new FogkeepError("bad_frame", "The server sent a message that cannot be decoded.", true),
      );
      return;
    }
    if (frame.closing) {
      const { code, text, retry } = frame.closing;
      const wrong = FAULTS.has(code) && this.tooManyInvalid();
      this.lastClosing = new FogkeepError(
        code || "closed",
        wrong ? `${text} Reload the page, which may be an old one.` : text,
        retry && !wrong,
      );
    }
    if (frame.welcome) {
      this.traffic.welcome(frame.welcome);
      this.resume = frame.welcome.resume || this.resume;
      this.welcomed = true;
      this.needsSnapshot = false;
      this.attempt = 0;
      clearTimeout(this.welcomeTimer);
      this.lastClosing = null;
    }
    this.handlers.frame(frame);
    if (frame.welcome && this.live) this.handlers.live();
  }

  private lost(reason: string): void {
    this.socket = null;
    this.welcomed = false;
    clearTimeout(this.welcomeTimer);
    if (this.done) return;
    const last = this.lastClosing;
    if (last && !last.retryable) {
      this.giveUp(last);
      return;
    }
    if (!this.resume) {
      this.giveUp(
        last ?? new FogkeepError("unreachable", `The connection to the match failed: ${reason}.`, true),
      );
      return;
    }
    if (this.attempt === 0) this.lostAtMs = this.now();
    else if (this.now() - this.lostAtMs > GIVE_UP_MS) {
      this.giveUp(new FogkeepError("gone", "The match server has not answered for several minutes.", true));
      return;
    }
    this.attempt++;
    const retryInMs = backoff(this.attempt, Math.random());
    this.handlers.resuming({ retryInMs, attempt: this.attempt, reason: last?.message || reason });
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.open();
    }, retryInMs);
  }

  private giveUp(err: FogkeepError): void {
    this.done = true;
    clearTimeout(this.welcomeTimer);
    this.handlers.closed(err);
  }

  private post(socket: Socket, f: ClientFrame): void {
    const bytes = toBinary(ClientFrameSchema, f) as Uint8Array<ArrayBuffer>;
    this.traffic.countSent(bytes);
    socket.send(bytes);
  }
}

/** The wait before an attempt: doubles up to 5 s, and is varied at random so that clients do not retry together. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + random / 2));
}
