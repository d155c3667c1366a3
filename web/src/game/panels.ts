// The panels around the battlefield, joined: selection, minimap, arrows,
// spectator bar, figures, the text beside the cursor.

import { posOf, type Team, typeOf } from "@fogkeep/client";
import { packAssets } from "../draw/pack";
import { EdgeArrows } from "../hud/arrows";
import { Coach } from "../hud/coach";
import type { Figures } from "../hud/figures";
import { nextPanel } from "../hud/focus";
import type { Goals } from "../hud/goals";
import { Minimap } from "../hud/minimap";
import { SelectionPanel } from "../hud/panel";
import { QuickBar } from "../hud/quickbar";
import type { SpectatorBar } from "../hud/spectatorbar";
import { SpeedBar } from "../hud/speedbar";
import { HoverTip } from "../hud/tip";
import type { VoteBar } from "../hud/votebar";
import { keyLabel } from "../input/hotkeys";
import { h } from "../ui/dom";
import { type GameContext, showsGround } from "./context";
import type { Controls } from "./controls";
import { speedShown } from "./speed";
import { votesShown } from "./votes";

/** Pages of this size get the layouts for phones; hud.css has the same sizes. */
const PHONE_WIDTH = 620;
const PHONE_HEIGHT = 480;

export class Panels {
  readonly minimap: Minimap;
  readonly arrows: EdgeArrows;
  private figures: Figures | null = null;
  /** The frame rate, for the figures. */
  fps = 0;
  private readonly selection: SelectionPanel;
  private readonly quick: QuickBar;
  /** While the player wants one. */
  private coach: Coach | null = null;
  private readonly speed: SpeedBar | null;
  /** Of a mission. */
  private goals: Goals | null = null;
  private votes: VoteBar | null = null;
  private votesAsked = false;
  private readonly tip: HoverTip;
  private readonly crosshair = h("div", { class: "crosshair", hidden: true, "aria-hidden": "true" });
  /** Of a spectator. */
  private spectator: SpectatorBar | null = null;
  /** The first of the selected, which answered; or 0. */
  private greeted = 0;
  /** Height of the panels at the bottom, page pixels. */
  private bottomPx = 0;

  constructor(
    private readonly context: GameContext,
    private readonly controls: Controls,
    /** Null in a replay, which has panels of its own for eyes and speed. */
    private readonly chooseTeam: ((team: Team) => void) | null,
    /** Shows a spectator the match from earlier. */
    rewind: (() => Promise<void>) | undefined,
    private readonly goToLastAlert: () => void,
  ) {
    const { match, hud, renderer } = context;
    const { state } = match;
    const { orders, targeting, pings, card } = controls;
    const colorOf = (owner: number) => renderer.colors.hexOf(owner);
    this.selection = new SelectionPanel(state, context.selection, colorOf, {
      pick: (handles) => context.selection.set(handles),
      unqueue: (structure, place) => orders.send({ do: "cancel", units: [structure], what: place }),
      letOut: (transport, place) => {
        const s = state.world.slot(transport);
        const to = { x: Math.round(state.world.posX(s)), y: Math.round(state.world.posY(s)) };
        orders.send({ do: "unload", units: [transport], what: place + 1, to });
      },
      focusType: (type) => context.selection.focusOn(type),
      group: (n) => controls.recall(n),
      assignGroup: (n) => context.selection.assign(n),
    });
    this.quick = new QuickBar(
      state,
      controls.camera.views,
      () => context.settings.bindings,
      () => colorOf(state.info.slot),
      {
        idleWorker: () => controls.selectIdleWorker(),
        army: () => controls.selectArmy(),
        restoreView: (n) => controls.camera.restore(n),
        saveView: (n) => controls.camera.save(n),
      },
    );
    this.minimap = new Minimap(state, renderer, controls.camera.views, {
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
    hud.bottom.append(
      h("div", { class: "hud-quick" }, this.quick.element, this.selection.groups),
      this.minimap.element,
      this.selection.element,
    );
    if (!state.info.spectator) hud.bottom.append(card.element);
    this.tip = new HoverTip(state);
    hud.overlay.append(this.crosshair, this.tip.element);
    this.arrows = new EdgeArrows(hud.overlay);
    if (state.info.spectator && chooseTeam)
      void import("../hud/spectatorbar").then(
        (part) => {
          this.spectator = new part.SpectatorBar(state.info, colorOf, chooseTeam, rewind);
          hud.addTop(this.spectator.element);
        },
        () => undefined,
      );
    if (packAssets.goals.has(state.info.mode))
      void import("../hud/goals").then(
        (part) => {
          this.goals = new part.Goals(state, innerWidth > PHONE_WIDTH && innerHeight > PHONE_HEIGHT);
          hud.left.prepend(this.goals.element);
        },
        () => undefined,
      );
    this.speed = chooseTeam ? new SpeedBar((percent, paused) => match.setSpeed(percent, paused)) : null;
    if (this.speed) hud.addTop(this.speed.element);
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
    if (targeting.mode) hud.giveWay(mouse.mouseAt ?? (byKeys ? at : null));
    this.greet();
    this.selection.update();
    this.quick.update();
    this.goals?.update();
    card.update(targeting.modeId);
    this.updateCoach();
    this.bottomPx = hud.bottom.getBoundingClientRect().height + 16;
    this.spectator?.update(match.waitingMs);
    this.speed?.update(speedShown(match, performance.now()));
    this.updateVotes();
    this.figures?.update(nowMs);
  }

  /** The bar is loaded with the first question: few matches have one. The chat shows the question as well. */
  private updateVotes(): void {
    const { match, hud, settings } = this.context;
    this.votes?.update(votesShown(match, performance.now()));
    if (this.votesAsked || match.info.spectator || match.votes.polls.length === 0) return;
    this.votesAsked = true;
    void import("../hud/votebar").then(
      (part) => {
        this.votes = new part.VoteBar({
          cast: (kind, yes, slot) => match.vote(kind, yes, slot),
          keyOf: (yes) => keyLabel(settings.bindings[yes ? "voteYes" : "voteNo"][0] ?? ""),
        });
        hud.addTop(this.votes.element);
      },
      () => undefined,
    );
  }

  /** Units that are newly selected answer. */
  private greet(): void {
    const { match, selection, sound } = this.context;
    const active = selection.active();
    const before = this.greeted;
    this.greeted = active?.handles[0] ?? 0;
    // The next of the selected takes the place of a destroyed one: that is not news.
    const instead = before !== 0 && !match.state.world.has(before);
    if (!active || this.greeted === before || instead) return;
    sound.answer(typeOf(match.info.rules, active.type), "select");
  }

  /** The player's size of the panels, smaller on a page that they would fill. */
  get scale(): number {
    const { scale } = this.context.settings.value;
    // The layouts for phones are made for their size.
    if (innerWidth <= PHONE_WIDTH || innerHeight <= PHONE_HEIGHT) return scale;
    return scale * Math.max(0.7, Math.min(1, innerWidth / 1000));
  }

  /** The panel of figures is loaded with its first use. */
  async toggleFigures(): Promise<void> {
    const part = await import("./figures");
    if (!this.figures) {
      this.figures = part.figuresOf(this.context, () => this.fps);
      this.context.hud.add(this.figures.element);
    }
    this.figures.toggle();
  }

  dispose(): void {
    this.selection.dispose();
    this.quick.dispose();
    this.spectator?.dispose();
    this.figures?.dispose();
    this.coach?.dispose();
  }

  /** Brings the coach as the settings say, and lets it look at the match. */
  private updateCoach(): void {
    const { match, hud, settings, selection } = this.context;
    const { state } = match;
    const wanted = settings.value.coach && !state.info.spectator && state.result === null;
    if (!wanted) {
      this.coach?.dispose();
      this.coach = null;
      return;
    }
    const { controls } = this;
    if (!this.coach) {
      this.coach = new Coach(state, () => settings.bindings, {
        close: () => settings.change({ coach: false }),
        selectIdleWorker: () => controls.selectIdleWorker(),
        show: (unit) => {
          selection.set([unit]);
          controls.camera.goTo([unit]);
        },
        goToLastAlert: () => this.goToLastAlert(),
      });
      hud.showCoach(this.coach.element);
    }
    this.coach.update(this.arrows.words, controls.mouse.byTouch);
  }

  /** Updates the pointers at places of the field; with each frame. */
  point(nowMs: number): void {
    if (!this.arrows.any) return;
    const { renderer } = this.context;
    this.arrows.update(nowMs, {
      width: innerWidth,
      height: innerHeight,
      toPage: (x, z, out) => showsGround(this.context, x, z, out),
      focusX: renderer.camera.focusX,
      focusZ: renderer.camera.focusZ,
      // The space of the panels.
      inset: { top: 84 * this.scale, bottom: this.bottomPx, side: 34 },
    });
  }

  /** Moves the focus to the next panel, or to the one before. */
  focusNext(step: 1 | -1, more: readonly HTMLElement[]): void {
    const panels = [
      this.context.canvas,
      this.controls.card.element,
      this.selection.element,
      this.minimap.element,
      this.quick.element,
      this.selection.groups,
      ...this.context.hud.focusable,
      ...(this.spectator ? [this.spectator.element] : []),
      ...more,
    ];
    nextPanel(panels, document.activeElement, step)?.focus();
  }

  /** The view of a spectator, by the number of its key. */
  chooseView(key: number): void {
    const team = this.spectator?.teamOf(key);
    if (team !== undefined && team !== this.context.match.info.team) this.chooseTeam?.(team);
  }
}
