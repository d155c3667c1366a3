// A private PostgreSQL server for one file of tests, as internal/pgtest has it for
// Go: on a socket in a folder of its own, in memory, without durability.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts it. `url` is a new database; `stop` ends it. `TEST_POSTGRES` names a server to use instead. */
export async function startPostgres() {
  const name = `e2e_${process.pid}`;
  const given = process.env.TEST_POSTGRES;
  if (given) {
    psql(given, `CREATE DATABASE ${name}`);
    return {
      url: `${given} dbname=${name}`,
      stop: async () => psql(given, `DROP DATABASE ${name} WITH (FORCE)`),
    };
  }
  const dir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "pg")); // a socket's path is short
  // It ends with this process, however that ends, and is not root: PostgreSQL refuses that.
  const before = ["--pdeathsig", "QUIT"];
  if (process.getuid?.() === 0) {
    before.push("--reuid", "postgres", "--regid", "postgres", "--clear-groups");
    execFileSync("chown", ["postgres:postgres", dir]);
  }
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  const data = join(dir, "d");
  const options = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync("setpriv", [...before, bin("initdb"), ...options], { cwd: dir, env, stdio: "ignore" });
  const settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB"];
  const args = ["-D", data, "-k", dir, "-h", "", ...settings.flatMap((s) => ["-c", s])];
  const child = spawn("setpriv", [...before, bin("postgres"), ...args], { cwd: dir, env, stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const base = `host=${dir} user=postgres`;
  for (let tries = 0; ; tries++) {
    try {
      psql(base, `CREATE DATABASE ${name}`);
      break;
    } catch (err) {
      if (tries > 200) throw err;
      await new Promise((r) => setTimeout(r, 50));
    }
  }
  return {
    url: address(base, name),
    async stop() {
      child.kill("SIGQUIT");
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A database's address, from what libpq calls a conninfo without one. */
const address = (conninfo, name) =>
  `postgres:///${name}?${new URLSearchParams(conninfo.split(/\s+/).map((pair) => pair.split("=")))}`;

const psql = (conninfo, statement) =>
  execFileSync(bin("psql"), [`${conninfo} dbname=postgres`, "-qc", statement], { stdio: "ignore" });

/** The path of one of PostgreSQL's programs: Debian does not put them on PATH. */
function bin(program) {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(a) - Number(b)) : [];
  const dir =
    process.env.PG_BIN ?? (versions.length > 0 ? join(root, versions[versions.length - 1], "bin") : "");
  return join(dir, program);
}
