// The hands of the player: the mouse over the world, the commands of the card,
// and what waits for a click. They make orders; nothing here changes the state.

import type { Handle, TypeId } from "../base/ids";
import { ACCENT, DANGER, GOOD } from "../draw/palette";
import type { Command } from "../input/commands";
import {
  aimed,
  footprint,
  isHostile,
  lastQueued,
  lineUp,
  type Mode,
  smart,
  type Target,
} from "../input/intent";
import { ghostAt, pickAt, pickBox } from "../input/pick";
import { type Box, type ClickKeys, PointerInput } from "../input/pointer";
import { boxPick, mayBox } from "../input/selection";
import type { HeightField } from "../render/heightfield";
import { colorBytes, DECAL, type Decals } from "../render/sprites";
import type { Order, Sent } from "../sdk/index";
import { typeOf } from "../state/rules";
import { type Parts, wu } from "./parts";
import { PendingSite } from "./site";

const WHITE = colorBytes("#ffffff");
const OK_BYTES = colorBytes(GOOD);
const BAD_BYTES = colorBytes(DANGER);
const ACCENT_BYTES = colorBytes(ACCENT);

export class Hands {
  /** What waits for a click, and the id of its button. */
  mode: Mode | null = null;
  modeId = "";
  /** The site that was clicked and is not answered yet: until then the mode waits for it. */
  private readonly site = new PendingSite();
  /** What the mouse is over: a thing or a ghost; 0 for nothing. */
  hoverHandle: Handle = 0;
  readonly pointer: PointerInput;
  /** A line that is being drawn, on the screen. */
  private lining: Box | null = null;

  constructor(
    private readonly parts: Parts,
    private readonly canvas: HTMLElement,
    private readonly boxElement: HTMLElement,
  ) {
    this.pointer = new PointerInput(canvas, {
      hover: (x, y) => this.hover(x, y),
      click: (x, y, keys) => this.click(x, y, keys),
      boxing: (box) => this.showBox(box),
      box: (box, keys) => this.box(box, keys),
      lining: (line) => {
        this.lining = line;
      },
      line: (line, keys) => this.line(line, keys.shift),
      order: (x, y, keys) => this.rightClick(x, y, keys),
      drag: (dx, dy) => this.drag(dx, dy),
      zoom: (n, x, y) => this.parts.renderer.camera.zoom(n, this.ndcX(x), this.ndcY(y)),
    });
  }

  dispose(): void {
    this.pointer.dispose();
  }

  /** The point of the page that is meant: the pointer's, or without one the middle. */
  get aim(): { x: number; y: number } {
    return this.pointer.at ?? { x: innerWidth / 2, y: innerHeight / 2 };
  }

  /** A click by key. */
  clickHere(shift: boolean, double: boolean): void {
    this.click(this.aim.x, this.aim.y, { shift, double, ctrl: false, alt: false, touch: false });
  }

  /** A right click by key. */
  orderHere(shift: boolean): void {
    this.rightClick(this.aim.x, this.aim.y, { shift, ctrl: false });
  }

  /** Gives an order as the HUD does; the answer shows at the cursor when it is a refusal. */
  send(order: Order, at?: { x: number; y: number }): Sent | null {
    if (order.units.length === 0 && order.do !== "surrender") return null;
    const sent = this.parts.match.order(order);
    this.parts.paths.given(sent.seq, order);
    void sent.answer.then((a) => {
      if (a.ok) return;
      const p = at ?? this.aim;
      this.parts.hud.wordsAt(p.x, p.y - 14, a.text);
      this.parts.sound.tick();
    });
    return sent;
  }

  hover(x: number, y: number): void {
    const slot = pickAt(this.parts.renderer, this.parts.match.state, x, y);
    if (slot >= 0) this.hoverHandle = this.parts.match.state.world.ids[slot];
    else {
      const p = this.groundAt(x, y);
      this.hoverHandle = p ? ghostAt(this.parts.match.state, p.x, p.z) : 0;
    }
    this.canvas.style.cursor = this.mode ? "crosshair" : slot >= 0 ? "pointer" : "default";
  }

  private click(x: number, y: number, keys: ClickKeys): void {
    const { state } = this.parts.match;
    if (this.mode) {
      const target = this.target(x, y);
      if (target) this.aimAt(target, keys.shift, { x, y });
      return;
    }
    if (keys.alt) {
      this.parts.pings.look(x, y);
      return;
    }
    const slot = pickAt(this.parts.renderer, state, x, y, keys.touch ? 10 : 3);
    if (slot < 0) {
      if (keys.touch && this.parts.selection.own().length > 0)
        this.rightClick(x, y, { shift: false, ctrl: false });
      else if (!keys.shift) this.parts.selection.clear();
      return;
    }
    const id = state.world.ids[slot];
    if ((keys.double || keys.ctrl) && mayBox(state, slot)) {
      const { type, owner, ids } = state.world;
      const same = pickBox(this.parts.renderer, { x0: 0, y0: 0, x1: innerWidth, y1: innerHeight })
        .filter((s) => type[s] === type[slot] && owner[s] === owner[slot])
        .map((s) => ids[s]);
      if (keys.shift) this.parts.selection.add(same);
      else this.parts.selection.set(same);
    } else if (keys.shift) this.parts.selection.toggle(id);
    else this.parts.selection.set([id]);
    this.parts.card.menuOpen = false;
  }

  private showBox(box: Box | null): void {
    this.boxElement.hidden = box === null || this.mode !== null;
    if (!box) return;
    const s = this.boxElement.style;
    s.left = `${box.x0}px`;
    s.top = `${box.y0}px`;
    s.width = `${box.x1 - box.x0}px`;
    s.height = `${box.y1 - box.y0}px`;
  }

  private box(box: Box, keys: { shift: boolean }): void {
    if (this.mode) return;
    const { state } = this.parts.match;
    const picked = boxPick(state, pickBox(this.parts.renderer, box));
    if (keys.shift) this.parts.selection.add(picked);
    else if (picked.length > 0) this.parts.selection.set(picked);
    else this.parts.selection.clear();
    this.parts.card.menuOpen = false;
  }

  private rightClick(x: number, y: number, keys: { shift: boolean; ctrl: boolean }): void {
    if (this.mode) {
      this.setMode(null);
      return;
    }
    const target = this.target(x, y);
    if (target) this.orderAt(target, keys.shift, keys.ctrl);
  }

  /** A line drawn with the right button: everyone takes a place on it. */
  private line(line: Box, queued: boolean): void {
    const places = this.placesOn(line);
    if (this.mode || places.length < 2) {
      this.rightClick(line.x1, line.y1, { shift: queued, ctrl: false });
      return;
    }
    for (const p of places) {
      this.send({ do: "move", units: [p.unit], to: p.at, queued });
      this.parts.renderer.effects.orderRing(p.at.x / 1024, p.at.y / 1024, false);
    }
    this.parts.sound.tick();
  }

  private placesOn(line: Box): { unit: Handle; at: { x: number; y: number } }[] {
    const from = this.groundAt(line.x0, line.y0);
    const to = this.groundAt(line.x1, line.y1);
    if (!from || !to) return [];
    return lineUp(this.parts.match.state, this.parts.selection.own(), wu(from.x, from.z), wu(to.x, to.z));
  }

  orderAt(target: Target, queued: boolean, force: boolean): void {
    const units = this.parts.selection.own();
    if (units.length === 0) return;
    const orders = smart(this.parts.match.state, units, target, queued, force);
    this.give(orders, target);
  }

  /** A click while a mode waits; `page` is where on the page it was. */
  aimAt(target: Target, queued: boolean, page: { x: number; y: number }): void {
    const mode = this.mode;
    if (!mode) return;
    const { match } = this.parts;
    if (mode.kind === "ping") {
      this.setMode(null);
      this.parts.pings.askAt(page.x, page.y);
      return;
    }
    let aim = target;
    if (mode.kind === "build") {
      aim = { at: footprint(match.state, typeOf(match.info.rules, mode.what), target.at).center, handle: 0 };
    }
    const units =
      mode.kind === "ability" || mode.kind === "build" ? this.activeUnits() : this.parts.selection.own();
    const orders = aimed(match.state, mode, units, aim, queued);
    if (mode.kind === "build" && !queued) {
      this.buildAt(mode, orders, aim, page);
      return;
    }
    this.give(orders, aim, page);
    if (!queued) this.setMode(null);
  }

  /** A site that is refused is chosen again: build mode ends when one is accepted. */
  private buildAt(mode: Mode, orders: readonly Order[], aim: Target, page: { x: number; y: number }): void {
    if (this.site.waits) return; // one builder, one site
    const sent = this.give(orders, aim, page);
    if (sent.length === 0) {
      this.setMode(null);
      return;
    }
    this.site.ask(sent[0].answer, (accepted) => {
      if (!accepted || this.mode !== mode) return;
      this.parts.card.menuOpen = false;
      this.setMode(null);
    });
  }

  private give(orders: readonly Order[], target: Target, page?: { x: number; y: number }): Sent[] {
    if (orders.length === 0) return [];
    const sent = orders.flatMap((o) => this.send(o, page) ?? []);
    this.parts.renderer.effects.orderRing(target.at.x / 1024, target.at.y / 1024, isHostile(orders));
    this.parts.sound.tick();
    return sent;
  }

  private target(x: number, y: number): Target | null {
    const { state } = this.parts.match;
    const slot = pickAt(this.parts.renderer, state, x, y);
    if (slot >= 0) {
      return { at: { x: state.world.posX(slot), y: state.world.posY(slot) }, handle: state.world.ids[slot] };
    }
    const p = this.groundAt(x, y);
    if (!p) return null;
    const ghost = ghostAt(state, p.x, p.z);
    const g = ghost ? state.ghosts.get(ghost) : undefined;
    if (g) return { at: { x: g.x, y: g.y }, handle: ghost, ghost: true };
    return { at: wu(p.x, p.z), handle: 0 };
  }

  /** The ground under a point of the page, in tiles. */
  groundAt(x: number, y: number): { x: number; z: number } | null {
    const out = { x: 0, z: 0 };
    return this.parts.renderer.camera.groundAt(this.ndcX(x), this.ndcY(y), out) ? out : null;
  }

  private drag(dx: number, dy: number): void {
    const k = 1 / this.parts.renderer.pxPerTile(this.parts.renderer.camera.height);
    this.parts.renderer.camera.pan(-dx * k, -dy * k * 1.3);
  }

  runCommand(c: Command, shift: boolean): void {
    if (c.why) {
      const p = this.aim;
      this.parts.hud.wordsAt(p.x, p.y - 14, c.why);
      return;
    }
    const units = this.activeUnits();
    switch (c.effect.kind) {
      case "mode":
        this.setMode(c.effect.mode, c.id);
        return;
      case "menu":
        this.parts.card.menuOpen = c.effect.open;
        return;
      case "page":
        this.parts.card.page = c.effect.to;
        return;
      case "now":
        this.send({ do: c.effect.do, units: this.parts.selection.own() });
        return;
      case "ability":
        this.send({ do: c.effect.on ? "ability" : "stopAbility", units, what: c.effect.what });
        return;
      case "train":
        for (let k = 0; k < (shift ? 5 : 1); k++) {
          this.send({ do: "train", units: [this.shortestQueue(units)], what: c.effect.what });
        }
        return;
      case "unqueue":
        this.cancelLast(units);
        return;
    }
  }

  /** Takes the last of a kind out of the queues of the active structures. */
  takeBack(c: Command): void {
    if (c.effect.kind === "train") this.cancelLast(this.activeUnits(), c.effect.what);
  }

  private cancelLast(units: readonly Handle[], type?: TypeId): void {
    const place = lastQueued(this.parts.match.state.own.production, units, type);
    if (place) this.send({ do: "cancel", units: [place.unit], what: place.at });
  }

  private shortestQueue(units: readonly Handle[]): Handle {
    const { production } = this.parts.match.state.own;
    let best = units[0];
    for (const u of units) {
      if ((production.get(u)?.types.length ?? 0) < (production.get(best)?.types.length ?? 0)) best = u;
    }
    return best;
  }

  setMode(mode: Mode | null, id = ""): void {
    this.site.forget();
    this.mode = mode;
    this.modeId = mode ? id : "";
    const words: Record<Mode["kind"], string> = {
      attackMove: "Click where to attack, or whom",
      move: "Click where to go",
      patrol: "Click where to patrol to",
      follow: "Click whom to follow",
      harvest: "Click what to harvest",
      rally: "Click where new units go",
      ping: "Click where to point",
      ability: "Click where to use it",
      build: "Click where to build",
    };
    this.parts.hud.setMode(mode ? `${words[mode.kind]}  (Esc to leave, Shift to go on)` : null);
    this.parts.card.update(this.modeId);
  }

  recall(n: number): void {
    if (this.parts.selection.recall(n)) this.parts.card.menuOpen = false;
  }

  private activeUnits(): Handle[] {
    return this.parts.selection.active()?.handles ?? [];
  }

  /** What a click would do, on the ground: a building's place, a line's. */
  preview(marks: Decals, ground: HeightField): void {
    if (this.lining) {
      for (const { at } of this.placesOn(this.lining)) {
        const x = at.x / 1024;
        const z = at.y / 1024;
        marks.push(DECAL.ring, x, ground.floor(x, z), z, 0.4, 0.08, OK_BYTES, 0.9);
      }
    }
    const mode = this.mode;
    if (mode?.kind !== "build") return;
    const p = this.groundAt(this.aim.x, this.aim.y);
    if (!p) return;
    const { match } = this.parts;
    const f = footprint(match.state, typeOf(match.info.rules, mode.what), wu(p.x, p.z));
    for (const t of f.tiles) {
      const x = t.x + 0.5;
      const z = t.y + 0.5;
      marks.push(DECAL.square, x, ground.floor(x, z) + 0.05, z, 0.45, 0.07, t.ok ? OK_BYTES : BAD_BYTES, 0.6);
    }
    const cx = f.center.x / 1024;
    const cz = f.center.y / 1024;
    marks.push(
      DECAL.dashed,
      cx,
      ground.floor(cx, cz) + 0.05,
      cz,
      f.tiles.length ** 0.5 * 0.75,
      0.06,
      f.ok ? WHITE : ACCENT_BYTES,
      0.7,
    );
  }

  private ndcX(x: number): number {
    return (x / Math.max(1, innerWidth)) * 2 - 1;
  }

  private ndcY(y: number): number {
    return 1 - (y / Math.max(1, innerHeight)) * 2;
  }
}
