// The selected entities, and the control groups of the number keys. Entities that die, leave sight or go to another
// player are removed.

import { type Handle, type MatchState, type TypeId, typeOf } from "@fogkeep/client";

export class Selection {
  readonly handles = new Set<Handle>();
  readonly groups: Set<Handle>[] = Array.from({ length: 10 }, () => new Set());
  /** The type that the command card shows, when several are selected. */
  private focus: TypeId | null = null;
  private readonly offs: (() => void)[];

  constructor(private readonly state: MatchState) {
    this.offs = [
      state.events.on("leave", (e) => this.forget(e.id)),
      // A lost entity is not the player's own any more. A gained one stays only if it is selected alone: own and
      // foreign entities are never selected together.
      state.events.on("owner", (e) => {
        const alone = this.handles.size === 1 && state.relation(e.slot) === "own";
        if (!alone) this.forget(e.id);
      }),
      // An entity that is not in a snapshot has left.
      state.events.on("reset", () => {
        for (const list of [this.handles, ...this.groups]) {
          for (const id of list) if (!state.world.has(id)) this.forget(id);
        }
      }),
    ];
  }

  dispose(): void {
    for (const off of this.offs) off();
  }

  private forget(id: Handle): void {
    for (let k = 0; k < this.groups.length; k++) this.groups[k].delete(id);
    this.handles.delete(id);
  }

  set(handles: Iterable<Handle>): void {
    this.handles.clear();
    for (const h of handles) this.handles.add(h);
    this.focus = null;
  }

  /** Adds, for a box with Shift. */
  add(handles: Iterable<Handle>): void {
    // Own and foreign entities are never selected together.
    if ([...this.handles].some((h) => !this.isOwn(h))) this.handles.clear();
    for (const h of handles) this.handles.add(h);
  }

  /** Adds or removes one, for a click with Shift. */
  toggle(handle: Handle): void {
    if (!this.handles.delete(handle)) {
      if ([...this.handles].some((h) => !this.isOwn(h))) this.handles.clear();
      this.handles.add(handle);
    }
  }

  clear(): void {
    this.set([]);
  }

  /** The player's own among the selected, by rising handles. Orders go to these. */
  own(): Handle[] {
    return [...this.handles].filter((h) => this.isOwn(h)).sort((a, b) => a - b);
  }

  /** The selected own entities by type: armed units first, then workers, then structures. */
  types(): { type: TypeId; handles: Handle[] }[] {
    const by = new Map<TypeId, Handle[]>();
    for (const h of this.own()) {
      const type = this.state.world.type[this.state.world.slot(h)];
      const list = by.get(type);
      if (list) list.push(h);
      else by.set(type, [h]);
    }
    const { rules } = this.state.info;
    return [...by]
      .map(([type, handles]) => ({ type, handles }))
      .sort((a, b) => rank(typeOf(rules, a.type)) - rank(typeOf(rules, b.type)) || a.type - b.type);
  }

  /** All selected entities: own ones by type as above, then foreign ones. */
  sorted(): Handle[] {
    const own = this.types().flatMap((t) => t.handles);
    const taken = new Set(own);
    return [...own, ...[...this.handles].filter((h) => !taken.has(h) && this.state.world.has(h))];
  }

  /** The type that the command card shows. */
  active(): { type: TypeId; handles: Handle[] } | null {
    const types = this.types();
    return types.find((t) => t.type === this.focus) ?? types[0] ?? null;
  }

  /** The selected units of the active type. */
  activeUnits(): Handle[] {
    return this.active()?.handles ?? [];
  }

  /** Moves the card on to the next type, or back. */
  cycle(step: 1 | -1): void {
    const types = this.types();
    if (types.length < 2) return;
    const at = Math.max(
      0,
      types.findIndex((t) => t.type === this.active()?.type),
    );
    this.focus = types[(at + step + types.length) % types.length].type;
  }

  /** Shows a type on the command card. */
  focusOn(type: TypeId): void {
    this.focus = type;
  }

  assign(group: number): void {
    this.groups[group] = new Set(this.own());
  }

  /** Adds the selected to a group. A unit may be in several. */
  join(group: number): void {
    for (const h of this.own()) this.groups[group].add(h);
  }

  recall(group: number): boolean {
    if (this.groups[group].size === 0) return false;
    this.set(this.groups[group]);
    return true;
  }

  /** The middle of some entities, in tiles, or null when all are out of sight. */
  center(handles: Iterable<Handle>): { x: number; z: number } | null {
    const { world } = this.state;
    let x = 0;
    let z = 0;
    let n = 0;
    for (const h of handles) {
      const slot = world.slot(h);
      if (slot < 0) continue;
      x += world.posX(slot) / 1024;
      z += world.posY(slot) / 1024;
      n++;
    }
    return n > 0 ? { x: x / n, z: z / n } : null;
  }

  private isOwn(h: Handle): boolean {
    const slot = this.state.world.slot(h);
    return slot >= 0 && this.state.relation(slot) === "own";
  }
}

function rank(t: { class: string; worker: boolean; weapons: readonly number[] }): number {
  if (t.class === "structure") return 3;
  if (t.worker) return 2;
  return t.weapons.length > 0 ? 0 : 1;
}

/** Whether several of its kind may be selected: own entities; for a spectator any player's. */
export function mayBox(state: MatchState, slot: number): boolean {
  const relation = state.relation(slot);
  return relation === "own" || (state.info.spectator && relation !== "neutral");
}

/**
 * A box's selection from the entities that it touches: armed units before workers
 * before structures.
 */
export function boxPick(state: MatchState, touched: readonly number[]): Handle[] {
  const { world, info } = state;
  const own = touched.filter(
    (s) => mayBox(state, s) && typeOf(info.rules, world.type[s]).class !== "projectile",
  );
  for (const wanted of [0, 1, 2, 3]) {
    const hit = own.filter((s) => {
      const r = rank(typeOf(info.rules, world.type[s]));
      return wanted === 0 ? r <= 1 : r === wanted;
    });
    if (hit.length > 0) return hit.map((s) => world.ids[s]);
  }
  return [];
}
