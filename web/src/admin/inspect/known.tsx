// The knowledge that a team may have beside the content that its clients were sent: the difference of the
// two, contacts by age, and where the bytes go.

import { ALL } from "./link";
import { LACKS } from "./marks";
import type { Inspector } from "./model";
import { EntityLink, Mark } from "./parts";
import type { BytesOf, ClientKnown, ClientRow, Contact, Known } from "./shapes";
import { ago, bytes, eyesName, idName, ownerName } from "./words";

/** The most rows that are shown of a list. */
const CONTACTS = 200;
const ROWS = 50;

const WHAT: Record<ClientRow["what"], string> = {
  enter: "that it came into sight",
  change: "a change",
  gone: "that it left",
};

export function KnownPanel({ model }: { model: Inspector }) {
  const facts = model.facts.value!;
  const team = model.knownTeam.value;
  const loaded = model.known.value;
  const known = loaded && loaded.team === team ? loaded : null;
  return (
    <div class="selection known">
      <div class="choice-row" role="radiogroup" aria-label="Whose knowledge">
        {model.teams.value.map((t) => (
          // biome-ignore lint/a11y/useSemanticElements: buttons, as everywhere on these pages
          <button
            key={t}
            type="button"
            role="radio"
            aria-checked={t === team}
            class={t === team ? "on" : ""}
            data-known-team={t}
            onClick={() => {
              model.eyes.value = t;
            }}
          >
            {eyesName(facts, t)}
          </button>
        ))}
      </div>
      {model.eyes.value === ALL && (
        <p class="dim">The map has all eyes. Choose a team to see what it sees.</p>
      )}
      {model.panelNotice.value && (
        <p class="error" role="alert">
          {model.panelNotice.value}
        </p>
      )}
      {known ? (
        <KnownFacts model={model} known={known} />
      ) : (
        !model.panelNotice.value && <p class="dim">Loading…</p>
      )}
    </div>
  );
}

function KnownFacts({ model, known }: { model: Inspector; known: Known }) {
  const facts = model.facts.value!;
  const old = [...known.contacts].sort((a, b) => b.age - a.age);
  const sent = model.bytes.value?.team === known.team ? model.bytes.value : null;
  return (
    <>
      <h4>Its clients' data about the entity</h4>
      <p class="dim note lacks-legend">
        On the map: <i style={{ borderColor: LACKS.enter }} /> not sent that it came into sight,{" "}
        <i style={{ borderColor: LACKS.change }} /> a change not sent,{" "}
        <i style={{ borderColor: LACKS.gone }} /> not sent that it left,{" "}
        <i style={{ borderColor: LACKS.behind }} /> sent, and not applied by the player's client yet.
      </p>
      {known.clients.map((c) => (
        <Client key={c.slot} model={model} c={c} />
      ))}
      {known.notRecorded && <p class="dim note">{`Not recorded: ${known.notRecorded}.`}</p>}
      <h4>What it may know</h4>
      <dl class="facts num">
        {Object.entries(known.entities).map(([shape, n]) => (
          <Pair key={shape} name={shape} value={String(n)} />
        ))}
      </dl>
      <h4>Contacts by age</h4>
      {old.length === 0 && <p class="dim">It knows no entities of other players.</p>}
      <ul class="contacts num">
        {old.slice(0, CONTACTS).map((c) => (
          <ContactLine key={`${c.id} ${c.ghost}`} model={model} c={c} rate={facts.tickRate} />
        ))}
      </ul>
      {old.length > CONTACTS && <p class="dim">and {old.length - CONTACTS} more</p>}
      {known.radar.length > 0 && <h4>Contacts of its radar</h4>}
      <ul class="contacts num">
        {known.radar.slice(0, CONTACTS).map((c) => (
          <li key={`${c.class} ${c.x} ${c.y}`}>
            <span>
              {c.class}{" "}
              <span class="dim">
                around {c.x}, {c.y}
              </span>
            </span>
            <span class="dim">{c.age === 0 ? "now" : `${ago(c.age, facts.tickRate)} ago`}</span>
          </li>
        ))}
      </ul>
      {known.radar.length > CONTACTS && <p class="dim">and {known.radar.length - CONTACTS} more</p>}
      {sent && (
        <>
          <h4 class="num">
            Bytes of ticks {sent.from} to {sent.to}: {bytes(sent.total)}
          </h4>
          <p class="dim note">
            Size of the frames for a client of this team that takes one each tick, without private data of
            single players.
          </p>
          <Bars rows={sent.classes} />
          <details>
            <summary>By part of the message</summary>
            <Bars rows={sent.parts} />
          </details>
          <details>
            <summary>Entities with the most</summary>
            <ul class="contacts num">
              {sent.entities.map((e) => (
                <li key={e.id}>
                  <Named model={model} id={e.id} />
                  <span>
                    {bytes(e.bytes)} <span class="dim">in {e.rows} rows</span>
                  </span>
                </li>
              ))}
            </ul>
          </details>
          <p>
            <button
              type="button"
              class="ghost-button"
              data-do="heat"
              onClick={() => model.chooseMode("heat")}
            >
              Show bytes by tile on the map
            </button>
          </p>
        </>
      )}
    </>
  );
}

/** An entity by its id, to click. */
function Named({ model, id }: { model: Inspector; id: number }) {
  const e = model.find(id);
  if (e) return <EntityLink model={model} entity={e} />;
  return (
    <button type="button" class="link" onClick={() => model.select({ kind: "entity", id })}>
      {idName(id)}
    </button>
  );
}

function Pair({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** A client's account of its last minute. */
function account(r: NonNullable<ClientKnown["report"]>): string {
  const of = (n: number, all: number) => `${n} of ${all}`;
  return [
    `${r.seconds} s to tick ${r.tick}`,
    `${of(r.late, r.frames)} frames late`,
    `${r.gaps} gaps, the longest time without a frame ${r.longestMs} ms`,
    r.tripMs > 0 ? `answers after ${r.tripMs} ms` : "no order was answered",
    `${r.corrections} corrections`,
    `${of(r.slow, r.drawn)} pictures slow`,
  ].join(", ");
}

/** A client's frames beside its team's knowledge: numbers of its link, then each difference. */
function Client({ model, c }: { model: Inspector; c: ClientKnown }) {
  const facts = model.facts.value!;
  const behind = c.behind ? c.behind.entered.length + c.behind.changed.length + c.behind.left.length : 0;
  const known = c.source !== "none";
  const current = known && c.pending === 0;
  const verdict = !known
    ? "Not known"
    : current
      ? "Has all data"
      : `Held back: ${c.pending} ${c.pending === 1 ? "entity" : "entities"}`;
  const since = (t: number) => `tick ${t}, ${c.at - t} before`;
  return (
    <div class={`why ${current ? "seen" : known ? "hidden" : ""}`} data-known-client={c.slot}>
      <p>
        <Mark model={model} slot={c.slot} /> <b>{ownerName(facts, c.slot)}</b>{" "}
        <b class="verdict">{verdict}</b>
      </p>
      {!known && (
        <p class="dim">Nothing is known of this client at this tick: a bot, or it had no connection.</p>
      )}
      {known && (
        <dl class="facts num">
          {c.base !== undefined && <Pair name="It holds" value={since(c.base)} />}
          <Pair name="Last frame sent" value={c.sent > 0 ? since(c.sent) : "none"} />
          <Pair
            name="Last frame applied"
            value={c.acked > 0 ? `${since(c.acked)} (${c.lateMs} ms)` : "none"}
          />
          <Pair name="On their way" value={`${c.inFlight} frames`} />
          <Pair
            name="Bytes per second"
            value={`${c.limit > 0 ? `the link takes ${bytes(c.limit)}` : "the link was not measured"}, ${c.budget > 0 ? `it may have ${bytes(c.budget)}` : "no limit"}`}
          />
          {c.report && <Pair name="Its own account" value={account(c.report)} />}
          {c.heldSince !== undefined && c.heldSince > 0 && (
            <Pair name="Frames held since" value={since(c.heldSince)} />
          )}
          <Pair name={c.source === "notes" ? "Noted at" : "Asked at"} value={`tick ${c.at}`} />
        </dl>
      )}
      {c.rows.length > 0 && (
        <table class="dense behind num">
          <thead>
            <tr>
              <th>Entity</th>
              <th>Not sent</th>
              <th>Ticks behind</th>
            </tr>
          </thead>
          <tbody>
            {c.rows.slice(0, ROWS).map((r) => (
              <tr key={`${r.handle} ${r.what}`}>
                <td>{r.id === undefined ? `handle ${r.handle}` : <Named model={model} id={r.id} />}</td>
                <td>{WHAT[r.what]}</td>
                <td>{r.behind}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {c.behind && behind > 0 && (
        <details>
          <summary>
            The player did not see yet: {behind} since tick {c.behind.from}
          </summary>
          <dl class="facts num">
            {(["entered", "changed", "left"] as const).map((what) => (
              <Pair key={what} name={what} value={`${c.behind![what].length}`} />
            ))}
          </dl>
          <p class="also">
            {[...c.behind.entered, ...c.behind.left].slice(0, ROWS).map((id) => (
              <Named key={id} model={model} id={id} />
            ))}
          </p>
        </details>
      )}
    </div>
  );
}

function ContactLine({ model, c, rate }: { model: Inspector; c: Contact; rate: number }) {
  const facts = model.facts.value!;
  return (
    <li>
      <button
        type="button"
        class="link"
        onClick={() => {
          model.select({ kind: "entity", id: c.id });
          model.map?.reveal(c);
        }}
      >
        <Mark model={model} slot={c.slot} /> {c.type} {idName(c.id)}
        <span class="dim"> of {ownerName(facts, c.slot)}</span>
      </button>
      <span class={c.age === 0 ? "good" : "dim"}>{c.age === 0 ? "now" : `${ago(c.age, rate)} ago`}</span>
    </li>
  );
}

export function Bars({ rows }: { rows: readonly BytesOf[] }) {
  const sorted = [...rows].sort((a, b) => b.bytes - a.bytes);
  const most = Math.max(1, sorted[0]?.bytes ?? 0);
  if (sorted.length === 0) return <p class="dim">Nothing was sent.</p>;
  return (
    <ul class="bars num">
      {sorted.map((r) => (
        <li key={r.name}>
          <span>{r.name}</span>
          <i style={{ width: `${Math.max(1, (100 * r.bytes) / most)}%` }} />
          <span>
            {bytes(r.bytes)} <span class="dim">in {r.rows} rows</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
