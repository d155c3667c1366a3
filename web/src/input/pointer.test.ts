import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PointerHandlers, PointerInput } from "./pointer";

/** A field of a page without a browser: what listens on it, and what it was told to do. */
class Page extends EventTarget {
  getBoundingClientRect() {
    return { left: 0, top: 0 };
  }
}

let page: Page;
let said: string[];
let input: PointerInput;
const kept = { window: globalThis.window, document: globalThis.document };

beforeEach(() => {
  page = new Page();
  Object.assign(globalThis, { window: page, document: page });
  said = [];
  const say =
    (what: string) =>
    (...args: unknown[]) =>
      said.push(
        args[0] === null
          ? `no ${what}`
          : typeof args[0] === "number"
            ? `${what} ${args[0]},${args[1]}`
            : what,
      );
  input = new PointerInput(
    page as unknown as HTMLElement,
    {
      hover: say("hover"),
      click: say("click"),
      drawingBox: say("drawingBox"),
      box: say("box"),
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

function event(type: string, x: number, y: number, ms: number, pointerType: "touch" | "mouse"): void {
  const e = new Event(type);
  const more = { clientX: x, clientY: y, timeStamp: ms, pointerType, pointerId: 1, button: 0 };
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
});

describe("a mouse on the field", () => {
  it("draws a box at once", () => {
    event("pointerdown", 100, 100, 0, "mouse");
    event("pointermove", 120, 110, 20, "mouse");
    event("pointerup", 120, 110, 40, "mouse");
    expect(told()).toEqual(["drawingBox", "box"]);
  });
});
