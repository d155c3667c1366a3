// The roles of entities, as types. The client may show its own guess for the player's own entities (autonomous): a
// unit's way, task and shots. All else it shows from the server's values alone (simulated). Code that writes a
// guess takes an Autonomous handle, so that a guess of a foreign entity does not compile.

import type { Handle } from "../base/ids.js";
import type { Predicted } from "../gen/fields.js";
import type { MatchInfo } from "./info.js";
import type { World } from "./world.js";

declare const ROLE: unique symbol;

/** A handle of the player's own: its acts may be predicted. */
export type Autonomous = Handle & { readonly [ROLE]: "autonomous" };
/** A handle of anything else. */
export type Simulated = Handle & { readonly [ROLE]: "simulated" };

/** Which role an entity has for this client; null: it is not in sight. A spectator has no entities. */
export function roleOf(info: MatchInfo, world: World, id: Handle): "autonomous" | "simulated" | null {
  const slot = world.slot(id);
  if (slot < 0) return null;
  return !info.spectator && world.owner[slot] === info.slot ? "autonomous" : "simulated";
}

/** The handle as one of the player's own, or null. Holds until the entity leaves or goes to another player. */
export function autonomous(info: MatchInfo, world: World, id: Handle): Autonomous | null {
  return roleOf(info, world, id) === "autonomous" ? (id as Autonomous) : null;
}

/** Names of fields that are predicted. A field that the server's table gives to the server alone does not compile. */
export function predicts<K extends Predicted>(...fields: K[]): readonly K[] {
  return fields;
}

/** The predictions, by entity. Only autonomous entities are written. */
export class PredictedStates<T> {
  private readonly states = new Map<Handle, T>();

  get size(): number {
    return this.states.size;
  }
  get(id: Handle): T | undefined {
    return this.states.get(id);
  }
  set(id: Autonomous, state: T): void {
    this.states.set(id, state);
  }
  delete(id: Handle): void {
    this.states.delete(id);
  }
  clear(): void {
    this.states.clear();
  }
  forEach(visit: (state: T, id: Handle) => void): void {
    this.states.forEach(visit);
  }
  [Symbol.iterator](): IterableIterator<[Handle, T]> {
    return this.states.entries();
  }
}
