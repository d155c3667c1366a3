// The dialog that finds a match: which queue; and the leaderboards.

import type { Leader, Queue } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../text/text";
import { FactionSelect, RANDOM } from "./factionselect";
import { MapPicture } from "./mappicture";
import { useMaps } from "./maps";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { inviteFriends } from "./queuepanel";
import { ratingText, useRatings } from "./ratings";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

/** The caller has just read the queues. A second reading by the form would make it busy, and clicks would get lost. */
export function quickMatchDialog(nav: Navigation): void {
  openDialog(t("queue.quick"), "quick", (close) => <QuickMatch nav={nav} close={close} />);
}

function QuickMatch({ nav, close }: { nav: Navigation; close: () => void }) {
  const { queue } = nav;
  const { busy, error, run } = useWork();
  const chosen = useSignal("");
  const faction = useSignal(queue.lastFaction);
  const vetoed = useSignal(queue.lastVetoes);
  const ratings = useRatings();
  const size = queue.standing.value?.party?.members.length ?? 1;
  const queues = queue.queues.value;
  const fits = queues.filter((q) => q.teamSize >= size);
  const pick = fits.find((q) => q.id === (chosen.value || queue.lastQueue)) ?? fits[0];
  const factions = pick?.factions ?? [];
  const wish = factions.some((f) => f.name === faction.value) ? faction.value : RANDOM;
  const vetoes = pick ? vetoed.value.filter((id) => pick.maps.includes(id)).slice(-(pick.vetoes ?? 0)) : [];
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (pick)
          void run(async () => {
            await queue.join(pick.id, wish, pick.vetoes ? vetoes : []);
            close();
          });
      }}
    >
      <h2>{t("queue.quick")}</h2>
      <p class="dim">{t("queue.quickNote")}</p>
      <fieldset class="choices queues">
        <legend>{t("queue.which")}</legend>
        {queues.map((q) => {
          const own = ratings.find((r) => r.queue === q.id);
          return (
            <label key={q.id} class="choice">
              <input
                type="radio"
                name="queue"
                value={q.id}
                disabled={q.teamSize < size}
                checked={q === pick}
                onChange={() => {
                  chosen.value = q.id;
                }}
              />
              <b>{q.name}</b>
              {q.waiting > 0 ? <small>{t("queue.waiting", { count: q.waiting })}</small> : null}
              {own ? <small>{ratingText(own)}</small> : null}
            </label>
          );
        })}
      </fieldset>
      {factions.length > 0 ? (
        <div class="field">
          <span>{t("play.faction")}</span>
          <FactionSelect
            label={t("play.faction")}
            factions={factions}
            value={wish}
            change={(name) => {
              faction.value = name;
            }}
          />
        </div>
      ) : null}
      {pick && (pick.vetoes || pick.poolEndsMs) ? (
        <Pool
          queue={pick}
          vetoes={pick.vetoes ? vetoes : []}
          change={(ids) => {
            vetoed.value = ids;
          }}
        />
      ) : null}
      <ErrorLine text={error.value} />
      <div class="row wrap end">
        <button type="submit" class="primary" data-do="find-match" disabled={busy.value || !pick}>
          {t("queue.find")}
        </button>
        <button
          type="button"
          data-do="invite-friends"
          onClick={async () => {
            close();
            await nav.attempt(() => inviteFriends(nav));
          }}
        >
          {t("queue.invite")}
        </button>
        <button
          type="button"
          data-do="leaderboard"
          onClick={() => {
            close();
            leaderboardDialog(nav);
          }}
        >
          {t("queue.leaderboard")}
        </button>
        <span class="grow" />
        <button type="button" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </form>
  );
}

interface PoolProps {
  queue: Queue;
  vetoes: readonly string[];
  change: (vetoes: readonly string[]) => void;
}

/** The maps of the week, and the vetoes of the search. A veto too many takes the oldest one back. */
function Pool({ queue, vetoes, change }: PoolProps) {
  const { maps } = useMaps();
  const days = Math.ceil((queue.poolEndsMs ?? 0) / 86_400_000);
  return (
    <fieldset class="choices maps vetoes">
      <legend>
        {t("pool.maps")} {days > 0 ? t("pool.ends", { count: days }) : null}{" "}
        {queue.vetoes ? t("pool.veto", { count: queue.vetoes }) : null}
      </legend>
      {maps
        .filter((m) => queue.maps.includes(m.id))
        .map((m) => (
          <label key={m.id} class="choice">
            <input
              type="checkbox"
              data-veto={m.id}
              disabled={!queue.vetoes}
              checked={vetoes.includes(m.id)}
              onChange={(e) =>
                change([...vetoes.filter((id) => id !== m.id), ...(e.currentTarget.checked ? [m.id] : [])])
              }
            />
            <MapPicture map={m} />
            <b>{m.name}</b>
            {vetoes.includes(m.id) ? <small>{t("pool.vetoed")}</small> : null}
          </label>
        ))}
    </fieldset>
  );
}

export function leaderboardDialog(nav: Navigation): void {
  openDialog(t("queue.leaderboard"), "leaderboard", (close) => <Leaderboard nav={nav} close={close} />);
}

function Leaderboard({ nav, close }: { nav: Navigation; close: () => void }) {
  const { queue } = nav;
  const rated = queue.queues.value.filter((q) => q.rated);
  const chosen = useSignal("");
  const rows = useSignal<readonly Leader[]>([]);
  const mine = useSignal<Leader | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const { error, run } = useWork();
  const id = chosen.value || rated[0]?.id || "";
  useEffect(() => void run(() => queue.readQueues()), [queue]);
  useEffect(() => {
    if (!id) return;
    let gone = false;
    api
      .leaderboard(id)
      .then((page) => {
        if (gone) return;
        rows.value = page.rows;
        mine.value = page.mine;
        next.value = page.next;
      })
      .catch((err) => void run(() => Promise.reject(err)));
    return () => {
      gone = true;
    };
  }, [id]);
  const more = () =>
    run(async () => {
      const page = await api.leaderboard(id, { page: next.value });
      rows.value = [...rows.value, ...page.rows];
      next.value = page.next;
    });
  const own = mine.value;
  const ladder = rated.find((q) => q.id === id)?.ladder;
  return (
    <>
      <h2>{t("queue.leaderboard")}</h2>
      <label class="field" for="leaderboard-queue">
        <span>{t("queue.which")}</span>
        <select
          id="leaderboard-queue"
          value={id}
          onChange={(e) => {
            chosen.value = e.currentTarget.value;
          }}
        >
          {rated.map((q) => (
            <option key={q.id} value={q.id}>
              {q.name}
            </option>
          ))}
        </select>
      </label>
      <ErrorLine text={error.value} />
      {ladder ? <p class="dim">{seasonText(ladder)}</p> : null}
      {rows.value.length === 0 ? <p class="empty">{t("queue.noLeaders")}</p> : null}
      {rows.value.length > 0 ? (
        <table class="leaders">
          <thead>
            <tr>
              <th scope="col">{t("queue.column.place")}</th>
              <th scope="col">{t("common.name")}</th>
              <th scope="col">{t("queue.column.rating")}</th>
              <th scope="col">{t("queue.column.results")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.value.map((r) => (
              <LeaderRow key={r.account.id} row={r} mine={r.account.id === nav.account?.id} />
            ))}
            {own && !rows.value.some((r) => r.account.id === own.account.id) ? (
              <LeaderRow row={own} mine />
            ) : null}
          </tbody>
        </table>
      ) : null}
      <div class="row wrap">
        <button type="button" class="primary" onClick={close}>
          {t("common.done")}
        </button>
        {next.value ? (
          <button type="button" class="ghost-button" onClick={() => void more()}>
            {t("queue.more")}
          </button>
        ) : null}
      </div>
    </>
  );
}

function seasonText(l: NonNullable<Queue["ladder"]>): string {
  if (l.season === 0) return t("ladder.none");
  if (l.over) return t("ladder.over", { season: l.season });
  return l.endsMs
    ? t("ladder.ends", { season: l.season, count: Math.ceil(l.endsMs / 86_400_000) })
    : t("ladder.runs", { season: l.season });
}

function LeaderRow({ row: r, mine }: { row: Leader; mine: boolean }) {
  return (
    <tr class={mine ? "mine" : undefined}>
      <td class="num">{r.place}</td>
      <td>{r.account.name}</td>
      <td class="num">
        {r.rating} {r.division ? <small>{r.division}</small> : null}
      </td>
      <td class="num dim">{t("queue.results", { won: r.won, lost: r.lost, drawn: r.drawn })}</td>
    </tr>
  );
}
