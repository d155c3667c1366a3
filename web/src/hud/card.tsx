// The command card: fifteen places for buttons. A command has the same place for
// every type. One tooltip over the card says all of a command, by hover, keyboard
// focus and a long press.

import { type MatchState, typeOf } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { type Command, commandsFor } from "../input/commands";
import { type Bindings, keyLabel } from "../input/hotkeys";
import type { Selection } from "../input/selection";
import { portrait } from "../render/portrait";
import { t } from "../text/text";
import { h, ICONS } from "../ui/dom";
import { Icon } from "../ui/icons";
import { CommandTip } from "./commandtip";
import { longPress } from "./press";
import { setPlain } from "./signals";

const PLACES = 15;

/** The content of one place. */
interface Cell {
  readonly command: Command;
  readonly waiting: boolean;
  /** The player's colour, which the setting of colours changes. */
  readonly color: string;
  /** Its price, by kind of resource. */
  readonly price: readonly { readonly kind: number; readonly amount: number; readonly lacks: boolean }[];
}

export class CommandCard {
  readonly element = h("div", { class: "panel card", role: "toolbar", "aria-label": t("card.title") });
  commands: Command[] = [];
  menuOpen = false;
  /** Orders to go somewhere let a group keep together. */
  together = false;
  /** The page that is shown, from 0. */
  page = 0;
  private pageOf = "";
  private typeShown: number | undefined;
  private readonly cells: readonly Signal<Cell | null>[] = Array.from({ length: PLACES }, () => signal(null));
  /** The place whose tooltip is shown, or -1. */
  private readonly told = signal(-1);

  constructor(
    private readonly state: MatchState,
    private readonly selection: Selection,
    private readonly keys: () => { bindings: Bindings; grid: boolean },
    private readonly ownColor: () => string,
    private readonly run: (c: Command, shift: boolean) => void,
    /** A right click on a command: takes one out of a production queue. */
    private readonly takeBack: (c: Command) => void,
  ) {
    render(
      <>
        {this.cells.map((cell, place) => (
          <Place key={place} cell={cell} place={place} card={this} />
        ))}
        <Told
          told={this.told}
          cells={this.cells}
          state={state}
          active={() => this.selection.active()?.type}
        />
      </>,
      this.element,
    );
  }

  dispose(): void {
    render(null, this.element);
  }

  /** Updates the buttons from the selection. `mode` is the id of the command that waits for a target. */
  update(mode: string): void {
    const active = this.selection.active();
    const { bindings, grid } = this.keys();
    if (active?.type !== this.typeShown) this.menuOpen = false;
    this.typeShown = active?.type;
    // A new card starts with its first page.
    const card = `${active?.type} ${this.menuOpen}`;
    if (card !== this.pageOf) {
      this.page = 0;
      this.told.value = -1;
    }
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
          this.together,
        )
      : [];
    const byPlace = new Map(this.commands.map((c) => [c.place, c]));
    this.cells.forEach((cell, place) => {
      const command = byPlace.get(place);
      // In steps, so that a cooldown is not a new button in each tick.
      setPlain(
        cell,
        command
          ? {
              command: { ...command, cooling: Math.round(command.cooling * 20) / 20 },
              waiting: mode === command.id,
              color: this.ownColor(),
              price: this.priceOf(command),
            }
          : null,
      );
    });
    this.element.classList.toggle("nothing", this.commands.length === 0);
  }

  /** The command of a key, if the card has one. */
  byCode(code: string): Command | undefined {
    return this.commands.find((c) => c.codes.includes(code));
  }

  /** Of the buttons. */
  press(c: Command, shift: boolean): void {
    this.run(c, shift);
  }

  unqueue(c: Command): void {
    this.takeBack(c);
  }

  tell(place: number): void {
    this.told.value = place;
  }

  hush(place: number): void {
    if (this.told.peek() === place) this.told.value = -1;
  }

  picture(c: Command, color: string) {
    if (c.type === undefined) return <Icon path={ICONS[c.icon] ?? c.icon} />;
    const url = portrait(typeOf(this.state.info.rules, c.type), color);
    return <img src={url} alt="" class="portrait" draggable={false} />;
  }

  private priceOf(c: Command): Cell["price"] {
    if (c.type === undefined) return [];
    const { info, own } = this.state;
    return typeOf(info.rules, c.type).cost.flatMap((amount, kind) =>
      amount > 0 ? [{ kind, amount, lacks: (own.resources[kind] ?? 0) < amount }] : [],
    );
  }
}

function Place(props: { cell: Signal<Cell | null>; place: number; card: CommandCard }) {
  const { place, card } = props;
  const shown = props.cell.value;
  if (!shown) return <div class="cell" />;
  const { command: c, waiting, color, price } = shown;
  const key = c.codes[0] ? keyLabel(c.codes[0]) : undefined;
  const state = `${c.why ? " cannot" : ""}${waiting ? " waiting" : ""}${c.active ? " active" : ""}`;
  return (
    <div class="cell">
      <button
        type="button"
        class={`command${state}`}
        aria-pressed={c.active ? "true" : undefined}
        aria-label={[c.title, c.detail].filter((x) => x).join(", ") + (c.why ? `. ${c.why}` : "")}
        aria-describedby="command-tip"
        aria-keyshortcuts={key}
        data-command={c.id}
        style={c.cooling > 0 ? { "--cooling": String(c.cooling) } : undefined}
        onClick={(e) => card.press(c, e.shiftKey)}
        onContextMenu={(e) => {
          e.preventDefault();
          card.unqueue(c);
        }}
        onPointerEnter={(e) => e.pointerType === "mouse" && card.tell(place)}
        onMouseLeave={() => card.hush(place)}
        onFocus={(e) => e.currentTarget.matches(":focus-visible") && card.tell(place)}
        onBlur={() => card.hush(place)}
        {...longPress(
          () => card.tell(place),
          () => card.hush(place),
        )}
      >
        {card.picture(c, color)}
        {key && <kbd>{key}</kbd>}
        <span class="command-name">{c.title}</span>
        {price.length > 0 && (
          <span class="price" aria-hidden="true">
            {price.map(({ kind, amount, lacks }) => (
              <span key={kind} class={lacks ? "lacks" : ""}>
                <i class={`dot dot-${kind}`} />
                {amount}
              </span>
            ))}
          </span>
        )}
      </button>
    </div>
  );
}

function Told(props: {
  told: Signal<number>;
  cells: readonly Signal<Cell | null>[];
  state: MatchState;
  active: () => number | undefined;
}) {
  const cell = props.cells[props.told.value]?.value;
  if (!cell) return null;
  return <CommandTip state={props.state} command={cell.command} active={props.active()} />;
}
