// How long is waited before a lost connection is tried again.

/** The first waits. */
const FIRST_MS = [200, 400];
/**
 * The wait of the attempts after them: a match whose server died is on another one after about two seconds, and a player
 * waits no longer than this for the next attempt.
 */
const QUICK_MS = 600;
/** So many attempts are quick: about six seconds. */
const QUICK_MAX = 14;
const BACKOFF_MAX_MS = 5000;

/** The wait before an attempt, counted from 1: short at first, then doubled up to 5 s. It varies at random, so that clients do not retry together. */
export function backoff(attempt: number, random: number): number {
  const full =
    FIRST_MS[attempt - 1] ?? Math.min(BACKOFF_MAX_MS, QUICK_MS * 2 ** Math.max(0, attempt - QUICK_MAX));
  return Math.round(full * (0.5 + random / 2));
}
