// The home screen: the ways to play, the list of lobbies, the form for a new one, and the player's rank, last matches
// and friends.

import { FogkeepError, type Lobby } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Icon } from "../ui/icons";
import { MatchHistory, Upgrade } from "./account";
import { catalogueDialog } from "./catalogue";
import { FriendsHere } from "./friends";
import { LobbyForm } from "./lobbyform";
import { waysInto } from "./lobbyview";
import { screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { Notices } from "./notices";
import { playDialog } from "./playdialog";
import { leaderboardDialog } from "./quickmatch";
import { ratingText, useRatings } from "./ratings";
import { api } from "./server";
import { TopBar } from "./topbar";

const REFRESH_MS = 3000;

export const homeScreen = (nav: Navigation): Screen => screen("home", <Home nav={nav} />);

function Home({ nav }: { nav: Navigation }) {
  const { account } = nav;
  return (
    <>
      <TopBar nav={nav} />
      <Notices nav={nav} />
      <div class="home-grid">
        <section class="panel play-panel" aria-labelledby="play-title">
          <h2 id="play-title">{t("home.play")}</h2>
          <div class="row wrap">
            <button
              type="button"
              class="primary grow"
              data-do="play-bot"
              onClick={() => playDialog(nav, "bot")}
            >
              {t("home.singlePlayer")}
            </button>
            <button type="button" class="grow" data-do="quick-match" onClick={() => void nav.quickMatch()}>
              {t("queue.quick")}
            </button>
            <button type="button" class="grow" data-do="missions" onClick={() => void nav.missions()}>
              {t("missions.title")}
            </button>
            <button type="button" class="grow" data-do="play-coop" onClick={() => playDialog(nav, "coop")}>
              {t("play.coop")}
            </button>
          </div>
          <p class="dim">
            {t("home.singlePlayerNote")} {t("queue.quickShort")} {t("play.coopShort")}
          </p>
          <div class="row wrap">
            <button
              type="button"
              class="ghost-button"
              data-do="leaderboard"
              onClick={() => leaderboardDialog(nav)}
            >
              {t("queue.leaderboard")}
            </button>
            <button
              type="button"
              class="ghost-button"
              data-do="catalogue"
              onClick={() => catalogueDialog(nav)}
            >
              {t("catalogue.open")}
            </button>
          </div>
        </section>
        <Lobbies nav={nav} />
        <div class="new-lobby">
          <LobbyForm
            name={account ? t("home.lobbyOf", { name: account.name }) : ""}
            title={t("home.newLobby")}
            submit={t("home.create")}
            send={async (request) => nav.showLobby(await api.createLobby(request))}
          />
        </div>
        <aside class="stack">
          <Rank nav={nav} />
          <MatchHistory nav={nav} />
          <FriendsHere />
          {account?.guest ? <Upgrade nav={nav} /> : null}
        </aside>
      </div>
    </>
  );
}

/** The player's ratings in a line each, once a rated match was played. */
function Rank({ nav }: { nav: Navigation }) {
  const ratings = useRatings();
  if (ratings.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="rank-title">
      <h2 id="rank-title">{t("queue.ratings")}</h2>
      {ratings.map((r) => (
        <p key={r.queue} data-rank={r.queue}>
          <b>{nav.queue.queues.value.find((q) => q.id === r.queue)?.name ?? r.queue}</b>{" "}
          <span class="num">{ratingText(r)}</span>
        </p>
      ))}
    </section>
  );
}

/** The lobbies in which players can meet, newest first. It reads them again every few seconds. */
function Lobbies({ nav }: { nav: Navigation }) {
  const list = useSignal<readonly Lobby[] | null>(null); // null: not read yet
  const error = useSignal("");
  const written = useSignal("");
  const query = written.value.trim();
  useEffect(() => {
    let gone = false;
    const refresh = async () => {
      if (document.hidden) return;
      try {
        const { lobbies } = await api.listLobbies({ q: query });
        if (gone) return;
        list.value = lobbies;
        error.value = "";
      } catch (err) {
        if (gone) return;
        if (err instanceof FogkeepError && err.status === 401) return nav.title();
        error.value = t("home.retrying", { error: errorText(err) });
      }
    };
    const timer = setInterval(() => void refresh(), REFRESH_MS);
    void refresh();
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [query, nav, list, error]);
  const empty = query ? t("home.noneFound", { query }) : t("home.none");
  return (
    <section class="panel lobbies" aria-labelledby="lobbies-title">
      <div class="row wrap">
        <h2 id="lobbies-title">{t("home.lobbies")}</h2>
        <span class="grow" />
        <input
          type="search"
          placeholder={t("home.search")}
          aria-label={t("home.search")}
          value={written}
          onInput={(e) => {
            written.value = e.currentTarget.value;
          }}
        />
      </div>
      {error.value ? (
        <p class="empty" role="status">
          {error.value}
        </p>
      ) : null}
      {list.value?.length === 0 && !error.value ? <p class="empty">{empty}</p> : null}
      <ul class="lobby-list" aria-labelledby="lobbies-title">
        {(list.value ?? []).map((l) => (
          <LobbyRow key={l.id} nav={nav} lobby={l} />
        ))}
      </ul>
    </section>
  );
}

function LobbyRow({ nav, lobby: l }: { nav: Navigation; lobby: Lobby }) {
  const ways = waysInto(l);
  const me = nav.account?.id;
  const mine = [...l.seats, ...l.spectators].some((s) => s.account?.id === me);
  const watching = l.spectators.length;
  return (
    <li class="lobby-row" data-lobby={l.id}>
      <div class="about">
        <b>
          {l.name}
          {l.private ? <Icon path={ICONS.lock} title={t("home.hasPassword")} /> : null}
        </b>
        <span class="dim">
          {[
            l.map.name,
            l.hostName ? t("home.host", { name: l.hostName }) : t("home.noHost"),
            ...(watching > 0 ? [t("home.watching", { count: watching })] : []),
          ].join(" · ")}
        </span>
      </div>
      <span class="num" title={t("home.seatsTaken")}>
        {ways.taken} / {l.limit}
      </span>
      <span class={`chip ${l.state}`}>
        {t(`home.state.${l.state === "open" && ways.full ? "full" : l.state}`)}
      </span>
      <div class="ways">
        {!mine && ways.watch ? (
          <button
            type="button"
            class="ghost-button"
            data-do="watch"
            aria-label={t("home.watchLobby", { name: l.name })}
            onClick={() => void nav.join(l.id, l.private, true)}
          >
            <Icon path={ICONS.eye} />
            {t("home.watch")}
          </button>
        ) : null}
        <button
          type="button"
          data-do="join"
          disabled={!mine && !ways.join}
          onClick={() => void (mine ? nav.attempt(() => nav.openLobby(l.id)) : nav.join(l.id, l.private))}
        >
          {mine
            ? t("home.rejoin")
            : l.state === "playing" && ways.join
              ? t("home.joinMatch")
              : t("common.join")}
        </button>
      </div>
    </li>
  );
}
