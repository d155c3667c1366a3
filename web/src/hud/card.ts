// The command card: fifteen places for buttons. A command has the same place for
// every type.

import { type Command, commandsFor } from "../input/commands";
import { type Bindings, keyLabel } from "../input/hotkeys";
import type { Selection } from "../input/selection";
import { portrait } from "../render/portrait";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";
import { t } from "../text/text";
import { fill, h, ICONS, icon } from "../ui/dom";

export class CommandCard {
  readonly element = h("div", { class: "panel card", role: "toolbar", "aria-label": t("card.title") });
  commands: Command[] = [];
  menuOpen = false;
  /** The page that is shown, from 0. */
  page = 0;
  private pageOf = "";
  private shown = "";
  private readonly cells: HTMLElement[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly selection: Selection,
    private readonly keys: () => { bindings: Bindings; grid: boolean },
    private readonly ownColor: () => string,
    private readonly run: (c: Command, shift: boolean) => void,
    /** A right click on a command: takes one out of a production queue. */
    private readonly takeBack: (c: Command) => void,
  ) {
    for (let k = 0; k < 15; k++) {
      const cell = h("div", { class: "cell" });
      this.cells.push(cell);
      this.element.append(cell);
    }
  }

  /** Updates the buttons from the selection. `mode` is the id of the command that waits for a target. */
  update(mode: string): void {
    const active = this.selection.active();
    const { bindings, grid } = this.keys();
    if (!active) this.menuOpen = false;
    // A new card starts with its first page.
    const card = `${active?.type} ${this.menuOpen}`;
    if (card !== this.pageOf) this.page = 0;
    this.pageOf = card;
    this.commands = active
      ? commandsFor(
          this.state,
          typeOf(this.state.info.rules, active.type),
          active.handles,
          bindings,
          this.menuOpen,
          grid,
          this.page,
        )
      : [];
    const key = JSON.stringify([
      mode,
      this.commands.map((c) => [
        c.id,
        c.place,
        c.why,
        Math.round(c.cooling * 20),
        c.codes[0],
        c.active,
        c.title,
        c.detail,
      ]),
    ]);
    if (key === this.shown) return;
    this.shown = key;
    this.draw(mode);
  }

  /** The command of a key, if the card has one. */
  byCode(code: string): Command | undefined {
    return this.commands.find((c) => c.codes.includes(code));
  }

  private draw(mode: string): void {
    const focused = this.cells.findIndex((c) => c.contains(document.activeElement));
    this.drawCells(mode);
    // The buttons are new: the focus stays at its place.
    if (focused >= 0)
      (this.cells[focused].querySelector("button") ?? this.element.querySelector("button"))?.focus();
  }

  private drawCells(mode: string): void {
    const byPlace = new Map(this.commands.map((c) => [c.place, c]));
    this.cells.forEach((cell, place) => {
      const c = byPlace.get(place);
      if (!c) {
        if (cell.firstChild) fill(cell);
        return;
      }
      const picture =
        c.type !== undefined
          ? h("img", {
              src: portrait(typeOf(this.state.info.rules, c.type), this.ownColor()),
              alt: "",
              class: "portrait",
              draggable: false,
            })
          : icon(ICONS[c.icon] ?? ICONS.ability);
      const button = h(
        "button",
        {
          type: "button",
          class: `command${c.why ? " cannot" : ""}${mode === c.id ? " waiting" : ""}${c.active ? " active" : ""}`,
          "aria-pressed": c.active ? "true" : undefined,
          "aria-label": `${c.title}${c.detail ? `, ${c.detail}` : ""}${c.why ? `. ${c.why}` : ""}`,
          "aria-keyshortcuts": c.codes[0] ? keyLabel(c.codes[0]) : undefined,
          "data-command": c.id,
          onclick: (e: MouseEvent) => this.run(c, e.shiftKey),
          oncontextmenu: (e: MouseEvent) => {
            e.preventDefault();
            this.takeBack(c);
          },
        },
        picture,
        c.codes[0] ? h("kbd", null, keyLabel(c.codes[0])) : null,
        h("span", { class: "command-name" }, c.title),
        h(
          "span",
          { class: "tip", role: "tooltip" },
          h("b", null, c.title),
          c.detail ? h("span", null, c.detail) : null,
          c.why ? h("span", { class: "why" }, c.why) : null,
        ),
      );
      if (c.cooling > 0) button.style.setProperty("--cooling", String(c.cooling));
      fill(cell, button);
    });
  }
}
