// The player's own ratings.

import type { OwnRating } from "@fogkeep/client";
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
  r.provisional ? t("queue.provisional", { rating: r.rating }) : t("queue.rating", { rating: r.rating });

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
