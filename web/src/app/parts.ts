// The parts of the page that are loaded when they are needed, so that the first
// screen comes soon. Each is a file of its own with all that only it needs.

import { FogkeepError } from "@fogkeep/client";

/** A match: the connection, the field, the panels, its menu. */
export const matchPart = part(() => import("./matchpart"));

/** The scene behind the screens. */
export const scenePart = part(() => import("./scenepart"));

/** The dialog of the settings. */
export const menuPart = part(() => import("./menu"));

/** A part is loaded once. If that fails, for instance as the server has newer pages, it throws `part_missing`. */
function part<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch((err) => {
      throw new FogkeepError("part_missing", String(err), true);
    });
}
