// The answers of the inspector's API about one match, wherever that API is.

import { decodeMap } from "@fogkeep/client";
import { landscape } from "../../draw/topdown";
import type { client } from "../../gen/admin";
import { ALL } from "./link";
import type { Source } from "./source";

export const eyesOf = (eyes: number): string => (eyes === ALL ? "all" : String(eyes));

/** `mapOf` reads a map's bytes by its hash. */
export function answers(
  api: ReturnType<typeof client>,
  match: string,
  mapOf: (hash: string) => Promise<Uint8Array>,
): Omit<Source, "stream" | "traffic"> {
  return {
    facts: (signal) => api.inspectMatch(match, { signal }),
    state: (eyes, tick, signal) =>
      api.inspectState(match, { tick, eyes: eyesOf(eyes), sight: 1 }, { signal }),
    changes: (eyes, from, tick, signal) =>
      api.inspectChanges(match, { from, tick, eyes: eyesOf(eyes) }, { signal }),
    entity: (id, tick, signal) => api.inspectEntity(match, { id, tick }, { signal }),
    tile: (x, y, team, tick, signal) => api.inspectTile(match, { x, y, team, tick }, { signal }),
    orders: ({ slot, ...q }, signal) =>
      api.inspectOrders(match, { ...q, slot: slot === undefined ? undefined : String(slot) }, { signal }),
    known: (team, tick, signal) => api.inspectKnown(match, { team, tick }, { signal }),
    bytes: (team, tick, signal) => api.inspectBytes(match, { team, tick }, { signal }),
    times: (from, to, signal) => api.inspectTimes(match, { from, to }, { signal }),
    land: async (hash) => {
      try {
        return landscape(decodeMap(await mapOf(hash)));
      } catch {
        return null; // entities are drawn without it
      }
    },
  };
}
