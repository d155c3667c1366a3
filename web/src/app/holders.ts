// The players of a match's seats, as one line names them: "ada (before: ben until 3:20)".

import { t } from "../text/text";
import { skillText } from "./skill";

/** A length in minutes and seconds, as a clock shows it. */
export const lengthOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** The name of a bot of a level. */
export const botName = (level?: string): string =>
  level ? t("holder.botOf", { level: skillText(level) }) : t("common.bot");

/** One player of a seat; `to` is the tick with which the next one began, absent for the last. */
export interface Holder {
  readonly name: string;
  readonly to?: number;
}

/** The players of one seat, the first one first, with the times at which they left it. */
export function seatText(holders: readonly Holder[], ticksPerS: number): string {
  const said = holders.map(({ name, to }) =>
    to === undefined ? name : t("holder.until", { name, time: lengthOf(to / ticksPerS) }),
  );
  const last = said.pop() ?? "";
  return said.length === 0 ? last : t("holder.before", { name: last, names: said.join(", ") });
}
