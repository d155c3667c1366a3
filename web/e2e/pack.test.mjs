// A pack with rules of its own, a glTF model, a sprite, an icon, sounds and two languages: added to a server that runs,
// published, chosen in a lobby, and played, without a rebuild.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { live } from "./browser.mjs";
import { BIN, setUp } from "./setup.mjs";

const FROST = new URL("../../match/pack/testdata/frost", import.meta.url).pathname;

const stage = setUp();

/** Asks the admins' API until the answer is as wanted. */
async function admin(method, path, body, done = () => true) {
  for (let tries = 0; ; tries++) {
    const r = await fetch(`${stage.server.adminUrl}/admin/api/${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(admin.token && { authorization: `Bearer ${admin.token}` }),
      },
      body: body && JSON.stringify(body),
    });
    assert.ok(r.ok, `${path}: ${r.status} ${await r.clone().text()}`);
    const answer = r.status === 204 ? null : await r.json();
    if (done(answer)) return answer;
    assert.ok(tries < 200, `${path}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50)); // the server tells nobody that it has read its folder
  }
}

test("a pack is added, published, chosen in a lobby and played", async () => {
  execFileSync(BIN, ["pack", "add", FROST, "--data-dir", stage.server.data]);
  stage.server.reload();
  const login = { name: "admin", password: stage.server.adminPassword, bearer: true };
  admin.token = (await admin("POST", "login", login)).token;
  const { packs } = await admin("GET", "packs", undefined, (list) => list.packs.length === 1);
  await admin("POST", `packs/${packs[0].hash}/publish`);

  const page = await stage.open("pack", 960, 600, { locale: "de-DE", everyPixel: true });
  const loaded = [];
  page.on("response", (r) => {
    if (/\/packs\//.test(r.url())) loaded.push(r.headers()["content-type"]);
  });
  await page.fill("#name", "Ada");
  await page.fill("#password", "a lamp in the valley");
  await page.click('[data-do="register"]');
  await page.waitForSelector('[data-do="create"]');
  await page.waitForFunction(() => document.querySelector('#lobby-map option[value="frozen-lake"]'));
  await page.selectOption("#lobby-map", "frozen-lake");
  await page.fill("#lobby-name", "Lake");
  await page.click(".create summary");
  assert.match(await page.textContent('#lobby-ruleset option[value="frost"]'), /Frostfall/);
  await page.selectOption("#lobby-ruleset", "frost");
  await page.click('button[data-do="create"]');
  await page.click('[data-do="add-bot"]');
  await page.waitForFunction(() => document.querySelectorAll(".seat[data-seat]").length === 2);
  await page.click('[data-do="start"]');
  await live(page);
  assert.deepEqual(
    loaded.sort(),
    ["application/json", "audio/wav", "audio/wav", "image/png", "model/gltf-binary"].sort(),
    "each file is loaded once, before the match is shown; the icon when a panel shows it",
  );

  const shown = await page.evaluate(() => {
    const { game, match } = window.fogkeep;
    const { world, info } = match.state;
    const own = (name) => {
      const type = info.rules.types.findIndex((t) => t.name === name);
      for (let s = 0; s < world.high; s++) {
        if (world.ids[s] !== 0 && world.type[s] === type && world.owner[s] === info.slot) return { type, s };
      }
      return { type, s: -1 };
    };
    const golem = own("golem");
    const scout = own("scout");
    game.selection.set([world.ids[golem.s]]);
    game.renderer.camera.distance = 16;
    game.renderer.camera.jump(world.posX(golem.s) / 1024, world.posY(golem.s) / 1024);
    const vertices = (type) =>
      game.renderer.layers.units.batches[type].mesh.geometry.getAttribute("position").count;
    return { golem: vertices(golem.type), scout: vertices(scout.type), found: golem.s >= 0 && scout.s >= 0 };
  });
  assert.ok(shown.found, "the player begins with golems and sleds");
  assert.equal(shown.golem, 5 * 8 * 3, "the golem is the pack's glTF");
  assert.equal(shown.scout % 6, 0);
  assert.ok(shown.scout > 600, `the sled is a plate for each pixel: ${shown.scout}`);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("img.portrait")].some(
      (i) => i.src.includes("/packs/") && i.complete && i.naturalWidth === 64,
    ),
  );
  await page.waitForFunction(() => document.body.textContent.includes("Eisgolem"));
  await stage.shot(page, "pack");
});
