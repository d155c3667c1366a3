// Long presses on buttons of the panels: a resting finger works like the right button of a mouse.

import { LONG_PRESS_MS } from "../input/pointer";

interface Press {
  onPointerDown: (e: PointerEvent) => void;
  onPointerUp: () => void;
  onPointerLeave: () => void;
  onPointerCancel: () => void;
  onClickCapture: (e: MouseEvent) => void;
}

/**
 * Handlers of an element: `held` runs when a finger has rested on it, and the click
 * that would follow is dropped. `lifted` runs as the finger goes.
 */
export function longPress(held: () => void, lifted?: () => void): Press {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rested = false;
  const end = () => {
    clearTimeout(timer);
    if (rested) lifted?.();
  };
  return {
    onPointerDown: (e) => {
      rested = false;
      clearTimeout(timer);
      if (e.pointerType !== "touch") return;
      timer = setTimeout(() => {
        rested = true;
        held();
      }, LONG_PRESS_MS);
    },
    onPointerUp: end,
    onPointerLeave: end,
    onPointerCancel: end,
    onClickCapture: (e) => {
      if (!rested) return;
      rested = false;
      e.preventDefault();
      e.stopPropagation();
    },
  };
}
