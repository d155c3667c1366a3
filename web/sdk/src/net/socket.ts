// The socket that a link opens by default: the platform's, or the choice of the package's entry for Node (node.ts).

import { FogkeepError } from "../base/errors.js";

/** The SDK's part of a websocket; a browser's and the one of `ws` have it. */
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

let fallback: SocketFactory | null = null;

/** Sets what makes sockets where the platform has no `WebSocket`. */
export function setFallbackSocket(make: SocketFactory): void {
  fallback = make;
}

/** Opens a socket of the platform, or else by the fallback. Throws `no_socket` if there is neither. */
export const openSocket: SocketFactory = (url) => {
  const { WebSocket } = globalThis as { WebSocket?: new (url: string) => unknown };
  if (WebSocket) return new WebSocket(url) as Socket;
  if (fallback) return fallback(url);
  throw new FogkeepError("no_socket", "This platform has no WebSocket: give connect a socket.");
};
