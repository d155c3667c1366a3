/** A failure with a code that programs can tell apart and a sentence for people. */
export class FogkeepError extends Error {
  constructor(
    /** Stable, for programs: `unreachable`, `TICKET_USED`, `map_format`… */
    readonly code: string,
    message: string,
    /** Whether doing the same again may work. */
    readonly retryable = false,
    /** HTTP status, where there was one. */
    readonly status = 0,
  ) {
    super(message);
    this.name = "FogkeepError";
  }
}

/** The sentence to show for anything that was thrown. */
export function sentence(err: unknown): string {
  if (err instanceof Error && err.message) return err.message;
  return "Something went wrong. Reload the page and try again.";
}
