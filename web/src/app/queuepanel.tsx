// Matchmaking over the screens: a bar while a party exists or waits,
// and the question whether to play once a match was found.

import type { Offer, Party } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { factionName } from "../text/names";
import { t } from "../text/text";
import { showDialog } from "../ui/dialog";
import { h } from "../ui/dom";
import { FactionSelect, RANDOM } from "./factionselect";
import { lengthOf } from "./holders";
import { InviteLink } from "./invitelink";
import { useMaps } from "./maps";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { playDialog } from "./playdialog";
import type { QueueModel, Stood } from "./queuemodel";

/** The bar, for the page's end. `busy` says whether a match is shown, which leaves no place for it. */
export function queuePanel(nav: Navigation): HTMLElement {
  const element = h("div", { class: "queue-panel" });
  render(<Bar nav={nav} />, element);
  return element;
}

/** Seconds since a standing came. It draws again each second. */
function useSeconds(at: number): number {
  const now = useSignal(performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = performance.now();
    }, 500);
    return () => clearInterval(timer);
  }, [now]);
  return Math.max(0, now.value - at) / 1000;
}

function Bar({ nav }: { nav: Navigation }) {
  const { queue } = nav;
  const s = queue.standing.value;
  const party = s?.party;
  useEffect(() => {
    if (s?.offer && !s.offer.accepted) askToAccept(nav, s);
  }, [nav, s]);
  if (!s || !party) return null;
  if (!party.queue && party.members.length === 1 && !partyIsShown(party)) return null;
  return (
    <aside class="panel queue-bar" aria-label={t("queue.title")}>
      {party.queue ? <Waiting nav={nav} s={s} party={party} /> : <Idle nav={nav} party={party} />}
    </aside>
  );
}

/** Ids of parties that the player made to invite others. */
const made = new Set<string>();
const partyIsShown = (p: Party): boolean => made.has(p.id);

/** Makes a party, and shows how to invite to it. */
export async function inviteFriends(nav: Navigation): Promise<void> {
  await nav.queue.makeParty();
  const party = nav.queue.standing.peek()?.party;
  if (party) made.add(party.id);
  partyDialog(nav);
}

const queueName = (queue: QueueModel, id: string): string =>
  queue.queues.value.find((q) => q.id === id)?.name ?? id;

function Waiting({ nav, s, party }: { nav: Navigation; s: Stood; party: Party }) {
  const { queue } = nav;
  const waited = (s.inQueueMs ?? 0) / 1000 + useSeconds(s.at);
  const w = queue.queues.value.find((q) => q.id === party.queue)?.width;
  const width = w ? Math.min(w.start + w.perSecond * waited, w.most || Number.POSITIVE_INFINITY) : 0;
  return (
    <>
      <span class="queue-dot" aria-hidden="true" />
      <span class="grow">
        <b role="status">
          {s.offer
            ? t(s.offer.accepted ? "queue.othersAnswer" : "queue.found")
            : queue.away.value
              ? t("queue.away")
              : t("queue.searching", { queue: queueName(queue, party.queue ?? "") })}
        </b>{" "}
        <span class="dim num">
          {lengthOf(Math.floor(waited))}
          {w && !s.offer ? ` · ${t("queue.width", { points: Math.round(width / 10) * 10 })}` : ""}
        </span>
      </span>
      {party.members.length > 1 ? (
        <PartyButton nav={nav} party={party} />
      ) : s.offer ? null : (
        <>
          <button
            type="button"
            class="ghost-button"
            data-do="bot-instead"
            title={t("queue.untilStart")}
            onClick={() => playDialog(nav, "bot")}
          >
            {t("queue.botInstead")}
          </button>
          <button
            type="button"
            class="ghost-button"
            data-do="missions-instead"
            title={t("queue.untilStart")}
            onClick={() => void nav.attempt(async () => (await import("./missions")).missionsDialog(nav))}
          >
            {t("missions.title")}
          </button>
        </>
      )}
      <button type="button" data-do="leave-queue" onClick={() => void nav.attempt(queue.leave)}>
        {t("queue.stop")}
      </button>
    </>
  );
}

function Idle({ nav, party }: { nav: Navigation; party: Party }) {
  const leads = party.leader === nav.account?.id;
  return (
    <>
      <span class="grow dim">{leads ? t("queue.youLead") : t("queue.leaderStarts")}</span>
      <PartyButton nav={nav} party={party} />
      {leads ? (
        <button type="button" class="primary" data-do="quick-match" onClick={() => void nav.quickMatch()}>
          {t("queue.quick")}
        </button>
      ) : null}
    </>
  );
}

function PartyButton({ nav, party }: { nav: Navigation; party: Party }) {
  return (
    <button type="button" class="ghost-button" data-do="party" onClick={() => partyDialog(nav)}>
      {t("queue.party", { count: party.members.length })}
    </button>
  );
}

/** The members of the party, and the link that invites to it. */
function partyDialog(nav: Navigation): void {
  openDialog(t("queue.partyTitle"), "party", (close) => <PartyPanel nav={nav} close={close} />);
}

function PartyPanel({ nav, close }: { nav: Navigation; close: () => void }) {
  const party = nav.queue.standing.value?.party;
  const me = nav.account?.id;
  useEffect(() => {
    if (!party) close();
  }, [party, close]);
  useEffect(() => void nav.attempt(() => nav.queue.readQueues()), [nav]); // their factions
  if (!party) return null;
  const offered = nav.queue.queues.value.flatMap((q) => q.factions ?? []);
  const factions = offered.filter((f, i) => offered.findIndex((g) => g.name === f.name) === i);
  return (
    <>
      <h2>{t("queue.partyTitle")}</h2>
      <ul class="members">
        {party.members.map((m) => (
          <li key={m.account.id} data-member={m.account.name}>
            <span class="grow">
              <b>{m.account.name}</b>{" "}
              {m.account.id === party.leader ? <span class="dim">{t("queue.leader")}</span> : null}
            </span>
            {factions.length === 0 ? null : m.account.id !== me ? (
              <span class="dim">{factionName(m.faction ?? RANDOM)}</span>
            ) : (
              <FactionSelect
                label={t("play.faction")}
                factions={factions}
                value={m.faction ?? RANDOM}
                change={(name) => void nav.attempt(() => nav.queue.chooseFaction(name))}
              />
            )}
            {party.leader === me && m.account.id !== me ? (
              <button
                type="button"
                class="ghost-button"
                onClick={() => void nav.attempt(() => nav.queue.remove(m.account.id))}
              >
                {t("queue.remove")}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <p class="dim">{t("queue.inviteNote")}</p>
      <InviteLink to={`party=${party.code}`} />
      <div class="row wrap">
        <button type="button" class="primary" onClick={close}>
          {t("common.done")}
        </button>
        <span class="grow" />
        <button
          type="button"
          data-do="leave-party"
          onClick={async () => {
            close();
            await nav.attempt(nav.queue.leaveParty);
          }}
        >
          {t("queue.leaveParty")}
        </button>
      </div>
    </>
  );
}

let asked = "";

/** Asks whether to play the match that was found, over every screen. Each match is asked for once. */
function askToAccept(nav: Navigation, s: Stood): void {
  const offer = s.offer;
  if (!offer || asked === offer.id) return;
  asked = offer.id;
  const dialog = h("dialog", { class: "panel accept", "aria-label": t("queue.found") });
  dialog.addEventListener("cancel", (e) => e.preventDefault()); // Escape is no answer
  render(
    <Accept
      nav={nav}
      id={offer.id}
      queue={offer.queue}
      bots={offer.bots ?? 0}
      close={() => dialog.close()}
    />,
    dialog,
  );
  showDialog(dialog, () => render(null, dialog));
  chime(nav.loudness);
}

interface AcceptProps {
  nav: Navigation;
  id: string;
  queue: string;
  bots: number;
  close: () => void;
}

function Accept({ nav, id, queue, bots, close }: AcceptProps) {
  const s = nav.queue.standing.value;
  const offer = s?.offer?.id === id ? s.offer : undefined;
  const left = Math.max(0, Math.ceil((offer?.leftMs ?? 0) / 1000 - useSeconds(s?.at ?? 0)));
  useEffect(() => {
    if (!offer) close();
  }, [offer, close]);
  const answer = (yes: boolean) => void nav.attempt(() => nav.queue.answer(id, yes));
  return (
    <>
      <h2>{t("queue.found")}</h2>
      <p class="lead">{queueName(nav.queue, queue)}</p>
      {offer ? <OfferedMap offer={offer} /> : null}
      {bots > 0 ? <p class="dim">{t("queue.withBots", { count: bots })}</p> : null}
      <p class="accept-left num" role="timer">
        {offer?.accepted ? t("queue.othersAnswer") : t("queue.left", { count: left })}
      </p>
      <div class="row wrap">
        <button
          type="button"
          class="primary big grow"
          data-do="accept"
          disabled={offer?.accepted}
          autofocus
          onClick={() => answer(true)}
        >
          {t("queue.accept")}
        </button>
        <button type="button" data-do="decline" onClick={() => answer(false)}>
          {t("queue.decline")}
        </button>
      </div>
    </>
  );
}

/** The map of an offer, and the maps that the players vetoed. */
function OfferedMap({ offer }: { offer: Offer }) {
  const { maps } = useMaps();
  const name = (id: string) => maps.find((m) => m.id === id)?.name ?? id;
  return (
    <p class="dim">
      {t("queue.map", { map: name(offer.map) })}{" "}
      {offer.vetoed ? t("queue.vetoed", { maps: offer.vetoed.map(name).join(", ") }) : null}
    </p>
  );
}

/** Two rising tones, at a loudness from 0 to 1. */
function chime(loudness: number): void {
  if (loudness <= 0) return;
  try {
    const audio = new AudioContext();
    [660, 880].forEach((pitch, i) => {
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      const at = audio.currentTime + 0.18 * i;
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(0.25 * loudness, at);
      gain.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.4);
    });
    setTimeout(() => void audio.close(), 1500);
  } catch {
    // A browser without sound: the question is on the page.
  }
}
