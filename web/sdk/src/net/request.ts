// Requests of the generated HTTP clients, over fetch.

import { FogkeepError } from "../base/errors.js";
import type { Problem } from "../gen/player.js";

/** Sends a request to the page's own server. A refusal rejects with its code and sentence. */
export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  let r: Response;
  try {
    r = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new FogkeepError(
      "unreachable",
      "The server does not answer. Check the connection and try again.",
      true,
    );
  }
  if (r.status === 204) return undefined as T;
  const text = await r.text();
  let data: unknown;
  try {
    data = text ? JSON.parse(text) : undefined;
  } catch {
    data = undefined;
  }
  if (r.ok) return data as T;
  const p = (data ?? {}) as Partial<Problem>;
  const said = p.detail || p.title || `The server answered ${r.status}`;
  throw new FogkeepError(
    p.code ?? `http_${r.status}`,
    asSentence(said),
    r.status >= 500 || r.status === 429,
    r.status,
  );
}

function asSentence(s: string): string {
  const t = s.trim();
  const head = t ? t[0].toUpperCase() + t.slice(1) : "Something went wrong";
  return /[.!?]$/.test(head) ? head : `${head}.`;
}
