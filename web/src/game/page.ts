// Events of the page during a match: its size, its visibility, the
// network, leaving it.

import { focusField, type GameContext } from "./context";

/** A page that is hidden for longer gets fewer frames from the server. */
const HIDDEN_MS = 30_000;

export interface PageEvents {
  resized(): void;
  /** The page is shown again. */
  shown(): void;
}

/** Listens until the signal aborts. */
export function listenToPage(context: GameContext, events: PageEvents, signal: AbortSignal): void {
  const { match, hud, settings, sound } = context;
  const o = { signal };
  // A click on a button gives the keyboard back to the field; a button reached by keyboard keeps it.
  hud.element.addEventListener(
    "click",
    (e) => {
      if (e.detail > 0 && (e.target as Element).closest("button")) focusField(context);
    },
    o,
  );
  window.addEventListener("resize", () => events.resized(), o);
  for (const gesture of ["pointerdown", "keydown"]) window.addEventListener(gesture, () => sound.wake(), o);
  window.addEventListener("online", () => match.retryNow(), o);
  window.addEventListener(
    "beforeunload",
    (e) => {
      if (match.status === "live" && !match.info.spectator) e.preventDefault();
    },
    o,
  );
  let hiddenAtMs = 0;
  document.addEventListener(
    "visibilitychange",
    () => {
      sound.mute(settings.value.muteHidden && document.hidden);
      if (document.hidden) {
        hiddenAtMs = performance.now();
        setTimeout(() => {
          if (document.hidden) match.pace(1);
        }, HIDDEN_MS);
        return;
      }
      if (performance.now() - hiddenAtMs > HIDDEN_MS) match.pace(0);
      match.retryNow();
      match.clock.reset();
      events.shown();
    },
    o,
  );
}
