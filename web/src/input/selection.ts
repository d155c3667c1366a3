// Who is selected, and the groups under the number keys. Handles only: what
// dies or leaves sight falls out by itself.

import type { Handle, TypeId } from "../base/ids";
import type { MatchState } from "../state/match";
import { typeOf } from "../state/rules";

export class Selection {
  readonly handles = new Set<Handle>();
  readonly groups: Set<Handle>[] = Array.from({ length: 10 }, () => new Set());
  /** Type the command card is about, when several are selected. */
  private focus: TypeId | null = null;
  /** Grows with each change, so that panels know when to look. */
  revision = 0;
  private readonly offs: (() => void)[];

  constructor(private readonly state: MatchState) {
    this.offs = [
      state.events.on("leave", (e) => this.forget(e.id)),
      // Who is not in a snapshot left while nobody was told.
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
    for (const g of this.groups) g.delete(id);
    if (this.handles.delete(id)) this.revision++;
  }

  set(handles: Iterable<Handle>): void {
    this.handles.clear();
    for (const h of handles) this.handles.add(h);
    this.focus = null;
    this.revision++;
  }

  /** Adds, as a box with shift does. */
  add(handles: Iterable<Handle>): void {
    // Own units and what belongs to others are never selected together.
    if ([...this.handles].some((h) => !this.isOwn(h))) this.handles.clear();
    for (const h of handles) this.handles.add(h);
    this.revision++;
  }

  /** In when it was out, out when it was in, as a click with shift does. */
  toggle(handle: Handle): void {
    if (!this.handles.delete(handle)) {
      if ([...this.handles].some((h) => !this.isOwn(h))) this.handles.clear();
      this.handles.add(handle);
    }
    this.revision++;
  }

  clear(): void {
    this.set([]);
  }

  /** Own things among the selected, in the order of their handles: these take orders. */
  own(): Handle[] {
    return [...this.handles].filter((h) => this.isOwn(h)).sort((a, b) => a - b);
  }

  /** Types among the own selected with their handles: armies first, then workers, then structures. */
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

  /** All that are in sight: the own by kind, as the card goes through them, then what belongs to others. */
  sorted(): Handle[] {
    const own = this.types().flatMap((t) => t.handles);
    const taken = new Set(own);
    return [...own, ...[...this.handles].filter((h) => !taken.has(h) && this.state.world.has(h))];
  }

  /** The type that the command card is about. */
  active(): { type: TypeId; handles: Handle[] } | null {
    const types = this.types();
    return types.find((t) => t.type === this.focus) ?? types[0] ?? null;
  }

  /** The selected units of that type. */
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
    this.revision++;
  }

  assign(group: number): void {
    this.groups[group] = new Set(this.own());
    this.revision++;
  }

  /** Adds the selected to a group. A unit may be in several. */
  join(group: number): void {
    for (const h of this.own()) this.groups[group].add(h);
    this.revision++;
  }

  recall(group: number): boolean {
    if (this.groups[group].size === 0) return false;
    this.set(this.groups[group]);
    return true;
  }

  /** The middle of some things, in tiles, or null when none is in sight. */
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

/** What several may be selected of: one's own; who only looks on may look at anybody's. */
export function mayBox(state: MatchState, slot: number): boolean {
  const relation = state.relation(slot);
  return relation === "own" || (state.info.spectator && relation !== "neutral");
}

/**
 * What a box takes of what it touched: army over workers over structures, and
 * own over foreign. Of what is not own, a single one.
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
