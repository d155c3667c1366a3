// Icons and emblems for pages made with Preact; ui/dom.ts has the same for the others.

import { emblemPath } from "../draw/emblem";

/** A line icon of 24 px from path data. With a title it is read out, else it decorates. */
export function Icon({ path, title }: { path: string; title?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      class="icon"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      role={title ? "img" : undefined}
      aria-label={title}
      aria-hidden={title ? undefined : "true"}
    >
      <path d={path} />
    </svg>
  );
}

/** A player's emblem in its colour. */
export function Emblem({ color, index }: { color: string; index: number }) {
  return (
    <svg viewBox="-1.2 -1.2 2.4 2.4" class="emblem" aria-hidden="true">
      <path d={emblemPath(index)} fill={color} />
    </svg>
  );
}
