// Sends new workers of the player to the nearest resource. A rally point of the building that made a worker comes
// before: the server sends the worker there.

import { type Handle, type MatchState, nearest, ownHandles, typeOf } from "@fogkeep/client";

/** Farther away no resource belongs to the base of the worker. */
const NEAR_WU = 16 * 1024;

/** The resource for a new unit; 0: it is no worker, has a rally point, or sees no resource near. */
export function resourceFor(state: MatchState, unit: Handle): Handle {
  const { world, info, own } = state;
  const slot = world.slot(unit);
  if (slot < 0 || !typeOf(info.rules, world.type[slot]).worker) return 0;
  const far = (id: Handle) => {
    const s = world.slot(id);
    return s < 0
      ? Number.POSITIVE_INFINITY
      : Math.hypot(world.posX(s) - world.posX(slot), world.posY(s) - world.posY(slot));
  };
  const makers = ownHandles(state, (type) => type.trains.includes(world.type[slot]));
  const maker = makers.sort((a, b) => far(a) - far(b))[0];
  if (maker !== undefined && own.production.get(maker)?.rally) return 0;
  const resource = nearest(state, unit, (type) => type.class === "resource");
  return far(resource) <= NEAR_WU ? resource : 0;
}
