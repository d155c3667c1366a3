// The mouse and the finger over the battlefield: selecting, ordering, moving
// the camera. Keys that click at the cursor come here too.

import { type Handle, posOf } from "@fogkeep/client";
import { GOOD } from "../draw/palette";
import type { CommandCard } from "../hud/card";
import { type LinePlace, lineOrder, placesOnLine } from "../input/intent";
import { ghostAt, PAD_PX, pickAt, pickBox, targetAt } from "../input/pick";
import { type Box, type ClickKeys, type Line, PointerInput } from "../input/pointer";
import { boxPick, mayBox } from "../input/selection";
import type { HeightField } from "../render/heightfield";
import { colorBytes, DECAL, type Decals } from "../render/sprites";
import type { GameContext, PagePoint } from "./context";
import type { OrderSender } from "./orders";
import type { Pings } from "./pings";
import type { Targeting } from "./targeting";

const LINE_COLOR = colorBytes(GOOD);
/** How far beside a thing a finger may be. */
const TOUCH_PAD_PX = 10;
const PLAIN: ClickKeys = { shift: false, ctrl: false, alt: false, double: false, touch: false, held: false };

export class Mouse {
  /** The entity or ghost under the pointer; or 0. */
  hoverHandle: Handle = 0;
  private readonly pointer: PointerInput;
  /** A line that is being drawn, on the screen. */
  private line: Line | null = null;

  constructor(
    private readonly context: GameContext,
    private readonly orders: OrderSender,
    private readonly targeting: Targeting,
    private readonly card: CommandCard,
    private readonly pings: Pings,
    private readonly boxElement: HTMLElement,
  ) {
    const { renderer } = context;
    this.pointer = new PointerInput(context.canvas, {
      hover: (x, y) => this.hover(x, y),
      click: (x, y, keys) => this.click(x, y, keys),
      drawingBox: (box) => this.showBox(box),
      box: (box, keys) => this.selectBox(box, keys.shift),
      aimsLine: () => lineOrder(this.targeting.mode) !== null,
      drawingLine: (line) => {
        this.line = line;
      },
      line: (line, keys) => this.orderLine(line, keys.shift),
      order: (x, y, keys) => this.rightClick(x, y, keys.shift, keys.ctrl),
      drag: (dx, dy) => renderer.dragGround(dx, dy),
      zoom: (n, x, y) => renderer.zoom(n, x, y),
    });
  }

  dispose(): void {
    this.pointer.dispose();
  }

  /** Where the pointer is over the field; null when it is elsewhere. */
  get at(): PagePoint | null {
    return this.pointer.at;
  }

  /** Where the mouse is; null when it is elsewhere, and after a touch. */
  get mouseAt(): PagePoint | null {
    return this.pointer.byTouch ? null : this.pointer.at;
  }

  /** The player uses a finger: by the last touch or click, before the first by the device. */
  get byTouch(): boolean {
    return this.pointer.at ? this.pointer.byTouch : matchMedia("(pointer: coarse)").matches;
  }

  /** The pointer's point of the page; without a pointer, its middle. */
  get cursor(): PagePoint {
    return this.pointer.at ?? { x: innerWidth / 2, y: innerHeight / 2 };
  }

  /** A click by key. */
  clickHere(shift: boolean, double: boolean): void {
    const { x, y } = this.cursor;
    this.click(x, y, { ...PLAIN, shift, double });
  }

  /** A right click by key. */
  rightClickHere(shift: boolean): void {
    this.rightClick(this.cursor.x, this.cursor.y, shift, false);
  }

  hover(x: number, y: number): void {
    const { renderer, match, canvas } = this.context;
    const slot = pickAt(renderer, match.state, x, y);
    if (slot >= 0) this.hoverHandle = match.state.world.ids[slot];
    else {
      const p = renderer.groundAt(x, y);
      this.hoverHandle = p ? ghostAt(match.state, p.x, p.z) : 0;
    }
    canvas.style.cursor = this.targeting.mode ? "crosshair" : slot >= 0 ? "pointer" : "default";
  }

  /** Marks the places of a line that is being drawn. */
  preview(decals: Decals, ground: HeightField): void {
    if (!this.line || !this.orderOf(this.line)) return;
    for (const { at } of this.placesOn(this.line)) {
      const x = at.x / 1024;
      const z = at.y / 1024;
      decals.push(DECAL.ring, x, ground.floor(x, z), z, 0.4, 0.08, LINE_COLOR, 0.9);
    }
  }

  private click(x: number, y: number, keys: ClickKeys): void {
    const { renderer, match, selection } = this.context;
    const { state } = match;
    const pad = keys.touch ? TOUCH_PAD_PX : PAD_PX;
    if (this.targeting.mode) {
      const target = targetAt(renderer, state, x, y, pad);
      if (target) this.targeting.click(target, keys.shift, { x, y });
      return;
    }
    if (keys.alt) {
      this.pings.look(x, y);
      return;
    }
    const slot = pickAt(renderer, state, x, y, pad);
    // A tap orders the selected units, a finger that rests only selects.
    const taps = keys.touch && !keys.held && selection.own().length > 0;
    if (taps && (slot < 0 || state.relation(slot) !== "own")) {
      this.rightClick(x, y, false, false, pad);
      return;
    }
    if (slot < 0) {
      if (!keys.shift) selection.clear();
      return;
    }
    if ((keys.double || keys.ctrl) && mayBox(state, slot)) {
      const { type, owner, ids } = state.world;
      const same = pickBox(renderer, { x0: 0, y0: 0, x1: innerWidth, y1: innerHeight })
        .filter((s) => type[s] === type[slot] && owner[s] === owner[slot])
        .map((s) => ids[s]);
      if (keys.shift) selection.add(same);
      else selection.set(same);
    } else if (keys.shift) selection.toggle(state.world.ids[slot]);
    else selection.set([state.world.ids[slot]]);
    this.card.menuOpen = false;
  }

  private showBox(box: Box | null): void {
    this.boxElement.hidden = box === null || this.targeting.mode !== null;
    if (!box) return;
    const s = this.boxElement.style;
    s.left = `${box.x0}px`;
    s.top = `${box.y0}px`;
    s.width = `${box.x1 - box.x0}px`;
    s.height = `${box.y1 - box.y0}px`;
  }

  private selectBox(box: Box, shift: boolean): void {
    if (this.targeting.mode) return;
    const { renderer, match, selection } = this.context;
    const picked = boxPick(match.state, pickBox(renderer, box));
    if (shift) selection.add(picked);
    else if (picked.length > 0) selection.set(picked);
    else selection.clear();
    this.card.menuOpen = false;
  }

  private rightClick(x: number, y: number, shift: boolean, ctrl: boolean, pad = PAD_PX): void {
    if (this.targeting.mode) {
      this.targeting.set(null);
      return;
    }
    const target = targetAt(this.context.renderer, this.context.match.state, x, y, pad);
    if (target) this.orders.rightClick(target, shift, ctrl);
  }

  /** A drawn line: each unit takes a place on it. One unit goes to its end, as by a click there. */
  private orderLine(line: Line, shift: boolean): void {
    const places = this.placesOn(line);
    const order = this.orderOf(line);
    if (order && places.length > 1) {
      this.orders.sendLine(order, places, shift);
      if (!line.right && !shift) this.targeting.set(null);
      return;
    }
    if (line.right) this.rightClick(line.x1, line.y1, shift, false);
    else this.click(line.x1, line.y1, { ...PLAIN, shift });
  }

  /** The order of a line, or null: the right button ends a command that waits. */
  private orderOf(line: Line) {
    const { mode } = this.targeting;
    if (line.right) return mode ? null : "move";
    return lineOrder(mode);
  }

  private placesOn(line: Line): LinePlace[] {
    const { renderer, match, selection } = this.context;
    const from = renderer.groundAt(line.x0, line.y0);
    const to = renderer.groundAt(line.x1, line.y1);
    if (!from || !to) return [];
    return placesOnLine(match.state, selection.own(), posOf(from.x, from.z), posOf(to.x, to.z));
  }
}
