import { afterEach, describe, expect, it, vi } from "vitest";
import { Emitter, type ListenerFailure } from "./signal.js";

afterEach(() => vi.restoreAllMocks());

describe("a listener that throws", () => {
  it("harms nobody else, and is named", () => {
    const events = new Emitter<{ frame: number }>();
    const failures: ListenerFailure[] = [];
    events.failed = (f) => failures.push(f);
    const heard: number[] = [];
    const error = new Error("no radar");
    events.on("frame", function drawRadar() {
      throw error;
    });
    events.on("frame", (n) => heard.push(n));
    events.emit("frame", 7);
    expect(heard).toEqual([7]);
    expect(failures).toEqual([{ event: "frame", listener: "drawRadar", error }]);
  });
  it("is shown on the console when nobody else is told", () => {
    const shown = vi.spyOn(console, "error").mockReturnValue();
    const events = new Emitter<{ frame: number }>();
    events.on("frame", () => {
      throw new Error("no radar");
    });
    events.emit("frame", 1);
    expect(String(shown.mock.calls[0]?.[0])).toBe(
      'Error: A listener without a name of "frame" threw: no radar',
    );
  });
});
