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

interface Counts {
  readonly idle: number;
  readonly army: number;
}

export class QuickBar {
  readonly element = h("div", { class: "quickbar", role: "toolbar", "aria-label": t("quick.title") });
  private readonly counts = signal<Counts>({ idle: 0, army: 0 });

  constructor(
    private readonly state: MatchState,
    views: ReadonlySignal<SavedViews>,
    keys: () => Bindings,
    color: () => string,
    handlers: QuickBarHandlers,
  ) {
    render(
      <>
        {!state.info.spectator && (
          <UnitButtons
            counts={this.counts}
            worker={this.picture((x) => x.worker, color())}
            army={this.picture((x) => x.class === "unit" && !x.worker && x.weapons.length > 0, color())}
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
    setPlain(this.counts, { idle: idleWorkers(this.state).length, army: armyUnits(this.state).length });
  }

  /** The picture of the first type of the ruleset that passes. */
  private picture(passes: (type: TypeInfo) => boolean, color: string): string {
    const type = this.state.info.rules.types.find(passes);
    return type ? portrait(type, color) : "";
  }
}

function UnitButtons(props: {
  counts: Signal<Counts>;
  worker: string;
  army: string;
  keyOf: (action: Action) => string;
  handlers: QuickBarHandlers;
}) {
  const { idle, army } = props.counts.value;
  const { keyOf, handlers } = props;
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
        <img src={props.worker} alt="" class="portrait" draggable={false} />
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
        <img src={props.army} alt="" class="portrait" draggable={false} />
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
