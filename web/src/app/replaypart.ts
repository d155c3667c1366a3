// What the page needs to watch a match again.

import "../hud/hud.css";
import "../hud/field.css";
import "../hud/end.css";
import "../replay/replay.css";

export { offerReplay, watchReplay } from "./replay";
