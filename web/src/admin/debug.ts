// The debug page: the live matches, and the chosen one.

import type { LiveMatch } from "../gen/live";
import { fill, h } from "../ui/dom";
import { admin } from "./api";
import { type DebugHook, showMatch } from "./matchview";
import type { Page } from "./tables";
import { clock, sentence, sides } from "./words";

const LIST_MS = 3000;

/** `first` is the id of a match to show at once, or empty. */
export function debugPage(hook: DebugHook, first = ""): Page {
  const list = h("div", { class: "match-list" });
  const view = h("div", { class: "debug-view" }, h("p", { class: "empty" }, "Choose a match on the left."));
  let chosen = "";
  let stop: (() => void) | null = null;

  const refresh = async () => {
    try {
      const { matches } = await admin.liveMatches();
      const wanted = chosen === "" && matches.find((m) => m.id === first);
      if (wanted) open(wanted);
      else fill(list, matchRows(matches, chosen, open));
    } catch (err) {
      fill(list, h("p", { class: "error" }, sentence(err)));
    }
  };

  const open = (m: LiveMatch) => {
    stop?.();
    chosen = m.id;
    stop = showMatch(view, m, hook);
    void refresh();
  };

  const timer = setInterval(() => void refresh(), LIST_MS);
  void refresh();
  return {
    element: h(
      "div",
      { class: "debug" },
      h("aside", { class: "panel" }, h("h2", null, "Live matches"), list),
      view,
    ),
    close: () => {
      clearInterval(timer);
      stop?.();
    },
  };
}

function matchRows(matches: readonly LiveMatch[], chosen: string, open: (m: LiveMatch) => void) {
  if (matches.length === 0)
    return h("p", { class: "empty" }, "No match is running. Start one in the game, and it appears here.");
  return matches.map((m) =>
    h(
      "button",
      {
        type: "button",
        class: `match-row${m.id === chosen ? " chosen" : ""}`,
        "data-match": m.id,
        onclick: () => open(m),
      },
      h("b", null, m.map.name),
      h("span", { class: "dim" }, sides(m.players)),
      h("span", { class: "num dim" }, `${clock(m.tick, m.tickRate)}${m.paused ? ", paused" : ""}`),
    ),
  );
}
