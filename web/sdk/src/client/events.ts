// The events of a lobby and of matchmaking, for their listeners. The stream
// is opened again when it breaks, from the last event that came.

import { FogkeepError } from "../base/errors.js";
import type { ChatLine, Kicked, Lobby, Standing } from "../gen/player.js";
import { backoff } from "../net/backoff.js";
import type { Requests } from "../net/request.js";
import { EventReader, type ServerEvent } from "../net/sse.js";

/** The calls for every stream. */
export interface StreamListener {
  /** The connection is lost; it is there again. */
  away?(): void;
  back?(): void;
  /** The server refuses the stream: its subject, or the session, is gone. No more events follow. */
  closed?(why: FogkeepError): void;
}

export interface StandingListener extends StreamListener {
  /** Where the account stands in matchmaking: at once, and whenever it has changed. */
  standing?(s: Standing): void;
}

export interface LobbyListener extends StreamListener {
  /** The lobby as it is now. */
  lobby?(l: Lobby): void;
  /** `id` is the number of the event: after a lost connection a line may come again. */
  chat?(line: ChatLine & { announce: boolean; id: number }): void;
  kicked?(k: Kicked): void;
}

/**
 * Listens until it is closed, the signal aborts, or the server refuses. `url` has the events after a number;
 * `take` gets the value of each event, and its number.
 */
function listen(
  requests: Requests,
  url: (after?: number) => string,
  on: StreamListener,
  take: (kind: string, value: unknown, id: number) => void,
  signal?: AbortSignal,
): { close(): void } {
  const end = new AbortController();
  const close = () => {
    signal?.removeEventListener("abort", close);
    end.abort();
  };
  if (signal?.aborted) end.abort();
  signal?.addEventListener("abort", close, { once: true });
  void follow(requests, url, on, take, end.signal).finally(() => signal?.removeEventListener("abort", close));
  return { close };
}

/** Listens to what happens in a lobby. */
export const listenLobby = (
  requests: Requests,
  url: (after?: number) => string,
  on: LobbyListener,
  signal?: AbortSignal,
): { close(): void } =>
  listen(
    requests,
    url,
    on,
    (kind, value, id) => {
      if (kind === "lobby") on.lobby?.(value as Lobby);
      else if (kind === "chat" || kind === "announce")
        on.chat?.({ ...(value as ChatLine), announce: kind === "announce", id });
      else if (kind === "kicked") on.kicked?.(value as Kicked);
    },
    signal,
  );

/** Listens to where the account stands in matchmaking. */
export const listenStanding = (
  requests: Requests,
  url: () => string,
  on: StandingListener,
  signal?: AbortSignal,
): { close(): void } =>
  listen(
    requests,
    url,
    on,
    (kind, value) => {
      if (kind === "standing") on.standing?.(value as Standing);
    },
    signal,
  );

async function follow(
  requests: Requests,
  url: (after?: number) => string,
  on: StreamListener,
  take: (kind: string, value: unknown, id: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let after: number | undefined;
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const body = await requests.stream(url(after), signal);
      on.back?.();
      attempt = 0;
      await read(body, (e) => {
        if (/^\d+$/.test(e.id)) after = Number(e.id);
        tell(take, e, after ?? 0);
      });
    } catch (err) {
      if (signal.aborted) return;
      if (err instanceof FogkeepError && !err.retryable) {
        on.away?.();
        on.closed?.(err);
        return;
      }
    }
    if (signal.aborted) return;
    on.away?.();
    await quietly(backoff(attempt + 1, Math.random()), signal);
  }
}

async function read(body: ReadableStream<Uint8Array>, take: (e: ServerEvent) => void): Promise<void> {
  const reader = body.getReader();
  const text = new TextDecoder();
  const events = new EventReader(take);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      events.read(text.decode(part.value, { stream: true }));
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function tell(
  take: (kind: string, value: unknown, id: number) => void,
  { kind, data }: ServerEvent,
  id: number,
): void {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return; // an event that cannot be read is skipped: the next one of its kind is complete
  }
  take(kind, value, id);
}

/** Waits, or until the signal aborts. */
function quietly(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
