import { expect, it } from "vitest";
import { emblemPath, shapeOf } from "./emblem";
import { playerColor } from "./palette";

it("each of sixteen colour numbers has a colour and a shape that no other has together", () => {
  const numbers = Array.from({ length: 16 }, (_, n) => n);
  expect(new Set(numbers.map((n) => `${playerColor(n)} ${emblemPath(n)}`)).size).toBe(16);
  expect(numbers.slice(0, 8).map(shapeOf)).toEqual(numbers.slice(0, 8));
  expect(shapeOf(63)).toBeLessThan(8);
});
