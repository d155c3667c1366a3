// The screen of a lobby: seats, buttons, chat, map and rules. An event changes only the differing parts: an open
// list, a text that is being written, focus and scroll stay.

import type { Lobby } from "@fogkeep/client";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Icon } from "../ui/icons";
import { InviteLink } from "./invitelink";
import { AddBot, DataLimit, LobbyButtons } from "./lobbyactions";
import { LobbyChat } from "./lobbychat";
import { changesOf, LobbyForm } from "./lobbyform";
import { LobbyModel } from "./lobbymodel";
import { Seats, Spectators } from "./lobbyseats";
import { statusLine } from "./lobbyview";
import { LobbyVotes } from "./lobbyvotes";
import { MapPicture } from "./mappicture";
import { openDialog, screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { optionsLine } from "./optionfields";
import { api } from "./server";
import { TopBar } from "./topbar";

/** `endedMatch` is the id of a match of this lobby whose end this page has seen, or empty. */
export function lobbyScreen(nav: Navigation, lobby: Lobby, endedMatch: string): Screen {
  const model = new LobbyModel(nav, lobby, endedMatch);
  return screen("home", <LobbyPage model={model} />, () => model.close());
}

function LobbyPage({ model }: { model: LobbyModel }) {
  const { lobby, open } = model.view.value;
  return (
    <>
      <TopBar nav={model.nav} />
      <div class="home-grid lobby-grid">
        <section class="panel lobby-main" aria-labelledby="lobby-name">
          <div class="row">
            <h2 id="lobby-name">{lobby.name}</h2>
            {lobby.private ? <Icon path={ICONS.lock} title={t("home.hasPassword")} /> : null}
          </div>
          <p class="lobby-state" role="status">
            {model.away.value ? t("lobby.away") : statusLine(model.view.value)}
          </p>
          <LobbyVotes model={model} />
          <PlaysOn lobby={lobby} />
          <Seats model={model} />
          <AddBot model={model} />
          <Spectators model={model} />
          <DataLimit model={model} />
          <LobbyButtons model={model} configure={() => configureDialog(model)} />
        </section>
        <aside class="stack">
          {open || lobby.state === "playing" ? <Invite lobby={lobby} /> : null}
          <section class="panel map-panel" aria-labelledby="map-name">
            <h2 id="map-name">{lobby.map.name}</h2>
            <MapPicture map={lobby.map} />
            <p class="dim">
              {t("lobby.mapFacts", {
                width: lobby.map.width,
                height: lobby.map.height,
                starts: lobby.map.starts,
              })}
            </p>
            <p class="dim" data-rules="">
              {optionsLine(lobby.options)}
            </p>
          </section>
        </aside>
        <LobbyChat model={model} />
      </div>
    </>
  );
}

/** From where the lobby's matches go on, if they do not begin anew. */
function PlaysOn({ lobby }: { lobby: Lobby }) {
  const { from } = lobby;
  if (!from) return null;
  const fills =
    lobby.state === "open" && lobby.seats.some((s) => s.kind === "open") ? ` ${t("lobby.botsFill")}` : "";
  if (from.scenario !== undefined)
    return (
      <p class="dim" data-scenario="">
        {t("lobby.playsScenario", { name: from.scenario })}
        {fills}
      </p>
    );
  const at = `${Math.floor(from.seconds / 60)}:${String(from.seconds % 60).padStart(2, "0")}`;
  return (
    <p class="dim" data-from={from.tick}>
      {t("lobby.playsOn", { at })}{" "}
      <a href={`/#replay=${from.matchId}&tick=${from.tick}`}>{t("lobby.watchThere")}</a>
      {fills}
      {from.out.length > 0 ? ` ${t("lobby.outByThen", { names: from.out.join(", ") })}` : ""}
    </p>
  );
}

function Invite({ lobby }: { lobby: Lobby }) {
  return (
    <section class="panel" aria-labelledby="invite-title">
      <h2 id="invite-title">{t("lobby.invite")}</h2>
      <p class="dim">{lobby.from?.matchId ? t("lobby.inviteNotePlaysOn") : t("lobby.inviteNote")}</p>
      <InviteLink to={`lobby=${lobby.id}`} />
    </section>
  );
}

/** The dialog to change the lobby; another player than the host asks for the changes. */
function configureDialog(model: LobbyModel): void {
  const { lobby, host } = model.view.peek();
  const title = t(host ? "lobby.edit" : "lobby.askSettings");
  openDialog(title, "configure", (close) => (
    <>
      {host ? null : <p class="dim">{t("lobby.askNote")}</p>}
      <LobbyForm
        lobby={lobby}
        asks={!host}
        title={title}
        submit={host ? t("lobby.save") : title}
        send={async (request) => {
          model.update(
            await (host
              ? api.configureLobby(lobby.id, request)
              : api.askLobby(lobby.id, { kind: "settings", ...changesOf(lobby, request) })),
          );
          close();
        }}
      />
      <button type="button" class="wide" onClick={close}>
        {t("common.cancel")}
      </button>
    </>
  ));
}
