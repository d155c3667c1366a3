// The parts of the generated HTTP clients (gen/player.ts, gen/admin.ts).

export interface CallOptions {
  /** Ends the request: its promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Headers that an operation of the HTTP API takes, for instance the key of a replay's link. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and reads the answer. Rejects with a FogkeepError. */
export type Call = <T>(method: string, path: string, body?: unknown, o?: CallOptions) => Promise<T>;

/** A value as one segment of a path. */
export const segment = (value: string | number): string => encodeURIComponent(value);

/** The query of an address, with its question mark; without absent values. */
export function query(given: { [name: string]: string | number | boolean | undefined }): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `?${search}` : "";
}

/** How a form shows one property of a request. */
export interface FormField {
  readonly name: string;
  readonly type: "string" | "number" | "boolean";
  readonly label: string;
  readonly default: string | number | boolean;
  /** The range of a number. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** The values to choose from, with their labels. */
  readonly choices?: readonly (readonly [value: string | number, label: string])[];
  /** The modes that have it; absent: all. */
  readonly modes?: readonly string[];
}
