/** A listener threw. */
export interface ListenerFailure {
  readonly event: string;
  /** The name of the listener's function, or empty. */
  readonly listener: string;
  readonly error: unknown;
}

/**
 * Named events with many listeners; `on` returns the way to stop listening. A
 * listener that throws harms neither the other listeners nor the emitter: its
 * error goes to {@link Emitter.failed}.
 */
export class Emitter<Events extends object> {
  /** Called with each error of a listener; by default the console shows it. */
  failed: (f: ListenerFailure) => void = report;
  private readonly lists = new Map<keyof Events, Set<(e: never) => void>>();

  /** Listens until the returned function is called, or the signal aborts. */
  on<K extends keyof Events>(
    kind: K,
    fn: (e: Events[K]) => void,
    o: { signal?: AbortSignal } = {},
  ): () => void {
    if (o.signal?.aborted) return () => undefined;
    let list = this.lists.get(kind);
    if (!list) {
      list = new Set();
      this.lists.set(kind, list);
    }
    list.add(fn as (e: never) => void);
    const off = () => {
      list.delete(fn as (e: never) => void);
      o.signal?.removeEventListener("abort", off);
    };
    o.signal?.addEventListener("abort", off, { once: true });
    return off;
  }

  /** The next event of a kind. Rejects with the signal's reason when it aborts first. */
  next<K extends keyof Events>(kind: K, o: { signal?: AbortSignal } = {}): Promise<Events[K]> {
    return new Promise((resolve, reject) => {
      if (o.signal?.aborted) {
        reject(o.signal.reason);
        return;
      }
      const aborted = () => {
        off();
        reject(o.signal?.reason);
      };
      const off = this.on(kind, (e) => {
        off();
        o.signal?.removeEventListener("abort", aborted);
        resolve(e);
      });
      o.signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  /** Whether there are listeners. */
  has(kind: keyof Events): boolean {
    return (this.lists.get(kind)?.size ?? 0) > 0;
  }

  emit<K extends keyof Events>(kind: K, e: Events[K]): void {
    const list = this.lists.get(kind);
    if (!list) return;
    for (const fn of list) {
      try {
        (fn as (e: Events[K]) => void)(e);
      } catch (error) {
        this.failed({ event: String(kind), listener: fn.name, error });
      }
    }
  }

  clear(): void {
    this.lists.clear();
  }
}

/** Reports the error as uncaught; in a browser that is an `error` event of the page. */
export function report(f: ListenerFailure): void {
  const who = f.listener ? `"${f.listener}"` : "without a name";
  const why = f.error instanceof Error ? f.error.message : String(f.error);
  const error = new Error(`A listener ${who} of "${f.event}" threw: ${why}`, { cause: f.error });
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else console.error(error);
}
