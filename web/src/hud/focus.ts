// F6 moves the focus from panell to panell: the battlefield, the card, the
// selection, the minimap, and so on. Inside a panell, Tab moves it from button to
// button.

const FOCUSABLE = "button:not(:disabled),canvas[tabindex],input,select";

/** The element to focus, or null when no panell can have the focus. */
export function nextPanel(
  panells: readonly HTMLElement[],
  focused: Element | null,
  step: 1 | -1,
): HTMLElement | null {
  const at = panells.findIndex((p) => p === focused || p.contains(focused));
  for (let k = 1; k <= panells.length; k++) {
    const panel = panells[(Math.max(0, at) + k * step + panells.length * k) % panells.length];
    const first = panel.matches(FOCUSABLE) ? panel : panel.querySelector<HTMLElement>(FOCUSABLE);
    if (first && first.getClientRects().length > 0) return first;
  }
  return null;
}
