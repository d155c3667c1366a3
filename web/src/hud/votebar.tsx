// The questions that players vote on: words, count, time left, and the two answers with their keys. It is empty
// without a question.

import type { VoteKind } from "@fogkeep/client";
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { t } from "../text/text";
import { h } from "../ui/dom";

/** The shown part of a question. */
export interface QuestionShown {
  readonly kind: VoteKind;
  readonly slot: number;
  readonly open: boolean;
  readonly words: string;
  readonly yes: number;
  readonly needed: number;
  /** Seconds. */
  readonly left: number;
  /** The player's own vote. */
  readonly own: "yes" | "no" | "";
  /** The player has a vote. */
  readonly votes: boolean;
  /** The keys answer this question. */
  readonly keys: boolean;
}

export interface VoteActions {
  cast(kind: VoteKind, yes: boolean, slot: number): void;
  /** The label of an answer's key. */
  keyOf(yes: boolean): string;
}

export class VoteBar {
  readonly element = h("div", { class: "speed-bar", "aria-label": t("votes.title") });
  private readonly shown: Signal<readonly QuestionShown[]> = signal([]);
  private last = "[]";

  constructor(actions: VoteActions) {
    render(<Bar shown={this.shown} actions={actions} />, this.element);
  }

  /** With each drawn frame. */
  update(now: readonly QuestionShown[]): void {
    const key = JSON.stringify(now);
    if (key === this.last) return;
    this.last = key;
    this.shown.value = now;
  }
}

function Bar({ shown, actions }: { shown: Signal<readonly QuestionShown[]>; actions: VoteActions }) {
  return (
    <>
      {shown.value.map((q) => (
        <p class="panel" role="status" data-vote={q.kind} key={`${q.kind} ${q.slot}`}>
          <span>{q.words}</span>
          {q.open && (
            <span class="dim">
              {t("votes.count", { yes: q.yes, needed: q.needed })} · {t("votes.left", { seconds: q.left })}
            </span>
          )}
          {q.open &&
            q.votes &&
            (["yes", "no"] as const).map((answer) => (
              <button
                key={answer}
                type="button"
                data-answer={answer}
                aria-pressed={q.own === answer}
                onClick={() => actions.cast(q.kind, answer === "yes", q.slot)}
              >
                {t(`votes.${answer}`)}
                {q.keys && <kbd>{actions.keyOf(answer === "yes")}</kbd>}
              </button>
            ))}
        </p>
      ))}
    </>
  );
}
