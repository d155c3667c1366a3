// The work of a sent form: it waits, and shows why it failed.

import { useSignal } from "@preact/signals";

/** Runs one piece of work at a time. `busy` and `error`, in the words of `wordsOf`, are for the form to show. */
export function useWorkWith(wordsOf: (err: unknown) => string) {
  const busy = useSignal(false);
  const error = useSignal("");
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    error.value = "";
    try {
      await work();
    } catch (err) {
      error.value = wordsOf(err);
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
