// The proxy of the other tests, with a server that echoes.

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { startProxy, Way } from "./proxy.mjs";

let echo;
/** When the server last got something. */
let gotAt = 0;

before(async () => {
  echo = net.createServer((s) => {
    s.on("error", () => undefined);
    s.on("data", () => {
      gotAt = performance.now();
    });
    s.pipe(s);
  });
  await new Promise((resolve) => echo.listen(0, "127.0.0.1", () => resolve(undefined)));
});
after(() => echo.close());

/** Sends pieces and returns when each came back, in ms after it was sent. */
async function through(proxy, head, pieces, between) {
  const { port } = new URL(proxy.url);
  const s = net.connect(Number(port), "127.0.0.1");
  s.setNoDelay(true);
  const came = [];
  let got = "";
  s.on("data", (d) => {
    got += d.toString("latin1");
    came.push({ bytes: got.length, at: performance.now() });
  });
  await new Promise((resolve) => s.once("connect", resolve));
  s.write(head);
  const sent = [];
  let total = head.length;
  for (const piece of pieces) {
    total += piece.length;
    sent.push({ bytes: total, at: performance.now() });
    s.write(piece);
    await new Promise((resolve) => setTimeout(resolve, between));
  }
  for (let n = 0; got.length < total && n < 500; n++) await new Promise((resolve) => setTimeout(resolve, 10));
  s.destroy();
  assert.equal(got, head + pieces.join(""), "all bytes come back, in order");
  return sent.map((x) => came.find((c) => c.bytes >= x.bytes).at - x.at);
}

const UPGRADE = "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
const PIECES = Array.from({ length: 30 }, (_, i) => `piece ${i};`);

test("bytes of websockets are late by the delay and the jitter, in order", { timeout: 240_000 }, async () => {
  const proxy = await startProxy(`http://127.0.0.1:${echo.address().port}`, {
    delayMs: 40,
    jitterMs: 30,
    seed: 7,
  });
  const took = await through(proxy, UPGRADE, PIECES, 10);
  await proxy.close();
  assert.ok(Math.min(...took) >= 79, `there and back takes at least 80 ms: ${took}`);
  assert.ok(proxy.stats.lost === 0 && proxy.stats.websockets === 1, JSON.stringify(proxy.stats));
});

test("a lost segment comes a timer later, or once three behind it have shown its loss", () => {
  const times = { delay: () => 40, roundTrip: () => 80 };
  const arrivals = (losses, pushes) => {
    const lost = [...losses];
    const way = new Way({}, { ...times, lost: () => lost.shift() ?? false }, () => 0);
    for (const bytes of pushes) way.push(Buffer.alloc(bytes));
    const at = way.queue.map((w) => w.at);
    way.stop();
    return at;
  };
  assert.deepEqual(arrivals([], [10, 10]), [40, 40]);
  assert.deepEqual(arrivals([true], [10]), [320]); // 40 + 80 + 200
  assert.deepEqual(arrivals([true, true], [10]), [880]); // and its copy: 2 * 280 more
  assert.deepEqual(arrivals([true, false, false, false], [10, 10, 10]), [320, 40, 40]);
  assert.deepEqual(arrivals([true, false, false, false, false], [10, 10, 10, 10]), [120, 40, 40, 40]);
  assert.deepEqual(arrivals([true], [4 * 1448]), [120]);
  assert.deepEqual(arrivals([false, true], [4 * 1448]), [320]);
  assert.deepEqual(arrivals([true, true, false, false, false, false], [10, 10, 10, 10]), [880, 40, 40, 40]);
});

test("what is no websocket passes at once", { timeout: 240_000 }, async () => {
  const proxy = await startProxy(`http://127.0.0.1:${echo.address().port}`, { delayMs: 5000 });
  const took = await through(proxy, "GET / HTTP/1.1\r\n\r\n", ["a", "b"], 5);
  await proxy.close();
  assert.ok(Math.max(...took) < 4000, `it took ${took} ms`);
});

test("a stall holds all back and then lets it go in order", { timeout: 240_000 }, async () => {
  const proxy = await startProxy(`http://127.0.0.1:${echo.address().port}`);
  setTimeout(() => proxy.stall(400), 50);
  const took = await through(proxy, UPGRADE, PIECES, 10);
  await proxy.close();
  assert.ok(Math.max(...took) > 250, `the longest took ${Math.max(...took)} ms`);
  assert.ok(took.at(-1) < Math.max(...took), `afterwards it is quick again: ${took}`);
  assert.equal(proxy.stats.stalls, 1);
});

test("a stall of the server lets pass what goes to it", { timeout: 240_000 }, async () => {
  const proxy = await startProxy(`http://127.0.0.1:${echo.address().port}`);
  setTimeout(() => proxy.stall(2500, "server"), 50);
  const began = performance.now();
  const took = await through(proxy, UPGRADE, PIECES, 10);
  await proxy.close();
  assert.ok(Math.max(...took) > 900, `the longest took ${Math.max(...took)} ms`);
  assert.ok(gotAt - began < 2500, `the server got the last piece after ${gotAt - began} ms`);
});
