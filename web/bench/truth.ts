// Where everything was at each tick, as the server told a client without delay.
// Team-mates have the same handles, so the places of one are asked for another.

import type { Handle, Match } from "@fogkeep/client";

export interface Place {
  x: number;
  z: number;
}

interface Sample {
  readonly tick: number;
  readonly places: ReadonlyMap<Handle, Place>;
}

/** More than any client is behind. */
const KEPT_TICKS = 200;

export class Truth {
  private readonly samples: Sample[] = [];

  constructor(match: Match) {
    match.events.on("frame", ({ tick }) => {
      const { world } = match.state;
      const places = new Map<Handle, Place>();
      for (let s = 0; s < world.high; s++)
        if (world.ids[s] !== 0)
          places.set(world.ids[s], { x: world.posX(s) / 1024, z: world.posY(s) / 1024 });
      this.samples.push({ tick, places });
      if (this.samples.length > KEPT_TICKS) this.samples.shift();
    });
  }

  /** Where an entity was at a tick (fractions allowed), in tiles; null: it was not there, or that is not known. */
  at(id: Handle, tick: number): Place | null {
    let k = this.samples.length - 1;
    while (k > 0 && this.samples[k - 1].tick > tick) k--;
    const before = this.samples[k - 1];
    const after = this.samples[k];
    if (!before || !after || tick < before.tick || tick > after.tick) return null;
    const a = before.places.get(id);
    const b = after.places.get(id);
    if (!a || !b) return null;
    const share = (tick - before.tick) / (after.tick - before.tick);
    return { x: a.x + (b.x - a.x) * share, z: a.z + (b.z - a.z) * share };
  }
}
