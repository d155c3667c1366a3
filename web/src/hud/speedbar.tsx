// How fast the match runs: the player who paused it, players' requests, and buttons to agree and to go on. It is
// empty at normal speed without a request.

import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { t } from "../text/text";
import { h } from "../ui/dom";

/** The shown part of the match's speed; times in seconds. */
export interface SpeedShown {
  readonly percent: number;
  /** The share of this speed that a busy server reaches, in percent. */
  readonly held: number;
  readonly paused: boolean;
  /** The player who asked for the pause, or "". */
  readonly by: string;
  /** Orders that were given in the pause, and act after it. */
  readonly orders: number;
  /** Until the pause ends by itself, 0 for never. */
  readonly left: number;
  readonly wishes: readonly {
    readonly name: string;
    readonly own: boolean;
    readonly percent: number;
    readonly paused: boolean;
  }[];
  /** The viewer plays, and may ask. */
  readonly plays: boolean;
}

export type AskSpeed = (percent: number, paused: boolean) => void;

export class SpeedBar {
  readonly element = h("div", { class: "speed-bar" });
  private readonly shown: Signal<SpeedShown | null> = signal(null);
  private last = "";

  constructor(ask: AskSpeed) {
    render(<Bar shown={this.shown} ask={ask} />, this.element);
  }

  /** With each drawn frame. */
  update(now: SpeedShown): void {
    const key = JSON.stringify(now);
    if (key === this.last) return;
    this.last = key;
    this.shown.value = now;
  }
}

function Bar({ shown, ask }: { shown: Signal<SpeedShown | null>; ask: AskSpeed }) {
  const now = shown.value;
  if (!now) return null;
  const left = now.left > 0 ? `, ${t("speed.endsIn", { seconds: now.left })}` : "";
  const paused = now.by ? t("speed.pausedBy", { name: now.by }) : t("speed.paused");
  return (
    <>
      {now.paused && (
        <p class="panel paused" role="status">
          <strong>
            {paused}
            {left}
          </strong>
          {now.orders > 0 && (
            <span data-waiting={now.orders}>{t("speed.orders", { count: now.orders })}</span>
          )}
          {now.plays && (
            <button type="button" class="primary" onClick={() => ask(now.percent, false)}>
              {t("speed.goOn")}
            </button>
          )}
        </p>
      )}
      {!now.paused && now.percent !== 100 && (
        <p class="panel dim">{t("speed.now", { percent: now.percent })}</p>
      )}
      {!now.paused && now.held < 100 && (
        <p class="panel" role="status">
          {t("speed.held", { percent: now.held })}
        </p>
      )}
      {now.wishes.map((w) => (
        <p class="panel" role="status" key={`${w.name} ${w.percent} ${w.paused}`}>
          {w.own
            ? t(w.paused ? "speed.youPause" : "speed.youSpeed", { percent: w.percent })
            : t(w.paused ? "speed.asksPause" : "speed.asksSpeed", { name: w.name, percent: w.percent })}
          {now.plays && (
            <button
              type="button"
              onClick={() => (w.own ? ask(now.percent, now.paused) : ask(w.percent, w.paused))}
            >
              {t(w.own ? "speed.takeBack" : "speed.agree")}
            </button>
          )}
        </p>
      ))}
    </>
  );
}
