// The player's own ratings.

import type { OwnRating, RatedMatch } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { factionName } from "../text/names";
import { t } from "../text/text";
import type { Navigation } from "./navigation";
import { api } from "./server";

/** The account's ratings, by queue. */
export function useRatings(): readonly OwnRating[] {
  const ratings = useSignal<readonly OwnRating[]>([]);
  useEffect(() => {
    api
      .ownRatings()
      .then((r) => {
        ratings.value = r.ratings;
      })
      .catch(() => undefined); // without them the page works as well
  }, [ratings]);
  return ratings.value;
}

export const ratingText = (r: OwnRating): string =>
  r.placementsLeft
    ? t("queue.placements", { count: r.placementsLeft })
    : r.division
      ? `${r.division} · ${t("queue.rating", { rating: r.rating })}`
      : r.provisional
        ? t("queue.provisional", { rating: r.rating })
        : t("queue.rating", { rating: r.rating });

/** The ratings of the account, for its dialog. Empty before the first rated match. */
export function Ratings({ nav }: { nav: Navigation }) {
  const ratings = useRatings();
  if (ratings.length === 0) return null;
  return (
    <section aria-labelledby="ratings-title">
      <h3 id="ratings-title">{t("queue.ratings")}</h3>
      <ul class="members">
        {ratings.map((r) => (
          <li key={r.queue} data-rating={r.queue}>
            <span class="grow">
              <b>{nav.queue.queues.value.find((q) => q.id === r.queue)?.name ?? r.queue}</b> {ratingText(r)}
            </span>
            <span class="dim num">
              {r.place ? `${t("queue.place", { place: r.place })} · ` : ""}
              {t("queue.results", { won: r.won, lost: r.lost, drawn: r.drawn })}
            </span>
            {r.past ? (
              <span class="dim num factions">
                {r.past
                  .map((s) =>
                    t("ladder.past", { season: s.season, rating: s.rating, division: s.division ?? "" }),
                  )
                  .join(" · ")}
              </span>
            ) : null}
            <RatedMatches queue={r.queue} />
            {r.factions ? (
              <span class="dim num factions">
                {r.factions
                  .map(
                    ({ faction, won, lost, drawn }) =>
                      `${factionName(faction)}: ${t("queue.results", { won, lost, drawn })}`,
                  )
                  .join(" · ")}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The course of a rating, and the opponents: read when the player opens it. */
function RatedMatches({ queue }: { queue: string }) {
  const matches = useSignal<readonly RatedMatch[] | null>(null);
  const read = () => {
    if (!matches.peek())
      api
        .ratedMatches(queue)
        .then((r) => {
          matches.value = r.matches;
        })
        .catch(() => undefined); // the player opens it again
  };
  const rated = (matches.value ?? []).filter((m) => m.rating !== undefined);
  return (
    <details class="factions" data-do="rated-matches" onToggle={read}>
      <summary>{t("ladder.matches")}</summary>
      {rated.length > 1 ? <Course ratings={rated.map((m) => m.rating ?? 0).reverse()} /> : null}
      <ul class="members">
        {(matches.value ?? []).map((m) => (
          <li key={m.match}>
            <span class="grow">{m.opponents.map((name) => name || t("ladder.deleted")).join(", ")}</span>
            <span class="dim num">
              {m.rating === undefined
                ? t("ladder.placement")
                : `${m.rating} (${(m.change ?? 0) < 0 ? "−" : "+"}${Math.abs(m.change ?? 0)})`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A line of ratings, the oldest first. */
function Course({ ratings }: { ratings: readonly number[] }) {
  const low = Math.min(...ratings);
  const high = Math.max(...ratings, low + 1);
  const points = ratings.map(
    (r, i) => `${(i / (ratings.length - 1)) * 300},${44 - ((r - low) / (high - low)) * 40}`,
  );
  return (
    <svg class="course" viewBox="0 0 300 48" role="img" aria-label={t("ladder.course", { low, high })}>
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="2" />
    </svg>
  );
}
