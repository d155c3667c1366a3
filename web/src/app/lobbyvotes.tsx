// The question that the players of a lobby vote on: words, count, time left, and the two answers; for a short time its
// result.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../text/text";
import type { LobbyModel } from "./lobbymodel";

export function LobbyVotes({ model }: { model: LobbyModel }) {
  const { poll } = model.view.value.lobby;
  const left = useSignal(0);
  useEffect(() => {
    if (!poll) return;
    const ends = performance.now() + poll.endsInMs;
    const tick = () => {
      left.value = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
    };
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [poll]);
  if (!poll || left.value === 0) return null;
  const question = model.question.value;
  if (poll.result !== "open") {
    return (
      <p class="row" role="status" data-poll={poll.result}>
        {t(`votes.${poll.result}`, { question })}
      </p>
    );
  }
  const own = { yes: poll.yes.includes(model.me), no: poll.no.includes(model.me) };
  return (
    <p class="row wrap" role="status" aria-label={t("votes.title")} data-poll={poll.kind}>
      <b>{question}</b>
      <span class="dim">
        {t("votes.count", { yes: poll.yes.length, needed: poll.needed })} ·{" "}
        {t("votes.left", { seconds: left.value })}
      </span>
      {poll.voters.includes(model.me)
        ? (["yes", "no"] as const).map((answer) => (
            <button
              key={answer}
              type="button"
              data-answer={answer}
              aria-pressed={own[answer]}
              onClick={() => model.vote(poll.num, answer === "yes")}
            >
              {t(`votes.${answer}`)}
            </button>
          ))
        : null}
    </p>
  );
}
