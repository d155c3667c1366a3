// Modal dialogs that exist only while they are open.

import { type ComponentChildren, render } from "preact";
import { h } from "./dom";

/** Opens a dialog and removes it from the page when it is closed. */
export function showDialog(dialog: HTMLDialogElement, closed?: () => void, parent = document.body): void {
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed?.();
  });
  parent.append(dialog);
  dialog.showModal();
}

/**
 * Opens a dialog that shows `view`, which gets the function that closes it. `closed` is
 * called after that, however it was closed.
 */
export function showView(
  label: string,
  className: string,
  view: (close: () => void) => ComponentChildren,
  closed?: () => void,
  parent?: HTMLElement,
): void {
  const dialog = h("dialog", { class: `panel ${className}`, "aria-label": label });
  render(
    view(() => dialog.close()),
    dialog,
  );
  showDialog(
    dialog,
    () => {
      render(null, dialog);
      closed?.();
    },
    parent,
  );
}

/** Whether one is open: a screen opens no second one over it. */
export const dialogIsOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/** Closes all that are open: something else takes the whole page. */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
}
