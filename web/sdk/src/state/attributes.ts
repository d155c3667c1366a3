// Attributes of entities: values of the type or of its weapon, as the effects
// that are on an entity change them. The rule is the server's
// (match/rules/attribute.go).

/** The attributes that effects change, by their number on the wire. */
export const ATTRIBUTE_NAMES = [
  "health",
  "shield",
  "energy",
  "armour",
  "damage",
  "cooldown",
  "range",
  "speed",
  "sight",
  "regen",
  "reflect",
] as const;

export type AttributeName = (typeof ATTRIBUTE_NAMES)[number];

/** A change to an attribute while an effect is on an entity. */
export interface AttributeChange {
  readonly attribute: AttributeName;
  /** Health, shield and regen in points, energy in thousandths, range in world units, speed in 1/64 world unit a tick, sight in half tiles, others in percent. */
  readonly add: number;
  /** More or less: -30 leaves 70 percent. */
  readonly percent: number;
  /** The most that is left of the value, in percent; 0: no cap. */
  readonly capPercent: number;
  /** The most that the value can be; null: no cap. */
  readonly cap: number | null;
}

/** The most that the changes of all effects multiply a value with, in percent. */
const percentMax = (of: AttributeName) => (of === "speed" ? 400 : 1000);

const VALUE_MAX = 1_000_000_000;

/** The value of an attribute with a base, while effects are on the entity: numbers in `effects`. */
export function attributeOf(
  effects: readonly { readonly changes?: readonly AttributeChange[] }[],
  on: readonly { readonly kind: number }[],
  of: AttributeName,
  base: number,
): number {
  let add = 0;
  let percent = 100;
  let capPercent = 0;
  let cap: number | null = null;
  for (const { kind } of on) {
    for (const c of effects[kind]?.changes ?? []) {
      if (c.attribute !== of) continue;
      add += c.add;
      percent += c.percent;
      if (c.capPercent !== 0 && (capPercent === 0 || c.capPercent < capPercent)) capPercent = c.capPercent;
      if (c.cap !== null && (cap === null || c.cap < cap)) cap = c.cap;
    }
  }
  let v = Math.floor((Math.max(0, base + add) * Math.min(Math.max(0, percent), percentMax(of))) / 100);
  if (capPercent !== 0) v = Math.floor((v * capPercent) / 100);
  return Math.min(v, cap ?? VALUE_MAX, VALUE_MAX);
}
