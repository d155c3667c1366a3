import { signal } from "@preact/signals";
import { t } from "../text/text";
import { screen } from "./mount";
import type { Screen } from "./navigation";

/** The screen between the lobby and the match: names the awaited step. */
export function loadingScreen(): Screen & { say: (what: string) => void } {
  const line = signal(t("loading.joining"));
  const view = (
    <>
      <div class="lamp" aria-hidden="true" />
      <p role="status">{line}</p>
    </>
  );
  return {
    ...screen("loading", view),
    say: (what) => {
      line.value = what;
    },
  };
}
