import type { Socket } from "@fogkeep/client";
import { afterEach, expect, it, vi } from "vitest";
import { type Answer, type Channel, Local, type Request } from "./api";

afterEach(() => vi.useRealTimers());

/** A worker that only notes what it is asked. */
function worker() {
  const asked: Request[] = [];
  const channel: Channel = { postMessage: (m) => void asked.push(m), onmessage: null };
  const local = new Local(channel);
  const answer = (a: Answer) => channel.onmessage?.({ data: a } as MessageEvent);
  return { asked, local, answer };
}

it("answers calls by their numbers", async () => {
  const { asked, local, answer } = worker();
  const choice = { map: "m", bots: 1, level: "easy", name: "Ada" };
  const calls = [local.start(choice), local.maps(), local.fetchMap("00")];
  expect(asked).toEqual([
    { call: "start", number: 1, argument: JSON.stringify(choice) },
    { call: "maps", number: 2, argument: "" },
    { call: "publicMap", number: 3, argument: "00" },
  ]);
  answer({ number: 2, value: "[]" });
  answer({ number: 3, error: "no map" });
  answer({ number: 1, value: "ticket" });
  await expect(Promise.allSettled(calls)).resolves.toMatchObject([
    { value: "ticket" },
    { value: [] },
    { reason: { code: "demo_failed", message: "no map" } },
  ]);
});

it("ends all calls once the program has ended", async () => {
  const { local, answer } = worker();
  const waits = local.maps();
  answer({ number: 0, error: "exit" });
  await expect(waits).rejects.toThrow("exit");
  await expect(local.maps()).rejects.toThrow("exit");
});

it("ends all calls once the program does not answer, and not before", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const { asked, local, answer } = worker();
  const waits = local.maps();
  for (let seconds = 0; seconds < 60; seconds += 10) {
    vi.advanceTimersByTime(10_000);
    answer({ alive: true });
  }
  vi.advanceTimersByTime(18_000);
  expect(local.failed.value).toBe(null);
  expect(asked.filter((r) => "alive" in r).length).toBe(39);
  vi.advanceTimersByTime(4_000);
  await expect(waits).rejects.toThrow("silent");
  expect(local.failed.value?.message).toBe("silent");
  vi.advanceTimersByTime(60_000);
  expect(asked.filter((r) => "alive" in r).length).toBe(40);
});

it("knows where matches are kept, and why the program ended", () => {
  const { local, answer } = worker();
  expect(local.storage.value).toBe(null);
  for (const storage of ["saved", "full"] as const) {
    answer({ storage });
    expect(local.storage.value).toBe(storage);
  }
  expect(local.failed.value).toBe(null);
  answer({ number: 0, error: "exit" });
  expect(local.failed.value?.message).toBe("exit");
});

it("asks the inspector as a server, and has its refusals", async () => {
  const { asked, local, answer } = worker();
  const calls = [local.call("GET", "/admin/api/inspect/m/state?eyes=0"), local.call("GET", "/x")];
  await Promise.resolve();
  expect(asked[0]).toEqual({ call: "inspect", number: 1, argument: "/admin/api/inspect/m/state?eyes=0" });
  answer({ number: 1, value: { status: 200, body: '{"tick":7}' } });
  answer({ number: 2, value: { status: 404, body: '{"code":"no_match","detail":"none"}' } });
  const [good, bad] = await Promise.allSettled(calls);
  expect(good).toEqual({ status: "fulfilled", value: { tick: 7 } });
  expect(bad).toMatchObject({ reason: { code: "no_match", message: "None." } });
});

/** An open socket, and the other end of its port. */
async function connected() {
  const { asked, local } = worker();
  const socket: Socket = local.socket("connect")("ws://x/ws");
  const [request] = asked;
  if (!("way" in request) || request.way !== "connect") throw new Error("no connection was asked for");
  const far = request.port;
  const next = () => new Promise((r) => far.addEventListener("message", (e) => r(e.data), { once: true }));
  far.start();
  await new Promise<void>((r) => {
    socket.onopen = () => r();
  });
  return { socket, far, next };
}

it("carries a socket's messages as they are", async () => {
  const { socket, far, next } = await connected();
  expect(socket.readyState).toBe(1);
  const sent = next();
  socket.send(new Uint8Array([1, 2, 3]));
  expect([...((await sent) as Uint8Array)]).toEqual([1, 2, 3]);
  const received = new Promise<unknown>((r) => {
    socket.onmessage = (e) => r(e.data);
  });
  far.postMessage(new Uint8Array([4, 5]).buffer);
  const data = await received;
  expect(data).toBeInstanceOf(ArrayBuffer);
  expect([...new Uint8Array(data as ArrayBuffer)]).toEqual([4, 5]);
  far.close();
});

it("is closed by either side, once", async () => {
  for (const own of [true, false]) {
    const { socket, far, next } = await connected();
    let closed = 0;
    const ended = new Promise<void>((r) => {
      socket.onclose = () => {
        closed++;
        r();
      };
    });
    const told = next();
    if (own) socket.close();
    else far.postMessage(null);
    await ended;
    if (own) expect(await told).toBe(null);
    socket.close();
    await Promise.resolve();
    expect([closed, socket.readyState]).toEqual([1, 3]);
    far.close();
  }
});
