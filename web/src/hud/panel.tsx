// The panel of the selected entities: one with its numbers and its queue, or many
// with their bars, by type; and the control groups.

import {
  FLAG,
  type Handle,
  hasState,
  type MatchState,
  type TypeId,
  type TypeInfo,
  typeOf,
} from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { cssColor, DISPLAY_ICONS, displayOf, levelOf } from "../draw/displays";
import type { Selection } from "../input/selection";
import { portrait } from "../render/portrait";
import { typeName, valueName } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import { Icon } from "../ui/icons";
import { longPress } from "./press";
import { setPlain } from "./signals";

export interface PanelHandlers {
  pick(handles: Handle[]): void;
  /** Makes a type the one whose commands the card shows. */
  focusType(type: TypeId): void;
  /** Takes one out of a structure's queue. */
  unqueue(structure: Handle, place: number): void;
  /** Lets a passenger out of a transport, by its place in the list. */
  letOut(transport: Handle, place: number): void;
  /** Selects a control group; the second time in a row it goes there. */
  group(n: number): void;
  assignGroup(n: number): void;
}

/** So many portraits are shown. */
const MANY = 40;
/** Bars move in so many steps: less is not seen, and not drawn. */
const STEPS = 50;
const GROUP_KEYS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];

/** A portrait of one of many, in its owner's colour. Shares are 0 to 1; or -1. */
interface Wire {
  readonly handle: Handle;
  readonly type: TypeId;
  readonly color: string;
  readonly health: number;
  readonly shield: number;
  readonly energy: number;
}

interface Tab {
  readonly type: TypeId;
  readonly color: string;
  readonly count: number;
  readonly active: boolean;
}

interface Single {
  readonly handle: Handle;
  readonly type: TypeId;
  readonly owner: number;
  readonly color: string;
  readonly building: boolean;
  readonly queue: readonly TypeId[];
  readonly passengers: readonly TypeId[];
}

/** The numbers of one entity: they change more often than the rest. */
interface Numbers {
  readonly health: number;
  readonly shield: number;
  readonly energy: number;
  /** Of the queue, the construction or the capture. */
  readonly progress: number;
  readonly label: string;
  readonly rows: readonly Row[];
}

/** An attribute that the ruleset shows in a row of its own. */
interface Row {
  readonly of: string;
  readonly icon: string;
  readonly color: string;
  readonly text: string;
}

interface Group {
  readonly n: number;
  readonly count: number;
}

/** The panel's content, each part with its own signal. */
interface Shown {
  readonly tabs: Signal<readonly Tab[]>;
  /** Which entities, for the list of portraits. */
  readonly wires: readonly Signal<Wire | null>[];
  readonly count: Signal<number>;
  readonly single: Signal<Single | null>;
  readonly numbers: Signal<Numbers>;
  readonly groups: Signal<readonly Group[]>;
  /** The group that the selected would be the first of; null without own entities in the selection. */
  readonly freeGroup: Signal<number | null>;
}

export class SelectionPanel {
  /** Of the control groups, a row of its own. */
  readonly groups = h("div", { class: "groups", role: "group", "aria-label": t("selection.groups") });
  readonly element = h("div", {
    class: "panel selection",
    role: "group",
    "aria-label": t("selection.title"),
  });
  private readonly shown: Shown = {
    tabs: signal<readonly Tab[]>([]),
    wires: Array.from({ length: MANY }, () => signal<Wire | null>(null)),
    count: signal(0),
    single: signal<Single | null>(null),
    numbers: signal<Numbers>({ health: 1, shield: -1, energy: -1, progress: -1, label: "", rows: [] }),
    groups: signal<readonly Group[]>([]),
    freeGroup: signal<number | null>(null),
  };

  constructor(
    private readonly state: MatchState,
    private readonly selection: Selection,
    readonly colorOf: (owner: number) => string,
    readonly handlers: PanelHandlers,
  ) {
    render(<Groups shown={this.shown} handlers={handlers} />, this.groups);
    render(<Body panel={this} shown={this.shown} spectator={state.info.spectator} />, this.element);
  }

  dispose(): void {
    render(null, this.groups);
    render(null, this.element);
  }

  update(): void {
    const { shown } = this;
    const { world } = this.state;
    const all = this.selection.sorted().filter((x) => world.has(x));
    this.element.classList.toggle("nothing", all.length === 0);
    shown.count.value = all.length;
    const active = this.selection.active()?.type;
    const types = this.selection.types();
    setPlain(
      shown.tabs,
      types.length < 2
        ? []
        : types.map(({ type, handles }) => ({
            type,
            color: this.colorOf(this.state.info.slot),
            count: handles.length,
            active: type === active,
          })),
    );
    shown.wires.forEach((wire, k) => {
      setPlain(wire, all.length > 1 && k < all.length ? this.wireOf(all[k]) : null);
    });
    setPlain(shown.single, all.length === 1 ? this.singleOf(all[0]) : null);
    if (all.length === 1) setPlain(shown.numbers, this.numbersOf(all[0]));
    const { groups } = this.selection;
    setPlain(
      shown.groups,
      GROUP_KEYS.filter((n) => groups[n].size > 0).map((n) => ({ n, count: groups[n].size })),
    );
    shown.freeGroup.value = types.length > 0 ? (GROUP_KEYS.find((n) => groups[n].size === 0) ?? null) : null;
  }

  typeInfo(type: TypeId): TypeInfo {
    return typeOf(this.state.info.rules, type);
  }

  picture(type: TypeId, color: string, px?: number): string {
    return portrait(this.typeInfo(type), color, px);
  }

  ownerName(owner: number): string {
    return this.state.info.players[owner]?.name ?? t("selection.noOwner");
  }

  /** Selects one of many alone, or with it all of its type. */
  pick(wire: Wire, all: boolean): void {
    const { world } = this.state;
    this.handlers.pick(
      all ? this.selection.sorted().filter((x) => world.type[world.slot(x)] === wire.type) : [wire.handle],
    );
  }

  pickType(type: TypeId): void {
    const of = this.selection.types().find((x) => x.type === type);
    if (of) this.handlers.pick(of.handles);
  }

  facts(type: TypeInfo): string {
    const { rules, tickMs } = this.state.info;
    const facts: string[] = [];
    const w = rules.weapons[type.weapons[0] ?? -1];
    if (w)
      facts.push(
        t("selection.damage", { value: w.damage }),
        t("selection.range", { value: (w.range / 1024).toFixed(1) }),
      );
    if (type.speed > 0)
      facts.push(t("selection.speed", { value: ((type.speed / 64 / 1024) * (1000 / tickMs)).toFixed(1) }));
    facts.push(t("selection.sight", { value: type.sight / 2 }));
    return facts.join("  ·  ");
  }

  private wireOf(handle: Handle): Wire {
    const { world } = this.state;
    const s = world.slot(handle);
    const type = this.typeInfo(world.type[s]);
    return { handle, type: type.id, color: this.colorOf(world.owner[s]), ...this.shares(handle, s, type) };
  }

  private shares(handle: Handle, s: number, type: TypeInfo) {
    const { world, own } = this.state;
    const mine = this.state.relation(s) === "own";
    return {
      health: step(world.hp(s) / Math.max(1, world.hpMax[s])),
      shield: world.shieldMax[s] > 0 ? step(world.left(s, "shield") / world.shieldMax[s]) : -1,
      energy: type.energy > 0 && mine ? step((own.units.get(handle)?.energy ?? 0) / type.energy) : -1,
    };
  }

  private singleOf(handle: Handle): Single {
    const { world, own } = this.state;
    const s = world.slot(handle);
    return {
      handle,
      type: world.type[s],
      owner: world.owner[s],
      color: this.colorOf(world.owner[s]),
      building: (world.flags[s] & FLAG.building) !== 0,
      queue: own.production.get(handle)?.types ?? [],
      passengers: (own.units.get(handle)?.passengers ?? []).map((p) => p.type),
    };
  }

  private numbersOf(handle: Handle): Numbers {
    const { world, own } = this.state;
    const s = world.slot(handle);
    const type = this.typeInfo(world.type[s]);
    const building = (world.flags[s] & FLAG.building) !== 0;
    const queue = own.production.get(handle);
    const progress = building ? world.amount[s] / 255 : queue && queue.types.length > 0 ? queue.progress : -1;
    const label = this.label(handle, s, type);
    return { ...this.shares(handle, s, type), progress: step(progress), label, rows: this.rows(s) };
  }

  /** The attributes that the ruleset shows with an icon, as far as the client may know them. */
  private rows(s: number): Row[] {
    return this.state.info.rules.displays.flatMap(({ of, icon, color }) => {
      const level = icon ? levelOf(this.state, s, of) : undefined;
      if (!level) return [];
      const text = `${valueName(of)} ${level.now} / ${level.most}`;
      return [{ of, icon: DISPLAY_ICONS[icon] ?? "", color: color ? cssColor(color) : "", text }];
    });
  }

  /** Health, shield and the like in figures. */
  private label(handle: Handle, s: number, type: TypeInfo): string {
    const { world, own, info } = this.state;
    if (type.class === "resource") return t("selection.left", { count: world.amount[s] });
    const energy = own.units.get(handle)?.energy;
    const usual = (of: string) => !displayOf(info.rules, of);
    const parts = usual("health") ? [`${world.hp(s)} / ${world.hpMax[s]}`] : [];
    if (type.shield > 0 && usual("shield"))
      parts.push(t("selection.shield", { left: world.left(s, "shield"), max: type.shield }));
    const spends = type.abilities.some((a) => (info.rules.abilities[a]?.energy ?? 0) > 0);
    if (spends && energy !== undefined && usual("energy"))
      parts.push(t("selection.energy", { count: energy }));
    for (const v of this.state.values.of(handle))
      if (usual(v.info.name)) parts.push(`${valueName(v.info.name)} ${v.now}`);
    const built = type.class === "structure" && !(world.flags[s] & FLAG.building);
    if (built && world.amount[s] > 0 && !hasState(type))
      parts.push(t("selection.captured", { percent: Math.round((100 * world.amount[s]) / 255) }));
    return parts.join(" · ");
  }
}

/** In steps, -1 as it is. */
const step = (share: number): number => (share < 0 ? -1 : Math.round(share * STEPS) / STEPS);

function Body({ panel, shown, spectator }: { panel: SelectionPanel; shown: Shown; spectator: boolean }) {
  const n = shown.count.value;
  if (n === 0) {
    return (
      <div class="selection-body">
        <p class="hint">{t(spectator ? "selection.hintSpectator" : "selection.hint")}</p>
      </div>
    );
  }
  if (n === 1) {
    return (
      <div class="selection-body">
        <SingleView panel={panel} shown={shown} />
      </div>
    );
  }
  return (
    <div class="selection-body">
      <Tabs panel={panel} tabs={shown.tabs} />
      <div class="wires">
        {shown.wires.slice(0, n).map((wire, k) => (
          <WireButton key={k} panel={panel} wire={wire} />
        ))}
        {n > MANY && <span class="more">{t("selection.more", { count: n - MANY })}</span>}
      </div>
    </div>
  );
}

function Tabs({ panel, tabs }: { panel: SelectionPanel; tabs: Signal<readonly Tab[]> }) {
  if (tabs.value.length === 0) return null;
  return (
    <div class="tabs" role="toolbar" aria-label={t("selection.types")}>
      {tabs.value.map(({ type, color, count, active }) => {
        const name = typeName(panel.typeInfo(type).name);
        return (
          <button
            key={type}
            type="button"
            class={`tab${active ? " on" : ""}`}
            aria-pressed={active}
            aria-label={t("selection.tab", { count, type: name })}
            title={t("selection.tabTitle", { type: name })}
            data-tab={type}
            onClick={(e) => (e.ctrlKey || e.metaKey ? panel.pickType(type) : panel.handlers.focusType(type))}
            onDblClick={() => panel.pickType(type)}
            {...longPress(() => panel.pickType(type))}
          >
            <img src={panel.picture(type, color)} alt="" class="portrait" draggable={false} />
            <span class="num">{count}</span>
          </button>
        );
      })}
    </div>
  );
}

function WireButton({ panel, wire }: { panel: SelectionPanel; wire: Signal<Wire | null> }) {
  const w = wire.value;
  if (!w) return null;
  const name = typeName(panel.typeInfo(w.type).name);
  return (
    <button
      type="button"
      class="wire"
      aria-label={t("selection.wire", { type: name, percent: Math.round(100 * w.health) })}
      title={t("selection.pick", { type: name })}
      onClick={(e) => panel.pick(w, e.ctrlKey || e.metaKey)}
    >
      <img src={panel.picture(w.type, w.color)} alt="" class="portrait" draggable={false} />
      <Bars health={w.health} shield={w.shield} energy={w.energy} />
    </button>
  );
}

function Bars(props: { health: number; shield: number; energy: number; wide?: boolean }) {
  const { health, shield, energy } = props;
  const wide = props.wide ? " wide" : "";
  const bar = (kind: string, share: number) => (
    <i class={`bar ${kind}${wide}`} style={{ "--share": share.toFixed(2) }} />
  );
  return (
    <>
      {shield >= 0 && bar("shield", shield)}
      {bar(health < LOW ? "low" : "health", health)}
      {energy >= 0 && bar("energy", energy)}
    </>
  );
}

/** Below this share health is shown as danger. */
const LOW = 0.35;

function SingleView({ panel, shown }: { panel: SelectionPanel; shown: Shown }) {
  const one = shown.single.value;
  if (!one) return null;
  const type = panel.typeInfo(one.type);
  return (
    <div class="single">
      <img src={panel.picture(one.type, one.color, 128)} alt="" class="portrait big" draggable={false} />
      <div class="single-text">
        <h3>{typeName(type.name)}</h3>
        <span class="dim">{panel.ownerName(one.owner)}</span>
        <SingleNumbers numbers={shown.numbers} resource={type.class === "resource"} />
        <span class="dim facts">{panel.facts(type)}</span>
        {(one.building || one.queue.length > 0) && (
          <div class="queue">
            {one.building && <span>{t("selection.building")}</span>}
            {one.queue.map((made, place) => {
              const cancel = t("selection.cancel", { type: typeName(panel.typeInfo(made).name) });
              return (
                <button
                  key={place}
                  type="button"
                  class="queued"
                  title={cancel}
                  aria-label={cancel}
                  onClick={() => panel.handlers.unqueue(one.handle, place)}
                >
                  <img src={panel.picture(made, one.color)} alt="" class="portrait" draggable={false} />
                </button>
              );
            })}
            <Progress numbers={shown.numbers} />
          </div>
        )}
        {one.passengers.length > 0 && (
          <div class="queue">
            {one.passengers.map((type, place) => {
              const out = t("selection.letOut", { type: typeName(panel.typeInfo(type).name) });
              return (
                <button
                  key={place}
                  type="button"
                  class="queued"
                  title={out}
                  aria-label={out}
                  onClick={() => panel.handlers.letOut(one.handle, place)}
                >
                  <img src={panel.picture(type, one.color)} alt="" class="portrait" draggable={false} />
                </button>
              );
            })}
          </div>
        )}
      </div>
    </div>
  );
}

function SingleNumbers({ numbers, resource }: { numbers: Signal<Numbers>; resource: boolean }) {
  const { health, shield, energy, label, rows } = numbers.value;
  return (
    <>
      {!resource && <Bars health={health} shield={shield} energy={energy} wide />}
      <span class="num">{label}</span>
      {rows.map(({ of, icon, color, text }) => (
        <span key={of} class="num" data-row={of} style={{ color }}>
          <Icon path={icon} /> {text}
        </span>
      ))}
    </>
  );
}

function Progress({ numbers }: { numbers: Signal<Numbers> }) {
  return <i class="bar wide making" style={{ "--share": Math.max(0, numbers.value.progress).toFixed(2) }} />;
}

function Groups({ shown, handlers }: { shown: Shown; handlers: PanelHandlers }) {
  const { groups, freeGroup } = shown;
  const free = freeGroup.value;
  return (
    <>
      {groups.value.map(({ n, count }) => (
        <button
          key={n}
          type="button"
          class="group"
          data-group={n}
          aria-label={t("selection.group", { group: n, count })}
          title={t("selection.groupTitle")}
          onClick={() => handlers.group(n)}
          {...longPress(() => handlers.assignGroup(n))}
        >
          <kbd>{n}</kbd>
          <span class="num">{count}</span>
        </button>
      ))}
      {free !== null && (
        <button
          type="button"
          class="group new"
          data-group="new"
          aria-label={t("selection.newGroup", { group: free })}
          title={t("selection.newGroup", { group: free })}
          onClick={() => handlers.assignGroup(free)}
        >
          +<kbd>{free}</kbd>
        </button>
      )}
    </>
  );
}
