import { expect, it } from "vitest";
import { handicapText, sidedName } from "./names";

it("names the parts of a handicap that differ from 100 percent", () => {
  expect(handicapText({ start: 50, income: 100, damage: 80 })).toBe("start 50 %, damage 80 %");
  expect(handicapText({})).toBe("");
  expect(sidedName("Ada", { faction: "veil", handicap: { income: 150 } })).toBe("Ada (Veil; income 150 %)");
  expect(sidedName("Ada", { faction: null, handicap: null })).toBe("Ada");
});
