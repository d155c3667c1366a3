// Log-ins by an OpenID provider that the test runs: a guest becomes an account,
// a second log-in finds it, links and unlinks, a refusal is told. On a server whose
// own log-in is off, the provider is the only way in.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startServer } from "./server.mjs";
import { BIN, setUp } from "./setup.mjs";

const CLIENT = "fogkeep";
const SECRET = randomUUID();

const b64 = (v) => Buffer.from(typeof v === "string" ? v : JSON.stringify(v)).toString("base64url");

/** An OpenID provider that takes everybody's word for who he is. */
async function startProvider() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map();
  const server = createServer(async (req, res) => {
    const url = new URL(req.url, at);
    const json = (v, status = 200) => {
      res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(v));
    };
    if (url.pathname === "/.well-known/openid-configuration") {
      json({
        issuer: at,
        authorization_endpoint: `${at}/authorize`,
        token_endpoint: `${at}/token`,
        jwks_uri: `${at}/keys`,
      });
    } else if (url.pathname === "/keys") {
      json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
    } else if (url.pathname === "/authorize" && !url.searchParams.has("person")) {
      res.writeHead(200, { "Content-Type": "text/html" });
      const link = (who) =>
        `<a id="${who}" href="${url.href.replace(/&/g, "&amp;")}&amp;person=${who}">${who}</a> `;
      res.end(
        `<!doctype html><title>Provider</title><h1>Who are you?</h1>${["ada", "adele", "nobody"].map(link)}`,
      );
    } else if (url.pathname === "/authorize") {
      const asked = Object.fromEntries(url.searchParams);
      const back = new URL(asked.redirect_uri);
      back.searchParams.set("state", asked.state);
      if (asked.person === "nobody") back.searchParams.set("error", "access_denied");
      else {
        const code = randomUUID();
        codes.set(code, asked);
        back.searchParams.set("code", code);
      }
      res.writeHead(303, { Location: back.href }).end();
    } else if (url.pathname === "/token") {
      let body = "";
      for await (const part of req) body += part;
      const form = new URLSearchParams(body);
      const asked = codes.get(form.get("code"));
      codes.delete(form.get("code"));
      const challenge = createHash("sha256").update(form.get("code_verifier")).digest("base64url");
      const basic = `Basic ${Buffer.from(`${CLIENT}:${SECRET}`).toString("base64")}`;
      if (asked?.code_challenge !== challenge || req.headers.authorization !== basic) {
        json({ error: "invalid_grant" }, 400);
        return;
      }
      const now = Math.floor(Date.now() / 1000);
      const { person, nonce } = asked;
      const claims = {
        iss: at,
        sub: person,
        aud: CLIENT,
        exp: now + 60,
        iat: now,
        nonce,
        preferred_username: `${person}@example.org`,
      };
      const told = `${b64({ alg: "RS256", kid: "1" })}.${b64(claims)}`;
      json({
        access_token: "x",
        token_type: "Bearer",
        id_token: `${told}.${sign("sha256", Buffer.from(told), privateKey).toString("base64url")}`,
      });
    } else json({}, 404);
  });
  await new Promise((up) => server.listen(0, "127.0.0.1", up));
  const at = `http://127.0.0.1:${server.address().port}`;
  return { at, close: () => server.close() };
}

const provider = await startProvider();
const folder = mkdtempSync(join(tmpdir(), "fogkeep-identity-"));
const file = join(folder, "providers.json");
writeFileSync(
  file,
  JSON.stringify({
    providers: [
      {
        id: "studio",
        name: "Studio account",
        kind: "oidc",
        issuer: provider.at,
        clientId: CLIENT,
        secretEnv: "E2E_SECRET",
      },
    ],
  }),
);
process.env.E2E_SECRET = SECRET;
process.env.FOGKEEP_IDENTITY_FILE = file;
after(() => {
  provider.close();
  rmSync(folder, { recursive: true });
});

const stage = setUp();

const me = (page) => page.evaluate(async () => (await (await fetch("/api/me")).json()).account);

/** Goes through the provider's pages as a person, back to the game. */
async function as(page, who, url = stage.server.playUrl) {
  await page.waitForURL(`${provider.at}/**`);
  await page.click(`#${who}`);
  await page.waitForURL(`${url}/**`);
  await page.waitForFunction(() => document.querySelector("main.screen > *"));
}

test("log-in by a provider, links, and own log-in switched off", { timeout: 240_000 }, async () => {
  const page = await stage.open("identity", 1024, 700);
  await page.waitForSelector('[data-do="continue-studio"]');
  await stage.shot(page, "identity-title");

  // The provider says no: the page says so, and the address is clean.
  await page.click('[data-do="continue-studio"]');
  await as(page, "nobody");
  assert.match(await page.textContent(".toast"), /did not log you in/);
  assert.equal(new URL(page.url()).search, "");

  // A guest continues with the provider, and stays who it was.
  await page.fill("#name", "unused");
  await page.click('[data-do="guest"]');
  await page.waitForSelector('.create [data-do="continue-studio"]');
  await stage.shot(page, "identity-guest");
  const guest = await me(page);
  await page.click('.create [data-do="continue-studio"]');
  await as(page, "ada");
  const ada = await me(page);
  assert.equal(ada.id, guest.id);
  assert.equal(ada.guest, false);
  assert.equal(ada.name, "ada"); // of the provider, without the rest of an address

  // The same person in another browser is the same account.
  const other = await stage.open("identity-other", 700, 700);
  await other.click('[data-do="continue-studio"]');
  await as(other, "ada");
  assert.equal((await me(other)).id, guest.id);

  // The account page: the last way in stays, a password is a second one, then it can go, and come back.
  await page.click('[data-do="account"]');
  await page.waitForSelector('dialog [data-do="unlink"]');
  assert.equal(await page.$("#old-password"), null);
  await page.click('dialog [data-do="unlink"]');
  await page.waitForFunction(() =>
    /only way/.test(document.querySelector("dialog .error")?.textContent ?? ""),
  );
  await stage.shot(page, "identity-account");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click('dialog [data-do="export"]')]);
  const stored = JSON.parse(Buffer.concat(await (await file.createReadStream()).toArray()).toString());
  assert.deepEqual([stored.account[0].name, stored.identities[0].subject], ["ada", "ada"]);
  await page.fill("#next-password", "difference engine");
  await page.click('dialog form:has(#next-password) button[type="submit"]');
  await page.waitForSelector("#old-password");
  await page.click('dialog [data-do="unlink"]');
  await page.waitForSelector('dialog [data-do="link-studio"]');
  await page.click('dialog [data-do="link-studio"]');
  await as(page, "adele");
  assert.match(await page.textContent(".toast"), /linked with your account/);
  assert.equal((await me(page)).id, guest.id);
  const { identities } = await page.evaluate(async () => (await fetch("/api/me/identities")).json());
  assert.deepEqual(
    identities.map((i) => i.subject),
    ["adele"],
  );

  // Without the server's own log-in and guests, the provider is the only way in.
  process.env.FOGKEEP_ALLOW = "none";
  const closed = await startServer(BIN);
  try {
    const page = await stage.open("identity-closed", 1024, 700, {}, closed.playUrl);
    await page.waitForSelector('[data-do="continue-studio"]');
    for (const gone of ["play-bot", "guest", "login", "register"])
      await page.waitForSelector(`[data-do="${gone}"]`, { state: "detached" });
    await stage.shot(page, "identity-closed");
    await page.click('[data-do="continue-studio"]');
    await as(page, "ada", closed.playUrl);
    assert.equal((await me(page)).name, "ada");
  } finally {
    await closed.stop();
  }
});
