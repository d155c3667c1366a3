// The stream of a live match's states, and what to show when it breaks.

import type { LiveEnd, LiveState } from "../gen/live";
import { admin } from "./api";
import { sentence } from "./words";

/** What a listener is told. */
export interface LiveListener {
  state(s: LiveState): void;
  /** A line about the stream, or null when it runs again. */
  note(words: string | null): void;
}

/** Opens the stream of what `eyes` see of a match: a team's number, or `all`. Returns what closes it. */
export function openLiveStream(match: string, eyes: string, on: LiveListener): () => void {
  const source = new EventSource(admin.liveStatesUrl(match, { eyes, sight: 1, everyMs: 200 }));
  const listen = <T>(kind: string, fn: (v: T) => void) =>
    source.addEventListener(kind, (e) => fn(JSON.parse((e as MessageEvent<string>).data) as T));
  listen<LiveState>("state", on.state);
  listen<LiveEnd>("end", ({ reason }) => {
    source.close();
    on.note(`The match is over: ${reason}.`);
  });
  source.onerror = () => {
    on.note(source.readyState === EventSource.OPEN ? null : "The stream was interrupted. Reconnecting…");
    if (source.readyState !== EventSource.CLOSED) return;
    // The browser does not try again: ask once for the state, since its refusal has the reason.
    admin.liveState(match, { eyes }).then(
      () => on.note("The stream was interrupted. Choose the eyes again."),
      (err) => on.note(sentence(err)),
    );
  };
  return () => source.close();
}
