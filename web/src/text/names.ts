// Texts for codes and names of the server: errors, refused orders,
// reasons for an end, options, and the names of a ruleset. The text files know
// the names of this project. Another server may have others: these are shown in the
// server's own words.

import { language, t, textOf } from "./text";

/** A name of a ruleset as words: `siege-tank` is `Siege tank`. */
export function words(name: string): string {
  const w = name.replace(/[-_]+/g, " ").trim();
  return w ? w[0].toUpperCase() + w.slice(1) : "?";
}

export const factionName = (name: string): string => textOf(`faction.${name}`) ?? words(name);

/** A handicap of the SDK, in percent. */
interface Handicap {
  readonly start?: number;
  readonly income?: number;
  readonly damage?: number;
}

/** The parts of a handicap that differ from 100 percent: `start 50 %, damage 80 %`; empty without one. */
export const handicapText = (handicap: Handicap | null | undefined): string =>
  (["start", "income", "damage"] as const)
    .filter((part) => (handicap?.[part] ?? 100) !== 100)
    .map((part) => t(`handicap.${part}`, { percent: handicap?.[part] ?? 100 }))
    .join(", ");

/** A player with the faction, if the match has factions, and the handicap, if the seat has one. */
export function sidedName(
  name: string,
  seat: { faction?: string | null; handicap?: Handicap | null },
): string {
  const side = [seat.faction ? factionName(seat.faction) : "", handicapText(seat.handicap)].filter(Boolean);
  return side.length > 0 ? `${name} (${side.join("; ")})` : name;
}

/** A unit, structure, projectile or resource field by its name in the ruleset. */
export const typeName = (name: string): string => textOf(`type.${name}`) ?? words(name);

export const abilityName = (name: string): string => textOf(`ability.${name}`) ?? words(name);

/** A value of entities that the ruleset declares: `rage`. */
export const valueName = (name: string): string => textOf(`value.${name}`) ?? words(name);

/** A value of the match's mode, such as `wave`. */
export const modeValueName = (name: string): string => textOf(`modeValue.${name}`) ?? words(name);

/** A class of sounds: `gunfire`. */
export const soundName = (name: string): string => textOf(`sound.${name}`) ?? words(name);

/** A class of signatures that radar finds: `vehicle`. */
export const signatureName = (name: string): string => textOf(`signature.${name}`) ?? words(name);

/** A kind of resource, as it stands after a number: `75 ore`. */
export const resourceName = (name: string): string => textOf(`resource.${name}`) ?? name;

export const colorName = (name: string): string => textOf(`color.${name}`) ?? words(name);

/** Why an order was refused, by its code (`orders.Reject`, or one of the SDK's own). */
export const rejectText = (code: string): string =>
  textOf(`reject.${code}`) ?? (code ? words(code.toLowerCase()) : t("reject.refused"));

/** Why a match ended, by the server's word for it; an admin's own words may follow after a colon. */
export function reasonText(reason: string): string {
  const [, aborted] = /^aborted: (.*)$/s.exec(reason) ?? [];
  if (aborted) return t("reason.abortedFor", { words: aborted });
  return textOf(`reason.${reason}`) ?? (reason ? words(reason) : t("reason.ended"));
}

/** The label of an option of a lobby; `own` is the server's. */
export const optionLabel = (option: string, own: string): string => textOf(`option.${option}.label`) ?? own;

/** The label of a value of an option; `own` is the server's. */
export const optionValue = (option: string, value: string | number, own: string): string =>
  textOf(`option.${option}.value.${value}`) ?? own;

/**
 * Codes whose sentence from the server says more than the code: the player who is not ready, how long a ban lasts,
 * which option is wrong.
 */
const DETAILED: ReadonlySet<string> = new Set([
  "banned_account",
  "banned_address",
  "bad_limit",
  "bad_option",
  "bad_request",
  "in_match",
  "mode_refused",
  "not_open",
  "not_ready",
  "refused",
  "start_failed",
  "start_refused",
  "throttled",
  "wrong_state",
]);

/**
 * The sentence for anything that was thrown: by its code if the text files know it, else its own message. The
 * server's sentences are English: where they say more than the code, they follow the code's text in other
 * languages.
 */
export function errorText(err: unknown): string {
  const { code = "", message = "" } = err instanceof Error ? (err as Error & { code?: string }) : {};
  const text = textOf(`error.${code}`);
  if (text === undefined) return message || t("error.unknown");
  if (!DETAILED.has(code) || message === "") return text;
  return language() === "en" ? message : t("error.detail", { text, detail: message });
}

/** A kind of armour, as its bearers: `light units`. */
export const armourName = (name: string): string => textOf(`armour.${name}`) ?? words(name);

/**
 * Why a match ended, as a player sees it. `outcome` is the end for that player; the values are for the sentence.
 */
export function endText(
  reason: string,
  mode: string,
  outcome: "won" | "lost" | "draw" | "watched",
  values: Record<string, string | number>,
): string {
  for (const by of [mode, "any"]) {
    const text = textOf(`end.because.${by}.${reason}.${outcome}`, values);
    if (text !== undefined) return text;
  }
  return `${reasonText(reason)}.`;
}
