import type { Match, Order } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import type { Selection } from "../input/selection";
import { PathLines } from "./paths";

describe("lines of orders without an answer, as in a pause", () => {
  const at = (x: number) => ({ x: x * 1024, y: 0 });
  /** The lines of unit 1, from and to where along x. Unit 7, which it may aim at, stands at 30. */
  function lines(orders: readonly Order[], answered: readonly number[] = []): [number, number][] {
    let told = (_: object) => {};
    const match = {
      events: { on: (_: string, fn: typeof told) => (told = fn) },
      state: {
        world: { slot: (h: number) => (h === 1 || h === 7 ? h : -1) },
        own: { units: new Map([[1, { doing: "move", to: at(5) }]]), production: new Map() },
        prediction: { rally: () => null, task: () => ({ accepted: false }) },
      },
    } as unknown as Match;
    const paths = new PathLines(match, { handles: new Set([1]) } as Selection);
    orders.forEach((o, seq) => void paths.add(seq, o));
    for (const seq of answered) told({ seq });
    const drawn: [number, number][] = [];
    const billboards = {
      line: (_: string, x: number, _y: number, _z: number, to: number) => drawn.push([x, to]),
    };
    const spot = { x: 0, z: 0 };
    const place = (slot: number) => Object.assign(spot, { x: slot === 7 ? 30 : 1 }); // one object for all
    paths.draw(billboards as never, {} as never, { floor: () => 0 } as never, { place });
    return drawn;
  }
  const move = (x: number, queued = false): Order => ({ do: "move", units: [1], to: at(x), queued });

  it("follow each other if they are queued", () => {
    expect(lines([move(10), move(20, true)])).toEqual([
      [1, 10],
      [10, 20],
    ]);
    expect(lines([move(10, true)])).toEqual([[5, 10]]);
    expect(lines([move(10), { do: "stop", units: [1] }, move(20, true)])).toEqual([[1, 20]]);
  });
  it("leave out what was replaced, answered, or is of others", () => {
    expect(lines([move(10), move(20)])).toEqual([[1, 20]]);
    expect(lines([move(10), { do: "hold", units: [1] }])).toEqual([]);
    expect(lines([move(10), move(20, true)], [0])).toEqual([[5, 20]]);
    expect(lines([{ do: "move", units: [2], to: at(9) }])).toEqual([]);
  });
  it("go to what is aimed at while it is in sight", () => {
    expect(lines([{ do: "attack", units: [1], target: 7 }, move(20, true)])).toEqual([
      [1, 30],
      [30, 20],
    ]);
    expect(lines([{ do: "attack", units: [1], target: 8 }])).toEqual([]);
  });
});
