import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer, LAST } from "./fixture";
import { keyDown, nextOf } from "./keys";
import { parseLink } from "./link";
import { Inspector } from "./model";

const done: string[] = [];
let m: Inspector;
/** Presses a key on an element, and says whether the page took it. */
function press(key: string, on = "", more: Partial<KeyboardEvent> = {}): boolean {
  let taken = false;
  const target = { closest: (selector: string) => (on && selector.split(", ").includes(on) ? {} : null) };
  const e = {
    key,
    target,
    preventDefault: () => {
      taken = true;
    },
    ...more,
  } as unknown as KeyboardEvent;
  keyDown(e, m, { step: (by) => done.push(`step ${by}`) }, () => done.push("back"));
  return taken;
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { querySelector: () => null });
  done.length = 0;
  m = new Inspector("m1", new FakeServer(), parseLink("#inspect/m1?tick=100&entity=33") ?? undefined);
  m.map = {
    at: null,
    zoom: (f) => done.push(`zoom ${f > 1 ? "in" : "out"}`),
    pan: (x, y) => done.push(`pan ${x},${y}`),
    whole: () => done.push("whole"),
    reveal: () => undefined,
    frame: () => done.push("frame"),
  };
  await m.open();
  await vi.advanceTimersByTimeAsync(10);
  done.length = 0;
});
afterEach(() => {
  m.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the keys of the inspector", () => {
  it("move in time and on the map", async () => {
    for (const k of [",", ".", "+", "-", "0", "ArrowLeft", "c"]) expect(press(k), k).toBe(true);
    expect(done).toEqual(["step -1", "step 1", "zoom in", "zoom out", "whole", "pan 80,0", "frame"]);
    press(">");
    await vi.advanceTimersByTimeAsync(10);
    expect(m.tick.value).toBe(120);
    press("End");
    await vi.advanceTimersByTimeAsync(10);
    expect(m.tick.value).toBe(LAST);
  });
  it("choose eyes, teams, modes and panels", () => {
    press("e");
    expect(m.eyes.value).toBe(0);
    press("t");
    expect(m.askedTeam.value).toBe(0);
    press("3");
    expect(m.mode.value).toBe("difference");
    press("o");
    expect(m.tab.value).toBe("orders");
    press("P");
    expect(m.pins.value).toEqual([{ kind: "entity", id: 33 }]);
    press(" ");
    expect(m.playing.value).toBe(100);
    m.chooseSpeed(400);
    expect(m.playing.value).toBe(400);
    press(" ");
    m.chooseSpeed(200);
    expect(m.playing.value).toBe(0); // and the next time it plays as was chosen
    press(" ");
    expect(m.playing.value).toBe(200);
  });
  it("leave first what is selected, and then the match", () => {
    press("Escape");
    expect([m.selection.value, done]).toEqual([null, []]);
    press("Escape");
    expect(done).toEqual(["back"]);
  });
  it("are left to fields, buttons, lists and the browser where they are theirs", () => {
    expect(press(",", "input")).toBe(false);
    expect(press(" ", "button")).toBe(false);
    expect(press("ArrowDown", ".long-list")).toBe(false);
    expect(press("l", "", { ctrlKey: true })).toBe(false);
    expect(press("q")).toBe(false);
    expect(done).toEqual([]);
  });
  it("go round", () => {
    expect([nextOf([1, 2, 3], 3), nextOf([1, 2, 3], 1), nextOf([1, 2], 9)]).toEqual([1, 2, 1]);
  });
});
