// Lines to where the selected units go: dashed until the server answers the
// order, then solid, or removed when the order was refused. A replaced order is not drawn from the moment of the
// new one. Orders of a pause are answered after it: until then they are dashed lines, each from where the one
// before ends if it is queued.

import { type Handle, type Match, type Order, type Pos, TASK_ORDERS } from "@fogkeep/client";
import { DANGER, GOOD } from "../draw/palette";
import { fights } from "../input/orderkinds";
import type { Selection } from "../input/selection";
import type { EntityLayer } from "../render/entities";
import type { HeightField } from "../render/heightfield";
import { type Billboards, colorBytes, DECAL, type Decals } from "../render/sprites";

const GO = colorBytes(GOOD);
const FIGHT = colorBytes(DANGER);
const RALLY = colorBytes("#8fb3d9");
const LINES_MAX = 60;

/** A place on the ground, in tiles. */
interface Point {
  readonly x: number;
  readonly z: number;
}

const pointOf = (p: Pos): Point => ({ x: p.x / 1024, z: p.y / 1024 });

/** Where entities are drawn. */
type Places = Pick<EntityLayer, "place">;

export class PathLines {
  /** Orders without an answer yet, by their numbers. */
  private readonly pending = new Map<number, Order>();
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
    this.pending.set(seq, order);
  }

  /** The unanswered orders of each selected unit, without replaced ones. */
  private routes(): Map<Handle, Order[]> {
    const routes = new Map<Handle, Order[]>();
    for (const order of this.pending.values()) {
      for (const u of order.units) {
        if (!this.selection.handles.has(u)) continue;
        const route = (order.queued || !TASK_ORDERS.has(order.do)) && routes.get(u);
        if (route) route.push(order);
        else routes.set(u, [order]);
      }
    }
    return routes;
  }

  draw(billboards: Billboards, decals: Decals, ground: HeightField, entities: Places): void {
    const { own, prediction, world } = this.match.state;
    const at = (slot: number): Point | null => (slot < 0 ? null : { ...entities.place(slot) });
    let lines = 0;
    for (const [u, orders] of this.routes()) {
      const unit = at(world.slot(u));
      if (!unit) continue;
      const task = own.units.get(u);
      let end = task?.to && task.doing !== "idle" ? pointOf(task.to) : unit;
      for (const order of orders) {
        const target = "target" in order && order.target ? at(world.slot(order.target)) : null;
        const to = "to" in order && order.to ? pointOf(order.to) : target;
        if (!order.queued) end = unit;
        if (!to || lines++ > LINES_MAX) continue;
        this.line(billboards, ground, end, to, fights(order.do) ? FIGHT : GO, true);
        end = to;
      }
    }
    for (const u of this.selection.handles) {
      const slot = world.slot(u);
      if (slot < 0) continue;
      const rally = prediction.rally(u) ?? own.production.get(u)?.rally;
      if (rally) {
        this.line(billboards, ground, entities.place(slot), pointOf(rally), RALLY, false);
        const x = rally.x / 1024;
        const z = rally.y / 1024;
        decals.push(DECAL.ring, x, ground.floor(x, z), z, 0.4, 0.08, RALLY, 0.9);
      }
      const ordered = prediction.task(u);
      if (ordered && !ordered.accepted) continue; // its dashed line is drawn, and the old line no more
      const unit = ordered ?? own.units.get(u);
      if (!unit?.to || unit.doing === "idle" || lines++ > LINES_MAX) continue;
      const color = fights(unit.doing) ? FIGHT : GO;
      this.line(billboards, ground, entities.place(slot), pointOf(unit.to), color, false);
    }
  }

  private line(
    billboards: Billboards,
    ground: HeightField,
    from: Point,
    { x, z }: Point,
    color: readonly [number, number, number],
    dashed: boolean,
  ): void {
    if (Math.hypot(x - from.x, z - from.z) < 0.6) return;
    const y0 = ground.floor(from.x, from.z) + 0.15;
    const y1 = ground.floor(x, z) + 0.15;
    if (dashed) billboards.line("dashed", from.x, y0, from.z, x, y1, z, 1.2, color, 0.8);
    else billboards.line("plain", from.x, y0, from.z, x, y1, z, 1, color, 0.28);
  }
}
