// The text beside the cursor for a foreign entity: type and owner; for a ghost
// also when it was last seen.

import { type Handle, type MatchState, typeOf } from "@fogkeep/client";
import { typeName } from "../text/names";
import { t } from "../text/text";
import { h, text } from "../ui/dom";

export class HoverTip {
  readonly element = h("div", { class: "hover-tip", hidden: true });

  constructor(private readonly state: MatchState) {}

  /** Shows the text for a handle beside a point of the page. */
  update(handle: Handle, at: { x: number; y: number } | null): void {
    const words = at ? hoverWords(this.state, handle) : "";
    this.element.hidden = words === "";
    if (!at || words === "") return;
    text(this.element, words);
    this.element.style.left = `${Math.round(at.x + 16)}px`;
    this.element.style.top = `${Math.round(at.y + 18)}px`;
  }
}

/** Empty for bare ground and for own entities. */
export function hoverWords(state: MatchState, handle: Handle): string {
  const { world, info, ghosts } = state;
  const whose = (owner: number) => info.players[owner]?.name;
  const ghost = ghosts.get(handle);
  if (ghost) {
    const seconds = Math.max(0, Math.floor(((state.tick - ghost.tick) * info.tickMs) / 1000));
    const ago = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return join(
      typeName(typeOf(info.rules, ghost.type).name),
      whose(ghost.owner),
      t("selection.lastSeen", { time: ago }),
    );
  }
  const slot = world.slot(handle);
  if (handle === 0 || slot < 0 || state.relation(slot) === "own") return "";
  const type = typeOf(info.rules, world.type[slot]);
  if (type.class === "resource")
    return join(typeName(type.name), t("selection.left", { count: world.amount[slot] }));
  const name = typeName(type.name);
  if (type.feature !== "none" && !type.breakable && state.relation(slot) === "neutral") return name;
  return join(name, whose(world.owner[slot]), `${world.hp(slot)} / ${world.hpMax[slot]}`);
}

function join(...parts: (string | undefined)[]): string {
  return parts.filter((p) => p !== undefined && p !== "").join(" · ");
}
