// The panel of the selected entities: health, production, control groups.

import type { Handle } from "../base/ids";
import type { Selection } from "../input/selection";
import { portrait } from "../render/portrait";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";
import { FLAG } from "../state/world";
import { typeName } from "../text/names";
import { t } from "../text/text";
import { fill, h, text } from "../ui/dom";

export interface PanelHandlers {
  pick(handles: Handle[]): void;
  /** Takes one out of a structure's queue. */
  unqueue(structure: Handle, place: number): void;
  group(n: number): void;
}

const MANY = 24;

export class SelectionPanel {
  readonly element = h("div", { class: "panel selection", "aria-label": t("selection.title") });
  private shown = "";
  private bars: {
    handle: Handle;
    bar: HTMLElement;
    shield: HTMLElement | null;
    label: HTMLElement | null;
  }[] = [];
  private progress: { handle: Handle; bar: HTMLElement } | null = null;
  private readonly groups = h("div", { class: "groups", role: "group", "aria-label": t("selection.groups") });
  private readonly body = h("div", { class: "selection-body" });
  private groupsShown = "";

  constructor(
    private readonly state: MatchState,
    private readonly selection: Selection,
    private readonly colorOf: (owner: number) => string,
    private readonly handlers: PanelHandlers,
  ) {
    this.element.append(this.groups, this.body);
  }

  update(): void {
    this.updateGroups();
    const { world } = this.state;
    const all = this.selection.sorted();
    const queue = all.length === 1 ? this.state.own.production.get(all[0]) : undefined;
    const key = JSON.stringify([
      all.map((x) => [x, world.type[world.slot(x)], world.owner[world.slot(x)]]),
      this.selection.active()?.type,
      queue?.types,
      all.length === 1 ? world.flags[world.slot(all[0])] : 0,
    ]);
    if (key !== this.shown) {
      this.shown = key;
      this.draw(all);
    }
    for (const b of this.bars) {
      const s = world.slot(b.handle);
      if (s < 0) continue;
      const share = world.hp(s) / Math.max(1, world.hpMax[s]);
      b.bar.style.setProperty("--share", share.toFixed(3));
      b.bar.classList.toggle("low", share < 0.35);
      if (b.shield)
        b.shield.style.setProperty("--share", (world.left(s, "shield") / world.shieldMax[s]).toFixed(3));
      if (b.label) text(b.label, this.label(b.handle, s));
    }
    if (this.progress) {
      const s = world.slot(this.progress.handle);
      const share =
        s >= 0 && world.flags[s] & FLAG.building
          ? world.amount[s] / 255
          : (this.state.own.production.get(this.progress.handle)?.progress ?? 0);
      this.progress.bar.style.setProperty("--share", share.toFixed(3));
    }
  }

  private label(handle: Handle, slot: number): string {
    const { world, own, info } = this.state;
    const type = typeOf(info.rules, world.type[slot]);
    if (type.class === "resource") return t("selection.left", { count: world.amount[slot] });
    const energy = own.units.get(handle)?.energy;
    const parts = [`${world.hp(slot)} / ${world.hpMax[slot]}`];
    if (type.shield > 0)
      parts.push(t("selection.shield", { left: world.left(slot, "shield"), max: type.shield }));
    const spends = type.abilities.some((a) => (info.rules.abilities[a]?.energy ?? 0) > 0);
    if (spends && energy !== undefined) parts.push(t("selection.energy", { count: energy }));
    const built = type.class === "structure" && !(world.flags[slot] & FLAG.building);
    if (built && world.amount[slot] > 0)
      parts.push(t("selection.captured", { percent: Math.round((100 * world.amount[slot]) / 255) }));
    return parts.join(" · ");
  }

  private draw(all: Handle[]): void {
    this.bars = [];
    this.progress = null;
    const { world, info } = this.state;
    this.element.classList.toggle("nothing", all.length === 0);
    if (all.length === 0) {
      fill(
        this.body,
        h(
          "p",
          { class: "hint" },
          t(this.state.info.spectator ? "selection.hintSpectator" : "selection.hint"),
        ),
      );
      return;
    }
    if (all.length === 1) {
      fill(this.body, this.single(all[0]));
      return;
    }
    const active = this.selection.active()?.type;
    const shown = all.slice(0, MANY);
    fill(
      this.body,
      h(
        "div",
        { class: "wires" },
        shown.map((x) => {
          const s = world.slot(x);
          const type = typeOf(info.rules, world.type[s]);
          const bar = h("i", { class: "bar" });
          this.bars.push({ handle: x, bar, shield: null, label: null });
          return h(
            "button",
            {
              type: "button",
              class: `wire${active === world.type[s] ? " active" : ""}`,
              "aria-label": typeName(type.name),
              title: t("selection.pick", { type: typeName(type.name) }),
              onclick: (e: MouseEvent) =>
                this.handlers.pick(
                  e.ctrlKey
                    ? all.filter((y) => world.type[world.slot(y)] === world.type[world.slot(x)])
                    : [x],
                ),
            },
            h("img", { src: portrait(type, this.colorOf(world.owner[s])), alt: "", class: "portrait" }),
            bar,
          );
        }),
        all.length > MANY
          ? h("span", { class: "more" }, t("selection.more", { count: all.length - MANY }))
          : null,
      ),
    );
  }

  private single(handle: Handle): HTMLElement {
    const { world, info } = this.state;
    const s = world.slot(handle);
    const type = typeOf(info.rules, world.type[s]);
    const owner = info.players[world.owner[s]];
    const bar = h("i", { class: "bar wide" });
    const label = h("span", { class: "num" });
    const shield = type.shield > 0 ? h("i", { class: "bar shield" }) : null;
    this.bars.push({ handle, bar, shield, label });
    const facts: string[] = [];
    const w = info.rules.weapons[type.weapons[0] ?? -1];
    const fact = (name: "damage" | "range" | "speed" | "sight", value: string | number) =>
      facts.push(t(`selection.${name}`, { value }));
    if (w) {
      fact("damage", w.damage);
      fact("range", (w.range / 1024).toFixed(1));
    }
    if (type.speed > 0) fact("speed", ((type.speed / 64 / 1024) * (1000 / info.tickMs)).toFixed(1));
    fact("sight", type.sight / 2);
    const rest: HTMLElement[] = [];
    const building = (world.flags[s] & FLAG.building) !== 0;
    const queue = this.state.own.production.get(handle);
    if (building || (queue && queue.types.length > 0)) {
      const made = h("i", { class: "bar wide making" });
      this.progress = { handle, bar: made };
      rest.push(
        h(
          "div",
          { class: "queue" },
          building
            ? h("span", null, t("selection.building"))
            : (queue?.types ?? []).map((id, place) =>
                h(
                  "button",
                  {
                    type: "button",
                    class: "queued",
                    title: t("selection.cancel", { type: typeName(typeOf(info.rules, id).name) }),
                    "aria-label": t("selection.cancel", { type: typeName(typeOf(info.rules, id).name) }),
                    onclick: () => this.handlers.unqueue(handle, place),
                  },
                  h("img", {
                    src: portrait(typeOf(info.rules, id), this.colorOf(world.owner[s])),
                    alt: "",
                    class: "portrait",
                  }),
                ),
              ),
          made,
        ),
      );
    }
    return h(
      "div",
      { class: "single" },
      h("img", { src: portrait(type, this.colorOf(world.owner[s]), 128), alt: "", class: "portrait big" }),
      h(
        "div",
        { class: "single-text" },
        h("h3", null, typeName(type.name)),
        h("span", { class: "dim" }, owner ? owner.name : t("selection.noOwner")),
        shield,
        bar,
        label,
        h("span", { class: "dim facts" }, facts.join("  ·  ")),
        rest,
      ),
    );
  }

  private updateGroups(): void {
    const { groups } = this.selection;
    const key = groups.map((g) => g.size).join();
    if (key === this.groupsShown) return;
    this.groupsShown = key;
    const order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];
    fill(
      this.groups,
      order
        .filter((n) => groups[n].size > 0)
        .map((n) =>
          h(
            "button",
            {
              type: "button",
              class: "group",
              "aria-label": t("selection.group", { group: n, count: groups[n].size }),
              onclick: () => this.handlers.group(n),
            },
            h("kbd", null, n),
            h("span", { class: "num" }, groups[n].size),
          ),
        ),
    );
  }
}
