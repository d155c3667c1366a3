// The panels around the battlefield, joined: selection, minimap, arrows,
// spectator bar, figures, the text beside the cursor.

import { posOf, type Team } from "../base/ids";
import { EdgeArrows } from "../hud/arrows";
import { Figures } from "../hud/figures";
import { nextPanel } from "../hud/focus";
import { Minimap } from "../hud/minimap";
import { SelectionPanel } from "../hud/panel";
import { SpectatorBar } from "../hud/spectatorbar";
import { HoverTip } from "../hud/tip";
import { typeOf } from "../state/rules";
import { t } from "../text/text";
import { h } from "../ui/dom";
import type { GameContext } from "./context";
import type { Controls } from "./controls";

export class Panels {
  readonly minimap: Minimap;
  readonly arrows: EdgeArrows;
  readonly figures: Figures;
  /** The frame rate, for the figures. */
  fps = 0;
  private readonly selection: SelectionPanel;
  private readonly tip: HoverTip;
  private readonly crosshair = h("div", { class: "crosshair", hidden: true, "aria-hidden": "true" });
  /** Of a spectator. */
  private readonly spectator: SpectatorBar | null;
  /** The first of the selected, which answered; 0: none. */
  private greeted = 0;
  /** Height of the panels at the bottom, page pixels. */
  private bottomPx = 0;

  constructor(
    private readonly context: GameContext,
    private readonly controls: Controls,
    private readonly chooseTeam: (team: Team) => void,
  ) {
    const { match, hud, renderer } = context;
    const { state } = match;
    const { orders, targeting, pings, card } = controls;
    const colorOf = (owner: number) => renderer.colors.hexOf(owner);
    this.selection = new SelectionPanel(state, context.selection, colorOf, {
      pick: (handles) => context.selection.set(handles),
      unqueue: (structure, place) => orders.send({ do: "cancel", units: [structure], what: place }),
      group: (n) => controls.recall(n),
    });
    this.minimap = new Minimap(state, renderer, {
      look: (x, z) => renderer.camera.go(x, z),
      order: (x, z, queued) => orders.rightClick({ at: posOf(x, z), handle: 0 }, queued, false),
      aim: (x, z, e) => {
        if (!targeting.mode) return false;
        targeting.click({ at: posOf(x, z), handle: 0 }, e.shiftKey, { x: e.clientX, y: e.clientY });
        return true;
      },
      point: (x, y) => pings.look(x, y),
      pingMode: state.info.spectator ? undefined : () => targeting.set({ kind: "ping" }, "ping"),
    });
    hud.bottom.append(this.minimap.element, this.selection.element);
    if (!state.info.spectator) hud.bottom.append(card.element);
    this.tip = new HoverTip(state);
    hud.overlay.append(this.crosshair, this.tip.element);
    this.arrows = new EdgeArrows(hud.overlay);
    this.spectator = state.info.spectator ? new SpectatorBar(state.info, colorOf, chooseTeam) : null;
    if (this.spectator) hud.add(this.spectator.element);
    this.figures = new Figures(match.traffic, () => this.figureLines());
    hud.add(this.figures.element);
  }

  update(nowMs: number): void {
    const { match, hud } = this.context;
    const { mouse, keyboard, card, targeting } = this.controls;
    // A player without a mouse acts at the cross in the middle of the page.
    const byKeys = mouse.at === null && keyboard.used;
    this.crosshair.hidden = !byKeys;
    const at = mouse.at ?? (byKeys ? mouse.cursor : null);
    if (at) mouse.hover(at.x, at.y);
    this.tip.update(mouse.hoverHandle, at);
    hud.update();
    this.greet();
    this.selection.update();
    card.update(targeting.modeId);
    this.bottomPx = hud.bottom.getBoundingClientRect().height + 16;
    this.spectator?.update(match.waitingMs);
    this.figures.update(nowMs);
  }

  /** Units that are newly selected answer. */
  private greet(): void {
    const { match, selection, sound } = this.context;
    const active = selection.active();
    const before = this.greeted;
    this.greeted = active?.handles[0] ?? 0;
    // The next of the selected takes the place of one that is destroyed: that is not news.
    const instead = before !== 0 && !match.state.world.has(before);
    if (!active || this.greeted === before || instead) return;
    sound.answer(typeOf(match.info.rules, active.type), "select");
  }

  /** The player's size of the panels, smaller on a page that they would fill. */
  get scale(): number {
    return this.context.settings.value.scale * Math.max(0.7, Math.min(1, innerWidth / 1000));
  }

  /** Points the arrows at the edge of the screen; with each frame. */
  pointArrows(nowMs: number): void {
    if (!this.arrows.any) return;
    const { renderer } = this.context;
    this.arrows.update(nowMs, {
      width: innerWidth,
      height: innerHeight,
      toPage: (x, z, out) => renderer.groundToPage(x, z, out),
      focusX: renderer.camera.focusX,
      focusZ: renderer.camera.focusZ,
      // What the panels take.
      inset: { top: 84 * this.scale, bottom: this.bottomPx, side: 34 },
    });
  }

  /** Moves the focus to the next panel, or to the one before. */
  focusNext(step: 1 | -1): void {
    const panels = [
      this.context.canvas,
      this.controls.card.element,
      this.selection.element,
      this.minimap.element,
      ...this.context.hud.focusable,
      ...(this.spectator ? [this.spectator.element] : []),
    ];
    nextPanel(panels, document.activeElement, step)?.focus();
  }

  /** The view of a spectator, by the number of its key. */
  chooseView(key: number): void {
    const team = this.spectator?.teamOf(key);
    if (team !== undefined && team !== this.context.match.info.team) this.chooseTeam(team);
  }

  private figureLines(): string {
    const { match, renderer } = this.context;
    const { clock, state } = match;
    const ms = renderer.timings;
    return [
      t("figures.drawing", { fps: this.fps.toFixed(0), draws: renderer.draws, quality: renderer.quality }),
      t("figures.script", {
        sample: ms.sample.toFixed(1),
        fog: ms.fog.toFixed(1),
        fill: ms.fill.toFixed(1),
        draw: ms.draw.toFixed(1),
      }),
      t("figures.world", {
        tick: state.tick,
        entities: state.world.count,
        ghosts: state.ghosts.size,
        uploads: renderer.fog.uploads,
      }),
      t("figures.network", {
        delay: clock.delayMs.toFixed(0),
        jitter: clock.jitterMs.toFixed(0),
        unanswered: match.unanswered,
        resyncs: match.resyncs,
      }),
    ].join("\n");
  }
}
