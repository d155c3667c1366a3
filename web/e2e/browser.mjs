// The browser of these tests, and its pages.

import { chromium } from "playwright-core";

export const SLOW = 90_000;

/** @param {string[]} more flags of the browser */
const options = (more) => ({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...more,
  ],
});

/**
 * A browser, or the one of run.mjs. Its end is the end of the caller's pages alone.
 *
 * @param {string[]} [more] flags of the browser, which then is the caller's alone
 */
export function launch(more = []) {
  const shared = process.env.SHARED_BROWSER;
  return shared && more.length === 0 ? chromium.connect(shared) : chromium.launch(options(more));
}

/** Starts a browser for several processes. */
export const serve = () => chromium.launchServer(options([]));

/** From frame to frame of a page that asks for no other: without a GPU each takes a processor 50 ms. */
const FRAME_MS = 500;

/** Lets a page draw every so many milliseconds, at most. */
function drawSeldom(periodMs) {
  const request = window.requestAnimationFrame;
  const cancel = window.cancelAnimationFrame;
  const waiting = new Map(); // by number: what drops it
  let lastMs = Number.NEGATIVE_INFINITY;
  let numbers = 0;
  window.requestAnimationFrame = (draw) => {
    const number = ++numbers;
    const next = () => {
      const frame = request((now) => {
        waiting.delete(number);
        lastMs = now;
        draw(now);
      });
      waiting.set(number, () => cancel(frame));
    };
    const waitMs = lastMs + periodMs - performance.now();
    if (waitMs > 0) {
      const timer = setTimeout(next, waitMs);
      waiting.set(number, () => clearTimeout(timer));
    } else next();
    return number;
  };
  window.cancelAnimationFrame = (number) => {
    waiting.get(number)?.();
    waiting.delete(number);
  };
}

/**
 * Pixels of the field for one of the page, each way: without a GPU half of a frame's time goes to pixels, which few
 * tests look at. The rest of the page, and its layout, are as they are with one.
 */
const FIELD_RATIO = 0.5;

/** Lets a page draw its field with fewer pixels. */
function drawCoarsely(ratio) {
  Object.defineProperty(window, "devicePixelRatio", { get: () => ratio });
}

/**
 * A separate page: own cookies, modest size, few frames and few pixels, since the machine has no GPU. The page's errors
 * are added to `errors`; `more` is for the browser's context, as `hasTouch`. `frameMs` is from frame to frame, at least: 0
 * for tests that measure frames. With `everyPixel` it draws as finely as on a screen, for tests that look at the field's
 * pixels. With `backdrop` the page has the scene behind the screens, which takes a processor two seconds.
 */
export async function open(browser, errors, url, name, width = 880, height = 560, more = {}) {
  const { frameMs = FRAME_MS, everyPixel, backdrop, quality = "low", ...options } = more;
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: "reduce",
    ...options,
  });
  if (frameMs > 0) await context.addInitScript(drawSeldom, frameMs);
  if (!everyPixel) await context.addInitScript(drawCoarsely, FIELD_RATIO);
  // For a browser without settings: a choice that a test makes on the page stays.
  await context.addInitScript((quality) => {
    localStorage["fogkeep.settings"] ??= JSON.stringify({ quality, volumes: { master: 0 }, coach: false });
  }, quality);
  const page = await context.newPage();
  if (!backdrop) {
    const cdp = await context.newCDPSession(page);
    await cdp.send("Network.enable");
    await cdp.send("Network.setBlockedURLs", { urls: ["*/scenepart-*"] });
  }
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

/** Waits until a page has drawn two more frames of its match: the view is where the camera was told to be. */
export async function drawn(page) {
  const now = await page.evaluate(() => window.fogkeep.game.frames);
  await page.waitForFunction((n) => window.fogkeep.game.frames >= n, now + 2, { polling: 50 });
}

/** Starts a match against a bot on the first map, from the title or the home screen, and waits until it is shown. */
export async function playBot(page, level = "medium") {
  await page.click('[data-do="play-bot"]');
  await page.click(`dialog .choice:has([value="${level}"])`);
  await page.click('[data-do="start-bot"]');
  await live(page);
}

/**
 * Opens the players' page in a browser with an empty cache, and begins a match against a bot as fast as the page lets.
 * Returns the sent bytes, as they are on the wire with their headers, and the durations.
 *
 * @returns {Promise<{ screenBytes: number, playableBytes: number, usableMs: number, playableMs: number }>}
 * screenBytes: page, scripts and styles of the first screen, and what it asks the service; usable: its buttons can be
 * pressed; playable: the first frame of a match was drawn. The loads of the scene behind the screens count to the match
 */
export async function firstLoad(browser, url) {
  // Small, and with a scene that stands still: without a GPU each pixel is the processor's.
  const context = await browser.newContext({
    viewport: { width: 640, height: 400 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(SLOW);
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  let bytes = 0;
  let screenBytes = 0;
  /** The requests after the first screen was complete: by the scene behind it, or for a match. */
  const later = new Set();
  cdp.on("Network.requestWillBeSent", (e) => {
    if (/\/(scenepart|matchpart)-/.test(e.request.url) || later.size > 0) later.add(e.requestId);
  });
  cdp.on("Network.loadingFinished", (e) => {
    bytes += e.encodedDataLength;
    if (!later.has(e.requestId)) screenBytes += e.encodedDataLength;
  });
  cdp.on("Network.webSocketFrameReceived", (e) => {
    const { opcode, payloadData } = e.response;
    bytes += opcode === 2 ? Buffer.from(payloadData, "base64").length : payloadData.length;
  });
  const begun = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForSelector('[data-do="play-bot"]');
  const usableMs = performance.now() - begun;
  // Clicks without a search for the buttons: the measured time is the page's.
  await page.evaluate(() => document.querySelector('[data-do="play-bot"]').click());
  await page.waitForSelector('[data-do="start-bot"]:not([disabled])');
  await page.evaluate(() => document.querySelector('[data-do="start-bot"]').click());
  await page.waitForFunction(() => window.fogkeep.game?.frames > 0);
  const playableMs = performance.now() - begun;
  // Requests that are still on their way count too: the scene behind the first screen.
  await page.waitForLoadState("networkidle");
  const playableBytes = bytes;
  await context.close();
  return { screenBytes, playableBytes, usableMs, playableMs };
}
