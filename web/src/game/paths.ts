// Lines to where the selected units go: dashed until the server answers the
// order, then solid, or removed when the order was refused. What an order replaces
// is not drawn from the moment it was given.

import type { Doing, Handle, Match, Order, Pos } from "@fogkeep/client";
import { DANGER, GOOD } from "../draw/palette";
import type { Selection } from "../input/selection";
import type { EntityLayer } from "../render/entities";
import type { HeightField } from "../render/heightfield";
import { type Billboards, colorBytes, DECAL, type Decals } from "../render/sprites";

const GO = colorBytes(GOOD);
const FIGHT = colorBytes(DANGER);
const RALLY = colorBytes("#8fb3d9");
const LINES_MAX = 60;
const FIGHTS = new Set<Doing>(["attack", "attackMove", "attackGround"]);

/** Where entities are drawn. */
type Places = Pick<EntityLayer, "place">;

export class PathLines {
  /** Orders without an answer yet, by their numbers. */
  private readonly pending = new Map<number, { units: readonly Handle[]; to: Pos; fight: boolean }>();
  private readonly off: () => void;

  constructor(
    private readonly match: Match,
    private readonly selection: Selection,
  ) {
    this.off = match.events.on("answered", (a) => this.pending.delete(a.seq));
  }

  dispose(): void {
    this.off();
  }

  /** An order was sent. */
  add(seq: number, order: Order): void {
    if (!("to" in order) || !order.to) return;
    const fight = order.do === "attackMove" || order.do === "attackGround";
    this.pending.set(seq, { units: order.units, to: order.to, fight });
  }

  draw(billboards: Billboards, decals: Decals, ground: HeightField, entities: Places): void {
    const { own, prediction, world } = this.match.state;
    let lines = 0;
    for (const p of this.pending.values()) {
      for (const u of p.units) {
        if (lines++ > LINES_MAX || !this.selection.handles.has(u)) continue;
        const slot = world.slot(u);
        if (slot >= 0) this.line(billboards, ground, entities, slot, p.to, p.fight ? FIGHT : GO, true);
      }
    }
    for (const u of this.selection.handles) {
      const slot = world.slot(u);
      if (slot < 0) continue;
      const rally = prediction.rally(u) ?? own.production.get(u)?.rally;
      if (rally) {
        this.line(billboards, ground, entities, slot, rally, RALLY, false);
        const x = rally.x / 1024;
        const z = rally.y / 1024;
        decals.push(DECAL.ring, x, ground.floor(x, z), z, 0.4, 0.08, RALLY, 0.9);
      }
      const ordered = prediction.task(u);
      if (ordered && !ordered.accepted) continue; // its dashed line is drawn, and the old line no more
      const unit = ordered ?? own.units.get(u);
      if (!unit?.to || unit.doing === "idle" || lines++ > LINES_MAX) continue;
      this.line(billboards, ground, entities, slot, unit.to, FIGHTS.has(unit.doing) ? FIGHT : GO, false);
    }
  }

  private line(
    billboards: Billboards,
    ground: HeightField,
    entities: Places,
    slot: number,
    to: Pos,
    color: readonly [number, number, number],
    dashed: boolean,
  ): void {
    const from = entities.place(slot);
    const x = to.x / 1024;
    const z = to.y / 1024;
    if (Math.hypot(x - from.x, z - from.z) < 0.6) return;
    const y0 = ground.floor(from.x, from.z) + 0.15;
    const y1 = ground.floor(x, z) + 0.15;
    if (dashed) billboards.line("dashed", from.x, y0, from.z, x, y1, z, 1.2, color, 0.8);
    else billboards.line("plain", from.x, y0, from.z, x, y1, z, 1, color, 0.28);
  }
}
