// Screens and dialogs made with Preact.

import { type ComponentChildren, render } from "preact";
import { dialogIsOpen, showDialog } from "../ui/dialog";
import { h } from "../ui/dom";
import type { Screen } from "./navigation";

/** A screen that shows `view` in an element of a class. */
export function screen(className: string, view: ComponentChildren, close?: () => void): Screen {
  const element = h("div", { class: className });
  render(view, element);
  return {
    element,
    close: () => {
      close?.();
      render(null, element);
    },
  };
}

/**
 * Opens a dialog over the screen, unless one is open. `view` gets the function that
 * closes it; `closed` is called after that, however it was closed.
 */
export function openDialog(
  label: string,
  className: string,
  view: (close: () => void) => ComponentChildren,
  closed?: () => void,
): void {
  if (dialogIsOpen()) return;
  const dialog = h("dialog", { class: `panel ${className}`, "aria-label": label });
  render(
    view(() => dialog.close()),
    dialog,
  );
  showDialog(dialog, () => {
    render(null, dialog);
    closed?.();
  });
}
