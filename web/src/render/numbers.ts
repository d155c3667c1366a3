// Numbers that rise where health or a shield fell, or where the ruleset wants them. They show the difference of two
// values from the server, never a guess of the client.

import { type MatchState, typeOf } from "@fogkeep/client";
import { cssColor, displayOf } from "../draw/displays";
import { DANGER, SHIELD, TEXT } from "../draw/palette";
import type { HeightField } from "./heightfield";
import { hoverOf, topOf } from "./models";
import { type Billboards, type ColorBytes, colorBytes } from "./sprites";

const POOL = 64;
const LIFE_MS = 900;
/** Losses of one entity within this time are one number. */
const MERGE_MS = 160;

const FOE = colorBytes(TEXT);
const OWN = colorBytes(DANGER);
const ON_SHIELD = colorBytes(SHIELD);

/** A change of an attribute of an entity in sight. */
interface Change {
  readonly id: number;
  readonly slot: number;
  readonly was: number;
  readonly now: number;
}

export class DamageNumbers {
  /** A setting of the player's. */
  shown = false;
  private readonly id = new Uint32Array(POOL);
  /** The attribute, with a sign before one that grew. */
  private readonly of: string[] = new Array(POOL).fill("");
  private readonly amount = new Float64Array(POOL);
  private readonly start = new Float64Array(POOL).fill(-1e9);
  /** Where it began, in tiles: the entity may be gone before the number is. */
  private readonly place = new Float32Array(POOL * 3);
  private readonly color: ColorBytes[] = new Array(POOL).fill(FOE);
  private next = 0;
  private readonly off: (() => void)[];

  constructor(
    private readonly state: MatchState,
    private readonly ground: HeightField,
    private readonly drawn: (slot: number) => { x: number; z: number },
    private readonly now: () => number,
  ) {
    this.off = [
      state.events.on("attribute", (e) => this.add(e.attribute, e)),
      state.events.on("value", (e) => this.add(e.name, e)),
      // In the fog its last numbers would stand where it is no more, and the handle may come back.
      state.events.on("leave", (e) => {
        if (e.why === "fog") this.forget(e.id);
      }),
    ];
  }

  dispose(): void {
    for (const f of this.off) f();
  }

  /** @param ratio pixels of the canvas to one of the page */
  draw(nowMs: number, billboards: Billboards, ratio: number): void {
    if (!this.shown) return;
    const dot = Math.max(1, Math.round(2 * ratio));
    for (let i = 0; i < POOL; i++) {
      const t = (nowMs - this.start[i]) / LIFE_MS;
      if (t < 0 || t >= 1) continue;
      const rise = 0.9 * (1 - (1 - t) ** 2);
      const p = this.place;
      const alpha = Math.min(1, (1 - t) * 2.5);
      billboards.number(
        p[3 * i],
        p[3 * i + 1] + rise,
        p[3 * i + 2],
        this.amount[i],
        dot,
        this.color[i],
        alpha,
      );
    }
  }

  private forget(id: number): void {
    for (let i = 0; i < POOL; i++) if (this.id[i] === id) this.start[i] = -1e9;
  }

  /** The colour of the numbers of a change; null: it has none. */
  private colorOf(attribute: string, e: Change): ColorBytes | null {
    const display = displayOf(this.state.info.rules, attribute);
    const loss = e.now < e.was;
    if (display) {
      const color = loss ? display.loss : display.gain;
      return color ? colorBytes(cssColor(color)) : null;
    }
    if (!loss || (attribute !== "health" && attribute !== "shield")) return null;
    if (attribute === "shield") return ON_SHIELD;
    return this.state.relation(e.slot) === "own" ? OWN : FOE;
  }

  private add(attribute: string, e: Change): void {
    const color = this.shown && e.now !== e.was ? this.colorOf(attribute, e) : null;
    if (!color) return;
    const now = this.now();
    const by = e.now - e.was;
    const of = by > 0 ? `+${attribute}` : attribute;
    for (let i = 0; i < POOL; i++) {
      if (this.id[i] !== e.id || this.of[i] !== of || now - this.start[i] > MERGE_MS) continue;
      this.amount[i] += by;
      return;
    }
    const i = this.next;
    this.next = (i + 1) % POOL;
    const { world, info } = this.state;
    const type = typeOf(info.rules, world.type[e.slot]);
    const { x, z } = this.drawn(e.slot);
    this.id[i] = e.id;
    this.of[i] = of;
    this.amount[i] = by;
    this.start[i] = now;
    // The numbers of a fight do not lie on each other.
    this.place[3 * i] = x + ((this.next % 3) - 1) * 0.28;
    this.place[3 * i + 1] =
      this.ground.floor(x, z) + hoverOf(type) + topOf(type) + 0.3 + (attribute === "health" ? 0 : 0.35);
    this.place[3 * i + 2] = z;
    this.color[i] = color;
  }
}
