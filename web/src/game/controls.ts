// The player's controls over one match, joined: mouse, keyboard, command card
// and pings.
//
//	mouse, keyboard, minimap ──► targeting, commands ──► orders ──► match

import { armyUnits, idleWorkers, posOf } from "@fogkeep/client";
import { CommandCard } from "../hud/card";
import type { DrawOptions } from "../render/layers";
import { Aims } from "./aims";
import { CameraControl } from "./cameracontrol";
import { CommandRunner } from "./commands";
import { focusField, type GameContext } from "./context";
import { Keyboard, type PageActions } from "./keyboard";
import { Mouse } from "./mouse";
import { OrderSender } from "./orders";
import { PathLines } from "./paths";
import { Pings } from "./pings";
import { Targeting } from "./targeting";

/** A group that is chosen again so soon is gone to. */
const TWICE_MS = 400;

/** The page around the battlefield for the controls. */
export interface ControlsPage extends PageActions {
  /** The element that shows the selection box. */
  readonly box: HTMLElement;
  /** The place of the map (tiles) under a point of the page that is on the minimap, else null. */
  placeOnMinimap(x: number, y: number): { x: number; z: number } | null;
}

export class Controls {
  readonly card: CommandCard;
  readonly orders: OrderSender;
  readonly targeting: Targeting;
  readonly commands: CommandRunner;
  readonly mouse: Mouse;
  readonly keyboard: Keyboard;
  readonly camera: CameraControl;
  readonly pings: Pings;
  /** Draws after these. */
  also: DrawOptions["extra"] | null = null;
  private readonly paths: PathLines;
  private readonly aims = new Aims();
  private lastGroup = { n: -1, ms: -1e9 };
  private nextIdle = 0;

  constructor(
    private readonly context: GameContext,
    page: ControlsPage,
    signal: AbortSignal,
  ) {
    const { match, selection, renderer, settings, hud } = context;
    const { state } = match;
    this.paths = new PathLines(match, selection);
    this.orders = new OrderSender(context, this.paths, () => this.card.together);
    this.card = new CommandCard(
      state,
      selection,
      () => ({ bindings: settings.bindings, grid: settings.value.preset === "grid" }),
      () => renderer.colors.hexOf(state.info.slot),
      (c, shift) => this.commands.run(c, shift),
      (c) => this.commands.takeBack(c),
    );
    this.pings = new Pings(match, hud.overlay, {
      pointer: () => this.mouse.at,
      world: (x, y) => {
        const p = page.placeOnMinimap(x, y) ?? renderer.groundAt(x, y);
        return p && posOf(p.x, p.z);
      },
      refused: (words) => hud.refuse(words),
      done: () => focusField(context),
    });
    this.targeting = new Targeting(context, this.orders, this.card, this.pings, () => this.mouse.byTouch);
    this.commands = new CommandRunner(context, this.orders, this.targeting, this.card);
    this.mouse = new Mouse(context, this.orders, this.targeting, this.card, this.pings, page.box);
    this.camera = new CameraControl(context);
    this.keyboard = new Keyboard(context, this, page, signal);
  }

  dispose(): void {
    this.mouse.dispose();
    this.card.dispose();
    this.paths.dispose();
    this.pings.dispose();
  }

  /** Selects a control group; the second time in a row it goes there. */
  recall(group: number): void {
    const now = performance.now();
    const { selection } = this.context;
    if (this.lastGroup.n === group && now - this.lastGroup.ms < TWICE_MS)
      this.camera.goTo(selection.groups[group]);
    else if (selection.recall(group)) this.card.menuOpen = false;
    this.lastGroup = { n: group, ms: now };
  }

  /** Selects the next worker that stands idle, and goes there. */
  selectIdleWorker(): void {
    const idle = idleWorkers(this.context.match.state);
    if (idle.length === 0) return;
    const next = idle[this.nextIdle++ % idle.length];
    this.context.selection.set([next]);
    this.camera.goTo([next]);
    this.card.menuOpen = false;
  }

  selectArmy(): void {
    this.context.selection.set(armyUnits(this.context.match.state));
    this.card.menuOpen = false;
  }

  /** Moves the camera for a frame. */
  moveCamera(dtMs: number): void {
    this.camera.move(dtMs, this.keyboard.isHeld, this.mouse.mouseAt);
  }

  /** Lines of orders, and the effect of the next click. */
  readonly draw: NonNullable<DrawOptions["extra"]> = (decals, billboards, ground) => {
    this.paths.draw(billboards, decals, ground, this.context.renderer.entities);
    this.aims.update(this.context.match.state);
    this.aims.draw(decals, ground);
    this.mouse.preview(decals, ground);
    this.targeting.preview(decals, ground, this.mouse.cursor, this.keyboard.forces);
    this.also?.(decals, billboards, ground);
  };
}
