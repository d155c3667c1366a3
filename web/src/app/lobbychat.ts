import { t } from "../text/text";
import { h } from "../ui/dom";

const LINES_MAX = 100;

/** The chat of a lobby: the lines that came, and a form to send one. */
export function lobbyChat(send: (text: string) => void) {
  const log = h("div", { class: "talk", role: "log", "aria-label": t("chat.title") });
  const line = h("input", {
    type: "text",
    maxLength: 300,
    placeholder: t("chat.placeholder"),
    "aria-label": t("chat.placeholder"),
  });
  const form = h(
    "form",
    {
      class: "row",
      onsubmit: (e: Event) => {
        e.preventDefault();
        const said = line.value.trim();
        if (!said) return;
        line.value = "";
        send(said);
      },
    },
    line,
    h("button", { type: "submit" }, t("chat.send")),
  );
  return {
    elements: [h("h3", null, t("chat.title")), log, form],
    /** Shows a line of a player, or an announcement of the server. */
    add(l: { name: string; text: string; announce: boolean }): void {
      log.append(
        h(
          "p",
          { class: l.announce ? "announce" : "" },
          h("b", null, l.announce ? t("common.server") : l.name),
          ` ${l.text}`,
        ),
      );
      while (log.children.length > LINES_MAX) log.firstChild?.remove();
      log.scrollTop = log.scrollHeight;
    },
  };
}
