// A bad network between a page and the server: a TCP proxy on loopback that holds
// back the bytes of websockets. All bytes arrive, in their order, as in TCP.
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
 * @property {number} [lateShare] the share of pieces that are late, 0 to 1
 * @property {number} [lateMs] how much more these take; later pieces wait for them
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
  const stats = { websockets: 0, pieces: 0, late: 0, stalls: 0 };

  const listener = net.createServer((page) => {
    const server = net.connect(Number(port), hostname);
    const link = { page, server, ways: [], websocket: false };
    const way = (from, to) => {
      const w = new Way(to, () => {
        if (!link.websocket) return 0;
        stats.pieces++;
        let ms = now.delayMs + random() * now.jitterMs;
        if (random() < now.lateShare) {
          stats.late++;
          ms += now.lateMs;
        }
        return ms;
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
  lateShare: 0,
  lateMs: 0,
  seed: 1,
  ...c,
});

/** One direction of a connection: each piece leaves when its time has come, after those before it. */
class Way {
  /** @type {{ piece: Buffer | null, at: number }[]} */
  queue = [];
  last = 0;
  heldUntil = 0;
  /** @type {NodeJS.Timeout | undefined} */
  timer;

  /**
   * @param {net.Socket} to
   * @param {() => number} draw how many ms the next piece takes
   */
  constructor(to, draw) {
    this.to = to;
    this.draw = draw;
  }

  /** Takes a piece; null: the end. */
  push(/** @type {Buffer | null} */ piece) {
    this.last = Math.max(this.last, performance.now() + this.draw());
    this.queue.push({ piece, at: this.last });
    if (this.queue.length === 1) this.flush();
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
    const now = performance.now();
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
