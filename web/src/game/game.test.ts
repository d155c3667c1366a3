import { describe, expect, it } from "vitest";
import { unpackSight } from "../admin/sight";
import { Alerts } from "./alerts";
import { words } from "./connection";
import { defaults, parse } from "./settings";

describe("Alerts", () => {
  it("tells one thing at one place once in ten seconds", () => {
    const a = new Alerts();
    expect(a.offer("attacked", "!", true, 10, 10, 0, false)).not.toBeNull();
    expect(a.offer("attacked", "!", true, 14, 12, 5000, false)).toBeNull();
    expect(a.offer("attacked", "!", true, 60, 60, 5000, false)).not.toBeNull();
    expect(a.offer("trained", "!", false, 10, 10, 5000, false)).not.toBeNull();
    expect(a.offer("attacked", "!", true, 10, 10, 11_000, false)).not.toBeNull();
  });
  it("is silent about a fight that is on screen", () => {
    expect(new Alerts().offer("attacked", "!", true, 0, 0, 0, true)).toBeNull();
  });
  it("walks back from the latest", () => {
    const a = new Alerts();
    for (let i = 0; i < 3; i++) a.offer(`k${i}`, "", false, i, 0, i, false);
    expect([a.walk()?.x, a.walk()?.x, a.walk()?.x, a.walk()?.x]).toEqual([2, 1, 0, 2]);
  });
});

describe("a lost connection", () => {
  it("is told with what is held and when it is tried again", () => {
    expect(words(0, 0)).toBe("Connection lost, coming back…");
    expect(words(2100, 0)).toBe("Connection lost, coming back… Next try in 3 s.");
    expect(words(0, 2)).toBe("Connection lost, coming back… 2 orders are held and will be sent.");
  });
});

describe("settings", () => {
  it("survive nonsense", () => {
    expect(parse("{")).toEqual(defaults());
    expect(parse("[1]")).toEqual(defaults());
    expect(
      parse('{"scale":99,"preset":"x","panSpeed":"fast","own":{"attack":["KeyX"],"nope":["KeyY"]}}'),
    ).toEqual({
      ...defaults(),
      scale: 1.6,
      own: { attack: ["KeyX"] },
    });
  });
});

describe("unpackSight", () => {
  it("reads two bits a tile, the lowest first", () => {
    expect([...unpackSight(btoa(String.fromCharCode(0b11100100, 0b10)), 5)]).toEqual([0, 1, 2, 3, 2]);
  });
});
