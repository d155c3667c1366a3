import { t } from "../text/text";

/** The most stars of a mission. */
const STARS = 3;

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** The stars of a mission, and the time of its fastest win. */
export function Stars({ stars, seconds }: { stars: number; seconds?: number }) {
  const words = t("missions.stars", { stars, most: STARS });
  return (
    <span class="num stars" role="img" aria-label={words} title={words}>
      {"★".repeat(stars) + "☆".repeat(STARS - stars)}
      {seconds ? ` ${clock(seconds)}` : ""}
    </span>
  );
}
