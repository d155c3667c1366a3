import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { meshOf } from "./glb";

const file = readFileSync(new URL("../../../match/pack/testdata/frost/assets/golem.glb", import.meta.url));

/** The example with its JSON changed. */
function changed(change: (doc: { nodes: object[]; materials: { name: string }[] }) => void): ArrayBuffer {
  const length = file.readUInt32LE(12);
  const doc = JSON.parse(file.toString("utf8", 20, 20 + length));
  change(doc);
  let json = JSON.stringify(doc);
  json += " ".repeat((4 - (json.length % 4)) % 4);
  const head = Buffer.from(file.subarray(0, 20));
  head.writeUInt32LE(json.length, 12);
  const out = Buffer.concat([head, Buffer.from(json), file.subarray(20 + length)]);
  return out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength) as ArrayBuffer;
}

describe("a glTF of a pack", () => {
  it("becomes triangles that look along +x, with the owner's colour and glow", () => {
    const { position, color, paint } = meshOf(changed(() => {}));
    expect(position.length).toBe(5 * 8 * 3 * 3);
    expect(color.length).toBe(position.length);
    // The first corner of the first part: (0, 0.9, 0.45) of the file.
    expect([...position.subarray(0, 3)].map((v) => Number(v.toFixed(3)) + 0)).toEqual([0.45, 0.9, 0]);
    expect([...color.subarray(0, 3)].map((v) => Number(v.toFixed(2)))).toEqual([0.35, 0.75, 0.95]);
    expect([...paint.subarray(0, 3)]).toEqual([0, 0, 0]);
    const part = 8 * 3 * 3;
    expect([...paint.subarray(part, part + 3)]).toEqual([0, 1, 0]);
    expect([...paint.subarray(2 * part, 2 * part + 3)]).toEqual([1, 0, 0]);
  });

  it("has the transforms of its nodes", () => {
    const moved = meshOf(
      changed((doc) => {
        // A quarter turn to the left around the upright axis, twice as large, a step up.
        doc.nodes[0] = {
          mesh: 0,
          translation: [0, 1, 0],
          rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2],
          scale: [2, 2, 2],
        };
      }),
    );
    // (0, 0.9, 0.45) is at (0.9, 2.8, 0) of the scene.
    expect([...moved.position.subarray(0, 3)].map((v) => Number(v.toFixed(3)) + 0)).toEqual([0, 2.8, -0.9]);
  });

  it("without a triangle is refused", () => {
    expect(() => meshOf(changed((doc) => doc.nodes.fill({})))).toThrow("it has no triangle");
  });
});
