// Reduces events to few alerts: events of one kind at one place are one alert,
// and a danger that is on the screen is not announced.

import type { Handle } from "@fogkeep/client";

export interface Alert {
  readonly kind: string;
  readonly text: string;
  readonly danger: boolean;
  /** Tiles. */
  readonly x: number;
  readonly z: number;
  readonly atMs: number;
  /** The things that its events concern. */
  readonly concerned: Set<Handle>;
}

const NEAR_TILES = 14;
const COOLDOWN_MS = 10_000;
const KEPT = 8;

export class Alerts {
  /** Newest last. */
  readonly list: Alert[] = [];
  private stepsBack = 0;
  /** The alert that the last event was merged into; null: it was not merged. */
  again: Alert | null = null;

  /** Adds an event; returns the alert when it is one to show. */
  add(
    kind: string,
    text: string,
    danger: boolean,
    x: number,
    z: number,
    nowMs: number,
    /** Whether the place is on the screen, and no panel over it. */
    shows: () => boolean,
    concerned: Handle = 0,
  ): Alert | null {
    this.again =
      this.list.find((a) => {
        const near = Math.hypot(a.x - x, a.z - z) < NEAR_TILES;
        return a.kind === kind && near && nowMs - a.atMs < COOLDOWN_MS;
      }) ?? null;
    if (this.again) {
      this.again.concerned.add(concerned);
      return null;
    }
    if (danger && shows()) return null;
    const alert: Alert = { kind, text, danger, x, z, atMs: nowMs, concerned: new Set([concerned]) };
    this.list.push(alert);
    if (this.list.length > KEPT) this.list.shift();
    this.stepsBack = 0;
    return alert;
  }

  /** The latest alert, then the one before it, and so on; after the oldest the latest again. */
  previous(): Alert | null {
    if (this.list.length === 0) return null;
    const a = this.list[this.list.length - 1 - (this.stepsBack % this.list.length)];
    this.stepsBack++;
    return a;
  }
}
