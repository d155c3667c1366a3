// Where the player stands in matchmaking: party, queue, a match to accept. It does not draw. The page listens to
// events only while there is a party, since a browser has few connections to one server.

import { FogkeepError, type Queue, type Standing } from "@fogkeep/client";
import { signal } from "@preact/signals";
import { RANDOM } from "./factionselect";
import { api, server } from "./server";

/** The app's functions for the model. */
export interface QueueHost {
  /** A match was found, and all have accepted: go there. */
  found(lobby: string): void;
  /** The party came out of its queue; `code` says why. */
  dropped(code: string): void;
}

/** A standing with when it came, by the page's clock: its times count from there. */
export interface Stood extends Standing {
  at: number;
}

export class QueueModel {
  readonly standing = signal<Stood | null>(null);
  readonly queues = signal<readonly Queue[]>([]);
  /** The stream of events is broken, and the browser tries again. */
  readonly away = signal(false);
  /** The queue in which the player waited last. */
  lastQueue = "";
  /** The faction that the player wished for last. */
  lastFaction = RANDOM;
  /** The maps that the player vetoed last. */
  lastVetoes: readonly string[] = [];
  private events: { close(): void } | null = null;

  constructor(private readonly host: QueueHost) {}

  /** Reads the standing of a player who has just come to the page. */
  async start(): Promise<void> {
    try {
      this.take(await api.standing());
    } catch (err) {
      if (!(err instanceof FogkeepError)) throw err; // without the server nothing else works either
    }
  }

  /** The account has logged out. */
  stop(): void {
    this.events?.close();
    this.events = null;
    this.standing.value = null;
  }

  async readQueues(): Promise<void> {
    this.queues.value = (await api.queues()).queues;
  }

  join = async (queue: string, faction = this.lastFaction, vetoes = this.lastVetoes): Promise<void> => {
    this.lastFaction = faction;
    this.lastVetoes = vetoes;
    this.take(await api.joinQueue({ queue, faction, vetoes: [...vetoes] }));
  };
  chooseFaction = async (faction: string): Promise<void> => this.take(await api.chooseFaction({ faction }));
  leave = async (): Promise<void> => this.take(await api.leaveQueue());
  makeParty = async (): Promise<void> => this.take(await api.makeParty());
  joinParty = async (code: string): Promise<void> => this.take(await api.joinParty({ code }));
  leaveParty = async (): Promise<void> => this.take(await api.leaveParty());
  remove = async (account: string): Promise<void> => this.take(await api.removeMember(account));

  async answer(offer: string, accept: boolean): Promise<void> {
    this.take(await api.answerOffer({ offer, accept }));
  }

  /** A match is searched for. */
  get searches(): boolean {
    return !!this.standing.peek()?.party?.queue;
  }

  /** Whether a lobby belongs to the match that was found last. */
  isOf(lobby: string): boolean {
    return lobby !== "" && this.standing.peek()?.party?.lobby === lobby;
  }

  private take(now: Standing): void {
    const before = this.standing.peek();
    this.standing.value = { ...now, at: performance.now() };
    if (now.party?.queue) {
      this.lastQueue = now.party.queue;
      // A page that was loaded anew does not know the queue's name yet, and shows its id until it does.
      if (this.queues.peek().length === 0) void this.readQueues().catch(() => undefined);
    }
    if (now.party && !this.events) {
      this.events = server.listenStanding({
        standing: (s) => this.take(s),
        away: () => {
          this.away.value = true;
        },
        back: () => {
          this.away.value = false;
        },
      });
    } else if (!now.party && this.events) {
      this.events.close();
      this.events = null;
    }
    if (!before?.party || before.party.id !== now.party?.id) return;
    if (now.party.lobby && now.party.lobby !== before.party.lobby) this.host.found(now.party.lobby);
    else if (before.party.queue && !now.party.queue && now.party.outOf) this.host.dropped(now.party.outOf);
  }
}
