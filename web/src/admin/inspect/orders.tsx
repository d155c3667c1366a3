// The log of orders: refused ones are as easy to find as accepted ones.

import { useEffect } from "preact/hooks";
import { clock } from "../words";
import type { Inspector } from "./model";
import type { OrderFilter } from "./orderlog";
import { LongList, Mark } from "./parts";
import type { OrderRow } from "./shapes";
import { indexAt } from "./timescale";
import { idName, orderName, ownerName } from "./words";

const ROW = 44;
/** The log opens at orders of so many seconds before the tick. */
const BEFORE_S = 10;

export function OrdersPanel({ model }: { model: Inspector }) {
  const { orders } = model;
  const facts = model.facts.value!;
  useEffect(() => {
    if (orders.rows.peek().length === 0 && !orders.loading.peek())
      orders.load(Math.max(facts.first, model.tick.peek() - BEFORE_S * facts.tickRate));
  }, [orders, facts, model]);
  const rows = orders.rows.value;
  const filter = orders.filter.value;
  const s = model.selection.value;
  const chosen = s?.kind === "order" ? rows.findIndex((r) => r.n === s.n) : -1;
  const set = (more: OrderFilter) => {
    const next = { ...filter, ...more };
    orders.load(
      orders.from.peek(),
      Object.fromEntries(Object.entries(next).filter(([, v]) => v !== undefined && v !== false)),
    );
  };
  return (
    <div class="panel-fill">
      <div class="order-filter">
        <select
          aria-label="Player"
          name="slot"
          value={filter.slot ?? ""}
          onChange={(e) =>
            set({ slot: e.currentTarget.value === "" ? undefined : Number(e.currentTarget.value) })
          }
        >
          <option value="">All players</option>
          {facts.players.map((p) => (
            <option key={p.slot} value={p.slot}>
              {p.name}
            </option>
          ))}
        </select>
        <select
          aria-label="Kind of order"
          name="kind"
          value={filter.kind ?? ""}
          onChange={(e) => set({ kind: e.currentTarget.value || undefined })}
        >
          <option value="">All kinds</option>
          {facts.kinds.map((k) => (
            <option key={k}>{k}</option>
          ))}
        </select>
        <select
          aria-label="Answer"
          name="code"
          value={filter.refused ? "refused" : (filter.code ?? "")}
          onChange={(e) => {
            const v = e.currentTarget.value;
            set({ refused: v === "refused", code: v === "refused" || v === "" ? undefined : v });
          }}
        >
          <option value="">All answers</option>
          <option value="refused">Refused</option>
          {facts.codes.map((c) => (
            <option key={c.code} value={c.name} title={c.why}>
              {c.name === "OK" ? "Accepted" : c.name}
            </option>
          ))}
        </select>
        {filter.unit !== undefined && (
          <button
            type="button"
            class="chip"
            title="Show orders to all units"
            onClick={() => set({ unit: undefined })}
          >
            unit {idName(filter.unit)} ✕
          </button>
        )}
      </div>
      <div class="row order-where num">
        <span class="dim grow">
          {rows.length}
          {orders.more.value ? "+" : ""} from tick {orders.from.value}
        </span>
        <button type="button" class="ghost-button" onClick={() => orders.load(facts.first)}>
          From the start
        </button>
        <button
          type="button"
          class="ghost-button"
          data-do="orders-here"
          onClick={() => orders.load(model.tick.peek())}
        >
          From this tick
        </button>
      </div>
      {orders.error.value && (
        <p class="error" role="alert">
          {orders.error.value}
        </p>
      )}
      {rows.length === 0 && !orders.loading.value ? (
        <p class="empty">{orders.error.value ? "" : "No order fits the filter from this tick on."}</p>
      ) : (
        <LongList
          label="Orders"
          rows={rows}
          height={ROW}
          current={chosen >= 0 ? chosen : indexAt(rows, model.tick.value)}
          end={() => orders.readMore()}
          row={(o) => <OrderLine key={o.n} model={model} o={o} chosen={s?.kind === "order" && s.n === o.n} />}
        />
      )}
    </div>
  );
}

function OrderLine({ model, o, chosen }: { model: Inspector; o: OrderRow; chosen: boolean }) {
  const facts = model.facts.value!;
  const ok = o.code === "OK";
  const what = o.type ?? o.ability ?? o.targetType;
  const where = o.x !== undefined && o.y !== undefined ? `${o.x.toFixed(0)}, ${o.y.toFixed(0)}` : "";
  return (
    <li style={{ height: `${ROW}px` }}>
      <button
        type="button"
        class={`order-line num ${ok ? "" : "refused"} ${chosen ? "chosen" : ""} ${o.tick === model.tick.value ? "now" : ""}`}
        aria-current={chosen ? "true" : undefined}
        data-order-row={o.n}
        onClick={() => model.goToOrder(o)}
      >
        <span class="dim">
          {clock(o.tick, facts.tickRate)}
          <small>{o.tick}</small>
        </span>
        <Mark model={model} slot={o.slot} />
        <span class="order-what">
          <b>{orderName(o)}</b> {what} <span class="dim">{where}</span>
          <small>
            {ownerName(facts, o.slot)}, {o.unitCount} {o.unitCount === 1 ? "unit" : "units"}
          </small>
        </span>
        <span class={`chip ${ok ? "" : "failed"}`} title={o.why}>
          {ok ? "accepted" : o.code}
        </span>
      </button>
    </li>
  );
}
