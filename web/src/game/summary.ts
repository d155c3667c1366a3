// The last screen of a match. A player who closes it to look at the field gets
// back to it by the banner.

import "../hud/end.css";
import type { History, MatchResult } from "@fogkeep/client";
import { type EndOptions, type EndWays, endDialog } from "../hud/end";
import { t } from "../text/text";
import { focusField, type GameContext } from "./context";

export function showSummary(
  context: GameContext,
  result: MatchResult,
  history: History,
  ways: EndWays & Pick<EndOptions, "report">,
): void {
  const { match, hud, renderer } = context;
  const { state, info } = match;
  const dialog = endDialog(info, {
    result,
    seconds: Math.floor(((state.endTick ?? state.tick) * info.tickMs) / 1000),
    history,
    colorOf: (owner) => renderer.colors.hexOf(owner),
    ...ways,
    stay: () => {
      hud.setBanner(t("end.overLine"), {
        words: t("end.summary"),
        run: () => showSummary(context, result, history, ways),
      });
      focusField(context);
    },
  });
  hud.setBanner(null);
  hud.add(dialog);
  dialog.showModal();
}
