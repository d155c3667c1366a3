import { create } from "@bufbuild/protobuf";
import { MatchState } from "@fogkeep/client";
import { info, RULES } from "@fogkeep/client/testing";
import { OrderKind, ServerFrameSchema } from "@fogkeep/client/wire";
import { describe, expect, it } from "vitest";
import { AIMS_MAX, Aims } from "./aims";

const GROUND = OrderKind.ATTACK_GROUND * 3;
const cell = (x: number, z: number) => z * 16 * 16 * 32 + x * 16;

/** A state with own soldiers 1 to n, and their tasks by rows. */
function doing(n: number, tasks: number[]): Aims {
  const rules = { ...RULES, weapons: RULES.weapons.map((w) => ({ ...w, splash: 1536 })) };
  const state = new MatchState({ ...info(), rules });
  for (let handle = 1; handle <= n; handle++)
    state.world.enter({ handle, type: 0, owner: 0, x: 5000, y: 5000, vx: 0, vy: 0, facing: 0 }, 0);
  state.apply(create(ServerFrameSchema, { own: { tasks } }), 0);
  const aims = new Aims();
  aims.update(state);
  return aims;
}

describe("places that are fired at", () => {
  it("are marked once each, with the radius of the effect, and no others", () => {
    const aims = doing(5, [
      ...[1, GROUND + 1, cell(9, 4)],
      ...[1, GROUND + 2],
      ...[1, OrderKind.MOVE * 3 + 1, cell(2, 2)],
      ...[1, OrderKind.ATTACK * 3],
      ...[1, GROUND + 1, cell(12, 6)],
    ]);
    expect(aims.count).toBe(2);
    expect([aims.x[0], aims.z[0], aims.splash[0]]).toEqual([9 + 1 / 32, 4 + 1 / 32, 1.5]);
    expect([aims.x[1], aims.z[1]]).toEqual([12 + 1 / 32, 6 + 1 / 32]);
  });
  it("are at most so many", () => {
    const tasks = Array.from({ length: 200 }, (_, k) => [
      1,
      GROUND + 1,
      cell(k % 30, 1 + Math.floor(k / 30)),
    ]);
    expect(doing(200, tasks.flat()).count).toBe(AIMS_MAX);
  });
});
