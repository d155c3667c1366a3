import { readFileSync } from "node:fs";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CODES, ROWS } from "../gen/fields.js";
import { ServerFrameSchema } from "../gen/fogkeep/v1/server_pb.js";
import { readFrame } from "./packed.js";

interface Vector {
  name: string;
  packed?: string;
  packed_values?: string;
  fields?: Record<string, number[]>;
  bad?: boolean;
}

const { rows } = JSON.parse(
  readFileSync(new URL("../../../../proto/wire/testdata/packed.json", import.meta.url), "utf8"),
) as { rows: Vector[] };

const frame = (packed: Uint8Array, besides: object = {}) =>
  toBinary(ServerFrameSchema, create(ServerFrameSchema, { ...besides, packed }));

describe("packed rows", () => {
  it.each(rows)("$name", ({ packed, packed_values, fields, bad }) => {
    const bytes = frame(Buffer.from(packed ?? "", "base64"), {
      packedValues: Buffer.from(packed_values ?? "", "base64"),
    });
    if (bad) {
      expect(() => readFrame(bytes)).toThrow(Error);
      return;
    }
    const f = readFrame(bytes);
    for (const { name, key } of ROWS) expect(f[key], name).toEqual(fields?.[name] ?? []);
    const sights = f.sights.flatMap((s) => [s.x, s.y, s.radius, Number(s.flyer), s.levelBonus, s.ticks]);
    expect(sights).toEqual(fields?.sights ?? []);
    expect(f.packed.length).toBe(0);
  });

  it("are not read besides rows of the same field", () => {
    const whole = Buffer.from(rows[0].packed ?? "", "base64");
    expect(() => readFrame(frame(whole, { leave: [3] }))).toThrow("besides");
    expect(() => readFrame(frame(whole, { sights: [{ x: 3 }] }))).toThrow("besides");
  });

  it("cut anywhere are refused", () => {
    const whole = Buffer.from(rows[0].packed ?? "", "base64");
    for (let n = 1; n < whole.length; n++) expect(() => readFrame(frame(whole.subarray(0, n)))).toThrow();
  });

  it("have codes that fill all there is, so that any bits are a number", () => {
    for (const lengths of Object.values(CODES)) {
      expect(lengths.length).toBe(33);
      expect([...lengths].reduce((sum, digit) => sum + 2 ** -parseInt(digit, 36), 0)).toBe(1);
    }
  });
});
