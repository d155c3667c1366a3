import { describe, expect, it } from "vitest";
import type { Handle } from "../base/ids.js";
import { ROLES } from "../gen/fields.js";
import { info } from "./fixture.js";
import { type Autonomous, autonomous, PredictedStates, predicts, roleOf, type Simulated } from "./roles.js";
import { World } from "./world.js";

function world(): World {
  const { rules } = info();
  const w = new World(rules, 32, 24);
  [0, 1, 2, 0xff].forEach((owner, i) => {
    w.enter({ handle: i + 1, type: 0, owner, x: 0, y: 0, vx: 0, vy: 0, facing: 0 }, 0);
  });
  return w;
}

describe("roles", () => {
  it("are autonomous for the player's own alone, and for nothing of a spectator's", () => {
    const w = world();
    const roles = (i: ReturnType<typeof info>) => [1, 2, 3, 4, 9].map((id) => roleOf(i, w, id));
    expect(roles(info())).toEqual(["autonomous", "simulated", "simulated", "simulated", null]);
    expect(roles({ ...info(), spectator: true })).toEqual([...Array(4).fill("simulated"), null]);
    expect([autonomous(info(), w, 1), autonomous(info(), w, 2), autonomous(info(), w, 9)]).toEqual([
      1,
      null,
      null,
    ]);
  });

  // The type checker runs over this file: a line below that compiles is an error.
  it("let only autonomous entities be predicted", () => {
    const guesses = new PredictedStates<string>();
    const mine = autonomous(info(), world(), 1);
    if (mine) guesses.set(mine, "goes east");
    const plain: Handle = 2;
    const theirs = 2 as Simulated;
    // @ts-expect-error any handle may be somebody else's
    const a: Autonomous = plain;
    // @ts-expect-error a simulated entity is not predicted
    const b: Autonomous = theirs;
    // @ts-expect-error a null is to be looked at first
    const c: Autonomous = autonomous(info(), world(), 2);
    // @ts-expect-error so no guess of it is kept
    const keep = () => guesses.set(theirs, "goes west");
    // @ts-expect-error nor of a handle whose role was not asked for
    const keepPlain = () => guesses.set(plain, "goes west");
    expect([guesses.get(1), guesses.size]).toEqual(["goes east", 1]);
    expect([a, b, c, typeof keep, typeof keepPlain]).toEqual([2, 2, null, "function", "function"]);
  });

  it("let only fields be predicted that the table gives to the owner", () => {
    expect(predicts("motion", "tasks", "started").map((f) => ROLES[f])).toEqual(["owner", "owner", "owner"]);
    // @ts-expect-error health is the server's
    const health = () => predicts("health");
    // @ts-expect-error what a unit is worth too
    const resources = () => predicts("resources");
    expect([typeof health, typeof resources]).toEqual(["function", "function"]);
  });
});
