// The traffic of a live match: by client, by part of the messages and by class
// of entity, over the last second, the last minute and the match.

import type { SpecLiveTraffic, SpecSpanSums, SpecSpans } from "../gen/admin";
import { type Child, fill, h, text } from "../ui/dom";
import { admin } from "./api";
import { swatch } from "./swatch";
import { sentence } from "./words";

const EVERY_MS = 1000;
const SPANS = ["second", "minute", "match"] as const;
const SPAN_WORDS = { second: "last second", minute: "last minute", match: "match" };

/** A row of a table: a name, and its traffic in each span. */
interface Row {
  name: string;
  /** A heading above the rows that share it. */
  group?: string;
  counts: Record<(typeof SPANS)[number], { bytes: number; rows: number }>;
}

/** Whose traffic: a match, and who plays there. */
interface Played {
  readonly id: string;
  readonly players: readonly { readonly slot: number; readonly name: string }[];
}

export function trafficPanel(m: Played): { element: HTMLElement; close: () => void } {
  const clients = h("tbody");
  const parts = h("tbody");
  const classes = h("tbody");
  const of = h("h3");
  const note = h("p", { class: "error", role: "alert", hidden: true });
  /** Whose parts and classes are shown: a slot, -1 for spectators, null for all. */
  let chosen: number | null = null;
  let last: SpecLiveTraffic | null = null;
  let timer = 0;
  let closed = false;

  // Rows of clients stay where they are, so that a click and the focus do.
  const rows = new Map<number | null, ClientRow>();
  const client = (slot: number | null, spans: SpecSpans) => {
    let row = rows.get(slot);
    if (!row) {
      row = clientRow(m, slot, () => {
        chosen = slot;
        if (last) show(last);
      });
      rows.set(slot, row);
      clients.append(row.element);
    }
    row.show(spans, slot === chosen);
  };

  const show = (t: SpecLiveTraffic) => {
    last = t;
    client(null, t.all);
    for (const c of t.clients) {
      // Nobody may be watching; then there is no row.
      if (!c.spectators || c.match.sent.bytes > 0) client(c.slot, c);
    }
    const spans: SpecSpans = t.clients.find((c) => c.slot === chosen) ?? t.all;
    text(
      of,
      chosen === null
        ? "What all clients were sent, and sent"
        : `What ${nameOf(m, chosen)} was sent, and sent`,
    );
    fill(parts, partRows(spans).map(tableRow));
    fill(classes, classRows(spans).map(tableRow));
  };

  const ask = async () => {
    try {
      const t = await admin.liveTraffic(m.id);
      if (closed) return;
      show(t);
      note.hidden = true;
    } catch (err) {
      note.textContent = sentence(err);
      note.hidden = false;
    }
    if (!closed) timer = window.setTimeout(() => void ask(), EVERY_MS);
  };
  void ask();

  const head = (name: string, columns: readonly string[]) =>
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("th", { scope: "col", rowSpan: 2 }, name),
        SPANS.map((s) =>
          h("th", { scope: "colgroup", colSpan: columns.length, class: "first" }, SPAN_WORDS[s]),
        ),
      ),
      h(
        "tr",
        null,
        SPANS.map(() =>
          columns.map((c, i) => h("th", { scope: "col", class: i === 0 ? "first num" : "num" }, c)),
        ),
      ),
    );
  const element = h(
    "section",
    { class: "panel traffic", "aria-label": "Traffic" },
    h("h2", null, "Traffic"),
    h("p", { class: "dim" }, "Bytes of payload. Choose a client to see its parts and classes."),
    note,
    h("table", { class: "dense" }, head("Client", ["sent", "messages", "received"]), clients),
    of,
    h(
      "div",
      { class: "traffic-row" },
      h("table", { class: "dense" }, head("Part", ["bytes", "rows"]), parts),
      h("table", { class: "dense" }, head("Class", ["bytes", "rows"]), classes),
    ),
  );
  return {
    element,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

interface ClientRow {
  element: HTMLElement;
  show: (spans: SpecSpans, chosen: boolean) => void;
}

function clientRow(m: Played, slot: number | null, choose: () => void): ClientRow {
  const button = h(
    "button",
    { type: "button", class: "link", onclick: choose },
    slot === null || slot < 0 ? null : swatch(slot),
    nameOf(m, slot),
  );
  const cells = SPANS.map(() => [num(0, "first"), num(0), num(0)]);
  const element = h(
    "tr",
    { "data-client": slot === null ? "all" : String(slot) },
    h("th", { scope: "row" }, button),
    cells,
  );
  return {
    element,
    show: (spans, chosen) => {
      element.classList.toggle("chosen", chosen);
      button.setAttribute("aria-pressed", String(chosen));
      SPANS.forEach((s, i) => {
        const { sent, received } = spans[s];
        for (const [k, n] of [sent.bytes, sent.messages, received.bytes].entries()) set(cells[i][k], n);
      });
    },
  };
}

function nameOf(m: Played, slot: number | null): string {
  if (slot === null) return "All clients";
  if (slot < 0) return "Spectators";
  return m.players.find((p) => p.slot === slot)?.name ?? `Slot ${slot}`;
}

/** Parts by group. The match's sums have all that the other spans have. */
function partRows(spans: SpecSpans): Row[] {
  const groups = new Map<string, Row[]>();
  for (const p of spans.match.parts) {
    const group = p.client ? `${p.group}, from clients` : p.group;
    const row: Row = {
      name: p.name,
      group,
      counts: inSpans(spans, (s) => s.parts.find((x) => x.name === p.name && x.client === p.client)),
    };
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups.values()].flat();
}

function classRows(spans: SpecSpans): Row[] {
  return spans.match.classes.map((c) => ({
    name: c.name,
    counts: inSpans(spans, (s) => s.classes.find((x) => x.name === c.name)),
  }));
}

function inSpans(
  spans: SpecSpans,
  find: (s: SpecSpanSums) => { bytes: number; rows: number } | undefined,
): Row["counts"] {
  const none = { bytes: 0, rows: 0 };
  return {
    second: find(spans.second) ?? none,
    minute: find(spans.minute) ?? none,
    match: find(spans.match) ?? none,
  };
}

function tableRow(r: Row, i: number, all: readonly Row[]): Child {
  const heads = r.group !== undefined && (i === 0 || all[i - 1].group !== r.group);
  return [
    heads
      ? h("tr", { class: "group" }, h("th", { scope: "rowgroup", colSpan: 1 + 2 * SPANS.length }, r.group))
      : null,
    h(
      "tr",
      { "data-name": r.name },
      h("th", { scope: "row", class: r.group === undefined ? "" : "member" }, r.name),
      SPANS.map((s) => [num(r.counts[s].bytes, "first"), num(r.counts[s].rows)]),
    ),
  ];
}

function num(n: number, more = ""): HTMLElement {
  const cell = h("td", { class: `num ${more}` });
  set(cell, n);
  return cell;
}

function set(cell: HTMLElement, n: number): void {
  cell.classList.toggle("dim", n === 0);
  text(cell, n === 0 ? "–" : n.toLocaleString("en"));
}
