// The selection: an entity with its reasons, a tile with its sources, or an
// order with the rule that judged it.

import { keyOf, type Selection, same } from "./link";
import type { Inspector } from "./model";
import { EntityLink, EyeLink, Mark, TickLink, TileLink } from "./parts";
import type { EntityFile, OrderRow, SeenAt, TeamWhy, TileFile } from "./shapes";
import { ago, describe, eyesName, idName, ownerName, REASONS, teamName, upper, verdict } from "./words";

export function SelectionPanel({ model }: { model: Inspector }) {
  const s = model.selection.value;
  return (
    <div class="selection">
      <Pins model={model} />
      {model.panelNotice.value && (
        <p class="error" role="alert">
          {model.panelNotice.value}
        </p>
      )}
      {s === null ? (
        <Nothing />
      ) : s.kind === "entity" ? (
        <EntityPart model={model} id={s.id} />
      ) : s.kind === "tile" ? (
        <TilePart model={model} x={s.x} y={s.y} />
      ) : (
        <OrderPart model={model} n={s.n} />
      )}
    </div>
  );
}

function Nothing() {
  return (
    <div class="hint">
      <h3>Nothing is selected</h3>
      <p>
        Click a <b>unit or structure</b> on the map: this panel says for each team why it is seen or not, and
        the map shows the line of sight.
      </p>
      <p>
        Click a <b>tile</b>: this panel says which units light it for a team, and when it was last seen.
      </p>
      <p>
        Open <b>Orders</b> to see what each player asked for, what was answered, and which rule decided.
      </p>
    </div>
  );
}

function Pins({ model }: { model: Inspector }) {
  const pins = model.pins.value;
  if (pins.length === 0) return null;
  const facts = model.facts.value!;
  const words = (p: Selection): string => {
    if (p.kind === "tile") return `tile ${p.x}, ${p.y}`;
    if (p.kind === "order") return `order ${p.n}`;
    const e = model.find(p.id);
    return e ? describe(facts, e) : `entity ${idName(p.id)} (not seen now)`;
  };
  return (
    <ul class="pins" aria-label="Pinned">
      {pins.map((p) => (
        <li key={keyOf(p)} class={same(p, model.selection.value) ? "on" : ""}>
          <button type="button" class="link" onClick={() => goTo(model, p)}>
            {words(p)}
          </button>
          <button
            type="button"
            class="link dim"
            aria-label="Take the pin away"
            onClick={() => model.togglePin(p)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

function goTo(model: Inspector, s: Selection): void {
  model.select(s);
  model.showSelected();
}

function Tools({ model, s }: { model: Inspector; s: Selection }) {
  const pinned = model.pins.value.some((p) => same(p, s));
  return (
    <span class="row end">
      <button
        type="button"
        class="ghost-button"
        title="Move the map there (C)"
        onClick={() => goTo(model, s)}
      >
        Show
      </button>
      <button
        type="button"
        class={`ghost-button ${pinned ? "on" : ""}`}
        aria-pressed={pinned}
        title="Keep it in the list above (P)"
        onClick={() => model.togglePin(s)}
      >
        {pinned ? "Pinned" : "Pin"}
      </button>
    </span>
  );
}

function EntityPart({ model, id }: { model: Inspector; id: number }) {
  const facts = model.facts.value!;
  const e = model.whereabouts.value;
  const loaded = model.entity.value;
  const file = loaded?.id === id ? loaded : null;
  return (
    <>
      <div class="selection-head">
        {e && <Mark model={model} slot={e.slot} />}
        <div class="grow">
          <h3>{e ? `${e.type} ${idName(id)}` : `Entity ${idName(id)}`}</h3>
          <p class="dim num">
            {e
              ? `${e.shape} of ${ownerName(facts, e.slot)} at ${e.x.toFixed(1)}, ${e.y.toFixed(1)}`
              : file?.gone
                ? "is gone: it is not in the match at this tick"
                : "is not in the view at this tick"}
          </p>
        </div>
        <Tools model={model} s={{ kind: "entity", id }} />
      </div>
      {e && e.hpMax > 0 && (
        <p class="health num">
          <meter aria-label="Health" min={0} max={e.hpMax} low={e.hpMax * 0.35} value={e.hp} />
          {e.hp} of {e.hpMax}
        </p>
      )}
      {file ? (
        <EntityFacts model={model} file={file} />
      ) : (
        !model.panelNotice.value && <p class="dim">Loading…</p>
      )}
    </>
  );
}

function EntityFacts({ model, file }: { model: Inspector; file: EntityFile }) {
  const groups = [...new Set(file.fields.map((f) => f.group))];
  return (
    <>
      <h4>Who sees it, and why</h4>
      <ul class="whys">
        {file.teams.map((w) => (
          <WhyCard key={w.team} model={model} w={w} tick={file.tick} />
        ))}
      </ul>
      {file.tasks.length > 0 && (
        <>
          <h4>Tasks</h4>
          <ol class="tasks">
            {file.tasks.map((t, i) => (
              <li key={i}>
                {t.kind}
                {t.x !== undefined && t.y !== undefined && (
                  <>
                    {" "}
                    to <TileLink model={model} x={Math.floor(t.x)} y={Math.floor(t.y)} />
                  </>
                )}
                {t.target !== undefined && <> on {targetOf(model, t.target)}</>}
              </li>
            ))}
          </ol>
        </>
      )}
      <p>
        <button
          type="button"
          class="link"
          onClick={() => {
            model.orders.load(model.facts.value!.first, { unit: file.id });
            model.tab.value = "orders";
          }}
        >
          All orders to this unit
        </button>
      </p>
      {groups.map((g) => (
        <details key={g} open>
          <summary>{g}</summary>
          <dl class="facts num">
            {file.fields
              .filter((f) => f.group === g)
              .map((f) => (
                <Fact key={f.name} name={f.name} value={f.value} />
              ))}
          </dl>
        </details>
      ))}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function targetOf(model: Inspector, id: number) {
  const e = model.find(id);
  return e ? <EntityLink model={model} entity={e} /> : `entity ${idName(id)}`;
}

/** One team's answer: the verdict, the reason in a sentence, who looks, and what is in the way. */
function WhyCard({ model, w, tick }: { model: Inspector; w: TeamWhy; tick: number }) {
  const facts = model.facts.value!;
  const drawn = model.whyTeam.value === w.team;
  // A team sees its own entities anyway: that is no answer.
  const eyes = w.reason === "own" || w.reason === "always" ? [] : w.eyes;
  const by = w.reason === "own" || w.reason === "always" ? undefined : w.by;
  const more = eyes.filter((x) => x.source !== by?.source);
  return (
    <li
      class={`why ${w.seen ? "seen" : w.reason === "ghost" ? "ghost" : "hidden"} ${drawn ? "drawn" : ""}`}
      data-why={w.team}
    >
      <button
        type="button"
        class="why-head"
        aria-pressed={drawn}
        title="Draw this team's reason on the map"
        onClick={() => {
          model.askedTeam.value = w.team;
        }}
      >
        <b class="verdict">{verdict(w)}</b>
        <span class="grow">{eyesName(facts, w.team)}</span>
        <span class="chip">{REASONS[w.reason] ?? w.reason}</span>
      </button>
      <p class="why-words">{upper(w.words)}</p>
      <dl class="facts">
        {by && (
          <>
            <dt>{w.seen ? "Seen by" : "Nearest eye"}</dt>
            <dd>
              <EyeLink model={model} eye={by} />{" "}
              <span class="dim num">
                {w.distance !== undefined && `${w.distance.toFixed(1)} tiles away, `}
                sees {by.radius} tiles
              </span>
            </dd>
          </>
        )}
        {w.blocked && (
          <>
            <dt>Blocked by</dt>
            <dd>
              tile <TileLink model={model} x={w.blocked.x} y={w.blocked.y} />
              {w.blocked.stands
                ? ", on which something stands in the way"
                : `, which has level ${w.blocked.level}`}
            </dd>
          </>
        )}
        {more.length > 0 && (
          <>
            <dt>Also by</dt>
            <dd class="also">
              {more.map((eye) => (
                <EyeLink key={eye.source} model={model} eye={eye} />
              ))}
            </dd>
          </>
        )}
        {w.since !== undefined && (
          <>
            <dt>Since</dt>
            <dd class="num">
              <TickLink model={model} tick={w.since} />{" "}
              <span class="dim">{ago(tick - w.since, facts.tickRate)} before</span>
            </dd>
          </>
        )}
        {w.until !== undefined && (
          <>
            <dt>Until</dt>
            <dd class="num">
              <TickLink model={model} tick={w.until} />
            </dd>
          </>
        )}
        <dt>Handle</dt>
        <dd class="num">
          {w.handle === undefined ? <span class="dim">none: the team has no handle</span> : `${w.handle}`}
        </dd>
      </dl>
    </li>
  );
}

function TilePart({ model, x, y }: { model: Inspector; x: number; y: number }) {
  const facts = model.facts.value!;
  const loaded = model.tile.value;
  const file =
    loaded && loaded.x === x && loaded.y === y && loaded.team === model.whyTeam.value ? loaded : null;
  return (
    <>
      <div class="selection-head">
        <div class="grow">
          <h3 class="num">
            Tile {x}, {y}
          </h3>
          <p class="dim">
            {file ? `${file.terrain}, level ${file.level}${file.opaque ? ", blocks sight" : ""}` : " "}
          </p>
        </div>
        <Tools model={model} s={{ kind: "tile", x, y }} />
      </div>
      <div class="choice-row" role="radiogroup" aria-label="For which team">
        {model.teams.value.map((t) => (
          // biome-ignore lint/a11y/useSemanticElements: buttons, as everywhere on these pages
          <button
            key={t}
            type="button"
            role="radio"
            aria-checked={t === model.whyTeam.value}
            class={t === model.whyTeam.value ? "on" : ""}
            data-tile-team={t}
            onClick={() => {
              model.askedTeam.value = t;
            }}
          >
            {teamName(t)}
          </button>
        ))}
      </div>
      {file ? (
        <TileFacts model={model} file={file} />
      ) : (
        !model.panelNotice.value && (
          <p class="dim">Loading what {eyesName(facts, model.whyTeam.value)} knows of it…</p>
        )
      )}
    </>
  );
}

function TileFacts({ model, file }: { model: Inspector; file: TileFile }) {
  const facts = model.facts.value!;
  const state = file.visible ? "Sees it now" : file.explored ? "Explored, not in sight" : "Never explored";
  return (
    <>
      <div class={`why ${file.visible ? "seen" : file.explored ? "ghost" : "hidden"}`} data-tile={file.team}>
        <p>
          <b class="verdict">{state}</b> {eyesName(facts, file.team)}
          {file.detected && <span class="chip">detected</span>}
        </p>
        <dl class="facts">
          <dt>Last seen</dt>
          <dd class="num">
            <SeenWords model={model} seen={file.seen} tick={file.tick} />
          </dd>
          {file.first && (
            <>
              <dt>First seen</dt>
              <dd class="num">
                <SeenWords model={model} seen={file.first} tick={file.tick} />
              </dd>
            </>
          )}
          {(file.known.level !== file.level || file.known.opaque !== file.opaque) && file.explored && (
            <>
              <dt>Remembered as</dt>
              <dd>
                level {file.known.level}
                {file.known.opaque ? ", blocks sight" : ""}
              </dd>
            </>
          )}
        </dl>
      </div>
      {file.sources.length > 0 && (
        <>
          <h4>Lit by {file.sources.length}</h4>
          <ul class="sources">
            {file.sources.map((s) => (
              <li key={s.eye.source}>
                <EyeLink model={model} eye={s.eye} />{" "}
                <span class="dim num">
                  sees {s.eye.radius} tiles{s.eye.flyer ? ", flies" : ""}
                  {s.detects ? ", detects" : ""}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {file.not.length > 0 && (
        <>
          <h4>Near, and does not light it</h4>
          <ul class="sources">
            {file.not.map((n) => (
              <li key={n.eye.source}>
                <EyeLink model={model} eye={n.eye} />{" "}
                <span class="dim num">
                  {n.reason === "range"
                    ? `${n.distance.toFixed(1)} tiles away, sees ${n.eye.radius}`
                    : n.reason === "level"
                      ? "stands too low"
                      : "line blocked"}
                </span>
                {n.blocked && (
                  <>
                    {" "}
                    by <TileLink model={model} x={n.blocked.x} y={n.blocked.y} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function SeenWords({ model, seen, tick }: { model: Inspector; seen: SeenAt | undefined; tick: number }) {
  if (!seen) return <span class="dim">not known</span>;
  if (seen.state === "now") return <>now</>;
  if (seen.state === "never") return <>never</>;
  if (seen.state === "searching" || seen.tick === undefined)
    return <span class="dim">the match's history is being read…</span>;
  return (
    <>
      <TickLink model={model} tick={seen.tick} />{" "}
      <span class="dim">{ago(tick - seen.tick, model.facts.value!.tickRate)} before</span>
    </>
  );
}

function OrderPart({ model, n }: { model: Inspector; n: number }) {
  const o = model.order.value;
  if (o?.n !== n)
    return (
      <p class="dim">
        {model.orders.loading.value
          ? "Reading the orders…"
          : `Order ${n} is not at this tick. Open Orders to find it.`}
      </p>
    );
  return <OrderCard model={model} o={o} />;
}

/** An order: who asked for what, what was answered, and the rule with what it looked at. */
export function OrderCard({ model, o }: { model: Inspector; o: OrderRow }) {
  const facts = model.facts.value!;
  const ok = o.code === "OK";
  return (
    <>
      <div class="selection-head">
        <Mark model={model} slot={o.slot} />
        <div class="grow">
          <h3>
            {o.kind ? (
              <>
                {o.kind} <span class="dim num">order {o.n}</span>
              </>
            ) : (
              <span class="num">Order {o.n}</span>
            )}
          </h3>
          <p class="dim num">
            {ownerName(facts, o.slot)}, tick {o.tick}
          </p>
        </div>
        <Tools model={model} s={{ kind: "order", n: o.n }} />
      </div>
      <div class={`why ${ok ? "seen" : "hidden"}`} data-order={o.n}>
        <p>
          <b class="verdict">{ok ? "Accepted" : "Refused"}</b>{" "}
          {!ok && <span class="chip failed">{o.code}</span>}
        </p>
        <p class="why-words">{upper(o.why)}</p>
        <p>{upper(o.rule)}</p>
        {o.values.length > 0 && (
          <details open={!ok}>
            <summary>What was looked at ({o.values.length})</summary>
            <table class="dense looked num">
              <tbody>
                {o.values.map((v, i) => (
                  <tr key={i} class={v.no ? "no" : ""}>
                    <td class="dim">{v.id === undefined ? "" : idName(v.id)}</td>
                    <td>{v.name}</td>
                    <td>
                      {v.value} {v.no && <b class="verdict">✕</b>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
        {!o.recorded && <p class="dim">The journal keeps only number and answer of this refused order.</p>}
      </div>
      <dl class="facts num">
        <dt>Judged at</dt>
        <dd>
          <TickLink model={model} tick={o.tick} />
        </dd>
        {o.acts !== undefined && o.acts !== o.tick && (
          <>
            <dt>Acts at</dt>
            <dd>
              <TickLink model={model} tick={o.acts} />
            </dd>
          </>
        )}
        <dt>Units</dt>
        <dd class="also">
          {o.units.slice(0, 12).map((id) => (
            <span key={id}>{targetOf(model, id)}</span>
          ))}
          {o.unitCount > 12 && <span class="dim">and {o.unitCount - 12} more</span>}
          {o.unitCount === 0 && <span class="dim">none</span>}
        </dd>
        {o.x !== undefined && o.y !== undefined && (
          <>
            <dt>Place</dt>
            <dd>
              <TileLink model={model} x={Math.floor(o.x)} y={Math.floor(o.y)} />
            </dd>
          </>
        )}
        {o.target !== undefined && (
          <>
            <dt>Target</dt>
            <dd>{targetOf(model, o.target)}</dd>
          </>
        )}
        {(o.type ?? o.ability) && (
          <>
            <dt>What</dt>
            <dd>{o.type ?? o.ability}</dd>
          </>
        )}
        <dt>Number of the client</dt>
        <dd>
          {o.seq}
          {o.queued ? ", queued behind others" : ""}
          {o.again ? ", sent again" : ""}
        </dd>
      </dl>
      {o.left.length > 0 && (
        <>
          <h4>Units that take no part</h4>
          <ul class="sources">
            {o.left.map((l) => (
              <li key={l.handle}>
                {l.id === undefined ? `handle ${l.handle}` : targetOf(model, l.id)}{" "}
                <span class="chip failed">{l.code}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {o.later.length > 0 && (
        <>
          <h4>Later outcome</h4>
          <ul class="sources">
            {o.later.map((l) => (
              <li key={`${l.tick} ${l.unit}`}>
                <TickLink model={model} tick={l.tick} /> {targetOf(model, l.unit)}{" "}
                <span class="chip">{l.code}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
