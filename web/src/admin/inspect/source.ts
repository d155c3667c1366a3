// Where the inspector's answers come from. The page has the server's; tests have
// their own.

import type {
  Bytes,
  Changes,
  EntityFile,
  Facts,
  Known,
  OrderPage,
  OrderQuestion,
  SpecLiveTraffic,
  State,
  TileFile,
  Times,
} from "./shapes";

export interface StreamListener {
  state(s: State): void;
  change(c: Changes): void;
  /** The match is over, in words. */
  end(reason: string): void;
  /** A line about the stream, or null when it runs. */
  note(words: string | null): void;
}

export interface Source {
  facts(signal: AbortSignal): Promise<Facts>;
  /** `tick` absent: the newest. */
  state(eyes: number, tick: number | undefined, signal: AbortSignal): Promise<State>;
  changes(eyes: number, from: number, tick: number, signal: AbortSignal): Promise<Changes>;
  entity(id: number, tick: number, signal: AbortSignal): Promise<EntityFile>;
  tile(x: number, y: number, team: number, tick: number, signal: AbortSignal): Promise<TileFile>;
  orders(q: OrderQuestion, signal: AbortSignal): Promise<OrderPage>;
  /** `tick` absent: the newest tick, with more data. */
  known(team: number, tick: number | undefined, signal: AbortSignal): Promise<Known>;
  bytes(team: number, tick: number, signal: AbortSignal): Promise<Bytes>;
  times(from: number, to: number, signal: AbortSignal): Promise<Times>;
  /** The newest states of a live match. Returns what closes it. */
  stream(eyes: number, on: StreamListener): () => void;
  /** The traffic of a live match; absent: it is not measured. */
  traffic?(): Promise<SpecLiveTraffic>;
  /** The landscape; null: it cannot be loaded. */
  land(hash: string): Promise<HTMLCanvasElement | null>;
}
