// All entities of the view as a table: find one, sort, select.

import { useSignal } from "@preact/signals";
import type { Inspector } from "./model";
import { LongList, Mark } from "./parts";
import type { Entity } from "./shapes";
import { idName, ownerName } from "./words";

const ROW = 30;
const SORTS = {
  id: (e: Entity) => e.id,
  type: (e: Entity) => e.type,
  owner: (e: Entity) => e.slot,
  health: (e: Entity) => (e.hpMax > 0 ? e.hp / e.hpMax : 2),
  seen: (e: Entity) => -e.seen.length,
} as const;
type Sort = keyof typeof SORTS;
const WORDS: Record<Sort, string> = {
  id: "Id",
  type: "Type",
  owner: "Owner",
  health: "Health",
  seen: "Seen by",
};

/** The listed entities: the words are in their type, id, owner or shape. */
export function listed(
  all: readonly Entity[],
  find: string,
  sort: Sort,
  owner: (slot: number) => string,
): readonly Entity[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const by = SORTS[sort];
  return all
    .filter((e) => {
      const text = `${e.type} ${idName(e.id)} ${owner(e.slot)} ${e.shape}`.toLowerCase();
      return words.every((w) => text.includes(w));
    })
    .sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : a.id - b.id));
}

export function EntitiesPanel({ model }: { model: Inspector }) {
  const facts = model.facts.value!;
  const find = useSignal("");
  const sort = useSignal<Sort>("owner");
  const rows = listed(model.a.world.value?.entities ?? [], find.value, sort.value, (s) =>
    ownerName(facts, s),
  );
  const s = model.selection.value;
  return (
    <div class="panel-fill">
      <input
        type="search"
        placeholder="Find by type, id, owner"
        aria-label="Find entities"
        value={find.value}
        onInput={(e) => {
          find.value = e.currentTarget.value;
        }}
      />
      <div class="entity-line head">
        {(Object.keys(SORTS) as Sort[]).map((k) => (
          <button
            key={k}
            type="button"
            class={`link ${sort.value === k ? "on" : ""}`}
            aria-pressed={sort.value === k}
            onClick={() => {
              sort.value = k;
            }}
          >
            {WORDS[k]}
          </button>
        ))}
      </div>
      <LongList
        label="Entities"
        rows={rows}
        height={ROW}
        current={s?.kind === "entity" ? rows.findIndex((e) => e.id === s.id) : undefined}
        row={(e) => (
          <li key={e.id} style={{ height: `${ROW}px` }}>
            <button
              type="button"
              class={`entity-line num ${s?.kind === "entity" && s.id === e.id ? "chosen" : ""}`}
              data-entity={e.id}
              onClick={() => model.show(e)}
            >
              <span>{idName(e.id)}</span>
              <span class={e.shape === "ghost" ? "dim" : ""}>
                {e.type}
                {e.shape === "ghost" ? " (ghost)" : ""}
              </span>
              <span>
                <Mark model={model} slot={e.slot} /> {ownerName(facts, e.slot)}
              </span>
              <span>{e.hpMax > 0 ? `${e.hp}/${e.hpMax}` : ""}</span>
              <span class="dim">{e.seen.map((t) => t + 1).join(", ")}</span>
            </button>
          </li>
        )}
      />
      <p class="dim num">{rows.length} listed</p>
    </div>
  );
}
