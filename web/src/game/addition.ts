// A replay's additions to a match on the page, and replacements. The match knows only this interface.

import type { Minimap } from "../hud/minimap";
import type { DrawOptions } from "../render/layers";
import type { CameraControl } from "./cameracontrol";
import type { GameContext } from "./context";

/** The parts of a match on the page that an addition works with. */
export interface AdditionParts {
  readonly context: GameContext;
  readonly minimap: Minimap;
  readonly camera: CameraControl;
  /** The element that the match is in. */
  readonly root: HTMLElement;
}

export interface Addition {
  /** Panels that have the focus by key, in this order. */
  readonly panels: readonly HTMLElement[];
  /** A key was pressed on the page; true: it was this one's. */
  keyDown(e: KeyboardEvent): boolean;
  /** Ten times a second. */
  update(): void;
  /** Before each frame is drawn. */
  frame(dtMs: number): void;
  /** Draws on the ground and in the air, after the match's own marks. */
  readonly draw: NonNullable<DrawOptions["extra"]>;
  dispose(): void;
}

export type MakeAddition = (parts: AdditionParts) => Addition;
