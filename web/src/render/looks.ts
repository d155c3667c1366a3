// The drawn state of an entity: abilities that run, and effects that
// weapons and abilities left on it. Each look has a strength that rises as it
// begins and falls as it ends. The looks of an entity that comes into sight are drawn in full at once, without a begin.

import { FLAG, type MatchState, type Rules } from "@fogkeep/client";

/** Abilities, then effects. */
export const LOOKS = ["cloak", "deploy", "sprint", "burn", "rage", "burning", "slowed", "shielded"] as const;
export type Look = (typeof LOOKS)[number];
export const LOOK: Readonly<Record<Look, number>> = Object.fromEntries(
  LOOKS.map((name, i) => [name, i]),
) as Record<Look, number>;

const OF_ABILITY: Readonly<Record<string, number>> = {
  deploy: LOOK.deploy,
  sprint: LOOK.sprint,
  burn: LOOK.burn,
  rage: LOOK.rage,
};
const OF_EFFECT: Readonly<Record<string, number>> = {
  damage: LOOK.burning,
  slow: LOOK.slowed,
  shield: LOOK.shielded,
};

/**
 * How an effect of the rules looks; undefined: it does not show. A kind that the server's program has added looks like a
 * slowing one. A change of attributes shows while it slows, protects or burns for a time; the lasting ones of
 * upgrades and ranks do not show.
 */
export function lookOfEffect(rules: Rules, effect: number): number | undefined {
  const { kind = "damage", durationTicks = 0, changes = [] } = rules.effects[effect] ?? {};
  if (kind !== "modify") return OF_EFFECT[kind] ?? LOOK.slowed;
  if (durationTicks === 0) return undefined;
  const lowers = (name: string) =>
    changes.some(
      (c) => c.attribute === name && (c.percent < 0 || c.add < 0 || (c.capPercent > 0 && c.capPercent < 100)),
    );
  if (lowers("speed")) return LOOK.slowed;
  if (lowers("regen")) return LOOK.burning;
  return lowers("armour") ? LOOK.shielded : undefined;
}

/** How long a look takes to begin or to end. */
const EASE_MS = 220;

export class Looks {
  /** A bit for each look that is on, by row of the world. */
  private on = new Uint16Array(256);
  /** A bit for each look that is not wholly gone. */
  private shown = new Uint16Array(256);
  /** 1: it came into sight since the last step. */
  private fresh = new Uint8Array(256);
  /** 0 to 1, a number for each look of a row. */
  private strength = new Float32Array(256 * LOOKS.length);
  private readonly off: (() => void)[] = [];

  constructor(
    private readonly state: MatchState,
    /** A look began or ended on an entity in sight. */
    private readonly changed: (slot: number, look: number, on: boolean) => void,
  ) {
    const { events, info } = state;
    this.off.push(
      events.on("enter", (e) => this.forget(e.slot, true)),
      events.on("leave", (e) => this.forget(e.slot, false)),
      events.on("abilityStart", (e) => this.ability(e.slot, e.kind, true)),
      events.on("abilityStop", (e) => this.ability(e.slot, e.kind, false)),
      events.on("effectStart", (e) => this.turn(e.slot, lookOfEffect(info.rules, e.effect), true)),
      events.on("effectStop", (e) => {
        // Several effects of a kind look like one.
        const look = lookOfEffect(info.rules, e.effect);
        const left = state.actions.effectsOn(e.id).some((x) => lookOfEffect(info.rules, x.kind) === look);
        if (!left) this.turn(e.slot, look, false);
      }),
    );
  }

  dispose(): void {
    for (const f of this.off) f();
  }

  /** How strong a look of a row is, 0 to 1. */
  of(slot: number, look: number): number {
    return slot < this.on.length ? this.strength[slot * LOOKS.length + look] : 0;
  }

  /** Whether any look of a row is to be drawn. */
  any(slot: number): boolean {
    return slot < this.on.length && (this.on[slot] | this.shown[slot]) !== 0;
  }

  /** Takes in that time went on. */
  step(dtMs: number): void {
    const { world } = this.state;
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0 || s >= this.on.length) continue;
      if (this.fresh[s]) this.begin(s);
      const cloaked = (world.flags[s] & FLAG.cloaked) !== 0;
      if (cloaked !== ((this.on[s] & (1 << LOOK.cloak)) !== 0)) this.turn(s, LOOK.cloak, cloaked);
      if ((this.on[s] | this.shown[s]) !== 0) this.ease(s, dtMs / EASE_MS);
    }
  }

  /** An entity that came into sight shows its looks at once. */
  private begin(s: number): void {
    const { world, actions, info } = this.state;
    this.fresh[s] = 0;
    let on = world.flags[s] & FLAG.cloaked ? 1 << LOOK.cloak : 0;
    for (const a of actions.of(world.ids[s])) {
      const look = OF_ABILITY[info.rules.abilities[a.ability]?.kind ?? ""];
      if (look !== undefined) on |= 1 << look;
    }
    for (const e of actions.effectsOn(world.ids[s])) {
      const look = lookOfEffect(info.rules, e.kind);
      if (look !== undefined) on |= 1 << look;
    }
    this.on[s] = on;
    for (let k = 0; k < LOOKS.length; k++) this.strength[s * LOOKS.length + k] = on & (1 << k) ? 1 : 0;
  }

  private ability(slot: number, kind: string, on: boolean): void {
    const look = OF_ABILITY[kind];
    if (look !== undefined) this.turn(slot, look, on);
  }

  private ease(s: number, by: number): void {
    for (let k = 0; k < LOOKS.length; k++) {
      const i = s * LOOKS.length + k;
      const on = (this.on[s] & (1 << k)) !== 0;
      this.strength[i] = on ? Math.min(1, this.strength[i] + by) : Math.max(0, this.strength[i] - by);
      if (this.strength[i] > 0) this.shown[s] |= 1 << k;
      else this.shown[s] &= ~(1 << k);
    }
  }

  private turn(slot: number, look: number | undefined, on: boolean): void {
    if (look === undefined) return;
    this.reserve(slot);
    const bit = 1 << look;
    if (((this.on[slot] & bit) !== 0) === on) return;
    this.on[slot] ^= bit;
    this.changed(slot, look, on);
  }

  /** Forgets all of a row. */
  private forget(slot: number, fresh: boolean): void {
    this.reserve(slot);
    this.on[slot] = 0;
    this.shown[slot] = 0;
    this.fresh[slot] = fresh ? 1 : 0;
    this.strength.fill(0, slot * LOOKS.length, (slot + 1) * LOOKS.length);
  }

  private reserve(slot: number): void {
    if (slot < this.on.length) return;
    const size = Math.max(slot + 1, this.on.length * 2);
    const on = new Uint16Array(size);
    const shown = new Uint16Array(size);
    const fresh = new Uint8Array(size);
    const strength = new Float32Array(size * LOOKS.length);
    on.set(this.on);
    shown.set(this.shown);
    fresh.set(this.fresh);
    strength.set(this.strength);
    this.on = on;
    this.shown = shown;
    this.fresh = fresh;
    this.strength = strength;
  }
}
