// Sends the player's orders: marks where they go, and shows refusals. This code does not change the state of the match.

import {
  GROUP_ORDERS,
  type GroupOrder,
  type Handle,
  type Order,
  type Sent,
  type TypeId,
  typeOf,
} from "@fogkeep/client";
import { cannotMake } from "../input/commands";
import {
  footprint,
  isHostile,
  type LinePlace,
  lastQueued,
  rightClickOrders,
  type Target,
} from "../input/intent";
import { fights, ORDERS } from "../input/orderkinds";
import type { Effects } from "../render/effects";
import { rejectText } from "../text/names";
import { t } from "../text/text";
import type { GameContext } from "./context";
import type { PathLines } from "./paths";

/** The part of a match on the page that sending uses. A bench without a page supplies it. */
export interface OrderContext extends Pick<GameContext, "match" | "selection"> {
  readonly renderer: { readonly effects: Pick<Effects, "orderRing"> };
  readonly hud: Pick<GameContext["hud"], "refuse">;
  readonly sound: Pick<GameContext["sound"], "tick" | "answer" | "alert">;
}

export class OrderSender {
  constructor(
    private readonly context: OrderContext,
    private readonly paths: PathLines,
    /** Whether groups keep together. */
    private readonly together: () => boolean = () => false,
  ) {}

  /** Sends one order; null when it names no unit. */
  send(order: Order): Sent | null {
    if (order.units.length === 0 && order.do !== "surrender") return null;
    const sent = this.submit(order);
    void sent.answer.then((a) => {
      if (!a.ok) this.refuse(this.remedy(order, a.code), a.code);
    });
    this.answer(order);
    return sent;
  }

  /** The reason of a refusal: the missing resources of a product or the fault of a site, if the state shows it. */
  private remedy(order: Order, code: string): string {
    const { state } = this.context.match;
    if (!("what" in order) || (order.do !== "train" && order.do !== "build")) return rejectText(code);
    const type = typeOf(state.info.rules, order.what);
    const lacks = code === "UNAFFORDABLE" || code === "POP_LIMIT" ? cannotMake(state, type) : "";
    const site = code === "BAD_SITE" && "to" in order ? footprint(state, type, order.to).why : "";
    return lacks || (site ? t(`target.site.${site}`) : rejectText(code));
  }

  private submit(order: Order): Sent {
    const goes = GROUP_ORDERS.has(order.do) && this.together();
    const sent = this.context.match.order(goes ? ({ ...order, together: true } as Order) : order);
    this.paths.add(sent.seq, order);
    return sent;
  }

  /** Sends orders with one target, and marks it. */
  sendAll(orders: readonly Order[], target: Target): Sent[] {
    if (orders.length === 0) return [];
    const sent = orders.flatMap((o) => this.send(o) ?? []);
    this.context.renderer.effects.orderRing(target.at.x / 1024, target.at.y / 1024, isHostile(orders));
    return sent;
  }

  /** Sends units to the places of a line. Of several refusals one is shown. */
  sendLine(kind: GroupOrder, places: readonly LinePlace[], queued: boolean): void {
    let refused = false;
    for (const { units, at } of places) {
      const sent = this.submit({ do: kind, units, to: at, queued });
      void sent.answer.then((a) => {
        if (a.ok || refused) return;
        refused = true;
        this.refuse(rejectText(a.code), a.code);
      });
      this.context.renderer.effects.orderRing(at.x / 1024, at.y / 1024, fights(kind));
    }
    const first = places[0]?.units ?? [];
    if (places.length > 0) this.answer({ do: kind, units: first, to: places[0].at });
  }

  /** The order of a right click on a target for the selected units. */
  rightClick(target: Target, queued: boolean, force: boolean): void {
    const { match, selection } = this.context;
    const units = selection.own();
    if (units.length > 0) this.sendAll(rightClickOrders(match.state, units, target, queued, force), target);
  }

  /** Trains in the structure with the shortest queue. */
  train(structures: readonly Handle[], what: TypeId): void {
    const { production } = this.context.match.state.own;
    const length = (h: Handle) => production.get(h)?.types.length ?? 0;
    let best = structures[0];
    for (const h of structures) if (length(h) < length(best)) best = h;
    this.send({ do: "train", units: [best], what });
  }

  /** Takes the last entry, of a type or of any, out of the queues of some structures. */
  cancelLast(structures: readonly Handle[], type?: TypeId): void {
    const entry = lastQueued(this.context.match.state.own.production, structures, type);
    if (entry) this.send({ do: "cancel", units: [entry.unit], what: entry.at });
  }

  /** The first unit of an order answers. */
  private answer(order: Order): void {
    const { match, sound } = this.context;
    sound.tick();
    const slot = match.state.world.slot(order.units[0] ?? 0);
    const kind = ORDERS[order.do].answer;
    if (slot >= 0 && kind) sound.answer(typeOf(match.info.rules, match.state.world.type[slot]), kind);
  }

  /** Shows why something cannot be done, and sounds. */
  refuse(text: string, code = ""): void {
    const { hud, sound } = this.context;
    hud.refuse(text);
    if (code === "QUEUE_FULL") sound.alert("queueFull");
    else if (code === "UNAFFORDABLE" || code === "POP_LIMIT") sound.alert("short");
    else sound.tick();
  }
}
