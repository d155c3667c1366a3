import { describe, expect, it } from "vitest";
import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { type Order, toWire } from "./order.js";

describe("an order on the wire", () => {
  const to = { x: 1024.6, y: -3 };
  it("says whether its units keep together, where they are sent somewhere", () => {
    for (const kind of ["move", "attackMove", "patrol"] as const) {
      expect(toWire({ do: kind, units: [1], to, together: true }, 7).together).toBe(true);
      expect(toWire({ do: kind, units: [1], to }, 7).together).toBe(false);
    }
  });
  it("has whole world units, and its number", () => {
    const order: Order = { do: "move", units: [3, 4], to, queued: true };
    const { seq, kind, units, to: point, queued } = toWire(order, 9);
    expect({ seq, kind, units, x: point?.x, y: point?.y, queued }).toEqual({
      seq: 9,
      kind: OrderKind.MOVE,
      units: [3, 4],
      x: 1025,
      y: -3,
      queued: true,
    });
  });
});
