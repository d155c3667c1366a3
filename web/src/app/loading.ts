import { t } from "../text/text";
import { h, text } from "../ui/dom";
import type { Screen } from "./navigation";

/** The screen between the lobby and the match: says what is being waited for. */
export function loadingScreen(): Screen & { say: (what: string) => void } {
  const line = h("p", { role: "status" }, t("loading.joining"));
  return {
    element: h("div", { class: "loading" }, h("div", { class: "lamp", "aria-hidden": "true" }), line),
    say: (what) => text(line, what),
  };
}
