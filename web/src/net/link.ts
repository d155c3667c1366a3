// One seat's socket: says hello, hands frames up, and comes back by itself
// after a lost connection with the resume token it was given.
//
//	              open ──hello(ticket)──► waiting ──welcome──► live
//	               ▲                                             │ lost
//	               └── back-off, hello(resume) ◄── resuming ◄────┘
//
// Nothing here reads the world. No timer decides anything while a tab is
// hidden: frames come in `onmessage`, and liveness is the server's ping, which
// a browser answers without running a script.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FogkeepError } from "../base/errors";
import { type ClientFrame, ClientFrameSchema, HelloSchema } from "../gen/fogkeep/v1/client_pb.js";
import { type ServerFrame, ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { MESSAGE_MAX } from "./check";
import { Traffic } from "./traffic";

/** The version of the protocol spoken here. */
export const PROTOCOL = 1;

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 5000;
/** So long a lost connection is tried for: a server that restarts takes a fraction of it. */
const GIVE_UP_MS = 5 * 60_000;
/** A socket that brings no welcome for so long is given up for the next one. */
const WELCOME_MS = 15_000;
/** Codes of a server that found what this side sent to make no sense. */
const FAULTS = new Set(["bad_message", "too_big", "text_message", "bad_frame"]);
/** So often in so long one side may say what makes no sense to the other. */
const DISTRUSTED_MAX = 4;
const DISTRUST_MS = 60_000;
/** The server speaks at least once a second; after this much silence the line is dead, whatever the socket says. */
const SILENCE_MS = 12_000;

export interface Socket {
  binaryType: string;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  onopen: ((e: never) => void) | null;
  onmessage: ((e: { data: unknown }) => void) | null;
  onclose: ((e: { code: number; reason: string }) => void) | null;
  onerror: ((e: never) => void) | null;
}
export type SocketFactory = (url: string) => Socket;

export interface LinkHandlers {
  frame(f: ServerFrame): void;
  /** The tick of the last frame applied, 0 for none: a new socket goes on from there if the server still can. */
  applied(): number;
  /** `retryInMs` is set while the next attempt waits. */
  resuming(info: { retryInMs: number; attempt: number; reason: string }): void;
  live(): void;
  /** For good: no further attempt is made. */
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
  /** Asked of the server in the next hello: rows of the mask only at join and after a mismatch. */
  derivesFog = true;
  /** The token that opens the seat again. */
  resume: string;
  private socket: Socket | null = null;
  private ticket: string;
  private attempt = 0;
  private lostAtMs = 0;
  private receivedMs = 0;
  private distrusted = 0;
  private distrustMs = 0;
  private welcomeTimer: ReturnType<typeof setTimeout> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private welcomed = false;
  private unsure = false;
  private done = false;
  private lastWord: FogkeepError | null = null;
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

  /** Sends a frame, or says that it could not. */
  send(f: ClientFrame): boolean {
    if (!this.live || !this.socket) return false;
    this.post(this.socket, f);
    return true;
  }

  /** Tries at once, when an attempt is waiting: the network came back, the tab is shown. */
  retryNow(): void {
    if (this.timer === undefined || this.done) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.open();
  }

  /** Drops a socket over which nothing came for long: a machine that went down says no goodbye. */
  checkSilence(): void {
    if (this.live && this.now() - this.receivedMs > SILENCE_MS) this.drop("nothing came for long");
  }

  /**
   * What came makes no sense: what is held is not to be trusted, and a new
   * socket begins with a snapshot. When that goes on, it is given up.
   */
  distrust(why: FogkeepError): void {
    this.unsure = true;
    if (!this.oftenWrong()) {
      this.drop(why.message);
      return;
    }
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.give(new FogkeepError(why.code, `${why.message} Reload the page, which may be an old one.`));
  }

  /** Counts a misunderstanding; whether there were too many of late. */
  private oftenWrong(): boolean {
    const now = this.now();
    if (now - this.distrustMs > DISTRUST_MS) this.distrusted = 0;
    this.distrustMs = now;
    return ++this.distrusted >= DISTRUSTED_MAX;
  }

  /** Gives the socket up as a lost network would, without waiting for the other side to agree. */
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
    const make = this.options.socket ?? ((url) => new WebSocket(url) as unknown as Socket);
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
      const applied = this.resume && !this.unsure ? this.handlers.applied() : 0;
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
    this.traffic.got(bytes);
    let frame: ServerFrame;
    try {
      if (bytes.length > MESSAGE_MAX) throw new Error(`${bytes.length} bytes`);
      frame = fromBinary(ServerFrameSchema, bytes);
    } catch {
      this.distrust(new FogkeepError("bad_frame", "The server sent what cannot be read.", true));
      return;
    }
    if (frame.closing) {
      const { code, text, retry } = frame.closing;
      const wrong = FAULTS.has(code) && this.oftenWrong();
      this.lastWord = new FogkeepError(
        code || "closed",
        wrong ? `${text} Reload the page, which may be an old one.` : text,
        retry && !wrong,
      );
    }
    if (frame.welcome) {
      this.traffic.welcome(frame.welcome);
      this.resume = frame.welcome.resume || this.resume;
      this.welcomed = true;
      this.unsure = false;
      this.attempt = 0;
      clearTimeout(this.welcomeTimer);
      this.lastWord = null;
    }
    this.handlers.frame(frame);
    if (frame.welcome && this.live) this.handlers.live();
  }

  private lost(reason: string): void {
    this.socket = null;
    this.welcomed = false;
    clearTimeout(this.welcomeTimer);
    if (this.done) return;
    const last = this.lastWord;
    if (last && !last.retryable) {
      this.give(last);
      return;
    }
    if (!this.resume) {
      this.give(
        last ?? new FogkeepError("unreachable", `The match did not let this page in: ${reason}.`, true),
      );
      return;
    }
    if (this.attempt === 0) this.lostAtMs = this.now();
    else if (this.now() - this.lostAtMs > GIVE_UP_MS) {
      this.give(new FogkeepError("gone", "The match server has not answered for several minutes.", true));
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

  private give(err: FogkeepError): void {
    this.done = true;
    clearTimeout(this.welcomeTimer);
    this.handlers.closed(err);
  }

  private post(socket: Socket, f: ClientFrame): void {
    const bytes = toBinary(ClientFrameSchema, f) as Uint8Array<ArrayBuffer>;
    this.traffic.posted(bytes);
    socket.send(bytes);
  }
}

/** How long to wait before an attempt: doubling, at most 5 s, spread by half so that clients do not come in step. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + random / 2));
}
