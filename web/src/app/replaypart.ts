// The part of the page for watching a match again.

import "../hud/hud.css";
import "../hud/field.css";
import "../replay/replay.css";

export { openReplay } from "@fogkeep/client";
export { Viewer } from "../replay/viewer";
export { offerReplay, watchReplay } from "./replay";
