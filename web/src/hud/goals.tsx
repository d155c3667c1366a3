// The objectives of a mission, each with how far it is. On phones the list opens by its title.

import "./goals.css";
import type { MatchState } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { packAssets } from "../draw/pack";
import { modeValueName } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";
import { setPlain } from "./signals";

interface Goal {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
}

export class Goals {
  readonly element = h("div", { class: "goals-place" });
  private readonly goals: Signal<readonly Goal[]> = signal([]);

  constructor(
    private readonly state: MatchState,
    open: boolean,
  ) {
    render(<List goals={this.goals} open={open} />, this.element);
  }

  /** The panels call it ten times per second. */
  update(): void {
    const { info } = this.state;
    const player = info.players[info.slot] ?? info.players.find((p) => !p.bot);
    const list = [...(packAssets.goals.get(info.mode) ?? [])].map(([name, goal]) => ({
      name: modeValueName(name),
      value: Math.min(player?.values[name] ?? 0, goal),
      goal,
    }));
    setPlain(this.goals, list);
  }
}

function List({ goals, open }: { goals: Signal<readonly Goal[]>; open: boolean }) {
  const list = goals.value;
  if (list.length === 0) return null;
  const reached = list.filter((g) => g.value >= g.goal).length;
  return (
    <details class="panel goals" open={open}>
      <summary>
        {t("hud.goals")} <span class="num dim">{`${reached} / ${list.length}`}</span>
      </summary>
      <ul>
        {list.map(({ name, value, goal }) => (
          <li key={name} class={value >= goal ? "reached" : ""}>
            <i aria-hidden="true">{value >= goal ? "✓" : ""}</i>
            <span>{name}</span>
            {goal > 1 && <b class="num">{`${value} / ${goal}`}</b>}
            {goal > 1 && <span class="bar" style={`--share:${value / goal}`} />}
          </li>
        ))}
      </ul>
    </details>
  );
}
