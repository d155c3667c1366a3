// The package in Node: the same, with a socket for the versions of Node without one. The optional package `ws` is
// loaded with the first connection, and only there.

import { createRequire } from "node:module";
import { type Socket, setFallbackSocket } from "./net/socket.js";

const require = createRequire(import.meta.url);
let Ws: (new (url: string) => Socket) | undefined;

setFallbackSocket((url) => {
  Ws ??= require("ws") as new (url: string) => Socket;
  return new Ws(url);
});

export * from "./index.js";
