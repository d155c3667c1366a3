import { FogkeepError } from "../base/errors.js";

/** Loads a map in its public form (state/map.ts reads it), by its hash. Rejects with `map_missing`. */
export async function loadMap(hash: string, mapsUrl = "/maps"): Promise<Uint8Array> {
  const r = await fetch(`${mapsUrl}/${hash}`);
  if (!r.ok)
    throw new FogkeepError("map_missing", `The map could not be loaded (${r.status}).`, true, r.status);
  return new Uint8Array(await r.arrayBuffer());
}
