// The packed SDK, as an importer has it: unpacked into the node_modules of a folder without other parts of this
// repository. Our own pages, a bot and pages of other origins are made with it.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, preview } from "vite";
import { measure, sizesIn } from "../sdk/size.mjs";
import { BIN, setUp } from "./setup.mjs";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const BOT_WITHIN_MS = 60_000;
const run = promisify(execFile);

// --- a guest's folder, and the pages on an origin of their own, before the server that lets them in
const guest = mkdtempSync(join(tmpdir(), "fogkeep-sdk-"));
const sdk = join(guest, "node_modules/@fogkeep/client");
after(() => rmSync(guest, { recursive: true, force: true }));
const [packed, creator] = await pack();
cpSync(join(WEB, "../examples/sdk-renderer"), join(guest, "sdk-renderer"), { recursive: true });
const game = await create(creator);
writeFileSync(join(guest, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
writeFileSync(join(guest, "main.js"), 'import { Client } from "@fogkeep/client";\nwindow.Client = Client;\n');
await build({
  root: guest,
  configFile: false,
  logLevel: "error",
  build: {
    target: "es2022",
    rolldownOptions: { input: ["", "sdk-renderer"].map((name) => join(guest, name, "index.html")) },
  },
});
const pages = [await serve(), await serve()];
const [port, unlistedPort] = pages.map((p) => p.httpServer.address().port);
process.env.FOGKEEP_ALLOWED_ORIGINS = `http://127.0.0.1:${port}`;
const stage = setUp({
  end: () => Promise.all(pages.map((p) => new Promise((done) => p.httpServer.close(done)))),
});

/** Serves the guest's pages on a port of their own. */
function serve() {
  return preview({
    root: guest,
    configFile: false,
    logLevel: "error",
    preview: { port: 0, host: "127.0.0.1" },
  });
}

/** Packs both packages, and unpacks the SDK for the guest; returns the name of the other file, and those of the SDK's. */
async function pack() {
  const { stdout } = await run(
    "npm",
    ["pack", "./sdk", "./create", "--json", "--silent", "--pack-destination", guest],
    { cwd: WEB },
  );
  const [client, create] = Object.values(JSON.parse(stdout.slice(stdout.search(/[[{]/))));
  mkdirSync(sdk, { recursive: true });
  await run("tar", ["-xzf", join(guest, client.filename), "--strip-components=1", "-C", sdk]);
  // The packages that the SDK and a new game need, from where they are installed.
  for (const name of ["@bufbuild", "ws", "@types", "typescript", "vite", ".bin"])
    symlinkSync(join(WEB, "node_modules", name), join(guest, "node_modules", name));
  return [client.files.map((f) => f.path).sort(), create.filename];
}

/** Makes a game by create-fogkeep, installed as `npm create` does; returns its folder. */
async function create(file) {
  const npx = join(guest, "npx");
  await run("npm", ["install", "--offline", "--silent", "--prefix", npx, join(guest, file)]);
  const make = (name) => run(join(npx, "node_modules/.bin/create-fogkeep"), [name], { cwd: guest });
  await make("game");
  for (const [name, why] of [
    ["game", /game: the folder exists/],
    ["My game", /My game: a name of a-z/],
    ["none/game", /none: there is no such folder/],
  ])
    await assert.rejects(make(name), ({ stderr }) => why.test(stderr), name);
  return join(guest, "game");
}

/** Keeps a picture; UPDATE=1 makes it the one of a README. */
const picture = (page, file) =>
  process.env.UPDATE
    ? page.screenshot({ path: join(WEB, "..", file) })
    : stage.shot(page, basename(dirname(file)));

/** An address of this machine with a free port. */
async function freeAddress() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}

/** A running program with its output, and a process group of its own as in a terminal. The end of the tests ends it. */
class Program {
  out = "";

  constructor(file, args, options) {
    this.child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.ended = once(this.child, "exit").then(([code]) => code);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (d) => {
        this.out += d;
        this.child.emit("said");
      });
    after(() => this.end());
  }

  /** Waits for an output. */
  async says(what) {
    const said = typeof what === "function" ? what : (out) => what.test(out);
    const late = AbortSignal.timeout(BOT_WITHIN_MS);
    while (!said(this.out))
      await Promise.race([
        once(this.child, "said", { signal: late }).catch(() => assert.fail(`not in time: ${this.out}`)),
        this.ended.then((code) => said(this.out) || assert.fail(`ended with ${code}: ${this.out}`)),
      ]);
  }

  /** Interrupts its group, as a terminal does. */
  end() {
    if (this.child.exitCode === null && this.child.signalCode === null)
      process.kill(-this.child.pid, "SIGINT");
    return this.ended;
  }
}

/** The file and its imports in the unpacked package. */
function reachable(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, to] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g))
    reachable(join(dirname(file), to.replace(/\.js$/, ".d.ts")), found);
  return found;
}

test("the package has what it names, and no message of the wire in the types of its main entry", () => {
  for (const file of ["README.md", "CHANGELOG.md", "LICENSE", "package.json"])
    assert.ok(packed.includes(file), file);
  assert.deepEqual(
    packed.filter((f) => /test|fixture\.ts|^src/.test(f) && !/^dist\/(testing|state\/fixture)\./.test(f)),
    [],
  );
  const { exports } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"));
  for (const entry of Object.values(exports))
    for (const file of typeof entry === "string" ? [entry] : Object.values(entry))
      assert.ok(existsSync(join(sdk, file)), file);
  const types = [...reachable(join(sdk, "dist/index.d.ts"))];
  assert.ok(types.length > 20);
  assert.deepEqual(
    types.filter((f) => f.includes("/gen/fogkeep/") || readFileSync(f, "utf8").includes("@bufbuild")),
    [],
  );
});

test("its size is what its pages say, and who needs a part of it loads that part", {
  timeout: 240_000,
}, async () => {
  const sizes = await measure(sdk);
  for (const page of [join(sdk, "README.md"), join(WEB, "../docs/contributing/client.md")])
    for (const [what, said] of Object.entries(sizesIn(readFileSync(page, "utf8")))) {
      assert.ok(
        Math.abs(said - sizes[what]) <= sizes[what] / 10,
        `${page} says ${said} for ${what}: it is ${sizes[what]}; run node sdk/size.mjs --write`,
      );
    }
  assert.ok(sizes["lobby alone"] < sizes.everything / 3, JSON.stringify(sizes));
  assert.ok(sizes["a map's bytes"] < sizes.everything / 20, JSON.stringify(sizes));
});

test("our own pages and the examples are made of it", { timeout: 240_000 }, async () => {
  const paths = {
    "@fogkeep/client": [join(sdk, "dist/index.d.ts")],
    "@fogkeep/client/*": [join(sdk, "dist/*.d.ts")],
  };
  const node = join(WEB, "node_modules/@types/node");
  const config = {
    extends: join(WEB, "tsconfig.json"),
    compilerOptions: { paths, types: [node, join(WEB, "node_modules/vite/client")] },
    include: [join(WEB, "src")],
    exclude: [join(WEB, "src/**/*.test.ts*")],
  };
  writeFileSync(join(guest, "pages.json"), JSON.stringify(config));
  const plain = { allowJs: true, checkJs: true };
  const example = { extends: "./game/tsconfig.json", compilerOptions: plain, include: ["sdk-renderer"] };
  writeFileSync(join(guest, "tsconfig.json"), JSON.stringify(example));
  const tsc = join(WEB, "node_modules/.bin/tsc");
  const checked = (file) => run(tsc, ["--project", join(guest, file)]).catch((e) => assert.fail(e.stdout));
  await Promise.all([
    checked("pages.json"),
    checked("tsconfig.json"),
    checked("game"),
    run(
      join(WEB, "node_modules/.bin/vite"),
      ["build", "--outDir", join(guest, "site"), "--logLevel", "error"],
      {
        cwd: WEB,
        env: { ...process.env, FOGKEEP_SDK: sdk },
      },
    ),
  ]);
  assert.ok(readdirSync(join(guest, "site/assets")).length > 5);
});

test("a new game has our versions of its packages, and says where its server is missing", async () => {
  const [made, ours, client] = [
    join(game, "package.json"),
    join(WEB, "package.json"),
    join(sdk, "package.json"),
  ].map((file) => JSON.parse(readFileSync(file, "utf8")));
  assert.equal(creator, `create-fogkeep-${client.version}.tgz`);
  assert.equal(made.name, "game");
  assert.deepEqual(made.dependencies, { "@fogkeep/client": `^${client.version}` });
  for (const [name, version] of Object.entries(made.devDependencies))
    assert.equal(version, ours.devDependencies[name], name);
  const env = { ...process.env, FOGKEEP_BIN: "/none/fogkeep" };
  await assert.rejects(
    run(process.execPath, ["start.js"], { cwd: game, env }),
    ({ code, stderr }) => code === 1 && /no program "\/none\/fogkeep".*\n.*install\.md/.test(stderr),
  );
});

test("a new game starts a server on PATH; its page selects and sends units, its bot mines and attacks", {
  timeout: 240_000,
}, async () => {
  const [address, admin] = [await freeAddress(), await freeAddress()];
  const PORT = new URL(`http://${await freeAddress()}`).port;
  const PATH = `${dirname(resolve(BIN))}:${dirname(process.execPath)}:${process.env.PATH}`;
  const { FOGKEEP_BIN, FOGKEEP_ALLOWED_ORIGINS, ...outside } = process.env;
  const settings = { FOGKEEP_ADDR: address, FOGKEEP_ADMIN_ADDR: admin, FOGKEEP_METRICS_ADDR: "127.0.0.1:0" };
  const options = {
    cwd: game,
    env: { ...outside, ...settings, PATH, PORT },
    stdio: ["ignore", "pipe", "pipe"],
  };
  const started = new Program(process.execPath, ["start.js"], options);
  await started.says(/"players"|play +http/);
  await started.says(/Local/); // Vite colours the word where CI is set

  const page = await stage.open("2d", 600, 600, {}, `http://localhost:${PORT}/`);
  // The lightest tiles are where the player's own units see.
  const base = await page.waitForFunction(
    () => {
      const canvas = document.querySelector("canvas");
      const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const lit = [];
      for (let i = 0; i < data.length; i += 4) if (data[i] === 80 && data[i + 1] === 100) lit.push(i / 4);
      if (lit.length < 500) return null;
      const mean = (of) => lit.reduce((sum, i) => sum + of(i), 0) / lit.length;
      const side = canvas.clientWidth / width;
      return { x: mean((i) => i % width) * side, y: mean((i) => Math.floor(i / width)) * side };
    },
    undefined,
    { polling: 100 },
  );
  const { x, y } = await base.jsonValue();
  await page.mouse.click(x, y);
  assert.match(await page.textContent("output"), /^[1-9]\d* selected$/);
  await page.mouse.click(x + 30, y, { button: "right" });
  await page.waitForFunction(
    () => /^[1-9]\d* on their way$/.test(document.querySelector("output").value),
    undefined,
    { polling: 100 },
  );
  await picture(page, "web/create/template/page.png");
  await page.close();

  const { Client } = await import(join(sdk, "dist/node.js"));
  const host = new Client({ server: `http://${address}` });
  await host.guest();
  const lobby = await host.api.createLobby({
    name: "game",
    map: "twin-fords",
    options: { speedPercent: 300, countdownSeconds: 0 },
  });
  const bot = new Program("npm", ["run", "--silent", "bot", "--", lobby.id], options);
  const ready = new Promise((done) => {
    const events = host.listen(lobby.id, {
      lobby({ seats }) {
        if (!seats.some((s) => s.name === "My bot" && s.ready)) return;
        events.close();
        done();
      },
    });
  });
  await Promise.race([ready, bot.ended.then(() => assert.fail(bot.out))]);
  await host.api.startMatch(lobby.id);
  await bot.says(/attack\w* of \d+: accepted/);
  await bot.says((out) => {
    const ore = [...out.matchAll(/resources (\d+)/g)].map((m) => Number(m[1]));
    return ore.some((n, k) => k > 0 && n > ore[k - 1]);
  });
  await bot.end();
  assert.equal(await started.end(), 0, "the server ends cleanly");
  assert.ok(existsSync(join(game, "data")), "the server has its data in the game's folder");
});

test("two renderers of one's own draw one match, and each its own fog", { timeout: 240_000 }, async () => {
  const url = `http://127.0.0.1:${port}/sdk-renderer/index.html?server=${stage.server.playUrl}`;
  const page = await stage.open("renderer", 600, 500, {}, url);
  const [field, minimap] = await Promise.all(
    ["#field", "#minimap"].map(async (id) => {
      const drawn = await page.waitForFunction((id) => {
        const own = document.querySelectorAll(`${id} .own`).length;
        const rows = [...document.querySelectorAll(`${id} .fog`)].map((e) => e.getAttribute("d").length);
        return own > 10 && rows.length > 50 ? { own, rows } : null;
      }, id);
      return drawn.jsonValue();
    }),
  );
  assert.equal(field.own, minimap.own);
  assert.equal(field.rows.length, minimap.rows.length);
  assert.ok(new Set(field.rows).size > 3, "the fog has a hole");
  await picture(page, "examples/sdk-renderer/picture.png");
});

test("a page of an origin that is listed plays; one that is not is refused by API and socket", {
  timeout: 240_000,
}, async () => {
  const server = stage.server.playUrl;
  const listed = await stage.open("listed", 300, 200, {}, `http://127.0.0.1:${port}/`);
  const unlisted = await stage.open("unlisted", 300, 200, {}, `http://127.0.0.1:${unlistedPort}/`);
  const told = [];
  unlisted.on("console", (m) => told.push(m.text()));
  for (const page of [listed, unlisted]) await page.waitForFunction(() => window.Client);

  const mine = await listed.evaluate(async (server) => {
    const client = new Client({ server });
    await client.guest();
    const lobby = (await client.playBot("easy")).id;
    return { token: client.token, lobby, ticket: await client.ticket(lobby) };
  }, server);

  // It knows everything that the other page knows.
  const refused = await unlisted.evaluate(
    async ({ server, token, lobby, ticket }) => {
      const code = (work) =>
        work.then(
          () => "played",
          (e) => e.code ?? e.name,
        );
      const headers = { Authorization: `Bearer ${token}` };
      return {
        guest: await code(new Client({ server }).guest()),
        play: await code(new Client({ server, token }).play(lobby, { signal: AbortSignal.timeout(5000) })),
        plain: await code(fetch(`${server}/api/maps`)),
        asked: await code(fetch(`${server}/api/me`, { headers })),
        socket: await code(
          new Client({ server, token }).connect({ ticket, signal: AbortSignal.timeout(3000) }),
        ),
      };
    },
    { server, ...mine },
  );
  for (const [what, code] of Object.entries(refused)) assert.notEqual(code, "played", what);
  assert.equal(refused.plain, "TypeError");
  assert.equal(refused.asked, "TypeError");
  assert.ok(
    told.some((t) => /WebSocket.*403/.test(t)),
    told.join("\n"),
  );
  assert.ok(
    told.some((t) => /api\/maps.*CORS/.test(t)),
    told.join("\n"),
  );

  // The ticket was good all the time.
  const seen = await listed.evaluate(
    async ({ server, token, ticket }) => {
      const match = await new Client({ server, token }).connect({ ticket });
      const begun = match.state.tick;
      for (let n = 0; n < 100 && match.state.tick < begun + 3; n++)
        await new Promise((ok) => setTimeout(ok, 100));
      return { ticks: match.state.tick - begun, units: match.state.world.count };
    },
    { server, ...mine },
  );
  assert.ok(seen.ticks >= 3 && seen.units > 3, JSON.stringify(seen));
});
