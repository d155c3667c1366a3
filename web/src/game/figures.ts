// The panel of figures, with its lines about drawing, the world and the connection.

import { Figures } from "../hud/figures";
import { t } from "../text/text";
import type { GameContext } from "./context";

/** The panel of a match, hidden at first; `fps` is the frame rate. */
export function figuresOf({ match, renderer }: GameContext, fps: () => number): Figures {
  return new Figures(match.traffic, () => {
    const { clock, state } = match;
    const ms = renderer.timings;
    return [
      t("figures.drawing", { fps: fps().toFixed(0), draws: renderer.draws, quality: renderer.quality }),
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
  });
}
