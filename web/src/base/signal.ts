/** Named events with many listeners; `on` returns the way to stop listening. */
export class Emitter<Events extends object> {
  private readonly lists = new Map<keyof Events, Set<(e: never) => void>>();

  on<K extends keyof Events>(kind: K, fn: (e: Events[K]) => void): () => void {
    let list = this.lists.get(kind);
    if (!list) {
      list = new Set();
      this.lists.set(kind, list);
    }
    list.add(fn as (e: never) => void);
    return () => list.delete(fn as (e: never) => void);
  }

  emit<K extends keyof Events>(kind: K, e: Events[K]): void {
    const list = this.lists.get(kind);
    if (!list) return;
    for (const fn of list) (fn as (e: Events[K]) => void)(e);
  }

  clear(): void {
    this.lists.clear();
  }
}
