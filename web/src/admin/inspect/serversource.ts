// The server's answers about one match.

import { decodeMap, loadMap } from "@fogkeep/client";
import { landscape } from "../../draw/topdown";
import type { InspectStreamEnd } from "../../gen/admin";
import { admin } from "../api";
import { sentence } from "../words";
import { ALL } from "./link";
import type { Changes, State } from "./shapes";
import type { Source, StreamListener } from "./source";

/** The newest tick of a live match is shown so often. */
const EVERY_MS = 200;

const eyesOf = (eyes: number): string => (eyes === ALL ? "all" : String(eyes));

export function serverSource(match: string): Source {
  return {
    facts: (signal) => admin.inspectMatch(match, { signal }),
    state: (eyes, tick, signal) =>
      admin.inspectState(match, { tick, eyes: eyesOf(eyes), sight: 1 }, { signal }),
    changes: (eyes, from, tick, signal) =>
      admin.inspectChanges(match, { from, tick, eyes: eyesOf(eyes) }, { signal }),
    entity: (id, tick, signal) => admin.inspectEntity(match, { id, tick }, { signal }),
    tile: (x, y, team, tick, signal) => admin.inspectTile(match, { x, y, team, tick }, { signal }),
    orders: ({ slot, ...q }, signal) =>
      admin.inspectOrders(match, { ...q, slot: slot === undefined ? undefined : String(slot) }, { signal }),
    known: (team, tick, signal) => admin.inspectKnown(match, { team, tick }, { signal }),
    bytes: (team, tick, signal) => admin.inspectBytes(match, { team, tick }, { signal }),
    times: (from, to, signal) => admin.inspectTimes(match, { from, to }, { signal }),
    stream: (eyes, on) => openStream(match, eyes, on),
    land: async (hash) => {
      try {
        return landscape(decodeMap(await loadMap(hash)));
      } catch {
        return null; // entities are drawn without it
      }
    },
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
