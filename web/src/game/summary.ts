// The last screen of a match. A player who closes it to look at the field gets
// back to it by the banner.

import type { History, MatchResult } from "@fogkeep/client";
import { endDialog } from "../hud/end";
import { t } from "../text/text";
import { focusField, type GameContext } from "./context";

/** Where a player goes from there. */
export interface SummaryWays {
  /** Another match of the same lobby; absent when it is not this player's to start. */
  readonly again?: () => Promise<void>;
  /** Shows the match again. */
  readonly replay?: () => Promise<void>;
  /** Opens the dialog of a report. */
  readonly report?: () => void;
  /** Asks a player to be friends. */
  readonly befriend?: (name: string) => Promise<boolean>;
  leave(): void;
}

export function showSummary(
  context: GameContext,
  result: MatchResult,
  history: History,
  ways: SummaryWays,
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
