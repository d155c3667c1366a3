// The server's answers about one match.

import { loadMap } from "@fogkeep/client";
import type { InspectStreamEnd } from "../../gen/admin";
import { admin } from "../api";
import { sentence } from "../words";
import { answers, eyesOf } from "./answers";
import type { Changes, State } from "./shapes";
import type { Source, StreamListener } from "./source";

/** The newest tick of a live match is shown so often. */
const EVERY_MS = 200;

export function serverSource(match: string): Source {
  return {
    ...answers(admin, match, loadMap),
    traffic: () => admin.liveTraffic(match),
    stream: (eyes, on) => openStream(match, eyes, on),
  };
}

/** The newest ticks of a live match as server-sent events. */
function openStream(match: string, eyes: number, on: StreamListener): () => void {
  const source = new EventSource(admin.inspectStreamUrl(match, { eyes: eyesOf(eyes), everyMs: EVERY_MS }));
  const listen = <T>(kind: string, fn: (v: T) => void) =>
    source.addEventListener(kind, (e) => fn(JSON.parse((e as MessageEvent<string>).data) as T));
  listen<State>("state", (s) => {
    on.note(null);
    on.state(s);
  });
  listen<Changes>("change", on.change);
  listen<InspectStreamEnd>("end", ({ words }) => {
    source.close();
    on.end(words);
  });
  source.onerror = () => {
    on.note(source.readyState === EventSource.OPEN ? null : "The stream was interrupted. Reconnecting…");
    if (source.readyState !== EventSource.CLOSED) return;
    // The browser does not try again: ask once for the state, since its refusal has the reason.
    admin.inspectState(match, { eyes: eyesOf(eyes) }).then(
      () => on.note("The stream was interrupted. Choose the eyes again."),
      (err) => on.note(sentence(err)),
    );
  };
  return () => source.close();
}
