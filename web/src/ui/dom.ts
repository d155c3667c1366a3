// Helpers for building the page. The page does not re-render by itself.

import { emblemPath } from "../draw/emblem";

type Props = Record<string, unknown> & { class?: string };
export type Child = Node | string | number | null | undefined | false | Child[];

/** Makes an element. `onclick` and the like are listeners; `aria-*` and `data-*` attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") el.className = String(value);
    else if (name.startsWith("on") && typeof value === "function") {
      el.addEventListener(name.slice(2), value as EventListener);
    } else if (name in el && !name.includes("-") && name !== "list" && name !== "form") {
      (el as unknown as Record<string, unknown>)[name] = value;
    } else el.setAttribute(name, value === true ? "" : String(value));
  }
  append(el, children);
  return el;
}

function append(el: HTMLElement, children: Child[]): void {
  for (const c of children) {
    if (c === null || c === undefined || c === false) continue;
    if (Array.isArray(c)) append(el, c);
    else el.append(typeof c === "number" ? String(c) : c);
  }
}

/** Replaces the children. */
export function fill(el: HTMLElement, ...children: Child[]): void {
  el.replaceChildren();
  append(el, children);
}

/** Sets the text only when it differs: a HUD writes ten times a second. */
export function text(el: HTMLElement, value: string): void {
  if (el.textContent !== value) el.textContent = value;
}

/** A line icon of 24 px from path data. */
export function icon(path: string, title?: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("fill", "none");
  svg.setAttribute("stroke", "currentColor");
  svg.setAttribute("stroke-width", "2");
  svg.setAttribute("stroke-linecap", "round");
  svg.setAttribute("stroke-linejoin", "round");
  if (title) svg.setAttribute("aria-label", title);
  else svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

/** A player's emblem in its colour. */
export function emblem(color: string, index: number): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "-1.2 -1.2 2.4 2.4");
  svg.setAttribute("class", "emblem");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", emblemPath(index));
  p.setAttribute("fill", color);
  svg.append(p);
  return svg;
}

/** Lets the browser save JSON text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Icons of commands, drawn here. */
export const ICONS: Record<string, string> = {
  more: "M5 12h.01M12 12h.01M19 12h.01",
  cancel: "M6 6l12 12M18 6L6 18",
  back: "M10 6l-6 6 6 6M4 12h16",
  weapon: "M3 9h13l2 2h3v3h-6l-2 3H9l1-3H3z",
  ability: "M13 2L5 14h6l-1 8 8-12h-6z",
  ping: "M12 3v5M12 16v5M3 12h5M16 12h5M12 12h.01",
  chat: "M4 5h16v11H9l-5 4z",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  bot: "M5 9h14v10H5zM12 9V5M9 14h.01M15 14h.01M12 4h.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  sound: "M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
};
