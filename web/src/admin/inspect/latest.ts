// Requests to the server of which only the newest matters. While one is under way the next waits, and a newer one takes
// its place: however fast a person drags, one request at a time is on its way.

export class Latest<Q, A> {
  private wanted: { q: Q } | null = null;
  private running = false;
  private closed = false;
  private readonly aborter = new AbortController();

  /** `done` gets the answer and its question; `failed` why there is none. */
  constructor(
    private readonly ask: (q: Q, signal: AbortSignal) => Promise<A>,
    private readonly done: (a: A, q: Q) => void,
    private readonly failed: (err: unknown, q: Q) => void,
    /** The least time between two questions. */
    private readonly restMs = 0,
  ) {}

  /** Whether an answer is still to come. */
  get busy(): boolean {
    return this.running;
  }

  want(q: Q): void {
    this.wanted = { q };
    if (!this.running) void this.run();
  }

  /** Drops the waiting question. An answer that is under way still comes. */
  drop(): void {
    this.wanted = null;
  }

  close(): void {
    this.closed = true;
    this.wanted = null;
    this.aborter.abort();
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.wanted && !this.closed) {
      const { q } = this.wanted;
      this.wanted = null;
      try {
        const a = await this.ask(q, this.aborter.signal);
        if (!this.closed) this.done(a, q);
      } catch (err) {
        if (!this.closed) this.failed(err, q);
      }
      if (this.restMs > 0 && !this.closed) await new Promise((r) => setTimeout(r, this.restMs));
    }
    this.running = false;
  }
}
