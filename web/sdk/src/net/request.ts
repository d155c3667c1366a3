// Requests to a server's HTTP API, over fetch.

import { FogkeepError } from "../base/errors.js";
import type { CallOptions } from "../base/openapi.js";
import type { Problem } from "../gen/player.js";

export interface RequestOptions {
  /** Before each path: `https://play.example.org`; "" for the page's own server. */
  readonly server: string;
  /** Sent as `Authorization: Bearer`; empty or absent: the browser's cookie is the session. */
  token?(): string;
  readonly fetch?: typeof fetch;
}

/** Sends requests and reads their answers. A refusal rejects with its code. */
export class Requests {
  constructor(private readonly options: RequestOptions) {}

  /** As the generated clients call it. */
  readonly call = async <T>(
    method: string,
    path: string,
    body?: unknown,
    o: CallOptions = {},
  ): Promise<T> => {
    const headers: Record<string, string> = { ...o.headers };
    if (body !== undefined) headers["content-type"] = "application/json";
    const r = await this.send(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: o.signal,
    });
    if (r.status === 204) return undefined as T;
    const text = await ended(r.text(), o.signal);
    if (!r.ok) throw refusal(r.status, text);
    return parsed(text) as T;
  };

  /** Opens a stream of server-sent events; its answer is one of success. */
  async stream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const r = await this.send(path, { headers: { accept: "text/event-stream" }, signal });
    if (!r.ok) throw refusal(r.status, await ended(r.text(), signal));
    if (!r.body) throw unreachable();
    return r.body;
  }

  private async send(
    path: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<Response> {
    const { server, fetch: own } = this.options;
    const token = this.options.token?.() ?? "";
    if (token) init.headers.authorization = `Bearer ${token}`;
    // With a token no cookie is sent along, so that a page of another origin needs no leave for cookies.
    const credentials = this.options.token ? "omit" : "same-origin";
    return ended((own ?? fetch)(server + path, { ...init, credentials }), init.signal ?? undefined);
  }
}

/** The result of a part of a request; if it fails, the caller's error. */
async function ended<T>(part: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await part;
  } catch {
    if (signal?.aborted) throw signal.reason;
    throw unreachable();
  }
}

const unreachable = () => new FogkeepError("unreachable", "The server does not answer.", true);

function refusal(status: number, text: string): FogkeepError {
  const p = (parsed(text) ?? {}) as Partial<Problem>;
  const said = p.detail || p.title || `The server answered ${status}`;
  const retryable = status >= 500 || status === 429;
  return new FogkeepError(p.code ?? `http_${status}`, asSentence(said), retryable, status, p.field);
}

function parsed(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function asSentence(s: string): string {
  const t = s.trim();
  const head = t ? t[0].toUpperCase() + t.slice(1) : "Something went wrong";
  return /[.!?]$/.test(head) ? head : `${head}.`;
}
