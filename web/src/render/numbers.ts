// Numbers that rise where health or a shield fell. They show the difference of two values from the server, never a
// guess of the client.

import { type AttributeChange, type MatchState, typeOf } from "@fogkeep/client";
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

export class DamageNumbers {
  /** A setting of the player's. */
  shown = false;
  private readonly id = new Uint32Array(POOL);
  private readonly shield = new Uint8Array(POOL);
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
      state.events.on("attribute", (e) => this.add(e)),
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

  private add(e: AttributeChange): void {
    const loss = e.was - e.now;
    if (!this.shown || loss <= 0 || e.attribute === "energy") return;
    const now = this.now();
    const shield = e.attribute === "shield" ? 1 : 0;
    for (let i = 0; i < POOL; i++) {
      if (this.id[i] !== e.id || this.shield[i] !== shield || now - this.start[i] > MERGE_MS) continue;
      this.amount[i] += loss;
      return;
    }
    const i = this.next;
    this.next = (i + 1) % POOL;
    const { world, info } = this.state;
    const type = typeOf(info.rules, world.type[e.slot]);
    const { x, z } = this.drawn(e.slot);
    this.id[i] = e.id;
    this.shield[i] = shield;
    this.amount[i] = loss;
    this.start[i] = now;
    // The numbers of a fight do not lie on each other.
    this.place[3 * i] = x + ((this.next % 3) - 1) * 0.28;
    this.place[3 * i + 1] = this.ground.floor(x, z) + hoverOf(type) + topOf(type) + 0.3 + 0.35 * shield;
    this.place[3 * i + 2] = z;
    this.color[i] = shield ? ON_SHIELD : this.state.relation(e.slot) === "own" ? OWN : FOE;
  }
}
