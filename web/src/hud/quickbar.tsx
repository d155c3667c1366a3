// Buttons above the minimap: workers that stand idle, the army, and the saved
// views of the camera.

import { armyUnits, idleWorkers, type MatchState, type TypeInfo } from "@fogkeep/client";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { type Action, type Bindings, keyLabel } from "../input/hotkeys";
import { portrait } from "../render/portrait";
import { t } from "../text/text";
import { h, ICONS } from "../ui/dom";
import { Icon } from "../ui/icons";
import { longPress } from "./press";
import { setPlain } from "./signals";

export interface QuickBarHandlers {
  idleWorker(): void;
  army(): void;
  /** Goes to a saved view of the camera. */
  restoreView(n: number): void;
  saveView(n: number): void;
}

/** Where a saved view of the camera looks, in tiles. */
export interface SavedView {
  readonly x: number;
  readonly z: number;
}

/** The saved views in the order of their numbers; null: free. */
export type SavedViews = readonly (SavedView | null)[];

interface Units {
  readonly idle: number;
  readonly army: number;
  /** The player's colour, which the setting of colours changes. */
  readonly color: string;
}

export class QuickBar {
  readonly element = h("div", { class: "quickbar", role: "toolbar", "aria-label": t("quick.title") });
  private readonly units: Signal<Units>;

  constructor(
    private readonly state: MatchState,
    views: ReadonlySignal<SavedViews>,
    keys: () => Bindings,
    private readonly color: () => string,
    handlers: QuickBarHandlers,
  ) {
    this.units = signal({ idle: 0, army: 0, color: color() });
    const { types } = state.info.rules;
    render(
      <>
        {!state.info.spectator && (
          <UnitButtons
            units={this.units}
            worker={types.find((x) => x.worker)}
            army={types.find((x) => x.class === "unit" && !x.worker && x.weapons.length > 0)}
            keyOf={(action) => keyLabel(keys()[action][0] ?? "")}
            handlers={handlers}
          />
        )}
        <Views views={views} handlers={handlers} />
      </>,
      this.element,
    );
  }

  dispose(): void {
    render(null, this.element);
  }

  update(): void {
    if (this.state.info.spectator) return;
    const { state } = this;
    setPlain(this.units, {
      idle: idleWorkers(state).length,
      army: armyUnits(state).length,
      color: this.color(),
    });
  }
}

function UnitButtons(props: {
  units: Signal<Units>;
  /** The types that are shown for workers and for the army. */
  worker: TypeInfo | undefined;
  army: TypeInfo | undefined;
  keyOf: (action: Action) => string;
  handlers: QuickBarHandlers;
}) {
  const { idle, army, color } = props.units.value;
  const { keyOf, handlers } = props;
  const picture = (type: TypeInfo | undefined) => (type ? portrait(type, color) : "");
  return (
    <>
      <button
        type="button"
        class={`quick idle-worker${idle > 0 ? " some" : ""}`}
        disabled={idle === 0}
        aria-keyshortcuts={keyOf("idleWorker")}
        aria-label={t("quick.idle", { count: idle })}
        title={t("quick.idleTitle", { key: keyOf("idleWorker") })}
        onClick={handlers.idleWorker}
      >
        <img src={picture(props.worker)} alt="" class="portrait" draggable={false} />
        <span class="num">{idle}</span>
      </button>
      <button
        type="button"
        class="quick army"
        disabled={army === 0}
        aria-keyshortcuts={keyOf("army")}
        aria-label={t("quick.army", { count: army })}
        title={t("quick.armyTitle", { key: keyOf("army") })}
        onClick={handlers.army}
      >
        <img src={picture(props.army)} alt="" class="portrait" draggable={false} />
        <span class="num">{army}</span>
      </button>
    </>
  );
}

function Views({ views, handlers }: { views: ReadonlySignal<SavedViews>; handlers: QuickBarHandlers }) {
  return (
    <span class="views" role="toolbar" aria-label={t("quick.views")}>
      {views.value.map((view, n) => {
        const saved = view !== null;
        return (
          <button
            key={n}
            type="button"
            class={`quick view${saved ? " on" : ""}`}
            data-view={n + 1}
            aria-label={t(saved ? "quick.viewSaved" : "quick.viewFree", { n: n + 1 })}
            title={t(saved ? "quick.viewSavedTitle" : "quick.viewFreeTitle", { n: n + 1 })}
            onClick={() => (saved ? handlers.restoreView(n) : handlers.saveView(n))}
            onContextMenu={(e) => {
              e.preventDefault();
              handlers.saveView(n);
            }}
            {...longPress(() => handlers.saveView(n))}
          >
            <Icon path={ICONS.eye} />
            <kbd>{n + 1}</kbd>
          </button>
        );
      })}
    </span>
  );
}
