import { MatchState, type Order, type Sent, type TypeId } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
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

describe("a refusal", () => {
  /** The shown sentence for an order that the server answers with a code. */
  async function shown(code: string, order: Order, more: (s: MatchState) => void): Promise<string> {
    const state = new MatchState(info());
    more(state);
    let words = "";
    const context = {
      match: { state, order: () => ({ seq: 1, answer: Promise.resolve({ ok: false, code }) }) },
      hud: {
        refuse: (sentence: string) => {
          words = sentence;
        },
      },
      sound: { tick: () => {}, answer: () => {}, alert: () => {} },
    } as unknown as OrderContext;
    const paths = { add: () => {} } as unknown as ConstructorParameters<typeof OrderSender>[1];
    await new OrderSender(context, paths).send(order)?.answer;
    return words;
  }
  const train: Order = { do: "train", units: [3], what: 0 as TypeId };

  it("says how much of a resource is missing", async () => {
    const poor = (s: MatchState) => {
      s.own.resources = [35, 0];
    };
    expect(await shown("UNAFFORDABLE", train, poor)).toBe("Needs 40 more ore");
  });
  it("says how much supply is used", async () => {
    const full = (s: MatchState) => {
      s.own.resources = [100, 0];
      s.own.population = 20;
      s.own.populationMax = 20;
    };
    expect(await shown("POP_LIMIT", train, full)).toBe("Supply limit reached: 20 of 20");
  });
  it("says what is wrong with a site, as far as the player sees", async () => {
    const build: Order = { do: "build", units: [2], what: 3 as TypeId, to: { x: 20_480, y: 15_360 } };
    expect(await shown("BAD_SITE", build, () => {})).toBe("Unexplored ground");
    const known = (s: MatchState) => (s.mask.explored = () => true);
    expect(await shown("BAD_SITE", build, known), "the reason is out of sight").toBe("Cannot build there");
  });
});
