import type { Lobby } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { wayBack } from "./again";

const seat = (id: string) => ({ kind: "player", account: { id }, team: 0 });
const lobby = (state: Lobby["state"], more: object = {}) =>
  ({
    host: "ada",
    state,
    limit: 3,
    seats: [seat("ada"), seat("ben"), { kind: "open" }],
    spectators: [{ account: { id: "cleo" } }],
    options: { spectators: 4 },
    ...more,
  }) as unknown as Lobby;

describe("a match is played again", () => {
  it("in its lobby, as one may there", () => {
    expect(wayBack(lobby("ended"), "ada")).toBe("reopen");
    expect(wayBack(lobby("ended"), "ben"), "the host opens it").toBe("enter");
    expect(wayBack(lobby("playing"), "ada")).toBe("enter");
    expect(wayBack(lobby("ended"), "cleo")).toBe("enter");
    expect(wayBack(lobby("open"), "dora")).toBe("join");
  });
  it("in a new one where there is no place in it any more", () => {
    expect(wayBack(null, "ada")).toBe("new");
    expect(wayBack(lobby("closed"), "ada")).toBe("new");
    expect(wayBack(lobby("ended"), "dora")).toBe("new");
    expect(wayBack(lobby("open", { limit: 2 }), "dora")).toBe("new");
  });
});
