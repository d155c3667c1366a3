import { showDialog } from "../ui/dialog";
import { h } from "../ui/dom";

/** Asks for the password of a lobby; null if the dialog is cancelled. */
export function askPassword(): Promise<string | null> {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "off", "aria-label": "Lobby password" });
    const dialog = h(
      "dialog",
      { class: "panel" },
      h(
        "form",
        { method: "dialog", onsubmit: () => resolve(input.value) },
        h("h2", null, "This lobby has a password"),
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
          h("button", { type: "submit", class: "primary" }, "Join"),
        ),
      ),
    );
    showDialog(dialog, () => resolve(null));
    input.focus();
  });
}
