// The panel of figures: drawing, connection and clock, and the connection's
// traffic by part.

import type { Count, Span, Traffic } from "@fogkeep/client";
import { t } from "../text/text";
import { fill, h, text } from "../ui/dom";

const PERIOD_MS = 500;
const SPANS: readonly Span[] = ["second", "minute", "match"];
const SORTS = ["part", "group", "class"] as const;

export class Figures {
  readonly element = h("section", { class: "panel figures", hidden: true, "aria-label": t("figures.title") });
  private readonly lines = h("pre", null);
  private readonly choices = h("div", { class: "row" });
  private readonly table = h("table", { class: "traffic" });
  private span: Span = "second";
  private sort: (typeof SORTS)[number] = "group";
  private atMs = 0;

  constructor(
    private readonly traffic: Traffic,
    /** The lines above the table. */
    private readonly say: () => string,
  ) {
    this.element.append(this.lines, this.choices, this.table);
    this.drawChoices();
  }

  get shown(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    this.element.hidden = this.shown;
    this.atMs = 0;
  }

  update(nowMs: number): void {
    if (!this.shown || nowMs - this.atMs < PERIOD_MS) return;
    this.atMs = nowMs;
    text(this.lines, this.say());
    this.drawTable();
  }

  private drawChoices(): void {
    const button = (words: string, on: boolean, choose: () => void) =>
      h(
        "button",
        {
          type: "button",
          class: on ? "on" : "",
          "aria-pressed": String(on),
          onclick: () => {
            choose();
            this.drawChoices();
            this.drawTable();
          },
        },
        words,
      );
    fill(
      this.choices,
      SPANS.map((span) =>
        button(t(`figures.${span}`), span === this.span, () => {
          this.span = span;
        }),
      ),
      h("span", { class: "grow" }),
      SORTS.map((sort) =>
        button(t(`figures.${sort}`), sort === this.sort, () => {
          this.sort = sort;
        }),
      ),
    );
  }

  private drawTable(): void {
    const { received, sent } = this.traffic;
    const ins = received.by(this.sort, this.span);
    const outs = sent.by(this.sort, this.span);
    const names = [...new Set([...ins.keys(), ...outs.keys()])].sort(
      (a, b) => bytes(ins.get(b)) + bytes(outs.get(b)) - bytes(ins.get(a)) - bytes(outs.get(a)),
    );
    const head = ["", t("figures.received"), t("figures.rows"), t("figures.sent"), t("figures.rows")];
    const all = { in: received.total(this.span), out: sent.total(this.span) };
    fill(
      this.table,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          head.map((c) => h("th", { scope: "col" }, c)),
        ),
      ),
      h(
        "tbody",
        null,
        names.map((name) => row(name.replace("_", " "), ins.get(name), outs.get(name))),
        row(
          t("figures.all"),
          { bytes: all.in.bytes, rows: all.in.messages },
          { bytes: all.out.bytes, rows: all.out.messages },
        ),
      ),
    );
  }
}

function row(name: string, received: Count | undefined, sent: Count | undefined): HTMLElement {
  const cell = (n: number | undefined) => h("td", { class: "num" }, n ? n.toLocaleString("en") : "");
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, name),
    cell(received?.bytes),
    cell(received?.rows),
    cell(sent?.bytes),
    cell(sent?.rows),
  );
}

function bytes(c: Count | undefined): number {
  return c?.bytes ?? 0;
}
