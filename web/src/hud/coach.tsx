// The coach of a first match: the goal in a line, then one prompt at a time, with a ring around the prompt's
// subject. coachsteps.ts decides; this shows it.

import { type MatchInfo, type MatchState, ownHandles, type TypeInfo } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { type Action, type Bindings, keyLabel } from "../input/hotkeys";
import type { Selection } from "../input/selection";
import { optionValue, typeName, words } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import {
  CoachProgress,
  type CoachTypes,
  coachPointer,
  coachTypes,
  type Pointer,
  STEPS,
  type Step,
} from "./coachsteps";
import { setPlain } from "./signals";

/** The controls' state for the coach. */
export interface CoachSight {
  readonly menuOpen: boolean;
  /** A command waits for a click. */
  readonly waits: boolean;
  /** The player uses a finger, not a keyboard. */
  readonly touch: boolean;
}

interface View {
  readonly step: Step | null;
  readonly text: string;
}

/** A place of the page, in pixels. */
export interface PageRing {
  x: number;
  y: number;
  r: number;
}

export class Coach {
  readonly element = h("div", { class: "coach-place" });
  /** Around the prompt's subject; over the field, above the panels. */
  readonly ring = h("div", { class: "coach-ring", hidden: true, "aria-hidden": "true" });
  private readonly progress: CoachProgress;
  private readonly view: Signal<View>;
  private pointer: Pointer = null;

  constructor(
    private readonly state: MatchState,
    private readonly selection: Selection,
    private readonly keys: () => Bindings,
    /** The player closed the coach, or is done. */
    private readonly close: () => void,
  ) {
    this.progress = new CoachProgress(state);
    this.view = signal<View>({ step: STEPS[0], text: "" });
    const goal = goalText(state.info);
    render(<Panel view={this.view} goal={goal} close={() => this.close()} />, this.element);
  }

  dispose(): void {
    render(null, this.element);
    this.element.remove();
    this.ring.remove();
  }

  /** Ten times a second. */
  update(sight: CoachSight): void {
    // A player without units, for example after a late return, has no units to learn with.
    this.element.hidden = ownHandles(this.state).length === 0;
    if (this.element.hidden) {
      this.pointer = null;
      this.ring.hidden = true;
      return;
    }
    this.progress.update();
    const { step } = this.progress;
    setPlain(this.view, {
      step,
      text: step ? promptText(step, coachTypes(this.state), this.keys(), sight.touch) : t("coach.done"),
    });
    this.pointer = step ? coachPointer(this.state, this.selection, step, sight.menuOpen, sight.waits) : null;
    if (!this.pointer) this.ring.hidden = true;
    else if ("control" in this.pointer) this.around(this.pointer.control);
  }

  /** With each frame: what moves on the field is followed. */
  follow(place: (entity: number, out: PageRing) => boolean): void {
    if (!this.pointer || !("entity" in this.pointer)) return;
    this.ring.hidden = !place(this.pointer.entity, this.at);
    if (this.ring.hidden) return;
    const r = Math.max(22, this.at.r + 8);
    this.put(this.at.x - r, this.at.y - r, 2 * r, 2 * r, true);
  }

  private readonly at: PageRing = { x: 0, y: 0, r: 0 };

  private around(selector: string): void {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    this.ring.hidden = !box || box.width === 0;
    if (box) this.put(box.left - 4, box.top - 4, box.width + 8, box.height + 8, false);
  }

  private put(left: number, top: number, width: number, height: number, round: boolean): void {
    const { style } = this.ring;
    style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    style.width = `${Math.round(width)}px`;
    style.height = `${Math.round(height)}px`;
    this.ring.classList.toggle("round", round);
  }
}

function Panel({ view, goal, close }: { view: Signal<View>; goal: string; close: () => void }) {
  const { step, text } = view.value;
  const n = step ? STEPS.indexOf(step) : STEPS.length;
  return (
    <section class="panel coach" aria-label={t("coach.title")} data-step={step ?? "done"}>
      <p class="coach-goal">{goal}</p>
      <p class="coach-prompt" role="status">
        <b>{step ? t(`coach.step.${step}`) : t("coach.finished")}</b> {text}
      </p>
      <div class="coach-side">
        <span
          class="coach-dots"
          role="img"
          aria-label={t("coach.progress", { done: n, steps: STEPS.length })}
        >
          {STEPS.map((s, k) => (
            <i key={s} class={k < n ? "done" : k === n ? "now" : ""} />
          ))}
        </span>
        <button type="button" class={step ? "ghost-button" : "primary"} data-do="coach-close" onClick={close}>
          {step ? t("coach.skip") : t("coach.close")}
        </button>
      </div>
    </section>
  );
}

/** How the match is won, by the rules of its mode. */
export function goalText(info: MatchInfo): string {
  const lines: string[] = [];
  if (info.mode === "skirmish") {
    const centres = info.rules.types.filter((x) => x.centre).map((x) => typeName(x.name));
    lines.push(t("coach.goal.skirmish", { centre: centres.join(", ") }));
  } else if (info.mode === "deathmatch") lines.push(t("coach.goal.deathmatch"));
  else lines.push(t("coach.goal.other", { mode: optionValue("mode", info.mode, words(info.mode)) }));
  if (info.scoreLimit > 0) lines.push(t("coach.goal.score", { points: info.scoreLimit }));
  if (info.timeLimitTicks > 0)
    lines.push(t("coach.goal.time", { minutes: Math.round((info.timeLimitTicks * info.tickMs) / 60_000) }));
  return lines.join(" ");
}

function promptText(step: Step, types: CoachTypes, keys: Bindings, touch: boolean): string {
  const key = (action: Action) => keyLabel(keys[action][0] ?? "");
  const name = (type: TypeInfo | null) => (type ? typeName(type.name) : "");
  const { maker, unit, worker, building, scout } = types;
  const values = {
    maker: name(maker),
    unit: name(unit),
    worker: name(worker),
    building: name(building),
    scout: name(scout),
    idleKey: key("idleWorker"),
    buildKey: key("build"),
    armyKey: key("army"),
    attackKey: key("attack"),
  };
  return touch ? t(`coach.touch.${step}`, values) : t(`coach.keys.${step}`, values);
}
