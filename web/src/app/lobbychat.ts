import { h } from "../ui/dom";

const LINES_MAX = 100;

/** The chat of a lobby: the lines that came, and a form to send one. */
export function lobbyChat(send: (text: string) => void) {
  const log = h("div", { class: "talk", role: "log", "aria-label": "Chat" });
  const line = h("input", {
    type: "text",
    maxLength: 300,
    placeholder: "Say something",
    "aria-label": "Say something",
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
    h("button", { type: "submit" }, "Send"),
  );
  return {
    elements: [h("h3", null, "Chat"), log, form],
    /** Shows a line of a player, or an announcement of the server. */
    add(l: { name: string; text: string; announce: boolean }): void {
      log.append(
        h(
          "p",
          { class: l.announce ? "announce" : "" },
          h("b", null, l.announce ? "Server" : l.name),
          ` ${l.text}`,
        ),
      );
      while (log.children.length > LINES_MAX) log.firstChild?.remove();
      log.scrollTop = log.scrollHeight;
    },
  };
}
