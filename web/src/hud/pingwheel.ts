// The wheel that chooses the kind of a ping, by a click or a number key. It opens
// at the pointer; the ping's place is where the pointer was then.

import type { PingName } from "@fogkeep/client";
import { PINGS } from "../draw/palette";
import { t } from "../text/text";
import { emblem, h } from "../ui/dom";

const CHOICES: readonly { kind: PingName; dx: number; dy: number }[] = [
  { kind: "look", dx: 0, dy: -58 },
  { kind: "danger", dx: -66, dy: 34 },
  { kind: "help", dx: 66, dy: 34 },
];
/** Least distance of the wheel's middle from the page's edges. */
const ROOM_PX = 110;

export class PingWheel {
  private element: HTMLElement | null = null;
  private done: ((kind: PingName | null) => void) | null = null;

  constructor(private readonly parent: HTMLElement) {}

  get open(): boolean {
    return this.element !== null;
  }

  /** Opens around a point of the page; calls back once, with null without a choice. */
  ask(x: number, y: number, done: (kind: PingName | null) => void): void {
    this.close(null);
    this.done = done;
    const at = (v: number, size: number) => Math.max(ROOM_PX, Math.min(size - ROOM_PX, v));
    const wheel = h(
      "div",
      {
        class: "ping-wheel",
        role: "menu",
        "aria-label": t("hud.pingWheel"),
        style: `left:${at(x, innerWidth)}px;top:${at(y, innerHeight)}px`,
        onkeydown: (e: KeyboardEvent) => this.key(e),
      },
      CHOICES.map((c, k) =>
        h(
          "button",
          {
            type: "button",
            role: "menuitem",
            "data-ping": c.kind,
            "aria-keyshortcuts": String(k + 1),
            style: `left:${c.dx}px;top:${c.dy}px`,
            onclick: () => this.close(c.kind),
          },
          emblem(PINGS[c.kind].color, PINGS[c.kind].emblem),
          h("span", null, t(`hud.ping.${c.kind}`)),
          h("kbd", null, k + 1),
        ),
      ),
    );
    this.element = wheel;
    this.parent.append(wheel);
    wheel.querySelector("button")?.focus({ preventScroll: true });
    // A press anywhere else closes it.
    window.addEventListener("pointerdown", this.elsewhere, { capture: true });
  }

  close(kind: PingName | null): void {
    if (!this.element) return;
    this.element.remove();
    this.element = null;
    window.removeEventListener("pointerdown", this.elsewhere, { capture: true });
    const { done } = this;
    this.done = null;
    done?.(kind);
  }

  private readonly elsewhere = (e: PointerEvent): void => {
    if (e.target instanceof Node && this.element?.contains(e.target)) return;
    this.close(null);
  };

  private key(e: KeyboardEvent): void {
    e.stopPropagation();
    const number = e.code.startsWith("Digit") ? Number(e.code.slice(5)) - 1 : -1;
    const buttons = [...(this.element?.querySelectorAll("button") ?? [])];
    const focused = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (number >= 0 && number < CHOICES.length) this.close(CHOICES[number].kind);
    else if (e.key === "Escape") this.close(null);
    else if (e.key === "ArrowRight" || e.key === "ArrowDown" || (e.key === "Tab" && !e.shiftKey))
      buttons[(focused + 1) % buttons.length].focus();
    else if (e.key === "ArrowLeft" || e.key === "ArrowUp" || e.key === "Tab")
      buttons[(focused + buttons.length - 1) % buttons.length].focus();
    else return;
    e.preventDefault();
  }
}
