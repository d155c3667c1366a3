// The packed SDK, as an importer has it: unpacked into the node_modules of a folder without other parts of this
// repository. Our own pages, a bot and pages of other origins are made with it.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
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
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, preview } from "vite";
import { measure, sizesIn } from "../sdk/size.mjs";
import { setUp } from "./setup.mjs";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const EXAMPLES = ["sdk-bot", "sdk-2d", "sdk-renderer"];
const BOT_WITHIN_MS = 60_000;
const run = promisify(execFile);

// --- a guest's folder, and the pages on an origin of their own, before the server that lets them in
const guest = mkdtempSync(join(tmpdir(), "fogkeep-sdk-"));
const sdk = join(guest, "node_modules/@fogkeep/client");
after(() => rmSync(guest, { recursive: true, force: true }));
const packed = await pack();
for (const name of EXAMPLES) cpSync(join(WEB, "../examples", name), join(guest, name), { recursive: true });
writeFileSync(join(guest, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
writeFileSync(join(guest, "main.js"), 'import { Client } from "@fogkeep/client";\nwindow.Client = Client;\n');
await build({
  root: guest,
  configFile: false,
  logLevel: "error",
  build: {
    target: "es2022",
    rolldownOptions: { input: ["", ...EXAMPLES.slice(1)].map((name) => join(guest, name, "index.html")) },
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

/** Packs the SDK and unpacks it for the guest; returns the names of its files. */
async function pack() {
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--silent", "--workspace", "sdk", "--pack-destination", guest],
    { cwd: WEB },
  );
  const [{ filename, files }] = Object.values(JSON.parse(stdout.slice(stdout.search(/[[{]/))));
  mkdirSync(sdk, { recursive: true });
  await run("tar", ["-xzf", join(guest, filename), "--strip-components=1", "-C", sdk]);
  // The package's dependencies, from where they are installed.
  for (const name of ["@bufbuild", "ws"])
    symlinkSync(join(WEB, "node_modules", name), join(guest, "node_modules", name));
  return files.map((f) => f.path).sort();
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
  const plain = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [node],
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
  };
  writeFileSync(join(guest, "tsconfig.json"), JSON.stringify({ compilerOptions: plain, include: EXAMPLES }));
  const tsc = join(WEB, "node_modules/.bin/tsc");
  const checked = (file) => run(tsc, ["--project", join(guest, file)]).catch((e) => assert.fail(e.stdout));
  await Promise.all([
    checked("pages.json"),
    checked("tsconfig.json"),
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

test("a bot of thirty lines mines and attacks, in Node", { timeout: BOT_WITHIN_MS + 10_000 }, async () => {
  const file = join(guest, "sdk-bot/bot.js");
  assert.ok(readFileSync(file, "utf8").trimEnd().split("\n").length <= 30);
  const bot = spawn(process.execPath, [file, stage.server.playUrl], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  const late = setTimeout(() => bot.kill(), BOT_WITHIN_MS);
  const ended = new Promise((done) => bot.once("exit", done));
  const seen = () => {
    const ore = [...out.matchAll(/resources (\d+)/g)].map((m) => Number(m[1]));
    return ore.some((n, k) => k > 0 && n > ore[k - 1]) && /attack\w* of \d+: accepted/.test(out);
  };
  for (const stream of [bot.stdout, bot.stderr])
    stream.on("data", (d) => {
      out += d;
      if (seen()) bot.kill();
    });
  await ended;
  clearTimeout(late);
  assert.ok(seen(), out);
});

test("a client of sixty lines on a 2D canvas selects and sends units, from another origin", {
  timeout: 240_000,
}, async () => {
  const lines = readFileSync(join(guest, "sdk-2d/main.js"), "utf8").trimEnd().split("\n");
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  const url = `http://127.0.0.1:${port}/sdk-2d/index.html?server=${stage.server.playUrl}`;
  const page = await stage.open("2d", 600, 600, {}, url);
  // The lightest tiles are where the player's own units see.
  const base = await page.waitForFunction(() => {
    const canvas = document.querySelector("canvas");
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const lit = [];
    for (let i = 0; i < data.length; i += 4) if (data[i] === 80 && data[i + 1] === 100) lit.push(i / 4);
    if (lit.length < 500) return null;
    const mean = (of) => lit.reduce((sum, i) => sum + of(i), 0) / lit.length;
    const side = canvas.clientWidth / width;
    return { x: mean((i) => i % width) * side, y: mean((i) => Math.floor(i / width)) * side };
  });
  const { x, y } = await base.jsonValue();
  await page.mouse.click(x, y);
  assert.match(await page.textContent("output"), /^[1-9]\d* selected$/);
  await page.mouse.click(x + 30, y, { button: "right" });
  await page.waitForFunction(() => /^[1-9]\d* on their way$/.test(document.querySelector("output").value));
  await stage.shot(page, "sdk-2d");
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
  await stage.shot(page, "sdk-renderer");
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
