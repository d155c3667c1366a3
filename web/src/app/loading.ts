import { h, text } from "../ui/dom";

/** The screen between the lobby and the field: says what is being waited for. */
export function loading(): { element: HTMLElement; say: (what: string) => void } {
  const line = h("p", { role: "status" }, "Taking your seat");
  return {
    element: h("div", { class: "loading" }, h("div", { class: "lamp", "aria-hidden": "true" }), line),
    say: (what) => text(line, what),
  };
}
