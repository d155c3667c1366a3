// A cluster of several nodes on one database, on loopback: each a process of its
// own that is ended by its own id.

import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "./postgres.mjs";

const OPEN_WITHIN_MS = 60_000;
const run = promisify(execFile);

/** Starts nodes n1, n2, … that keep the journals of their matches together. */
export async function startNodes(binary, count) {
  const dir = mkdtempSync(join(tmpdir(), "fogkeep-nodes-"));
  const database = await startPostgres();
  /** @type {Awaited<ReturnType<typeof startNode>>[]} */
  let nodes = [];
  const cluster = {
    nodes: () => nodes,
    /** The node with an address, or a socket's address. */
    at: (url) => nodes.find((n) => new URL(n.playUrl).host === new URL(url).host),
    /** Moves a live match, as an operator does; resolves when it runs there. */
    move: (match, node) =>
      run(binary, ["cluster", "move", "--admin-url", node.adminUrl, match, node.name], {
        env: { ...process.env, FOGKEEP_ADMIN_PASSWORD: password(nodes) },
      }),
    log: () => nodes.map((n) => `--- ${n.name}\n${n.log()}`).join("\n"),
    async stop() {
      await Promise.all(nodes.map((n) => n.kill()));
      await database.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  try {
    const members = [];
    for (let i = 1; i <= count; i++) members.push("--node", `n${i}=127.0.0.1:${await twoPorts()}`);
    execFileSync(binary, ["cluster", "init", join(dir, "cluster"), ...members], { stdio: "ignore" });
    nodes = members
      .filter((_, i) => i % 2 === 1)
      .map((member) => startNode(binary, member.split("=")[0], dir, database.url));
    await Promise.all(nodes.map((n) => n.opened));
    return cluster;
  } catch (err) {
    await cluster.stop();
    throw err;
  }
}

function startNode(binary, name, dir, database) {
  const own = ["--cluster", join(dir, "cluster", name), "--data-dir", join(dir, `data-${name}`)];
  const listeners = ["addr", "admin-addr", "metrics-addr"].flatMap((l) => [`--${l}`, "127.0.0.1:0"]);
  const child = spawn(binary, ["serve", ...own, ...listeners, "--database-url", database], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stderr.on("data", (d) => {
    err += d;
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const find = (/** @type {RegExp} */ re) => re.exec(out)?.[1] ?? "";
  const opened = new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ what) => reject(new Error(`${name} ${what}:\n${out}${err}`));
    const timer = setTimeout(() => fail("did not start in time"), OPEN_WITHIN_MS);
    child.stdout.on("data", (d) => {
      out += d;
      if (!/metrics\s+http/.test(out)) return;
      clearTimeout(timer);
      resolve(undefined);
    });
    child.once("error", reject);
    child.once("exit", () => {
      clearTimeout(timer);
      fail("ended at once");
    });
  });
  opened.catch(() => undefined); // startNodes waits for it
  return {
    name,
    opened,
    get playUrl() {
      return find(/play\s+(http\S+)/);
    },
    get adminUrl() {
      return find(/admin\s+(http\S+)/);
    },
    get adminPassword() {
      const file = find(/admin password\s+in (.+)/);
      return file && readFileSync(file, "utf8").trim();
    },
    log: () => out + err,
    /** Ends it as a power cut does. */
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Only the node that made the admin was told the password. */
const password = (nodes) => nodes.map((n) => n.adminPassword).find((p) => p !== "") ?? "";

/** A free port whose next one is free too. */
async function twoPorts() {
  for (;;) {
    const first = await listen(0);
    const { port } = /** @type {import("node:net").AddressInfo} */ (first.address());
    const second = await listen(port + 1).catch(() => null);
    await Promise.all([first, second].map((s) => s && new Promise((r) => s.close(r))));
    if (second) return port;
  }
}

function listen(port) {
  return new Promise((resolve, reject) => {
    const s = createServer().once("error", reject);
    s.listen(port, "127.0.0.1", () => resolve(s));
  });
}
