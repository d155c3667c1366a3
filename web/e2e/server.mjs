// Starts the real binary on free loopback ports with a fresh data folder, and
// ends it by its own process id.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * @param {string} binary
 * @param {string | undefined} mapsDir folder of maps to import one of
 * @param {{ data: string, playUrl: string, adminUrl: string } | undefined} before a server that was killed: this one
 *   takes its place, with its data and addresses
 */
export async function startServer(binary, mapsDir, before) {
  const data = before?.data ?? mkdtempSync(join(tmpdir(), "fogkeep-e2e-"));
  const address = (/** @type {string | undefined} */ url) => (url ? new URL(url).host : "127.0.0.1:0");
  const imported = mapsDir ? importMap(binary, mapsDir, join(data, "maps")) : null;
  const child = spawn(
    binary,
    [
      "serve",
      "--addr",
      address(before?.playUrl),
      "--admin-addr",
      address(before?.adminUrl),
      "--metrics-addr",
      "127.0.0.1:0",
      "--data-dir",
      data,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "";
  let err = "";
  child.stderr.on("data", (d) => {
    err += d;
  });
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the server did not start in 20 s:\n${out}${err}`)),
        20_000,
      );
      child.stdout.on("data", (d) => {
        out += d;
        // For a first admin, the server's last line names the file with the new password.
        if (before ? /metrics\s+http/.test(out) : /admin password\s+in .+\n/.test(out)) {
          clearTimeout(timer);
          resolve();
        }
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`the server ended at once:\n${out}${err}`)));
    });
  } catch (e) {
    child.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true });
    throw e;
  }
  const find = (/** @type {RegExp} */ re) => {
    const m = re.exec(out);
    if (!m) throw new Error(`the server did not say ${re}:\n${out}`);
    return m[1];
  };
  return {
    playUrl: find(/play\s+(http\S+)/),
    adminUrl: find(/admin\s+(http\S+)/),
    adminPassword: before ? "" : readFileSync(find(/admin password\s+in (.+)/), "utf8").trim(),
    data,
    imported,
    log: () => out + err,
    /** Has it read its rulesets, maps and packs again. */
    reload: () => child.kill("SIGHUP"),
    /** Ends it as a power cut does; its data stays. */
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    /** Ends it as Ctrl-C does, and says how it went. */
    async stop() {
      child.kill("SIGINT");
      const kill = setTimeout(() => child.kill("SIGKILL"), 15_000);
      const how = await exited;
      clearTimeout(kill);
      rmSync(data, { recursive: true, force: true });
      return how;
    },
  };
}

/** Copies the real map with at least three starts whose first two are nearest. */
function importMap(binary, mapsDir, to) {
  const best = folders(mapsDir)
    .map((dir) => {
      try {
        return {
          dir,
          info: JSON.parse(
            execFileSync(binary, ["map", "info", "--json", dir], { stdio: ["ignore", "pipe", "ignore"] }),
          ),
        };
      } catch {
        return null; // not a map that can be played; the map tests say so
      }
    })
    .filter((m) => m !== null && m.info.starts.length >= 3)
    .map((m) => ({
      ...m,
      apart: Math.hypot(m.info.starts[0][0] - m.info.starts[1][0], m.info.starts[0][1] - m.info.starts[1][1]),
    }))
    .sort((a, b) => a.apart - b.apart)[0];
  if (!best) return null;
  mkdirSync(to, { recursive: true });
  cpSync(best.dir, join(to, best.info.name), { recursive: true });
  return best.info.name;
}

/** Folders that hold a map, at most two levels down. */
function folders(dir, depth = 2) {
  if (existsSync(join(dir, "game.map"))) return [dir];
  if (depth === 0) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((e) => e.isDirectory())
    .flatMap((e) => folders(join(dir, e.name), depth - 1));
}
