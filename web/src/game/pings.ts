// Pings for the own team: by key at the pointer, by the minimap's button and a
// click, or at once with Alt and a click.

import type { Match, PingName, Pos } from "@fogkeep/client";
import { PingWheel } from "../hud/pingwheel";
import { rejectText } from "../text/names";

export interface PingPlaces {
  /** Where the pointer is on the page; null when it is elsewhere. */
  pointer(): { x: number; y: number } | null;
  /** The place of the world under a point of the page (field or minimap), in world units. */
  world(x: number, y: number): Pos | null;
  /** Shows why a ping was refused. */
  refused(words: string): void;
  /** The wheel was closed: the field gets the keyboard back. */
  done(): void;
}

export class Pings {
  private readonly wheel: PingWheel;

  constructor(
    private readonly match: Match,
    parent: HTMLElement,
    private readonly places: PingPlaces,
  ) {
    this.wheel = new PingWheel(parent);
  }

  /** Opens the wheel where the pointer is, or in the middle of the page without a pointer. */
  ask(): void {
    const p = this.places.pointer() ?? { x: innerWidth / 2, y: innerHeight / 2 };
    this.askAt(p.x, p.y);
  }

  /** The same at a point of the page. */
  askAt(x: number, y: number): void {
    const at = this.places.world(x, y);
    if (!at || this.match.info.spectator) return;
    this.wheel.ask(x, y, (kind) => {
      this.places.done();
      if (kind) this.send(kind, at);
    });
  }

  /** Pings at once, without the wheel. */
  look(x: number, y: number): void {
    const at = this.places.world(x, y);
    if (at) this.send("look", at);
  }

  dispose(): void {
    this.wheel.close(null);
  }

  private send(kind: PingName, at: Pos): void {
    if (this.match.info.spectator) return;
    void this.match.ping(kind, at).answer.then((a) => {
      if (!a.ok) this.places.refused(rejectText(a.code));
    });
  }
}
