import { effect } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changesOf, FakeServer, LAST, stateAt } from "./fixture";
import { ALL, parseLink } from "./link";
import { Inspector } from "./model";

/** Lets answers arrive, and timers that are due. */
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

let open: Inspector | null = null;

async function inspect(server: FakeServer, hash = "#inspect/m1"): Promise<Inspector> {
  open = new Inspector("m1", server, parseLink(hash) ?? undefined);
  await open.open();
  await settle(10);
  return open;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
});
afterEach(() => {
  open?.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a past match", () => {
  it("opens at its first tick with all eyes, and asks for nothing that is not shown", async () => {
    const server = new FakeServer();
    const m = await inspect(server);
    expect([m.tick.value, m.a.world.value?.eyes]).toEqual([0, ALL]);
    expect(server.asked).toEqual(["facts", "state 0 -1", "times"]);
  });
  it("opens where a link says", async () => {
    const server = new FakeServer();
    const m = await inspect(server, "#inspect/m1?tick=900&eyes=1&entity=33");
    expect(m.a.world.value?.byId.get(33)?.seen).toEqual([0, 1]);
    await settle(300);
    expect(m.entity.value?.teams.find((t) => t.team === 1)?.reason).toBe("sight");
    expect(m.whyTeam.value).toBe(1);
    expect(server.asked).toContain("entity 900 33");
  });
  it("goes forward by differences, back and far by whole states", async () => {
    const server = new FakeServer();
    const m = await inspect(server, "#inspect/m1?tick=100");
    m.seek(101);
    await settle();
    m.seek(99);
    await settle();
    m.seek(2000);
    await settle();
    expect(server.asked.filter((l) => /^(state|changes)/.test(l))).toEqual([
      "state 100 -1",
      "changes 100 101 -1",
      "state 99 -1",
      "state 2000 -1",
    ]);
    m.seek(99_999);
    await settle();
    expect(m.tick.value).toBe(LAST);
    m.seek(-5);
    await settle();
    expect(m.tick.value).toBe(0);
  });
  it("asks for the whole state if the server's difference is of other ticks", async () => {
    const server = new FakeServer();
    server.changes = (eyes, from, tick) => Promise.resolve(changesOf(eyes, from - 1, tick));
    const m = await inspect(server, "#inspect/m1?tick=100");
    m.seek(110);
    await settle();
    expect(m.tick.value).toBe(110);
    expect(server.asked).toContain("state 110 -1");
  });
  it("plays at its speed, and stops at the end", async () => {
    const m = await inspect(new FakeServer(), "#inspect/m1?tick=2340");
    m.playing.value = 100;
    await settle(1005);
    expect(m.tick.value).toBe(2360);
    m.playing.value = 800;
    await settle(2000);
    expect([m.tick.value, m.playing.value]).toEqual([LAST, 0]);
  });
  it("asks for what players did again, as far as the match was read meanwhile", async () => {
    const server = new FakeServer({ indexed: 200 });
    await inspect(server);
    const times = () => server.asked.filter((l) => l === "times").length;
    await settle(6000);
    expect(times()).toBe(1);
    server.now = { ...server.now, indexed: LAST };
    await settle(8000);
    expect(times()).toBe(2);
    await settle(20_000);
    expect(times()).toBe(2);
  });
  it("says why a match cannot be opened", async () => {
    const server = new FakeServer();
    server.facts = () => Promise.reject(new Error("The journal was deleted after 90 days."));
    const m = await inspect(server);
    expect(m.notice.value).toEqual({ words: "The journal was deleted after 90 days.", error: true });
    expect(m.facts.value).toBeNull();
  });
});

describe("a live match", () => {
  it("is followed until somebody goes to a tick, and then again", async () => {
    const server = new FakeServer({ live: true, state: "running" });
    const m = await inspect(server);
    expect(server.asked).toContain("stream -1");
    server.listener?.state(stateAt(500, ALL));
    server.listener?.change(changesOf(ALL, 500, 504));
    expect(m.tick.value).toBe(504);
    m.seek(300);
    await settle();
    expect([server.streams, m.tick.value]).toEqual([0, 300]);
    m.newest();
    await settle();
    expect([server.streams, m.at.value]).toEqual([1, null]);
  });
  it("begins its stream anew after a difference was lost", async () => {
    const server = new FakeServer({ live: true });
    const m = await inspect(server);
    server.listener?.state(stateAt(500, ALL));
    server.listener?.change(changesOf(ALL, 504, 508));
    await settle();
    expect(server.asked.filter((l) => l === "stream -1")).toHaveLength(2);
    expect([server.streams, m.tick.value]).toEqual([1, 500]);
  });
  it("that ends stays open, as a past one", async () => {
    const server = new FakeServer({ live: true });
    const m = await inspect(server);
    server.listener?.state(stateAt(500, ALL));
    server.now = { ...server.now, live: false };
    server.listener?.end("last-team");
    await settle();
    expect(m.notice.value?.words).toContain("last-team");
    expect([m.facts.value?.live, server.streams]).toEqual([false, 0]);
  });
});

describe("one selection", () => {
  it("is asked for at the tick that is shown, as that changes", async () => {
    const server = new FakeServer();
    const m = await inspect(server, "#inspect/m1?tick=100");
    m.select({ kind: "entity", id: 33 });
    await settle(300);
    expect(m.entity.value?.teams[1].reason).toBe("blocked");
    m.seek(900);
    await settle(600);
    expect(m.entity.value?.tick).toBe(900);
    expect(m.entity.value?.teams[1].reason).toBe("sight");
  });
  it("of a tile is asked for the team whose reasons are drawn", async () => {
    const server = new FakeServer();
    const m = await inspect(server, "#inspect/m1?tick=100");
    m.select({ kind: "tile", x: 35, y: 33 });
    await settle(300);
    m.askedTeam.value = 1;
    await settle(600);
    expect(m.tile.value?.sources[0].eye.id).toBe(41);
    expect(server.asked).toEqual(expect.arrayContaining(["tile 100 35,33 0", "tile 100 35,33 1"]));
  });
  it("shows no answer that came for what is no longer selected", async () => {
    const server = new FakeServer();
    const m = await inspect(server, "#inspect/m1?tick=100");
    let answer: () => void = () => undefined;
    server.entity = () =>
      new Promise((r) => {
        answer = () => r({ tick: 100, id: 33, gone: false, fields: [], tasks: [], teams: [] });
      });
    m.select({ kind: "entity", id: 33 });
    await settle();
    m.select({ kind: "tile", x: 1, y: 1 });
    const shown: (number | undefined)[] = [];
    const stop = effect(() => {
      shown.push(m.entity.value?.id);
    });
    answer();
    await settle(600);
    stop();
    expect(shown).not.toContain(33);
    expect(m.tile.value?.x).toBe(1);
  });
  it("jumps to an order: its tick and its place", async () => {
    const m = await inspect(new FakeServer());
    m.orders.load(0);
    await settle();
    const places: unknown[] = [];
    const none = () => undefined;
    m.map = { at: null, zoom: none, pan: none, whole: none, frame: none, reveal: (p) => places.push(p) };
    const row = m.orders.rows.value[8];
    m.goToOrder(row);
    await settle();
    expect([m.tick.value, m.selection.value]).toEqual([row.tick, { kind: "order", n: row.n }]);
    expect(places).toEqual([{ x: row.x, y: row.y }]);
  });
  it("goes from refused order to refused order", async () => {
    const m = await inspect(new FakeServer());
    await m.nextRefused();
    expect(m.selection.value).toEqual({ kind: "order", n: 4 });
    await m.nextRefused();
    await settle();
    expect(m.selection.value).toEqual({ kind: "order", n: 9 });
    expect([m.order.value?.n, m.orders.rows.value[0].n]).toEqual([9, 4]);
    m.select(null);
    m.seek(LAST);
    await settle();
    await m.nextRefused();
    expect(m.notice.value?.words).toContain("No order");
  });
  it("of an order is read from the log if a link names it", async () => {
    const m = await inspect(new FakeServer(), "#inspect/m1?tick=55&order=10");
    expect([m.order.value?.n, m.order.value?.tick]).toEqual([10, 55]);
  });
  it("is pinned and unpinned, eight at most", async () => {
    const m = await inspect(new FakeServer());
    for (let id = 0; id < 10; id++) m.togglePin({ kind: "entity", id });
    expect(m.pins.value.map((p) => p.kind === "entity" && p.id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    m.togglePin({ kind: "entity", id: 5 });
    expect(m.pins.value).toHaveLength(7);
  });
});

describe("two pairs of eyes", () => {
  it("are of two teams, and in step", async () => {
    const m = await inspect(new FakeServer(), "#inspect/m1?tick=900");
    m.chooseMode("difference");
    await settle();
    expect([m.eyes.value, m.other.value]).toEqual([0, 1]);
    m.seek(950);
    await settle();
    expect([m.a.world.value?.tick, m.b.world.value?.tick]).toEqual([950, 950]);
    expect([m.a.world.value?.eyes, m.b.world.value?.eyes]).toEqual([0, 1]);
    expect(m.link.value).toMatchObject({ eyes: 0, other: 1, mode: "difference", tick: 950 });
  });
  it("are asked for while two are shown alone", async () => {
    const server = new FakeServer();
    const m = await inspect(server);
    m.seek(10);
    await settle();
    expect(m.b.world.value).toBeNull();
  });
});

describe("the order log", () => {
  it("reads page by page, by its filter", async () => {
    const server = new FakeServer();
    const m = await inspect(server);
    m.orders.load(0);
    await settle();
    expect([m.orders.rows.value.length, m.orders.more.value]).toEqual([200, true]);
    m.orders.readMore();
    m.orders.readMore();
    await settle();
    m.orders.readMore();
    await settle();
    expect(m.orders.rows.value.map((o) => o.n)).toEqual(Array.from({ length: 450 }, (_, i) => i + 1));
    m.orders.load(1000, { refused: true, slot: 1 });
    await settle();
    expect(m.orders.rows.value.every((o) => o.code !== "OK" && o.slot === 1 && o.tick >= 1000)).toBe(true);
    expect(m.orders.rows.value.length).toBeGreaterThan(5);
  });
});
