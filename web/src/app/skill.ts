// The levels and styles of bots. The server's level of a bot is a level, or a level, a colon and a style.

import { t } from "../text/text";

/** The levels that can be chosen, from the weakest. */
export const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "master"] as const;

/** The styles that can be chosen; the first one has no name in the server's level. */
export const STYLES = ["balanced", "rush", "turtle", "raid", "tech", "expand"] as const;

export type Level = (typeof LEVELS)[number];
export type Style = (typeof STYLES)[number];

/** How a bot plays, as the server names it. */
export type BotLevel = Level | `${Level}:${Style}`;

const oneOf = <T extends string>(list: readonly T[], name: string): T | undefined =>
  list.find((x) => x === name);

/** A level of the server that the host can choose, too; undefined: it is the level of a scenario's orders, or of a later server. */
export function skillOf(level = ""): { level: Level; style: Style } | undefined {
  const [l, s] = level.split(":");
  const known = oneOf(LEVELS, l);
  const style = oneOf(STYLES, s ?? "balanced");
  return known && style && { level: known, style };
}

export const skillNamed = (level: Level, style: Style): BotLevel =>
  style === "balanced" ? level : `${level}:${style}`;

/** A level of the server in the page's language. */
export function skillText(level: string): string {
  if (level === "orders") return t("level.orders.name");
  const skill = skillOf(level);
  if (!skill) return level;
  const name = t(`level.${skill.level}.name`);
  return skill.style === "balanced" ? name : `${name}, ${t(`style.${skill.style}.name`)}`;
}
