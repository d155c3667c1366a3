// The keys of the inspector.

import { ALL, MODES, type Tab } from "./link";
import { ZOOM_STEP } from "./mapview";
import type { Inspector } from "./model";
import type { TimeControls } from "./timepanel";

const PAN_PX = 80;
const TABS: Record<string, Tab> = { w: "selection", u: "entities", o: "orders", k: "known" };
const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [PAN_PX, 0],
  ArrowRight: [-PAN_PX, 0],
  ArrowUp: [0, PAN_PX],
  ArrowDown: [0, -PAN_PX],
};

/** The next of a list behind a value, from the first again behind the last. */
export const nextOf = <T>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length];

export function keyDown(e: KeyboardEvent, model: Inspector, time: TimeControls, back: () => void): void {
  const facts = model.facts.peek();
  const target = e.target as HTMLElement | null;
  if (!facts || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  // Fields have their own keys, and lists scroll by arrows.
  if (target?.closest("input, select, textarea, [contenteditable]")) return;
  const arrows = ARROWS[e.key];
  if (arrows && target?.closest(".long-list, .side-body")) return;
  if (e.key === " " && target?.closest("button, summary, a")) return;
  if (!act(e, model, time, back)) return;
  e.preventDefault();
}

/** Does what a key is for, and says whether it is for anything. */
function act(e: KeyboardEvent, model: Inspector, time: TimeControls, back: () => void): boolean {
  const facts = model.facts.peek()!;
  const arrows = ARROWS[e.key];
  const key = e.key.toLowerCase();
  const second = facts.tickRate;
  if (arrows) model.map?.pan(...arrows);
  else if (key === " ") model.togglePlay();
  else if (key === "," || key === ".") time.step(key === "," ? -1 : 1);
  else if (key === "<" || key === ";") model.step(-second);
  else if (key === ">" || key === ":") model.step(second);
  else if (key === "home") model.seek(facts.first);
  else if (key === "end") model.newest();
  else if (key === "+" || key === "=") model.map?.zoom(ZOOM_STEP);
  else if (key === "-") model.map?.zoom(1 / ZOOM_STEP);
  else if (key === "0") model.map?.whole();
  else if (/^[1-4]$/.test(key)) model.chooseMode(MODES[Number(key) - 1]);
  else if (TABS[key]) model.tab.value = TABS[key];
  else if (key === "e") {
    const teams = model.teams.peek();
    model.eyes.value = nextOf(
      model.mode.peek() === "difference" ? teams : [ALL, ...teams],
      model.eyes.peek(),
    );
  } else if (key === "t") model.askedTeam.value = nextOf(model.teams.peek(), model.whyTeam.peek());
  else if (key === "p") model.togglePin();
  else if (key === "n") model.names.value = !model.names.peek();
  else if (key === "l") document.querySelector<HTMLElement>('[data-do="copy-link"]')?.click();
  else if (key === "r") void model.nextRefused();
  else if (key === "c") model.showSelected();
  else if (key === "escape") {
    if (model.selection.peek()) model.select(null);
    else back();
  } else return false;
  return true;
}
