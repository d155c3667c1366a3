import { describe, expect, it } from "vitest";
import { decodeMap, encodeMap, type GameMap } from "./map.js";

function sample(): GameMap {
  const n = 16 * 20;
  return {
    name: "Fähre",
    width: 16,
    height: 20,
    occlusion: 2,
    levels: Uint8Array.from({ length: n }, (_, i) => i % 16),
    terrain: Uint8Array.from({ length: n }, (_, i) => i % 9),
    pass: Uint8Array.from({ length: n }, (_, i) => i % 16),
    starts: [
      { x: 1, y: 2 },
      { x: 14, y: 18 },
    ],
    resources: [{ x: 7, y: 9 }],
    features: [{ x: 4, y: 5, type: "bridge", link: 7 }],
  };
}

describe("decodeMap", () => {
  it("reads what was written", () => {
    expect(decodeMap(encodeMap(sample()))).toEqual(sample());
  });

  it("reads a map in the middle of a larger buffer", () => {
    const bytes = encodeMap(sample());
    const larger = new Uint8Array(bytes.length + 10);
    larger.set(bytes, 5);
    expect(decodeMap(larger.subarray(5, 5 + bytes.length))).toEqual(sample());
  });

  it("refuses every truncation, naming an offset", () => {
    const bytes = encodeMap(sample());
    const whole = encodeMap({ ...sample(), features: [] }).length; // a map without features
    for (let n = 0; n < bytes.length; n++) {
      if (n !== whole) expect(() => decodeMap(bytes.subarray(0, n)), `${n} bytes`).toThrow(/offset \d+/);
    }
  });

  it("refuses bytes after the end, other headers, sizes, levels and terrain out of range", () => {
    const good = encodeMap(sample());
    const longer = new Uint8Array(good.length + 1);
    longer.set(good);
    expect(() => decodeMap(longer)).toThrow(/1 bytes too many/);
    const change = (at: number, to: number) => {
      const b = good.slice();
      b[at] = to;
      return b;
    };
    expect(() => decodeMap(change(0, 0))).toThrow(/not a fogkeep map/);
    expect(() => decodeMap(change(8, 3))).toThrow(/16 to 1024/);
    const levels = 8 + 6 + new TextEncoder().encode("Fähre").length;
    expect(() => decodeMap(change(levels + 4, 16))).toThrow(new RegExp(`offset ${levels + 4}: level 16`));
    expect(() => decodeMap(change(levels + 320 + 1, 9))).toThrow(
      new RegExp(`offset ${levels + 321}: terrain 9`),
    );
  });
});
