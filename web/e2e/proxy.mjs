// A bad network between a page and the server: a TCP proxy on loopback that holds
// back the bytes of websockets. All bytes arrive, in their order, as in TCP.
//
// A program cannot lose packets of TCP, so the proxy delays bytes as TCP's repair of a loss would: each segment is lost
// by chance, and the bytes from it on wait for its second copy. The sender notices the loss by the answers to three
// later segments, or by its timer, a round trip and 200 ms; each further loss of the copy doubles the timer. Lost
// acknowledgements and the smaller window after a loss are not modelled: frames are smaller than any window.
//
//	const proxy = await startProxy(server.playUrl, { delayMs: 75, jitterMs: 50 });
//	page.goto(proxy.url);
//	await proxy.stall(3000); // the server skips ticks, since no frame is acknowledged
//	await proxy.close();
//
// Other connections (the page, the map, the API) pass at once.

import net from "node:net";

/**
 * @typedef {object} Conditions of each direction, in milliseconds
 * @property {number} [delayMs] on the way
 * @property {number} [jitterMs] up to so much more, drawn for each piece of data
 * @property {number} [loss] the share of segments that are lost, 0 to 1; later pieces wait for their copies
 * @property {number} [seed] of the draws
 */

/**
 * @param {string} target the server's address, http://host:port
 * @param {Conditions} [conditions]
 */
export async function startProxy(target, conditions = {}) {
  const { hostname, port } = new URL(target);
  let now = withDefaults(conditions);
  const random = generator(now.seed);
  /** @type {Set<Link>} */
  const links = new Set();
  const stats = { websockets: 0, pieces: 0, lost: 0, stalls: 0 };

  const listener = net.createServer((page) => {
    const server = net.connect(Number(port), hostname);
    const link = { page, server, ways: [], websocket: false };
    const way = (from, to) => {
      const w = new Way(to, {
        delay: () => (link.websocket ? now.delayMs + random() * now.jitterMs : 0),
        lost: () => {
          const lost = link.websocket && random() < now.loss;
          if (lost) stats.lost++;
          return lost;
        },
        roundTrip: () => 2 * now.delayMs + now.jitterMs,
      });
      from.on("data", (piece) => {
        if (
          !link.websocket &&
          from === page &&
          /\r\nupgrade: websocket\r\n/i.test(piece.toString("latin1"))
        ) {
          link.websocket = true;
          stats.websockets++;
        }
        if (link.websocket) stats.pieces++;
        w.push(piece);
      });
      from.on("end", () => w.push(null));
      return w;
    };
    link.ways = [way(page, server), way(server, page)];
    const end = () => {
      page.destroy();
      server.destroy();
      for (const w of link.ways) w.stop();
      links.delete(link);
    };
    for (const socket of [page, server]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    links.add(link);
  });
  await new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = /** @type {net.AddressInfo} */ (listener.address());

  return {
    url: `http://127.0.0.1:${address.port}`,
    stats,
    /** Other conditions for the bytes sent from now on. */
    set(/** @type {Conditions} */ next) {
      now = withDefaults(next);
    },
    /**
     * Holds back all websockets for so long, both ways, or only from the server. A
     * server that hears of no applied frame for more than two seconds sends one frame a
     * second: it skips ticks.
     */
    async stall(/** @type {number} */ ms, /** @type {"both" | "server"} */ from = "both") {
      stats.stalls++;
      const until = performance.now() + ms;
      for (const link of links)
        if (link.websocket) for (const w of from === "both" ? link.ways : [link.ways[1]]) w.hold(until);
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
    /** Breaks all websockets, as a lost network does. */
    cut() {
      for (const link of [...links]) if (link.websocket) link.page.destroy();
    },
    async close() {
      for (const link of [...links]) link.page.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/**
 * @typedef {{ page: net.Socket, server: net.Socket, ways: Way[], websocket: boolean }} Link
 */

const withDefaults = (/** @type {Conditions} */ c) => ({
  delayMs: 0,
  jitterMs: 0,
  loss: 0,
  seed: 1,
  ...c,
});

/** Bytes of a segment on most networks. */
const SEGMENT = 1448;
/** The sender's timer exceeds the round trip by at least so much (Linux). */
const TIMER_MS = 200;
/** Answers to so many later segments show a loss. */
const LATER = 3;
/** So many copies of a segment are lost at most. */
const COPIES = 5;

/**
 * @typedef {object} Network of one direction
 * @property {() => number} delay draws how many ms the next piece takes
 * @property {() => boolean} lost draws whether the next segment is lost
 * @property {() => number} roundTrip in ms
 *
 * @typedef {object} Waiting
 * @property {Buffer | null} piece null: the end
 * @property {number} at when it arrives, if the pieces before it have
 * @property {number} later segments behind its first lost one; NaN: only a timer repairs it, or it was not lost
 */

/** One direction of a connection: each piece leaves when its time has come, after those before it. */
export class Way {
  /** @type {Waiting[]} */
  queue = [];
  heldUntil = 0;
  /** @type {NodeJS.Timeout | undefined} */
  timer;

  /**
   * @param {net.Socket} to
   * @param {Network} network
   * @param {() => number} clock in ms
   */
  constructor(to, network, clock = () => performance.now()) {
    this.to = to;
    this.network = network;
    this.clock = clock;
  }

  /** Takes a piece; null: the end. */
  push(/** @type {Buffer | null} */ piece) {
    const { network } = this;
    const now = this.clock();
    const segments = Math.ceil((piece?.length ?? 0) / SEGMENT);
    for (const w of this.queue) this.behind(w, segments, now);
    const w = { piece, at: now + network.delay(), later: Number.NaN };
    const arrives = w.at;
    for (let k = 0; k < segments; k++) {
      let copies = 0;
      while (copies < COPIES && network.lost()) copies++;
      if (copies === 0) continue;
      const timers = (network.roundTrip() + TIMER_MS) * (2 ** copies - 1);
      const one = { piece, at: arrives + timers, later: copies === 1 ? 0 : Number.NaN };
      this.behind(one, segments - 1 - k, now);
      if (one.at >= w.at) Object.assign(w, one);
    }
    this.queue.push(w);
    this.flush();
  }

  /** Segments follow a piece: their answers may show its loss before the timer does. */
  behind(/** @type {Waiting} */ w, /** @type {number} */ segments, /** @type {number} */ now) {
    w.later += segments;
    if (!(w.later >= LATER)) return;
    w.at = Math.min(w.at, now + this.network.roundTrip() + this.network.delay());
    w.later = Number.NaN;
  }

  hold(/** @type {number} */ until) {
    this.heldUntil = Math.max(this.heldUntil, until);
  }

  stop() {
    clearTimeout(this.timer);
    this.queue = [];
  }

  flush() {
    clearTimeout(this.timer);
    const now = this.clock();
    while (this.queue.length > 0 && this.queue[0].at <= now && this.heldUntil <= now) {
      const piece = /** @type {{ piece: Buffer | null }} */ (this.queue.shift()).piece;
      if (piece === null) this.to.end();
      else if (this.to.writable) this.to.write(piece);
    }
    if (this.queue.length > 0)
      this.timer = setTimeout(
        () => this.flush(),
        Math.max(1, Math.max(this.queue[0].at, this.heldUntil) - now),
      );
  }
}

/** Numbers from 0 to 1 that are the same for a seed (mulberry32). */
function generator(/** @type {number} */ seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
