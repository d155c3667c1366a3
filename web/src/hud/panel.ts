// The panel of the selected entities: health, production, control groups.

import type { Handle } from "../base/ids";
import type { Selection } from "../input/selection";
import { portrait } from "../render/portrait";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";
import { FLAG } from "../state/world";
import { fill, h, text } from "../ui/dom";

export interface PanelHandlers {
  pick(handles: Handle[]): void;
  /** Takes one out of a structure's queue. */
  unqueue(structure: Handle, place: number): void;
  group(n: number): void;
}

const MANY = 24;

export class SelectionPanel {
  readonly element = h("div", { class: "panel selection", "aria-label": "Selection" });
  private shown = "";
  private bars: {
    handle: Handle;
    bar: HTMLElement;
    shield: HTMLElement | null;
    label: HTMLElement | null;
  }[] = [];
  private progress: { handle: Handle; bar: HTMLElement } | null = null;
  private readonly groups = h("div", { class: "groups", role: "group", "aria-label": "Control groups" });
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
    if (type.class === "resource") return `${world.amount[slot]} left`;
    const energy = own.units.get(handle)?.energy;
    const parts = [`${world.hp(slot)} / ${world.hpMax[slot]}`];
    if (type.shield > 0) parts.push(`${world.left(slot, "shield")} / ${type.shield} shield`);
    const spends = type.abilities.some((a) => (info.rules.abilities[a]?.energy ?? 0) > 0);
    if (spends && energy !== undefined) parts.push(`${energy} energy`);
    const built = type.class === "structure" && !(world.flags[slot] & FLAG.building);
    if (built && world.amount[slot] > 0)
      parts.push(`captured to ${Math.round((100 * world.amount[slot]) / 255)} %`);
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
          this.state.info.spectator
            ? "Click a unit, or drag a box around several, to see their state."
            : "Click a unit, or drag a box around several. A right click sends them, or attacks.",
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
              "aria-label": type.title,
              title: `${type.title} (click to select it alone, with Ctrl all of its kind)`,
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
        all.length > MANY ? h("span", { class: "more" }, `and ${all.length - MANY} more`) : null,
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
    if (w) facts.push(`Damage ${w.damage}`, `Range ${(w.range / 1024).toFixed(1)}`);
    if (type.speed > 0) facts.push(`Speed ${((type.speed / 64 / 1024) * (1000 / info.tickMs)).toFixed(1)}`);
    facts.push(`Sight ${type.sight / 2}`);
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
            ? h("span", null, "Under construction")
            : (queue?.types ?? []).map((t, place) =>
                h(
                  "button",
                  {
                    type: "button",
                    class: "queued",
                    title: `Cancel ${typeOf(info.rules, t).title}`,
                    "aria-label": `Cancel ${typeOf(info.rules, t).title}`,
                    onclick: () => this.handlers.unqueue(handle, place),
                  },
                  h("img", {
                    src: portrait(typeOf(info.rules, t), this.colorOf(world.owner[s])),
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
        h("h3", null, type.title),
        h("span", { class: "dim" }, owner ? owner.name : "No owner"),
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
              "aria-label": `Group ${n}, ${groups[n].size} units`,
              onclick: () => this.handlers.group(n),
            },
            h("kbd", null, n),
            h("span", { class: "num" }, groups[n].size),
          ),
        ),
    );
  }
}
