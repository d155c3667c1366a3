// Modal dialogs that exist only while they are open.

/** Opens a dialog and removes it from the page when it is closed. */
export function showDialog(dialog: HTMLDialogElement, closed?: () => void): void {
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed?.();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether one is open: a screen opens no second one over it. */
export const dialogIsOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/** Closes all that are open: something else takes the whole page. */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
}
