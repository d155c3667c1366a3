// A command that waits for a target: the order of its click, and the preview of
// a building at the cursor.

import { type Order, posOf, typeOf } from "@fogkeep/client";
import { ACCENT, DANGER, GOOD } from "../draw/palette";
import type { CommandCard } from "../hud/card";
import { footprint, type Mode, type Target, targetOrders } from "../input/intent";
import type { HeightField } from "../render/heightfield";
import { colorBytes, DECAL, type Decals } from "../render/sprites";
import { t } from "../text/text";
import type { GameContext, PagePoint } from "./context";
import type { OrderSender } from "./orders";
import { PendingBuild } from "./pendingbuild";
import type { Pings } from "./pings";

const WHITE = colorBytes("#ffffff");
const FREE = colorBytes(GOOD);
const TAKEN = colorBytes(DANGER);
const REFUSED = colorBytes(ACCENT);

export class Targeting {
  /** The command that waits for a click, and the id of its button. */
  mode: Mode | null = null;
  modeId = "";
  private readonly pending = new PendingBuild();

  constructor(
    private readonly context: GameContext,
    private readonly orders: OrderSender,
    private readonly card: CommandCard,
    private readonly pings: Pings,
    private readonly byTouch: () => boolean,
  ) {}

  set(mode: Mode | null, id = ""): void {
    this.pending.forget();
    this.mode = mode;
    this.modeId = mode ? id : "";
    if (!mode) this.context.hud.setMode(null);
    else {
      const hint = t(`target.${mode.kind}`);
      // A finger has no keys: it has the button. A mouse would find it in the way of its drag.
      if (this.byTouch()) this.context.hud.setMode(hint, () => this.set(null));
      else this.context.hud.setMode(t("target.keys", { hint }));
    }
    this.card.update(this.modeId);
  }

  /** A click on a target while a command waits; `page` is where on the page it was. */
  click(target: Target, queued: boolean, page: PagePoint): void {
    const { mode } = this;
    if (!mode) return;
    const { match, selection } = this.context;
    if (mode.kind === "ping") {
      this.set(null);
      this.pings.askAt(page.x, page.y);
      return;
    }
    let at = target;
    if (mode.kind === "build") {
      at = { at: footprint(match.state, typeOf(match.info.rules, mode.what), target.at).center, handle: 0 };
    }
    const units =
      mode.kind === "ability" || mode.kind === "build" ? selection.activeUnits() : selection.own();
    const orders = targetOrders(match.state, mode, units, at, queued);
    if (mode.kind === "build" && !queued) {
      this.buildAt(mode, orders, at);
      return;
    }
    this.orders.sendAll(orders, at);
    if (!queued) this.set(null);
  }

  /** Build mode ends when the server accepts the site; after a refusal the player chooses another. */
  private buildAt(mode: Mode, orders: readonly Order[], target: Target): void {
    if (this.pending.waits) return; // one builder, one site
    const sent = this.orders.sendAll(orders, target);
    if (sent.length === 0) {
      this.set(null);
      return;
    }
    this.pending.ask(sent[0].answer, (accepted) => {
      if (!accepted || this.mode !== mode) return;
      this.card.menuOpen = false;
      this.set(null);
    });
  }

  /** Marks the tiles that a building would take at a point of the page. */
  preview(decals: Decals, ground: HeightField, cursor: PagePoint): void {
    const { mode } = this;
    if (mode?.kind !== "build") return;
    const { match, renderer } = this.context;
    const p = renderer.groundAt(cursor.x, cursor.y);
    if (!p) return;
    const f = footprint(match.state, typeOf(match.info.rules, mode.what), posOf(p.x, p.z));
    for (const tile of f.tiles) {
      const x = tile.x + 0.5;
      const z = tile.y + 0.5;
      decals.push(DECAL.square, x, ground.floor(x, z) + 0.05, z, 0.45, 0.07, tile.ok ? FREE : TAKEN, 0.6);
    }
    const cx = f.center.x / 1024;
    const cz = f.center.y / 1024;
    const radius = f.tiles.length ** 0.5 * 0.75;
    const color = f.ok ? WHITE : REFUSED;
    decals.push(DECAL.dashed, cx, ground.floor(cx, cz) + 0.05, cz, radius, 0.06, color, 0.7);
  }
}
