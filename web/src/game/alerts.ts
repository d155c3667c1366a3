// Turns what was caught into few, useful alerts: news of one kind at one place
// is one alert, and nothing that is on screen is announced.

export interface Alert {
  readonly kind: string;
  readonly text: string;
  readonly danger: boolean;
  /** Tiles. */
  readonly x: number;
  readonly z: number;
  readonly atMs: number;
}

const NEAR_TILES = 14;
const COOLDOWN_MS = 10_000;
const KEPT = 8;

export class Alerts {
  /** Newest last. */
  readonly list: Alert[] = [];
  private walked = 0;

  /** Takes news; returns the alert when it is one to tell. */
  offer(
    kind: string,
    text: string,
    danger: boolean,
    x: number,
    z: number,
    nowMs: number,
    onScreen: boolean,
  ): Alert | null {
    for (const a of this.list) {
      const near = Math.hypot(a.x - x, a.z - z) < NEAR_TILES;
      if (a.kind === kind && near && nowMs - a.atMs < COOLDOWN_MS) return null;
    }
    if (onScreen && danger) return null;
    const alert: Alert = { kind, text, danger, x, z, atMs: nowMs };
    this.list.push(alert);
    if (this.list.length > KEPT) this.list.shift();
    this.walked = 0;
    return alert;
  }

  /** The latest alert, then the one before, and around. */
  walk(): Alert | null {
    if (this.list.length === 0) return null;
    const a = this.list[this.list.length - 1 - (this.walked % this.list.length)];
    this.walked++;
    return a;
  }
}
