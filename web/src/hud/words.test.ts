import { describe, expect, it } from "vitest";
import { placeWord, type Word } from "./words";

const word = (x: number, y: number): Word => ({ x, y, width: 120, height: 20 });

describe("a text over the field", () => {
  it("is at its point", () => {
    expect(placeWord(word(300, 200), [], 800)).toEqual({ x: 300, y: 200 });
    expect(placeWord(word(300, 200), [word(300, 100), word(600, 200)], 800)).toEqual({ x: 300, y: 200 });
  });
  it("goes above the texts that are there", () => {
    const first = word(300, 200);
    const second = { ...first, ...placeWord(word(310, 195), [first], 800) };
    expect(second).toMatchObject({ x: 310, y: 180 });
    expect(placeWord(word(300, 200), [first, second], 800)).toEqual({ x: 300, y: 160 });
  });
  it("stays on the page", () => {
    expect(placeWord(word(795, 200), [], 800)).toEqual({ x: 736, y: 200 });
    expect(placeWord(word(5, 3), [], 800)).toEqual({ x: 64, y: 20 });
  });
});
