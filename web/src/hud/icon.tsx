// The drawn icons and emblems of ui/dom.ts as components.

import { emblemPath } from "../draw/emblem";
import { ICONS } from "../ui/dom";

export function Icon({ name }: { name: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      class="icon"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={ICONS[name] ?? ICONS.ability} />
    </svg>
  );
}

export function Emblem({ color, index }: { color: string; index: number }) {
  return (
    <svg viewBox="-1.2 -1.2 2.4 2.4" class="emblem" aria-hidden="true">
      <path d={emblemPath(index)} fill={color} />
    </svg>
  );
}
