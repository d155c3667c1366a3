// Loads the pack of a match before its first frame.

import type { MatchInfo } from "@fogkeep/client";

let used = "";

/** Loads the assets and texts of the match's pack; a match without one has those of the pages. It never fails. */
export async function usePack({ packHash }: Pick<MatchInfo, "packHash">): Promise<void> {
  if (packHash === used) return;
  used = packHash;
  try {
    await (await import("./pack")).loadPack(packHash);
  } catch (err) {
    used = "";
    console.warn(`The pack ${packHash} cannot be loaded: units look as without it.`, err);
  }
}
