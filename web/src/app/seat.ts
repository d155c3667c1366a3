// The seat of a running match, kept in the tab so that a reload comes back to it.

const KEY = "fogkeep.seat";

export interface KeptSeat {
  lobby: string;
  /** The resume token. */
  resume: string;
  /** Number of the last order. */
  seq: number;
  /** The server at which the match was last. */
  at?: string;
}

export const keepSeat = (seat: KeptSeat): void => sessionStorage.setItem(KEY, JSON.stringify(seat));

export const forgetSeat = (): void => sessionStorage.removeItem(KEY);

/** Reads the kept seat and forgets it; null without one. */
export function takeSeat(): KeptSeat | null {
  const text = sessionStorage.getItem(KEY);
  forgetSeat();
  if (!text) return null;
  try {
    const seat = JSON.parse(text) as KeptSeat;
    return seat.resume ? seat : null;
  } catch {
    return null;
  }
}
