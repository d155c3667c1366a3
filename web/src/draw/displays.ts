// How attributes of units and structures are shown: their bars, their rows in the panel and their numbers. The ruleset
// may say so of each; the others are shown as usual.

import type { DisplayInfo, MatchState, Rules } from "@fogkeep/client";

/** Health and shield; energy has a bar in the panel alone, and values have a number there. */
const USUAL: readonly DisplayInfo[] = [
  { of: "health", bar: "setting", color: 0, icon: "", loss: 0, gain: 0 },
  { of: "shield", bar: "setting", color: 0, icon: "", loss: 0, gain: 0 },
];

/** Those with a bar over entities, the lowest first: usual ones, then the ruleset's in its order. */
export function barsOf(rules: Rules): readonly DisplayInfo[] {
  const { displays } = rules;
  const usual = USUAL.filter((u) => !displays.some((d) => d.of === u.of));
  return [...usual, ...displays].filter((d) => d.bar);
}

/** How the ruleset shows an attribute; undefined: as usual. */
export const displayOf = (rules: Rules, of: string): DisplayInfo | undefined =>
  rules.displays.find((d) => d.of === of);

/** A colour of the rules for pages. */
export const cssColor = (color: number): string => `#${color.toString(16).padStart(6, "0")}`;

/** An attribute of an entity, for the panel. */
export interface Level {
  readonly now: number;
  readonly least: number;
  readonly most: number;
  /** Where it is without an event: full, or the start of a value. */
  readonly calm: number;
}

/** An attribute of the entity of a slot, as far as this client may know it; undefined without one. */
export function levelOf(state: MatchState, slot: number, of: string): Level | undefined {
  const { world, own, info } = state;
  const full = (now: number, most: number) => (most > 0 ? { now, least: 0, most, calm: most } : undefined);
  if (of === "health") return full(world.hp(slot), world.hpMax[slot]);
  if (of === "shield") return full(world.left(slot, "shield"), world.shieldMax[slot]);
  const type = info.rules.types[world.type[slot]];
  const id = world.ids[slot];
  if (of === "energy") {
    const energy = own.units.get(id)?.energy;
    return energy === undefined ? undefined : full(energy, type?.energy ?? 0);
  }
  const at = info.rules.values.findIndex((v) => v.name === of);
  const start = type?.values.find((v) => v.value === at)?.start;
  const now = start === undefined ? undefined : state.values.get(id, of);
  if (now === undefined) return undefined;
  const { min, max } = info.rules.values[at];
  return { now, least: min, most: max, calm: start ?? min };
}

/** How full an attribute of the entity of a slot is, 0 to 1; -1: it has none. A battle does not allocate here. */
export function shareOf(state: MatchState, slot: number, of: string): number {
  const { world } = state;
  if (of === "health") return world.hpMax[slot] > 0 ? world.hp(slot) / world.hpMax[slot] : -1;
  if (of === "shield")
    return world.shieldMax[slot] > 0 ? world.left(slot, "shield") / world.shieldMax[slot] : -1;
  const level = levelOf(state, slot, of);
  return level ? (level.now - level.least) / (level.most - level.least) : -1;
}

/** Whether an attribute is not where it is without an event. */
export function isStirred(state: MatchState, slot: number, of: string): boolean {
  if (of === "health" || of === "shield") return state.world[of][slot] > 0;
  const level = levelOf(state, slot, of);
  return level !== undefined && level.now !== level.calm;
}

/** Path data of the icons that rules may name, 24 px. */
export const DISPLAY_ICONS: Readonly<Record<string, string>> = {
  bolt: "M13 3L5 14h6l-1 7 9-12h-7z",
  drop: "M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z",
  flame: "M12 21c-4 0-6-3-6-6 0-4 4-5 4-10 4 2 5 5 5 7 1-1 1-2 1-3 2 2 3 4 3 6 0 4-3 6-7 6z",
  heart: "M12 20C5 15 4 12 4 9a4 4 0 0 1 8-1 4 4 0 0 1 8 1c0 3-1 6-8 11z",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
  skull: "M6 16v-2a7 7 0 1 1 12 0v2h-2v4H8v-4zM9 11v1M15 11v1",
  star: "M12 3l2.7 6 6.3.6-4.8 4.3 1.4 6.3L12 17l-5.6 3.2 1.4-6.3L3 9.6l6.3-.6z",
  sword: "M20 4l-9 9M20 4h-5l-7 8 4 4 8-7zM6 13l5 5M8 16l-4 4",
};
