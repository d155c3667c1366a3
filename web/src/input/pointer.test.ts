import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClickKeys, type PointerHandlers, PointerInput } from "./pointer";

/** A field of a page without a browser: its listeners, and the calls that it got. */
class Page extends EventTarget {
  getBoundingClientRect() {
    return { left: 0, top: 0 };
  }
}

let page: Page;
let said: string[];
let input: PointerInput;
/** Whether a command waits that takes a line. */
let aims: boolean;
const kept = { window: globalThis.window, document: globalThis.document };

beforeEach(() => {
  page = new Page();
  Object.assign(globalThis, { window: page, document: page });
  said = [];
  aims = false;
  const say =
    (what: string) =>
    (...args: unknown[]) =>
      said.push(
        args[0] === null
          ? `no ${what}`
          : typeof args[0] === "number"
            ? `${(args[2] as ClickKeys)?.held ? "held " : ""}${(args[2] as ClickKeys)?.double ? "double " : ""}${what} ${args[0]},${args[1]}`
            : what,
      );
  input = new PointerInput(
    page as unknown as HTMLElement,
    {
      hover: say("hover"),
      click: say("click"),
      drawingBox: say("drawingBox"),
      box: say("box"),
      aimsLine: () => aims,
      drawingLine: say("drawingLine"),
      line: say("line"),
      order: say("order"),
      drag: say("drag"),
      zoom: say("zoom"),
    } as PointerHandlers,
  );
});
afterEach(() => {
  input.dispose();
  Object.assign(globalThis, kept);
});

function event(
  type: string,
  x: number,
  y: number,
  ms: number,
  pointerType: "touch" | "mouse",
  button = 0,
  pointerId = 1,
): void {
  const e = new Event(type);
  const more = { clientX: x, clientY: y, timeStamp: ms, pointerType, pointerId, button };
  for (const [k, value] of Object.entries(more)) Object.defineProperty(e, k, { value });
  page.dispatchEvent(e);
}

const told = () => said.filter((s) => !s.startsWith("no "));

describe("a finger on the field", () => {
  it("that moves at once moves the map, however long it goes on", () => {
    event("pointerdown", 100, 100, 0, "touch");
    event("pointermove", 120, 100, 50, "touch");
    event("pointermove", 150, 100, 400, "touch");
    event("pointermove", 170, 100, 2000, "touch");
    event("pointerup", 170, 100, 2100, "touch");
    expect(told()).toEqual(["drag 20,0", "drag 30,0", "drag 20,0"]);
  });
  it("that rests first draws a box", () => {
    event("pointerdown", 100, 100, 0, "touch");
    event("pointermove", 103, 100, 300, "touch");
    event("pointermove", 150, 160, 500, "touch");
    event("pointerup", 150, 160, 600, "touch");
    expect(told()).toEqual(["drawingBox", "box"]);
  });
  it("begins where it is put down, not where the last one was lifted", () => {
    event("pointerdown", 100, 100, 0, "touch");
    event("pointerup", 100, 100, 50, "touch");
    event("pointerdown", 400, 300, 1000, "touch");
    event("pointermove", 420, 300, 1020, "touch");
    expect(told()).toEqual(["click 100,100", "drag 20,0"]);
  });
  it("that rests and is lifted where it was, is a long press; a short one is a tap", () => {
    event("pointerdown", 100, 100, 0, "touch");
    event("pointerup", 102, 100, 340, "touch");
    event("pointerdown", 300, 100, 1000, "touch");
    event("pointerup", 304, 100, 1400, "touch");
    expect(told()).toEqual(["click 102,100", "held click 304,100"]);
  });
  it("shows that it has rested, and what it would draw", () => {
    vi.useFakeTimers();
    try {
      event("pointerdown", 100, 100, 0, "touch");
      vi.advanceTimersByTime(349);
      expect(told()).toEqual([]);
      vi.advanceTimersByTime(2);
      expect(told()).toEqual(["drawingBox"]);
      event("pointerup", 100, 100, 400, "touch");
      aims = true;
      event("pointerdown", 100, 100, 1000, "touch");
      vi.advanceTimersByTime(400);
      expect(told().slice(-1)).toEqual(["drawingLine"]);
      event("pointerup", 100, 100, 1400, "touch");
      said = [];
      event("pointerdown", 100, 100, 2000, "touch");
      event("pointermove", 120, 100, 2050, "touch"); // it moves the map
      vi.advanceTimersByTime(400);
      event("pointerup", 120, 100, 2500, "touch");
      vi.advanceTimersByTime(400);
      expect(told()).toEqual(["drag 20,0"]);
    } finally {
      vi.useRealTimers();
    }
  });
  it("takes the box back if the page learns late that it had moved before", () => {
    vi.useFakeTimers();
    try {
      event("pointerdown", 100, 100, 0, "touch");
      vi.advanceTimersByTime(400); // a busy page
      event("pointermove", 120, 100, 50, "touch");
      expect(said).toEqual(["drawingBox", "no drawingBox", "no drawingLine", "drag 20,0"]);
    } finally {
      vi.useRealTimers();
    }
  });
  it("that rests first draws a line while a command waits that takes one", () => {
    aims = true;
    event("pointerdown", 100, 100, 0, "touch");
    event("pointermove", 150, 160, 500, "touch");
    event("pointerup", 150, 160, 600, "touch");
    expect(told()).toEqual(["drawingLine", "line"]);
  });
  it("taps twice within ten pixels for a double click", () => {
    event("pointerdown", 100, 100, 0, "touch");
    event("pointerup", 100, 100, 50, "touch");
    event("pointerdown", 107, 104, 200, "touch");
    event("pointerup", 107, 104, 250, "touch");
    expect(told()).toEqual(["click 100,100", "double click 107,104"]);
  });
  it("that the browser takes away is forgotten: the next one alone is no pinch", () => {
    event("pointerdown", 100, 100, 0, "touch", 0, 1);
    event("pointercancel", 100, 100, 50, "touch", 0, 1);
    event("pointerdown", 100, 100, 1000, "touch", 0, 2);
    event("pointermove", 130, 100, 1050, "touch", 0, 2);
    expect(told()).toEqual(["drag 30,0"]);
  });
  it("leaves no mouse at the edge of the page", () => {
    event("pointermove", 1, 1, 0, "mouse");
    expect(input.byTouch).toBe(false);
    event("pointerdown", 1, 1, 10, "touch");
    event("pointerup", 1, 1, 20, "touch");
    expect(input.byTouch).toBe(true);
  });
});

describe("two fingers on the field", () => {
  it("zoom and move the map, and are no click when they are lifted", () => {
    event("pointerdown", 100, 100, 0, "touch", 0, 1);
    event("pointerdown", 200, 100, 20, "touch", 0, 2);
    event("pointermove", 240, 100, 60, "touch", 0, 2);
    event("pointerup", 240, 100, 90, "touch", 0, 2);
    event("pointerup", 100, 100, 95, "touch", 0, 1);
    expect(told()).toEqual([expect.stringMatching(/^zoom -/), "drag 20,0"]);
  });
});

describe("a mouse on the field", () => {
  it("draws a box at once", () => {
    event("pointerdown", 100, 100, 0, "mouse");
    event("pointermove", 120, 110, 20, "mouse");
    event("pointerup", 120, 110, 40, "mouse");
    expect(told()).toEqual(["drawingBox", "box"]);
  });
  it("draws a line with the right button, and with the left while a command waits that takes one", () => {
    event("pointerdown", 100, 100, 0, "mouse", 2);
    event("pointermove", 140, 110, 20, "mouse", -1);
    event("pointerup", 140, 110, 40, "mouse", 2);
    aims = true;
    event("pointerdown", 100, 100, 1000, "mouse");
    event("pointermove", 140, 110, 1020, "mouse");
    event("pointerup", 140, 110, 1040, "mouse");
    expect(told()).toEqual(["drawingLine", "line", "drawingLine", "line"]);
  });
  it("whose hand shakes orders, and draws no line", () => {
    event("pointerdown", 100, 100, 0, "mouse", 2);
    event("pointermove", 112, 110, 20, "mouse", -1);
    event("pointerup", 112, 110, 40, "mouse", 2);
    expect(told()).toEqual(["order 112,110"]);
  });
  it("clicks twice within 300 ms and four pixels for a double click, and a third time for a new one", () => {
    for (const [x, ms] of [
      [100, 0],
      [103, 200],
      [103, 400],
      [103, 801],
      [110, 900],
    ] as const) {
      event("pointerdown", x, 100, ms, "mouse");
      event("pointerup", x, 100, ms + 10, "mouse");
    }
    expect(told()).toEqual([
      "click 100,100",
      "double click 103,100",
      "click 103,100",
      "click 103,100",
      "click 110,100",
    ]);
  });
  it("drags the map with the middle button", () => {
    event("pointerdown", 100, 100, 0, "mouse", 1);
    event("pointermove", 140, 110, 20, "mouse", -1);
    event("pointerup", 140, 110, 40, "mouse", 1);
    expect(told()).toEqual(["drag 40,10"]);
  });
});
