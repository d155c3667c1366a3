// The interface of a screen, and the app's calls for screens. Screens know this interface, not the app and not each
// other.

import type { Account, Banned, BotMatchRequest, Lobby } from "@fogkeep/client";
import type { ReplayLink } from "../replay/link";
import type { QueueModel } from "./queuemodel";

/** The page's content, and the function that stops it. */
export interface Screen {
  readonly element: HTMLElement;
  close?(): void;
}

export interface Navigation {
  /** The account that is logged in. */
  readonly account: Account | null;

  /** The obstacle that keeps the account out of lobbies and matches, or null. */
  readonly banned: Banned | null;

  /** Where the player stands in matchmaking. */
  readonly queue: QueueModel;
  /** How loud the page is, from 0 to 1. */
  readonly loudness: number;

  title(): void;
  home(): void;
  showLobby(lobby: Lobby): void;
  /** Says that the link in the address leads nowhere any more, and takes it out of there. */
  linkGone(why: string): void;
  /** Reads a lobby in which the player has a seat, and shows it. */
  openLobby(id: string): Promise<void>;
  /** The dialog of the settings. */
  openSettings(): void;

  /** Goes on to where the player wanted to go: the lobby of an invitation, or home. */
  loggedIn(account: Account): Promise<void>;
  /** The account is new, or has another name or password. */
  accountChanged(account: Account): void;
  /** The session has ended: shows the title. */
  loggedOut(): void;
  logOut(): Promise<void>;

  /** Takes a seat in a lobby, and asks for its password if it has one. Resolves with whether the player sits there. */
  join(id: string, isPrivate: boolean, spectate?: boolean): Promise<boolean>;
  /** A match is likely to be entered soon: its parts are loaded. */
  matchSoon(): void;
  /** Starts a match against a bot. A visitor becomes a guest. */
  playBot(request: BotMatchRequest): Promise<void>;
  /** The dialog that finds a match. A visitor becomes a guest. */
  quickMatch(): Promise<void>;
  /** Shows the missions. A visitor becomes a guest. */
  missions(): Promise<void>;
  /** Shows a match from its journal; a screen says why if that cannot be. */
  watchReplay(link: ReplayLink): Promise<void>;
  /** Connects to the running match of a lobby and shows it. */
  play(lobbyId: string): Promise<void>;

  /** Runs work that may fail; tells the player if it does, and resolves with undefined. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Shows a line, or the sentence of an error, for six seconds. */
  toast(what: unknown): void;
}
