// Friends: who is where, requests, messages, blocked and avoided players.

import { FogkeepError, type Friend, type Message, type Person, type Relations } from "@fogkeep/client";
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type TextKey, t } from "../text/text";
import { openDialog } from "./mount";
import "./friends.css";
import type { Navigation } from "./navigation";
import { type Place, reportDialog } from "./report";
import { api } from "./server";

/** How often the page shows the server that the player is here, and how often an open list asks where friends are. */
const HERE_MS = 25_000;
const LOOK_MS = 10_000;

const relations = signal<Relations | null>(null);
/** The number of the newest message that the player has read, by friend. */
const read = signal<Record<string, number>>({});

const store = (nav: Navigation) => `fogkeep.read.${nav.account?.id}`;

function markRead(nav: Navigation, friend: string, message: number): void {
  if ((read.peek()[friend] ?? 0) >= message) return;
  read.value = { ...read.peek(), [friend]: message };
  localStorage[store(nav)] = JSON.stringify(read.peek());
}

const unread = (f: Friend): boolean => (f.message ?? 0) > (read.value[f.account.id] ?? 0);

async function look(): Promise<void> {
  try {
    relations.value = await api.relations();
  } catch (err) {
    if (!(err instanceof FogkeepError)) throw err; // the next look shows them
  }
}

/** The button of the friends, with the number of requests and of friends with unread messages. */
export function FriendsButton({ nav }: { nav: Navigation }) {
  const me = nav.account?.id;
  const version = nav.queue.standing.value?.relations ?? 0;
  useEffect(() => {
    try {
      read.value = JSON.parse(localStorage[store(nav)] ?? "{}");
    } catch {
      read.value = {};
    }
    const timer = setInterval(() => void nav.queue.start(), HERE_MS);
    return () => {
      clearInterval(timer);
      relations.value = null;
    };
  }, [nav, me]);
  useEffect(() => {
    if (me) void look();
  }, [me, version]);
  const r = relations.value;
  const news = r ? r.incoming.length + r.friends.filter(unread).length : 0;
  return (
    <button
      type="button"
      class="ghost-button"
      data-do="friends"
      onClick={() =>
        openDialog(t("friends.title"), "friends", (close) => <FriendsPanel nav={nav} close={close} />)
      }
    >
      {t("friends.title")}
      {news > 0 ? (
        <span class="badge num" title={t("friends.news", { count: news })}>
          {news}
        </span>
      ) : null}
    </button>
  );
}

/** The friends who are online; empty without one. */
export function FriendsHere() {
  useEffect(() => {
    const timer = setInterval(() => void (document.hidden || look()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const here = (relations.value?.friends ?? []).filter((f) => f.presence !== "offline");
  if (here.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="here-title">
      <h2 id="here-title">{t("friends.title")}</h2>
      <ul class="members">
        {here.map((f) => (
          <li key={f.account.id} data-here={f.account.name}>
            <b class="grow">{f.account.name}</b>
            <span class={`chip ${CHIPS[f.presence]}`}>{t(`friends.presence.${f.presence}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The looks of presences. */
const CHIPS = { offline: "", online: "live", lobby: "open", match: "playing" };

type Change = () => Promise<Relations>;

function FriendsPanel({ nav, close }: { nav: Navigation; close: () => void }) {
  const talk = useSignal<Person | null>(null);
  const name = useSignal("");
  useEffect(() => {
    const timer = setInterval(() => void look(), LOOK_MS);
    void look();
    return () => clearInterval(timer);
  }, []);
  const change = (work: Change) =>
    nav.attempt(async () => {
      relations.value = await work();
    });
  const r = relations.value;
  if (talk.value) return <Talk nav={nav} friend={talk.value} back={() => (talk.value = null)} />;
  return (
    <>
      <h2>{t("friends.title")}</h2>
      <form
        class="row"
        onSubmit={async (e) => {
          e.preventDefault();
          const wanted = name.value.trim();
          if (!wanted) return;
          await change(async () => {
            const out = await api.befriend({ name: wanted });
            name.value = "";
            return out;
          });
        }}
      >
        <input
          type="text"
          class="grow"
          maxLength={60}
          autocomplete="off"
          placeholder={t("friends.name")}
          aria-label={t("friends.name")}
          value={name}
          onInput={(e) => {
            name.value = e.currentTarget.value;
          }}
        />
        <button type="submit" class="primary" data-do="befriend">
          {t("friends.add")}
        </button>
      </form>
      {r ? (
        <>
          <People title={t("friends.incoming")} list={r.incoming}>
            {(p) => (
              <>
                <Do
                  what="accept"
                  text={t("friends.accept")}
                  run={() => change(() => api.befriend({ name: p.name }))}
                />
                <Do what="decline" text={t("friends.decline")} run={() => change(() => api.unfriend(p.id))} />
              </>
            )}
          </People>
          {r.friends.length === 0 ? <p class="empty">{t("friends.none")}</p> : null}
          <ul class="members" aria-label={t("friends.title")}>
            {r.friends.map((f) => (
              <FriendRow
                key={f.account.id}
                nav={nav}
                friend={f}
                change={change}
                talk={() => (talk.value = f.account)}
                close={close}
              />
            ))}
          </ul>
          <People title={t("friends.outgoing")} list={r.outgoing}>
            {(p) => (
              <Do what="withdraw" text={t("friends.withdraw")} run={() => change(() => api.unfriend(p.id))} />
            )}
          </People>
          <People title={t("friends.avoided")} list={r.avoided}>
            {(p) => (
              <Do what="unavoid" text={t("friends.remove")} run={() => change(() => api.unavoid(p.id))} />
            )}
          </People>
          <People title={t("friends.blocked")} list={r.blocked}>
            {(p) => (
              <Do what="unblock" text={t("friends.remove")} run={() => change(() => api.unblock(p.id))} />
            )}
          </People>
          <label class="check">
            <input
              type="checkbox"
              data-do="hide"
              checked={r.hidden}
              onChange={(e) => void change(() => api.hide({ hidden: e.currentTarget.checked }))}
            />{" "}
            {t("friends.hide")}
          </label>
        </>
      ) : null}
    </>
  );
}

function Do({ what, text, run }: { what: string; text: string; run: () => unknown }) {
  return (
    <button type="button" class="ghost-button" data-do={what} onClick={() => void run()}>
      {text}
    </button>
  );
}

/** A list of players with its title; nothing without players. */
function People({
  title,
  list,
  children,
}: {
  title: string;
  list: readonly Person[];
  children: (p: Person) => ComponentChildren;
}) {
  if (list.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="members" aria-label={title}>
        {list.map((p) => (
          <li key={p.id} data-person={p.name}>
            <b class="grow">{p.name}</b>
            {children(p)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function FriendRow({
  nav,
  friend: f,
  change,
  talk,
  close,
}: {
  nav: Navigation;
  friend: Friend;
  close: () => void;
  change: (work: Change) => unknown;
  talk: () => void;
}) {
  const { id, name } = f.account;
  const join = f.lobby
    ? async () => {
        if (await nav.join(f.lobby ?? "", false)) close();
      }
    : f.party
      ? () => nav.attempt(() => nav.queue.joinParty(f.party ?? ""))
      : null;
  return (
    <li data-person={name}>
      <span class="grow">
        <b>{name}</b> <span class={`chip ${CHIPS[f.presence]}`}>{t(`friends.presence.${f.presence}`)}</span>
      </span>
      {join ? (
        <Do what="join-friend" text={t(f.lobby ? "friends.join" : "friends.joinParty")} run={join} />
      ) : null}
      <button type="button" class="ghost-button" data-do="talk" onClick={talk}>
        {t("friends.message")}
        {unread(f) ? <span class="badge">{t("friends.new")}</span> : null}
      </button>
      <Do what="unfriend" text={t("friends.remove")} run={() => change(() => api.unfriend(id))} />
    </li>
  );
}

/** The messages with a friend. */
function Talk({ nav, friend, back }: { nav: Navigation; friend: Person; back: () => void }) {
  const lines = useSignal<readonly Message[]>([]);
  const written = useSignal("");
  const log = useRef<HTMLDivElement>(null);
  const newest = relations.value?.friends.find((f) => f.account.id === friend.id)?.message ?? 0;
  useEffect(() => {
    void nav.attempt(async () => {
      lines.value = (await api.messages(friend.id)).messages;
      markRead(nav, friend.id, lines.value.filter((m) => m.from === friend.id).at(-1)?.id ?? 0);
    });
  }, [nav, friend.id, newest, lines]);
  useLayoutEffect(() => {
    if (log.current && lines.value) log.current.scrollTop = log.current.scrollHeight;
  }, [lines.value]);
  return (
    <>
      <h2>{friend.name}</h2>
      <div
        class="talk"
        role="log"
        aria-label={t("friends.messagesWith", { name: friend.name })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        tabIndex={0}
        ref={log}
      >
        {lines.value.length === 0 ? <p class="dim">{t("friends.noMessages")}</p> : null}
        {lines.value.map((m) => (
          <p key={m.id}>
            {m.from === friend.id ? (
              <button
                type="button"
                class="name-button"
                data-do="report-message"
                title={t("common.report")}
                onClick={() => reportDialog(nav, { name: friend.name, account: friend.id, message: m.id })}
              >
                {friend.name}
              </button>
            ) : (
              <b>{t("common.you")}</b>
            )}{" "}
            {m.text}
          </p>
        ))}
      </div>
      <form
        class="row"
        onSubmit={(e) => {
          e.preventDefault();
          const text = written.value.trim();
          if (!text) return;
          void nav.attempt(async () => {
            const said = await api.sendMessage(friend.id, { text });
            written.value = "";
            lines.value = [...lines.value, said];
          });
        }}
      >
        <input
          type="text"
          class="grow"
          maxLength={500}
          autocomplete="off"
          placeholder={t("chat.placeholder")}
          aria-label={t("chat.placeholder")}
          value={written}
          onInput={(e) => {
            written.value = e.currentTarget.value;
          }}
        />
        <button type="submit">{t("chat.send")}</button>
      </form>
      <button type="button" data-do="back" onClick={back}>
        {t("common.back")}
      </button>
    </>
  );
}

/** The choices about another player, from a seat or a line of a lobby. */
export function personDialog(nav: Navigation, person: Person, place: Place): void {
  openDialog(person.name, "person", (close) => {
    const run = (work: Change, done: TextKey) => () =>
      nav.attempt(async () => {
        relations.value = await work();
        close();
        nav.toast(t(done, { name: person.name }));
      });
    return (
      <>
        <h2>{person.name}</h2>
        <div class="stack">
          <button
            type="button"
            class="primary"
            data-do="befriend"
            onClick={run(() => api.befriend({ name: person.name }), "friends.asked")}
          >
            {t("friends.addPerson")}
          </button>
          <button type="button" data-do="avoid" onClick={run(() => api.avoid(person.id), "friends.avoids")}>
            {t("friends.avoid")}
          </button>
          <p class="dim">{t("friends.avoidNote")}</p>
          <button type="button" data-do="block" onClick={run(() => api.block(person.id), "friends.blocks")}>
            {t("friends.block")}
          </button>
          <p class="dim">{t("friends.blockNote")}</p>
          <button
            type="button"
            data-do="report"
            onClick={() => {
              close();
              reportDialog(nav, { name: person.name, ...place });
            }}
          >
            {t("common.report")}
          </button>
        </div>
      </>
    );
  });
}
