import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FogkeepError } from "../base/errors.js";
import { type ClientFrame, ClientFrameSchema } from "../gen/fogkeep/v1/client_pb.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { Link, type LinkOptions } from "./link.js";
import type { LossReason } from "./protocol.js";
import type { Socket } from "./socket.js";

const HOME = "wss://play.example.org/ws";
const NODES = ["https://n1.example.org", "https://n2.example.org"];
const N1 = "wss://n1.example.org/ws";
const N2 = "wss://n2.example.org/ws";

/** A server's end of a socket. */
class Fake implements Socket {
  binaryType = "";
  readyState = 0;
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  readonly got: ClientFrame[] = [];
  constructor(readonly url: string) {}
  open() {
    this.readyState = 1;
    this.onopen?.(undefined as never);
  }
  send(data: Uint8Array) {
    this.got.push(fromBinary(ClientFrameSchema, data));
  }
  close() {
    this.readyState = 3;
  }
  drop() {
    this.readyState = 3;
    this.onclose?.({ code: 1006, reason: "" });
  }
  tell(f: Parameters<typeof create<typeof ServerFrameSchema>>[1]) {
    const bytes = toBinary(ServerFrameSchema, create(ServerFrameSchema, f));
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  }
}

/** A server's answers to a new socket: it welcomes, says moved, is silent or refuses. */
type Server = (s: Fake) => void;
const welcomes: Server = (s) => {
  s.open();
  s.tell({ welcome: { protocol: 1, tickRate: 20, resume: `of ${s.url}` } });
};
const saysMoved =
  (url: string): Server =>
  (s) => {
    s.open();
    s.tell({ closing: { code: "moved", text: "elsewhere", retry: true, url } });
  };
const refuses: Server = (s) => s.drop();
const isGone: Server = () => {};

/** A link among servers, whose behaviour is looked up when a socket is opened. */
function link(servers: Record<string, Server>, o: Partial<LinkOptions> = {}) {
  const tried: { url: string; atMs: number }[] = [];
  const sockets: Fake[] = [];
  const reasons: LossReason[] = [];
  let error: FogkeepError | null = null;
  let live = 0;
  const l = new Link(
    {
      url: HOME,
      ticket: "t",
      clock: () => Date.now(),
      socket: (url) => {
        const s = new Fake(url);
        tried.push({ url, atMs: Date.now() });
        sockets.push(s);
        setTimeout(() => (servers[url] ?? refuses)(s), 0);
        return s;
      },
      ...o,
    },
    {
      frame: () => {},
      applied: () => 7,
      live: () => live++,
      resuming: (i) => reasons.push(i.reason),
      closed: (e) => {
        error = e;
      },
    },
  );
  return {
    link: l,
    servers,
    tried,
    sockets,
    reasons,
    urls: () => tried.map((t) => t.url),
    live: () => live,
    error: () => error,
    last: () => sockets[sockets.length - 1],
  };
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("a link to a match that moves", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.999);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("begins where the ticket says, with the service's address to fall back to", async () => {
    const l = link({ [N1]: isGone, [HOME]: saysMoved(NODES[1]), [N2]: welcomes }, { at: NODES[0] });
    await wait(20_000);
    expect([...new Set(l.urls())]).toEqual([N1, HOME, N2]);
    expect(l.last().got[0].hello).toMatchObject({ ticket: "t", resume: "" });
    expect([l.live(), l.error()]).toEqual([1, null]);
  });

  it("follows a move at once, with the resume token and the tick that it has", async () => {
    const l = link({ [HOME]: welcomes, [N2]: welcomes });
    await wait(10);
    l.last().tell({ closing: { code: "moved", text: "", retry: true, url: NODES[1] } });
    await wait(10);
    expect(l.urls()).toEqual([HOME, N2]);
    expect(l.last().got[0]).toMatchObject({ applied: 7, hello: { ticket: "", resume: `of ${HOME}` } });
    expect([l.live(), l.reasons, l.link.place]).toEqual([2, ["moved"], N2]);
  });

  it("asks the service where the match is when its server dies, and often enough", async () => {
    const l = link({ [HOME]: saysMoved(""), [N1]: welcomes }, { at: NODES[0] });
    await wait(10);
    l.servers[N1] = refuses;
    const diedMs = Date.now();
    l.last().drop();
    await wait(2300);
    l.servers[HOME] = saysMoved(NODES[1]); // taken over
    l.servers[N2] = welcomes;
    const takenMs = Date.now();
    await wait(700);
    expect([l.live(), l.link.place]).toEqual([2, N2]);
    expect(l.tried[l.tried.length - 1].atMs - takenMs).toBeLessThanOrEqual(610);
    const asked = l.tried.filter((t) => t.atMs >= diedMs);
    expect(asked.length).toBeLessThan(12);
    expect(asked.filter((t) => t.url === HOME).length).toBeGreaterThan(3);
  });

  it("has other servers to ask when the page's own died with the match", async () => {
    const here: Server = (s) => {
      s.open();
      s.tell({
        welcome: { protocol: 1, tickRate: 20, resume: "r", servers: ["http://n1.example.org", ...NODES] },
      });
    };
    const l = link({ [HOME]: here, [N1]: saysMoved(NODES[1]), [N2]: welcomes });
    await wait(10);
    l.servers[HOME] = refuses;
    l.last().drop();
    await wait(1500);
    expect([...new Set(l.urls())]).toEqual([HOME, N1, N2]);
    expect([l.live(), l.link.place]).toEqual([2, N2]);
  });

  it("follows so many moves in so much time, then waits", async () => {
    const l = link({ [HOME]: welcomes, [N1]: saysMoved(NODES[1]), [N2]: saysMoved(NODES[0]) });
    await wait(10);
    l.servers[HOME] = saysMoved(NODES[0]);
    l.last().tell({ closing: { code: "moved", text: "", retry: true, url: NODES[0] } });
    await wait(1000);
    expect(l.tried.length).toBeLessThan(12);
    await wait(59_000);
    expect(l.tried.length).toBeLessThan(60); // 14 quickly, and 4 moves every ten seconds
    expect(l.error()).toBe(null);
    l.servers[N1] = welcomes;
    await wait(11_000);
    expect(l.live()).toBe(2);
  });

  it("waits where it was sent first, when that server sends it back at once", async () => {
    const l = link(
      { [HOME]: welcomes, [N1]: saysMoved(NODES[1]), [N2]: saysMoved(NODES[0]) },
      { at: NODES[0] },
    );
    await wait(1000); // both say that the other one has the match
    expect(l.tried.length).toBeLessThan(5);
    l.servers[N2] = welcomes;
    await wait(700);
    expect([l.live(), l.link.place]).toEqual([1, N2]);
  });

  it("never leaves TLS, and shows its token nowhere else", async () => {
    const l = link({ [HOME]: welcomes });
    await wait(10);
    l.servers[HOME] = saysMoved("http://n2.example.org");
    l.last().tell({ closing: { code: "moved", text: "", retry: true, url: "ws://n2.example.org/ws" } });
    await wait(30_000);
    expect([...new Set(l.urls())]).toEqual([HOME]);
    expect(l.tried.length).toBeGreaterThan(5);
    expect(l.error()).toBe(null);
  });

  it("stays with TLS once it had it, also if the service's address has none", async () => {
    const plain = "ws://play.example.org/ws";
    const l = link({ [plain]: saysMoved(NODES[1]), [N2]: welcomes }, { url: plain });
    await wait(10);
    expect(l.live()).toBe(1);
    l.servers[N2] = refuses;
    l.last().drop();
    await wait(5000);
    expect([...new Set(l.urls().slice(2))]).toEqual([N2]);
  });

  it("does not take a ticket to a place that the service did not name well", async () => {
    const l = link({ [HOME]: welcomes }, { at: "http://n1.example.org" });
    await wait(10);
    expect([l.urls(), l.live()]).toEqual([[HOME], 1]);
  });

  it("gives a ticket up when nobody answers in time, and at once when there is one address", async () => {
    const one = link({ [HOME]: refuses });
    await wait(10);
    expect([one.error()?.code, one.urls()]).toEqual(["unreachable", [HOME]]);
    const two = link({ [HOME]: refuses, [N1]: refuses }, { at: NODES[0] });
    await wait(60_000);
    expect(two.error()?.code).toBe("unreachable");
    expect(two.tried.length).toBeLessThan(40);
  });

  it("gives up at once with an address that the platform takes for none", async () => {
    const socket = () => {
      throw new DOMException("nonsense", "SyntaxError");
    };
    const l = link({}, { url: "nonsense", socket });
    await wait(10);
    expect(l.error()).toMatchObject({ code: "bad_server", retryable: false });
  });

  it("ends with a code that is final, whichever server says so", async () => {
    const l = link({ [HOME]: welcomes });
    await wait(10);
    l.servers[N2] = (s) => {
      s.open();
      s.tell({ closing: { code: "ended", text: "over", retry: false } });
      s.drop();
    };
    l.last().tell({ closing: { code: "moved", text: "", retry: true, url: NODES[1] } });
    await wait(100);
    expect(l.error()?.code).toBe("ended");
  });
});
