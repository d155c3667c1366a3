// The server that this page came from. The session is a cookie that scripts cannot read.

import { Client } from "@fogkeep/client";

export const server = new Client({
  server: globalThis.location?.origin ?? "http://localhost",
  session: "cookie",
});
export const { api } = server;
