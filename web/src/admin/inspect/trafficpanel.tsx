// The traffic of a live match as the server's meters count it: by client, by part of the
// messages and by class of entity, over the last second, the last minute and the match.

import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { playerColor } from "../../draw/palette";
import type { SpecPart, SpecSpanSums, SpecSpans } from "../../gen/admin";
import { ErrorLine } from "../../ui/work";
import { usePoll } from "../poll";
import { sentence } from "../words";
import type { Inspector } from "./model";

const EVERY_MS = 1000;
const SPANS = ["second", "minute", "match"] as const;
const SPAN_WORDS = { second: "last second", minute: "last minute", match: "match" };

/** A row of a table: a name, and its numbers in each span. */
interface Row {
  name: string;
  /** A heading above the rows that share it. */
  group?: string;
  numbers: readonly (readonly number[])[];
}

export function TrafficPanel({ model }: { model: Inspector }) {
  const { players } = model.facts.value!;
  const { data, error } = usePoll(() => model.source.traffic!(), { everyMs: EVERY_MS });
  /** Whose parts and classes are shown: a slot, -1 for spectators, null for all. */
  const [chosen, choose] = useState<number | null>(null);
  const nameOf = (slot: number | null): string => {
    if (slot === null) return "All clients";
    if (slot < 0) return "Spectators";
    return players.find((p) => p.slot === slot)?.name ?? `Slot ${slot}`;
  };
  const clients: { slot: number | null; spans: SpecSpans }[] = data
    ? [
        { slot: null, spans: data.all },
        // Spectators have a row once a spectator has watched.
        ...data.clients
          .filter((c) => !c.spectators || c.match.sent.bytes > 0)
          .map((c) => ({ slot: c.slot, spans: c })),
      ]
    : [];
  const shown = clients.find((c) => c.slot === chosen)?.spans ?? data?.all;
  return (
    <section class="panel traffic selection" aria-label="Traffic">
      <h2>Traffic</h2>
      <p class="dim">Bytes of payload. Choose a client to see its parts and classes.</p>
      <ErrorLine text={error ? sentence(error) : ""} />
      <table class="dense">
        <Head name="Client" columns={["sent", "messages", "received"]} />
        <tbody>
          {clients.map(({ slot, spans }) => (
            <tr key={slot} class={slot === chosen ? "chosen" : ""} data-client={slot ?? "all"}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  aria-pressed={slot === chosen}
                  onClick={() => choose(slot)}
                >
                  {slot !== null && slot >= 0 && (
                    <i class="swatch" style={{ background: playerColor(slot) }} />
                  )}
                  {nameOf(slot)}
                </button>
              </th>
              <Numbers
                of={SPANS.map((s) => [spans[s].sent.bytes, spans[s].sent.messages, spans[s].received.bytes])}
              />
            </tr>
          ))}
        </tbody>
      </table>
      {shown && (
        <>
          <h3>What {chosen === null ? "all clients were" : `${nameOf(chosen)} was`} sent, and sent</h3>
          <div class="traffic-row">
            <Sums name="Part" rows={partRows(shown)} />
            <Sums name="Class" rows={classRows(shown)} />
          </div>
        </>
      )}
    </section>
  );
}

const Head = ({ name, columns }: { name: string; columns: readonly string[] }) => (
  <thead>
    <tr>
      <th scope="col" rowSpan={2}>
        {name}
      </th>
      {SPANS.map((s) => (
        <th key={s} scope="colgroup" colSpan={columns.length} class="first">
          {SPAN_WORDS[s]}
        </th>
      ))}
    </tr>
    <tr>
      {SPANS.map((s) =>
        columns.map((c, i) => (
          <th key={s + c} scope="col" class={i === 0 ? "first num" : "num"}>
            {c}
          </th>
        )),
      )}
    </tr>
  </thead>
);

const Sums = ({ name, rows }: { name: string; rows: readonly Row[] }) => (
  <table class="dense">
    <Head name={name} columns={["bytes", "rows"]} />
    <tbody>
      {rows.map((r, i) => (
        <Fragment key={`${r.group} ${r.name}`}>
          {r.group !== rows[i - 1]?.group && (
            <tr class="group">
              <th scope="rowgroup" colSpan={1 + 2 * SPANS.length}>
                {r.group}
              </th>
            </tr>
          )}
          <tr data-name={r.name}>
            <th scope="row" class={r.group && "member"}>
              {r.name}
            </th>
            <Numbers of={r.numbers} />
          </tr>
        </Fragment>
      ))}
    </tbody>
  </table>
);

const Numbers = ({ of }: { of: Row["numbers"] }) => (
  <>
    {of.map((span, k) =>
      span.map((n, i) => (
        <td key={`${SPANS[k]} ${i}`} class={`num ${i === 0 ? "first" : ""} ${n === 0 ? "dim" : ""}`}>
          {n === 0 ? "–" : n.toLocaleString("en")}
        </td>
      )),
    )}
  </>
);

/** Parts by group. The match's sums have all that the other spans have. */
function partRows(spans: SpecSpans): Row[] {
  const { parts } = spans.match;
  const groupOf = (p: SpecPart) => (p.client ? `${p.group}, from clients` : p.group);
  return [...new Set(parts.map(groupOf))].flatMap((group) =>
    parts
      .filter((p) => groupOf(p) === group)
      .map(({ name, client }) => ({
        name,
        group,
        numbers: inSpans(spans, (s) => s.parts.find((x) => x.name === name && x.client === client)),
      })),
  );
}

const classRows = (spans: SpecSpans): Row[] =>
  spans.match.classes.map(({ name }) => ({
    name,
    numbers: inSpans(spans, (s) => s.classes.find((x) => x.name === name)),
  }));

const inSpans = (
  spans: SpecSpans,
  find: (s: SpecSpanSums) => { bytes: number; rows: number } | undefined,
): Row["numbers"] =>
  SPANS.map((s) => {
    const { bytes, rows } = find(spans[s]) ?? { bytes: 0, rows: 0 };
    return [bytes, rows];
  });
