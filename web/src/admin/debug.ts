// The minimap debug page: a live match, through anyone's eyes, and what it
// costs on the wire.

import { sentence } from "../base/errors";
import { playerColor } from "../draw/palette";
import { fill, h, text } from "../ui/dom";
import { admin, type LiveMatch, type LiveState } from "./api";
import { Field } from "./field";
import { trafficPanel } from "./traffic";
import { sides } from "./words";

const LIST_MS = 3000;

export function debugPage(
  hook: { debug?: unknown },
  first = "",
): { element: HTMLElement; close: () => void } {
  const list = h("div", { class: "match-list" });
  const view = h("div", { class: "debug-view" }, h("p", { class: "empty" }, "Choose a match on the left."));
  let chosen = "";
  let stop: (() => void) | null = null;

  const refresh = async () => {
    try {
      const { matches } = await admin.live();
      const wanted = chosen === "" && matches.find((m) => m.id === first);
      if (wanted) {
        open(wanted);
        return;
      }
      fill(
        list,
        matches.length === 0
          ? h("p", { class: "empty" }, "No match is running. Start one in the game, and it appears here.")
          : matches.map((m) =>
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
            ),
      );
    } catch (err) {
      fill(list, h("p", { class: "error" }, sentence(err)));
    }
  };

  const open = (m: LiveMatch) => {
    stop?.();
    chosen = m.id;
    stop = watch(view, m, hook);
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

function watch(view: HTMLElement, m: LiveMatch, hook: { debug?: unknown }): () => void {
  const facts = h("p", { class: "num dim" });
  const pointed = h("p", { class: "num pointed" }, "Point at something to see what it is.");
  const counts = h("p", { class: "dim num" });
  const note = h("p", { class: "error", role: "alert", hidden: true });
  const eyesRow = h("div", { class: "row wrap", role: "radiogroup", "aria-label": "Eyes" });
  const field = new Field(m, (e, tile) => {
    if (!tile) return;
    text(
      pointed,
      e
        ? `${e.type} ${e.key} of ${nameOf(m, e.slot)} at ${e.x.toFixed(2)}, ${e.y.toFixed(2)}, health ${e.hp} of ${e.hpMax}` +
            `${e.doing ? `, ${e.doing}` : ""}${e.seen ? `, seen by teams ${e.seen.map((t) => t + 1).join(", ") || "none"}` : ""}`
        : `Tile ${tile.x}, ${tile.y}`,
    );
  });
  const traffic = trafficPanel(m);
  let source: EventSource | null = null;
  let eyes = "all";
  const show = (s: LiveState) => {
    field.show(s);
    text(facts, `Tick ${s.tick} (${clock(s.tick, m.tickRate)})`);
    text(
      counts,
      Object.entries(s.counts)
        .map(([k, v]) => `${v} ${k}${v === 1 ? "" : "s"}`)
        .join(", "),
    );
  };
  const look = (next: string) => {
    eyes = next;
    source?.close();
    note.hidden = true;
    source = new EventSource(admin.liveUrl(m.id, eyes));
    source.addEventListener("state", (e) => show(JSON.parse((e as MessageEvent<string>).data) as LiveState));
    source.addEventListener("end", (e) => {
      const { reason } = JSON.parse((e as MessageEvent<string>).data) as { reason: string };
      source?.close();
      note.textContent = `The match is over: ${reason}.`;
      note.hidden = false;
    });
    source.onerror = () => {
      note.textContent = "The stream broke off; coming back…";
      note.hidden = source?.readyState === EventSource.OPEN;
      if (source?.readyState !== EventSource.CLOSED) return;
      // It does not come back by itself: ask once more for the reason.
      admin.look(m.id, eyes).then(
        () => text(note, "The stream broke off; choose the eyes again."),
        (err) => text(note, sentence(err)),
      );
    };
    drawEyes();
  };
  const teams = [...new Set(m.players.map((p) => p.team))].sort((a, b) => a - b);
  const drawEyes = () =>
    fill(
      eyesRow,
      button("all", "All eyes", null),
      teams.map((t) =>
        button(
          String(t),
          `Team ${t + 1}: ${m.players
            .filter((p) => p.team === t)
            .map((p) => p.name)
            .join(", ")}`,
          m.players.find((p) => p.team === t)?.color ?? null,
        ),
      ),
      h(
        "label",
        { class: "row" },
        h("input", {
          type: "checkbox",
          checked: field.showNames,
          onchange: (e: Event) => {
            field.showNames = (e.target as HTMLInputElement).checked;
            if (field.state) field.show(field.state);
          },
        }),
        "Names",
      ),
    );
  const button = (value: string, words: string, color: number | null) =>
    h(
      "button",
      {
        type: "button",
        role: "radio",
        "aria-checked": String(eyes === value),
        class: eyes === value ? "on" : "",
        "data-eyes": value,
        onclick: () => look(value),
      },
      color === null
        ? null
        : h("i", {
            class: "swatch",
            style: `background:${playerColor(color)};margin-right:8px`,
          }),
      words,
    );
  fill(
    view,
    h("div", { class: "panel debug-head" }, h("h2", null, m.map.name), facts, eyesRow, note),
    h(
      "div",
      { class: "debug-row" },
      field.canvas,
      h(
        "div",
        { class: "panel debug-side" },
        h("h3", null, "Under the pointer"),
        pointed,
        h("h3", null, "In all"),
        counts,
        h("p", { class: "dim" }, `Match ${m.id}`),
      ),
    ),
    traffic.element,
  );
  look("all");
  hook.debug = {
    get state() {
      return field.state;
    },
    get sight() {
      return field.sight;
    },
    canvas: field.canvas,
  };
  return () => {
    source?.close();
    traffic.close();
  };
}

function nameOf(m: LiveMatch, slot: number): string {
  return slot < 0 ? "nobody" : (m.players.find((p) => p.slot === slot)?.name ?? `slot ${slot}`);
}

function clock(tick: number, rate: number): string {
  const s = Math.floor(tick / Math.max(1, rate));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}
