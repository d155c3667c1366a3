// Screens and dialogs made with Preact.

import { type ComponentChildren, render } from "preact";
import { t } from "../text/text";
import { dialogIsOpen, showView } from "../ui/dialog";
import { h, ICONS } from "../ui/dom";
import { Icon } from "../ui/icons";
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

/** Opens a dialog with a button that closes it over the screen, unless one is open. A phone may have no Escape key. */
export function openDialog(
  label: string,
  className: string,
  view: (close: () => void) => ComponentChildren,
  closed?: () => void,
): void {
  if (dialogIsOpen()) return;
  const closable = (close: () => void) => (
    <>
      {view(close)}
      <button type="button" class="ghost-button close-dialog" aria-label={t("common.close")} onClick={close}>
        <Icon path={ICONS.cancel} />
      </button>
    </>
  );
  showView(label, className, closable, closed);
}
