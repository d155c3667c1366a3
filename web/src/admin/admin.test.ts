import { describe, expect, it } from "vitest";
import { unpackSight } from "./tilesight";
import { sides } from "./words";

describe("unpackSight", () => {
  it("reads two bits a tile, the lowest first", () => {
    expect([...unpackSight(btoa(String.fromCharCode(0b11100100, 0b10)), 5)]).toEqual([0, 1, 2, 3, 2]);
  });
});

describe("who plays against whom", () => {
  it("names the teams, not each against each", () => {
    const p = (name: string, team: number) => ({ name, team });
    expect(sides([p("Ada", 0), p("Ben", 1)])).toBe("Ada against Ben");
    expect(sides([p("Ada", 1), p("Ben", 0), p("Cleo", 1), p("Dan", 1)])).toBe(
      "Ben against Ada, Cleo and Dan",
    );
  });
});
