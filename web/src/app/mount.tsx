// Screens and dialogs made with Preact.

import { type ComponentChildren, render } from "preact";
import { dialogIsOpen, showView } from "../ui/dialog";
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

/** Opens a dialog over the screen, unless one is open. */
export function openDialog(...dialog: Parameters<typeof showView>): void {
  if (!dialogIsOpen()) showView(...dialog);
}
