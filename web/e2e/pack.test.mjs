// A pack with rules of its own, a glTF model, a sprite, an icon, sounds and two languages: an admin uploads it to a server that
// runs, and publishes it; a player chooses it in a lobby and plays it, without a rebuild; the admin takes it back.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { live } from "./browser.mjs";
import { BIN, setUp } from "./setup.mjs";

const FROST = new URL("../../match/pack/testdata/frost", import.meta.url).pathname;

const stage = setUp();

test("a pack is uploaded, published, chosen in a lobby, played and taken back", async () => {
  const built = join(stage.server.data, "frost.fogpack");
  execFileSync(BIN, ["pack", "build", FROST, "-o", built, "--data-dir", stage.server.data]);
  const admin = await stage.open("packs", 1180, 760, {}, `${stage.server.adminUrl}/#packs`);
  await admin.fill("#name", "admin");
  await admin.fill("#password", stage.server.adminPassword);
  await admin.click("button[type=submit]");
  await admin.click('[data-do="upload-pack"]');
  const send = async (buffer) => {
    await admin.setInputFiles('dialog [name="file"]', { name: "frost.fogpack", mimeType: "", buffer });
    await admin.click("dialog button[type=submit]");
  };
  await send(Buffer.from("no zip"));
  await admin.waitForFunction(() => /no zip/.test(document.querySelector("dialog .error").textContent));
  await stage.shot(admin, "packs-refused");
  await send(readFileSync(built));
  await admin.getByRole("button", { name: "Publish" }).click();
  await admin.click("dialog button[type=submit]");
  await admin.click('[data-do="pack-scenario"]');
  await admin.selectOption('dialog [name="id"]', { label: "Breath of frost" });
  await admin.click("dialog button[type=submit]");
  assert.match(await admin.textContent("dialog .secret"), /#lobby=/);
  await admin.click("dialog .primary");
  await stage.shot(admin, "packs");

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

  await admin.getByRole("button", { name: "Take back" }).click();
  await admin.click("dialog button[type=submit]");
  await admin.getByRole("button", { name: "Publish" }).waitFor();
});
