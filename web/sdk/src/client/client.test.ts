import { describe, expect, it } from "vitest";
import { FogkeepError } from "../base/errors.js";
import { Client } from "./client.js";
import type { LobbyListener } from "./events.js";

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly token: string | undefined;
  readonly credentials: string;
  readonly body: Record<string, unknown>;
}

/** A server with prepared answers, in order, and its client. */
function scripted(...answers: (Response | Error)[]) {
  const asked: Asked[] = [];
  const client = new Client({
    server: "https://play.example.org/game/",
    fetch: async (url, init) => {
      const headers = init?.headers as Record<string, string>;
      asked.push({
        url: String(url),
        method: init?.method ?? "GET",
        token: headers.authorization,
        credentials: String(init?.credentials),
        body: JSON.parse(String(init?.body ?? "{}")),
      });
      if (init?.signal?.aborted) throw init.signal.reason;
      const next = answers.shift();
      if (next instanceof Response) return next;
      if (next) throw next;
      return new Promise<Response>((_, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    },
  });
  return { client, asked };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const grace = { account: { id: "a1", name: "Grace", guest: true }, token: "secret", device: "d1" };
const refused = (status: number, code: string) => json({ code, detail: "some words", field: "name" }, status);

describe("a client of a server", () => {
  it("asks for a token, keeps it, and sends it to the server's own address", async () => {
    const { client, asked } = scripted(json(grace), json({ maps: [] }), new Response(null, { status: 204 }));
    expect((await client.guest("Grace")).name).toBe("Grace");
    expect([client.token, client.device]).toEqual(["secret", "d1"]);
    expect((await client.api.maps()).maps).toEqual([]);
    await client.logOut();
    expect(client.token).toBe("");
    expect(asked).toEqual([
      expect.objectContaining({
        url: "https://play.example.org/game/api/guest",
        body: { name: "Grace", bearer: true },
      }),
      expect.objectContaining({ url: "https://play.example.org/game/api/maps", token: "Bearer secret" }),
      expect.objectContaining({ method: "POST", token: "Bearer secret", credentials: "omit" }),
    ]);
    expect(asked[0].token).toBeUndefined();
    expect([client.matchUrl, client.mapsUrl]).toEqual([
      "wss://play.example.org/game/ws",
      "https://play.example.org/game/maps",
    ]);
  });

  it("keeps no token where the browser's cookie is the session", async () => {
    const seen: unknown[] = [];
    const client = new Client({
      server: "https://x",
      session: "cookie",
      fetch: async (_, init) => {
        seen.push([init?.credentials, init?.body]);
        return json({ ...grace, token: undefined });
      },
    });
    await client.logIn("Grace", "correct horse");
    expect(client.token).toBe("");
    expect(seen).toEqual([["same-origin", '{"name":"Grace","password":"correct horse"}']]);
  });

  it("tells failures by codes", async () => {
    const { client } = scripted(
      refused(409, "lobby_full"),
      new Error("no network"),
      new Response("<html>", { status: 502 }),
    );
    const failed = async () => {
      const err = await client.api.joinLobby("l").catch((e) => e);
      expect(err).toBeInstanceOf(FogkeepError);
      const { code, status, retryable, field } = err as FogkeepError;
      return [code, status, retryable, field];
    };
    expect(await failed()).toEqual(["lobby_full", 409, false, "name"]);
    expect(await failed()).toEqual(["unreachable", 0, true, ""]);
    expect(await failed()).toEqual(["http_502", 502, true, ""]);
  });

  it("takes no address that is none of a server", () => {
    for (const server of ["", "nonsense", "play.example.org", "ws://play.example.org", "file:///maps"]) {
      let err: unknown;
      try {
        new Client({ server });
      } catch (e) {
        err = e;
      }
      expect(err).toMatchObject({ name: "FogkeepError", code: "bad_server", retryable: false });
      expect(String(err)).toContain(JSON.stringify(server));
    }
    expect(new Client({ server: new URL("https://example.org/play/") }).server).toBe(
      "https://example.org/play",
    );
  });

  it("does not wait for a lobby that does not exist", async () => {
    const { client, asked } = scripted(refused(404, "not_found"));
    await expect(client.play("l")).rejects.toMatchObject({ code: "not_found", retryable: false });
    expect(asked).toHaveLength(1);
  });

  it("waits for a ticket while the match is made, and no longer than it was told", async () => {
    const soon = () => refused(409, "wrong_state");
    const ready = scripted(soon(), json({ ticket: "t", matchId: "m", expiresInMs: 1 }));
    const waits: string[] = [];
    expect(await ready.client.ticket("l", { progress: (what) => waits.push(what) })).toBe("t");
    expect(waits).toEqual(["setUp"]);
    expect(ready.asked[0].body).toEqual({ protocol: 1 });
    const elsewhere = json({ ticket: "t", matchId: "m", expiresInMs: 1, url: "https://n2.example.org" });
    expect(await scripted(elsewhere).client.seatTicket("l")).toEqual({
      ticket: "t",
      at: "https://n2.example.org",
    });
    const never = scripted(soon(), soon()).client.ticket("l", { startsWithinMs: -1 });
    await expect(never).rejects.toMatchObject({ code: "not_started" });
    await expect(scripted(refused(403, "banned_account")).client.ticket("l")).rejects.toMatchObject({
      code: "banned_account",
    });
  });

  it("ends requests and waits with a signal, by its reason", async () => {
    for (const wait of [
      (c: Client, signal: AbortSignal) => c.api.maps({ signal }),
      (c: Client, signal: AbortSignal) => c.ticket("l", { signal }),
      (c: Client, signal: AbortSignal) => c.play("l", { signal }),
      (c: Client, signal: AbortSignal) => c.guest("Grace", { signal }),
    ]) {
      const end = new AbortController();
      const waiting = wait(scripted().client, end.signal);
      end.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
    }
    const end = new AbortController();
    const between = scripted(refused(409, "wrong_state")).client.ticket("l", {
      signal: end.signal,
      progress: () => end.abort(new Error("enough")),
    });
    await expect(between).rejects.toThrow("enough");
  });
});

describe("events of a lobby", () => {
  const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

  it("come from the stream, also from the next one, without what came already", async () => {
    const { client, asked } = scripted(
      stream('id: 4\nevent: lobby\ndata: {"id":"l"}\n\nevent: chat\ndata: not json\n\n'),
      stream(
        'id: 5\nevent: announce\ndata: {"name":"Ada","text":"hi"}\n\nid: 6\nevent: kicked\ndata: {"account":"a1","reason":""}\n\n',
      ),
      refused(404, "not_found"),
    );
    client.token = "secret";
    const got: unknown[] = [];
    await new Promise<void>((done) => {
      const on: LobbyListener = {
        lobby: (l) => got.push(l.id),
        chat: (c) => got.push([c.text, c.announce, c.id]),
        kicked: (k) => got.push(k.account),
        away: () => got.push("away"),
        back: () => got.push("back"),
        closed: (why) => {
          got.push(why.code);
          done();
        },
      };
      client.listen("l", on);
    });
    expect(got).toEqual(["back", "l", "away", "back", ["hi", true, 5], "a1", "away", "away", "not_found"]);
    expect(asked.map((a) => a.url.split("/l/")[1])).toEqual(["events", "events?after=4", "events?after=6"]);
    expect(asked.every((a) => a.token === "Bearer secret")).toBe(true);
  });

  it("of matchmaking tell where the account stands, also after a lost connection", async () => {
    const { client, asked } = scripted(
      stream('event: standing\ndata: {"keptMs":30000}\n\n: alive\n\n'),
      stream('event: standing\ndata: {"keptMs":1}\n\n'),
      refused(401, "logged_out"),
    );
    const got: unknown[] = [];
    await new Promise<void>((done) => {
      client.listenStanding({
        standing: (s) => got.push(s.keptMs),
        closed: (why) => {
          got.push(why.code);
          done();
        },
      });
    });
    expect(got).toEqual([30000, 1, "logged_out"]);
    expect(asked.every((a) => a.url.endsWith("/api/queue/events"))).toBe(true);
  });

  it("end with the signal, and with close", async () => {
    const end = new AbortController();
    const first = scripted();
    first.client.listen("l", {}, { signal: end.signal });
    end.abort();
    const second = scripted();
    second.client.listen("l", {}).close();
    await new Promise((done) => setTimeout(done, 300));
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });
});
