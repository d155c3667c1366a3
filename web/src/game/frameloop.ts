// Draws the battlefield with each frame of the browser and updates the panels
// ten times a second, and in the next frame when the player gave an order. Lowers
// the resolution where frames come late.

import type { Match } from "@fogkeep/client";
import type { Minimap } from "../hud/minimap";
import type { DrawOptions } from "../render/layers";
import type { Renderer } from "../render/renderer";
import type { GameContext } from "./context";
import type { Controls } from "./controls";
import type { Keyboard } from "./keyboard";
import type { Mouse } from "./mouse";
import { Pacing } from "./pacing";
import type { Panels } from "./panels";
import type { Settings } from "./settings";

const HUD_PERIOD_MS = 100;
const FRAME_MS_MAX = 100;

/** The part of a match on the page that the loop uses. A bench without a page supplies it. */
export interface LoopContext extends Pick<GameContext, "selection"> {
  readonly match: Pick<Match, "clock" | "waitingMs" | "state" | "drawTick" | "network">;
  readonly settings: { readonly value: Pick<Settings, "bars"> };
  readonly renderer: Pick<Renderer, "draw" | "changeResolution">;
}

export interface LoopControls extends Pick<Controls, "draw" | "moveCamera"> {
  readonly mouse: Pick<Mouse, "hoverHandle">;
  readonly keyboard: Pick<Keyboard, "isHeld">;
}

export interface LoopPanels extends Pick<Panels, "fps" | "point" | "update"> {
  readonly minimap: Pick<Minimap, "draw">;
}

export class FrameLoop {
  frames = 0;
  private raf = 0;
  private lastMs = performance.now();
  private lastHudMs = 0;
  /** The orders that the panels show. */
  private ordersShown = 0;
  private readonly fps = new FrameRate();
  private readonly pacing = new Pacing();
  /** One object for all frames. */
  private readonly options: { -readonly [K in keyof DrawOptions]: DrawOptions[K] };

  constructor(
    private readonly context: LoopContext,
    private readonly controls: LoopControls,
    private readonly panels: LoopPanels,
    /** Called before a frame is drawn. */
    private readonly beforeFrame: (dtMs: number) => void,
    /** Called ten times a second. */
    private readonly update: (nowMs: number) => void,
  ) {
    this.options = {
      selected: context.selection.handles,
      hover: 0,
      bars: context.settings.value.bars,
      extra: controls.draw,
    };
  }

  start(): void {
    this.lastMs = performance.now();
    this.step();
  }

  stop(): void {
    cancelAnimationFrame(this.raf);
  }

  /** After a pause: the next frame follows now. */
  resume(): void {
    this.lastMs = performance.now();
    this.pacing.clear();
  }

  private readonly step = (): void => {
    this.raf = requestAnimationFrame(this.step);
    const now = performance.now();
    const passed = now - this.lastMs;
    const dt = Math.min(FRAME_MS_MAX, passed);
    this.lastMs = now;
    const { match } = this.context;
    // A spectator who waits for the first frame looks at the dark map.
    if (match.clock.ready || match.waitingMs > 0) {
      // Another resolution clears the canvas: what follows draws it again within the same frame.
      this.adaptResolution(passed);
      this.drawField(now, dt);
    }
    const { version } = match.state.prediction;
    if (now - this.lastHudMs > HUD_PERIOD_MS || version !== this.ordersShown) {
      this.lastHudMs = now;
      this.ordersShown = version;
      this.updateHud(now);
    }
  };

  private drawField(nowMs: number, dtMs: number): void {
    const { match, settings, renderer } = this.context;
    // This may clear the canvas too.
    this.beforeFrame(dtMs);
    this.controls.moveCamera(dtMs);
    this.options.hover = this.controls.mouse.hoverHandle;
    this.options.bars = this.controls.keyboard.isHeld("bars") ? "all" : settings.value.bars;
    const tick = match.drawTick;
    match.state.fire.draw(tick, nowMs);
    renderer.draw(tick, dtMs, this.options);
    this.panels.point(nowMs);
    this.frames++;
    this.panels.minimap.draw(nowMs);
  }

  private updateHud(nowMs: number): void {
    this.panels.fps = this.fps.over(1000, nowMs, this.frames) ?? this.panels.fps;
    this.panels.update(nowMs);
    this.update(nowMs);
  }

  /** Lowers or raises the resolution. */
  private adaptResolution(passedMs: number): void {
    if (document.hidden) return;
    this.context.match.network.drew(passedMs);
    const change = this.pacing.frame(passedMs);
    if (change !== null) this.context.renderer.changeResolution(change === "finer" ? 1 : -1);
  }
}

/** Frames a second over periods of some length. */
class FrameRate {
  private sinceMs = performance.now();
  private since = 0;

  /** The rate of a period that ends now; null while the period is not over. */
  over(periodMs: number, nowMs: number, frames: number): number | null {
    if (nowMs - this.sinceMs < periodMs) return null;
    const rate = ((frames - this.since) * 1000) / (nowMs - this.sinceMs);
    this.sinceMs = nowMs;
    this.since = frames;
    return rate;
  }
}
