// Runs the commands of the card, by button or by key.

import { typeOf } from "@fogkeep/client";
import type { CommandCard } from "../hud/card";
import type { Command } from "../input/commands";
import type { GameContext } from "./context";
import type { OrderSender } from "./orders";
import type { Targeting } from "./targeting";

/** With Shift, a press trains so many. */
const TRAIN_MANY = 5;

export class CommandRunner {
  constructor(
    private readonly context: GameContext,
    private readonly orders: OrderSender,
    private readonly targeting: Targeting,
    private readonly card: CommandCard,
  ) {}

  run(c: Command, shift: boolean): void {
    if (c.why) {
      this.orders.refuse(c.why, this.lacks(c) ? "UNAFFORDABLE" : "");
      return;
    }
    const { selection } = this.context;
    const units = selection.activeUnits();
    const { effect } = c;
    switch (effect.kind) {
      case "mode":
        this.targeting.set(effect.mode, c.id);
        return;
      case "menu":
        this.card.menuOpen = effect.open;
        return;
      case "together":
        this.card.together = effect.on;
        return;
      case "page":
        this.card.page = effect.to;
        return;
      case "now":
        this.orders.send({ do: effect.do, units: selection.own() });
        return;
      case "ability":
        this.orders.send({ do: effect.on ? "ability" : "stopAbility", units, what: effect.what });
        return;
      case "fire":
        this.orders.send({ do: "fire", units, what: effect.what });
        return;
      case "train":
        for (let k = 0; k < (shift ? TRAIN_MANY : 1); k++) this.orders.train(units, effect.what);
        return;
      case "unqueue":
        this.orders.cancelLast(units);
        return;
    }
  }

  /** Whether resources are short for a command's product. */
  private lacks({ type }: Command): boolean {
    const { own, info } = this.context.match.state;
    if (type === undefined) return false;
    return typeOf(info.rules, type).cost.some((n, k) => n > (own.resources[k] ?? 0));
  }

  /** The right button on a command: takes the last of its kind out of the queues of the active structures. */
  takeBack(c: Command): void {
    if (c.effect.kind === "train")
      this.orders.cancelLast(this.context.selection.activeUnits(), c.effect.what);
  }
}
