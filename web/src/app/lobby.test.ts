import type { Lobby, Played, ReplayFacts, Seat } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { useLanguage } from "../text/text";
import { sidesOf } from "./account";
import { lengthOf } from "./holders";
import { actionsFor } from "./lobbyactions";
import { type Line, withLine } from "./lobbymodel";
import { canOpen, hostWaitsFor, standingLine, statusLine, viewOf, waysInto } from "./lobbyview";
import { botsOn } from "./playdialog";
import { playersOf } from "./replayscreen";

const player = (slot: number, id: string, more: Partial<Seat> = {}): Seat => ({
  slot,
  kind: "player",
  account: { id, name: id },
  name: id,
  team: slot,
  color: slot,
  ready: false,
  ...more,
});
const bot = (slot: number, more: Partial<Seat> = {}): Seat => ({
  slot,
  kind: "bot",
  name: "Bot",
  team: slot,
  color: slot,
  ready: true,
  ...more,
});
const free = (slot: number): Seat => ({ slot, kind: "open", team: -1, color: -1, ready: false });

const lobby = (more: Partial<Lobby>): Lobby =>
  ({
    id: "l",
    host: "ada",
    state: "open",
    limit: 2,
    matchId: "m",
    seats: [player(0, "ada"), free(1)],
    spectators: [],
    options: { spectators: 1 },
    ...more,
  }) as Lobby;

describe("the ways into a lobby", () => {
  const full = [player(0, "ada"), bot(1)];
  it("are a free seat before the match, an opened one in it, and a spectator's", () => {
    expect(waysInto(lobby({}))).toEqual({ taken: 1, full: false, join: true, watch: true });
    expect(waysInto(lobby({ seats: full }))).toEqual({ taken: 2, full: true, join: false, watch: true });
    expect(waysInto(lobby({ state: "playing" })).join).toBe(false);
    expect(
      waysInto(lobby({ state: "playing", seats: [player(0, "ada"), bot(1, { open: true })] })).join,
    ).toBe(true);
    expect(waysInto(lobby({ state: "starting" })).join).toBe(false);
    expect(waysInto(lobby({ state: "ended" }))).toEqual({ taken: 1, full: false, join: false, watch: false });
    expect(waysInto(lobby({ spectators: [{ ...free(100), kind: "spectator" }] })).watch).toBe(false);
  });
});

describe("an invitation", () => {
  const said = (more: Partial<Lobby>) => standingLine(lobby(more));
  const full = [player(0, "ada"), bot(1)];
  it("says that the match is running, and what a visitor can do then", () => {
    const open = [player(0, "ada"), bot(1, { open: true })];
    expect(said({ state: "playing", seats: open })).toBe("The match is running. You take over a seat in it.");
    expect(said({ state: "playing", seats: full })).toMatch(/^The match is running. You can watch/);
    const seen = [{ ...free(100), kind: "spectator" as const }];
    expect(said({ state: "playing", seats: full, spectators: seen })).toMatch(/You can join when it is over/);
  });
  it("says that the last match is over, that all seats are taken, and otherwise nothing", () => {
    expect(said({ state: "ended" })).toMatch(/^The last match is over/);
    expect(said({ seats: full })).toBe("All seats are taken. You can watch.");
    expect(said({ seats: full, spectators: [{ ...free(100), kind: "spectator" }] })).toBe(
      "All seats are taken.",
    );
    expect(said({})).toBe("");
  });
});

describe("a lobby that plays a match on", () => {
  it("waits for nobody in a seat that is free: bots take those", () => {
    const seats = [player(0, "ada"), { ...free(3), team: 1, color: 5, was: "Ben" }];
    expect(hostWaitsFor({ host: "ada", seats })).toBe(
      hostWaitsFor({ host: "ada", seats: [player(0, "ada"), bot(3)] }),
    );
    expect(hostWaitsFor({ host: "ada", seats: [player(0, "ada"), free(1)] })).not.toBe(
      hostWaitsFor({ host: "ada", seats }),
    );
  });
});

describe("the button that opens a seat of the running match", () => {
  const away = player(1, "ben", { away: true, canOpen: true });
  const view = (more: Partial<Lobby>, me = "ada", ended = "") =>
    viewOf(lobby({ state: "playing", seats: [player(0, "ada"), away], ...more }), me, ended);
  it("is there where the server says that it works, and to close a seat", () => {
    expect(canOpen(view({}), away)).toBe(true);
    expect(canOpen(view({}), bot(1))).toBe(false);
    expect(canOpen(view({}), player(1, "ben"))).toBe(false);
    expect(canOpen(view({}), player(1, "ben", { open: true }))).toBe(true); // to close it
    expect(canOpen(view({}, "ben"), away)).toBe(false);
    expect(canOpen(view({ state: "open" }), away)).toBe(false);
    expect(canOpen(view({}, "ada", "m"), away)).toBe(false); // the match is over
  });
});

describe("the buttons of a lobby", () => {
  const actions = (more: Partial<Lobby>, me = "ada", ended = "") =>
    actionsFor(viewOf(lobby(more), me, ended)).join(" ");
  const seats = [player(0, "ada"), player(1, "ben")];
  it("are the host's and the others' in each state", () => {
    expect(actions({ seats })).toBe("start configure leave");
    expect(actions({ seats }, "ben")).toBe("ready leave");
    expect(actions({ seats, state: "starting" })).toBe("cancel-start leave");
    expect(actions({ seats, state: "starting" }, "ben")).toBe("leave");
    expect(actions({ seats, state: "playing" }, "ben")).toBe("enter leave");
    expect(actions({ seats, state: "playing" }, "ben", "m")).toBe("leave");
    expect(actions({ seats, state: "ended" })).toBe("again replay leave");
    expect(actions({ seats, state: "ended" }, "ben")).toBe("replay leave");
    const waiting = { why: "build 1 began match m", until: "2026-11-26T12:00:00Z" };
    expect(actions({ seats, state: "playing", waiting }, "ben")).toBe("leave");
    expect(statusLine(viewOf(lobby({ seats, state: "playing", waiting }), "ben", ""))).toContain(
      new Date(waiting.until).toLocaleTimeString(),
    );
    expect(actions({ spectators: [player(100, "cleo")] }, "cleo")).toBe("leave");
  });
});

describe("the chat of a lobby", () => {
  const line = (id: number): Line => ({ id, name: "ada", text: String(id), announce: false });
  it("has each line once, and the last two hundred", () => {
    let lines: readonly Line[] = [];
    for (let id = 1; id <= 203; id++) lines = withLine(withLine(lines, line(id)), line(id));
    expect(lines.map((l) => l.id)).toEqual(Array.from({ length: 200 }, (_, i) => i + 4));
  });
});

describe("a match that was played", () => {
  const players: Played["players"] = [
    { name: "ada", team: 0, bot: false, you: true },
    { name: "Bot B", team: 1, bot: true, level: "hard" },
    { name: "ben", team: 0, bot: false },
    { name: "Bot D", team: 1, bot: true },
  ];
  it("names the others by side", () => {
    const match = { ticks: 8000, seconds: 400 };
    expect(sidesOf({ players, team: 0, ...match })).toEqual({
      allies: "ben",
      opponents: "Bot (Hard), Bot",
    });
    expect(sidesOf({ players, team: 1, ...match })).toEqual({
      allies: "Bot (Hard), Bot",
      opponents: "ben",
    });
  });
  it("names the earlier players of a seat", async () => {
    const seats = {
      players: [
        { name: "ben", team: 0, bot: false, to: 4000 },
        { name: "ada", team: 0, bot: false, from: 4000, you: true },
        { name: "cleo", team: 1, bot: false, to: 400 },
        { name: "Bot A", team: 1, bot: true, level: "easy", from: 400, to: 1310 },
        { name: "dan", team: 1, bot: false, from: 1310 },
      ] satisfies Played["players"],
      team: 0,
      ticks: 8000,
      seconds: 400,
    };
    expect(sidesOf(seats)).toEqual({
      allies: "ben until 3:20",
      opponents: "dan (before: cleo until 0:20, Bot (Easy) until 1:05)",
    });
    await useLanguage(["de"]);
    expect(sidesOf(seats).opponents).toBe("dan (vorher: cleo bis 0:20, Bot (Leicht) bis 1:05)");
    const facts = {
      tickRate: 20,
      players: [
        { name: "ada", earlier: [{ name: "ben", to: 4000 }] },
        { name: "x", gone: true },
      ] as ReplayFacts["players"],
    };
    expect(playersOf(facts)).toBe("ada (vorher: ben bis 3:20) · gelöschter Spieler");
    await useLanguage(["en"]);
    expect(playersOf(facts)).toBe("ada (before: ben until 3:20) · deleted player");
  });
  it("has a length as a clock shows it", () => {
    expect([0, 59, 60, 754, 3600].map(lengthOf)).toEqual(["0:00", "0:59", "1:00", "12:34", "60:00"]);
  });
});

describe("bots on a map", () => {
  it("take half of it unless more are asked for, and leave a place", () => {
    expect([2, 3, 4, 8].map((starts) => botsOn({ starts }, 0))).toEqual([1, 1, 2, 4]);
    expect(botsOn({ starts: 4 }, 3)).toBe(3);
    expect(botsOn({ starts: 4 }, 7)).toBe(3);
  });
});
