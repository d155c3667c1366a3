// The part of the page for a match besides its screens.

import "../hud/hud.css";
import "../hud/field.css";

export { connect } from "@fogkeep/client";
export { Game } from "../game/game";
export { usePack } from "../pack/use";
