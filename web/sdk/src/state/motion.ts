// Dead reckoning, the same arithmetic as the server's: integers, velocities in
// 1/64 world unit a tick, and a shift that rounds towards minus infinity.

/**
 * Where one axis of a course is at a whole tick.
 * @param at world units at the tick the course began
 * @param v 1/64 world unit a tick
 * @param ticks ticks since the course began
 */
export function extrapolate(at: number, v: number, ticks: number): number {
  return at + Math.floor((v * ticks) / 64);
}

/** The same between two ticks, for drawing: no rounding. */
export function glide(at: number, v: number, ticks: number): number {
  return at + (v * ticks) / 64;
}

/** Half a turn goes the positive way in all clients, though they round: up to here. */
const HALF = Math.PI + 1e-4;

/** The shortest way from one angle to another, in radians, between -pi and pi. */
export function turn(from: number, to: number): number {
  const d = (to - from) % (2 * Math.PI);
  return d > HALF ? d - 2 * Math.PI : d <= HALF - 2 * Math.PI ? d + 2 * Math.PI : d;
}

/** A facing of 256 to the turn, 0 east and 64 south, as radians. */
export function facingRad(facing: number): number {
  return (facing * Math.PI) / 128;
}
