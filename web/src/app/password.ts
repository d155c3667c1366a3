import { t } from "../text/text";
import { showDialog } from "../ui/dialog";
import { h } from "../ui/dom";

/** Asks for the password of a lobby; null if the dialog is cancelled. */
export function askPassword(): Promise<string | null> {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "off", "aria-label": t("lobby.password") });
    const dialog = h(
      "dialog",
      { class: "panel" },
      h(
        "form",
        { method: "dialog", onsubmit: () => resolve(input.value) },
        h("h2", null, t("lobby.passwordTitle")),
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", onclick: () => dialog.close() }, t("common.cancel")),
          h("button", { type: "submit", class: "primary" }, t("common.join")),
        ),
      ),
    );
    showDialog(dialog, () => resolve(null));
    input.focus();
  });
}
