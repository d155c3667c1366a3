// The chat of a lobby: the lines that came, and a form to send one.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../text/text";
import { personDialog } from "./friends";
import type { LobbyModel } from "./lobbymodel";

/** How far from its end, in pixels, a log may be scrolled and still follow new lines. */
const NEAR_END = 24;

export function LobbyChat({ model }: { model: LobbyModel }) {
  const lines = model.lines.value;
  const written = useSignal("");
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const el = log.current;
    if (el && follows.current) el.scrollTop = el.scrollHeight;
  }, [lines]);
  return (
    <section class="panel lobby-chat" aria-labelledby="chat-title">
      <h3 id="chat-title">{t("chat.title")}</h3>
      <div
        class="talk"
        role="log"
        aria-labelledby="chat-title"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        tabIndex={0}
        ref={log}
        onScroll={(e) => {
          const el = e.currentTarget;
          follows.current = el.scrollHeight - el.scrollTop - el.clientHeight < NEAR_END;
        }}
      >
        {lines.map((l) => (
          <p key={l.id} class={l.announce ? "announce" : undefined}>
            {l.account && l.account !== model.me ? (
              <button
                type="button"
                class="name-button"
                data-do="person"
                title={t("friends.choices", { name: l.name })}
                onClick={() =>
                  personDialog(
                    model.nav,
                    { id: l.account ?? "", name: l.name },
                    { lobby: model.lobby.peek().id, line: l.id },
                  )
                }
              >
                {l.name}
              </button>
            ) : (
              <b>{l.announce ? t("common.server") : l.name}</b>
            )}{" "}
            {l.text}
          </p>
        ))}
      </div>
      <form
        class="row"
        onSubmit={(e) => {
          e.preventDefault();
          const text = written.value.trim();
          if (!text) return;
          written.value = "";
          follows.current = true;
          model.say(text);
        }}
      >
        <input
          type="text"
          maxLength={300}
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
    </section>
  );
}
