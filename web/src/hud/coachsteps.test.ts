import { type Doing, FLAG, MatchState } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { Selection } from "../input/selection";
import { CoachProgress, coachPointer, coachTypes } from "./coachsteps";

/** The own base: a barracks (3), a worker (2), a soldier (1). */
function base() {
  const s = new MatchState(info());
  const put = (handle: number, kind: number, owner = 0) =>
    s.world.enter({ handle, type: kind, owner, x: 2048, y: 2048, vx: 0, vy: 0, facing: 0 }, 0);
  put(1, 0);
  put(2, 1);
  put(3, 2);
  s.own.resources = [100, 0];
  const coach = new CoachProgress(s);
  coach.update();
  return { s, put, coach };
}

const does = (s: MatchState, unit: number, doing: Doing) => {
  s.own.units.set(unit, {
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
};

describe("the steps of a first match", () => {
  it("are done one after the other, each by what the state shows", () => {
    const { s, put, coach } = base();
    const step = () => {
      coach.update();
      return coach.step;
    };
    expect(step()).toBe("mine");
    s.own.resources = [60, 0];
    expect(step(), "resources that are spent are not mined").toBe("mine");
    s.own.resources = [68, 0];
    expect(step()).toBe("train");
    s.own.production.set(3, { types: [1] } as never);
    expect(step()).toBe("build");
    s.own.production.clear();
    expect(step(), "what is done stays done").toBe("build");
    put(4, 3);
    expect(step()).toBe("scout");
    put(5, 4, 0xff);
    expect(step(), "a resource is no enemy").toBe("scout");
    put(6, 0, 1);
    expect(step(), "an enemy's scout that comes to the base was not found").toBe("scout");
    put(7, 2, 1);
    expect(step()).toBe("attack");
    does(s, 2, "attackMove");
    expect(step(), "a worker is no army").toBe("attack");
    does(s, 1, "attackMove");
    expect(step()).toBe(null);
  });
  it("that were done before their turn are left out", () => {
    const { s, put, coach } = base();
    put(4, 3);
    s.own.production.set(3, { types: [1] } as never);
    s.own.resources = [108, 0];
    coach.update();
    expect(coach.step).toBe("scout");
  });
  it("an enemy's unit far from home is a find", () => {
    const { s, put, coach } = base();
    const at = { x: 30 * 1024, y: 2048, vx: 0, vy: 0, facing: 0 };
    s.world.enter({ handle: 9, type: 0, owner: 1, ...at }, 0);
    s.own.resources = [108, 0];
    s.own.production.set(3, { types: [1] } as never);
    put(4, 3);
    coach.update();
    expect(coach.step).toBe("attack");
  });
  it("an enemy that is remembered is known", () => {
    const { s, coach } = base();
    s.own.resources = [108, 0];
    s.own.production.set(3, { types: [1] } as never);
    s.ghosts.set(9, { type: 2, owner: 1, x: 0, y: 0, facing: 0, hpMissing: 0, tick: 0 } as never);
    coach.update();
    expect(coach.step).toBe("build");
  });
});

describe("the coach points at", () => {
  const pointer = (step: "mine" | "train" | "build" | "scout" | "attack", select: number[], open = false) => {
    const { s } = base();
    does(s, 2, "harvest");
    const selection = new Selection(s);
    selection.set(select);
    return coachPointer(s, selection, step, open, false);
  };
  it("the resources while workers mine", () => {
    expect(pointer("mine", [])).toEqual({ control: ".resources" });
  });
  it("the building, then its button", () => {
    expect(pointer("train", [])).toEqual({ entity: 3 });
    expect(pointer("train", [3])).toEqual({ control: '[data-command="make-1"]' });
  });
  it("a worker, the build button, the building's button", () => {
    expect(pointer("build", [])).toEqual({ entity: 2 });
    expect(pointer("build", [2])).toEqual({ control: '[data-command="build"]' });
    expect(pointer("build", [2], true)).toEqual({ control: '[data-command="make-3"]' });
  });
  it("the scout, then the minimap", () => {
    expect(pointer("scout", [2])).toEqual({ entity: 1 });
    expect(pointer("scout", [1])).toEqual({ control: ".minimap-canvas" });
  });
  it("the army's button, then attack", () => {
    expect(pointer("attack", [2])).toEqual({ control: ".army" });
    expect(pointer("attack", [1])).toEqual({ control: '[data-command="attack"]' });
  });
  it("nothing that is under construction", () => {
    const { s } = base();
    s.world.flags[s.world.slot(3)] |= FLAG.building;
    expect(coachPointer(s, new Selection(s), "train", false, false)).toBe(null);
  });
});

describe("the types that the coach names", () => {
  it("come from the rules and from what the player has", () => {
    const { s } = base();
    const names = Object.values(coachTypes(s)).map((t) => t?.name);
    expect(names).toEqual(["barracks", "worker", "worker", "tower", "soldier"]);
    expect(RULES.types[3].needs).toEqual([2]);
  });
});
