// The votes of the match, between the SDK and the panels.

import type { Match, MatchInfo, Poll } from "@fogkeep/client";
import type { QuestionShown } from "../hud/votebar";
import { t } from "../text/text";

/** The question that the keys answer: the first open one on which this player has a vote. */
export const openPoll = ({ votes, info }: Pick<Match, "votes" | "info">): Poll | undefined =>
  votes.polls.find((p) => p.result === "open" && p.voters.includes(info.slot));

const nameOf = (info: Pick<MatchInfo, "players">, slot: number) => info.players[slot]?.name ?? "";

export const questionText = (info: Pick<MatchInfo, "players">, p: Poll): string =>
  t(`votes.${p.kind}`, { name: nameOf(info, p.slot) });

/** The state of a question in words. */
export function pollText(info: Pick<MatchInfo, "players">, p: Poll): string {
  const question = questionText(info, p);
  return p.result === "open"
    ? t("votes.asks", { name: nameOf(info, p.by), question })
    : t(`votes.${p.result}`, { question });
}

/** The bar's content now. */
export function votesShown({ votes, info }: Pick<Match, "votes" | "info">, nowMs: number): QuestionShown[] {
  const first = openPoll({ votes, info });
  return votes.polls.map((p) => ({
    kind: p.kind,
    slot: p.slot,
    open: p.result === "open",
    words: pollText(info, p),
    yes: p.yes.length,
    needed: p.needed,
    left: Math.max(0, Math.ceil((p.endsMs - nowMs) / 1000)),
    own: p.yes.includes(info.slot) ? "yes" : p.no.includes(info.slot) ? "no" : "",
    votes: p.voters.includes(info.slot),
    keys: p === first,
  }));
}
