import { describe, expect, it } from "vitest";
import { pick } from "./mapview";
import type { Entity } from "./shapes";

const thing = (id: number, x: number, y: number, more: Partial<Entity> = {}): Entity => ({
  id,
  shape: "unit",
  type: "scout",
  slot: 0,
  team: 0,
  x,
  y,
  facing: 0,
  hp: 1,
  hpMax: 1,
  seen: [],
  ...more,
});

describe("a click", () => {
  const base = thing(1, 10, 10, { shape: "structure", size: 4 });
  const near = thing(2, 11, 10);
  const far = thing(3, 30, 30);
  it("hits what it is on, and a unit before the structure it stands on", () => {
    expect(pick([base, near, far], { x: 8.5, y: 8.5 }, 0.1)?.id).toBe(1);
    expect(pick([base, near, far], { x: 11.2, y: 10 }, 0.1)?.id).toBe(2);
    expect(pick([near, base, far], { x: 11.2, y: 10 }, 0.1)?.id).toBe(2);
  });
  it("forgives a little, not much", () => {
    expect(pick([far], { x: 31, y: 30 }, 0.7)?.id).toBe(3);
    expect(pick([far], { x: 31.5, y: 30 }, 0.7)).toBeNull();
  });
  it("takes the nearer of two units", () => {
    expect(pick([thing(1, 0, 0), thing(2, 1, 0)], { x: 0.9, y: 0 }, 5)?.id).toBe(2);
    expect(pick([thing(1, 0, 0), thing(2, 9, 0)], { x: 4, y: 0 }, 5)?.id).toBe(1);
  });
});
