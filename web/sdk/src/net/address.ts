// The addresses that a server names: of the server that has a match now.

/** A longer one is invalid. */
const ADDRESS_MAX = 512;
/** Replays have a socket of their own, below the matches' socket. */
export const REPLAY_PATH = "/replay";
/** The permitted form of an address, without characters that a parser would have to mend. */
const PLAIN = /^(https?|wss?):\/\/[A-Za-z0-9._:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/i;

/**
 * The websocket of a server that was named over the connection `over`, itself a websocket's address; "" if it is
 * not to be followed. `http://` and `https://` are a server, whose sockets are at its `/ws`, and for replays at
 * `/ws/replay` (where `over` is one); `ws://` and `wss://` are the socket. Over TLS no address without TLS is
 * taken: the right to a seat never leaves it.
 */
export function socketAddress(told: string, over: string): string {
  if (told.length > ADDRESS_MAX || !PLAIN.test(told) || told.includes("/.")) return "";
  let url: URL;
  try {
    url = new URL(told.replace(/^http/i, "ws"));
  } catch {
    return "";
  }
  if (url.protocol === "ws:" && isSecure(over)) return "";
  const socket = over.endsWith(REPLAY_PATH) ? `/ws${REPLAY_PATH}` : "/ws";
  if (/^http/i.test(told)) url.pathname = `${url.pathname.replace(/\/+$/, "")}${socket}`;
  else if (url.pathname === "/") url.pathname = "/ws";
  return url.href;
}

/** Whether a socket's address is one with TLS. */
export const isSecure = (address: string): boolean => /^wss:/i.test(address);
