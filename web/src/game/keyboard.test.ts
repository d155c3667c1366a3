import { info } from "@fogkeep/client/testing";
import { expect, it } from "vitest";
import { speaksToAll } from "./keyboard";

it("a line of chat goes to all where no other person is in the team", () => {
  const match = info(); // P0 and P2 against P1
  expect([speaksToAll(match, false), speaksToAll(match, true)]).toEqual([false, true]);
  match.players[2].bot = true;
  expect(speaksToAll(match, false), "a bot does not read").toBe(true);
  match.players[2].bot = false;
  match.players[2].state = "left";
  expect(speaksToAll(match, false)).toBe(true);
  expect(speaksToAll({ ...match, slot: 1, team: 1 }, false)).toBe(true);
});
