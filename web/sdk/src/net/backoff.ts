// How long is waited before a lost connection is tried again.

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 5000;

/** The wait before an attempt: doubles up to 5 s, and is varied at random so that clients do not retry together. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + random / 2));
}
