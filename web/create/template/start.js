// Starts a fogkeep server with its data in ./data, and serves the page. Both end together.

import { spawn } from "node:child_process";
import { createServer } from "vite";

const {
  FOGKEEP_BIN: program = "fogkeep",
  FOGKEEP_ADDR: address = "127.0.0.1:8080",
  PORT = "5173",
} = process.env;
process.env.VITE_SERVER = `http://${address}`; // the page reads it
const origins = `http://127.0.0.1:${PORT},http://localhost:${PORT}`;

const args = ["serve", "--addr", address, "--data-dir", "data", "--allowed-origins", origins];
const server = spawn(program, args, { stdio: "inherit" });
process.on("exit", () => server.kill());
process.on("SIGINT", () => {}); // a terminal sends it to the server too
process.on("SIGTERM", () => server.kill());
server.once("exit", (code) => process.exit(code ?? 1));
server.once("error", (err) => {
  if (err.code !== "ENOENT") throw err;
  console.error(`There is no program "${program}". Put the one of a release, or of make build, on PATH,`);
  console.error("or set FOGKEEP_BIN to its path. docs/start/install.md of fogkeep has the steps.");
  process.exit(1);
});
server.once("spawn", async () => {
  const pages = await createServer({ server: { host: "127.0.0.1", port: Number(PORT), strictPort: true } });
  await pages.listen();
  pages.printUrls();
});
