// Which address a link tries next. A match can be on another server than its ticket, and can move while it is played.
//
//	        moved(url) ──► there at once, a few times
//	lost ──► where the match was ─► the service ─► its other servers ─► …
//
// The right to the seat is shown only to addresses that the caller gave, or that a server
// named over a connection that was as secure (address.ts). Once a connection had TLS, only
// addresses with TLS are tried.

import { isSecure, socketAddress } from "./address.js";
import { backoff } from "./backoff.js";

/** So many moves are followed at once in HOPS_MS; then the link waits as after a lost connection. */
export const HOPS_MAX = 4;
const HOPS_MS = 10_000;
/** A link that is sent back so soon waits: the match is on its way, and not everybody knows it yet. */
const BACK_MS = 1000;
/** An address that answers that the match is about to come back is asked so often, then the next one. */
const ASKED_MAX = 5;
/** How many other servers are kept. */
const OTHERS_MAX = 4;

export class Route {
  /** The address for the next attempt. */
  address: string;
  private at: string;
  private others: readonly string[] = [];
  /** Place of `address` in `all`. */
  private turn = 0;
  /** Attempts since the connection was lost. */
  attempt = 0;
  private asked = 0;
  private secure = false;
  private hops: number[] = [];
  /** The server that sent the link to `address`, or "". */
  private cameFrom = "";

  /** `home` is the service's address; `at`, told by it, is where the match is. */
  constructor(
    private readonly home: string,
    at = "",
  ) {
    this.at = socketAddress(at, home);
    this.address = this.at || home;
  }

  /** Whether there is more than one address to try. */
  get hasOthers(): boolean {
    return this.all().length > 1;
  }

  /** Where the match was last, or is said to be. */
  get place(): string {
    return this.at || this.home;
  }

  /** The connection to `address` has the seat. `others` are further servers of the service. */
  welcomed(others: readonly string[]): void {
    this.secure ||= isSecure(this.address);
    this.at = this.address;
    const told = others.slice(0, OTHERS_MAX).map((o) => socketAddress(o, this.address));
    this.others = told.filter((o) => o !== "");
    this.turn = 0;
    this.attempt = 0;
    this.asked = 0;
  }

  /** The server at `address` says where the match is; "": it does not know yet. Returns the wait before the next attempt, ms. */
  moved(url: string, nowMs: number, random: number): number {
    this.hops = this.hops.filter((at) => nowMs - at < HOPS_MS);
    const to = socketAddress(url, this.address);
    const back =
      to === this.cameFrom && nowMs - (this.hops[this.hops.length - 1] ?? Number.NEGATIVE_INFINITY) < BACK_MS;
    if (to && !back) {
      const follow = this.hops.length < HOPS_MAX;
      if (follow) this.hops.push(nowMs);
      this.cameFrom = this.address;
      this.at = to;
      this.address = to;
      this.turn = 0;
      return follow ? 0 : backoff(++this.attempt, random);
    }
    if (++this.asked % ASKED_MAX === 0) this.advance();
    return backoff(++this.attempt, random);
  }

  /** The attempt at `address`, or the connection, failed. Returns the wait before the next attempt, ms. */
  lost(random: number): number {
    // The first attempt goes where the match was: perhaps it is only the connection that is gone.
    if (this.attempt > 0) this.advance();
    return backoff(++this.attempt, random);
  }

  private advance(): void {
    const all = this.all();
    this.turn = (this.turn + 1) % all.length;
    this.address = all[this.turn];
  }

  private all(): string[] {
    const all = [this.place, this.home, ...this.others];
    return all.filter((a, i) => all.indexOf(a) === i && (!this.secure || isSecure(a)));
  }
}
