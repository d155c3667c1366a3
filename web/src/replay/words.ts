// The texts of the viewer of replays: times, speeds, teams, events.

import { ALL_TEAMS, type MatchInfo, type ReplayEvent, type Team, typeOf } from "@fogkeep/client";
import { typeName } from "../text/names";
import { t } from "../text/text";

/** A time of the match as a clock shows it: 7:05, 1:02:03. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

const FRACTIONS: Readonly<Record<number, string>> = { 25: "¼", 50: "½" };

/** A speed in percent of the normal one, as a factor: ½, 1, 16. */
export const speedText = (percent: number): string => FRACTIONS[percent] ?? String(percent / 100);

/** A team's players: their names, or its number if these are many. */
export function teamName(info: MatchInfo, team: Team): string {
  if (team === ALL_TEAMS) return t("replay.all");
  const names = info.players.filter((p) => p.team === team).map((p) => p.name);
  return names.length === 0 || names.length > 3 ? t("replay.team", { team: team + 1 }) : names.join(", ");
}

/** An event in words. */
export function eventText(info: MatchInfo, e: ReplayEvent): string {
  const nameOf = (slot: number) => info.players[slot]?.name ?? t("replay.unknown");
  const type = e.type >= 0 ? typeName(typeOf(info.rules, e.type).name) : "";
  const name = nameOf(e.slot);
  switch (e.kind) {
    case "contact":
      return t("replay.event.contact", { a: teamName(info, e.team), b: teamName(info, e.other) });
    case "fight": {
      const losses = e.losses.map((l) =>
        t("replay.event.fightLoss", { name: nameOf(l.slot), value: l.value }),
      );
      return losses.length > 0
        ? t("replay.event.fightLosses", { losses: losses.join(", ") })
        : t("replay.event.fight");
    }
    case "structureLost":
      return e.by >= 0 && e.by !== e.slot
        ? t("replay.event.structureLostBy", { name, type, by: nameOf(e.by) })
        : t("replay.event.structureLost", { name, type });
    case "captured":
      return t("replay.event.captured", { name, type, by: nameOf(e.by) });
    case "ended":
      return e.team >= 0
        ? t("replay.event.ended", { name: teamName(info, e.team) })
        : t("replay.event.endedDraw");
    default:
      return t(`replay.event.${e.kind}`, { name, type });
  }
}

/** The player of an event, for its colour; -1: no player, or several. */
export function eventSlot(info: MatchInfo, e: ReplayEvent): number {
  if (e.slot >= 0) return e.slot;
  if (e.kind === "contact" || e.kind === "ended")
    return info.players.find((p) => p.team === e.team)?.slot ?? -1;
  return e.losses.length === 1 ? e.losses[0].slot : -1;
}
