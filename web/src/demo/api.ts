// The page's side of the match service in a worker, and what both sides say to each other. A connection to a match is a
// port that carries the bytes of a websocket.

import { FogkeepError, type MapInfo, Requests, type Socket, type SocketFactory } from "@fogkeep/client";
import { signal } from "@preact/signals";

/** A map that can be played. */
export type DemoMap = Pick<MapInfo, "id" | "name" | "hash" | "width" | "height" | "starts">;

export interface Choice {
  /** Id of a map. */
  map: string;
  /** How many, each a team of its own. */
  bots: number;
  level: string;
  /** The player's. */
  name: string;
}

/** A match of earlier, or one that is not over. */
export interface Save {
  readonly id: string;
  readonly over: boolean;
  /** Its map's name; empty: its journal cannot be read. */
  readonly map: string;
  readonly bots: number;
  readonly level: string;
  /** When it began: ms since 1970. */
  readonly started: number;
  /** Of match time. */
  readonly seconds: number;
  readonly won: boolean;
  readonly bytes: number;
}

/**
 * Where matches are kept: in the browser; in memory alone, since the browser keeps nothing for this page (a private
 * window), another tab has the files (`elsewhere`), or the browser's storage took no more (`full`).
 */
export type StorageState = "saved" | "none" | "elsewhere" | "full";

/** An answer of the inspector's API. */
export interface Inspected {
  readonly status: number;
  readonly body: string;
}

/** The functions of the program (cmd/fogkeep-wasm). */
export interface Program {
  /** {@link DemoMap}s as JSON. */
  maps(): Promise<string>;
  publicMap(hash: string): Promise<Uint8Array>;
  /** Ends the match that runs and begins one of a {@link Choice} as JSON; resolves with the player's ticket. */
  start(choice: string): Promise<string>;
  /** {@link Save}s as JSON, newest first. */
  saves(): Promise<string>;
  /** Goes on with the match that is not over; resolves with the player's ticket. */
  resume(): Promise<string>;
  /** Stops the match where it is. */
  leave(): Promise<string>;
  /** Deletes a match. */
  remove(id: string): Promise<string>;
  /** Answers a GET of the inspector's API. */
  inspect(path: string): Promise<Inspected>;
  /** A connection to the match. */
  connect(port: MessagePort): void;
  /** A connection that shows the match again, once it is over; its ticket is the match's id. */
  watch(port: MessagePort): void;
}

export type Way = "connect" | "watch";
export type CallName = Exclude<keyof Program, Way>;
/** To the worker. */
export type Request =
  | { call: CallName; number: number; argument: string }
  | { way: Way; port: MessagePort }
  | { alive: true };
/** From the worker; `number` 0: the program has ended. `alive` answers the same question. */
export type Answer =
  | { number: number; value?: string | Uint8Array | Inspected; error?: string }
  | { storage: StorageState }
  | { alive: true };

/** So often the page asks the worker whether it runs, and so long it waits for any answer. */
const ALIVE_MS = 2000;
const SILENCE_MS = 20_000;

/** A worker, or a port to one. */
export interface Channel {
  postMessage(message: Request, transfer: Transferable[]): void;
  onmessage: ((e: MessageEvent) => void) | null;
}

/** The match service of this page. */
export class Local {
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(why: Error): void }>();
  private calls = 0;
  /** Why the program has ended; null: it has not. */
  readonly failed = signal<FogkeepError | null>(null);
  /** null: the worker has not said yet. */
  readonly storage = signal<StorageState | null>(null);
  /** Requests to the inspector's API. */
  readonly call: Requests["call"];

  /** The time without an answer, as far as this page ran meanwhile. */
  private silentMs = 0;

  constructor(private readonly channel: Channel) {
    channel.onmessage = (e) => this.answered(e.data as Answer);
    let last = performance.now();
    const asking = setInterval(() => {
      const now = performance.now();
      this.silentMs += Math.min(2 * ALIVE_MS, now - last); // a hidden page's timers come late
      last = now;
      if (this.silentMs > SILENCE_MS && !this.failed.peek()) this.fail("silent");
      if (this.failed.peek()) clearInterval(asking);
      else channel.postMessage({ alive: true }, []);
    }, ALIVE_MS);
    const inspect = async (path: unknown) => {
      const { status, body } = (await this.ask("inspect", String(path))) as Inspected;
      return new Response(body, { status });
    };
    this.call = new Requests({ server: "", fetch: inspect as typeof fetch }).call;
  }

  async maps(): Promise<DemoMap[]> {
    return JSON.parse((await this.ask("maps", "")) as string);
  }

  readonly fetchMap = (hash: string): Promise<Uint8Array> =>
    this.ask("publicMap", hash) as Promise<Uint8Array>;

  /** Begins a match; resolves with the player's ticket. */
  start(choice: Choice): Promise<string> {
    return this.ask("start", JSON.stringify(choice)) as Promise<string>;
  }

  async saves(): Promise<Save[]> {
    return JSON.parse((await this.ask("saves", "")) as string);
  }

  resume(): Promise<string> {
    return this.ask("resume", "") as Promise<string>;
  }

  leave(): Promise<unknown> {
    return this.ask("leave", "");
  }

  remove(id: string): Promise<unknown> {
    return this.ask("remove", id);
  }

  /** The driver of connections. */
  socket(way: Way): SocketFactory {
    return () => {
      const { port1, port2 } = new MessageChannel();
      this.channel.postMessage({ way, port: port2 }, [port2]);
      return new PortSocket(port1);
    };
  }

  /** No call is answered any more. */
  fail(why: string): void {
    const err = new FogkeepError("demo_failed", why);
    this.failed.value = err;
    for (const { reject } of this.waiting.values()) reject(err);
    this.waiting.clear();
  }

  private ask(call: CallName, argument: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const failed = this.failed.peek();
      if (failed) {
        reject(failed);
        return;
      }
      const number = ++this.calls;
      this.waiting.set(number, { resolve, reject });
      this.channel.postMessage({ call, number, argument }, []);
    });
  }

  private answered(answer: Answer): void {
    this.silentMs = 0;
    if ("alive" in answer) return;
    if ("storage" in answer) {
      this.storage.value = answer.storage;
      return;
    }
    const { number, value, error } = answer;
    if (number === 0) {
      this.fail(error ?? "");
      return;
    }
    const waits = this.waiting.get(number);
    this.waiting.delete(number);
    if (error === undefined) waits?.resolve(value);
    else waits?.reject(new FogkeepError("demo_failed", error));
  }
}

/** A socket over a port. Each message is one of a websocket's; null closes. */
class PortSocket implements Socket {
  binaryType = "arraybuffer";
  readyState = 0;
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  onerror: Socket["onerror"] = null;

  constructor(private readonly port: MessagePort) {
    port.onmessage = (e) => {
      if (e.data !== null) this.onmessage?.({ data: e.data });
      else this.ended();
    };
    queueMicrotask(() => {
      if (this.readyState !== 0) return;
      this.readyState = 1;
      this.onopen?.(undefined as never);
    });
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    if (this.readyState === 1) this.port.postMessage(data);
  }

  close(): void {
    if (this.readyState === 3) return;
    this.port.postMessage(null);
    this.ended();
  }

  private ended(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.port.close();
    queueMicrotask(() => this.onclose?.({ code: 1000, reason: "" }));
  }
}
