// The screen of a link to a replay: what match it is, and a way to watch it, or why it
// cannot be watched.

import { FogkeepError, type ReplayFacts } from "@fogkeep/client";
import { clockText } from "../replay/words";
import { errorText, sidedName } from "../text/names";
import { t } from "../text/text";

import { seatText } from "./holders";
import { MapPicture } from "./mappicture";
import { screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { api } from "./server";
import { LogIn } from "./title";
import { ErrorLine, useWork } from "./work";

export interface ReplayScreenOptions {
  /** The known facts of the match; null if the player is logged out, or `why` has the reason. */
  readonly facts: ReplayFacts | null;
  readonly why?: unknown;
  watch(): Promise<void>;
}

export const replayScreen = (nav: Navigation, o: ReplayScreenOptions): Screen =>
  screen("title", <ReplayPage nav={nav} {...o} />);

/** Why a replay cannot be watched, for people. */
function whyNot({ facts, why }: ReplayScreenOptions): string {
  if (facts?.unavailable) return t(`replay.unavailable.${facts.unavailable}`);
  if (why instanceof FogkeepError && why.status === 404) return t("replay.unavailable.not_found");
  return why ? errorText(why) : "";
}

function ReplayPage({ nav, ...o }: ReplayScreenOptions & { nav: Navigation }) {
  const { facts } = o;
  const { busy, error, run } = useWork();
  const why = whyNot(o);
  const watch = () =>
    run(async () => {
      if (!nav.account) nav.accountChanged((await api.playAsGuest({})).account);
      await o.watch();
    });
  return (
    <>
      <div class="title-words">
        <p class="logo small">fogkeep</p>
        <h1>{t("replay.screen.title")}</h1>
        {facts ? <p class="lead">{playersOf(facts)}</p> : null}
        {why ? (
          <p class="panel" role="status" data-why={facts?.unavailable || "refused"}>
            {why}
          </p>
        ) : (
          <div class="panel join">
            <ErrorLine text={error.value} />
            <button
              type="button"
              class="primary big wide"
              data-do="watch-replay"
              disabled={busy}
              onClick={() => void watch()}
            >
              {t(nav.account ? "replay.screen.watch" : "replay.screen.watchGuest")}
            </button>
          </div>
        )}
        <div class="row wrap">
          <button
            type="button"
            class="ghost-button"
            data-do="elsewhere"
            onClick={() => (nav.account ? nav.home() : nav.title())}
          >
            {t("replay.screen.home")}
          </button>
        </div>
        {nav.account ? null : <LogIn nav={nav} />}
      </div>
      {facts ? <Facts facts={facts} /> : null}
    </>
  );
}

const nameOf = (p: ReplayFacts["players"][number]): string => (p.gone ? t("replay.screen.gone") : p.name);

/** All players, with the earlier players of their seats. */
export const playersOf = ({ players, tickRate }: Pick<ReplayFacts, "players" | "tickRate">): string =>
  players
    .map((p) => {
      const earlier = (p.earlier ?? []).map((h) => ({ name: h.name, to: h.to }));
      return seatText([...earlier, { name: sidedName(nameOf(p), p) }], tickRate);
    })
    .join(" · ");

function Facts({ facts }: { facts: ReplayFacts }) {
  const winners = facts.players.filter((p) => facts.winners.includes(p.team)).map(nameOf);
  return (
    <section class="panel invited-to" aria-label={facts.map.name}>
      <MapPicture map={facts.map} />
      <p>
        <b>{t("replay.screen.on", { map: facts.map.name, time: clockText(facts.seconds * 1000) })}</b>
      </p>
      <p class="dim">
        {facts.ended
          ? t("replay.screen.played", { date: new Date(facts.ended).toLocaleDateString() })
          : t("replay.screen.running")}
      </p>
      {facts.ended && !facts.unavailable ? null : facts.ended ? (
        <p class="dim">
          {winners.length > 0
            ? t("replay.screen.winner", { names: winners.join(", ") })
            : t("replay.screen.draw")}
        </p>
      ) : null}
    </section>
  );
}
