// Tables for casters: economy, army, production and events of all players at the tick
// that is shown.

import { type ReplayEvent, type SeriesName, typeOf } from "@fogkeep/client";
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { portrait } from "../render/portrait";
import { resourceName, typeName } from "../text/names";
import { t } from "../text/text";
import { ICONS } from "../ui/dom";
import { Emblem, Icon } from "../ui/icons";
import { REPLAY_ICONS } from "./icons";
import { type ReplayModel, TABLES } from "./model";
import { eventSlot, eventText } from "./words";

interface Props {
  readonly model: ReplayModel;
  colorOf(owner: number): string;
}

export function Tables({ model, colorOf }: Props) {
  const table = model.table.value;
  if (table === "none") return null;
  return (
    <section class="panel replay-table" aria-label={t("replay.tablesTitle")}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a layout of its own */}
      <div class="row" role="group" aria-label={t("replay.tables")}>
        {TABLES.filter((n) => n !== "none").map((name) => (
          <button
            key={name}
            type="button"
            class={`ghost-button${name === table ? " on" : ""}`}
            aria-pressed={name === table}
            data-table={name}
            onClick={() => model.showTable(name)}
          >
            {t(`replay.table.${name}`)}
          </button>
        ))}
        <span class="grow" />
        <button
          type="button"
          class="ghost-button"
          aria-label={t("replay.table.none")}
          title={t("replay.table.none")}
          onClick={() => {
            model.table.value = "none";
          }}
        >
          <Icon path={ICONS.cancel} />
        </button>
      </div>
      {model.runs && (table === "economy" || table === "making") ? (
        <p class="dim">{t("replay.afterMatch")}</p>
      ) : (
        <>
          {table === "economy" && <Economy model={model} colorOf={colorOf} />}
          {table === "army" && <Army model={model} colorOf={colorOf} />}
          {table === "making" && <Making model={model} colorOf={colorOf} />}
        </>
      )}
      {table === "events" && <Events model={model} colorOf={colorOf} />}
    </section>
  );
}

/** The point of the series that is shown; -1: not known yet. It changes with the point, not with the tick. */
function usePoint(model: ReplayModel): number {
  const point = useComputed(() => {
    void model.known.value;
    return model.timeline.pointAt(model.shown.value);
  });
  return point.value;
}

function Numbers(
  props: Props & { columns: readonly { title: string; of(slot: number): number | string }[] },
) {
  const { model, colorOf, columns } = props;
  const known = usePoint(model) >= 0;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("replay.column.player")}</th>
          {columns.map((c) => (
            <th key={c.title} scope="col" class="num">
              {c.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {model.info.players.map((p) => (
          <tr key={p.slot} class={p.state === "defeated" || p.state === "left" ? "gone" : ""}>
            <th scope="row">
              <Emblem color={colorOf(p.slot)} index={p.color} /> {p.name}
            </th>
            {columns.map((c) => (
              <td key={c.title} class="num">
                {known && model.timeline.knows(p.slot) ? c.of(p.slot) : t("replay.unknown")}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Economy(props: Props) {
  const { model } = props;
  const { timeline, info } = model;
  const k = usePoint(model);
  const tick = timeline.tickOf(Math.max(0, k));
  return (
    <Numbers
      {...props}
      columns={[
        ...info.rules.resources.map((name, kind) => ({
          title: resourceName(name),
          of: (slot: number) => timeline.heldAt(slot, tick)[kind] ?? 0,
        })),
        { title: t("replay.column.income"), of: (slot) => timeline.income(slot, k) },
        { title: t("replay.column.workers"), of: (slot) => timeline.of(slot).workers[k] ?? 0 },
        {
          title: t("replay.column.population"),
          of: (slot) =>
            `${timeline.of(slot).population[k] ?? 0} / ${timeline.of(slot).populationMax[k] ?? 0}`,
        },
        { title: t("replay.column.perMinute"), of: (slot) => timeline.perMinute(slot, k) },
      ]}
    />
  );
}

const ARMY = ["army", "lost", "lostValue", "killed", "killedValue"] as const;

function Army(props: Props) {
  const { timeline, info } = props.model;
  const k = usePoint(props.model);
  const assisted = info.players.some((p) => (timeline.of(p.slot).assisted[k] ?? 0) > 0);
  const column = (
    name: SeriesName & ("army" | "workers" | "lost" | "lostValue" | "killed" | "killedValue" | "assisted"),
  ) => ({
    title: t(`replay.column.${name}`),
    of: (slot: number) => timeline.of(slot)[name][k] ?? 0,
  });
  return (
    <Numbers
      {...props}
      columns={(props.model.runs
        ? (["army", "workers"] as const)
        : ([...ARMY, ...(assisted ? (["assisted"] as const) : [])] as const)
      ).map(column)}
    />
  );
}

function Making({ model, colorOf }: Props) {
  void model.made.value;
  const { info } = model;
  return (
    <ul class="replay-making">
      {info.players.map((p) => {
        const made = model.replay.production.filter((x) => x.slot === p.slot);
        return (
          <li key={p.slot}>
            <span class="replay-name">
              <Emblem color={colorOf(p.slot)} index={p.color} /> {p.name}
            </span>
            {made.length === 0 && <span class="dim">{t("replay.nothingMade")}</span>}
            {made.map((m) => {
              const type = typeOf(info.rules, m.type);
              const words = t("replay.made", {
                count: m.count,
                type: typeName(type.name),
                percent: Math.round(100 * m.progress),
              });
              return (
                <span class="replay-made" key={m.type} role="img" aria-label={words} title={words}>
                  <img src={portrait(type, colorOf(p.slot))} alt="" class="portrait" draggable={false} />
                  <i class="bar making" style={{ "--share": m.progress.toFixed(2) }} />
                  {m.count > 1 && <b class="num">{m.count}</b>}
                </span>
              );
            })}
          </li>
        );
      })}
    </ul>
  );
}

/** All events until now, and those to come, dimmed: a click goes there. */
function Events({ model, colorOf }: Props) {
  void model.known.value;
  const { events } = model.timeline;
  const at = useComputed(() => {
    const now = model.shown.value;
    let n = 0;
    for (const e of model.timeline.events) if (e.tick <= now) n++;
    return n;
  }).value;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.children[Math.max(0, at - 1)]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  if (events.length === 0) return <p class="dim">{t("replay.noEvents")}</p>;
  return (
    <ol class="replay-events" ref={list}>
      {events.map((e, k) => (
        <EventRow
          key={`${e.kind}${e.tick}${e.slot}`}
          event={e}
          ahead={k >= at}
          model={model}
          colorOf={colorOf}
        />
      ))}
    </ol>
  );
}

function EventRow({ event, ahead, model, colorOf }: Props & { event: ReplayEvent; ahead: boolean }) {
  const slot = eventSlot(model.info, event);
  return (
    <li class={ahead ? "ahead" : ""}>
      <button type="button" class="ghost-button" onClick={() => model.goTo(event)}>
        <span class="num">{model.timeOf(event.tick)}</span>
        <span class="replay-kind" style={{ color: slot >= 0 ? colorOf(slot) : undefined }}>
          <Icon path={REPLAY_ICONS[event.kind] ?? REPLAY_ICONS.contact} />
        </span>
        <Words>{eventText(model.info, event)}</Words>
      </button>
    </li>
  );
}

const Words = ({ children }: { children: ComponentChildren }) => <span class="replay-words">{children}</span>;
