// The adviser of a player. In the first seconds it shows the goal of the match; later it shows one piece of advice, with a
// button that moves the camera there. advice.ts chooses the advice.

import { type Handle, type MatchInfo, type MatchState, ownHandles } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { type Action, type Bindings, keyLabel } from "../input/hotkeys";
import { optionValue, resourceName, typeName, words } from "../text/names";
import { t, textOf } from "../text/text";
import { h } from "../ui/dom";
import { type Advice, Adviser } from "./advice";
import { setPlain } from "./signals";

export interface CoachActions {
  /** The player closed the coach. */
  close(): void;
  selectIdleWorker(): void;
  /** Selects a thing, and goes there. */
  show(unit: Handle): void;
  goToLastAlert(): void;
}

/** How long the goal of a match is shown, in milliseconds of the match. */
const GOAL_MS = 25_000;

interface View {
  readonly kind: Advice["kind"] | "fight" | "goal";
  readonly text: string;
}

export class Coach {
  readonly element = h("div", { class: "coach-place" });
  private readonly adviser: Adviser;
  private readonly view: Signal<View | null> = signal(null);
  private advice: Advice | null = null;

  constructor(
    private readonly state: MatchState,
    private readonly keys: () => Bindings,
    private readonly actions: CoachActions,
  ) {
    this.adviser = new Adviser(state);
    const go = () => this.go();
    render(<Panel view={this.view} go={go} close={actions.close} />, this.element);
  }

  dispose(): void {
    render(null, this.element);
    this.element.remove();
  }

  /** The panels call it ten times per second. `fight` is the text of an alert outside the view; null: there is no alert. */
  update(fight: string | null, touch: boolean): void {
    const nowMs = this.state.tick * this.state.info.tickMs;
    this.advice = this.adviser.update(nowMs);
    setPlain(this.view, this.viewOf(nowMs, fight, touch));
  }

  private viewOf(nowMs: number, fight: string | null, touch: boolean): View | null {
    const { state, advice } = this;
    const key = (action: Action) => (touch ? "" : ` [${keyLabel(this.keys()[action][0] ?? "")}]`);
    // A player without units has no use for advice.
    if (ownHandles(state).length === 0) return null;
    if (fight !== null) return { kind: "fight", text: `${fight}.${key("lastAlert")}` };
    if (nowMs < GOAL_MS) return { kind: "goal", text: goalText(state.info) };
    switch (advice?.kind) {
      case "supply": {
        const { used, most, type } = advice;
        return { kind: "supply", text: t("coach.supply", { used, most, type: typeName(type.name) }) };
      }
      case "idle":
        return { kind: "idle", text: t("coach.idle", { count: advice.count }) + key("idleWorker") };
      case "unspent": {
        const { rules } = state.info;
        const maker = rules.types[state.world.type[state.world.slot(advice.maker)]];
        const resource = resourceName(rules.resources[advice.resource] ?? "");
        // In steps: the line does not change with each load of ore.
        const amount = Math.floor(advice.amount / 50) * 50;
        return {
          kind: "unspent",
          text: t("coach.unspent", { amount, resource, maker: typeName(maker?.name ?? "") }),
        };
      }
      default:
        return null;
    }
  }

  /** To what the line is about. */
  private go(): void {
    const { advice, actions, state } = this;
    if (this.view.peek()?.kind === "fight") actions.goToLastAlert();
    else if (advice?.kind === "idle") actions.selectIdleWorker();
    else if (advice?.kind === "unspent") actions.show(advice.maker);
    else if (advice?.kind === "supply") {
      const { id } = advice.type;
      const maker = ownHandles(state, (x) => x.builds.includes(id) || x.trains.includes(id))[0];
      if (maker) actions.show(maker);
    }
  }
}

function Panel(props: { view: Signal<View | null>; go: () => void; close: () => void }) {
  const view = props.view.value;
  if (!view) return null;
  return (
    <section class="panel coach" aria-label={t("coach.title")} data-advice={view.kind}>
      <p class="grow" role="status">
        {view.text}
      </p>
      {view.kind !== "goal" && (
        <button type="button" data-do="coach-go" onClick={props.go}>
          {t("coach.show")}
        </button>
      )}
      <button
        type="button"
        class="ghost-button"
        data-do="coach-close"
        aria-label={t("coach.close")}
        title={t("coach.close")}
        onClick={props.close}
      >
        ✕
      </button>
    </section>
  );
}

/** How the match is won: a mission's briefing, or the rules of its mode. */
export function goalText(info: MatchInfo): string {
  const briefing = textOf(`briefing.${info.mode}`);
  if (briefing !== undefined) return briefing;
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
