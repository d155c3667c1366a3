// The browser of these tests, and pages of it.

import { chromium } from "playwright-core";

export const SLOW = 45_000;

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * A page of its own: own cookies, modest size, few frames asked of a machine without a GPU.
 * What it throws is added to `errors`; `more` is for the browser's context, as `hasTouch`.
 */
export async function open(browser, errors, url, name, width = 880, height = 560, more = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: "reduce",
    ...more,
  });
  // For a browser that has none yet: what a test chooses on the page stays.
  await context.addInitScript(() => {
    localStorage["fogkeep.settings"] ??= JSON.stringify({
      quality: "low",
      volumes: { master: 0 },
      coach: false,
    });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(SLOW);
  page.on("pageerror", (e) => errors.push(`${name}: ${e.stack ?? e.message}`));
  await page.goto(url);
  return page;
}

/** Waits until a page shows a match. */
export function live(page) {
  return page.waitForFunction(
    () => window.fogkeep.game?.frames > 3 && window.fogkeep.match.state.world.count > 3,
  );
}

/** Starts a match against a bot on the first map, from the title or the home screen, and waits until it is shown. */
export async function playBot(page, level = "medium") {
  await page.click('[data-do="play-bot"]');
  await page.click(`dialog .choice:has([value="${level}"])`);
  await page.click('[data-do="start-bot"]');
  await live(page);
}
