import { MatchState } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { Adviser } from "./advice";

const type = (name: string) => RULES.types.findIndex((t) => t.name === name);

/** A tower, which a worker builds, gives supply. */
const TYPES = RULES.types.map((t) => (t.name === "tower" ? { ...t, populationGives: 10 } : t));

/** An own base with a barracks (3) and a worker (2) that has work. */
function base() {
  const s = new MatchState({ ...info(), rules: { ...RULES, types: TYPES } });
  const put = (handle: number, kind: number) =>
    s.world.enter({ handle, type: kind, owner: 0, x: 2048, y: 2048, vx: 0, vy: 0, facing: 0 }, 0);
  put(2, type("worker"));
  put(3, type("barracks"));
  const does = (doing: "harvest" | "idle") =>
    s.own.units.set(2, {
      doing,
      to: null,
      ready: [],
      running: [],
      grants: [],
      passengers: [],
      energy: 0,
      energyChanges: 0,
      firing: 0,
    });
  does("harvest");
  s.own.resources = [0, 0];
  const adviser = new Adviser(s);
  /** The advice later so many seconds with the state as it is. */
  let nowMs = 0;
  const later = (seconds: number) => {
    adviser.update(nowMs);
    nowMs += 1000 * seconds;
    return adviser.update(nowMs);
  };
  return { s, does, later };
}

describe("the adviser", () => {
  it("has no advice while all is well", () => {
    expect(base().later(100)).toBeNull();
  });
  it("counts workers that stay idle", () => {
    const { does, later } = base();
    does("idle");
    expect(later(5), "a moment between two tasks").toBeNull();
    expect(later(2)).toEqual({ kind: "idle", count: 1 });
    does("harvest");
    expect(later(20)).toBeNull();
  });
  it("names a structure that trains no units while much is unspent", () => {
    const { s, later } = base();
    const cheapest = RULES.types[type("barracks")].trains.map((id) => RULES.types[id].cost);
    s.own.resources = cheapest[0].map((n) => 4 * n);
    expect(later(10)).toBeNull();
    expect(later(6)).toEqual({ kind: "unspent", resource: 0, amount: s.own.resources[0], maker: 3 });
    s.own.production.set(3, { types: [0] } as never);
    expect(later(60)).toBeNull();
  });
  it("puts supply first, with the cheapest type that gives some", () => {
    const { s, does, later } = base();
    does("idle");
    s.own.population = 8;
    s.own.populationMax = 10;
    expect(later(10)).toEqual({ kind: "supply", type: TYPES[type("tower")], used: 8, most: 10 });
    s.own.population = 7;
    expect(later(10)?.kind).toBe("idle");
  });
});
