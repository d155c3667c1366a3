// The maps: one view, or two side by side, each with its heading and legend.

import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { FogLayer, type TileSight } from "../../draw/topdown";
import { countBoth, HEAT, ONLY_A, ONLY_B, paintDifference, paintHeat, TileLayer, VISIBLE } from "./layers";
import { ALL } from "./link";
import { MapView, ZOOM_STEP } from "./mapview";
import { type Mark, marksOfEntity, marksOfKnown, marksOfOrder, marksOfTile } from "./marks";
import type { Inspector, Pane } from "./model";
import type { Scene } from "./scene";
import type { Bytes, Entity } from "./shapes";
import { bytes, describe, eyesName } from "./words";

export function Maps({ model }: { model: Inspector }) {
  const beside = model.mode.value === "beside";
  return (
    <div class={`maps ${beside ? "beside" : ""}`}>
      <OneMap model={model} pane={model.a} first />
      {beside && <OneMap model={model} pane={model.b} />}
    </div>
  );
}

function OneMap({ model, pane, first = false }: { model: Inspector; pane: Pane; first?: boolean }) {
  const room = useRef<HTMLDivElement>(null);
  const facts = model.facts.value!;
  const view = useMemo(
    () =>
      new MapView(
        model.camera,
        first ? "The match from above" : "The match from above, with the other eyes",
        {
          drawn: () => model.showOpened(),
          hover: (tile, entity) => {
            model.hovered.value = tile ? { tile, entity } : null;
          },
          select: (tile, entity) =>
            model.select(entity ? { kind: "entity", id: entity.id } : { kind: "tile", x: tile.x, y: tile.y }),
        },
      ),
    [model, first],
  );
  useEffect(() => {
    room.current?.prepend(view.element);
    // Facts come anew while a match runs; its map stays.
    const { map } = model.facts.peek()!;
    const layers = new Layers(map.width, map.height);
    const stop = effect(() => view.show(sceneOf(model, pane, layers)));
    if (first) model.map = view;
    return () => {
      stop();
      view.close();
    };
  }, [view, model, pane, first]);
  return (
    <section class="map-room" ref={room} aria-label={eyesName(facts, pane.eyes.value)}>
      <Heading model={model} pane={pane} />
      {first && (
        <div class="map-tools">
          <button type="button" title="Larger (+)" data-do="zoom-in" onClick={() => view.zoom(ZOOM_STEP)}>
            +
          </button>
          <button
            type="button"
            title="Smaller (−)"
            data-do="zoom-out"
            onClick={() => view.zoom(1 / ZOOM_STEP)}
          >
            −
          </button>
          <button type="button" title="The whole map (0)" data-do="zoom-all" onClick={() => view.whole()}>
            ⤢
          </button>
          <button
            type="button"
            title="Names (N)"
            aria-pressed={model.names.value}
            class={model.names.value ? "on" : ""}
            onClick={() => {
              model.names.value = !model.names.value;
            }}
          >
            Aa
          </button>
        </div>
      )}
      {first && <Pointed model={model} />}
    </section>
  );
}

/** Whose eyes these are, and how much they see. In a difference and a heat map: the legend. */
function Heading({ model, pane }: { model: Inspector; pane: Pane }) {
  const facts = model.facts.value!;
  const mode = model.mode.value;
  const w = pane.world.value;
  if (mode === "difference") return <DifferenceLegend model={model} />;
  if (mode === "heat") return <HeatLegend model={model} />;
  let share = "";
  if (w?.sight && pane.eyes.value !== ALL) {
    let n = 0;
    for (const v of w.sight) if (v === VISIBLE) n++;
    share = ` · sees ${((100 * n) / w.sight.length).toFixed(1)} % of the map`;
  }
  return (
    <p class="map-heading num">
      <span>
        <b>{eyesName(facts, pane.eyes.value)}</b>
        {w ? ` · ${w.entities.length} entities${share}` : " · loading…"}
      </span>
    </p>
  );
}

function DifferenceLegend({ model }: { model: Inspector }) {
  const facts = model.facts.value!;
  const [a, b] = [model.a.world.value, model.b.world.value];
  const tiles = a?.sight && b?.sight ? countBoth(a.sight, b.sight) : null;
  const only = (x: typeof a, y: typeof b) => x?.entities.filter((e) => !y?.byId.has(e.id)).length ?? 0;
  const row = (color: string, words: string, n: number, entities: number) => (
    <span>
      <i class="swatch" style={{ background: color }} /> only {words}: {n} tiles, {entities} entities
    </span>
  );
  return (
    <p class="map-heading num" data-legend="difference">
      {row(ONLY_A, eyesName(facts, model.eyes.value), tiles?.a ?? 0, only(a, b))}
      {row(ONLY_B, eyesName(facts, model.other.value), tiles?.b ?? 0, only(b, a))}
    </p>
  );
}

function HeatLegend({ model }: { model: Inspector }) {
  const facts = model.facts.value!;
  const sent = model.bytes.value;
  const team = model.knownTeam.value;
  const most = sent?.tiles.reduce((n, t) => Math.max(n, t.bytes), 0) ?? 0;
  return (
    <p class="map-heading num" data-legend="heat">
      <span>
        <b>Bytes by tile</b> · {team === null ? "" : eyesName(facts, team)}
        {sent &&
          ` · ticks ${sent.from} to ${sent.to} · ${bytes(sent.placed)} of ${bytes(sent.total)} are about places`}
      </span>
      <span class="heat-scale">
        <span>1 B</span>
        <i style={{ background: `linear-gradient(to right, ${HEAT.join(", ")})` }} />
        <span>{bytes(most)}</span>
      </span>
    </p>
  );
}

function Pointed({ model }: { model: Inspector }) {
  const at = model.hovered.value;
  const facts = model.facts.value!;
  if (!at)
    return <p class="map-pointed dim">Point at an entity to identify it. Click to ask why it is seen.</p>;
  return (
    <p class="map-pointed num">
      Tile {at.tile.x}, {at.tile.y}
      {at.entity && ` · ${describe(facts, at.entity)} · health ${at.entity.hp} of ${at.entity.hpMax}`}
      {at.entity?.doing && ` · ${at.entity.doing}`}
    </p>
  );
}

/** The layers of one view, painted again only when what they show is another. */
class Layers {
  private readonly fogLayer: FogLayer;
  private readonly tiles: TileLayer;
  private fogOf: Uint8Array | null = null;
  private tilesOf: readonly unknown[] = [];

  constructor(width: number, height: number) {
    this.fogLayer = new FogLayer(width, height);
    this.tiles = new TileLayer(width, height);
  }

  fog(sight: Uint8Array): HTMLCanvasElement {
    if (this.fogOf !== sight) this.fogLayer.paint((t) => sight[t] as TileSight);
    this.fogOf = sight;
    return this.fogLayer.canvas;
  }

  difference(a: Uint8Array, b: Uint8Array): HTMLCanvasElement {
    return this.once([a, b], () => paintDifference(this.tiles, a, b));
  }

  heat(tiles: Bytes["tiles"]): HTMLCanvasElement {
    return this.once([tiles], () => paintHeat(this.tiles, tiles));
  }

  private once(of: readonly unknown[], paint: () => void): HTMLCanvasElement {
    if (of.length !== this.tilesOf.length || of.some((x, i) => x !== this.tilesOf[i])) paint();
    this.tilesOf = of;
    return this.tiles.canvas;
  }
}

function sceneOf(model: Inspector, pane: Pane, layers: Layers): Scene {
  const { map } = model.facts.value!;
  const mode = model.mode.value;
  const w = pane.world.value;
  const other = model.b.world.value;
  let over: HTMLCanvasElement[] = [];
  let entities: readonly Entity[] = w?.entities ?? [];
  let pale: Scene["pale"];
  if (mode === "difference" && w?.sight && other?.sight) {
    over = [layers.difference(w.sight, other.sight)];
    entities = [...entities, ...other.entities.filter((e) => !w.byId.has(e.id))];
    pale = (e) => w.byId.has(e.id) && other.byId.has(e.id);
  } else if (mode === "heat") {
    const tiles = model.bytes.value?.tiles;
    if (tiles) over = [layers.heat(tiles)];
    pale = () => true;
  } else if (w?.sight && pane.eyes.value !== ALL) over = [layers.fog(w.sight)];
  const byId = (id: number) => entities.find((e) => e.id === id) ?? null;
  const s = model.selection.value;
  const selected = s?.kind === "entity" ? byId(s.id) : null;
  return {
    map,
    land: model.land.value,
    layers: over,
    entities,
    pale,
    marks: [...lackedOn(model, pane), ...marksOf(model, pane)],
    selected,
    unseen: selected ? null : model.whereabouts.value,
    hovered: model.hovered.value?.entity ? byId(model.hovered.value.entity.id) : null,
    pinned: model.pins.value.flatMap((p) => (p.kind === "entity" ? (byId(p.id) ?? []) : [])),
    names: model.names.value,
    colorOf: model.colorOf,
  };
}

/** While its panel is open: what the team's clients lack. */
function lackedOn(model: Inspector, pane: Pane): Mark[] {
  const known = model.known.value;
  if (model.tab.value !== "known" || !known || known.team !== model.knownTeam.value) return [];
  if (model.mode.value === "beside" && pane.eyes.value !== known.team) return [];
  // The state of clients is known for the newest tick, which goes on meanwhile.
  if (model.at.value !== null && known.tick !== pane.world.value?.tick) return [];
  return marksOfKnown(known, (id) => model.find(id));
}

/** The reasons of the team that is asked about; side by side each view has its own team's. */
function marksOf(model: Inspector, pane: Pane): Mark[] {
  const s = model.selection.value;
  const team =
    model.mode.value === "beside" && pane.eyes.value !== ALL ? pane.eyes.value : model.whyTeam.value;
  const file = model.entity.value;
  if (s?.kind === "entity" && file?.id === s.id) {
    const at = model.whereabouts.value;
    return at ? marksOfEntity(file, at, team) : [];
  }
  const tile = model.tile.value;
  if (s?.kind === "tile") {
    if (tile?.x === s.x && tile.y === s.y && tile.team === team) return marksOfTile(tile);
    return [{ kind: "tiles", tiles: [s], color: "#ffd43b" }];
  }
  if (s?.kind === "order") {
    const row = model.order.value;
    if (row?.n === s.n) return marksOfOrder(row, (id) => model.find(id));
  }
  return [];
}
