// Data of the server that a page keeps fresh while it is shown.

import { FogkeepError } from "@fogkeep/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { leave } from "./api";

interface PollOptions {
  /** From an answer to the next question. Without it the hook asks once. */
  everyMs?: number;
  /** Loads again when an input changes. */
  inputs?: readonly unknown[];
  /** Asks no more, and drops an answer that is on its way. */
  paused?: boolean;
}

export interface Polled<T> {
  /** The last good answer. */
  readonly data?: T;
  /** Why the last question failed. */
  readonly error?: unknown;
  again(): void;
}

/** Loads data and keeps it fresh. The end of the session shows the log-in. */
export function usePoll<T>(load: () => Promise<T>, o: PollOptions = {}): Polled<T> {
  const { everyMs, inputs = [], paused = false } = o;
  const [state, setState] = useState<{ data?: T; error?: unknown }>({});
  const [turn, setTurn] = useState(0);
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => {
    if (paused) return;
    let over = false;
    let timer = 0;
    const ask = async () => {
      try {
        const data = await newest.current();
        if (!over) setState({ data });
      } catch (error) {
        if (over) return;
        if (error instanceof FogkeepError && error.status === 401) return leave("Your session has ended.");
        setState(({ data }) => ({ data, error }));
      }
      if (!over && everyMs !== undefined) timer = window.setTimeout(ask, everyMs);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [everyMs, paused, turn, ...inputs]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}
