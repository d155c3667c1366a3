// Going through the parts of a match's page by one key (F6), as through the
// panes of a program: the field, the card, the selection, the minimap, and so
// on, and back to the field. Inside one, Tab goes from button to button.

const FOCUSABLE = "button:not(:disabled), canvas[tabindex], input, select";

/** The element to give the focus to, or null when there is nowhere to go. */
export function nextPanel(
  panes: readonly HTMLElement[],
  focused: Element | null,
  step: 1 | -1,
): HTMLElement | null {
  const at = panes.findIndex((p) => p === focused || p.contains(focused));
  for (let k = 1; k <= panes.length; k++) {
    const pane = panes[(Math.max(0, at) + k * step + panes.length * k) % panes.length];
    const first = pane.matches(FOCUSABLE) ? pane : pane.querySelector<HTMLElement>(FOCUSABLE);
    if (first && first.getClientRects().length > 0) return first;
  }
  return null;
}
