// The parts of the page that are loaded when they are needed, so that the first
// screen comes soon. Each is a file of its own with all that only it needs.

import { FogkeepError } from "@fogkeep/client";
import { useTexts } from "../text/text";

/** A match: the connection, the field, the panels, its menu. */
export const matchPart = part(async () => {
  const [loaded] = await Promise.all([import("./matchpart"), useTexts("match")]);
  return loaded;
});

/** A replay: a match with its viewer. */
export const replayPart = part(async () => {
  const [loaded] = await Promise.all([import("./replaypart"), useTexts("match", "replay")]);
  return loaded;
});

/** The screens around a match: home, lobby, invitations. */
export const roomsPart = part(async () => {
  const [loaded] = await Promise.all([import("./rooms"), useTexts("rooms")]);
  return loaded;
});

/** The scene behind the screens. */
export const scenePart = part(() => import("./scenepart"));

/** The menu of a match, and the dialog of the settings. */
export const menuPart = part(async () => {
  const [loaded] = await Promise.all([import("./menu"), useTexts("match")]);
  return loaded;
});

/** A part is loaded once. If that fails, for instance as the server has newer pages, it throws `part_missing`. */
function part<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch((err) => {
      throw new FogkeepError("part_missing", String(err), true);
    });
}
