import { FogkeepError } from "../base/errors.js";
import type { CallOptions } from "../base/openapi.js";

/** Loads a map in its public form (state/map.ts reads it), by its hash. Rejects with `map_missing`. */
export async function loadMap(hash: string, mapsUrl = "/maps", o: CallOptions = {}): Promise<Uint8Array> {
  let r: Response;
  try {
    r = await fetch(`${mapsUrl}/${hash}`, { signal: o.signal });
  } catch (err) {
    if (o.signal?.aborted) throw o.signal.reason;
    const why = err instanceof Error ? err.message : String(err);
    throw new FogkeepError("map_missing", `The map could not be loaded: ${why}.`, true);
  }
  if (!r.ok)
    throw new FogkeepError("map_missing", `The map could not be loaded (${r.status}).`, true, r.status);
  return new Uint8Array(await r.arrayBuffer());
}
