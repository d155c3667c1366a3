// The screen of a link to a lobby: the inviting player, the lobby, a name for a visitor without an account, and one
// button to join.

import type { Lobby } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../text/text";
import { useEntrance, WhoEnters } from "./entrance";
import { standingLine, waysInto } from "./lobbyview";
import { MapPicture } from "./mappicture";
import { screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { optionsLine } from "./optionfields";
import { api } from "./server";
import { LogIn } from "./title";
import { ErrorLine, useWork } from "./work";

const REFRESH_MS = 3000;

/** A dead link: says so, with a way on. The address has lost the link already. */
export const goneScreen = (nav: Navigation, why: string): Screen =>
  screen("title", <Gone nav={nav} why={why} />);

export const invitationScreen = (nav: Navigation, lobby: Lobby): Screen =>
  screen("title", <Invitation nav={nav} first={lobby} />);

function Invitation({ nav, first }: { nav: Navigation; first: Lobby }) {
  const lobby = useSignal(first);
  const logIn = useSignal(false);
  const { name, enters, enter } = useEntrance(nav);
  const { busy, error, run } = useWork();
  useEffect(() => {
    const timer = setInterval(async () => {
      if (document.hidden) return;
      // If it cannot be read just now, joining says why.
      const now = await api.getLobby(first.id).catch((err) => err);
      if (now.status === 404 || now.state === "closed") nav.linkGone(t("invite.gone"));
      else if (!(now instanceof Error)) lobby.value = now;
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [first.id, lobby]);
  const l = lobby.value;
  const ways = waysInto(l);
  const standing = standingLine(l);
  const join = (spectate: boolean) =>
    run(async () => {
      await enter();
      await nav.join(l.id, l.private, spectate);
    });
  const people = l.seats.filter((s) => s.kind === "player" || s.kind === "bot").map((s) => s.name);
  return (
    <>
      <div class="title-words">
        <p class="logo small">fogkeep</p>
        <h1>{l.hostName ? t("invite.by", { name: l.hostName }) : t("invite.nobody")}</h1>
        <p class="lead">{t("invite.to", { lobby: l.name, map: l.map.name })}</p>
        {enters ? (
          <form
            class="panel join"
            onSubmit={(e) => {
              e.preventDefault();
              void join(!ways.join);
            }}
          >
            <WhoEnters nav={nav} name={name} />
            {standing ? <p data-standing={l.state}>{standing}</p> : null}
            <ErrorLine text={error.value} />
            <div class="row wrap">
              {ways.join ? (
                <button type="submit" class="primary big grow" data-do="join" disabled={busy}>
                  {t("common.join")}
                </button>
              ) : null}
              {ways.watch ? (
                <button
                  type="button"
                  class={ways.join ? undefined : "primary big grow"}
                  data-do="watch"
                  disabled={busy}
                  onClick={() => void join(true)}
                >
                  {t("home.watch")}
                </button>
              ) : null}
            </div>
          </form>
        ) : null}
        <div class="row wrap">
          {nav.account || !enters ? null : (
            <button
              type="button"
              class="ghost-button"
              data-do="have-account"
              aria-expanded={logIn}
              onClick={() => {
                logIn.value = !logIn.value;
              }}
            >
              {t("invite.haveAccount")}
            </button>
          )}
          <button
            type="button"
            class="ghost-button"
            data-do="elsewhere"
            onClick={() => (nav.account ? nav.home() : nav.title())}
          >
            {t("invite.elsewhere")}
          </button>
        </div>
        {logIn.value || !enters ? <LogIn nav={nav} /> : null}
      </div>
      <section class="panel invited-to" aria-label={l.name}>
        <MapPicture map={l.map} />
        <p>
          <b>{l.map.name}</b>{" "}
          <span class="dim">
            {t("lobby.mapFacts", { width: l.map.width, height: l.map.height, starts: l.map.starts })}
          </span>
        </p>
        <p>{t("invite.there", { taken: ways.taken, seats: l.limit, names: people.join(", ") })}</p>
        <p class="dim">{optionsLine(l.options)}</p>
      </section>
    </>
  );
}

function Gone({ nav, why }: { nav: Navigation; why: string }) {
  return (
    <div class="title-words">
      <p class="logo small">fogkeep</p>
      <h1>{t("invite.goneTitle")}</h1>
      <p class="lead" role="status">
        {why}
      </p>
      <button
        type="button"
        class="primary big"
        data-do="elsewhere"
        onClick={() => (nav.account ? nav.home() : nav.title())}
      >
        {t("invite.toStart")}
      </button>
    </div>
  );
}
