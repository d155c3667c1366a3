import { FogkeepError } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { readKeySet, writeKeySet } from "./keyset";
import { KeyboardLayout } from "./layout";

describe("a file of keys", () => {
  const set = { preset: "grid", own: { attack: ["KeyJ"], panUp: ["KeyI", "ArrowUp"] } } as const;
  const text = writeKeySet({ preset: "grid", own: { attack: ["KeyJ"], panUp: ["KeyI", "ArrowUp"] } });
  it("says all of a set", () => {
    expect(readKeySet(text)).toEqual(set);
  });
  it("is refused in words when it is none", () => {
    const why = (t: string): string => {
      try {
        readKeySet(t);
      } catch (err) {
        expect(err).toBeInstanceOf(FogkeepError);
        return (err as FogkeepError).message;
      }
      return "taken";
    };
    const with_ = (part: object) => JSON.stringify({ ...JSON.parse(text), ...part });
    expect(why("{")).toMatch(/not JSON/);
    expect(why("null")).toMatch(/not an object/);
    expect(why("{}")).toMatch(/“format”/);
    expect(why(with_({ version: 2 }))).toMatch(/“version” is not 1/);
    expect(why(with_({ preset: "toString" }))).toMatch(/“preset” must be one of classic, grid, wasd/);
    expect(why(with_({ own: { fly: ["KeyA"] } }))).toMatch(/“fly”, which is not an action/);
    expect(why(with_({ own: { attack: [] } }))).toMatch(/keys of “attack”/);
    expect(why(with_({ own: { attack: ["Key<"] } }))).toMatch(/keys of “attack”/);
    expect(why(with_({ own: { attack: "KeyA" } }))).toMatch(/keys of “attack”/);
    expect(why(" ".repeat(70_000))).toMatch(/too long/);
    expect(why(text)).toBe("taken");
  });
});

describe("KeyboardLayout", () => {
  const press = (code: string, key: string, more = {}) => ({
    code,
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    shiftKey: false,
    ...more,
  });
  it("are learned from what is pressed, and kept", () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (k: string) => kept.get(k) ?? null,
      setItem: (k: string, v: string) => void kept.set(k, v),
    };
    const l = new KeyboardLayout(storage);
    l.learn(press("KeyQ", "a"));
    l.learn(press("KeyW", "W", { shiftKey: true }));
    l.learn(press("KeyE", "Dead"));
    l.learn(press("Enter", "Enter"));
    expect([l.get("KeyQ"), l.get("KeyW"), l.get("KeyE"), l.get("Enter")]).toEqual([
      "A",
      undefined,
      undefined,
      undefined,
    ]);
    expect(new KeyboardLayout(storage).get("KeyQ")).toBe("A");
  });
  it("are asked of a browser that tells, and survive nonsense", async () => {
    const l = new KeyboardLayout({
      getItem: () => '{"KeyQ":7,"__proto__":"x","KeyA":"long"}',
      setItem: () => undefined,
    });
    expect([l.get("KeyQ"), l.get("KeyA")]).toEqual([undefined, undefined]);
    await l.ask({ getLayoutMap: async () => new Map([["KeyY", "z"]]) });
    expect(l.get("KeyY")).toBe("Z");
    await l.ask({ getLayoutMap: () => Promise.reject(new Error("not here")) });
    expect(l.get("KeyY")).toBe("Z");
  });
});
