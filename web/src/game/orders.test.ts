import type { Order, Sent } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { type OrderContext, OrderSender } from "./orders";

/** A sender whose orders end up in a list. */
function sender(together: () => boolean) {
  const sent: Order[] = [];
  const context = {
    match: {
      order: (o: Order): Sent => {
        sent.push(o);
        return { seq: sent.length, answer: Promise.resolve({ ok: true, leftOut: [] }) };
      },
      state: { world: { slot: () => -1 } },
    },
    renderer: { effects: { orderRing: () => {} } },
    sound: { tick: () => {}, answer: () => {}, alert: () => {} },
    hud: { refuse: () => {} },
  } as unknown as OrderContext;
  const paths = { add: () => {} } as unknown as ConstructorParameters<typeof OrderSender>[1];
  return { sent, sender: new OrderSender(context, paths, together) };
}

describe("groups keep together", () => {
  const to = { x: 1, y: 2 };
  const orders: Order[] = [
    { do: "move", units: [1], to },
    { do: "attackMove", units: [1], to },
    { do: "patrol", units: [1], to },
    { do: "attackGround", units: [1], to },
    { do: "hold", units: [1] },
  ];
  it("while the switch is on, where they are sent somewhere", () => {
    let on = true;
    const s = sender(() => on);
    for (const o of orders) s.sender.send(o);
    s.sender.sendLine("move", [{ units: [1], at: to }], false);
    expect(s.sent.map((o) => "together" in o && o.together)).toEqual([true, true, true, false, false, true]);
    on = false;
    s.sender.send(orders[0]);
    expect(s.sent.at(-1)).toEqual(orders[0]);
  });
});
