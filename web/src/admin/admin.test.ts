import { FogkeepError } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { upload } from "./scenario";
import { day } from "./tables";
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

describe("a scenario file", () => {
  it("is sent as it is, and its lobby's link is told", async () => {
    const sent: unknown[] = [];
    const told = await upload('{"name": "Ford", "seats": []}', async (body) => {
      sent.push(body);
      return { name: "Ford", link: "https://play.example.org/#lobby=0190" };
    });
    expect(sent).toEqual([{ name: "Ford", seats: [] }]);
    expect(told.words).toContain("Ford");
    expect(told.secret).toBe("https://play.example.org/#lobby=0190");
  });

  it("that is wrong is refused with the place", async () => {
    const never = () => Promise.reject(new Error("it was sent"));
    await expect(upload("{", never)).rejects.toThrow(/no JSON/);
    for (const none of ["[]", "null", "7"]) await expect(upload(none, never)).rejects.toThrow(/no scenario/);
    const refused = new FogkeepError("bad_scenario", "it cannot stand there", false, 422, "/units/2");
    await expect(upload("{}", () => Promise.reject(refused))).rejects.toThrow(
      "At /units/2: it cannot stand there",
    );
  });
});

describe("a day of a date field", () => {
  it("begins at midnight where the reader is, and ends where the next begins", () => {
    const [from, to] = [day("2026-10-24", 0), day("2026-10-24", 1)].map((t) => new Date(t ?? ""));
    expect([from.getFullYear(), from.getMonth(), from.getDate(), from.getHours()]).toEqual([2026, 9, 24, 0]);
    expect([to.getDate(), to.getHours()]).toEqual([25, 0]);
    expect(new Date(day("2026-12-31", 1) ?? "").getFullYear()).toBe(2027);
    expect(day("", 0)).toBeUndefined();
  });
});
