import { afterEach, describe, expect, it, vi } from "vitest";
import { openSocket, type Socket, setFallbackSocket } from "./socket.js";

afterEach(() => vi.unstubAllGlobals());

describe("the socket of a platform", () => {
  it("is its WebSocket, else the fallback, else an error with a code", () => {
    vi.stubGlobal("WebSocket", undefined);
    expect(() => openSocket("ws://x")).toThrow(expect.objectContaining({ code: "no_socket" }));
    const fallback = {} as Socket;
    setFallbackSocket(() => fallback);
    expect(openSocket("ws://x")).toBe(fallback);
    class Own {
      constructor(readonly url: string) {}
    }
    vi.stubGlobal("WebSocket", Own);
    expect(openSocket("ws://x")).toEqual({ url: "ws://x" });
  });
});
