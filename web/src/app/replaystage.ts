// The app's functions for the part of replays.

import type { Replay } from "@fogkeep/client";
import type { Game } from "../game/game";
import type { Screen } from "./navigation";

export interface ReplayStage {
  readonly root: HTMLElement;
  /** The match or replay that is on the page. */
  playing(): Game | null;
  /** Id of the lobby that the player is in, or whose match is played; empty without one. */
  lobby(): string;
  show(screen: Screen): void;
  /** Leaves the present screen, and shows a replay by the game that `game` makes. */
  begin(replay: Replay, game: () => Game): void;
  /** Leaves the match that is on the page. */
  end(): void;
  /** Goes to a lobby, or home if the id is empty. */
  leave(lobbyId: string): void;
}
