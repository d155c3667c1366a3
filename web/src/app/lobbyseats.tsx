// The rows of a lobby's seats: who sits there, colour, team, ready. Players choose
// their own colour and team; the host sets everybody's team.

import { type Seat, TEAMS_MAX } from "@fogkeep/client";
import { PLAYER_COLOR_NAMES, playerColor } from "../draw/palette";
import { colorName, factionName } from "../text/names";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Emblem, Icon } from "../ui/icons";
import { FactionSelect, RANDOM } from "./factionselect";
import { personDialog } from "./friends";
import { HandicapOf } from "./handicap";
import { LevelSelect } from "./lobbyactions";
import type { LobbyModel } from "./lobbymodel";
import { canOpen, type LobbyView, mayChooseLevel } from "./lobbyview";
import { useRulesets } from "./maps";
import { type BotLevel, skillText } from "./skill";

/** More seats scroll in a part of the page, so that the buttons below them stay in sight. */
const SEATS_AT_ONCE = 12;

export function Seats({ model }: { model: LobbyModel }) {
  const { lobby } = model.view.value;
  return (
    <ul class={`seats${lobby.seats.length > SEATS_AT_ONCE ? " many" : ""}`} aria-label={t("lobby.seats")}>
      {lobby.seats.map((s) => (
        <SeatRow key={s.slot} model={model} seat={s} />
      ))}
    </ul>
  );
}

function SeatRow({ model, seat: s }: { model: LobbyModel; seat: Seat }) {
  const view = model.view.value;
  if (s.kind === "open" && s.was !== undefined) return <FormerSeat model={model} seat={s} was={s.was} />;
  if (s.kind === "open") {
    return (
      <li class="seat vacant">
        <i class="swatch vacant" />
        <span class="dim who">{t("lobby.openSeat")}</span>
        {view.open && view.seat ? <TakeSeat model={model} slot={s.slot} /> : null}
      </li>
    );
  }
  const mine = s.account?.id === view.me;
  const isHost = s.account?.id === view.lobby.host;
  const name = s.name || t("common.bot");
  const about: string[] = [];
  const chooses = mayChooseLevel(view, s);
  if (s.level && !chooses) about.push(skillText(s.level));
  if (isHost) about.push(t("common.host"));
  if (mine) about.push(t("common.you"));
  if (s.was && s.was !== name) about.push(t("lobby.seatOf", { name: s.was }));
  return (
    <li class={`seat${mine ? " mine" : ""}`} data-seat={s.slot}>
      <Emblem color={playerColor(s.color)} index={s.color} />
      <span class="who">
        {s.kind === "bot" ? <Icon path={ICONS.bot} title={t("common.bot")} /> : null}
        {s.account && !mine ? <PersonButton model={model} seat={s} /> : <b>{name}</b>}
        <span class="dim"> {about.join(", ")}</span> <Standing view={view} seat={s} isHost={isHost} />
      </span>
      {chooses ? (
        <LevelSelect
          label={t("lobby.levelOf", { name })}
          styleLabel={t("lobby.styleOf", { name })}
          value={s.level as BotLevel}
          change={(level) => model.changeOther(s.slot, { level })}
        />
      ) : null}
      <FactionOf model={model} seat={s} name={name} />
      <HandicapOf model={model} seat={s} name={name} />
      <TeamOf model={model} view={view} seat={s} name={name} mine={mine} />
      {canOpen(view, s) ? (
        <button
          type="button"
          class="ghost-button"
          data-do="open-seat"
          aria-pressed={s.open === true}
          title={s.kind === "bot" ? t("lobby.openBotNote") : t("lobby.openAwayNote")}
          onClick={() => model.changeOther(s.slot, { open: !s.open })}
        >
          {s.open ? t("lobby.close") : t("lobby.open")}
        </button>
      ) : null}
      {view.host && !mine && view.open ? (
        <button
          type="button"
          class="ghost-button"
          data-do="remove"
          title={t("lobby.removeWho", { name })}
          aria-label={t("lobby.removeWho", { name })}
          onClick={() => model.remove(s.slot)}
        >
          <Icon path={ICONS.cancel} />
        </button>
      ) : null}
      {!view.host && view.seat && !mine && s.account && view.open && view.lobby.options.votes === "lobby" ? (
        <button
          type="button"
          class="ghost-button"
          data-do="ask-remove"
          title={t("lobby.askRemove", { name })}
          aria-label={t("lobby.askRemove", { name })}
          onClick={() => model.ask({ kind: "kick", slot: s.slot })}
        >
          <Icon path={ICONS.cancel} />
        </button>
      ) : null}
      {mine && view.open && !view.lobby.from ? <Colors model={model} seat={s} /> : null}
    </li>
  );
}

/** The name of another player, with the choices about that player. */
function PersonButton({ model, seat: s }: { model: LobbyModel; seat: Seat }) {
  const person = { id: s.account?.id ?? "", name: s.name ?? "" };
  return (
    <button
      type="button"
      class="name-button"
      data-do="person"
      title={t("friends.choices", { name: person.name })}
      onClick={() => personDialog(model.nav, person, { lobby: model.lobby.peek().id, slot: s.slot })}
    >
      {person.name}
    </button>
  );
}

/** A free seat of the match that the lobby plays on. */
function FormerSeat({ model, seat: s, was }: { model: LobbyModel; seat: Seat; was: string }) {
  const { open, seat: own } = model.view.value;
  return (
    <li class="seat vacant" data-seat={s.slot}>
      <Emblem color={playerColor(s.color)} index={s.color} />
      <span class="dim who">
        {t("lobby.seatOfFree", { name: was })}
        {s.level ? `, ${skillText(s.level)}` : ""}
      </span>
      <span class="team dim">{t("common.teamNumber", { team: s.team + 1 })}</span>
      {open && own ? <TakeSeat model={model} slot={s.slot} /> : null}
    </li>
  );
}

/** A free seat: another start point on the map. */
function TakeSeat({ model, slot }: { model: LobbyModel; slot: number }) {
  return (
    <button type="button" class="ghost-button" data-do="take-seat" onClick={() => model.changeSeat({ slot })}>
      {t("lobby.takeSeat")}
    </button>
  );
}

/** A seat's faction: to choose for the player itself, and for the host those of bots; else to read. */
function FactionOf({ model, seat: s, name }: { model: LobbyModel; seat: Seat; name: string }) {
  const view = model.view.value;
  const { ruleset } = view.lobby.options;
  const factions = useRulesets().find((r) => r.id === ruleset)?.factions ?? [];
  if (factions.length === 0 || view.lobby.from) return null;
  const mine = s.account?.id === view.me;
  const chosen = s.faction ?? RANDOM;
  if (!view.open || !(mine || (view.host && s.kind === "bot")))
    return <span class="team dim">{factionName(chosen)}</span>;
  return (
    <FactionSelect
      label={t("lobby.factionOf", { name })}
      factions={factions}
      value={chosen}
      change={(faction) => (mine ? model.changeSeat({ faction }) : model.changeOther(s.slot, { faction }))}
    />
  );
}

/** A seat's team: to choose for the player itself and for the host, else to read. */
function TeamOf({
  model,
  view,
  seat: s,
  name,
  mine,
}: {
  model: LobbyModel;
  view: LobbyView;
  seat: Seat;
  name: string;
  mine: boolean;
}) {
  if (!view.open || !(mine || view.host) || view.lobby.from)
    return <span class="team dim">{t("common.teamNumber", { team: s.team + 1 })}</span>;
  // Teams up to the number of seats, and the present one.
  const teams = [...new Set([...Array(Math.min(view.lobby.limit, TEAMS_MAX)).keys(), s.team])];
  const choose = (team: number) => (mine ? model.changeSeat({ team }) : model.changeOther(s.slot, { team }));
  return (
    <select
      class="team"
      data-do="team"
      aria-label={mine ? t("lobby.yourTeam") : t("lobby.teamOf", { name })}
      value={String(s.team)}
      onChange={(e) => choose(Number(e.currentTarget.value))}
    >
      {teams.map((team) => (
        <option key={team} value={String(team)}>
          {t("common.teamNumber", { team: team + 1 })}
        </option>
      ))}
    </select>
  );
}

/** Whether a seat is ready, away, or open to who joins. */
function Standing({ view, seat: s, isHost }: { view: LobbyView; seat: Seat; isHost: boolean }) {
  if (s.open) return <span class="chip open">{t("lobby.openToJoin")}</span>;
  if (s.out) return <span class="chip">{t("lobby.seatOut")}</span>;
  if (s.away) return <span class="chip">{t("lobby.playerAway")}</span>;
  if (!view.open || s.kind === "bot" || isHost) return null;
  return (
    <span class={`chip${s.ready ? " ready" : ""}`}>{s.ready ? t("lobby.ready") : t("lobby.notReady")}</span>
  );
}

/** The player's colour, as radio buttons: one has the focus, and the arrow keys go on. */
function Colors({ model, seat: s }: { model: LobbyModel; seat: Seat }) {
  const { lobby } = model.view.value;
  const taken = new Set(
    lobby.seats.filter((o) => o.kind !== "open" && o.slot !== s.slot).map((o) => o.color),
  );
  return (
    <fieldset class="colors">
      <legend class="hidden-text">{t("lobby.yourColor")}</legend>
      {PLAYER_COLOR_NAMES.map((name, color) => (
        <label key={name} class={taken.has(color) ? "taken" : undefined} title={colorName(name)}>
          <input
            type="radio"
            name="color"
            aria-label={colorName(name)}
            checked={color === s.color}
            disabled={taken.has(color)}
            onChange={() => model.changeSeat({ color })}
          />
          <Emblem color={playerColor(color)} index={color} />
        </label>
      ))}
    </fieldset>
  );
}

/** The spectators; in the player's own row it chooses whose eyes to see with. */
export function Spectators({ model }: { model: LobbyModel }) {
  const { lobby, me } = model.view.value;
  if (lobby.spectators.length === 0) return null;
  const { spectatorDelay } = lobby.options;
  const words = (team: number) => {
    if (team >= 0) return t("lobby.viewTeam", { team: team + 1 });
    return spectatorDelay > 0 ? t("lobby.viewAllDelayed", { seconds: spectatorDelay }) : t("lobby.viewAll");
  };
  const teams = [...new Set(lobby.seats.filter((p) => p.kind !== "open").map((p) => p.team))].sort(
    (a, b) => a - b,
  );
  return (
    <ul class="seats" aria-label={t("lobby.spectators")}>
      {lobby.spectators.map((s) => {
        const mine = s.account?.id === me;
        return (
          <li key={s.slot} class={`seat${mine ? " mine" : ""}`}>
            <Icon path={ICONS.eye} title={t("lobby.watches")} />
            <span class="who">
              <b>{s.name}</b>
              {mine ? <span class="dim"> {t("common.you")}</span> : null}
            </span>
            {mine ? (
              <select
                class="eyes"
                aria-label={t("lobby.view")}
                value={String(s.team)}
                onChange={(e) => model.changeSeat({ team: Number(e.currentTarget.value) })}
              >
                {[-1, ...teams].map((team) => (
                  <option key={team} value={String(team)}>
                    {words(team)}
                  </option>
                ))}
              </select>
            ) : (
              <span class="chip">{words(s.team)}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
