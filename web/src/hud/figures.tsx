// The panel of figures: drawing, connection and clock, and the connection's
// traffic by part.

import type { Count, Span, Traffic } from "@fogkeep/client";
import { type ReadonlySignal, signal } from "@preact/signals";
import { render } from "preact";
import { t } from "../text/text";
import { h } from "../ui/dom";

const PERIOD_MS = 500;
const SPANS: readonly Span[] = ["second", "minute", "match"];
const SORTS = ["part", "group", "class"] as const;
type Sort = (typeof SORTS)[number];

export class Figures {
  readonly element = h("section", { class: "panel figures", hidden: true, "aria-label": t("figures.title") });
  private readonly lines = signal("");
  /** Counts up with each reading of the traffic. */
  private readonly readings = signal(0);
  private atMs = 0;

  constructor(
    traffic: Traffic,
    /** The lines above the table. */
    private readonly say: () => string,
  ) {
    render(<Panel lines={this.lines} readings={this.readings} traffic={traffic} />, this.element);
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
    this.lines.value = this.say();
    this.readings.value++;
  }

  dispose(): void {
    render(null, this.element);
  }
}

interface PanelProps {
  lines: ReadonlySignal<string>;
  readings: ReadonlySignal<number>;
  traffic: Traffic;
}

const span = signal<Span>("second");
const sort = signal<Sort>("group");

function Panel({ lines, readings, traffic }: PanelProps) {
  return (
    <>
      <pre>{lines}</pre>
      <div class="row">
        {SPANS.map((s) => (
          <button
            key={s}
            type="button"
            class={s === span.value ? "on" : ""}
            aria-pressed={s === span.value}
            onClick={() => {
              span.value = s;
            }}
          >
            {t(`figures.${s}`)}
          </button>
        ))}
        <span class="grow" />
        {SORTS.map((s) => (
          <button
            key={s}
            type="button"
            class={s === sort.value ? "on" : ""}
            aria-pressed={s === sort.value}
            onClick={() => {
              sort.value = s;
            }}
          >
            {t(`figures.${s}`)}
          </button>
        ))}
      </div>
      <Table readings={readings} traffic={traffic} />
    </>
  );
}

function Table({ readings, traffic: { received, sent } }: Omit<PanelProps, "lines">) {
  void readings.value; // drawn anew with each reading
  const ins = received.by(sort.value, span.value);
  const outs = sent.by(sort.value, span.value);
  const names = [...new Set([...ins.keys(), ...outs.keys()])].sort(
    (a, b) => bytes(ins.get(b)) + bytes(outs.get(b)) - bytes(ins.get(a)) - bytes(outs.get(a)),
  );
  const head = ["", t("figures.received"), t("figures.rows"), t("figures.sent"), t("figures.rows")];
  const all = { in: received.total(span.value), out: sent.total(span.value) };
  return (
    <table class="traffic">
      <thead>
        <tr>
          {head.map((c, k) => (
            <th key={k} scope="col">
              {c}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <Row key={name} name={name.replace("_", " ")} received={ins.get(name)} sent={outs.get(name)} />
        ))}
        <Row
          name={t("figures.all")}
          received={{ bytes: all.in.bytes, rows: all.in.messages }}
          sent={{ bytes: all.out.bytes, rows: all.out.messages }}
        />
      </tbody>
    </table>
  );
}

function Row({ name, received, sent }: { name: string; received?: Count; sent?: Count }) {
  const cell = (n: number | undefined) => <td class="num">{n ? n.toLocaleString("en") : ""}</td>;
  return (
    <tr>
      <th scope="row">{name}</th>
      {cell(received?.bytes)}
      {cell(received?.rows)}
      {cell(sent?.bytes)}
      {cell(sent?.rows)}
    </tr>
  );
}

function bytes(c: Count | undefined): number {
  return c?.bytes ?? 0;
}
