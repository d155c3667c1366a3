// A command that waits for a target: the order of its click, and the preview of
// a building at the cursor.

import { type Order, posOf, type TypeId, typeOf, weaponOf } from "@fogkeep/client";
import { ACCENT, DANGER, GOOD } from "../draw/palette";
import type { CommandCard } from "../hud/card";
import { type Footprint, footprint, type Mode, type Target, targetOrders } from "../input/intent";
import type { HeightField } from "../render/heightfield";
import { type ColorBytes, colorBytes, DECAL, type Decals } from "../render/sprites";
import { t } from "../text/text";
import type { GameContext, PagePoint } from "./context";
import type { OrderSender } from "./orders";
import { PendingBuild } from "./pendingbuild";
import type { Pings } from "./pings";

/** Of more selected units the reach is not drawn. */
const REACHES_MAX = 24;
const WHITE = colorBytes("#ffffff");
const FREE = colorBytes(GOOD);
const TAKEN = colorBytes(DANGER);
const REFUSED = colorBytes(ACCENT);

export class Targeting {
  /** The command that waits for a click, and the id of its button. */
  mode: Mode | null = null;
  modeId = "";
  private readonly pending = new PendingBuild();
  /** The reason that the hint gives; null: no hint is shown. */
  private said: Footprint["why"] | null = null;

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
    this.said = null;
    if (mode) this.say("");
    else this.context.hud.setMode(null);
    this.card.update(this.modeId);
  }

  /** Says what the next click does, or why no building may stand at the pointer. */
  private say(why: Footprint["why"]): void {
    if (!this.mode || this.said === why) return;
    this.said = why;
    const hint = t(why ? `target.site.${why}` : `target.${this.mode.kind}`);
    // A finger has no keys: it has the button. A mouse would find it in the way of its drag.
    if (this.byTouch()) this.context.hud.setMode(hint, () => this.set(null));
    else this.context.hud.setMode(t("target.keys", { hint }));
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

  /**
   * Marks the effect of a click at a point of the page: the tiles and the range of a building, or the reach and the
   * radius of an ability. `force`: of shots at the ground.
   */
  preview(decals: Decals, ground: HeightField, cursor: PagePoint, force: boolean): void {
    const { mode } = this;
    if (!force && mode?.kind !== "build" && mode?.kind !== "ability") return;
    const { match, renderer, selection } = this.context;
    const { state } = match;
    const p = renderer.groundAt(cursor.x, cursor.y);
    if (!p) return;
    const circle = (x: number, z: number, wu: number, color: ColorBytes) => {
      if (wu > 0) decals.push(DECAL.ring, x, ground.floor(x, z) + 0.05, z, wu / 1024, 0.07, color, 0.7);
    };
    if (mode?.kind === "build") {
      this.previewSite(mode.what, decals, ground, p, circle);
      return;
    }
    const ability = mode?.kind === "ability" ? match.info.rules.abilities[mode.what] : null;
    let radius = ability?.radius ?? 0;
    for (const unit of (ability ? selection.activeUnits() : selection.own()).slice(0, REACHES_MAX)) {
      const slot = state.world.slot(unit);
      if (slot < 0) continue;
      const weapon = ability ? null : weaponOf(match.info.rules, state.world, state.actions, slot);
      if (!ability && !weapon?.atGround) continue;
      circle(
        state.world.posX(slot) / 1024,
        state.world.posY(slot) / 1024,
        ability?.range ?? weapon?.range ?? 0,
        WHITE,
      );
      radius = Math.max(radius, weapon?.splash ?? 0);
    }
    circle(p.x, p.z, radius, TAKEN);
  }

  private previewSite(
    what: TypeId,
    decals: Decals,
    ground: HeightField,
    p: { x: number; z: number },
    circle: (x: number, z: number, wu: number, color: ColorBytes) => void,
  ): void {
    const { match } = this.context;
    const type = typeOf(match.info.rules, what);
    const f = footprint(match.state, type, posOf(p.x, p.z));
    this.say(f.why);
    for (const tile of f.tiles) {
      const x = tile.x + 0.5;
      const z = tile.y + 0.5;
      decals.push(DECAL.square, x, ground.floor(x, z) + 0.05, z, 0.45, 0.07, tile.ok ? FREE : TAKEN, 0.6);
    }
    const cx = f.center.x / 1024;
    const cz = f.center.y / 1024;
    const radius = f.tiles.length ** 0.5 * 0.75;
    const color = f.why ? REFUSED : WHITE;
    decals.push(DECAL.dashed, cx, ground.floor(cx, cz) + 0.05, cz, radius, 0.06, color, 0.7);
    const reach = Math.max(0, ...type.weapons.map((w) => match.info.rules.weapons[w]?.range ?? 0));
    circle(cx, cz, reach && reach + type.radius * 1024, color);
  }
}
