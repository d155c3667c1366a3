// The work of a sent form: it waits, and shows why it failed.

import { useSignal } from "@preact/signals";
import { errorText } from "../text/names";

/** Runs one piece of work at a time. `busy` and `error` are for the form to show. */
export function useWork() {
  const busy = useSignal(false);
  const error = useSignal("");
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    error.value = "";
    try {
      await work();
    } catch (err) {
      error.value = errorText(err);
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, run };
}

export function ErrorLine({ text }: { text: string }) {
  return (
    <p class="error" role="alert" hidden={!text}>
      {text}
    </p>
  );
}
